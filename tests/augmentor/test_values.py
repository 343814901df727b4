"""The one judge of results in Python. values.test.mjs has the same cases for Node."""

from __future__ import annotations

import datetime
import enum
import importlib.util
import math
from typing import Any

import pytest
from host import RUNNERS

SPEC = importlib.util.spec_from_file_location("values", RUNNERS / "values.py")
assert SPEC is not None and SPEC.loader is not None
values = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(values)


class Colour(str, enum.Enum):
    RED = "red"


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value", [None, True, 0, -1.5, "é😀", [], {}, {"a": [1, {"b": None}]}, deep(64), 10**15]
)
def test_json_stays_as_it_is(value: Any) -> None:
    warnings: list[str] = []
    assert values.plain(value, warnings) == value
    assert warnings == []


@pytest.mark.parametrize(
    ("value", "copy", "warning"),
    [
        ((1, 2), [1, 2], "a tuple becomes a list"),
        ({1: "a"}, {"1": "a"}, "the key 1 becomes a string"),
        (2**60, 2**60, "beyond 2^53"),
    ],
)
def test_what_changes_its_type_is_a_warning(value: Any, copy: Any, warning: str) -> None:
    warnings: list[str] = []
    assert values.plain(value, warnings) == copy
    assert warning in warnings[0]


def test_subclasses_of_plain_types_become_plain() -> None:
    assert type(values.plain(Colour.RED, [])) is str


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"a": math.nan}, "/a:"),
        ([math.inf], "/0:"),
        ({"a/b": {"~": b""}}, "/a~1b/~0:"),
        ("\ud800", "/:"),
        ({"\ud800": 1}, "/"),
        (datetime.date(2026, 1, 1), "/: date"),
        ({1, 2}, "/: set"),
        ({None: 1}, "NoneType"),
        ({True: 1}, "bool"),
        ({1: "a", "1": "b"}, "twice"),
        (deep(65), "64 deep"),
        (object(), "/: object"),
    ],
)
def test_anything_else_is_refused_with_its_place(value: Any, place: str) -> None:
    with pytest.raises(values.NotJson) as caught:
        values.plain(value, [])
    assert place in str(caught.value)


class Error(Exception):
    def __init__(self, **members: Any) -> None:
        super().__init__("text")
        self.__dict__.update(members)


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"code": "not_found", "message": "no", "data": None}, "not_found"),
        ({"code": "not_found", "message": "no", "data": {"a": 1}}, "not_found"),
        ({"code": "not_found", "message": "no"}, "internal_error"),
        ({"code": "not found", "message": "no", "data": None}, "internal_error"),
        ({"code": 404, "message": "no", "data": None}, "internal_error"),
        ({"code": "a", "message": 1, "data": None}, "internal_error"),
        ({"code": "a", "message": "no", "data": [1]}, "internal_error"),
    ],
)
def test_an_augmentor_error_is_known_by_its_members(members: Any, code: str) -> None:
    assert values.failure(Error(**members))["error"]["code"] == code


def test_data_that_is_not_json_is_dropped_with_a_warning() -> None:
    found = values.failure(Error(code="a", message="no", data={"a": {1}}))
    assert found["error"] == {"code": "a", "message": "no", "data": None}
    assert "dropped" in found["warnings"][0]


def test_long_and_hostile_texts_are_bounded() -> None:
    found = values.failure(Error(code="a", message="x" * 10000 + "\ud800", data=None))
    assert len(found["error"]["message"]) == 4096
    assert values.visible("\ud800") == "\\ud800"
