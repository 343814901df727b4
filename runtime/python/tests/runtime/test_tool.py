"""The description of a tool: its tables, its settings, its checks."""

from __future__ import annotations

import dataclasses
import json
import sys
from typing import Any

import pytest

from acme_tool._runtime.command import Command
from acme_tool._runtime.reference import reference
from acme_tool._runtime.run import run
from acme_tool._runtime.tool import Tool as Described
from acme_tool.commands import TOOL

from .sandbox import Tool

COMMAND = Command(
    "thing list", "List things", "item", ("thing list",), run=lambda _: {}
)


@pytest.fixture
def own(tool: Tool) -> Tool:
    tool.program = [sys.executable, "-m", "tests.runtime.settings_tool"]
    return tool


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"commands": (COMMAND,)}, "needs a line for `thing` in groups"),
        (
            {"commands": (dataclasses.replace(COMMAND, output="nothing"),)},
            "names the unknown schema `nothing`",
        ),
        ({"commands": TOOL.commands[:1] * 2}, "the same path"),
    ],
)
def test_a_mistake_in_the_tables_is_named(change: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        dataclasses.replace(TOOL, **change)


def bare(**more: Any) -> Described:
    """Return a tool with no commands of its own."""
    return Described(
        connect=TOOL.connect,
        groups={},
        commands=(),
        schemas={},
        readiness=TOOL.readiness,
        risk_tier="T0",
        **more,
    )


def test_every_tool_has_the_commands_about_itself() -> None:
    assert {command.path for command in bare().all_commands} == {
        "auth login",
        "auth logout",
        "reference",
        "context",
        "doctor",
        "changelog",
        "update",
    }


class Groups:
    """A table of two groups that notes which one was asked for."""

    def __init__(self) -> None:
        self.groups = {"thing": "Work with things", "other": "Work with others"}
        self.asked: list[str] = []

    def commands(self, group: str) -> tuple[Command, ...]:
        self.asked.append(group)
        return (dataclasses.replace(COMMAND, path=f"{group} list"),)

    def schemas(self, group: str) -> dict[str, Any]:
        return {"item": TOOL.schemas["item"]}


def test_a_call_makes_only_the_commands_of_its_group(
    capfd: pytest.CaptureFixture[str],
) -> None:
    table = Groups()
    tool = bare(table=table)
    assert run(["thing", "list", "--help"], lambda: tool) == 0
    assert run(["nothing"], lambda: tool) == 2
    assert table.asked == ["thing"]
    assert "other" in capfd.readouterr().out
    assert [each.path for each in tool.own_commands] == ["thing list", "other list"]
    twice = dataclasses.replace(
        tool, groups={"thing": ""}, commands=(COMMAND,), schemas=TOOL.schemas
    )
    with pytest.raises(ValueError, match="the same path"):
        _ = twice.all_commands


def test_a_tool_of_an_upstream_without_credentials_asks_for_none() -> None:
    bare = dataclasses.replace(TOOL, anonymous=True)
    described = reference(bare)
    names = {each["name"] for each in described["environment"]}
    assert "ACME_TOOL_BASE_URL" in names
    assert not names & {"ACME_TOOL_TOKEN", "ACME_TOOL_KEYRING"}
    assert "auth" not in {each["path"].split()[0] for each in described["commands"]}


def test_settings_are_described_and_read(own: Tool) -> None:
    described = {
        each["name"]: each for each in own.run("reference").ok()["environment"]
    }
    assert described["ACME_TOOL_WORKSPACE"]["secret"] is False
    assert described["ACME_TOOL_PIN"]["secret"] is True
    assert own.check("workspace")["message"] == "main 0"
    own.state.mkdir(exist_ok=True)
    (own.state / "config.json").write_text(json.dumps({"workspace": "second"}))
    assert own.check("workspace")["message"] == "second 0"
    own.set(WORKSPACE="third-of-them", PIN="0123456789")
    assert own.check("workspace")["message"] == "third-of-them 10"


def test_a_secret_setting_is_not_in_the_file_and_not_in_an_answer(own: Tool) -> None:
    own.set(PIN="third-of-them", WORKSPACE="third-of-them")
    assert own.check("workspace")["message"] == "[redacted] 13"
    own.state.mkdir(exist_ok=True)
    (own.state / "config.json").write_text(json.dumps({"pin": "0123456789"}))
    details = own.run("item", "get", "--id", "1").fails("E_CONFIG")
    assert "base_url and timeout_s and workspace" in details["fix"]


def test_the_address_of_the_tool_is_used_when_no_other_is_set(own: Tool) -> None:
    own.set(BASE_URL="")
    assert own.run("context").ok()["config"]["base_url"] == "https://api.example.com"
