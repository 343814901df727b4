"""The tool about itself: reference, help, context, doctor, changelog, notices."""

from __future__ import annotations

import json
import shlex
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from acme_tool import about
from acme_tool._runtime import changelog, config
from acme_tool.commands import TOOL as DESCRIBED

from .conftest import NewTool
from .sandbox import ROOT, Tool, every

LEAVES = [command.path for command in DESCRIBED.all_commands]


@pytest.fixture
def reference(tool: Tool) -> dict[str, Any]:
    found: dict[str, Any] = tool.run("reference").ok()
    return found


def test_reference_describes_the_tool(reference: dict[str, Any]) -> None:
    assert set(reference) >= {
        "tool",
        "version",
        "risk_tier",
        "release_readiness",
        "commands",
        "schemas",
        "exit_codes",
        "error_codes",
    }
    assert reference["risk_tier"] in ("T0", "T1", "T2")
    assert [command["path"] for command in reference["commands"]] == LEAVES
    assert not any("install-skill" in path for path in LEAVES)
    has_danger = any(command.get("dangerous") for command in reference["commands"])
    assert has_danger is (reference["risk_tier"] == "T2")


def test_reference_describes_every_command_for_programs(
    reference: dict[str, Any],
) -> None:
    for command in reference["commands"]:
        keys = {"path", "type", "description", "params", "output_schema", "examples"}
        assert keys <= set(command), command["path"]
        assert command["description"]
        assert (command["type"] == "write") is ("confirm" in command)
        schema = reference["schemas"][command["output_schema"]]
        assert schema["shape"] in ("object", "array")
        assert schema["fields"]
        assert set(schema["untrusted_fields"]) <= set(schema["fields"])
        for param in command["params"]:
            assert {"name", "type", "required", "multiple"} <= set(param)


def test_examples_show_how_a_command_is_called(reference: dict[str, Any]) -> None:
    for command in reference["commands"]:
        assert command["examples"]
        for example in command["examples"]:
            assert example.startswith(f"{about.TOOL} {command['path']}")
            assert ("--dangerous" in example) is bool(command.get("dangerous"))
        if command.get("confirm") in ("always", "when_lossy"):
            dry, confirmed = command["examples"][-2:]
            assert "--dry-run" in dry
            assert "--confirm" in confirmed


def test_every_example_is_a_call_that_parses(
    tool: Tool, reference: dict[str, Any]
) -> None:
    examples = [
        example
        for command in reference["commands"]
        for example in command["examples"]
        if command["path"] != "update"
    ]

    def parse(example: str) -> None:
        assert tool.derived(*shlex.split(example)[1:]).exit != 2, example

    every(parse, examples)


def help_of(tool: Tool, *words: str) -> list[str]:
    """Return the commands that the help of a word lists."""
    shown = tool.run(*words, "--help")
    assert shown.exit == 0
    _, _, section = shown.text.partition("\nCommands:\n")
    return [line.split()[0] for line in section.split("\n\n")[0].splitlines() if line]


def test_help_names_every_command_of_reference_and_no_other(tool: Tool) -> None:
    found = []
    for name in help_of(tool):
        inner = help_of(tool, name)
        found += [f"{name} {each}" for each in inner] or [name]
    assert sorted(found) == sorted(LEAVES)


def test_the_help_of_a_command_has_flags_and_examples(tool: Tool) -> None:
    def look(path: str) -> None:
        shown = tool.run(*path.split(), "--help").text
        command = next(each for each in DESCRIBED.all_commands if each.path == path)
        assert all(param.flag in shown for param in command.all_params)
        assert all(call in shown for call in command.calls)

    every(look, LEAVES)


def test_readiness_is_what_it_says_and_not_more(
    tool: Tool, reference: dict[str, Any]
) -> None:
    readiness = reference["release_readiness"]
    level = readiness["level"]
    for name in ("fcc_status", "mock_upstream_status", "live_smoke_status"):
        known = ("verified", "missing", "not_applicable", "unknown")
        assert readiness[name] in known
        assert level != "stable" or readiness[name] not in ("missing", "unknown")
    for evidence in readiness["required_evidence"]:
        assert (ROOT / evidence).is_file()
    status = {"stable": "pass", "beta": "warn", "unpublishable": "fail"}[level]
    assert tool.check("release_readiness")["status"] == status


def checks(tool: Tool) -> dict[str, str]:
    found = tool.run("doctor").ok()["checks"]
    for check in found:
        assert check["status"] in ("pass", "warn", "fail")
        assert (check["fix"] is None) is (check["status"] == "pass")
    return {check["check"]: check["status"] for check in found}


def test_doctor_says_how_to_repair_what_is_wrong(tool: Tool) -> None:
    sound = checks(tool)
    for name in ("config", "state", "credentials", "upstream", "min_version"):
        assert sound[name] == "pass"
    tool.set(TIMEOUT="1", BASE_URL="http://127.0.0.1:9")
    assert checks(tool)["upstream"] == "fail"
    broken = checks(tool.set(BASE_URL="", TOKEN=""))
    for name in ("config", "credentials", "upstream"):
        assert broken[name] == "fail"


def test_doctor_sees_a_skill_that_needs_a_newer_program(tool: Tool) -> None:
    path = tool.home / ".agents" / "skills" / about.TOOL / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text('---\nmetadata: {"requires": {"min_version": "99.0.0"}}\n---\n')
    found = checks(tool)
    assert (found["min_version"], found["skill_current"]) == ("fail", "fail")


@pytest.mark.skipif(sys.platform == "win32", reason="needs the modes of files")
def test_doctor_sees_state_that_others_can_read(tool: Tool) -> None:
    tool.state.mkdir(mode=0o755)
    tool.state.chmod(0o755)
    assert checks(tool)["state"] == "warn"


@pytest.fixture
def trap() -> Iterator[tuple[str, list[Any]]]:
    """Return a host that must not be asked, and those who asked it."""
    asked: list[Any] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            while True:
                try:
                    asked.append(listener.accept())
                except OSError:
                    return

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", asked
        for connection, _ in asked:
            connection.close()


def test_only_commands_that_must_use_the_network(
    new_tool: NewTool, trap: tuple[str, list[Any]]
) -> None:
    address, asked = trap
    offline = new_tool().set(BASE_URL=address, UPDATE_API_URL=address)
    for words in ("context", "reference", "changelog", "--help", "item get"):
        offline.run(*words.split())
    # Business commands talk to their upstream and never look for a new version.
    busy = new_tool().set(UPDATE_API_URL=address)
    busy.run("item", "list").ok()
    busy.confirmed("item", "close", "--ids", "1").ok()
    busy.run("doctor").ok()
    assert asked == []


def test_context_shows_no_credential(tool: Tool) -> None:
    shown = tool.run("context")
    data = shown.ok()
    assert data["credentials"]["configured"] is True
    assert data["credentials"]["storage"] == "env"
    assert "demo-token" not in shown.text
    assert "notices" not in data
    assert data["account"] is None
    without = tool.set(TOKEN="").run("context").ok()["credentials"]
    assert (without["configured"], without["storage"]) == (False, "none")


def test_reference_names_the_variables_that_are_read(
    reference: dict[str, Any],
) -> None:
    named = {variable["name"] for variable in reference["environment"]}
    read = {
        value
        for value in vars(config).values()
        if isinstance(value, str) and value.startswith(f"{about.ENV_PREFIX}_")
    }
    assert named == read | {"GITHUB_TOKEN"}


def test_the_changelog_is_the_file(tool: Tool) -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    data = tool.run("changelog").ok()
    assert data == {
        "current_version": about.VERSION,
        "entries": changelog.parse(text),
    }
    assert data["entries"]
    since = tool.run("changelog", "--since", f"v{about.VERSION}").ok()
    assert (since["since"], since["entries"]) == (about.VERSION, [])
    older = tool.run("changelog", "--since", "0.0.1-rc.1").ok()
    assert older["entries"] == data["entries"]


def cached(latest: str, age: timedelta, **changes: Any) -> str:
    at = (datetime.now(timezone.utc) - age).strftime("%Y-%m-%dT%H:%M:%SZ")
    notice = {
        "type": "update_available",
        "severity": "info",
        "current_version": "0.9.0",
        "latest_version": latest,
        "install_method": "standalone",
        "recommended_command": f"{about.TOOL} update",
        "checked_at": at,
        "next_steps": [f"{about.TOOL} update"],
        **changes,
    }
    cache = {"highest": latest, "checked_at": at, "target": latest, "notice": notice}
    return json.dumps(cache)


HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    "text",
    [
        cached(about.VERSION, HOUR),
        cached("99.0.0", timedelta(days=30)),
        cached("99.0.0", -2 * HOUR),
        cached("soon", HOUR),
        cached("99.0.0", HOUR, extra="x"),
        cached("99.0.0", HOUR, next_steps=[1]),
        '{"notice": {',
        "[]",
        "[" * 100_000,
    ],
)
def test_a_notice_that_does_not_hold_is_not_shown(tool: Tool, text: str) -> None:
    tool.state.mkdir()
    (tool.state / "notices.json").write_text(text)
    assert "notices" not in tool.run("context").document["meta"]


def test_a_cached_notice_is_shown_with_every_answer(tool: Tool) -> None:
    tool.state.mkdir()
    (tool.state / "notices.json").write_text(cached("99.0.0", HOUR))
    for words in ("item get --id 1", "item get --id 99999", "context", "doctor"):
        (notice,) = tool.run(*words.split()).document["meta"]["notices"]
        assert notice["latest_version"] == "99.0.0"
        assert notice["current_version"] == about.VERSION
    for words in ("context", "doctor"):
        assert len(tool.run(words).ok()["notices"]) == 1
    assert tool.check("update")["status"] == "warn"


def test_the_version_comes_at_once(tool: Tool) -> None:
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", *tool.program[1:], "--version"],
        env=tool.env,
        cwd=tool.home,
        capture_output=True,
        check=True,
        text=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines()}
    assert "acme_tool._runtime.start" in loaded
    heavy = {
        "click",
        "json",
        "dataclasses",
        "acme_tool.commands",
        "acme_tool._runtime.run",
    }
    assert not heavy & loaded


@pytest.mark.parametrize("keyring", ["off", "without a bus"])
def test_a_call_does_not_load_what_it_does_not_need(tool: Tool, keyring: str) -> None:
    if keyring != "off":
        if sys.platform != "linux":
            pytest.skip("only Linux has a session bus")
        tool.env.pop("ACME_TOOL_KEYRING")
        for name in ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"):
            tool.env.pop(name, None)
    code = (
        "import sys; from acme_tool._runtime.run import run; "
        "from acme_tool.__main__ import load; run(['context'], load);"
        "heavy = {'sigstore', 'keyring', 'cryptography', 'ssl', 'http.client'};"
        "sys.stderr.write(' '.join(sorted(heavy & set(sys.modules))))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], env=tool.env, capture_output=True, check=True
    )
    assert ended.stderr == b""
