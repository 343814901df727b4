"""Reads `operations.json`, which is beside `about.py`."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from ... import about

MAX_TABLE = 32 * 1024 * 1024
NAME = "operations.json"

# One entry of the table, or a part of it.
Entry = dict[str, Any]


@functools.cache
def table() -> Entry:
    """Return the table of this tool."""
    path = Path(about.__file__).resolve().parent / NAME
    if path.stat().st_size > MAX_TABLE:
        raise ValueError(f"{NAME} is too large")
    found = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, dict):
        raise TypeError(f"{NAME} is not an object")
    return found
