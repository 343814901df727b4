"""A step that a person decides: passed on, and resumed."""

from __future__ import annotations

from acme_tool.about import TOOL

from mock_upstream import TOKEN_ALICE

from .sandbox import Tool

PUBLISH = ("item", "publish", "--id", "1")
RESUME = ("approval", "resume", "--id", "appr_1")


def decide(tool: Tool, decision: str) -> None:
    """Do what a person does in the app."""
    tool.server.ask("POST", f"/mock/approvals/appr_1/{decision}", TOKEN_ALICE)


def test_a_step_for_a_person_is_passed_on_and_resumed(tool: Tool) -> None:
    for result in (tool.confirmed(*PUBLISH), tool.run(*RESUME)):
        details = result.fails("E_HUMAN_REQUIRED")
        assert result.exit == 9
        assert details["action"] == "approve_in_app"
        assert details["resume"] == f"{TOOL} approval resume --id appr_1"
    decide(tool, "approved")
    item = tool.run(*RESUME).ok()
    assert (item["id"], item["state"]) == ("1", "published")
    assert tool.run(*RESUME, "--fields", "state").ok() == {"state": "published"}


def test_a_step_that_a_person_refuses(tool: Tool) -> None:
    tool.confirmed(*PUBLISH).fails("E_HUMAN_REQUIRED")
    decide(tool, "rejected")
    tool.run(*RESUME).fails("E_FORBIDDEN")
    tool.run("approval", "resume", "--id", "appr_9").fails("E_NOT_FOUND")
    tool.run("approval", "resume", "--id", "../x").fails("E_VALIDATION")
    assert tool.upstream.items[1].state == "open"
