"""A line for each attempt to write: who tried what, with which arguments, how it ended."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TypedDict

from . import files
from .redact import MASK, Redactor

FILE = "audit.jsonl"
MAX_SIZE = 5 * 1024 * 1024
MAX_VALUE = 500
_LOCK_WAIT = 2.0


class Entry(TypedDict):
    """One attempt."""

    time: str
    command: str
    step: str
    arguments: dict[str, str]
    account: str | None
    base_url: str | None
    code: str | None
    exit: int
    duration_ms: int
    version: str


def append(directory: Path, redactor: Redactor, entry: Entry) -> None:
    """Write one line, readable by this user alone; a full log is set aside, once."""
    arguments = {
        name: MASK if name == "confirm" else redactor.member(name, value)[:MAX_VALUE]
        for name, value in entry["arguments"].items()
    }
    line = json.dumps(redactor.tree({**entry, "arguments": arguments}))
    path = directory / FILE
    with files.lock(directory / f"{FILE}.lock", wait=_LOCK_WAIT):
        if path.exists() and path.stat().st_size > MAX_SIZE:
            path.replace(path.with_suffix(".jsonl.1"))
        flags = os.O_APPEND | os.O_CREAT | os.O_WRONLY | files.BINARY | files.AT_ONCE
        descriptor = os.open(path, flags, files.PRIVATE_FILE)
        try:
            if files.is_open_to_others(files.check_regular(descriptor)):
                os.fchmod(descriptor, files.PRIVATE_FILE)
            os.write(descriptor, f"{line}\n".encode())
        finally:
            os.close(descriptor)
