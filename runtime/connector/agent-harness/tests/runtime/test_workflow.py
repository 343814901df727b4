"""Workflows: the values that a host sends beside those of the chosen operation."""

from importlib import import_module

import pytest
from contract_cases import PACKAGE
from subject import BACKEND_COMMANDS, gen, module

forms = import_module(f"{PACKAGE}._runtime.testkit.forms")
FIELDS, called, entered, filled = (
    forms.FIELDS,
    forms.called,
    forms.entered,
    forms.filled,
)
# The button that tests a node sends some of them all the same.
SENT_BY_A_TEST = {
    "type": "connector_action",
    "sideEffectLevel": "none",
    "dryRunSupported": "false",
}


@pytest.fixture(autouse=True)
def granted(monkeypatch):
    """The workflow passes no mode; the operator of the host grants it."""
    monkeypatch.setenv(gen.MODE_ENV, gen.MODES[-1])


@pytest.mark.parametrize("name", gen.COMMANDS)
def test_values_of_the_operation_chosen_before_are_ignored(run, monkeypatch, name):
    handlers = module("registry").HANDLERS
    module("registry").handler(name)
    if name != "health":
        monkeypatch.setitem(handlers, name, lambda inputs, api: {"fine": True})
    mine = gen.COMMANDS[name]["options"]
    left = {f: entered(FIELDS[f]) for f in FIELDS if f not in mine}
    left["cursor" if "cursor" in left else "parameters"] = "--json"
    argv = called(name, {**left, **filled(name)})
    for key, value in SENT_BY_A_TEST.items():
        argv += [f"--{key}", value]
    data = run(*argv).data
    names = ["--" + field.replace("_", "-") for field in left]
    assert set(data["ignored_options"]) == {*names, *(f"--{k}" for k in SENT_BY_A_TEST)}
    assert "ignored_options" not in run(*called(name, filled(name))).data


@pytest.mark.parametrize("name", BACKEND_COMMANDS)
def test_an_option_of_no_command_is_a_mistake(run, name):
    for typo in ("--no-such-option", "--connectorid", "--Type"):
        outcome = run(*called(name, filled(name)), typo, "x")
        assert outcome.error["code"] == "INVALID_USAGE", outcome.out
