"""The files inside the program: its changelog and its Agent Skill.

A wheel and a frozen program carry both beside the package; a checkout has them at its
root. The directory from which the tool is called never matters.
"""

from __future__ import annotations

import json
from pathlib import Path

from ..about import TOOL
from .skill import manifest

_PACKAGE = Path(__file__).resolve().parent.parent


def _root() -> Path:
    inside = _PACKAGE / "data"
    checkout = _PACKAGE.parent
    is_checkout = not inside.is_dir() and (checkout / "pyproject.toml").is_file()
    return checkout if is_checkout else inside


def changelog() -> str:
    """Return CHANGELOG.md."""
    return (_root() / "CHANGELOG.md").read_text(encoding="utf-8")


def skill_files() -> dict[str, bytes]:
    """Return the files of the Agent Skill by their names."""
    return manifest.read(_root() / "skills" / TOOL)


def skill_digest() -> str:
    """Return the digest of the Agent Skill that belongs to this program."""
    return manifest.digest(manifest.of(skill_files()))


def min_version(skill: str) -> str:
    """Read the lowest version that a Skill works with from the head of its text."""
    for line in skill.splitlines():
        if not line.startswith("metadata:"):
            continue
        try:
            wanted = json.loads(line.removeprefix("metadata:"))["requires"][
                "min_version"
            ]
        except (ValueError, TypeError, LookupError, RecursionError):
            return ""
        return wanted if isinstance(wanted, str) else ""
    return ""


def skill_min_version() -> str:
    """Return the lowest version that the embedded Skill works with."""
    return min_version(skill_files().get("SKILL.md", b"").decode("utf-8", "replace"))
