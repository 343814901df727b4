"""A tool whose credentials do not expire: nothing about renewal is left in it."""

from __future__ import annotations

import sys

import pytest

from .sandbox import Tool


@pytest.fixture
def static(tool: Tool) -> Tool:
    tool.program = [sys.executable, "-m", "tests.runtime.static_tool"]
    return tool


def test_reference_names_no_variable_of_renewal(static: Tool) -> None:
    names = {each["name"] for each in static.run("reference").ok()["environment"]}
    assert "ACME_TOOL_TOKEN" in names
    assert not names & {"ACME_TOOL_REFRESH_TOKEN", "ACME_TOOL_TOKEN_EXPIRES_AT"}


def test_context_says_whether_there_is_a_credential_and_no_more(static: Tool) -> None:
    state = static.run("context").ok()["credentials"]
    assert state == {"configured": True, "storage": "env"}


def test_variables_of_renewal_are_not_read(static: Tool) -> None:
    static.set(TOKEN_EXPIRES_AT="not a time", REFRESH_TOKEN="short")
    static.run("item", "get", "--id", "1").ok()
    assert static.check("credentials")["status"] == "pass"


def test_a_credential_is_stored_and_a_refused_one_is_not_renewed(static: Tool) -> None:
    static.confirmed("auth", "login").ok()
    static.set(TOKEN="")
    assert static.run("context").ok()["credentials"]["storage"] == "encrypted-file"
    static.run("item", "get", "--id", "1").ok()
    static.upstream.accounts.clear()
    before = len(static.seen)
    static.run("item", "get", "--id", "1").fails("E_AUTH")
    assert len(static.seen) == before + 1
