"""Checks: manifest, permissions, constants, options and handlers are one surface.

Besides, a lower mode is denied, no part of a secret is shown, and the vendored
runtime is the recorded one.
"""

# isort: skip_file
from __future__ import annotations

import hashlib
import json
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from ... import commands
from .. import options, readiness, registry
from .backend import Backend
from .fixtures import Run
from .subject import (
    BACKEND_COMMANDS,
    HARNESS,
    PACKAGE,
    REPOSITORY,
    SECRETS,
    SOURCES,
    VERSION,
    api,
    cases,
    gen,
    lower_modes,
)

COMMANDS = cases.COMMANDS
RUNTIME = SOURCES / "_runtime"
FLAGS = re.MULTILINE | re.DOTALL
# Bytes of a name in an archive that the host reads.
ARCHIVE_NAME = 100
RESERVED = {"json", "mode", "verbose", "version", "help"}
# Options of every command, unless an input has the name.
SHAPES = {"fields", "max_bytes"} - set(gen.FIELDS)
DATA_KEYS_OF_THE_HOST = {"ok", "connectorId", "operation", "resource"}
DENIED = [(name, mode) for name in COMMANDS for mode in lower_modes(name)]


def manifest() -> Any:
    return json.loads((REPOSITORY / "connector.json").read_text(encoding="utf-8"))


def leaves(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from leaves(command, (*path, name))
        else:
            yield ".".join((*path, name)), command


def test_the_constants_hold_the_manifest() -> None:
    assert manifest() == json.loads(json.dumps(gen.MANIFEST, default=dict))


def test_every_source_lists_the_same_commands_with_the_same_modes() -> None:
    listed = {entry["id"]: entry["required_mode"] for entry in manifest()["commands"]}
    told = json.loads((HARNESS / "permissions.json").read_text(encoding="utf-8"))
    expected = {name: case["mode"] for name, case in COMMANDS.items()}
    constants = {name: spec["required_mode"] for name, spec in gen.COMMANDS.items()}
    assert constants == listed
    assert expected == listed
    for key in ("permissions", "commands"):
        assert told.get(key, listed) == listed
    assert {"permissions", "commands"} & set(told)


def test_the_command_tree_is_the_manifest() -> None:
    assert {name for name, _ in leaves(options.build_tree())} == set(gen.COMMANDS)


@pytest.mark.parametrize("name", gen.COMMANDS)
def test_the_options_of_a_command_are_its_fields(name: str) -> None:
    fields = manifest()["scope"]["fields"]
    applied = {field["id"] for field in fields if name in field["applies_to"]}
    command = dict(leaves(options.build_tree()))[name]
    known = {param.name for param in command.params} - RESERVED - SHAPES
    assert known == applied == set(gen.COMMANDS[name]["options"])
    shown = {text for param in command.params for text in param.opts}
    own = {word.replace("_", "-") for word in RESERVED | SHAPES}
    assert set(COMMANDS[name]["options"]) == shown - {f"--{word}" for word in own}
    assert set(gen.COMMANDS[name]["required"]) <= applied
    assert not applied & RESERVED


def test_the_readme_names_every_variable_that_is_needed() -> None:
    readme = REPOSITORY / "README.md"
    told = readme.read_text(encoding="utf-8") if readme.is_file() else ""
    assert not told or [key for key in gen.SERVICE_KEYS if key not in told] == []


@pytest.mark.parametrize("name", gen.COMMANDS)
def test_every_command_has_a_handler(name: str) -> None:
    assert callable(registry.handler(name))


def test_every_handler_has_a_command() -> None:
    for found in pkgutil.iter_modules(commands.__path__):
        import_module(f"{PACKAGE}.commands.{found.name}")
    assert set(registry.HANDLERS) <= set(gen.COMMANDS)


def test_the_required_commands_are_open_to_everyone() -> None:
    for name in gen.REQUIRED_COMMANDS:
        assert gen.COMMANDS[name]["required_mode"] == gen.MODES[0]


def test_capabilities_tell_the_whole_manifest(run: Run) -> None:
    data = run("--json", "capabilities").data
    told = manifest()
    assert data["tool"] == gen.TOOL == cases.TOOL
    assert data["version"] == VERSION
    assert data["modes"] == list(gen.MODES)
    for key in ("manifest_schema_version", "backend", "connector", "auth", "commands"):
        assert data[key] == told[key]
    assert not DATA_KEYS_OF_THE_HOST & set(data)


def test_the_host_can_read_the_project_file() -> None:
    text = (HARNESS / "pyproject.toml").read_text(encoding="utf-8")
    (section,) = re.findall(r"^\[project\]\n(.*?)^\[", text, FLAGS)
    found = dict(re.findall(r'^([\w-]+) = "([^"]*)"$', section, FLAGS))
    assert found["name"] == gen.TOOL
    assert found["version"] == VERSION
    assert section.index("requires-python") < section.index("description")
    assert chr(90) not in section  # the pattern of the host stops at this letter
    (scripts,) = re.findall(r"^\[project.scripts\]\n(.*?)^\[", text, FLAGS)
    assert re.findall(r"\A(aos-[a-z0-9-]+) =", scripts) == [gen.TOOL]


def test_the_archive_reader_of_the_host_takes_every_name() -> None:
    """It cuts names at 100 bytes; README says how to pack the connector."""
    wanted = [REPOSITORY / "connector.json", *HARNESS.glob("*.*"), *SOURCES.rglob("*")]
    names = [f"{gen.TOOL}/{path.relative_to(REPOSITORY).as_posix()}" for path in wanted]
    packed = [name for name in names if "/__pycache__" not in name]
    assert [name for name in packed if len(name.encode()) > ARCHIVE_NAME] == []


def test_the_project_file_asks_for_what_the_runtime_needs() -> None:
    text = (HARNESS / "pyproject.toml").read_text(encoding="utf-8")
    (listed,) = re.findall(r"^dependencies = \[(.*?)\]", text, FLAGS)
    assert set(readiness.REQUIRES.values()) <= set(re.findall(r'"([^"]+)"', listed))
    (python,) = re.findall(r'^requires-python = ">=([\d.]+)"', text, FLAGS)
    assert tuple(map(int, python.split("."))) >= readiness.PYTHON


def test_handlers_read_no_file_and_no_variable_and_start_nothing() -> None:
    for path in SOURCES.rglob("*.py"):
        if RUNTIME not in path.parents:
            text = path.read_text(encoding="utf-8")
            for word in ("open(", "os.environ", "getenv", "subprocess"):
                assert word not in text, (path, word)


@pytest.mark.parametrize(("name", "mode"), DENIED)
def test_a_lower_mode_is_denied(
    run: Run, backend: Backend, name: str, mode: str
) -> None:
    case = COMMANDS[name]
    outcome = run("--json", "--mode", mode, *case["argv"], *case["sample"])
    assert outcome.code == gen.EXIT_CODES["permission_denied"]
    assert outcome.error["details"] == {
        "required_mode": case["mode"],
        "actual_mode": mode,
    }
    assert backend.requests == []


@pytest.mark.parametrize("name", BACKEND_COMMANDS)
def test_no_part_of_a_secret_is_shown_when_a_command_fails(
    run: Run, backend: Backend, name: str
) -> None:
    case = COMMANDS[name]
    line = ["--mode", case["mode"], *case["argv"], *case["sample"], "--verbose"]
    backend.answer(401, {"message": f"no: {SECRETS.get(api.SECRET_KEY)}"})
    for flags in ([], ["--json"]):
        outcome = run(*flags, *line)
        shown = (outcome.out + outcome.err).lower()
        for key, secret in SECRETS.items():
            low = "" if key == api.BASE_URL_KEY else secret.lower()
            parts = {low[at : at + 4] for at in range(len(low) - 3)}
            assert not [part for part in parts if part in shown], shown


def test_the_runtime_is_the_recorded_one() -> None:
    """A part that the connector owns is not in the lock, and not compared."""
    lock = (REPOSITORY / ".agent" / "spec.lock").read_text(encoding="utf-8")
    entries = re.findall(r'^"([^"]+)" = "sha256:([0-9a-f]{64})"$', lock, re.MULTILINE)
    below = f"{RUNTIME.relative_to(REPOSITORY).as_posix()}/"
    recorded = {path: digest for path, digest in entries if path.startswith(below)}
    assert recorded, "`.agent/spec.lock` does not list the runtime"
    changed = [
        path for path, digest in recorded.items() if sha256(REPOSITORY / path) != digest
    ]
    assert changed == [], "run `aos sync-spec`"


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
