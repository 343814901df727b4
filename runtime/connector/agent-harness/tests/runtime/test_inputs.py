"""How option texts become typed inputs, whichever fields this connector has."""

import pytest
from subject import add, module

inputs = module("inputs")
errors = module("errors")
Invocation = module("invocation").Invocation

FIELDS = {
    "title": {"type": "string", "choices": None, "default": None, "help": ""},
    "count": {"type": "number", "choices": None, "default": None, "help": ""},
    "draft": {"type": "boolean", "choices": None, "default": None, "help": ""},
    "labels": {"type": "list", "choices": None, "default": None, "help": ""},
    "filter": {"type": "json", "choices": None, "default": None, "help": ""},
    "state": {
        "type": "select",
        "choices": ("open", "closed"),
        "default": "open",
        "help": "",
    },
}
SPEC = {"required_mode": "readonly", "summary": "", "required": ("title",)}


@pytest.fixture(autouse=True)
def thing_commands(monkeypatch):
    """Two commands that take every type of field."""
    add(monkeypatch, "FIELDS", FIELDS)
    spec = {**SPEC, "options": tuple(FIELDS)}
    commands = {
        "thing.find": {**spec, "action_class": "read"},
        "thing.make": {**spec, "action_class": "write"},
    }
    add(monkeypatch, "COMMANDS", commands)


def read(*words, name="thing.make"):
    call = Invocation([*name.split("."), *words])
    assert call.command == name
    return dict(inputs.read(name, module("options").parse(name, call.options)))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--title", "--json"], {"title": "--json"}),
        (["--title=a=b"], {"title": "a=b"}),
        (["--title", "a", "--title", "b"], {"title": "b"}),
        (["--title", "x", "--draft"], {"title": "x", "draft": True}),
        (["--draft", "--title", "x"], {"title": "x", "draft": True}),
        (["--draft", "false", "--title", "x"], {"title": "x", "draft": False}),
        (["--draft=True", "--title", "x"], {"title": "x", "draft": True}),
        (["--draft", "", "--title", "x"], {"title": "x"}),
        (["--title", "x", "--count", "-5"], {"title": "x", "count": -5}),
        (["--title", "x", "--count", ""], {"title": "x"}),
        (["--title", "x", "--state", "closed"], {"title": "x", "state": "closed"}),
        (["--title", "x", "--labels", "a, b,"], {"title": "x", "labels": ["a", "b"]}),
        (
            ["--title", "x", "--labels", "a", "--labels", '["b,c", 1]'],
            {"title": "x", "labels": ["a", "b,c", 1]},
        ),
        (["--title", "x", "--labels", "[]"], {"title": "x", "labels": []}),
        (["--title", "x", "--labels", ""], {"title": "x"}),
        (
            ["--title", "x", "--labels", "[bug] a"],
            {"title": "x", "labels": ["[bug] a"]},
        ),
        (
            ["--title", "x", "--filter", '{"a": [1]}'],
            {"title": "x", "filter": {"a": [1]}},
        ),
        (["--title", "x", "--filter", "null"], {"title": "x", "filter": None}),
        (["--title", "x", "--filter", "1e3"], {"title": "x", "filter": 1000.0}),
        (["--title", "x", "--labels", "[1.5]"], {"title": "x", "labels": [1.5]}),
        (
            ["--title", "x", "--labels", "[NaN] a"],
            {"title": "x", "labels": ["[NaN] a"]},
        ),
    ],
)
def test_values_are_understood(words, expected):
    assert read(*words) == {"state": "open", **expected}


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--count", "1"], "`--title`"),
        (["--title", ""], "`--title`"),
        (["--title"], "`--title`"),
        (["--title", "x", "--count", "1.5"], "whole number"),
        (["--title", "x", "--count", "1_000"], "whole number"),
        (["--title", "x", "--draft", "maybe"], "true or false"),
        (["--title", "x", "--state", "opn"], "open, closed"),
        (["--title", "x", "--filter", "{"], "not valid JSON"),
        (["--title", "x", "--filter", "NaN"], "not valid JSON"),
        (["--title", "x", "--filter", '{"a": [-Infinity]}'], "not valid JSON"),
        (["--title", "x", "--filter", '{"a": 1e999}'], "not valid JSON"),
        (["--title", "x", "--filter", "-1e999"], "not valid JSON"),
        (["--title", "x", "--filter", "[" * 100_000], "not valid JSON"),
        (["--title", "x", "--labels", "[[1]]"], "texts and numbers"),
        (["--title", "x", "--labels", "[1e999]"], "texts and numbers"),
        (["--title", "x", "--labels", '["a", NaN]'], "texts and numbers"),
        (["--title", "x", "--labels", "[null]"], "texts and numbers"),
        (["--title", "x", "--labels", r'["\ud800"]'], "UTF-8"),
        (["--title", "\udcff"], "UTF-8"),
    ],
)
def test_wrong_values_are_usage_errors(words, part):
    with pytest.raises(errors.InvalidUsage) as caught:
        read(*words)
    assert part in caught.value.message


@pytest.mark.parametrize("name", ["thing.find", "thing.make"])
def test_a_default_that_the_form_shows_is_applied(name):
    assert read("--title", "x", name=name)["state"] == "open"
    assert read("--title", "x", "--state", "", name=name)["state"] == "open"
    assert read("--title", "x", "--state", "closed", name=name)["state"] == "closed"


def test_a_value_that_looks_like_a_flag_is_a_value():
    call = Invocation(["thing", "make", "--title", "--mode", "--count", "--json"])
    assert call.mode_flag is None
    assert call.json is False
    assert call.options == ["--title=--mode", "--count=--json"]


def test_options_may_come_before_the_command():
    call = Invocation(["--title", "thing", "--draft", "thing", "make", "--json"])
    assert (call.command, call.json, call.stray) == ("thing.make", True, [])
    assert call.options == ["--title=thing", "--draft=true"]
