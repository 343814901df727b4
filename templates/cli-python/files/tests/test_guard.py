"""Every command, flag and code that reference lists occurs in a test of the program.

This runs last and reads what all other tests did, so it says nothing about a part of
them. Calls that a test takes from reference itself do not count: they would cover a
command that nobody has thought about.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from . import ledger
from .sandbox import Tool

# A tree that is smaller was not read as a whole.
LEAST_COMMANDS = 10


@pytest.fixture
def reference(tool: Tool, request: pytest.FixtureRequest) -> dict[str, Any]:
    ran = {item.path for item in request.session.items}
    config = request.config
    is_part = bool(config.option.keyword or config.option.markexpr)
    if is_part or not set(Path(__file__).parent.glob("test_*.py")) <= ran:
        pytest.skip("only a whole run says what is covered")
    found: dict[str, Any] = tool.run("reference").ok()
    assert found["release_readiness"]["fcc_status"] == "verified"
    assert len(found["commands"]) >= LEAST_COMMANDS
    return found


def shown(command: dict[str, Any]) -> set[str]:
    return {f"--{param['name']}" for param in command["params"]}


def test_every_command_and_flag_is_exercised(reference: dict[str, Any]) -> None:
    missing = []
    passed: set[str] = set()
    for command in reference["commands"]:
        flags = ledger.flags_of(command["path"])
        succeeded = ledger.flags_of(command["path"], succeeded=True)
        if succeeded is None:
            missing.append(f"{command['path']} with success")
        elif "--dry-run" in shown(command) - succeeded:
            missing.append(f"{command['path']} --dry-run with success")
        for param in command["params"]:
            if f"--{param['name']}" not in (flags or ()):
                missing.append(f"{command['path']} --{param['name']}")
        passed |= flags or set()
    names = {f"--{param['name']}" for param in reference["global_flags"]}
    missing += sorted(names - passed)
    assert missing == []


def test_every_code_is_met(reference: dict[str, Any]) -> None:
    assert set(reference["error_codes"]) - ledger.MET == set()
