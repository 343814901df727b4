"""The files of a Skill, and one digest for all of them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

MAX_FILES = 1000
MAX_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 16

# Files that the installer does not copy.
_IGNORED_DIRECTORIES = frozenset({".git", "__pycache__", "__pypackages__"})
_IGNORED_FILES = frozenset({"metadata.json"})


class Unreadable(Exception):
    """A Skill that cannot be read as a whole."""


def of(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the SHA-256 of each file of a Skill, by its name with slashes."""
    return {name: sha256(content) for name, content in files.items() if _is_part(name)}


def digest(manifest: Mapping[str, str]) -> str:
    """Return one value for a whole manifest."""
    names = sorted(manifest, key=lambda name: name.encode("utf-8", "surrogateescape"))
    lines = "".join(f"{manifest[name]} {name}\n" for name in names)
    return sha256(lines.encode("utf-8", "surrogateescape"))


def sha256(content: bytes) -> str:
    """Return the SHA-256 of some bytes."""
    return hashlib.sha256(content).hexdigest()


def digest_of(files: Mapping[str, bytes]) -> str:
    """Return the digest of files."""
    return digest(of(files))


def parts(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files that an installer would copy."""
    return {
        name: content
        for name, content in files.items()
        if _is_part(name) and ".." not in name.split("/") and not name.startswith("/")
    }


def read(directory: Path) -> dict[str, bytes]:
    """Return the files of a Skill, through links, within bounds."""
    reader = _Reader()
    try:
        reader.walk(directory, "", 0)
    except (OSError, RecursionError) as error:
        raise Unreadable(str(error)) from error
    return reader.files


def _is_part(name: str) -> bool:
    *directories, last = name.split("/")
    return last not in _IGNORED_FILES and _IGNORED_DIRECTORIES.isdisjoint(directories)


class _Reader:
    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self._entries = 0
        self._bytes = 0

    def walk(self, directory: Path, prefix: str, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise Unreadable("it is nested too deeply")
        for entry in sorted(directory.iterdir()):
            self._entries += 1
            if self._entries > MAX_FILES:
                raise Unreadable(f"it has more than {MAX_FILES} entries")
            if entry.is_dir():
                if entry.name not in _IGNORED_DIRECTORIES:
                    self.walk(entry, f"{prefix}{entry.name}/", depth + 1)
            elif entry.is_file():
                self._bytes += entry.stat().st_size
                if self._bytes > MAX_BYTES:
                    raise Unreadable(f"it is larger than {MAX_BYTES} bytes")
                self.files[prefix + entry.name] = entry.read_bytes()
