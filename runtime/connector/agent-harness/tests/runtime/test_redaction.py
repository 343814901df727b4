"""Secrets: not whole, not encoded and not in part, on any way out."""

import base64
import json
import time
from urllib.parse import quote

import pytest
from contract_cases import COMMANDS
from subject import BACKEND_COMMANDS, SECRETS, api, gen, module, words

TOKEN = "pat_b7Kq9ZsW3mXd5RtY8uHn2LcV"

HIDDEN = {key: text for key, text in SECRETS.items() if key != api.BASE_URL_KEY}
SECRET = SECRETS[api.SECRET_KEY]


def encodings(secret):
    raw = secret.encode()
    yield secret
    yield quote(secret, safe="")
    yield json.dumps(secret)[1:-1]
    yield raw.hex()
    for prefix in (b"", b"u", b"u:", b"user@example.com:"):
        yield base64.b64encode(prefix + raw).decode()
        yield base64.urlsafe_b64encode(prefix + raw).decode()


def assert_no_part(outcome):
    """No run of four characters of any secret is in the output."""
    shown = (outcome.out + outcome.err).lower()
    for secret in HIDDEN.values():
        low = secret.lower()
        for at in range(len(low) - 3):
            assert low[at : at + 4] not in shown, (low[at : at + 4], shown)


def echoes():
    """Answers of a backend that repeats the secret, in whole or in part."""
    texts = [
        *encodings(SECRET),
        SECRET[:4],
        SECRET[-4:],
        SECRET[5:9],
        SECRET[:4].lower(),
    ]
    for text in texts:
        told = f"key {text} is wrong"
        for status in (401, 404, 422, 500):
            yield {"status": status, "body": {"message": told}}
        yield {"status": 422, "body": {"errors": [{"message": told, "field": text}]}}
        yield {"status": 400, "body": {"errorMessages": [told]}}
        yield {"status": 500, "body": f"<html>{told}</html>".encode()}
        yield {"status": 302, "headers": {"Location": f"https://x.y/?{quote(text)}"}}
        yield {"status": 429, "headers": {"Retry-After": quote(text)}}


@pytest.mark.parametrize("name", BACKEND_COMMANDS[:2])
def test_a_backend_that_repeats_the_secret_is_not_repeated(run, backend, name):
    case = COMMANDS[name]
    line = ["--mode", case["mode"], *case["argv"], *case["sample"], "--verbose"]
    for answer in echoes():
        backend.answer(**answer)
        assert_no_part(run("--json", *line))
    backend.answer(422, {"message": SECRET})
    assert_no_part(run(*line))


@pytest.mark.parametrize("name", BACKEND_COMMANDS)
def test_no_command_shows_a_part_of_a_secret_when_it_fails(run, backend, name):
    case = COMMANDS[name]
    line = ["--mode", case["mode"], *case["argv"], *case["sample"], "--verbose"]
    for status in (401, 422):
        backend.answer(status, {"message": f"no: {SECRET}"})
        assert_no_part(run("--json", *line))
    assert_no_part(run(*line))


def test_a_code_that_repeats_the_secret_is_dropped(backend, monkeypatch, run):
    monkeypatch.setattr(api, "ERROR_STYLE", "ok_field")
    backend.answer(body={"ok": False, "error": f"bad_{SECRET}"})
    assert_no_part(run("--json", "health"))


@pytest.mark.parametrize("name", gen.REQUIRED_COMMANDS)
def test_meta_commands_show_nothing(run, backend, name):
    backend.answer(401, {"message": SECRET})
    for flags in ([], ["--json"], ["--verbose"], ["--json", "--verbose"]):
        assert_no_part(run(*words(name), *flags))


def test_config_show_tells_set_and_nothing_else(run, keys):
    shown = run("--json", "config", "show").data["auth"]["keys"]
    assert shown == [{"key": key, "set": True} for key in gen.SERVICE_KEYS]


@pytest.mark.parametrize(
    "line",
    [
        [SECRET],
        [f"--{SECRET}"],
        ["health", SECRET],
        ["health", f"--{SECRET}=1"],
        ["--mode", SECRET, "health"],
        ["health", f"--mode={SECRET}"],
        ["config", SECRET],
        [f"-{SECRET}", "health"],
    ],
)
def test_what_the_caller_typed_is_not_repeated(run, keys, line):
    for flags in ([], ["--json"]):
        outcome = run(*flags, *line)
        assert outcome.code == 2
        assert_no_part(outcome)


@pytest.mark.parametrize("name", BACKEND_COMMANDS)
def test_a_secret_as_the_value_of_an_option_is_not_repeated(run, backend, name):
    case = COMMANDS[name]
    for option in case["options"]:
        line = [*case["argv"], *case["sample"], option, SECRET[:6]]
        backend.answer(404, {"message": SECRET[:6]})
        assert_no_part(run("--json", "--verbose", "--mode", case["mode"], *line))


def test_an_exception_that_holds_the_secret_is_not_repeated(run, keys, monkeypatch):
    def broken(inputs, call):
        raise ValueError(SECRET)

    monkeypatch.setitem(module("registry").HANDLERS, "health", broken)
    for flags in ([], ["--json"], ["--verbose"]):
        outcome = run("health", *flags)
        assert outcome.code == 10
        assert_no_part(outcome)


def test_a_handler_that_prints_the_secret_is_silenced(run, keys, monkeypatch):
    def chatty(inputs, call):
        print("key", SECRET[:5])
        print("rest", SECRET[5:], end="")
        return {}

    monkeypatch.setitem(module("registry").HANDLERS, "config.show", chatty)
    assert_no_part(run("config", "show", "--json"))


@pytest.mark.parametrize("key", HIDDEN)
def test_a_key_that_cannot_be_sent_is_named_and_not_shown(run, keys, monkeypatch, key):
    if not BACKEND_COMMANDS:
        pytest.skip("no command of its own")
    case = COMMANDS[BACKEND_COMMANDS[0]]
    for odd in ("\n", "\r\nX-Other: 1", "\x07"):
        monkeypatch.setenv(key, SECRETS[key] + odd)
        line = ["--mode", case["mode"], *case["argv"], *case["sample"]]
        outcome = run("--json", *line)
        assert outcome.error["code"] == "AUTH_ERROR"
        assert outcome.error["details"]["key"] == key
        assert_no_part(outcome)


def test_results_are_scrubbed_and_otherwise_left_alone(keys):
    scrub = module("redaction").scrub
    for text in encodings(SECRET):
        found = json.dumps(scrub({"a": [f"x {text} y", {text: 1}], "n": 5, "b": True}))
        assert SECRET not in found
        assert base64.b64encode(SECRET.encode()).decode()[:20] not in found
    data = {"a": "plain", "b": [1, None, True, 1.5], SECRET[:4]: SECRET[:5]}
    assert scrub(data) == data


def damaged():
    """Texts of a backend that shows a part of TOKEN, and what is left of each."""
    for part in (TOKEN, TOKEN[:20], TOKEN[-9:], TOKEN[7:15]):
        for text in (part, part.upper(), part.lower(), part.swapcase(), part[::-1]):
            yield text, "[redacted]"
            yield f"x {text}, y", "x [redacted], y"
            yield f"{text}{text}", "[redacted]"
    for mark in ("***", "....", "xXx", "••••", "…", "*"):
        for text in (TOKEN[:4], TOKEN[-4:], TOKEN[:7], TOKEN[-6:]):
            yield f"{mark}{text}", "[redacted]"
            yield f"{text}{mark}", "[redacted]"
            yield f"{mark}{text.swapcase()}{mark}", "[redacted]"
        yield f"{TOKEN[:4]}{mark}{TOKEN[-5:]}", "[redacted]"
    yield f"{TOKEN[3:14]}{TOKEN[20:]}", "[redacted]"
    yield f"{TOKEN[:8]}{TOKEN[:7][::-1]}", "[redacted]"
    yield base64.b64encode(TOKEN.encode()).decode().lower(), "[redacted]"
    yield TOKEN.encode().hex()[::-1], "[redacted]"


INTACT = [
    TOKEN[:7],
    TOKEN[-7:],
    TOKEN[-4:],
    TOKEN[:4] + TOKEN[-4:],
    f"{TOKEN[3:10]} {TOKEN[10:17]}",
    f"***{TOKEN[-3:]}",
    f"***{TOKEN[8:12]}",
    f"see ***{TOKEN[-4:]}",
    "...",
    "xxxxxxxxxxxx",
    "a\0b",
    "\u0130stanbul \u1e9e \ud800",
    "",
]


@pytest.fixture
def scrub(keys, monkeypatch):
    monkeypatch.setenv(api.SECRET_KEY, TOKEN)
    return module("redaction").scrub


def test_parts_of_a_secret_are_cut_out_of_results(scrub):
    for text, left in damaged():
        assert scrub(text) == left, text
        shown = scrub({"\u0130\0": [text, "\1\0", 1], text: None})
        assert shown == {"\u0130\0": [left, "\1\0", 1], left: None}


@pytest.mark.parametrize("text", INTACT)
def test_what_does_not_show_a_secret_stays(scrub, text):
    data = {"a": [text, 1, None, True, 2.5], text: {"b": text, 5: ()}}
    assert scrub(data) == data
    shown = scrub({"token": TOKEN, "data": [text, {text: text}]})
    assert shown == {"token": "[redacted]", "data": [text, {text: text}]}


@pytest.mark.parametrize("name", BACKEND_COMMANDS[:1])
def test_a_result_shows_no_part_of_a_secret(run, backend, monkeypatch, name):
    shown = {
        "last4": "***" + SECRET[-4:],
        "split": [SECRET[:12], SECRET[12:]],
        "upper": SECRET.upper(),
        "lower": SECRET.lower(),
        "rev": SECRET[::-1],
        SECRET[:10]: 1,
    }
    monkeypatch.setitem(module("registry").HANDLERS, name, lambda i, a: {"r": shown})
    case = COMMANDS[name]
    line = ["--mode", case["mode"], *case["argv"], *case["sample"]]
    outcome = run("--json", *line)
    gone = dict.fromkeys(("last4", "upper", "lower", "rev"), "[redacted]")
    split = {"split": ["[redacted]"] * 2}
    assert outcome.data["r"] == {**gone, **split, "[redacted]": 1}
    assert_no_part(outcome)
    assert_no_part(run(*line))


def test_a_shorter_secret_is_found_whole_and_masked_only(monkeypatch, keys):
    monkeypatch.setenv(api.SECRET_KEY, "q7Zr9Wk2Lp5")
    scrub = module("redaction").scrub
    assert scrub("a Q7ZR9WK2LP5b") == "a [redacted]b"
    assert scrub("5pL2kW9rZ7q") == "[redacted]"
    assert scrub("***Lp5, ***2Lp5") == "***Lp5, ***2Lp5"
    assert scrub(["***2Lp5", "q7Zr9Wk2Lp…"]) == ["[redacted]"] * 2
    assert scrub("q7Zr9Wk2Lp") == "q7Zr9Wk2Lp"


def test_a_large_result_is_searched_quickly(scrub):
    row = {"id": "b7Kq", "text": "pat_ lorem ipsum dolor sit amet, consectetur", "n": 1}
    data = [{**row, "name": f"n{at}", "key": TOKEN[:-1]} for at in range(6500)]
    assert len(json.dumps(data)) > 700_000
    started = time.process_time()
    shown = scrub(data)
    assert time.process_time() - started < 0.5
    assert shown == [{**entry, "key": "[redacted]"} for entry in data]


def test_an_error_does_not_show_a_secret_backwards(keys):
    quote = module("redaction").quote
    assert quote(f"no {SECRET[::-1][3:9]}") == module("redaction").MARK


def test_a_short_secret_does_not_destroy_results(monkeypatch, keys):
    monkeypatch.setenv(api.SECRET_KEY, "test")
    scrub = module("redaction").scrub
    assert scrub(["latest", "contest"]) == ["latest", "contest"]
    assert scrub("a test here") == "a [redacted] here"


def test_the_name_of_a_user_stays_in_results(monkeypatch, keys):
    monkeypatch.setattr(module("config"), "SERVICE_KEYS", ("A_USER", api.SECRET_KEY))
    monkeypatch.setattr(api, "USER_KEY", "A_USER")
    monkeypatch.setenv("A_USER", "someone@example.com")
    redaction = module("redaction")
    assert redaction.scrub("made by someone@example.com")[-1] == "m"
    assert redaction.quote("no user someone@example.com") == redaction.MARK
