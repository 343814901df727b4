"""Redaction, with the cases of all languages."""

import pytest
from shared import fixture
from subject import module

SHARED = fixture("redaction.json")
VALUES = [row for row in SHARED["values"] if "connector" in row["in"]]


@pytest.mark.parametrize("row", VALUES, ids=lambda row: row["case"])
def test_a_known_secret_is_masked_in_each_form(row, monkeypatch):
    redaction, config = module("redaction"), module("config")
    known = [secret for secret in row["secrets"] if secret.strip()]
    monkeypatch.setattr(config, "data_secrets", lambda: known)
    assert redaction.MARK == SHARED["mask"]
    assert redaction.scrub({"text": row["text"]}) == {"text": row["answer"]}
