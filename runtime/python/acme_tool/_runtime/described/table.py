"""Reads the table of operations: `api.json` and `operations/`, beside `about.py`.

Each group of commands has a file of its own, so that a call reads what it needs.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from ... import about

MAX_FILE = 32 * 1024 * 1024
NAME = "api.json"
DIRECTORY = "operations"

# One entry of the table, or a part of it.
Entry = dict[str, Any]


@functools.cache
def api() -> Entry:
    """Return what holds for the whole API: address, credential, groups."""
    found = _read(NAME)
    if not isinstance(found, dict):
        raise TypeError(f"{NAME} is not an object")
    return found


@functools.cache
def operations(group: str) -> list[Entry]:
    """Return the operations of a group that `api.json` names."""
    name = f"{DIRECTORY}/{group}.json"
    found = _read(name)
    if not isinstance(found, list):
        raise TypeError(f"{name} is not a list")
    return found


def operation(command: str) -> Entry | None:
    """Return the operation of a command."""
    group = command.partition(" ")[0]
    if group not in api()["groups"]:
        return None
    return next((one for one in operations(group) if one["command"] == command), None)


def _read(name: str) -> Any:
    path = Path(about.__file__).resolve().parent / name
    if path.stat().st_size > MAX_FILE:
        raise ValueError(f"{name} is too large")
    return json.loads(path.read_text(encoding="utf-8"))
