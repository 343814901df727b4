"""Tests of all commands: each one is tested, and the runtime is the recorded one."""

from __future__ import annotations

import pytest

from acme_tool._runtime.testkit import guard
from acme_tool._runtime.testkit.sandbox import (
    Sandbox,
)

# Exit and `retryable` of the codes of the contract, as its text has them.
CODES = {
    "E_INTEGRITY": (1, False),
    "E_IO": (1, False),
    "E_UNKNOWN": (1, False),
    "E_USAGE": (2, False),
    "E_VALIDATION": (2, False),
    "E_NOT_FOUND": (3, False),
    "E_AUTH": (4, False),
    "E_CONFIG": (4, False),
    "E_FORBIDDEN": (4, False),
    "E_CONFIRMATION_REQUIRED": (5, False),
    "E_CONFLICT": (6, False),
    "E_NETWORK": (7, True),
    "E_RATE_LIMITED": (7, True),
    "E_SERVER": (7, True),
    "E_TIMEOUT": (8, True),
    "E_INTERRUPTED": (130, True),
}


def test_codes_are_those_of_the_contract(tool: Sandbox) -> None:
    described = tool.run("reference").ok()["error_codes"]
    for code, (exit_code, retryable) in CODES.items():
        assert described[code] == {"exit": exit_code, "retryable": retryable}


def test_every_command_flag_and_code_of_ours_is_tested(
    tool: Sandbox, request: pytest.FixtureRequest
) -> None:
    guard.check(tool, request)


def test_the_runtime_is_the_recorded_one() -> None:
    assert guard.changed_files() == []


def test_every_query_answers_with_the_fields_that_it_declares(tool: Sandbox) -> None:
    assert guard.undeclared_fields(tool) == []


def test_an_example_of_each_command_parses(tool: Sandbox) -> None:
    assert guard.broken_examples(tool) == []
