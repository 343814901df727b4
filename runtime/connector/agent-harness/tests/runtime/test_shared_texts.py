"""Lines for a terminal and for the log of a workflow, with the cases of all languages."""

import io
import sys

import pytest
from shared import fixture
from subject import module


@pytest.mark.parametrize(
    "row", fixture("envelopes.json")["plain"], ids=lambda row: ascii(row["text"])
)
def test_a_line_is_fit_for_a_terminal(row, monkeypatch):
    written = io.StringIO()
    monkeypatch.setattr(sys, "__stderr__", written)
    module("redaction").note(row["text"])
    assert written.getvalue() == row["answer"] + "\n"
