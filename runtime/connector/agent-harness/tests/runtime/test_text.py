"""Texts for people: every line is shown, and none steers a terminal or a workflow."""

import json

import pytest
from subject import BACKEND_COMMANDS, module

errors = module("errors")
output = module("output")
# Two hashes that do not stand in this file, so that its own log is safe as well.
HASHES = "#" * 2
HOSTILE = [
    "::error file=x::forged",
    f"{HASHES}[error]x",
    f"{HASHES}vso[task.x]y",
    f"a {HASHES}[group]b",
    "\x1b[2J\n::warning::x",
    " \u2028\t::debug::x",
    "\u202e\x9b\r::notice::x",
]


def finished(capfd, outcome):
    """Return the text that a run of a command writes for a person."""
    run = output.Run()
    run.command = BACKEND_COMMANDS[0]
    capfd.readouterr()
    output.finish(run, outcome)
    return capfd.readouterr()


def assert_safe(text):
    for line in text.split("\n"):
        assert not line.lstrip().startswith("::"), line
        assert line.isprintable(), line
    for mark in ("[", "vso["):
        assert HASHES + mark not in text, text


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize(
    "shape",
    [
        lambda text: {"thing": text},
        lambda text: {text: {text: text}},
        lambda text: {"items": [{"id": text, text: text}, {"id": "a"}]},
        lambda text: {"t": [text, {"a": text}], "u": [text, text]},
        lambda text: {"x": {"": text}, "": text},
    ],
)
def test_a_result_from_the_api_steers_nothing(capfd, keys, shape, text):
    shown = finished(capfd, output.Result(shape(text)))
    assert_safe(shown.out)
    assert "x" in shown.out or "b" in shown.out
    assert shown.err == ""


@pytest.mark.parametrize("text", HOSTILE)
def test_a_failure_from_the_api_steers_nothing(capfd, keys, text):
    error = errors.InvalidUsage(text, {text: text}, hint=text)
    shown = finished(capfd, error)
    assert_safe(shown.err)
    assert shown.out == ""


def test_a_failure_is_told_in_lines(run):
    outcome = run("health", "--no-such-option", "x")
    assert outcome.out == ""
    assert "\\u" not in outcome.err
    first, *rest = outcome.err.splitlines()
    assert first.startswith("error: ")
    assert rest
    help_text = run("no-such-command-at-all").err + run("--help").out
    assert "\\u000a" not in help_text


def test_a_result_keeps_its_lines_and_its_values(capfd, keys):
    data = {"count": 2, "items": [{"id": "1", "name": "\u00e9 :: #"}, {"id": "2"}]}
    shown = finished(capfd, output.Result(data))
    assert [line.split() for line in shown.out.splitlines()] == [
        ["count", "2"],
        ["items"],
        ["ID", "NAME"],
        ["1", "\u00e9", "::", "#"],
        ["2", "-"],
    ]
    run = output.Run()
    run.command, run.json = BACKEND_COMMANDS[0], True
    output.finish(run, output.Result({text: text for text in HOSTILE}))
    line = capfd.readouterr().out
    assert_safe(line.rstrip("\n"))
    assert json.loads(line)["data"] == {text: text for text in HOSTILE}
