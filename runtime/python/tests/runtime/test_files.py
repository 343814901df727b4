"""Whatever lies in place of a file, and whatever stdout is, a call ends with an answer."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from acme_tool import about
from acme_tool._runtime import confirm
from acme_tool._runtime.fault import Fault

from .conftest import NewTool
from .sandbox import Tool

CONTEXT = ("context",)
UPDATE = ("item", "update", "--id", "1", "--title", "x", "--dry-run")
# Files of the directory of state, and a call that looks at each of them.
FILES = {
    "config.json": CONTEXT,
    "notices.json": CONTEXT,
    "credentials.enc": ("auth", "logout", "--dry-run"),
    "credentials.lock": ("auth", "login"),
    "credentials.key": ("auth", "login"),
    "confirm.secret": UPDATE,
    "confirm.lock": UPDATE,
    "audit.jsonl": UPDATE,
    "audit.jsonl.lock": UPDATE,
    "update.lock": ("update",),
}

posix = pytest.mark.skipif(sys.platform == "win32", reason="pipes and modes of POSIX")


def state_of(tool: Tool, name: str) -> Path:
    """Return the path of a file of the state, in a directory that is there."""
    tool.set(UPDATE_API_URL="http://127.0.0.1:1")
    tool.state.mkdir()
    return tool.state / name


@posix
@pytest.mark.parametrize("name", FILES)
def test_a_pipe_in_place_of_a_file_is_not_waited_for(tool: Tool, name: str) -> None:
    os.mkfifo(state_of(tool, name))
    # A call that waits for a writer is ended by the sandbox.
    assert "E_UNKNOWN" not in str(tool.process(*FILES[name]).document)


@posix
def test_a_token_is_not_read_from_a_pipe(tool: Tool) -> None:
    pipe = tool.home / "pipe"
    os.mkfifo(pipe)
    tool.run("auth", "login", "--token-file", str(pipe)).fails("E_VALIDATION")


DAMAGES: dict[str, Callable[[Path], None]] = {
    "a directory": lambda path: path.mkdir(),
    "a loop": lambda path: path.symlink_to(path),
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "an empty file": lambda path: path.touch(),
    "a member twice": lambda path: path.write_text('{"a":1,"a":2}') and None,
}


@posix
@pytest.mark.parametrize("kind", DAMAGES)
def test_no_file_of_the_state_makes_a_call_end_without_an_answer(
    new_tool: NewTool, kind: str
) -> None:
    for name, words in FILES.items():
        tool = new_tool()
        DAMAGES[kind](state_of(tool, name))
        assert "E_UNKNOWN" not in str(tool.run(*words).document), name


@posix
def test_a_lock_that_is_no_file_is_not_taken_for_another_process(
    new_tool: NewTool,
) -> None:
    for make in (Path.mkdir, os.mkfifo):
        tool = new_tool()
        make(state_of(tool, "confirm.lock"))
        tool.run(*UPDATE).fails("E_IO")


def test_a_set_up_with_a_member_twice_is_refused(tool: Tool) -> None:
    path = state_of(tool, "config.json")
    path.write_text('{"timeout_s":1,"timeout_s":2}')
    tool.run("item", "get", "--id", "1").fails("E_CONFIG")


@posix
def test_a_log_that_is_open_to_others_is_closed(tool: Tool) -> None:
    path = state_of(tool, "audit.jsonl")
    path.touch()
    path.chmod(0o644)
    tool.run(*UPDATE).ok()
    assert path.stat().st_mode & 0o777 == 0o600


def said_to(tool: Tool, stdout: int, *words: str) -> tuple[int, str]:
    """Run a call with a stdout of its own; give exit code and stderr."""
    child = tool.start(*words, stdout=stdout)
    _, stderr = child.communicate(timeout=60)
    return child.returncode, stderr.decode()


CALLS = [CONTEXT, ("--version",), ("item", "--help"), ("item", "get", "--id", "0")]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device is always full")
@pytest.mark.parametrize("words", CALLS)
def test_an_answer_that_cannot_be_written_is_told_to_a_person(
    tool: Tool, words: tuple[str, ...]
) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        code, stderr = said_to(tool, full, *words)
    finally:
        os.close(full)
    assert code == (2 if "get" in words else 1)
    assert "E_IO" in stderr
    assert "Traceback" not in stderr


@posix
@pytest.mark.parametrize("words", CALLS)
def test_a_reader_that_has_seen_enough_is_no_failure(
    tool: Tool, words: tuple[str, ...]
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        assert said_to(tool, writer, *words) == (2 if "get" in words else 0, "")
    finally:
        os.close(writer)


@posix
def test_a_stdout_that_is_closed_is_told_to_a_person(tool: Tool) -> None:
    for words in (CONTEXT, ("--version",)):
        ended = subprocess.run(
            ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *tool.program, *words],
            env=tool.env,
            cwd=tool.home,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
        assert ended.returncode == 1
        assert b"E_IO" in ended.stderr


def test_completion_of_click_prints_nothing_in_place_of_an_answer(tool: Tool) -> None:
    for shell in ("bash_source", "zsh_complete"):
        tool.env[f"_{about.ENV_PREFIX}_COMPLETE"] = shell
        assert tool.run("item", "get", "--id", "1").ok()["id"] == "1"


def test_a_clock_that_is_set_back_revives_no_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = confirm.Gate(tmp_path)
    used, other = gate.issue(b"x").text, b"y"
    gate.redeem(used, b"x")
    now = time.time()
    with monkeypatch.context() as patch:
        patch.setattr(confirm.time, "time", lambda: now + 3 * 3600)
        gate.redeem(gate.issue(other).text, other)
    with pytest.raises(Fault, match="already used"):
        gate.redeem(used, b"x")
