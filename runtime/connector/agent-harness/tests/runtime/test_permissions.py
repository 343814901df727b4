"""The gate: every command, every mode, before anything else is looked at."""

import pytest
from contract_cases import COMMANDS
from subject import allowed_modes, gen, lower_modes, words

GATED = [name for name in COMMANDS if lower_modes(name)]
DENIED = [(name, mode) for name in COMMANDS for mode in lower_modes(name)]


@pytest.mark.parametrize(("name", "mode"), DENIED)
def test_a_lower_mode_is_denied(run, backend, name, mode):
    case = COMMANDS[name]
    lines = [
        ["--json", "--mode", mode, *case["argv"], *case["sample"]],
        ["--json", f"--mode={mode}", *case["argv"]],
        [*case["argv"], "--bogus", "--json", "--mode", mode, "stray"],
        [*case["argv"], "--mode", mode, "--json", *case["sample"], "--mode", mode],
    ]
    for line in lines:
        outcome = run(*line)
        error = outcome.error
        assert outcome.code == gen.EXIT_CODES["permission_denied"]
        assert error["code"] == "PERMISSION_DENIED"
        assert error["message"] == f"Command requires mode={case['mode']}"
        assert error["details"] == {"required_mode": case["mode"], "actual_mode": mode}
        assert outcome.envelope["command"] == name
        assert outcome.envelope["meta"]["mode"] == mode
    assert backend.requests == []


@pytest.mark.parametrize("name", COMMANDS)
def test_its_own_mode_and_higher_ones_pass(run, backend, name):
    case = COMMANDS[name]
    for mode in allowed_modes(name):
        outcome = run("--json", "--mode", mode, *case["argv"], *case["sample"])
        assert outcome.code != gen.EXIT_CODES["permission_denied"]
        assert outcome.envelope["meta"]["mode"] == mode


@pytest.mark.parametrize("name", GATED)
def test_without_a_flag_the_default_or_the_environment_decides(
    run, backend, monkeypatch, name
):
    case = COMMANDS[name]
    line = ["--json", *case["argv"], *case["sample"]]
    assert run(*line).error["details"]["actual_mode"] == gen.DEFAULT_MODE
    monkeypatch.setenv("AOS_MODE", case["mode"])
    if gen.MODE_ENV is None:
        assert run(*line).error["code"] == "PERMISSION_DENIED"
        return
    assert run(*line).envelope["meta"]["mode"] == case["mode"]
    denied = run(*line, "--mode", gen.DEFAULT_MODE)
    assert denied.error["code"] == "PERMISSION_DENIED"


@pytest.mark.parametrize("name", GATED)
def test_a_denial_comes_before_the_keys_are_looked_at(run, name):
    error = run("--json", *COMMANDS[name]["argv"]).error
    assert error["code"] == "PERMISSION_DENIED"


@pytest.mark.parametrize("name", GATED)
def test_a_denial_is_clear_to_people(run, name):
    outcome = run(*COMMANDS[name]["argv"])
    assert outcome.code == 3
    assert outcome.out == ""
    assert f"Command requires mode={COMMANDS[name]['mode']}" in outcome.err
    assert "hint: " in outcome.err


def mixed(name):
    """Lines with two different modes, in front, at the end and in each other's way."""
    case = COMMANDS[name]
    low, high = gen.MODES[0], gen.MODES[-1]
    for first, second in ((low, high), (high, low)):
        yield ["--mode", first, *case["argv"], *case["sample"], "--mode", second]
        yield [f"--mode={first}", f"--mode={second}", *case["argv"], *case["sample"]]
        yield [*case["argv"], *case["sample"], "--mode", first, f"--mode={second}"]
        yield [*case["argv"], "--bogus", "--mode", first, "--mode", second, "stray"]
        # An option without its value takes the word that comes next.
        for option in case["options"][:1]:
            line = [*case["argv"], *case["sample"], option, f"--mode={second}"]
            yield ["--mode", first, *line]


@pytest.mark.parametrize("name", COMMANDS)
def test_two_different_modes_are_a_usage_error(run, backend, name):
    for line in mixed(name):
        outcome = run("--json", *line)
        assert (outcome.code, outcome.error["code"]) == (2, "INVALID_USAGE"), line
        assert "`--mode`" in outcome.error["message"]
    assert backend.requests == []


@pytest.mark.parametrize("name", gen.REQUIRED_COMMANDS)
def test_the_same_mode_twice_is_fine(run, name):
    for mode in gen.MODES:
        outcome = run("--json", "--mode", mode, *words(name), f"--mode={mode}")
        assert outcome.envelope["meta"]["mode"] == mode
        assert outcome.code == 0
