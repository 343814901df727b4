"""One surface, told five times: manifest, permissions, constants, CLI and handlers."""

import json
import pkgutil
import re
from importlib import import_module

import contract_cases
import pytest
from subject import HARNESS, PACKAGE, REPOSITORY, gen, module, version

FLAGS = re.MULTILINE | re.DOTALL
registry = module("registry")
RESERVED = {"json", "mode", "verbose", "version", "help"}
DATA_KEYS_OF_THE_HOST = {"ok", "connectorId", "operation", "resource"}


def manifest():
    return json.loads((REPOSITORY / "connector.json").read_text(encoding="utf-8"))


def leaves(group, path=()):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from leaves(command, (*path, name))
        else:
            yield ".".join((*path, name)), command


def test_the_constants_hold_the_manifest():
    assert manifest() == json.loads(json.dumps(gen.MANIFEST, default=dict))


def test_every_source_lists_the_same_commands_with_the_same_modes():
    listed = {entry["id"]: entry["required_mode"] for entry in manifest()["commands"]}
    told = json.loads((HARNESS / "permissions.json").read_text(encoding="utf-8"))
    cases = {name: case["mode"] for name, case in contract_cases.COMMANDS.items()}
    constants = {name: spec["required_mode"] for name, spec in gen.COMMANDS.items()}
    assert constants == listed
    assert cases == listed
    for key in ("permissions", "commands"):
        assert told.get(key, listed) == listed
    assert {"permissions", "commands"} & set(told)


def test_the_command_tree_is_the_manifest():
    tree = module("options").build_tree()
    assert {name for name, _ in leaves(tree)} == set(gen.COMMANDS)


@pytest.mark.parametrize("name", gen.COMMANDS)
def test_the_options_of_a_command_are_its_fields(name):
    fields = manifest()["scope"]["fields"]
    applied = {field["id"] for field in fields if name in field["applies_to"]}
    command = dict(leaves(module("options").build_tree()))[name]
    options = {param.name for param in command.params} - RESERVED
    assert options == applied == set(gen.COMMANDS[name]["options"])
    shown = {text for param in command.params for text in param.opts}
    assert set(contract_cases.COMMANDS[name]["options"]) == shown - {
        f"--{word}" for word in RESERVED
    }
    assert set(gen.COMMANDS[name]["required"]) <= applied
    assert not applied & RESERVED


@pytest.mark.parametrize("name", gen.COMMANDS)
def test_every_command_has_a_handler(name):
    assert callable(registry.handler(name))


def test_every_handler_has_a_command():
    commands = module("commands")
    for found in pkgutil.iter_modules(commands.__path__):
        import_module(f"{PACKAGE}.commands.{found.name}")
    assert set(registry.HANDLERS) <= set(gen.COMMANDS)


def test_the_required_commands_are_open_to_everyone():
    for name in gen.REQUIRED_COMMANDS:
        assert gen.COMMANDS[name]["required_mode"] == gen.MODES[0]


def test_capabilities_tell_the_whole_manifest(run):
    data = run("--json", "capabilities").data
    told = manifest()
    assert data["tool"] == gen.TOOL == contract_cases.TOOL
    assert data["version"] == version
    assert data["modes"] == list(gen.MODES)
    for key in ("manifest_schema_version", "backend", "connector", "auth", "commands"):
        assert data[key] == told[key]
    assert not DATA_KEYS_OF_THE_HOST & set(data)


def test_the_host_can_read_the_project_file():
    text = (HARNESS / "pyproject.toml").read_text(encoding="utf-8")
    section = re.search(r"^\[project\]\n(.*?)^\[", text, FLAGS).group(1)
    found = dict(re.findall(r'^([\w-]+) = "([^"]*)"$', section, FLAGS))
    assert found["name"] == gen.TOOL
    assert found["version"] == version
    assert section.index("requires-python") < section.index("description")
    assert chr(90) not in section  # the pattern of the host stops at this letter
    scripts = re.search(r"^\[project.scripts\]\n(.*?)^\[", text, FLAGS).group(1)
    assert re.match(r"(aos-[a-z0-9-]+) =", scripts).group(1) == gen.TOOL


def test_only_sources_reads_files_and_nothing_reads_undeclared_variables():
    for path in (HARNESS / PACKAGE).rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.parent.name == PACKAGE and path.name != "sources.py":
            assert "open(" not in text.replace("os.open(os.devnull", ""), path
        assert "os.environ" not in text or path.name == "config.py", path
        assert "subprocess" not in text, path
