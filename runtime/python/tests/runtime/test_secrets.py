"""Secrets stay in, and every attempt to write leaves a line in the log."""

from __future__ import annotations

import base64
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acme_tool import about
from acme_tool._runtime import config
from acme_tool._runtime.redact import MASK, Redactor
from acme_tool._runtime.testkit.mock import Reply

from mock_upstream import TOKEN_ALICE, TOKEN_BOB

from .conftest import NewTool
from .sandbox import Result, Tool, every

CANARY = TOKEN_ALICE
ENCODED = base64.b64encode(CANARY.encode()).decode()
SPELLINGS = (CANARY, ENCODED, CANARY.encode().hex())
OTHERS = ("hunter-two", "abcdefgh", "ghp_0123456789abcdefghij")
TEXT = " | ".join(
    (
        *SPELLINGS,
        "https://user:hunter-two@example.com/?access_token=abcdefgh",
        "ghp_0123456789abcdefghij",
    )
)

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs the modes of files")


def holds_nothing(result: Result) -> None:
    for part in (*SPELLINGS, *OTHERS):
        assert part not in result.text, result.words
        assert part not in result.stderr, result.words


def no_file_holds(directory: Path, secret: str) -> None:
    """Look into everything that the program wrote."""
    for path in directory.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path


def test_a_secret_that_the_upstream_repeats_does_not_get_out(tool: Tool) -> None:
    tool.upstream.touch(1, TEXT)
    calls = [
        "item get --id 1",
        "item get --id 1 --format text",
        "item list --limit 2",
        "item delete --id 1 --dangerous --dry-run",
        "item watch --after 129 --max-events 3 --duration 1",
        f"item create --project atlas --title {CANARY} --dry-run",
        f"item get --id {CANARY}",
        f"item list {CANARY}",
        f"item list --{CANARY}",
        f"item list --fields {CANARY}",
        f"item list --limit {CANARY}",
        f"{CANARY}",
        "reference",
        "context",
        "doctor",
    ]
    every(lambda words: holds_nothing(tool.run(*words.split())), calls)
    no_file_holds(tool.home, CANARY)


def test_a_secret_in_a_refusal_does_not_get_out(tool: Tool) -> None:
    said = f"{TEXT} Authorization: Bearer {CANARY} Cookie: {CANARY}"
    error = {"error": {"code": f"c {CANARY}", "message": said}}
    tool.answer("/v1/items", Reply(error, 400))
    for form in ("json", "text"):
        holds_nothing(tool.run("item", "get", "--id", "1", "--format", form))
    tool.run("item", "update", "--id", "1", "--title", TEXT, "--dry-run")
    no_file_holds(tool.home, CANARY)


def test_secrets_of_other_tools_do_not_get_out(tool: Tool) -> None:
    tool.env["GITHUB_TOKEN"] = "canary-of-another-tool"
    tool.upstream.touch(1, "canary-of-another-tool")
    assert "canary" not in tool.run("item", "get", "--id", "1").text


def test_members_with_telling_names_are_masked() -> None:
    tree = {"password": "x", "api_key": "y", "note": "z", "confirm_token": "ct_1"}
    masked = {"password": MASK, "api_key": MASK, "note": "z", "confirm_token": "ct_1"}
    assert Redactor().tree([tree]) == [masked]


def log(tool: Tool) -> list[dict[str, Any]]:
    text = (tool.state / "audit.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_each_attempt_to_write_leaves_a_line(tool: Tool) -> None:
    words = ["item", "update", "--id", "2", "--title", f"Bearer {CANARY}", "--quiet"]
    tool.run(*words).fails("E_CONFIRMATION_REQUIRED")
    token = tool.token(*words)
    tool.run(*words, f"--confirm={token}").ok()
    tool.run(*words, "--confirm", token).fails("E_CONFLICT")
    tool.run("item", "get", "--id", "1").ok()
    lines = log(tool)
    assert [(line["step"], line["exit"], line["code"]) for line in lines] == [
        ("call", 5, "E_CONFIRMATION_REQUIRED"),
        ("dry_run", 0, None),
        ("confirm", 0, None),
        ("confirm", 6, "E_CONFLICT"),
    ]
    # A used token is refused before the account is looked up.
    assert [line["account"] for line in lines[:-1]] == ["acc_alice"] * 3
    for line in lines:
        assert line["command"] == "item update"
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])
        assert line["duration_ms"] >= 0
        assert line["arguments"]["id"] == "2"
    text = (tool.state / "audit.jsonl").read_text(encoding="utf-8")
    assert token not in text
    assert CANARY not in text


def test_an_attempt_that_is_a_mistake_leaves_a_line_as_well(tool: Tool) -> None:
    tool.run("item", "update", "--title", "x").fails("E_USAGE")
    (line,) = log(tool)
    assert (line["code"], line["account"]) == ("E_USAGE", None)


@posix
def test_the_log_is_for_this_user_alone(tool: Tool) -> None:
    tool.run("item", "close", "--ids", "1", "--dry-run").ok()
    assert (tool.state / "audit.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_log_that_cannot_be_written_does_not_stop_the_command(tool: Tool) -> None:
    (tool.state / "audit.jsonl").mkdir(parents=True)
    result = tool.run("item", "close", "--ids", "1", "--dry-run")
    result.ok()
    assert "audit log" in result.stderr


def test_the_log_is_bounded(tool: Tool) -> None:
    tool.state.mkdir()
    (tool.state / "audit.jsonl").write_text("x" * (6 << 20))
    tool.run("item", "close", "--ids", "1", "--dry-run").ok()
    assert len(log(tool)) == 1
    assert (tool.state / "audit.jsonl.1").stat().st_size == 6 << 20


def test_a_credential_is_stored_encrypted_and_forgotten_again(
    tool: Tool, tmp_path: Path
) -> None:
    # Nothing is lost by the first one, so it needs no token.
    assert tool.run("auth", "login").ok() == {
        "stored": True,
        "storage": "encrypted-file",
        "account": "acc_alice",
    }
    no_file_holds(tool.home, CANARY)
    tool.set(TOKEN="")
    shown = tool.run("context").ok()
    kept = shown["credentials"]
    assert (kept["configured"], kept["storage"]) == (True, "encrypted-file")
    assert shown["account"] == "acc_alice"
    tool.run("item", "list").ok()

    # Another one replaces it, which needs a token.
    path = tmp_path / "token.txt"
    path.write_text(f"{TOKEN_BOB}\n")
    replace = ("auth", "login", "--token-file", str(path))
    tool.run(*replace).fails("E_CONFIRMATION_REQUIRED")
    token = tool.token(*replace)
    path.write_text(f"{CANARY}\n")
    tool.run(*replace, "--confirm", token).fails("E_CONFLICT")
    path.write_text(f"{TOKEN_BOB}\n")
    assert tool.confirmed(*replace).ok()["account"] == "acc_bob"
    no_file_holds(tool.state, TOKEN_BOB)

    tool.run("auth", "logout").fails("E_CONFIRMATION_REQUIRED")
    assert tool.confirmed("auth", "logout").ok()["stored"] is False
    tool.run("item", "list").fails("E_AUTH")
    tool.run("auth", "logout").ok()


def test_a_credential_is_tried_before_it_is_stored(tool: Tool, tmp_path: Path) -> None:
    tool.set(TOKEN="not-a-known-token").run("auth", "login").fails("E_AUTH")
    tool.set(TOKEN="").run("auth", "login").fails("E_AUTH")
    missing, short = tmp_path / "missing", tmp_path / "short"
    short.write_text("abc")
    for path in (missing, short, tmp_path):
        login = tool.run("auth", "login", "--token-file", str(path))
        login.fails("E_VALIDATION")
    assert not list(tool.state.glob("credentials*"))


def change(state: Path) -> None:
    path = state / "credentials.enc"
    document = json.loads(path.read_bytes())
    name, sealed = next(iter(document.items()))
    other = "B" if sealed[-5] == "A" else "A"
    document[name] = sealed[:-5] + other + sealed[-4:]
    path.write_text(json.dumps(document))


def cut(state: Path) -> None:
    (state / "credentials.enc").write_text("x")


def exchange_key(state: Path) -> None:
    (state / "credentials.key").write_bytes(b"k" * 32)


def lose_key(state: Path) -> None:
    (state / "credentials.key").unlink()


def open_key(state: Path) -> None:
    (state / "credentials.key").chmod(0o644)


@posix
@pytest.mark.parametrize("spoil", [change, cut, exchange_key, lose_key, open_key])
def test_a_damaged_credential_is_named_and_never_used(
    tool: Tool, spoil: Callable[[Path], None]
) -> None:
    tool.run("auth", "login").ok()
    spoil(tool.state)
    tool.run("item", "list").fails("E_CONFIG")
    assert tool.check("credentials")["status"] == "fail"
    assert tool.run("context").ok()["credentials"]["configured"] is False


@posix
def test_the_files_of_a_credential_are_for_this_user_alone(tool: Tool) -> None:
    tool.run("auth", "login").ok()
    for path in tool.state.glob("credentials*"):
        assert path.stat().st_mode & 0o077 == 0


def test_a_stored_credential_that_hides_another_is_pointed_out(tool: Tool) -> None:
    tool.run("auth", "login").ok()
    check = tool.set(TOKEN=TOKEN_BOB).check("credentials")
    assert check["status"] == "warn"
    assert config.env("TOKEN") in check["fix"]


def test_a_credential_goes_to_its_upstream_alone(new_tool: NewTool) -> None:
    tool, other = new_tool(), new_tool()
    tool.run("auth", "login").ok()
    tool.set(TOKEN="", BASE_URL=other.server.address)
    tool.run("item", "list").fails("E_AUTH")
    assert other.seen == []


def test_every_request_says_who_asks(tool: Tool) -> None:
    tool.run("item", "list").ok()
    headers = tool.seen[0].headers
    assert headers["user-agent"] == f"{about.TOOL}/{about.VERSION}"
    assert headers["authorization"] == f"Bearer {CANARY}"
