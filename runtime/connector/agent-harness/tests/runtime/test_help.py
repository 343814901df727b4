"""Help for every command and every group, for people and for programs."""

import pytest
from subject import gen, module, version, words

GROUPS = sorted(
    path
    for path in module("invocation").command_words()
    if ".".join(path) not in gen.COMMANDS
)


@pytest.mark.parametrize("name", gen.COMMANDS)
def test_a_command_explains_its_options(run, name):
    outcome = run(*words(name), "--help")
    assert outcome.code == 0
    assert gen.COMMANDS[name]["summary"] in " ".join(outcome.out.split())
    for field in gen.COMMANDS[name]["options"]:
        assert "--" + field.replace("_", "-") in outcome.out
    for flag in ("--json", "--mode", "--verbose", "--version", "--help"):
        assert flag in outcome.out


@pytest.mark.parametrize("name", gen.COMMANDS)
def test_help_in_json_is_an_envelope(run, name):
    envelope = run("--json", "--help", *words(name)).envelope
    assert envelope["command"] == name
    assert "Usage:" in envelope["data"]["help"]


@pytest.mark.parametrize("path", GROUPS)
def test_a_group_lists_its_commands(run, path):
    outcome = run(*path, "--help")
    assert outcome.code == 0
    for name in gen.COMMANDS:
        if tuple(words(name)[: len(path)]) == path:
            assert words(name)[len(path)] in outcome.out


@pytest.mark.parametrize("path", [(), *GROUPS])
def test_a_group_alone_is_a_usage_error(run, path):
    assert run(*path, "--json").error["code"] == "INVALID_USAGE"
    outcome = run(*path)
    assert outcome.code == 2
    assert outcome.out == ""
    assert "Usage:" in outcome.err


def test_the_root_lists_everything(run):
    outcome = run("--help")
    assert outcome.code == 0
    for name in gen.COMMANDS:
        assert words(name)[0] in outcome.out


@pytest.mark.parametrize("line", [["--version"], ["health", "--version"]])
def test_the_version_is_shown(run, line):
    assert run(*line).out == f"{gen.TOOL} {version}\n"
    data = run("--json", *line).data
    assert data == {"tool": gen.TOOL, "version": version}
