"""Semantic versions: which texts are one, and which of two is newer."""

from __future__ import annotations

import re

MAX_LENGTH = 64

_NUMBER = r"(?:0|[1-9][0-9]{0,8})"
_PART = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_VERSION = re.compile(
    rf"({_NUMBER})\.({_NUMBER})\.({_NUMBER})(?:-({_PART}(?:\.{_PART})*))?"
)

Key = tuple[tuple[int, int, int], int, tuple[tuple[int, int, str], ...]]


def is_version(text: str) -> bool:
    """Return whether a text is a full version, without a leading v or build."""
    return len(text) <= MAX_LENGTH and _VERSION.fullmatch(text) is not None


def key(version: str) -> Key:
    """Return a value by which versions sort; a pre-release comes before its release."""
    found = _VERSION.fullmatch(version)
    if found is None:
        raise ValueError(f"not a version: {version!r}")
    numbers = (int(found[1]), int(found[2]), int(found[3]))
    if found[4] is None:
        return numbers, 1, ()
    parts = tuple(
        (0, int(part), "") if part.isdigit() else (1, 0, part)
        for part in found[4].split(".")
    )
    return numbers, 0, parts


def is_newer(one: str, other: str) -> bool:
    """Return whether the first version is newer than the second."""
    return key(one) > key(other)


def is_major(before: str, after: str) -> bool:
    """Return whether the first number grows."""
    return key(after)[0][0] > key(before)[0][0]
