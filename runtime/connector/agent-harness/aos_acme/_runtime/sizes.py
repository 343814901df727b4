"""Keeps answers below their limit, and says what was left out.

A list ends early, and its cursor goes on at the first entry that is missing.
Anything else keeps its small members whole; the large ones share what is left.
"""

from __future__ import annotations

import json

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    # An entry as it is shown, and its short form.
    Pair = tuple[Any, Any]

# Room for the envelope, and for the marks of a list.
ENVELOPE = 500
MARKS = 700
# The least that a part of an answer is cut to.
LEAST = 60
NAMED = 20
# A cursor that is cut leads nowhere.
WHOLE = ("next_cursor", "has_more", "count", "complete", "incomplete_reason")
ADVICE = "`--fields` chooses what is shown, `--max-bytes` allows more"


def fitting(
    pairs: list[Pair], limit: int, reserved: int = 0
) -> tuple[list[Pair], dict[str, Any]]:
    """The entries from the front that fit, and the note on those that do not."""
    room = limit - ENVELOPE - MARKS - reserved
    left = room
    for count, (item, slim) in enumerate(pairs):
        left -= json_size(item) + json_size(slim) + 2
        if left >= 0:
            continue
        if count:
            told = f"{count} of {len(pairs)} entries fit into {limit} bytes"
            text = f"{told}: continue with `next_cursor`; {ADVICE}"
            return pairs[:count], {"truncated": True, "truncated_text": text}
        parts: dict[str, str] = {}
        shown = _fit(item, max(room - json_size(slim), LEAST), "", parts)
        return [(shown, slim)], _note(parts, limit)
    return pairs, {}


def bounded(data: dict[str, Any], limit: int) -> dict[str, Any]:
    """A result that fits; one that had to be cut says `truncated`, and where."""
    if json_size(data) <= limit - ENVELOPE:
        return data
    whole = {key: data[key] for key in WHOLE if key in data}
    rest = {key: value for key, value in data.items() if key not in whole}
    room = limit - ENVELOPE - MARKS - json_size(whole)
    parts: dict[str, str] = {}
    cut = _members(rest, max(room, LEAST), "", parts)
    shown = {
        key: whole.get(key, cut.get(key)) for key in data if key in cut or key in whole
    }
    return {**shown, **_note(parts, limit)}


def json_size(data: Any) -> int:
    """The size of some data as it is written."""
    return len(json.dumps(data, separators=(",", ":")))


def _note(parts: dict[str, str], limit: int) -> dict[str, Any]:
    named = dict(list(parts.items())[:NAMED])
    text = f"the response was shortened to fit into {limit} bytes; {ADVICE}"
    return {"truncated": True, "truncated_parts": named, "truncated_text": text}


def _fit(value: Any, room: int, path: str, parts: dict[str, str]) -> Any:
    """The value within its room; `parts` gets what was cut."""
    if json_size(value) <= room:
        return value
    if isinstance(value, str):
        return _text(value, room, path, parts)
    if isinstance(value, (list, tuple)):
        return _entries(value, room, path, parts)
    return _members(value, room, path, parts) if isinstance(value, dict) else value


def _text(text: str, room: int, path: str, parts: dict[str, str]) -> str:
    low, high = 0, min(len(text), max(room, 0))
    while low < high:
        middle = (low + high + 1) // 2
        fits = json_size(text[:middle]) + 6 <= room
        low, high = (middle, high) if fits else (low, middle - 1)
    parts[path] = f"{low} of {len(text)} characters"
    return text[:low] + "…"


def _entries(
    entries: list[Any] | tuple[Any, ...], room: int, path: str, parts: dict[str, str]
) -> list[Any]:
    kept: list[Any] = []
    left = room - 2
    for entry in entries:
        size = json_size(entry) + 1
        if size > left:
            break
        kept.append(entry)
        left -= size
    if not kept and left > LEAST:
        kept = [_fit(entries[0], left, f"{path}.0" if path else "0", parts)]
    if len(kept) < len(entries):
        parts[path] = f"{len(kept)} of {len(entries)} entries"
    return kept


def _members(
    members: dict[str, Any], room: int, path: str, parts: dict[str, str]
) -> dict[str, Any]:
    """The members, each with a fair share of the room; small ones leave theirs to others."""
    left = room - 2
    names: list[str] = []
    for name in members:
        left -= json_size(name) + 2
        if left < len(names) * 2 + 2:
            parts[path] = f"{len(names)} of {len(members)} members"
            break
        names.append(name)
    sizes = {name: json_size(members[name]) for name in names}
    cut = {}
    for turn, name in enumerate(sorted(names, key=sizes.__getitem__)):
        share = left // (len(names) - turn)
        below = f"{path}.{name}" if path else name
        cut[name] = _fit(members[name], share, below, parts)
        left -= json_size(cut[name])
    return {name: cut[name] for name in names}
