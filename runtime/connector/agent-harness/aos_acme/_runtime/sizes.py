"""Keeps results below the size that the host reads."""

import json

from .. import api
from .errors import InvalidUsage

TEXT_LENGTHS = (20_000, 2_000, 200)


def fitting(items, summary, reserved=0):
    """The items from the front that fit with their summaries, and if any was cut."""
    room = api.RESULT_BYTES - reserved
    for count, item in enumerate(items):
        room -= json_size(item) + json_size(summary(item)) + 4
        if room < 0:
            if count:
                return items[:count], True
            return [shorten(item, api.RESULT_BYTES // 2)], True
    return items, False


def bounded(data):
    """A result that fits; one that had to be cut says `truncated`."""
    if json_size(data) <= api.RESULT_BYTES:
        return data
    return {**shorten(data, api.RESULT_BYTES - 100), "truncated": True}


def shorten(data, size):
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


def json_size(data):
    return len(json.dumps(data))


def _cut(value, length):
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
