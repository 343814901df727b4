"""Writing items: the preview, the token, the write."""

from __future__ import annotations

import pytest

from acme_tool._runtime.testkit.sandbox import (
    Sandbox,
)

from mock_upstream import TOKEN_READER

CREATE = ("item", "create", "--project", "atlas", "--title", "New")
WRITES = [
    (*CREATE, "--labels", "a,b", "--content", "Text"),
    ("item", "update", "--id", "1", "--title", "New", "--state", "closed"),
    ("item", "update", "--id", "1", "--labels", "x"),
    ("item", "delete", "--id", "1", "--dangerous"),
    ("item", "close", "--ids", "1,2,3", "--continue-on-error", "true"),
]


@pytest.mark.parametrize("words", WRITES)
def test_a_write_needs_its_token_and_happens_once(
    tool: Sandbox, words: tuple[str, ...]
) -> None:
    tool.run(*words).fails("E_CONFIRMATION_REQUIRED")
    token = tool.token(*words)
    assert tool.changes == 0
    tool.run(*words, "--confirm", token).ok()
    tool.run(*words, "--confirm", token).fails("E_CONFLICT")
    assert tool.changes == 1


def test_an_item_is_created_once_for_a_key(tool: Sandbox) -> None:
    words = (*CREATE, "--idempotency-key", "ticket-4711")
    first, second = tool.confirmed(*words).ok(), tool.confirmed(*words).ok()
    assert first["id"] == second["id"]
    tool.run(*CREATE, "--idempotency-key", "x", "--dry-run").fails("E_VALIDATION")


def test_what_cannot_be_undone_needs_to_be_meant(tool: Sandbox) -> None:
    delete = ("item", "delete", "--id", "1")
    tool.run(*delete, "--dry-run").fails("E_CONFIRMATION_REQUIRED")
    assert tool.confirmed(*delete, "--dangerous").ok() == {"id": "1", "deleted": True}
    tool.run("item", "get", "--id", "1").fails("E_NOT_FOUND")


def test_a_write_is_refused_when_its_target_has_changed(tool: Sandbox) -> None:
    update = ("item", "update", "--id", "1", "--title", "New")
    token = tool.token(*update)
    tool.confirmed("item", "update", "--id", "1", "--title", "Other").ok()
    tool.run(*update, "--confirm", token).fails("E_CONFLICT")


def test_a_batch_has_a_result_for_each_target(tool: Sandbox) -> None:
    data = tool.confirmed("item", "close", "--ids", "1,999999").ok()
    assert data["summary"] == {"total": 2, "succeeded": 1, "failed": 1, "skipped": 0}
    assert data["items"][1]["error"]["code"] == "E_NOT_FOUND"


def test_an_account_without_permission_gets_no_token(tool: Sandbox) -> None:
    tool.set(TOKEN=TOKEN_READER)
    tool.run(*CREATE, "--dry-run").fails("E_FORBIDDEN")
