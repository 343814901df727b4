"""Redaction, with the cases of all languages."""

from __future__ import annotations

from typing import Any

import pytest

from acme_tool._runtime.redact import MASK, Redactor, is_secret_name

from .shared import fixture

SHARED = fixture("redaction.json")
VALUES = [row for row in SHARED["values"] if "cli" in row["in"]]


@pytest.mark.parametrize("row", VALUES, ids=lambda row: row["case"])
def test_a_known_secret_is_masked_in_each_form(row: dict[str, Any]) -> None:
    assert SHARED["mask"] == MASK
    redactor = Redactor()
    redactor.add(*row["secrets"])
    assert redactor.text(row["text"]) == row["answer"]


@pytest.mark.parametrize("row", SHARED["places"], ids=lambda row: row["text"])
def test_an_unknown_secret_is_found_by_its_place(row: dict[str, str]) -> None:
    assert Redactor().text(row["text"]) == row["answer"]


def test_a_name_says_whether_the_value_is_secret() -> None:
    names = SHARED["names"]
    assert [name for name in names["secret"] if not is_secret_name(name)] == []
    assert [name for name in names["ordinary"] if is_secret_name(name)] == []
