"""JSON from outside, read strictly: no member twice, no deep nesting, no odd numbers."""

from __future__ import annotations

import json
import math
from typing import Any

MAX_DEPTH = 32


class Malformed(ValueError):
    """A document that is not what it must be."""


def loads(text: bytes) -> Any:
    """Read one document in UTF-8, or raise Malformed."""
    try:
        document = json.loads(
            text.decode(),
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_float=_float,
        )
    except RecursionError:
        raise Malformed("it is nested too deeply") from None
    except UnicodeDecodeError:
        raise Malformed("it is not UTF-8") from None
    except Malformed:
        raise
    except ValueError:
        # Numbers of very many digits are refused by Python itself.
        raise Malformed("it is not JSON") from None
    _check_depth(document, MAX_DEPTH)
    return document


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Malformed("it has a member twice")
    return found


def _constant(_text: str) -> Any:
    raise Malformed("it has a number that JSON does not know")


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise Malformed("it has a number that is too large")
    return number


def _check_depth(value: Any, left: int) -> None:
    if left == 0:
        raise Malformed("it is nested too deeply")
    members = value.values() if isinstance(value, dict) else value
    if isinstance(value, dict | list):
        for member in members:
            _check_depth(member, left - 1)
