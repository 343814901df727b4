"""The installed program: whether it can be replaced, and the swap."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ...about import TOOL
from .. import fault, files, process
from ..fault import Fault
from .stage import integrity

START_LIMIT = 30.0
STAGED, ASIDE = ".new", ".old"

_BUSY_TRIES = 20
_VERSION = re.compile(rf"{re.escape(TOOL)} (\S{{1,64}})")


class Executable:
    """A program that is one file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def beside(self, suffix: str) -> Path:
        """Return a new name beside the program: a rename from there is one step."""
        return self.path.parent / f".{TOOL}.{secrets.token_hex(8)}{suffix}"

    def probe(self) -> None:
        """Find out whether it can be replaced, before anything is downloaded."""
        probe = self.beside(STAGED)
        try:
            os.close(files.create_private(probe))
            probe.unlink()
        except OSError as error:
            failed = files.write_fault(self.path.parent, error)
            if failed.code == fault.FORBIDDEN:
                failed.fix = (
                    "Run the update as the owner of the directory, or install "
                    f"{TOOL} where you may write, such as ~/.local/bin"
                )
            raise failed from error

    def sweep(self) -> None:
        """Remove the files of an interrupted update; they are never used."""
        with contextlib.suppress(OSError):
            for entry in self.path.parent.glob(f".{TOOL}.*"):
                is_ours = entry.suffix in (STAGED, ASIDE) and not entry.is_symlink()
                if is_ours and entry.is_file():
                    with contextlib.suppress(OSError):
                        entry.unlink()

    def finish(self, staged: Path) -> None:
        """Make a new program durable, with the rights of the old one."""
        try:
            # Rights are kept, special bits are not.
            mode = stat.S_IMODE(self.path.stat().st_mode) & 0o777
            staged.chmod(mode | stat.S_IXUSR)
            with staged.open("rb+") as handle:
                os.fsync(handle.fileno())
        except OSError as error:
            raise files.write_fault(staged, error) from error

    def swap(self, staged: Path) -> None:
        """Replace the old program with the new one."""
        if sys.platform == "win32":
            self._swap_in_use(staged)
            return
        try:
            # One rename: a reader finds the old or the new program at every moment.
            staged.replace(self.path)
        except OSError as error:
            raise files.write_fault(self.path, error) from error

    def _swap_in_use(self, staged: Path) -> None:
        # Windows lets a running program be renamed and not be overwritten.
        aside = self.beside(ASIDE)
        try:
            self.path.rename(aside)
        except OSError as error:
            raise files.write_fault(self.path, error) from error
        try:
            staged.rename(self.path)
        except OSError as error:
            try:
                aside.rename(self.path)
            except OSError as again:
                raise Fault(
                    fault.IO,
                    f"`{self.path}` no longer exists: neither the new nor the old program could "
                    "be put there",
                    fix=f'Run `move "{aside}" "{self.path}"`',
                    rollback_failed=True,
                    backup=str(aside),
                ) from again
            raise files.write_fault(self.path, error) from error


def version_of(words: Sequence[str], directory: Path) -> str:
    """Ask a program for its version by running it."""
    for attempt in range(_BUSY_TRIES):
        try:
            ending = process.run(
                [*words, "--version"], directory=directory, limit=START_LIMIT
            )
        except OSError as error:
            if error.errno == errno.ETXTBSY and attempt + 1 < _BUSY_TRIES:
                # A child of another thread may still hold the file open.
                time.sleep(0.05)
                continue
            raise _does_not_start(files.reason(error)) from error
        if ending.exit != 0:
            why = "it takes too long" if ending.timed_out else "it ends with a failure"
            raise _does_not_start(why)
        found = _VERSION.fullmatch(ending.tail)
        if found is None:
            raise integrity(f"the new program does not say that it is {TOOL}")
        return found[1]
    raise AssertionError("the last attempt returns or raises")


def _does_not_start(why: str) -> Fault:
    return Fault(
        fault.CONFIG,
        f"the new program does not start here: {why}",
        fix="See that the directory allows programs to run, and that the system is new "
        "enough for this version",
    )
