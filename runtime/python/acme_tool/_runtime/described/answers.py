"""Gives replies of the API the form of the contract.

Names become snake_case, ids become texts, times become UTC, and `_untrusted` names the
texts of each object, for the API is not the one who decides.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container
from typing import Any, TypedDict

from .. import output, wire
from ..schemas import Schema
from .table import Entry

OTHERS = "other_members"
RESULT = "result"
MAX_DEPTH = 40

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SIGNS = re.compile(r"[^A-Za-z0-9]+")
_PAGE = ("items", "count", "next_cursor", "has_more")


def folded(name: str) -> str:
    """Return a name in snake_case."""
    words = _SIGNS.sub("_", _HUMP.sub("_", name)).strip("_").lower()
    return words or "value"


def normal(value: Any, depth: int = 0) -> Any:
    """Return a value in the form of the contract."""
    if depth > MAX_DEPTH:
        return json.dumps(value)
    if isinstance(value, list):
        return [normal(item, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    found: dict[str, Any] = {}
    foreign = []
    for key, member in value.items():
        name, inner = _member(_free(folded(key), found), normal(member, depth + 1))
        found[name] = inner
        if _is_text(inner) and not _is_own(name):
            foreign.append(name)
    if foreign:
        found[output.UNTRUSTED] = foreign
    return found


def single(operation: Entry, document: Any) -> dict[str, Any]:
    """Return a reply that is one object; undeclared members are in `other_members`."""
    if not operation["members"]:
        return _marked({RESULT: normal(document)}, RESULT)
    return _declared(operation, document)


def entry(operation: Entry, document: Any) -> dict[str, Any]:
    """Return one entry of a list."""
    return single(operation, document)


def schemas(operation: Entry, name: str) -> dict[str, Schema]:
    """Return the schemas of the data of an operation, by their names."""
    if operation["members"]:
        names: list[str] = []
        for each in operation["members"]:
            names.append(_free(folded(each), names))
        texts = [f"{each}_text" for each in names if each.endswith("_at")]
        fields = [*dict.fromkeys([*names, *texts, OTHERS])]
    else:
        fields = [RESULT]
    foreign = tuple(each for each in fields if not _is_own(each) and each != OTHERS)
    thing = Schema(_shape([*fields, output.UNTRUSTED]), untrusted=foreign)
    if operation["list"] is None:
        return {name: thing}
    page = Schema(_shape(_PAGE), items=f"{name}_entry", untrusted=("items",))
    return {name: page, f"{name}_entry": thing}


def _shape(fields: Any) -> Any:
    return TypedDict("Described", dict.fromkeys(fields, Any))  # type: ignore[operator]


def _declared(operation: Entry, document: Any) -> dict[str, Any]:
    if not isinstance(document, dict):
        return {} if document is None else {OTHERS: normal(document)}
    known = {name: document[name] for name in operation["members"] if name in document}
    others = {name: value for name, value in document.items() if name not in known}
    found: dict[str, Any] = normal(known)
    if others:
        found[OTHERS] = normal(others)
    return found


def _marked(found: dict[str, Any], name: str) -> dict[str, Any]:
    if _is_text(found[name]):
        found[output.UNTRUSTED] = [name]
    return found


def _member(name: str, value: Any) -> tuple[str, Any]:
    """Return a member with an id as text, and a time in UTC or under another name."""
    if _is_id(name) and value is not None and not isinstance(value, str):
        return name, json.dumps(value)
    if name.endswith("_at") and isinstance(value, str):
        try:
            return name, wire.utc(value)
        except (ValueError, TypeError, OverflowError):
            return f"{name}_text", value
    return name, value


def _free(name: str, taken: Container[str]) -> str:
    number, found = 2, name
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    return found


def _is_id(name: str) -> bool:
    return name == "id" or name.endswith("_id")


def _is_own(name: str) -> bool:
    """Return whether a member is no text that somebody wrote."""
    return _is_id(name) or name.endswith("_at")


def _is_text(value: Any) -> bool:
    if isinstance(value, list):
        return any(isinstance(item, str) for item in value)
    return isinstance(value, str)
