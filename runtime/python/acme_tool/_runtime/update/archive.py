"""The archive of a release: read strictly, and never unpacked as a whole.

Only the program is written, to a path that does not come from the archive. Anything
unusual stops the update: a release has regular files and directories with plain names,
each once, in the plainest form of tar.
"""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ...about import TOOL
from .. import files
from .release import CHANGELOG
from .stage import integrity

MAX_ENTRIES = 1000
MAX_UNPACKED = 512 * 1024 * 1024
MAX_TEXT = 4 * 1024 * 1024
MAX_SKILL = 16 * 1024 * 1024

_BLOCK = 512
_CHUNK = 1024 * 1024
_FILE, _DIRECTORY = b"0", b"5"


@dataclass
class Content:
    """The files that an update takes from an archive."""

    has_program: bool = False
    skill: dict[str, bytes] = field(default_factory=dict)
    changelog: str = ""


def program_name() -> str:
    """Name the program inside an archive."""
    return f"{TOOL}.exe" if sys.platform == "win32" else TOOL


def unpack(archive: Path, program: Path) -> Content:
    """Take the program, the Skill and the changelog out of a verified archive."""
    try:
        opened = archive.open("rb")
    except OSError as error:
        raise files.write_fault(archive, error) from error
    content = Content()
    skill = f"skills/{TOOL}/"
    size = 0
    with opened, gzip.GzipFile(fileobj=opened, mode="rb") as compressed:
        source = _Source(compressed)
        for name, length in _entries(source):
            if name == program_name():
                _write(program, source.pieces(length))
                content.has_program = True
            elif name == CHANGELOG:
                content.changelog = _text(source, length).decode("utf-8", "replace")
            elif name.startswith(skill):
                size += length
                if size > MAX_SKILL:
                    raise integrity("the archive has a Skill that is too large")
                content.skill[name.removeprefix(skill)] = _text(source, length)
            else:
                for _ in source.pieces(length):
                    pass
    if not content.has_program:
        raise integrity(f"the archive does not contain `{program_name()}`")
    return content


class _Source:
    """The unpacked bytes, within a bound."""

    def __init__(self, stream: gzip.GzipFile) -> None:
        self._stream = stream
        self._left = MAX_UNPACKED

    def read(self, count: int) -> bytes:
        """Read exactly so many bytes."""
        content = b""
        while len(content) < count:
            piece = self._some(count - len(content))
            if not piece:
                raise integrity("the archive ends early")
            content += piece
        return content

    def pieces(self, count: int) -> Iterator[bytes]:
        """Return the bytes of an entry, and skip the padding behind them."""
        left = count
        while left:
            piece = self.read(min(left, _CHUNK))
            left -= len(piece)
            yield piece
        self.read(-count % _BLOCK)

    def rest_is_empty(self) -> bool:
        """Read to the end, which also checks the sums of gzip."""
        while piece := self._some(_CHUNK):
            if piece.strip(b"\0"):
                return False
        return True

    def _some(self, count: int) -> bytes:
        try:
            piece = self._stream.read(count)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise integrity(f"the archive is damaged: {error}") from error
        self._left -= len(piece)
        if self._left < 0:
            raise integrity(f"the archive unpacks to more than {MAX_UNPACKED} bytes")
        return piece


def _entries(source: _Source) -> Iterator[tuple[str, int]]:
    """Return name and size of each file; read its content before the next one."""
    seen: set[str] = set()
    while (block := source.read(_BLOCK)) != bytes(_BLOCK):
        name, size, kind = _header(block)
        if len(seen) == MAX_ENTRIES:
            raise integrity(f"the archive has more than {MAX_ENTRIES} entries")
        if not _is_plain(name):
            raise integrity("the archive has an entry with an unsafe name")
        if name.lower() in seen:
            raise integrity(f"the archive has `{name}` twice")
        seen.add(name.lower())
        if kind == _DIRECTORY and size == 0 and name != program_name():
            continue
        if kind != _FILE:
            raise integrity(f"the archive has `{name}`, which is no regular file")
        yield name, size
    if not source.rest_is_empty():
        raise integrity("the archive has data after its last entry")


def _header(block: bytes) -> tuple[str, int, bytes]:
    total = sum(block[:148]) + 8 * 0x20 + sum(block[156:])
    try:
        if _number(block[148:156]) != total or block[257:262] != b"ustar":
            raise ValueError
        name = block[:100].rstrip(b"\0").decode("utf-8")
        prefix = block[345:500].rstrip(b"\0").decode("utf-8")
        size = _number(block[124:136])
    except ValueError:
        raise integrity("the archive has a damaged entry") from None
    kind = block[156:157]
    full = f"{prefix}/{name}" if prefix else name
    if kind == _DIRECTORY:
        full = full.removesuffix("/")
    return full, size, _FILE if kind == b"\0" else kind


def _number(digits: bytes) -> int:
    return int(digits.strip(b" \0").decode("ascii"), 8)


def _is_plain(name: str) -> bool:
    """Return whether a name stays below its directory, on every system."""
    parts = name.split("/")
    return (
        all(part not in ("", ".", "..") for part in parts)
        and name.isprintable()
        and not set(name) & set('\\:*?"<>|')
    )


def _text(source: _Source, length: int) -> bytes:
    if length > MAX_TEXT:
        raise integrity("the archive has a text that is too large")
    return b"".join(source.pieces(length))


def _write(path: Path, pieces: Iterator[bytes]) -> None:
    try:
        descriptor = files.create_private(path)
        try:
            # Trouble with the archive leaves as a fault and not as an OSError.
            for piece in pieces:
                view = memoryview(piece)
                while view:
                    view = view[os.write(descriptor, view) :]
        finally:
            os.close(descriptor)
    except OSError as error:
        raise files.write_fault(path, error) from error
