"""Doctor: which commands can run, and what the operator must do."""

import pytest
from subject import BACKEND_COMMANDS, SECRETS, gen, module


def ready(outcome):
    told = outcome.data["runtime"]["command_readiness"]
    assert set(told) == set(gen.COMMANDS)
    if gen.HEALTH_ENVELOPE_KEYS:
        assert outcome.envelope["runtime"] == outcome.data["runtime"]
    return {name for name, fine in told.items() if fine}


@pytest.mark.parametrize("mode", gen.MODES)
def test_a_command_is_ready_when_the_mode_allows_it(run, backend, mode):
    backend.answer(body={"ok": True})
    outcome = run("--json", "--mode", mode, "doctor")
    rank = gen.MODES.index(mode)
    spec = gen.COMMANDS
    allowed = {n for n in spec if gen.MODES.index(spec[n]["required_mode"]) <= rank}
    assert ready(outcome) == allowed
    assert outcome.data["status"] == "ready"


def test_nothing_is_ready_without_its_key(run, backend, monkeypatch):
    for key in gen.SERVICE_KEYS:
        monkeypatch.delenv(key)
    outcome = run("--json", "doctor")
    assert not ready(outcome) & set(BACKEND_COMMANDS)
    steps = "\n".join(outcome.data["next_steps"])
    assert "gateway" in steps
    assert all(key in steps for key in gen.SERVICE_KEYS)
    assert backend.requests == []


def test_nothing_is_ready_when_the_backend_refuses_the_key(run, backend):
    backend.answer(401, {"message": f"no: {next(iter(SECRETS.values()))}"})
    outcome = run("--json", "doctor")
    assert not ready(outcome) & set(BACKEND_COMMANDS)
    for secret in SECRETS.values():
        assert secret not in outcome.out


def test_variables_are_named_and_not_shown(run, backend, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://someone:word@127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    backend.answer(body={"ok": True})
    outcome = run("--json", "doctor")
    assert outcome.data["environment"]["HTTPS_PROXY"] is True
    assert outcome.data["environment"]["SSL_CERT_FILE"] is False
    assert "word" not in outcome.out


def test_a_handler_of_its_own_may_answer_otherwise(run, monkeypatch):
    module("registry").handler("doctor")
    handlers = module("registry").HANDLERS
    monkeypatch.setitem(handlers, "doctor", lambda i, a: {"fine": True})
    assert run("--json", "doctor").data == {"fine": True}
