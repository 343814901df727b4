"""Other programs: without a terminal, within a time limit, and leaving nothing behind."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from . import signals

TAIL = 4096
GRACE = 5.0

_COLOURS = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True)
class Ending:
    """How a program ended."""

    # Its exit code; -1 when it was ended.
    exit: int
    timed_out: bool
    # The end of its output on both streams, without colours.
    tail: str


def find(name: str) -> str | None:
    """Return the path of a program on PATH, but not in the current directory."""
    found = shutil.which(name)
    if found is None or not Path(found).is_absolute():
        return None
    return found


def run(
    words: Sequence[str],
    *,
    directory: Path,
    limit: float,
    environment: Mapping[str, str] | None = None,
) -> Ending:
    """Run a program to its end. No shell is involved; its words reach it as they are.

    Raises OSError when it cannot be started, and Interrupted after a signal, when all
    of its processes are gone.
    """
    with signals.held():
        child = _start(words, directory, environment)
    said = _Tail(child)
    timed_out = False
    try:
        child.wait(limit)
    except subprocess.TimeoutExpired:
        timed_out = True
    finally:
        with signals.held():
            _end(child)
            said.close()
    return Ending(-1 if timed_out else child.returncode, timed_out, said.text())


def inherited(
    *, without: Sequence[str] = (), added: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the changed environment of this program; names ignore case on Windows."""
    dropped = {name.upper() for name in (*without, *(added or {}))}
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in without and name.upper() not in dropped
    }
    return {**kept, **(added or {})}


def _start(
    words: Sequence[str], directory: Path, environment: Mapping[str, str] | None
) -> subprocess.Popen[bytes]:
    if environment is None:
        environment = inherited()
    return subprocess.Popen(  # noqa: S603
        list(words),
        cwd=directory,
        env=restored(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        # A session of its own: nothing in it can ask at the terminal, and all of it
        # can be ended.
        start_new_session=True,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )


def restored(environment: Mapping[str, str]) -> dict[str, str]:
    """Remove the settings of a frozen program: its libraries are not for others."""
    given = dict(environment)
    if getattr(sys, "frozen", False):
        for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBPATH"):
            before = given.pop(f"{name}_ORIG", None)
            if before is not None:
                given[name] = before
            else:
                given.pop(name, None)
        # The program may start another one of its kind, which unpacks by itself.
        given["PYINSTALLER_RESET_ENVIRONMENT"] = "1"
    return given


if sys.platform == "win32":

    def _end(child: subprocess.Popen[bytes]) -> None:
        killer = Path(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32")
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(  # noqa: S603
                [str(killer / "taskkill.exe"), "/T", "/F", "/PID", str(child.pid)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=GRACE,
                check=False,
            )
        child.wait()

else:

    def _end(child: subprocess.Popen[bytes]) -> None:
        if child.poll() is None:
            _signal(child, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(GRACE)
        # Whatever it started and left behind ends with it.
        _signal(child, signal.SIGKILL)
        child.wait()

    def _signal(child: subprocess.Popen[bytes], number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, number)


class _Tail:
    """Keeps the last bytes of the output of a program."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        self._kept = b""
        stream = child.stdout
        if stream is None:
            raise AssertionError("the program was started with a pipe")
        self._stream: IO[bytes] = stream
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while said := os.read(self._stream.fileno(), 64 * 1024):
                self._kept = (self._kept + said)[-2 * TAIL :]

    def close(self) -> None:
        # A process in another session may keep the pipe open; do not wait for it.
        self._reader.join(1.0)
        if not self._reader.is_alive():
            self._stream.close()

    def text(self) -> str:
        kept = _COLOURS.sub(b"", self._kept)[-TAIL:]
        return kept.decode("utf-8", "ignore").replace("\r\n", "\n").strip()
