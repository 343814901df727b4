"""The calls of the tests and the codes that they met; the guard reads it at the end."""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections.abc import Iterator, Sequence
from typing import Any

# By their first words, for a large tool has thousands of calls: the words of each call and
# its exit code.
_CALLS: dict[str, list[tuple[tuple[str, ...], int]]] = {}
MET: set[str] = set()
# The same for calls that succeeded, with the data of the answer.
_ANSWERS: dict[str, list[tuple[tuple[str, ...], dict[str, Any]]]] = {}

_CODE = re.compile(rb'"code": ?"(E_[A-Z0-9_]+)"')


# Whether calls of this thread are not written down.
_PAUSED = threading.local()


@contextlib.contextmanager
def paused() -> Iterator[None]:
    """Write down no call of this thread within the block."""
    _PAUSED.on = True
    try:
        yield
    finally:
        _PAUSED.on = False


def note(words: Sequence[str], exit_code: int, stdout: bytes) -> None:
    """Write down one call of the tool."""
    if getattr(_PAUSED, "on", False):
        return
    first = words[0] if words else ""
    _CALLS.setdefault(first, []).append((tuple(words), exit_code))
    MET.update(code.decode() for code in _CODE.findall(stdout))
    data = None if exit_code else _data(stdout)
    if data is not None:
        _ANSWERS.setdefault(first, []).append((tuple(words), data))


def answers_of(path: str) -> list[dict[str, Any]]:
    """Return the data of each answer of a command; a stream and a text have none."""
    words = tuple(path.split())
    known = _ANSWERS.get(words[0], ())
    return [data for call, data in known if call[: len(words)] == words]


def _data(stdout: bytes) -> dict[str, Any] | None:
    try:
        document = json.loads(stdout)
    except ValueError:
        return None
    # A line of a stream has a type: one without events is its summary alone.
    if not isinstance(document, dict) or "type" in document:
        return None
    data = document.get("data")
    return data if isinstance(data, dict) else None


def flags_of(path: str, *, succeeded: bool = False) -> set[str] | None:
    """Return the flags that calls passed to a command; None when there was no call.

    With `succeeded` only calls that ended with success are looked at.
    """
    words = tuple(path.split())
    found: set[str] | None = None
    for call, exit_code in _CALLS.get(words[0], ()):
        if call[: len(words)] == words and not (succeeded and exit_code):
            passed = call[len(words) :]
            flags = {word.partition("=")[0] for word in passed if word.startswith("--")}
            found = (found or set()) | flags
    return found
