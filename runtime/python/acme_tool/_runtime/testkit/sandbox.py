"""The tool in a home of its own, with a mock of its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar

from typing_extensions import Self

from ... import about, contract_gen
from ...__main__ import load
from .. import signals
from ..config import env
from ..credentials.keys import keys_of
from ..run import run
from . import ledger
from .envelope import check_envelope, only_document
from .mock import Handler, Mock, Reply, Request, Server, running

PACKAGE = about.__name__.partition(".")[0]
PROGRAM = [sys.executable, "-m", PACKAGE]
ROOT = Path(about.__file__).resolve().parent.parent
LIMIT = 120.0
# Nothing is started while a program is written: the child would hold the file open for
# a moment, and a file that is open for writing cannot be run.
LAUNCH = threading.Lock()

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True)
class Result:
    """How one call ended."""

    words: tuple[str, ...]
    exit: int
    stdout: bytes
    stderr: str

    @property
    def text(self) -> str:
        """Stdout as text."""
        return self.stdout.decode("utf-8")

    @property
    def document(self) -> dict[str, Any]:
        """The one document on stdout, held against the contract."""
        found = only_document(self.stdout)
        check_envelope(found, self.exit)
        return found

    def ok(self) -> Any:
        """Check that the call succeeded; return its data."""
        assert self.exit == 0, f"{self.words}\n{self.text}\n{self.stderr}"
        return self.document["data"]

    @property
    def error(self) -> dict[str, Any]:
        """The error of a call that has to fail."""
        assert self.exit != 0, f"{self.words}\n{self.text}"
        error: dict[str, Any] = self.document["error"]
        return error

    def fails(self, code: str) -> dict[str, Any]:
        """Check that the call failed with a code and a fix; return the details."""
        error = self.error
        assert error["code"] == code, f"{self.words}\n{self.text}\n{self.stderr}"
        assert self.exit == contract_gen.exit_for(code)
        assert error["details"]["fix"]
        details: dict[str, Any] = error["details"]
        return details

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The lines of a stream."""
        return [json.loads(line) for line in self.stdout.splitlines()]


class Sandbox:
    """The tool of one user: an empty home, no keyring, and no network but the mock.

    `run` calls the tool in this process, which is quick; `process` starts it as an agent
    does. `run` does so, too, when `in_process` is False, when `program` is another one, and
    in other threads than the first one.
    """

    in_process = True

    def __init__(self, home: Path, server: Server, token: str) -> None:
        self.home = home
        self.server = server
        self.program = list(PROGRAM)
        temporary = home / "tmp"
        temporary.mkdir(parents=True)
        self.env = {
            "HOME": str(home),
            "USERPROFILE": str(home),
            "PATH": os.defpath,
            "TMPDIR": str(temporary),
            "PYTHONPATH": str(ROOT),
            "SYSTEMROOT": os.environ.get("SYSTEMROOT", ""),
        }
        self.set(BASE_URL=server.address, KEYRING="off", **keys_of(token))

    @property
    def seen(self) -> list[Request]:
        """The requests so far."""
        return self.server.traffic.seen

    @property
    def changes(self) -> int:
        """How many requests could have changed something."""
        return sum(
            seen.method != "GET" and not seen.path.startswith("/oauth/")
            for seen in self.seen
        )

    @property
    def state(self) -> Path:
        """The state directory of the tool."""
        return self.home / f".{about.TOOL}"

    def set(self, **variables: str) -> Self:
        """Set variables of the tool by their names without prefix; "" removes one."""
        for name, value in variables.items():
            self.env[env(name)] = value
            if not value:
                del self.env[env(name)]
        return self

    def run(self, *words: str) -> Result:
        """Run a call to its end."""
        # Signals can be handled in the main thread alone.
        is_main = threading.current_thread() is threading.main_thread()
        if not self.in_process or self.program != PROGRAM or not is_main:
            return self.process(*words)
        result = self._called(words)
        ledger.note(words, result.exit, result.stdout)
        return result

    def derived(self, *words: str) -> Result:
        """Run a call that was taken from `reference`; the guard does not count it."""
        with ledger.paused():
            return self.run(*words)

    def process(self, *words: str) -> Result:
        """Run a call to its end, in a process of its own."""
        return finish(self.start(*words), words)

    def start(
        self, *words: str, stdout: int = subprocess.PIPE
    ) -> subprocess.Popen[bytes]:
        """Start a call in a process of its own: no terminal, no input."""
        with LAUNCH:
            return subprocess.Popen(
                [*self.program, *words],
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=subprocess.PIPE,
                env=self.env,
                cwd=self.home,
            )

    def interrupt(
        self, number: signal.Signals, ready: Callable[[], bool], *words: str
    ) -> Result:
        """Start a call, and send a signal as soon as `ready` returns true."""
        child = self.start(*words)
        wait_until(lambda: ready() or child.poll() is not None)
        child.send_signal(number)
        return finish(child, words)

    def token(self, *words: str) -> str:
        """Make a dry run; return its confirm token."""
        token = self.run(*words, "--dry-run").ok()["confirm_token"]
        assert isinstance(token, str)
        return token

    def confirmed(self, *words: str) -> Result:
        """Make a dry run, then the write with its token."""
        return self.run(*words, "--confirm", self.token(*words))

    def answer(self, path: str, *replies: Reply) -> None:
        """Answer requests below a path in place of the mock; the last reply stays."""
        left = list(replies)

        def hook(handler: Handler) -> bool:
            if not handler.path.startswith(path):
                return False
            handler.reply(left.pop(0) if len(left) > 1 else left[0])
            return True

        self.hook(hook)

    def hook(self, hook: Callable[[Handler], bool]) -> None:
        """Put a hook in front of the mock; it returns whether it answered."""
        self.server.traffic.hooks.append(hook)

    def check(self, name: str) -> dict[str, Any]:
        """Return one check of doctor."""
        checks = self.run("doctor").ok()["checks"]
        return next(check for check in checks if check["check"] == name)

    def _called(self, words: Sequence[str]) -> Result:
        with (
            _environment(self.env, self.home),
            _handlers(),
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            with _streams(out, err):
                code = run(list(words), load)
            out.seek(0)
            err.seek(0)
            said = err.read().decode("utf-8", "replace")
            return Result(tuple(words), code, out.read(), said)


S = TypeVar("S", bound=Sandbox)


@contextlib.contextmanager
def sandbox(home: Path, mock: Mock, token: str) -> Iterator[Sandbox]:
    """Serve a mock for the length of the block; yield the tool of a user of it."""
    with running(Server(mock)) as server:
        yield Sandbox(home, server, token)


def finish(child: subprocess.Popen[bytes], words: Sequence[str]) -> Result:
    """Wait for a call."""
    try:
        stdout, stderr = child.communicate(timeout=LIMIT)
    finally:
        child.kill()
        child.wait()
    ledger.note(words, child.returncode, stdout or b"")
    said = stderr.decode("utf-8", "replace")
    return Result(tuple(words), child.returncode, stdout or b"", said)


def each(work: Callable[[T], U], things: Sequence[T]) -> list[U]:
    """Do something for each of several things, a few at a time."""
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(work, things))


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait for something that happens soon."""
    end = time.monotonic() + LIMIT
    while not is_so():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)


@contextlib.contextmanager
def _environment(variables: dict[str, str], directory: Path) -> Iterator[None]:
    before, place = dict(os.environ), Path.cwd()
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(place)
        os.environ.clear()
        os.environ.update(before)


@contextlib.contextmanager
def _handlers() -> Iterator[None]:
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.getsignal(number) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
        signals.forget()


@contextlib.contextmanager
def _streams(out: IO[bytes], err: IO[bytes]) -> Iterator[None]:
    kept = [(1, os.dup(1)), (2, os.dup(2))]
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    try:
        yield
    finally:
        for number, copy in kept:
            os.dup2(copy, number)
            os.close(copy)
