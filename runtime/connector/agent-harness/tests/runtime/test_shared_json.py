"""Strict JSON, with the cases of all languages."""

import base64

import pytest
from shared import fixture
from subject import module

ROWS = fixture("strict_json.json")["cases"]


def document(row):
    if "base64" in row:
        return base64.b64decode(row["base64"])
    if "open" in row:
        text = row["open"] * row["times"] + row["inner"] + row["close"] * row["times"]
        return text.encode()
    return row["text"].encode()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["case"])
def test_a_document_is_read_or_refused(row):
    loads = module("strict_json").loads
    if "refused" in row:
        with pytest.raises(ValueError):
            loads(document(row))
        return
    read = loads(document(row))
    assert read == row.get("answer", read)


def test_a_text_is_read_as_its_bytes_are():
    loads = module("strict_json").loads
    assert loads('{"a": 1}') == loads(b'{"a": 1}') == {"a": 1}
