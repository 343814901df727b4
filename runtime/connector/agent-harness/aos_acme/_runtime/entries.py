"""Finds the entry of a list that an input names."""

from __future__ import annotations

from .errors import BackendUnavailable, InvalidUsage, NotFound
from .redaction import quote
from .urls import wire_text

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# How many names an error lists.
SHOWN = 20


def find(data: Any, at: str, by: list[str], wanted: Any, option: str) -> Any:
    """The entry with this value in one of the members; the only one without `by`."""
    from .paging import dig

    entries = dig(data, at)
    if not isinstance(entries, list):
        raise BackendUnavailable("the response has no list", {"expected_list_at": at})
    if not by:
        if len(entries) == 1:
            return entries[0]
        told = [{"id": dig(one, "id"), "name": dig(one, "name")} for one in entries]
        raise InvalidUsage(
            f"there are {len(entries)} at `{at}`: select one with `{option}`",
            {"entries": told[:SHOWN]},
        )
    text = wire_text(wanted)
    for member in by:
        for entry in entries:
            if _text(dig(entry, member)).casefold() == text.casefold():
                return entry
    known = sorted({_text(dig(entry, by[0])) for entry in entries} - {""})
    raise NotFound(
        f"`{option}` matches no entry in the list of the backend",
        {"value": quote(text), "known": known[:SHOWN], "reason": "not_found"},
    )


def _text(value: Any) -> str:
    return wire_text(value) if isinstance(value, (str, int)) else ""
