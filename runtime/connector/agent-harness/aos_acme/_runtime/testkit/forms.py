"""Checks: what the form of the host can fill in, and what its workflows then call.

The functions here do what the host does, in a few lines and without its code.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from .fixtures import Run
from .subject import BACKEND_COMMANDS, gen, words

FORM_READS = {
    "id",
    "label",
    "type",
    "renderAs",
    "description",
    "placeholder",
    "required",
    "applies_to",
    "expressionEnabled",
    "options",
    "pickerHint",
    "default",
    "rows",
    "showWhen",
    "children",
}
# Other words that this runtime reads.
RUNTIME_READS = {"aliases", "default_env"}
# The host keeps these for itself: a field of such a name never arrives.
NEVER_SENT = {
    "type",
    "connectorId",
    "connectorName",
    "connectorCategory",
    "credentialId",
    "resource",
    "operation",
    "outputMapping",
    "sideEffectLevel",
    "dryRunSupported",
    "actionType",
}
SCOPE = gen.MANIFEST["scope"]
FIELDS = {field["id"]: field for field in SCOPE["fields"]}


def shown(command: str) -> list[dict[str, Any]]:
    """The fields that the form shows for a command."""
    named = [field.get("applies_to") for field in FIELDS.values()]
    return [
        field
        for field, applies_to in zip(FIELDS.values(), named)
        if not applies_to or command in applies_to
    ]


def options(field: dict[str, Any]) -> list[str]:
    """The choices that the form keeps: those with a text as their value."""
    values = [entry.get("value") for entry in field.get("options", [])]
    return [value for value in values if value and isinstance(value, str)]


def source(field: dict[str, Any]) -> str | None:
    """The command that fills the picker of a field, if the form finds one."""
    hint = SCOPE.get("pickerHints", {}).get(field.get("pickerHint"), {})
    return hint.get("source_command") if hint.get("source_fields") else None


def entered(field: dict[str, Any]) -> Any:
    """Return the values for the widget of a field; None if it takes none."""
    widget = field["renderAs"]
    if widget == "multiselect":
        return options(field)[:1] or None
    if widget == "select":
        if options(field):
            return options(field)[0]
        return "7" if source(field) else None
    if widget == "number":
        return 7
    if widget == "boolean":
        return True
    if widget == "json":
        return '{\n  "sample": true\n}'
    if widget == "datetime":
        return "2026-01-02T03:04"
    return options(field)[0] if options(field) else "7"


# The errors of a call without any key, after its options were read.
# One that needs no key goes on to the request, and the tests have no network.
REFUSED = ["AUTH_ERROR"]
if not gen.SERVICE_KEYS:
    REFUSED += ["BACKEND_UNAVAILABLE", "INVALID_USAGE"]


def argument(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value)


def called(command: str, values: dict[str, Any]) -> list[str]:
    """The command line that a workflow makes of the values of a node."""
    argv = ["--json", *words(command)]
    for key, value in values.items():
        if key not in NEVER_SENT:
            argv += ["--" + key.replace("_", "-"), argument(value)]
    return argv


def filled(command: str) -> dict[str, Any]:
    """A node whose required fields were filled in."""
    wanted = gen.COMMANDS[command]["required"]
    return {f["id"]: entered(f) for f in shown(command) if f["id"] in wanted}


@pytest.mark.parametrize("name", BACKEND_COMMANDS)
def test_every_required_field_can_be_filled_in_and_arrives(
    granted: None, run: Run, name: str
) -> None:
    values = filled(name)
    assert set(values) == set(gen.COMMANDS[name]["required"])
    assert None not in values.values(), values
    outcome = run(*called(name, values))
    assert outcome.code == 0 or outcome.error["code"] in REFUSED, outcome.out


@pytest.mark.parametrize("name", BACKEND_COMMANDS)
def test_every_field_can_be_filled_in_and_arrives(
    granted: None, run: Run, name: str
) -> None:
    values = {field["id"]: entered(field) for field in shown(name)}
    assert None not in values.values(), values
    outcome = run(*called(name, values))
    assert outcome.code == 0 or outcome.error["code"] in REFUSED, outcome.out


def test_the_form_reads_what_a_field_says() -> None:
    for name, field in FIELDS.items():
        assert set(field) <= FORM_READS | RUNTIME_READS, name
        assert field["description"], name
        assert not field.get("expressionEnabled"), name
        assert name not in NEVER_SENT
        assert field["renderAs"] != "multiselect" or options(field), name
        if field["renderAs"] == "select":
            assert options(field) or source(field), name


def test_a_default_that_is_shown_is_the_one_that_counts() -> None:
    for name, field in FIELDS.items():
        assert gen.FIELDS[name]["default"] == field.get("default"), name
        if options(field) and field.get("default"):
            assert field["default"] in options(field), name


def test_a_picker_is_filled_by_a_list_that_needs_only_the_credentials() -> None:
    for field in filter(source, FIELDS.values()):
        command = source(field)
        for wanted in gen.COMMANDS[command]["required"]:
            spec = gen.FIELDS[wanted]
            assert spec["default"] or spec.get("env") in gen.SERVICE_KEYS, field["id"]
        assert not FIELDS[field["id"]].get("options")
        hint = SCOPE["pickerHints"][field["pickerHint"]]
        assert hint["source_fields"][0] == "id"


@pytest.mark.parametrize("name", [f for f in gen.FIELDS if f != "limit"])
def test_a_number_can_come_from_a_step_before(name: str) -> None:
    """A number widget takes no `{{previous.…}}`; a text field does."""
    if gen.FIELDS[name]["type"] == "number":
        assert FIELDS[name]["renderAs"] == "text"
