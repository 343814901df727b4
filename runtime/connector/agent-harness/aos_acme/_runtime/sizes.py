"""Keeps results below the size that the host reads."""

from __future__ import annotations

import json

from .. import api
from .errors import InvalidUsage

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

TEXT_LENGTHS = (20_000, 2_000, 200)


def fitting(
    items: list[Any], summary: Callable[[Any], Any], reserved: int = 0
) -> tuple[list[Any], bool]:
    """The items from the front that fit with their summaries, and if any was cut."""
    room = api.RESULT_BYTES - reserved
    for count, item in enumerate(items):
        room -= json_size(item) + json_size(summary(item)) + 4
        if room < 0:
            if count:
                return items[:count], True
            return [shorten(item, api.RESULT_BYTES // 2)], True
    return items, False


def bounded(data: Any) -> Any:
    """A result that fits; one that had to be cut says `truncated`."""
    if json_size(data) <= api.RESULT_BYTES:
        return data
    return {**shorten(data, api.RESULT_BYTES - 100), "truncated": True}


def shorten(data: Any, size: int) -> Any:
    """Cut the long texts of some JSON data until it fits."""
    for length in TEXT_LENGTHS:
        cut = _cut(data, length)
        if json_size(cut) <= size:
            return cut
    raise InvalidUsage(
        "the result is too large to hand out",
        {"reason": "too_large", "limit_bytes": api.RESULT_BYTES},
        hint="ask for less, for example with a smaller `--limit`",
    )


def json_size(data: Any) -> int:
    return len(json.dumps(data))


def _cut(value: Any, length: int) -> Any:
    if isinstance(value, str) and len(value) > length:
        return value[:length] + "…"
    if isinstance(value, dict):
        # A cursor that is cut leads nowhere.
        return {
            key: item if key == "next_cursor" else _cut(item, length)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_cut(item, length) for item in value]
    return value
