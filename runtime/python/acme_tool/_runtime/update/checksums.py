"""checksums.txt: the SHA-256 of each file of a release."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from .. import files
from .stage import integrity

MAX_SIZE = 1024 * 1024
MAX_LINES = 1000

# A star before the name, CRLF and capitals are fine.
_LINE = re.compile(r"([0-9A-Fa-f]{64}) [ *]?(\S(?:.*\S)?)\r?")


def parse(content: bytes) -> dict[str, str]:
    """Read the list; a name that stands twice makes it worthless."""
    try:
        lines = content.decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        raise integrity("checksums.txt is not UTF-8") from None
    if len(lines) > MAX_LINES:
        raise integrity(f"checksums.txt has more than {MAX_LINES} lines")
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise integrity(f"line {number} of checksums.txt is no SHA-256 and name")
        if match[2] in found:
            raise integrity(f"checksums.txt lists `{match[2][:100]}` twice")
        found[match[2]] = match[1].lower()
    return found


def check(sums: bytes, name: str, digest: str) -> None:
    """Hold the digest of a file against a signed list."""
    expected = parse(sums).get(name)
    if expected is None:
        raise integrity(f"checksums.txt does not list `{name}`")
    if digest != expected:
        raise integrity(
            f"`{name}` is not the file that was signed: its SHA-256 differs"
        )


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a local file."""
    found = hashlib.sha256()
    try:
        with path.open("rb") as handle:
            while chunk := handle.read(1024 * 1024):
                found.update(chunk)
    except OSError as error:
        # An unreadable file is not a verdict on the release.
        raise files.write_fault(path, error) from error
    return found.hexdigest()
