"""The test kit itself: calls in this process are those of the program, and leave nothing."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acme_tool._runtime.testkit import guard
from acme_tool._runtime.testkit.mock import Reply
from acme_tool._runtime.testkit.sandbox import Result, Sandbox, sandbox

from mock_upstream import TOKEN_ALICE, make

CALLS = [
    ("item list --limit 2", 0),
    ("item get --id 999999", 3),
    ("item get", 2),
    ("nonsense", 2),
    ("item update --id 1 --title x", 5),
    ("item content --id 1 --format raw", 0),
    ("item watch --max-events 2", 0),
    ("reference --compact", 0),
    ("item get --id 1 --format text", 0),
    ("item get --id 999999 --format text", 3),
]


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[Sandbox]:
    with sandbox(tmp_path / "home", make(), TOKEN_ALICE) as made:
        yield made


def without_time(result: Result) -> Any:
    """Everything but how long it took and the token of a preview."""
    if not result.stdout.startswith(b"{") or b'"type"' in result.stdout[:60]:
        return len(result.stdout.splitlines()), result.stderr
    document = result.document
    document["meta"] = None
    if not document["ok"]:
        for name in ("confirm_token", "expires_at"):
            document["error"]["details"].pop(name, None)
    return document


@pytest.mark.parametrize(("words", "code"), CALLS)
def test_a_call_in_this_process_is_that_of_the_program(
    quick: Sandbox, words: str, code: int
) -> None:
    here, there = quick.run(*words.split()), quick.process(*words.split())
    assert (here.exit, there.exit) == (code, code)
    assert without_time(here) == without_time(there)


def test_a_call_in_this_process_leaves_nothing_behind(quick: Sandbox) -> None:
    before = (dict(os.environ), Path.cwd(), signal.getsignal(signal.SIGTERM))
    quick.confirmed("item", "update", "--id", "1", "--title", "New").ok()
    assert (dict(os.environ), Path.cwd(), signal.getsignal(signal.SIGTERM)) == before


def test_a_fault_can_stand_in_front_of_the_mock(quick: Sandbox) -> None:
    quick.answer("/v1/items/1", Reply({}, status=503), Reply({}, status=404))
    quick.run("item", "get", "--id", "1").fails("E_SERVER")
    quick.run("item", "get", "--id", "1").fails("E_NOT_FOUND")
    assert len(quick.seen) == 2
    assert quick.changes == 0


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("item get --id 999999", "ok"),
        ("item get --id 1", "fails"),
        ("item get --id 999999", "another code"),
    ],
)
def test_a_check_that_does_not_hold_fails(
    quick: Sandbox, words: str, problem: str
) -> None:
    result = quick.run(*words.split())
    with pytest.raises(AssertionError):
        result.ok() if problem == "ok" else result.fails("E_CONFLICT")


def test_the_guard_names_a_command_that_no_test_has_called(quick: Sandbox) -> None:
    reference = quick.run("reference").ok()
    reference["commands"] += [
        {"path": "item shout", "params": [{"name": "loud"}]},
    ]
    found = guard.missing(reference, everything=True)
    assert {"item shout with success", "item shout --loud"} <= set(found)
