"""A step that a person decides."""

from __future__ import annotations

import pytest

from acme_tool._runtime.testkit.sandbox import (
    Sandbox,
)

from mock_upstream import TOKEN_ALICE

PUBLISH = ("item", "publish", "--id", "1")
RESUME = ("approval", "resume", "--id", "appr_1")


def decide(tool: Sandbox, decision: str) -> None:
    """Do what a person does in the app."""
    tool.server.ask("POST", f"/mock/approvals/appr_1/{decision}", TOKEN_ALICE)


@pytest.mark.parametrize("decision", ["approved", "rejected"])
def test_a_step_waits_for_a_person(tool: Sandbox, decision: str) -> None:
    details = tool.confirmed(*PUBLISH).fails("E_HUMAN_REQUIRED")
    assert details["resume"].split()[1:] == [*RESUME]
    tool.run(*RESUME).fails("E_HUMAN_REQUIRED")
    decide(tool, decision)
    if decision == "approved":
        assert tool.run(*RESUME).ok()["state"] == "published"
    else:
        tool.run(*RESUME).fails("E_FORBIDDEN")
