"""Other names of an option, defaults of the operator, and values that are shaped."""

import pytest
from subject import add, gen, module

READ = {
    "required_mode": gen.MODES[0],
    "action_class": "read",
    "summary": "Try",
    "options": ("place", "other"),
    "required": ("place",),
}
PLACE = {
    "type": "string",
    "choices": None,
    "default": None,
    "help": "Place",
    "aliases": ("site", "old_place"),
    "env": "PROOF_PLACE",
}
OTHER = {"type": "string", "choices": None, "default": None, "help": "Other"}


@pytest.fixture
def trial(monkeypatch, run):
    """Two commands that answer with their inputs."""
    gone = {**READ, "action_class": "destructive"}
    add(monkeypatch, "FIELDS", {"place": PLACE, "other": OTHER})
    add(monkeypatch, "COMMANDS", {"trial.read": READ, "trial.delete": gone})
    for name in ("trial.read", "trial.delete"):
        handlers = module("registry").HANDLERS
        monkeypatch.setitem(handlers, name, lambda i, a: {"inputs": dict(i)})
    return lambda *words: run("--json", "trial", *words)


@pytest.mark.parametrize("option", ["--place", "--site", "--old-place"])
def test_an_option_is_known_by_each_of_its_names(trial, option):
    assert trial("read", option, "here").data["inputs"] == {"place": "here"}
    assert trial("read", f"{option}=here").data["inputs"] == {"place": "here"}


def test_the_operator_sets_a_default(trial, monkeypatch):
    missing = trial("read")
    assert missing.error["details"]["or_set"] == {"--place": "PROOF_PLACE"}
    monkeypatch.setenv("PROOF_PLACE", "home")
    assert trial("read").data["inputs"] == {"place": "home"}
    assert trial("read", "--place", "here").data["inputs"] == {"place": "here"}


def test_nothing_is_destroyed_by_a_default(trial, monkeypatch):
    monkeypatch.setenv("PROOF_PLACE", "home")
    assert trial("delete").error["code"] == "INVALID_USAGE"


def test_a_shape_is_filled_and_left_out_when_an_input_is_missing():
    inputs = module("inputs").Inputs(text='say "a\\b"', kind="deal", count=7)
    fill = module("shapes").fill
    assert fill({"q": 'is = "{text}"'}, {}, inputs) == {"q": 'is = "say \\"a\\\\b\\""'}
    assert fill({"a": [{"n": "{count}"}]}, {}, inputs) == {"a": [{"n": 7}]}
    assert fill({"t": "{kind}"}, {"kind": {"deal": 214}}, inputs) == {"t": 214}
    assert fill({"t": "{absent}", "u": ["{count}"]}, {}, inputs) == {"u": [7]}


def test_an_entry_is_found_by_what_it_is_called():
    find = module("entries").find
    data = {"list": [{"id": "1", "name": "Open"}, {"id": "2", "name": "Done"}]}
    for wanted in ("Done", "done", "2"):
        assert find(data, "list", ["name", "id"], wanted, "--status")["id"] == "2"
    errors = module("errors")
    with pytest.raises(errors.NotFound) as found:
        find(data, "list", ["name"], "Gone", "--status")
    assert found.value.details["known"] == ["Done", "Open"]
    with pytest.raises(errors.InvalidUsage):
        find(data, "list", [], None, "--id")
    assert find({"list": [{"id": "1"}]}, "list", [], None, "--id") == {"id": "1"}
    with pytest.raises(errors.BackendUnavailable):
        find({}, "list", [], None, "--id")
