"""Answers: one document, exact keys, formats, and calls that cannot be understood."""

from __future__ import annotations

import json
import re

import pytest

from acme_tool import about

from .sandbox import ROOT, Tool, every, members

USAGE = [
    "",
    "nothing",
    "item",
    "item nothing",
    "item list extra",
    "item list --nothing",
    "item list --format",
    "item get",
    "item get --id 1 --version",
    "item get --id 1 --id 2",
    "item list --limit 1 --limit 2",
    "item list --format raw",
    "item list --json --format text",
    "item update --id 1",
    "item close --dry-run",
    "item close --ids 1 --dry-run --confirm ct_x",
    "item list --confirm ct_x",
    "update --confirm ct_x",
    "update now",
    "update --check --dry-run",
    "install-skill",
    "completion bash",
    "help",
]
VALIDATION = [
    "item list --format yaml",
    "item list --limit 0",
    "item list --limit 101",
    "item list --limit many",
    "item list --state lost",
    "item list --project ../x",
    "item list --fields id,secret",
    "item get --id 1/../2",
    "item get --id ../../admin",
    "item get --id=",
    "item get --id 007",
    "item close --ids ,",
    "item close --ids 1,x --dry-run",
    "item close --ids 1 --continue-on-error maybe",
    "item create --project atlas --title x --idempotency-key short",
    "item update --id 1 --title=",
    "project overview --projects A",
    "changelog --since yesterday",
    "update --target-version newest",
]


def test_a_call_that_cannot_be_understood_is_a_mistake_of_the_caller(
    tool: Tool,
) -> None:
    calls = [(words, "E_USAGE") for words in USAGE]
    calls += [(words, "E_VALIDATION") for words in VALIDATION]
    every(lambda call: tool.run(*call[0].split()).fails(call[1]), calls)
    assert tool.seen == []


def test_a_mistyped_command_is_answered_with_the_nearest_one(tool: Tool) -> None:
    assert "`list`" in tool.run("item", "lst").fails("E_USAGE")["fix"]


@pytest.mark.parametrize("words", ["item get --id 1", "item get --id 77777", "nothing"])
def test_compact_changes_white_space_alone(tool: Tool, words: str) -> None:
    wide, narrow = tool.run(*words.split()), tool.run(*words.split(), "--compact")
    left, right = wide.document, narrow.document
    assert narrow.text.count("\n") == 1
    left["meta"] = right["meta"] = {}
    assert json.dumps(left) == json.dumps(right)
    assert wide.exit == narrow.exit


def test_the_same_call_gives_the_same_bytes(tool: Tool) -> None:
    def twice(words: str) -> None:
        first, second = (
            re.sub(r'"duration_ms": \d+', "", tool.run(*words.split()).text)
            for _ in range(2)
        )
        assert first == second

    every(
        twice, ["item list", "reference", "changelog", "context", "item get --id 500"]
    )


def test_json_is_the_format_without_being_asked_for(tool: Tool) -> None:
    plain = tool.run("item", "get", "--id", "1").ok()
    assert plain == tool.run("item", "get", "--id", "1", "--json").ok()
    assert plain == tool.run("item", "get", "--id", "1", "--format", "json").ok()
    # Flags of all commands also stand before the command.
    assert plain == tool.run("--json", "item", "get", "--id", "1").ok()


def test_all_keys_are_in_snake_case(tool: Tool) -> None:
    for words in (
        "item list --limit 1",
        "context",
        "doctor",
        "changelog",
        "item delete --id 1",
        "project overview --projects atlas,vault",
        "item close --ids 1 --dry-run",
    ):
        for name, _ in members(tool.run(*words.split()).document):
            assert re.fullmatch(r"_?[a-z][a-z0-9]*(_[a-z0-9]+)*", name), (words, name)


def test_quiet_silences_notes_and_never_the_answer(tool: Tool) -> None:
    (tool.state / "audit.jsonl").mkdir(parents=True)
    words = ("item", "close", "--ids", "1", "--dry-run")
    assert "audit log" in tool.run(*words).stderr
    quiet = tool.run(*words, "--quiet")
    assert quiet.ok()["preview"]
    assert quiet.stderr == ""
    tool.run("item", "get", "--id", "77777", "--quiet").fails("E_NOT_FOUND")


def test_text_is_for_people_and_has_no_control_characters(tool: Tool) -> None:
    tool.upstream.touch(1, "Evil \x1b[31mred\x07 title")
    shown = tool.run("item", "get", "--id", "1", "--format", "text")
    assert shown.exit == 0
    assert "title: Evil \\u001b" in shown.text
    assert not set(shown.text) & {"\x1b", "\x07", "{"}
    failed = tool.run("item", "get", "--id", "77777", "--format", "text")
    assert (failed.exit, failed.stdout) == (3, b"")
    assert "E_NOT_FOUND" in failed.stderr
    assert "fix: " in failed.stderr


def test_raw_passes_bytes_through(tool: Tool) -> None:
    raw = tool.run("item", "content", "--id", "1", "--format", "raw")
    assert raw.stdout == b"Content of item 1\n"
    assert tool.run("item", "content", "--id", "1").ok()["content"] == raw.text


def test_arguments_that_are_no_utf_8_are_a_mistake_of_the_caller(tool: Tool) -> None:
    tool.run("item", "list", "--query", "\udcff").fails("E_VALIDATION")
    tool.run("item", "\udcff").fails("E_USAGE")
    tool.run("item", "list", "\udcff").fails("E_USAGE")


def test_an_unforeseen_error_is_an_envelope_too(
    tool: Tool,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    from acme_tool.__main__ import load
    from acme_tool._runtime import cli, run, signals

    def broken(*_: object) -> None:
        raise ZeroDivisionError("nobody saw this coming")

    monkeypatch.setattr(cli, "invoke", broken)
    monkeypatch.setattr(signals, "install", lambda _give_up: None)
    for name, value in tool.env.items():
        monkeypatch.setenv(name, value)
    assert run.run(["context"], load) == 1
    document = json.loads(capfdbinary.readouterr().out)
    assert document["error"]["code"] == "E_UNKNOWN"
    assert "ZeroDivisionError" in document["error"]["message"]


def test_the_version_is_the_same_everywhere(tool: Tool) -> None:
    version = about.VERSION
    assert tool.run("--version").text == f"{about.TOOL} {version}\n"
    assert tool.run("--version", "--compact").text == f"{about.TOOL} {version}\n"
    assert tool.run("context").ok()["version"] == version
    assert tool.run("changelog").ok()["entries"][0]["version"] == version
    skill = ROOT / "skills" / about.TOOL / "SKILL.md"
    assert f'\nversion: "{version}"\n' in skill.read_text(encoding="utf-8")
    manifest = ROOT / "package.json"
    if manifest.exists():
        assert json.loads(manifest.read_text(encoding="utf-8"))["version"] == version
