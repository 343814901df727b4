"""Makes the request of an operation, exactly as the table describes it."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote as percent

from .. import output
from ..fault import VALIDATION, Fault
from ..rest import Ask
from . import serial
from .table import Entry

Given = list[tuple[Entry, Any]]


def ask(operation: Entry, given: Given, more: list[serial.Pair] | None = None) -> Ask:
    """Return the request for the inputs that were passed; `more` belongs to the query."""
    query = [
        pair
        for entry, value in _in(given, "query")
        for pair in serial.pairs(entry["name"], value, entry["style"])
    ]
    headers = {
        entry["name"]: serial.header_text(entry["flag"], value, entry["style"])
        for entry, value in _in(given, "header")
    }
    target = _path(operation["path"], given)
    if text := serial.query_text([*query, *(more or [])]):
        target += f"?{text}"
    accept = "text/plain, */*" if operation["reply"] == "text" else "application/json"
    return Ask(
        operation["method"],
        (),
        headers=headers,
        accept=accept,
        target=target,
        data=_body(operation, given),
        is_public=operation["public"],
    )


def _in(given: Given, place: str) -> Given:
    return [(entry, value) for entry, value in given if entry["place"] == place]


def _path(path: str, given: Given) -> str:
    """Fill the path; the parts between the names are encoded, too."""
    named = {
        entry["name"]: (entry, value)
        for entry, value in given
        if entry["place"] == "path"
    }
    made, rest = "", path
    while "{" in rest:
        before, _, inner = rest.partition("{")
        name, _, rest = inner.partition("}")
        entry, value = named[name]
        text = serial.path_text(value, entry["style"])
        if not text or (text in (".", "..") and before.endswith("/")):
            raise Fault(
                VALIDATION,
                f"--{entry['flag']} has an invalid value",
                fix="Pass a value that is not empty, `.` or `..`",
                flag=f"--{entry['flag']}",
            )
        made += percent(before, safe="/") + text
    return made + percent(rest, safe="/")


def _body(operation: Entry, given: Given) -> tuple[str, bytes] | None:
    kind = operation["content_type"]
    is_json = not kind or kind.endswith("json")
    for _entry, value in _in(given, "whole"):
        if is_json:
            return kind or "application/json", output.encode(value, compact=True)
        return kind, serial.wire_text(value).encode("utf-8", "surrogateescape")
    members = _in(given, "body")
    if not kind or (not members and operation["method"] in ("GET", "HEAD", "DELETE")):
        return None
    if is_json:
        document = {entry["name"]: value for entry, value in members}
        return kind, output.encode(document, compact=True)
    found = [
        serial.Part(name, text, entry["style"], _is_file(entry))
        for entry, value in members
        for name, text in _entries(entry, value)
    ]
    if kind == serial.MULTIPART:
        return serial.multipart(found)
    pairs = (f"{percent(part.name, safe='')}={part.text}" for part in found)
    return kind, "&".join(pairs).encode("ascii")


def _is_file(entry: Entry) -> bool:
    return bool(entry["kind"] == "file" or entry["style"].startswith("files"))


def _entries(entry: Entry, value: Any) -> list[serial.Pair]:
    if entry["kind"] == "file":
        return [(entry["name"], serial.encoded(value))]
    return serial.pairs(entry["name"], value, entry["style"] or "comma")
