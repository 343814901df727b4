"""Replaces a program that is a single file with the program of a release."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ...about import TOOL
from .. import fault, files, signals
from ..fault import Fault
from . import archive, checksums, release, signature, stage
from .archive import Content
from .executable import Executable, version_of
from .host import Host
from .release import Release
from .signature import Proof
from .stage import State, at, integrity


@dataclass(frozen=True)
class Done:
    """The installed program."""

    # The digest of the archive.
    digest: str
    proof: Proof
    content: Content


class Replacement:
    """One replacement; the state is correct at every moment."""

    def __init__(
        self,
        host: Host,
        state: State,
        note: Callable[[str], None],
        skill_command: Callable[[str], str],
    ) -> None:
        self._host = host
        self._state = state
        self._note = note
        self._skill_command = skill_command

    def run(self, found: Release, program: Executable) -> Done:
        """Download, verify, unpack, try and swap."""
        try:
            program.probe()
        except Fault as failed:
            raise at(stage.REPLACE, failed) from failed
        program.sweep()
        self._state.enter(stage.DOWNLOAD)
        name = release.archive_name(found.version)
        with _temporary_directory() as directory:
            self._note(f"downloading {name}")
            fetched = directory / "archive"
            sums, signed = release.signed(self._host, found)
            release.download(self._host, found, name, fetched)
            self._state.enter(stage.VERIFY_SIGNATURE)
            proof = signature.verify(sums, signed, found.version)
            self._state.enter(stage.VERIFY_CHECKSUM)
            digest = checksums.digest_of(fetched)
            checksums.check(sums, name, digest)
            self._state.enter(stage.REPLACE)
            content = self._put(program, fetched, found.version)
        return Done(digest, proof, content)

    def _put(self, program: Executable, fetched: Path, version: str) -> Content:
        """Unpack the new program beside the old one, see that it runs, and swap them."""
        staged = program.beside(".new")
        try:
            content = archive.unpack(fetched, staged)
            program.finish(staged)
            reported = version_of([str(staged)], staged.parent)
            if reported != version:
                message = f"the new program reports version {reported}, not {version}"
                raise integrity(message)
            digest = checksums.digest_of(staged)
            self._note(f"replacing {program.path}")
            self._swap(program, staged, digest, version)
        finally:
            with signals.held(), contextlib.suppress(OSError):
                staged.unlink(missing_ok=True)
        return content

    def _swap(
        self, program: Executable, staged: Path, digest: str, version: str
    ) -> None:
        # A signal waits until it is known which program is installed.
        with signals.held():
            failed: Fault | None = None
            try:
                program.swap(staged)
            except Fault as error:
                failed = error
            # The files on the disk count, not the result of a call.
            if _holds(program.path, digest):
                self._state.replaced, self._state.current = True, version
                self._state.skill_command = self._skill_command(version)
                return
            if failed is None:
                self._state.replaced = None
                failed = Fault(
                    fault.IO,
                    f"`{program.path}` is not the new program after the swap",
                    fix="Check which program is there, then run the update again",
                )
            elif "rollback_failed" in failed.members:
                self._state.replaced = None
            raise failed


def _holds(path: Path, digest: str) -> bool:
    try:
        return checksums.digest_of(path) == digest
    except Fault:
        return False


@contextlib.contextmanager
def _temporary_directory() -> Iterator[Path]:
    # Python would silently use another directory; the user chose this one.
    parent = Path(os.environ.get("TMPDIR") or tempfile.gettempdir())
    try:
        directory = Path(tempfile.mkdtemp(prefix=f"{TOOL}-update-", dir=parent))
    except OSError as error:
        raise files.write_fault(parent, error) from error
    try:
        yield directory
    finally:
        with signals.held():
            shutil.rmtree(directory, ignore_errors=True)
