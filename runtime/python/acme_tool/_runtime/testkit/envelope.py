"""Compares a response of the tool with the form in the contract."""

from __future__ import annotations

import json
from typing import Any

from ... import contract_gen

NOTICE_KEYS = {*contract_gen.NOTICE_REQUIRED_KEYS}
NOTICE_OPTIONAL = {*contract_gen.NOTICE_OPTIONAL_KEYS}


def check_envelope(document: dict[str, Any], exit_code: int) -> None:
    """Check keys, `ok`, exit code and meta of one response."""
    body = "data" if document["ok"] else "error"
    assert list(document) == ["ok", "schema_version", body, "meta"]
    assert document["schema_version"] == contract_gen.SCHEMA_VERSION
    assert document["ok"] is (exit_code == 0)
    if body == "error":
        check_error(document["error"], exit_code)
    meta = document["meta"]
    assert set(meta) <= {"duration_ms", "notices"}
    assert type(meta["duration_ms"]) is int
    assert meta["duration_ms"] >= 0
    for notice in meta.get("notices", [])[:1]:
        assert NOTICE_KEYS <= set(notice) <= NOTICE_KEYS | NOTICE_OPTIONAL


def check_error(error: dict[str, Any], exit_code: int) -> None:
    """Check the keys of an error, and exit and `retryable` by the table of codes."""
    assert list(error) == ["code", "message", "details", "retryable"]
    assert isinstance(error["details"], dict)
    code = error["code"]
    wanted = (contract_gen.exit_for(code), contract_gen.retryable(code))
    assert (exit_code, error["retryable"]) == wanted, error


def only_document(stdout: bytes) -> dict[str, Any]:
    """Return the one document that stdout has to be."""
    text = stdout.decode("utf-8")
    assert not set(text) & {"\x1b", "\r", "\ufeff"}
    assert text.startswith("{"), text
    assert text.endswith("}\n")
    document = json.loads(text)
    assert isinstance(document, dict)
    return document
