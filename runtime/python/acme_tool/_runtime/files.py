"""Files of this user: bounded reads, private writes, locks that a crash gives back."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from . import fault

PRIVATE_FILE = 0o600
PRIVATE_DIRECTORY = 0o700
# Otherwise Windows would convert line endings.
BINARY = getattr(os, "O_BINARY", 0)
# Otherwise opening a pipe in place of a file would wait.
AT_ONCE = getattr(os, "O_NONBLOCK", 0)


class Unusable(OSError):
    """A file that exists but cannot be used."""


class Held(Exception):
    """Another process holds a lock."""


def read_bounded(path: Path, limit: int) -> bytes:
    """Read a regular file of at most `limit` bytes."""
    try:
        descriptor = os.open(path, os.O_RDONLY | BINARY | AT_ONCE)
    except NotADirectoryError as error:
        # Whether the directory can be used is found out by those who write there.
        raise FileNotFoundError(errno.ENOENT, "no such file", str(path)) from error
    try:
        check_regular(descriptor)
        with os.fdopen(descriptor, "rb", closefd=False) as handle:
            content = handle.read(limit + 1)
    finally:
        os.close(descriptor)
    if len(content) > limit:
        raise Unusable(f"it is larger than {limit} bytes")
    return content


def check_regular(descriptor: int) -> os.stat_result:
    """Refuse an open file that is not a regular file; return its status."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise Unusable("it is not a regular file")
    return status


def make_private(directory: Path) -> None:
    """Create a directory for this user alone."""
    try:
        directory.mkdir(mode=PRIVATE_DIRECTORY, parents=True, exist_ok=True)
    except OSError as error:
        raise write_fault(directory, error) from error


def write_private(path: Path, content: bytes) -> None:
    """Replace a file at once, readable by this user alone."""
    make_private(path.parent)
    staged = path.parent / f".{path.name}.{secrets.token_hex(8)}"
    try:
        try:
            with os.fdopen(create_private(staged), "wb") as handle:
                handle.write(content)
                handle.flush()
                os.fsync(handle.fileno())
            staged.replace(path)
        finally:
            staged.unlink(missing_ok=True)
    except OSError as error:
        raise write_fault(path, error) from error


def create_private(path: Path) -> int:
    """Create a file that is not there yet, for this user alone; give its descriptor."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | BINARY
    return os.open(path, flags, PRIVATE_FILE)


def write_fault(path: Path, error: OSError) -> fault.Fault:
    """Say why a path cannot be written, and what repairs it."""
    code, fix = fault.IO, "Repair the file system, then run the command again"
    if isinstance(error, PermissionError):
        code = fault.FORBIDDEN
        fix = "Change the owner or the permissions of the path, then run the command again"
    elif error.errno in (errno.ENOSPC, errno.EDQUOT if hasattr(errno, "EDQUOT") else 0):
        fix = "Free some space on the disk, then run the command again"
    return fault.Fault(
        code, f"`{path}` cannot be written: {reason(error)}", fix=fix, path=str(path)
    )


def reason(error: OSError) -> str:
    """Return the reason of an error without the path that it repeats."""
    return error.strerror or str(error)


def is_open_to_others(status: os.stat_result) -> bool:
    """Return whether others can read a file; homes of Windows are closed anyway."""
    return sys.platform != "win32" and bool(stat.S_IMODE(status.st_mode) & 0o077)


@contextlib.contextmanager
def lock(path: Path, wait: float = 0.0) -> Iterator[int]:
    """Hold a lock, waiting for it at most for `wait` seconds; else raise Held.

    The system frees the lock when the process ends, however it ends.
    """
    make_private(path.parent)
    try:
        flags = os.O_CREAT | os.O_RDWR | BINARY | AT_ONCE
        descriptor = os.open(path, flags, PRIVATE_FILE)
    except OSError as error:
        raise write_fault(path, error) from error
    try:
        try:
            check_regular(descriptor)
        except Unusable as error:
            raise write_fault(path, error) from error
        deadline = time.monotonic() + wait
        while not _acquire(descriptor):
            if time.monotonic() >= deadline:
                raise Held
            time.sleep(0.01)
        yield descriptor
    finally:
        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    # A byte that nobody writes, so that others can still read the file.
    _PLACE = 0x7FFF_0000

    def _acquire(descriptor: int) -> bool:
        os.lseek(descriptor, _PLACE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def _acquire(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
