"""CHANGELOG.md as data: the released versions and what changed in each."""

from __future__ import annotations

import re
from typing import TypedDict

from .. import contract_gen
from . import versions

CATEGORIES = tuple(contract_gen.CHANGELOG_CHANGE_CATEGORIES)

_HEADING = re.compile(r"## \[?v?([^\]\s]+)\]?(?:\s+-\s+(\d{4}-\d{2}-\d{2}))?\s*")
_CATEGORY = re.compile(r"### ([A-Za-z]+)\s*")
_BULLET = re.compile(r"[-*] +(\S.*)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


class Entry(TypedDict):
    """One released version."""

    version: str
    date: str | None
    changes: dict[str, list[str]]


def parse(markdown: str) -> list[Entry]:
    """Return the released versions, newest first, without comments."""
    entries: list[Entry] = []
    current: Entry | None = None
    category = ""
    text = _COMMENT.sub("", markdown.removeprefix("\ufeff").replace("\r\n", "\n"))
    for line in text.split("\n"):
        if line.startswith("## "):
            current, category = _entry(line), ""
            if current is not None:
                entries.append(current)
        elif line.startswith("### "):
            found = _CATEGORY.fullmatch(line)
            name = found[1].lower() if found else ""
            category = name if name in CATEGORIES else ""
        elif current is not None and category:
            _add(current["changes"], category, line)
    return sorted(entries, key=lambda entry: versions.key(entry["version"]))[::-1]


def since(entries: list[Entry], version: str) -> list[Entry]:
    """Keep the entries that are newer than a version."""
    return [entry for entry in entries if versions.is_newer(entry["version"], version)]


def has_security(entries: list[Entry], before: str, after: str) -> bool:
    """Return whether a version after `before`, up to `after`, fixes a vulnerability."""
    return any(
        "security" in entry["changes"]
        and not versions.is_newer(entry["version"], after)
        for entry in since(entries, before)
    )


def _entry(line: str) -> Entry | None:
    found = _HEADING.fullmatch(line)
    if found is None or not versions.is_version(found[1]):
        return None
    return {"version": found[1], "date": found[2], "changes": {}}


def _add(changes: dict[str, list[str]], category: str, line: str) -> None:
    if found := _BULLET.fullmatch(line):
        changes.setdefault(category, []).append(found[1].strip())
    elif line.startswith(" ") and line.strip() and category in changes:
        changes[category][-1] += f" {line.strip()}"
