"""Strict JSON, with the cases of all languages."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from acme_tool._runtime import strict_json

from .shared import fixture

ROWS = [
    row
    for row in fixture("strict_json.json")["cases"]
    if "python" not in row.get("not_in", ())
]
# The message of each kind of refusal.
REASONS = {
    "syntax": "not JSON",
    "encoding": "not UTF-8",
    "twice": "duplicate",
    "depth": "deeply",
    "number": "number",
    "more": "data after",
}


def document(row: dict[str, Any]) -> bytes:
    if "base64" in row:
        return base64.b64decode(row["base64"])
    if "open" in row:
        text = row["open"] * row["times"] + row["inner"] + row["close"] * row["times"]
        return str(text).encode()
    return str(row["text"]).encode()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["case"])
@pytest.mark.parametrize("folded", [False, True])
def test_a_document_is_read_or_refused(row: dict[str, Any], folded: bool) -> None:
    refused = row.get("refused") or (folded and row.get("folded"))
    if refused:
        with pytest.raises(strict_json.Malformed, match=REASONS[refused]):
            strict_json.loads(document(row), folded=folded)
        return
    read = strict_json.loads(document(row), folded=folded)
    assert read == row.get("answer", read)
