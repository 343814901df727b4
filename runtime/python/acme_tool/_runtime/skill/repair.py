"""Puts verified files in place of copies that nobody signed, and keeps what was there.

A journal says what every copy was before the installer ran, so that a sync which was
killed can be repaired by the next one.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from .. import files
from ..fault import Fault
from . import manifest
from .places import Place

JOURNAL = "skill-sync.json"
QUARANTINE = "skill-quarantine"
BACKUPS = "skill-backups"
UNFINISHED = ".unfinished-"
MAX_JOURNAL = 1024 * 1024

# The files that agents read now in place of a foreign copy, the worst first.
FOREIGN, ABSENT, PREVIOUS, VERIFIED = "foreign", "absent", "previous", "verified"
LIVES = (FOREIGN, ABSENT, PREVIOUS, VERIFIED)


@dataclass(frozen=True)
class Before:
    """The state of a copy before the installer ran."""

    fingerprint: str
    # Where it is kept, when it is to come back.
    kept: str = ""


Journal = dict[str, Before]


def load(state: Path) -> Journal | None:
    """Return what an unfinished sync left.

    A journal that cannot be read knows no copy, so that none is trusted.
    """
    path = state / JOURNAL
    if not os.path.lexists(path):
        return None
    try:
        found = json.loads(files.read_bounded(path, MAX_JOURNAL))
        return {
            str(name): Before(str(entry["fingerprint"]), str(entry["kept"]))
            for name, entry in found.items()
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def save(state: Path, journal: Journal) -> None:
    """Write down what the copies are."""
    document = {
        name: {"fingerprint": entry.fingerprint, "kept": entry.kept}
        for name, entry in journal.items()
    }
    files.write_private(state / JOURNAL, json.dumps(document).encode())


def end(state: Path) -> None:
    """All copies have been looked at."""
    with contextlib.suppress(OSError):
        (state / JOURNAL).unlink(missing_ok=True)


def clear_stages(state: Path) -> None:
    """Remove what killed syncs were writing."""
    for path in _entries(state):
        if path.name.startswith(UNFINISHED):
            shutil.rmtree(path, ignore_errors=True)


def _entries(directory: Path) -> list[Path]:
    try:
        return sorted(directory.iterdir())
    except OSError:
        return []


def is_executable(directory: Path) -> bool:
    """Return whether a file may be executed and is no script."""
    return any(line.endswith(" executable") for line in _lines(directory))


def fingerprint(place: Place) -> str:
    """Return one value for everything at a place; it is another after any change."""
    text = "\n".join([str(place.real), *_lines(place.real)])
    return manifest.sha256(text.encode("utf-8", "surrogateescape"))


def is_exact(directory: Path, expected: str) -> bool:
    """Return whether a directory has the expected files, nothing else, and no link."""
    found: dict[str, str] = {}
    for line in _lines(directory):
        kind, _, rest = line.partition(" ")
        if kind == "directory":
            continue
        digest, _, name = rest.partition(" ")
        if kind != "file" or line.endswith(" executable"):
            return False
        found[name] = digest
    return bool(expected) and manifest.digest(found) == expected


def has_begun(directory: Path, verified: Mapping[str, bytes]) -> bool:
    """Return whether a directory has a part of the files, as after a stopped installer."""
    if any(not line.startswith(("file ", "directory ")) for line in _lines(directory)):
        return False
    try:
        found = {
            path.relative_to(directory).as_posix(): path.read_bytes()
            for path in directory.rglob("*")
            if path.is_file()
        }
    except OSError:
        return False
    return not is_executable(directory) and all(
        verified.get(name, b"").startswith(content) and name in verified
        for name, content in found.items()
    )


def _lines(root: Path) -> Iterator[str]:
    """Describe everything at a path, never through links."""
    left, size = manifest.MAX_FILES, 0
    waiting = [root]
    while waiting:
        path = waiting.pop()
        name = path.relative_to(root).as_posix()
        left -= 1
        try:
            status = path.lstat()
            if left < 0:
                raise OSError("too many files")
            if stat.S_ISDIR(status.st_mode):
                yield f"directory {name}"
                waiting += sorted(path.iterdir(), reverse=True)
            elif stat.S_ISREG(status.st_mode):
                size += status.st_size
                if size > manifest.MAX_BYTES:
                    raise OSError("too large")
                content = path.read_bytes()
                is_odd = status.st_mode & 0o111 and not content.startswith(b"#!")
                mode = " executable" if is_odd and os.name != "nt" else ""
                yield f"file {manifest.sha256(content)} {name}{mode}"
            else:
                target = path.readlink() if path.is_symlink() else ""
                yield f"other {name} {target}"
        except OSError as error:
            yield f"unreadable {name} {error.strerror}"
            if left < 0:
                return


@dataclass(frozen=True)
class Put:
    """How it went: where what was there is now, and why the files are not there."""

    away: str = ""
    fault: str = ""


def put(
    place: Place, state: Path, verified: Mapping[str, bytes], *, foreign: bool
) -> Put:
    """Replace what is at a place; a link is replaced itself, not what it leads to.

    A foreign copy goes to the quarantine, where no agent looks.
    """
    target = place.path if place.is_link else place.real
    staged, fault = _stage(state, verified)
    if fault and not foreign:
        return Put(fault=fault)
    try:
        away = _aside(target, state)
    except OSError as error:
        _remove(staged)
        return Put(fault=f"`{target}` cannot be moved: {files.reason(error)}")
    if staged:
        fault = _move_in(staged, target, verified)
    if foreign:
        return Put(str(away or ""), fault)
    if fault and away:
        # The previous files are better than none.
        with contextlib.suppress(OSError):
            away.rename(target)
    else:
        # Files that the user changed were backed up before.
        _remove(away)
    return Put(fault=fault)


def _stage(directory: Path, verified: Mapping[str, bytes]) -> tuple[Path | None, str]:
    if not verified:
        return None, "the verified files are not known to this program"
    staged = directory / f"{UNFINISHED}{secrets.token_hex(8)}"
    try:
        files.make_private(directory)
        for name, content in verified.items():
            path = staged / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            if content.startswith(b"#!"):
                path.chmod(0o755)
    except (OSError, Fault) as error:
        _remove(staged)
        return None, f"the verified files cannot be written: {error}"
    return staged, ""


def _aside(target: Path, state: Path) -> Path | None:
    if not os.path.lexists(target):
        return None
    name = f"{target.name}-{secrets.token_hex(8)}"
    try:
        files.make_private(state / QUARANTINE)
        away = state / QUARANTINE / name
        target.rename(away)
    except (OSError, Fault):
        # The state may be on another file system: then beside what agents read.
        away = target.parent.parent / f".{QUARANTINE}-{name}"
        target.rename(away)
    return away


def _move_in(staged: Path, target: Path, verified: Mapping[str, bytes]) -> str:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        staged.rename(target)
    except OSError:
        _remove(staged)
        again, fault = _stage(target.parent.parent, verified)
        if not again:
            return fault
        try:
            again.rename(target)
        except OSError as error:
            _remove(again)
            return f"`{target}` cannot be written: {files.reason(error)}"
    return ""


def _remove(path: Path | None) -> None:
    if path is None:
        return
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
