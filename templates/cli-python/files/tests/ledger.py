"""What the tests called and which codes they met; the guard reads it at the end."""

from __future__ import annotations

import re
from collections.abc import Sequence

CALLS: list[tuple[str, ...]] = []
MET: set[str] = set()

_CODE = re.compile(rb'"code": ?"(E_[A-Z0-9_]+)"')


def note(words: Sequence[str], stdout: bytes) -> None:
    """Write down one call of the real program."""
    CALLS.append(tuple(words))
    MET.update(code.decode() for code in _CODE.findall(stdout))


def flags_of(path: str) -> set[str] | None:
    """Give the flags that some call passed to a command; None when nothing called it."""
    words = tuple(path.split())
    found: set[str] | None = None
    for call in CALLS:
        if call[: len(words)] == words:
            passed = call[len(words) :]
            flags = {word.partition("=")[0] for word in passed if word.startswith("--")}
            found = (found or set()) | flags
    return found
