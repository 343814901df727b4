"""What the tests called and which codes they met; the guard reads it at the end."""

from __future__ import annotations

import re
from collections.abc import Sequence

# The words of a call, and its exit code.
CALLS: list[tuple[tuple[str, ...], int]] = []
MET: set[str] = set()

_CODE = re.compile(rb'"code": ?"(E_[A-Z0-9_]+)"')


def note(words: Sequence[str], exit_code: int, stdout: bytes) -> None:
    """Write down one call of the real program."""
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
