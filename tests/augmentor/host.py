"""The smallest host: starts a runner for a package and talks to it."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RUNNERS = ROOT / "src" / "families" / "augmentor" / "runner"
FIXTURES = Path(__file__).resolve().parent / "fixtures"
PYTHON = os.environ.get("AUGMENTOR_PYTHON", sys.executable)
NODE = os.environ.get("AUGMENTOR_NODE") or shutil.which("node") or "node"
# No test waits for these; they end a test that would hang.
PATIENCE = 90.0


class Ended(Exception):
    """The child closed its end."""


class TimedOut(Exception):
    """The child did not answer in time."""


class Host:
    """One child process. `reply` says where it answers: `socket`, `stdout` or `pipe`."""

    def __init__(
        self,
        folder: Path,
        runtime: str,
        *,
        reply: str = "socket",
        before: list[str] | None = None,
        options: list[str] | None = None,
        runners: Path = RUNNERS,
    ) -> None:
        self.folder, self.runtime = folder, runtime
        program = {
            "python": [PYTHON, "-I", "-u", str(runners / "runner.py")],
            "node": [NODE, *(options or []), str(runners / "runner.mjs")],
        }[runtime]
        environment = {"PATH": os.environ["PATH"], "UNDECLARED": "must not be seen"}
        arguments: dict[str, Any] = {}
        if reply == "socket":
            ours, theirs = socket.socketpair()
            arguments = {"stdin": theirs.fileno(), "stdout": subprocess.PIPE}
            number = 0
        elif reply == "stdout":
            arguments = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            number = 1
        else:
            read_end, number = os.pipe()
            arguments = {
                "stdin": subprocess.PIPE,
                "stdout": subprocess.PIPE,
                "pass_fds": (number,),
            }
        self.child = subprocess.Popen(
            [*(before or []), *program, "--reply-fd", str(number)],
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,
            **arguments,
        )
        if reply == "socket":
            theirs.close()
            self.requests: Any = ours.makefile("wb", buffering=0)
            replies: Any = ours.makefile("rb")
            self.close_requests = lambda: ours.shutdown(socket.SHUT_WR)
        else:
            self.requests = self.child.stdin
            replies = self.child.stdout
            self.close_requests = self.child.stdin.close
            if reply == "pipe":
                os.close(number)
                replies = os.fdopen(read_end, "rb")
        self.stdout, self.stderr = bytearray(), bytearray()
        self.drains = [drain(self.child.stderr, self.stderr)]
        if reply != "stdout":
            self.drains.append(drain(self.child.stdout, self.stdout))
        self.messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.reader = threading.Thread(target=self._read, args=(replies,), daemon=True)
        self.reader.start()
        self.other: list[dict[str, Any]] = []
        self.answers: dict[int, dict[str, Any]] = {}
        self.identity = 0

    def _read(self, replies: Any) -> None:
        try:
            for line in replies:
                self.messages.put(json.loads(line))
        except (OSError, ValueError) as error:
            self.messages.put({"event": "garbage", "text": repr(error)})
        self.messages.put(None)

    def send(self, op: str, **members: Any) -> int:
        self.identity += 1
        line = json.dumps({"op": op, "id": self.identity, **members}).encode() + b"\n"
        try:
            self.requests.write(line)
            self.requests.flush()
        except OSError as error:
            raise Ended from error
        return self.identity

    def wait(self, identity: int, patience: float = PATIENCE) -> dict[str, Any]:
        """The answer to a request. Everything else that comes meanwhile is in `other`."""
        while identity not in self.answers:
            try:
                message = self.messages.get(timeout=patience)
            except queue.Empty:
                raise TimedOut from None
            if message is None:
                self.messages.put(None)
                raise Ended
            if message.get("event") in ("chunk", "late_chunk", "fault", "garbage"):
                self.other.append(message)
            else:
                self.answers[message["id"]] = message
        return self.answers.pop(identity)

    def rest(self) -> None:
        """Takes everything that comes until the child closes its end."""
        with contextlib.suppress(Ended):
            self.wait(-1)

    def ask(self, op: str, patience: float = PATIENCE, **members: Any) -> dict[str, Any]:
        return self.wait(self.send(op, **members), patience)

    def load(self, entry: str, patience: float = PATIENCE, **members: Any) -> dict[str, Any]:
        members.setdefault("paths", ["src", "."])
        return self.ask(
            "load",
            patience,
            root=str(self.folder),
            entry=entry,
            hooks={"host": "tests", "host_version": "1.0.0", "abi": "1.0"},
            environment={"PATH": os.environ["PATH"]},
            observe=True,
            **members,
        )

    def context(self, **env: str) -> dict[str, Any]:
        return {
            "run_id": f"run-{self.identity}",
            "cwd": "/",
            "env": {"PATH": os.environ["PATH"], **env},
        }

    def run(self, name: str, args: Any, patience: float = PATIENCE, **more: Any) -> dict[str, Any]:
        return self.ask("run", patience, name=name, args=args, ctx=self.context(), **more)

    def chunks(self, identity: int) -> list[Any]:
        return [m["chunk"] for m in self.other if m["event"] == "chunk" and m["id"] == identity]

    def ended_by_itself(self, patience: float = PATIENCE) -> bool:
        """Whether the child ends without being killed."""
        try:
            self.child.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> None:
        """Ends the child and everything in its session."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.child.pid, 9)
        self.child.wait()
        for thread in (*self.drains, self.reader):
            thread.join(5)

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


def drain(stream: Any, into: bytearray) -> threading.Thread:
    def copy() -> None:
        while data := os.read(stream.fileno(), 65536):
            into.extend(data[: 1 << 20])

    thread = threading.Thread(target=copy, daemon=True)
    thread.start()
    return thread
