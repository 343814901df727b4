"""The envelope: its exact shape, and one line of it whatever happens."""

import re

import pytest
from contract_cases import COMMANDS
from subject import BACKEND_COMMANDS, api, gen, main, module, version, words


def normal(outcome):
    """The envelope with the parts that vary replaced, after checking them."""
    envelope = outcome.envelope
    meta = envelope["meta"]
    assert isinstance(meta["duration_ms"], int)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", meta["timestamp"])
    meta["duration_ms"] = 0
    meta["timestamp"] = "T"
    return envelope


def expected(mode="readonly", **rest):
    meta = {"mode": mode, "duration_ms": 0, "timestamp": "T", "version": version}
    envelope = {"tool": gen.TOOL, "meta": meta, **rest}
    if gen.SCHEMA_VERSION is not None:
        envelope["schema_version"] = gen.SCHEMA_VERSION
    return envelope


def failure(code, message, details):
    error = {"code": code, "message": message, "details": details}
    if "retryable" in gen.OPTIONAL_ERROR_KEYS:
        error["retryable"] = gen.ERROR_CODES[code]["retryable"]
    return error


def test_success(run, keys, monkeypatch):
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    data = {
        "tool": gen.TOOL,
        "backend": gen.BACKEND,
        "auth": {
            "kind": gen.MANIFEST["auth"]["kind"],
            "keys": [{"key": key, "set": True} for key in gen.SERVICE_KEYS],
        },
        "base_url": (
            {"source": "default", "url": api.BASE_URL}
            if api.BASE_URL
            else {"source": api.BASE_URL_KEY or api.URL_OVERRIDE}
        ),
        "network": [
            {
                "key": api.URL_OVERRIDE or api.BASE_URL_KEY,
                "set": not api.BASE_URL,
                "for": "base_url",
            },
            {"key": "HTTPS_PROXY", "set": False, "for": "proxy"},
            {"key": "NO_PROXY", "set": False, "for": "hosts_without_proxy"},
            {"key": "SSL_CERT_FILE", "set": False, "for": "trusted_certificates"},
            {"key": "SSL_CERT_DIR", "set": False, "for": "trusted_certificates"},
        ],
        "mode": {
            "default": gen.DEFAULT_MODE,
            "env": gen.MODE_ENV,
            "allowed": list(gen.MODES),
        },
    }
    assert normal(run("config", "show", "--json")) == expected(
        ok=True, command="config.show", data=data
    )


def test_usage_error(run):
    assert normal(run("--json", "health", "extra")) == expected(
        ok=False,
        command="health",
        error=failure(
            "INVALID_USAGE",
            "unexpected argument `extra`",
            {"options": [], "hint": "this command takes no inputs"},
        ),
    )


@pytest.mark.parametrize("name", [n for n in BACKEND_COMMANDS if COMMANDS[n]["sample"]])
def test_missing_options_are_named(run, name):
    mode = COMMANDS[name]["mode"]
    outcome = run(*words(name), "--json", "--mode", mode)
    error = outcome.error
    assert (outcome.code, error["code"]) == (2, "INVALID_USAGE")
    assert outcome.envelope["command"] == name
    assert error["details"]["missing"]
    assert set(error["details"]["missing"]) <= set(COMMANDS[name]["options"])


@pytest.mark.parametrize("name", BACKEND_COMMANDS)
def test_an_unknown_option_gets_a_suggestion(run, name):
    known = COMMANDS[name]["options"]
    typo = (known[0] if known else "--something") + "x"
    outcome = run("--json", "--mode", "admin", *words(name), typo, "value")
    assert outcome.error["code"] == "INVALID_USAGE"
    assert typo in outcome.error["message"]
    if known:
        assert "did you mean `--" in outcome.error["details"]["hint"]


@pytest.mark.parametrize("name", gen.COMMANDS)
def test_an_unknown_command_gets_a_suggestion(run, name):
    typo = [*words(name)[:-1], words(name)[-1] + "x"]
    outcome = run(*typo, "--json")
    assert outcome.error["code"] == "INVALID_USAGE"
    assert "did you mean `" in outcome.error["details"]["hint"]


@pytest.mark.parametrize("name", ["capabilities", "health", "config.show"])
@pytest.mark.parametrize("mode", gen.MODES)
def test_global_flags_work_in_every_place(run, name, mode):
    lines = [
        ["--json", "--verbose", "--mode", mode, *words(name)],
        [*words(name), f"--mode={mode}", "--verbose", "--json"],
        ["--json", words(name)[0], "--mode", mode, *words(name)[1:], "--json"],
    ]
    for line in lines:
        envelope = run(*line).envelope
        assert (envelope["command"], envelope["meta"]["mode"]) == (name, mode)


def test_a_bad_mode_is_a_usage_error(run, monkeypatch):
    for line in (["--mode", "root"], ["--mode=root"], ["--mode="], ["--mode"]):
        assert run("--json", "health", *line).error["code"] == "INVALID_USAGE"
    if gen.MODE_ENV:
        monkeypatch.setenv(gen.MODE_ENV, "root")
        assert run("--json", "health").error["code"] == "INVALID_USAGE"
        assert run("--json", "health", "--mode", "write").code == 0
        monkeypatch.setenv(gen.MODE_ENV, "")
        assert run("--json", "health").code == 0


@pytest.mark.parametrize(
    "line",
    [
        ["--json=yes", "health"],
        ["--json", "--help=x"],
        ["--json", "--version=x"],
        ["--json", "health", "--help="],
        ["--json", "config", "--help=x"],
        ["--json", "--help", "--version=1", "health"],
        ["--json", "--", "--json"],
        ["--json", "-x"],
        ["--json", ""],
        ["--json", "health", "-"],
        ["--json", "config.show"],
        ["--json", "\udcff"],
        ["--json", "health", "--\udcff=1"],
    ],
)
def test_odd_lines_are_usage_errors(run, line):
    assert run(*line).error["code"] == "INVALID_USAGE"


@pytest.mark.parametrize(
    "fault", [ValueError, RecursionError, MemoryError, SystemExit, KeyError]
)
def test_an_unexpected_exception_is_an_internal_error(run, monkeypatch, fault):
    def broken(inputs, api):
        raise fault("boom")

    monkeypatch.setitem(module("registry").HANDLERS, "health", broken)
    outcome = run("--json", "health")
    assert outcome.error["code"] == "INTERNAL_ERROR"
    assert outcome.error["details"]["exception"] == fault.__name__
    assert "boom" not in outcome.out
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    "data", [None, [], {"a": object()}, {"a": float("nan")}, {"a": "x" * 2_000_000}]
)
def test_whatever_a_handler_returns_the_output_is_an_envelope(run, monkeypatch, data):
    monkeypatch.setitem(module("registry").HANDLERS, "config.show", lambda i, a: data)
    outcome = run("--json", "config", "show")
    assert outcome.error["code"] == "INTERNAL_ERROR"


def test_a_handler_that_prints_does_not_spoil_stdout(run, monkeypatch):
    def chatty(inputs, api):
        print("debugging")
        return {"fine": True}

    monkeypatch.setitem(module("registry").HANDLERS, "config.show", chatty)
    outcome = run("--json", "config", "show")
    assert outcome.data == {"fine": True}
    assert outcome.err == "debugging\n"


def test_large_results_are_cut_and_say_so(run, monkeypatch, keys):
    if not BACKEND_COMMANDS:
        pytest.skip("no command of its own")
    name = BACKEND_COMMANDS[0]
    big = {"text": "x" * 3_000_000, "kept": 1}
    monkeypatch.setitem(module("registry").HANDLERS, name, lambda i, a: big)
    case = COMMANDS[name]
    outcome = run("--json", "--mode", case["mode"], *case["argv"], *case["sample"])
    assert len(outcome.out) <= api.RESULT_BYTES
    assert outcome.data["truncated"] is True
    assert outcome.data["kept"] == 1


def test_people_get_text(run):
    outcome = run("config", "show")
    assert outcome.code == 0
    assert not outcome.out.startswith("{")
    for key in gen.SERVICE_KEYS:
        assert key in outcome.out
    outcome = run("nonsense")
    assert outcome.out == ""
    assert outcome.err.startswith("error: ")
    assert "hint: " in outcome.err


def test_main_returns_and_never_exits():
    assert main(["--version"]) == 0
