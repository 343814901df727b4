"""Reads the flags of a call as the values that the API gets."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from .. import strict_json
from ..command import STRING, Call, Param
from ..fault import IO, VALIDATION, Fault
from .serial import typed
from .table import Entry

MAX_FILE = 16 * 1024 * 1024
# Kinds whose value may be in a file.
_FROM_FILES = ("long", "json", "file")
_INTEGER = re.compile(r"-?[0-9]{1,19}")
_NUMBER = re.compile(r"-?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?")


def param(entry: Entry) -> Param:
    """Return the flag of an input."""
    kind, text = entry["kind"], entry["help"]
    if kind in _FROM_FILES:
        text = f"{text}; @FILE reads a file, - reads stdin, @@ stands for a literal @"
    elif kind == "list":
        text = f"{text}; separated by commas, or a JSON list"
        if entry["style"].startswith("files"):
            text = f"{text}; @FILE reads a file, @@ stands for a literal @"
    values = ("true", "false") if kind == "boolean" else tuple(entry["values"])
    is_needed = entry["required"]
    return Param(entry["flag"], STRING, text, required=is_needed, values=values)


def values(call: Call, entries: list[Entry]) -> list[tuple[Entry, Any]]:
    """Return the inputs that a call passes, with their values."""
    given = [entry for entry in entries if call.has(entry["flag"])]
    return [(entry, _value(entry, call.text(entry["flag"]))) for entry in given]


def _value(entry: Entry, text: str) -> Any:
    kind, flag = entry["kind"], entry["flag"]
    if kind in _FROM_FILES:
        text = _content(flag, text)
    if kind == "json":
        return _json(flag, text)
    if kind == "list":
        found: Any = _json(flag, text) if text.startswith("[") else text.split(",")
        if not isinstance(found, list):
            raise _refused(flag, "Use texts with a comma between them, or a JSON list")
        if entry["style"].startswith("files"):
            return [_content(flag, str(each)) for each in found]
        return typed(flag, found) if entry["typed"] else found
    if kind == "integer":
        if not _INTEGER.fullmatch(text):
            raise _refused(flag, "Use a whole number")
        return int(text)
    if kind == "number" and not _NUMBER.fullmatch(text):
        raise _refused(flag, "Use a number such as 7 or 7.5")
    return typed(flag, text) if entry["typed"] else text


def _json(flag: str, text: str) -> Any:
    try:
        return strict_json.loads(text.encode("utf-8", "surrogateescape"))
    except strict_json.Malformed:
        raise _refused(flag, "Use JSON") from None


def _content(flag: str, text: str) -> str:
    """Return a value itself, or what is in the file that it names."""
    if text.startswith("@@"):
        return text[1:]
    if text != "-" and not text.startswith("@"):
        return text
    try:
        if text == "-":
            found = sys.stdin.buffer.read(MAX_FILE + 1)
        else:
            with Path(text[1:]).open("rb") as file:
                found = file.read(MAX_FILE + 1)
    except (OSError, ValueError):
        raise Fault(
            IO,
            f"the file of --{flag} cannot be read",
            fix="Pass an existing file, or begin a literal text with @@",
            flag=f"--{flag}",
        ) from None
    if len(found) > MAX_FILE:
        raise _refused(flag, f"Use at most {MAX_FILE} bytes")
    return found.decode("utf-8", "surrogateescape")


def _refused(flag: str, fix: str) -> Fault:
    message = f"--{flag} has an invalid value"
    return Fault(VALIDATION, message, fix=fix, flag=f"--{flag}")
