"""What holds for all commands: each one is tested, and the runtime is the recorded one."""

from __future__ import annotations

import pytest

from acme_tool._runtime.testkit import guard
from acme_tool._runtime.testkit.sandbox import (
    Sandbox,
)


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
