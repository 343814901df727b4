"""Answers, with the cases of all languages."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from acme_tool._runtime import output, text
from acme_tool._runtime.fault import Fault
from acme_tool._runtime.redact import Redactor

from .shared import fixture

SHARED = fixture("envelopes.json")


def rows(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", SHARED[name], ids=lambda row: row["case"])


@rows("documents")
def test_a_document_has_exactly_these_bytes(row: dict[str, Any]) -> None:
    assert output.encode(row["data"], compact=True).decode() == row["document"]


@pytest.mark.parametrize("row", SHARED["plain"], ids=lambda row: ascii(row["text"]))
def test_a_text_is_fit_for_a_terminal(row: dict[str, str]) -> None:
    assert text.plain(row["text"]) == row["answer"]


@rows("fields")
def test_fields_are_selected(row: dict[str, Any]) -> None:
    assert output.select(row["data"], row["fields"]) == row["answer"]


@rows("successes")
def test_a_success_has_this_envelope(
    row: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def show(printer: output.Printer) -> None:
        printer.notices = row["notices"]
        printer.success(row["data"])

    assert printed(monkeypatch, show) == row["answer"]


@rows("failures")
def test_a_failure_has_this_envelope(
    row: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = Fault(row["code"], row["message"], fix="", **row["details"])
    found = printed(monkeypatch, lambda printer: printer.failure(failed))
    assert found == row["answer"]


def printed(
    patch: pytest.MonkeyPatch, show: Callable[[output.Printer], None]
) -> dict[str, Any]:
    """Return an envelope without the time that the run took."""
    written: list[bytes] = []
    printer = output.Printer(Redactor(), started=time.monotonic())
    patch.setattr(printer, "_write", written.append)
    show(printer)
    envelope: dict[str, Any] = json.loads(b"".join(written))
    assert isinstance(envelope["meta"].pop("duration_ms"), int)
    return envelope
