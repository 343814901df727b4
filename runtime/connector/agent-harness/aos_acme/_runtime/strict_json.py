"""JSON from outside, read strictly: no member twice, no deep nesting, no odd numbers."""

from __future__ import annotations

import json
import math

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DEPTH = 64
# No float holds an integer of more digits.
DIGITS = 309


class RepeatedMember(ValueError):
    """An object has two members of one name: readers differ on which one counts."""


def loads(text: str | bytes) -> Any:
    """One document, in UTF-8 when it is bytes. ValueError when it is not one.

    A JSONDecodeError says where the document is wrong.
    """
    try:
        data = json.loads(
            text.decode() if isinstance(text, bytes) else text,
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_float=_float,
            parse_int=_integer,
        )
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    _check_depth(data)
    return data


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise RepeatedMember("it has a duplicate member")
    return found


def _constant(text: str) -> Any:
    raise ValueError(f"JSON does not know {text}")


def _float(text: str) -> float:
    """A finite float; JSON has no Infinity, which 1e999 would become."""
    number = float(text)
    if math.isinf(number):
        raise ValueError("it has a number that is too large")
    return number


def _integer(text: str) -> int:
    if len(text) > DIGITS or math.isinf(float(text)):
        raise ValueError("it has a number that is too large")
    return int(text)


def _check_depth(data: Any) -> None:
    level = [data]
    for _ in range(DEPTH + 1):
        level = [value for value in level if isinstance(value, (dict, list))]
        if not level:
            return
        level = [
            item
            for value in level
            for item in (value.values() if isinstance(value, dict) else value)
        ]
    raise ValueError("it is nested too deeply")
