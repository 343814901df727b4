"""What the tests called and which codes they met; the guard reads it at the end."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterator, Sequence

# The words of a call, and its exit code.
CALLS: list[tuple[tuple[str, ...], int]] = []
MET: set[str] = set()

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
    CALLS.append((tuple(words), exit_code))
    MET.update(code.decode() for code in _CODE.findall(stdout))


def flags_of(path: str, *, succeeded: bool = False) -> set[str] | None:
    """Give the flags that calls passed to a command; None when there was no call.

    With `succeeded` only calls that ended with success are looked at.
    """
    words = tuple(path.split())
    found: set[str] | None = None
    for call, exit_code in CALLS:
        if call[: len(words)] == words and not (succeeded and exit_code):
            passed = call[len(words) :]
            flags = {word.partition("=")[0] for word in passed if word.startswith("--")}
            found = (found or set()) | flags
    return found
