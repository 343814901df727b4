"""Signals end a call with one answer that says what was done."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from acme_tool._runtime.testkit.mock import Handler

from .sandbox import Tool, wait_until
from .test_batch import ids

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="signals are those of Unix"
)


def hang(_handler: Handler) -> bool:
    time.sleep(20)
    return True


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "words",
    [
        "item get --id 1",
        "item delete --id 1 --dangerous --dry-run",
        "project overview --projects atlas",
        "doctor",
        "item watch",
    ],
)
def test_a_signal_ends_a_call_with_one_envelope(
    tool: Tool, number: signal.Signals, words: str
) -> None:
    tool.hook(hang)
    ended = tool.interrupt(number, lambda: bool(tool.seen), *words.split())
    ended.fails("E_INTERRUPTED")


def test_a_signal_while_the_program_starts_is_no_traceback(tool: Tool) -> None:
    code = (
        "import os, signal, sys\n"
        "from acme_tool.__main__ import load\n"
        "from acme_tool._runtime import signals\n"
        "signals.watch()\n"
        "os.kill(os.getpid(), signal.SIGTERM)\n"
        "from acme_tool._runtime.run import run\n"
        "sys.exit(run(['reference'], load))\n"
    )
    tool.program = [sys.executable, "-c", code]
    tool.run().fails("E_INTERRUPTED")


def test_a_signal_ends_a_stream_with_a_line_that_says_so(tool: Tool) -> None:
    child = tool.start("item", "watch", "--max-events", "100000", "--duration", "60")
    assert child.stdout
    assert child.stderr
    first = child.stdout.readline()
    assert b'"type":"item"' in first
    child.send_signal(signal.SIGINT)
    rest, _ = child.communicate(timeout=20)
    last = rest.splitlines()[-1]
    assert child.returncode == 130
    assert b'"ok":false' in last
    assert b'"type":"summary"' in last
    assert b'"E_INTERRUPTED"' in last


def test_a_signal_in_a_batch_says_what_was_done(tool: Tool) -> None:
    words = ("item", "close", "--ids", ids(120))
    token = tool.token(*words)
    stuck = threading.Event()

    def hook(handler: Handler) -> bool:
        is_second = handler.command == "POST" and tool.changes == 2
        return is_second and not stuck.wait(20)

    tool.hook(hook)
    ended = tool.interrupt(
        signal.SIGINT, lambda: tool.changes == 2, *words, "--confirm", token
    )
    summary = ended.fails("E_INTERRUPTED")["summary"]
    assert (summary["succeeded"], summary["skipped"]) == (50, 70)
    stuck.set()
    tool.run(*words, "--confirm", token).fails("E_CONFLICT")


def test_a_second_signal_changes_nothing(tool: Tool) -> None:
    tool.hook(hang)
    child = tool.start("item", "list")
    wait_until(lambda: bool(tool.seen))
    for _ in range(3):
        child.send_signal(signal.SIGTERM)
    stdout, stderr = child.communicate(timeout=20)
    assert child.returncode == 130
    assert stdout.count(b"E_INTERRUPTED") == 1
    assert b"Traceback" not in stderr


def test_a_closed_pipe_does_not_change_the_exit(tool: Tool) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        child = tool.start("item", "get", "--id", "99999", stdout=writer)
    finally:
        os.close(writer)
    _, stderr = child.communicate(timeout=20)
    assert child.returncode == 3
    assert b"Traceback" not in stderr


def test_nobody_is_asked_at_a_terminal(tool: Tool) -> None:
    # Standard input that never ends: whoever reads it would wait for ever.
    child = subprocess.Popen(
        [*tool.program, "auth", "login"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=tool.env,
        cwd=tool.home,
    )
    assert child.wait(20) == 0
    assert child.stdin
    child.stdin.close()
