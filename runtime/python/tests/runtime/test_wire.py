"""Values of an answer: which are read, and which are refused."""

from __future__ import annotations

from typing import Any

import pytest

from acme_tool._runtime import wire


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2024-03-01T09:07:00+02:00", "2024-03-01T07:07:00Z"),
        ("2024-03-01T09:07:00+0200", "2024-03-01T07:07:00Z"),
        ("2024-03-01T09:07:00+0000", "2024-03-01T09:07:00Z"),
        ("2024-03-01T09:07:00-0030", "2024-03-01T09:37:00Z"),
        ("2024-03-01T09:07:00Z", "2024-03-01T09:07:00Z"),
        ("2024-03-01T09:07:00z", "2024-03-01T09:07:00Z"),
        ("2024-03-01T09:07:00.1Z", "2024-03-01T09:07:00Z"),
        ("2024-03-01T09:07:00.123456789+0000", "2024-03-01T09:07:00Z"),
        ("2024-03-01 09:07:00+00:00", "2024-03-01T09:07:00Z"),
    ],
)
def test_a_time_is_shown_in_utc_on_every_python(text: str, wanted: str) -> None:
    assert wire.utc(text) == wanted


@pytest.mark.parametrize(
    ("read", "value"),
    [
        (wire.utc, "2024-03-01T09:07:00"),
        (wire.utc, "yesterday"),
        (wire.utc, 1709276820),
        (wire.text, 1),
        (wire.texts, "a"),
        (wire.texts, [1]),
        (wire.name, "a sentence"),
        (wire.identifier, "a b"),
        (wire.identifier, True),
        (wire.identifier, None),
        (wire.version, "line\nbreak"),
        (wire.version, ""),
        (wire.number, True),
        (wire.number, "1"),
        (wire.number, 1.0),
        (wire.count, -1),
        (wire.fraction, 1.5),
        (wire.fraction, "0.5"),
    ],
)
def test_a_value_of_another_form_is_refused(read: Any, value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        read(value)


def test_ids_and_versions_may_be_numbers() -> None:
    assert (wire.identifier(7), wire.version(7)) == ("7", "7")
    assert (wire.identifier("a:b@c"), wire.fraction(1)) == ("a:b@c", 1.0)
    assert wire.count(0) == 0
    assert wire.texts(["a"]) == ["a"]


def test_a_media_type_has_no_parameters_and_no_words() -> None:
    assert wire.media_type("Text/HTML; charset=utf-8") == "text/html"
    assert wire.media_type("say something") == "application/octet-stream"
