"""JSON from outside, read strictly: no member twice, no deep nesting, no odd numbers."""

from __future__ import annotations

import json
import math
from typing import Any

MAX_DEPTH = 64
# No float holds an integer of more digits.
_MAX_DIGITS = 309


class Malformed(ValueError):
    """A document that is not what it must be."""


def loads(text: bytes, *, folded: bool = False) -> Any:
    """Read one document in UTF-8, or raise Malformed.

    With `folded`, names that differ by case alone are one name: readers disagree about
    case, so this is for what is trusted later.
    """
    try:
        document = json.loads(
            text.decode(),
            object_pairs_hook=_folded if folded else _object,
            parse_constant=_constant,
            parse_float=_float,
            parse_int=_integer,
        )
    except RecursionError:
        raise Malformed("it is nested too deeply") from None
    except UnicodeDecodeError:
        raise Malformed("it is not UTF-8") from None
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            raise Malformed("there is data after the JSON document") from None
        raise Malformed("it is not JSON") from None
    _check_depth(document, MAX_DEPTH)
    return document


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Malformed("it has a duplicate member")
    return found


def _folded(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name.lower() for name, _ in pairs}) != len(pairs):
        raise Malformed("it has a duplicate member")
    return dict(pairs)


def _constant(_text: str) -> Any:
    raise Malformed("it is not JSON")


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise Malformed("it has a number that is too large")
    return number


def _integer(text: str) -> int:
    if len(text) > _MAX_DIGITS or not math.isfinite(float(text)):
        raise Malformed("it has a number that is too large")
    return int(text)


def _check_depth(value: Any, left: int) -> None:
    if not isinstance(value, dict | list):
        return
    if left == 0:
        raise Malformed("it is nested too deeply")
    for member in value.values() if isinstance(value, dict) else value:
        _check_depth(member, left - 1)
