"""The write gate: preview, token, and that a token works once and for one thing."""

from __future__ import annotations

import base64
import collections
import re
import shutil
import sys
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from acme_tool._runtime import confirm
from acme_tool._runtime.testkit.mock import Handler, Reply

from mock_upstream import TOKEN_BOB

from .conftest import NewTool
from .sandbox import Tool, each, every
from .shared import fixture

CREATE = "item create --project atlas --title New --labels a,b --content text".split()
UPDATE = "item update --id 2 --title Changed --state closed --labels c".split()
DELETE = "item delete --id 3 --dangerous".split()
CLOSE = "item close --ids 4,5".split()
WRITES = {
    "create": CREATE,
    "update": UPDATE,
    "delete": DELETE,
    "close": CLOSE,
    "export": "export start --project atlas".split(),
    "publish": "item publish --id 6".split(),
}
every_write = pytest.mark.parametrize("name", WRITES)


@every_write
def test_a_write_without_a_token_is_refused_and_shows_its_preview(
    tool: Tool, name: str
) -> None:
    details = tool.run(*WRITES[name]).fails("E_CONFIRMATION_REQUIRED")
    assert details["preview"]["changes"]
    assert not {"confirm_token", "expires_at"} & set(details)
    assert "--dry-run" in details["fix"]
    assert tool.changes == 0


@every_write
def test_a_dry_run_changes_nothing_and_gives_a_token_that_expires(
    tool: Tool, name: str
) -> None:
    data = tool.run(*WRITES[name], "--dry-run").ok()
    assert set(data) == {"preview", "confirm_token", "expires_at"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", data["expires_at"])
    expires = datetime.fromisoformat(data["expires_at"].replace("Z", "+00:00"))
    assert 0 < (expires - datetime.now(timezone.utc)).total_seconds() <= 600
    for change in data["preview"]["changes"]:
        assert set(change) == {"action", "resource", "id", "before", "after"}
    assert tool.changes == 0


@every_write
def test_a_token_works_once(tool: Tool, name: str) -> None:
    words = (*WRITES[name], "--confirm", tool.token(*WRITES[name]))
    first = tool.run(*words)
    assert first.exit in (0, 9), first.text
    assert tool.changes == 1
    again = tool.run(*words)
    again.fails("E_CONFLICT")
    assert "already used" in again.error["message"]
    assert tool.changes == 1


def test_a_token_that_was_used_is_named_so(tool: Tool) -> None:
    token = tool.token(*CREATE)
    tool.run(*CREATE, "--confirm", token).ok()
    again = tool.run(*CREATE, "--confirm", token)
    again.fails("E_CONFLICT")
    assert "already used" in again.error["message"]


def test_writes_do_what_they_previewed(tool: Tool) -> None:
    created = tool.confirmed(*CREATE).ok()
    assert (created["title"], created["labels"]) == ("New", ["a", "b"])
    updated = tool.confirmed(*UPDATE).ok()
    assert (updated["title"], updated["state"]) == ("Changed", "closed")
    assert updated["labels"] == ["c"]
    assert tool.confirmed(*DELETE).ok() == {"id": "3", "deleted": True}
    tool.run("item", "get", "--id", "3").fails("E_NOT_FOUND")


@pytest.mark.parametrize(
    "row", fixture("confirm_tokens.json")["calls"], ids=lambda row: row["case"]
)
def test_a_token_is_for_one_call(tool: Tool, row: dict[str, Any]) -> None:
    result = tool.run(*row["second"], "--confirm", tool.token(*row["first"]))
    if row["good"]:
        result.ok()
        return
    result.fails("E_CONFLICT")
    assert tool.changes == 0


def test_a_token_is_for_one_account(tool: Tool) -> None:
    words = "item update --id 2 --title Changed".split()
    token = tool.token(*words)
    tool.set(TOKEN=TOKEN_BOB).run(*words, "--confirm", token).fails("E_CONFLICT")
    assert tool.changes == 0


def test_a_token_that_is_not_genuine_is_a_conflict(new_tool: NewTool) -> None:
    tool = new_tool()
    token = tool.token(*CREATE)
    raw = base64.urlsafe_b64decode(token.removeprefix("ct_") + "==")

    def encoded(body: bytes) -> str:
        return "ct_" + base64.urlsafe_b64encode(body).decode().rstrip("=")

    assert encoded(raw) == token
    forged = [
        "",
        "ct_",
        "ct_51c0",
        token[:-1],
        token + "A",
        token + "=",
        " " + token,
        token.removeprefix("ct_"),
        "CT" + token[2:],
        "ct_" + base64.b64encode(raw).decode() + "==",
        encoded(raw[:-1] + bytes([raw[-1] ^ 1])),
        # Another time of expiry, and another version.
        encoded(raw[:8] + bytes([raw[8] ^ 64]) + raw[9:]),
        encoded(b"\2" + raw[1:]),
        "ct_" + "A" * 90_000,
        "ct_\u00e4",
    ]

    def refuse(text: str) -> None:
        tool.run(*CREATE, f"--confirm={text}").fails("E_CONFLICT")

    every(refuse, forged)
    # A token of another home is keyed with another secret.
    other = new_tool().set(BASE_URL=tool.server.address)
    other.run(*CREATE, "--confirm", token).fails("E_CONFLICT")
    assert tool.changes == 0


def test_the_life_of_a_token_can_be_shortened_alone(tool: Tool) -> None:
    token = tool.set(CONFIRM_LIFETIME="1").token(*CREATE)
    time.sleep(2.1)
    # Whoever confirms has no say in it any more.
    tool.set(CONFIRM_LIFETIME="").run(*CREATE, "--confirm", token).fails("E_CONFLICT")
    assert tool.changes == 0


@pytest.mark.parametrize("name", ["update", "delete", "close"])
def test_a_token_does_not_outlive_the_state_of_its_target(
    tool: Tool, name: str
) -> None:
    token = tool.token(*WRITES[name])
    for item_id in range(2, 6):
        tool.upstream.touch(item_id, "somebody else was here")
    tool.run(*WRITES[name], "--confirm", token).fails("E_CONFLICT")
    assert tool.changes == 0


def test_the_upstream_has_the_last_word_about_versions(tool: Tool) -> None:
    token = tool.token(*UPDATE)

    def hook(handler: Handler) -> bool:
        # Another writer changes the item between the last read and the write.
        if handler.command == "PATCH":
            tool.upstream.touch(2, "in between")
        return False

    tool.hook(hook)
    details = tool.run(*UPDATE, "--confirm", token).fails("E_CONFLICT")
    assert details["upstream_code"] == "version_mismatch"
    assert details["confirm_token_used"] is True
    assert tool.run("item", "get", "--id", "2").ok()["title"] == "in between"


def test_a_dangerous_write_needs_both_the_flag_and_the_token(tool: Tool) -> None:
    safe = DELETE[:-1]
    token = tool.token(*DELETE)
    for words in (safe, [*safe, "--dry-run"], [*safe, "--confirm", token]):
        refused = tool.run(*words)
        refused.fails("E_CONFIRMATION_REQUIRED")
        assert "--dangerous" in refused.error["message"]
    assert tool.changes == 0
    tool.run(*DELETE, "--confirm", token).ok()


def test_a_missing_target_gets_no_token(tool: Tool) -> None:
    words = "item delete --id 99999 --dangerous --dry-run".split()
    assert "confirm_token" not in tool.run(*words).fails("E_NOT_FOUND")


def test_the_secret_of_the_tokens_is_made_for_this_user_alone(tool: Tool) -> None:
    tool.token(*CREATE)
    secret = tool.state / confirm.SECRET_FILE
    assert len(secret.read_bytes()) >= 32
    if sys.platform != "win32":
        assert secret.stat().st_mode & 0o777 == 0o600
        assert tool.state.stat().st_mode & 0o777 == 0o700


def short(secret: Path) -> None:
    secret.write_bytes(b"short")


def empty(secret: Path) -> None:
    secret.write_bytes(b"")


def open_to_others(secret: Path) -> None:
    secret.chmod(0o644)


def directory(secret: Path) -> None:
    secret.unlink()
    secret.mkdir()


def link(secret: Path) -> None:
    secret.rename(secret.with_suffix(".moved"))
    secret.symlink_to(secret.with_suffix(".moved"))


@pytest.mark.skipif(sys.platform == "win32", reason="needs the modes of files")
@pytest.mark.parametrize("spoil", [short, empty, open_to_others, directory, link])
def test_a_secret_that_cannot_be_trusted_is_never_done_without(
    tool: Tool, spoil: object
) -> None:
    token = tool.token(*CREATE)
    assert callable(spoil)
    spoil(tool.state / confirm.SECRET_FILE)
    tool.run(*CREATE, "--dry-run").fails("E_CONFIG")
    tool.run(*CREATE, "--confirm", token).fails("E_CONFIG")
    assert tool.changes == 0


def test_one_token_in_many_processes_writes_once(tool: Tool) -> None:
    words = (*CREATE, "--confirm", tool.token(*CREATE))
    children = [tool.start(*words) for _ in range(6)]
    ended = collections.Counter(child.wait(60) for child in children)
    for child in children:
        child.communicate()
    assert ended == {0: 1, 6: 5}
    assert tool.changes == 1


def test_many_first_uses_agree_on_one_secret(tool: Tool) -> None:
    tokens = each(lambda _: tool.token(*CREATE), list(range(6)))
    each(lambda token: tool.run(*CREATE, "--confirm", token).ok(), tokens)


def test_a_token_whose_use_cannot_be_recorded_still_writes(tool: Tool) -> None:
    token = tool.token(*CREATE)
    shutil.rmtree(tool.state / confirm.CONSUMED, ignore_errors=True)
    (tool.state / confirm.CONSUMED).write_text("a file in the way")
    result = tool.run(*CREATE, "--confirm", token)
    result.ok()
    assert "could not be recorded" in result.stderr


def test_records_of_used_tokens_do_not_pile_up(tool: Tool) -> None:
    records = tool.state / confirm.CONSUMED
    records.mkdir(parents=True, mode=0o700)
    tool.state.chmod(0o700)
    (records / "1000-old").write_text("")
    tool.confirmed(*CREATE).ok()
    assert len(list(records.iterdir())) == 1


def test_an_idempotency_key_reaches_the_upstream_and_makes_one_item(tool: Tool) -> None:
    words = [*CREATE, "--idempotency-key", "order-4711"]
    first, second = tool.confirmed(*words).ok(), tool.confirmed(*words).ok()
    assert first["id"] == second["id"]
    sent = [seen.headers["idempotency-key"] for seen in tool.seen if seen.body]
    assert sent == ["order-4711"] * 2
    other = [word.replace("New", "Other") for word in words]
    assert tool.confirmed(*other).fails("E_CONFLICT")["upstream_code"] == "key_reused"
    # Without a key each confirmation has one of its own.
    assert tool.confirmed(*CREATE).ok()["id"] != tool.confirmed(*CREATE).ok()["id"]


def test_a_write_that_may_have_happened_says_so(tool: Tool) -> None:
    token = tool.token(*CREATE)

    def hook(handler: Handler) -> bool:
        if handler.command != "POST":
            return False
        handler.reply(Reply({}, 502))
        return True

    tool.hook(hook)
    details = tool.run(*CREATE, "--confirm", token).fails("E_SERVER")
    assert details["confirm_token_used"] is True
    assert "--dry-run" in details["fix"]
    # The token is spent: nothing is written twice by trying again.
    tool.run(*CREATE, "--confirm", token).fails("E_CONFLICT")
