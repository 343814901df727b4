"""Credentials that expire: shown, renewed, and renewed once."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from acme_tool._runtime.testkit.mock import Reply

from mock_upstream import REFRESH_ALICE, TOKEN_ALICE

from .sandbox import Tool, each
from .test_secrets import no_file_holds

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


def stamp(left: timedelta) -> str:
    return (datetime.now(timezone.utc) + left).strftime("%Y-%m-%dT%H:%M:%SZ")


def expire(tool: Tool, left: timedelta, refresh: str = "") -> Tool:
    return tool.set(TOKEN_EXPIRES_AT=stamp(left), REFRESH_TOKEN=refresh or " ")


def test_context_says_how_long_a_credential_is_good(tool: Tool) -> None:
    forever = tool.run("context").ok()["credentials"]
    assert (forever["valid"], forever["expires_at"]) == (True, None)
    gone = expire(tool, -HOUR).run("context").ok()["credentials"]
    assert gone["configured"] is True
    assert (gone["valid"], gone["refreshable"]) == (False, False)
    good = expire(tool, HOUR, REFRESH_ALICE).run("context").ok()["credentials"]
    assert (good["valid"], good["refreshable"]) == (True, True)
    assert good["expires_at"].endswith("Z")


@pytest.mark.parametrize(
    ("left", "status"), [(HOUR, "pass"), (5 * MINUTE, "warn"), (-MINUTE, "fail")]
)
def test_doctor_warns_before_a_credential_expires(
    tool: Tool, left: timedelta, status: str
) -> None:
    check = expire(tool, left).check("credentials")
    assert check["status"] == status
    assert status == "pass" or "auth login" in check["fix"]


@pytest.mark.parametrize("refresh", ["", "demo-refresh-unknown"])
def test_an_expired_credential_that_cannot_be_renewed_needs_a_login(
    tool: Tool, refresh: str
) -> None:
    result = expire(tool, -MINUTE, refresh).run("item", "list")
    assert result.fails("E_AUTH")["login_required"] is True
    assert "demo-refresh" not in result.text + result.stderr


def test_an_expired_credential_is_renewed_without_a_word(tool: Tool) -> None:
    result = expire(tool, -MINUTE, REFRESH_ALICE).run("item", "list")
    result.ok()
    assert result.stderr == ""
    used = tool.seen[-1].headers["authorization"]
    assert used.startswith("Bearer demo-token-renewed")
    # Renewing is not something that the caller writes.
    assert tool.changes == 0


def stored(tool: Tool) -> None:
    expire(tool, HOUR, REFRESH_ALICE).run("auth", "login").ok()
    tool.set(TOKEN="", REFRESH_TOKEN="", TOKEN_EXPIRES_AT="")
    # The upstream takes the token back before its time.
    del tool.upstream.accounts[TOKEN_ALICE]


def test_a_stored_credential_is_renewed_and_stored_again(tool: Tool) -> None:
    stored(tool)
    tool.run("item", "list").ok()
    context = tool.run("context").ok()
    shown = context["credentials"]
    assert shown["storage"] == "encrypted-file"
    assert shown["expires_at"] > stamp(HOUR)
    assert context["account"] == "acc_alice"
    before = len(tool.seen)
    tool.run("item", "list").ok()
    assert len(tool.seen) == before + 1
    no_file_holds(tool.home, "demo-refresh")
    no_file_holds(tool.home, "demo-token")


def test_many_processes_renew_a_credential_once(tool: Tool) -> None:
    stored(tool)
    each(lambda _: tool.run("item", "list").ok(), list(range(6)))
    renewals = [seen for seen in tool.seen if seen.path == "/oauth/token"]
    assert len(renewals) == 1


def test_a_server_that_cannot_renew_now_is_transient(tool: Tool) -> None:
    tool.answer("/oauth/token", Reply({}, 503))
    expire(tool, -MINUTE, REFRESH_ALICE).run("item", "list").fails("E_SERVER")


@pytest.mark.parametrize(
    "answer",
    [
        {"access_token": "x", "expires_in": 60},
        {"access_token": "a b c d e f g", "expires_in": 60},
        {"access_token": "good-enough-token", "expires_in": "soon"},
        {},
    ],
)
def test_a_strange_credential_is_not_used(tool: Tool, answer: object) -> None:
    tool.answer("/oauth/token", Reply(answer))
    expire(tool, -MINUTE, REFRESH_ALICE).run("item", "list").fails("E_SERVER")


def test_a_time_that_is_no_time_is_named(tool: Tool) -> None:
    for text in ("tomorrow", "2030-01-01T00:00:00"):
        tool.set(TOKEN_EXPIRES_AT=text).run("item", "list").fails("E_CONFIG")
