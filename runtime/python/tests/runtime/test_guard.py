"""Every command, flag and code that reference lists occurs in a test of the program.

This runs last and reads what all other tests did, so it says nothing about a part of
them.
"""

from __future__ import annotations

import pytest

from acme_tool._runtime.testkit import guard

from .sandbox import Tool

# A tree that is smaller was not read as a whole.
LEAST_COMMANDS = 10


def test_every_command_flag_and_code_is_exercised(
    tool: Tool, request: pytest.FixtureRequest
) -> None:
    guard.whole(request)
    reference = tool.run("reference").ok()
    assert reference["release_readiness"]["fcc_status"] == "verified"
    assert len(reference["commands"]) >= LEAST_COMMANDS
    assert guard.missing(reference, everything=True) == []
