"""Checks: every command against the API of conform.toml, which refuses what the API refuses.

conform.toml says which requests a command makes, how credentials are sent, what
the pages of a list are and how the API refuses. Change it together with a handler,
and only where the documentation of the API says so.
"""

from __future__ import annotations

import json

import pytest

from . import facts
from .backend import Backend
from .fixtures import Call, Run, Serve
from .subject import BACKEND_COMMANDS, SECRETS, api, cases, gen

COMMANDS = cases.COMMANDS


@pytest.mark.parametrize("command", BACKEND_COMMANDS)
def test_conform_toml_states_the_requests_of_every_command(command: str) -> None:
    requests = facts.COMMANDS.get(command, {}).get("requests")
    advice = f"add [[harness.commands]] with id = {command!r} to conform.toml"
    assert requests, advice


@pytest.mark.parametrize("command", facts.COMMANDS)
def test_conform_toml_states_no_command_that_is_gone(command: str) -> None:
    assert command in BACKEND_COMMANDS


@pytest.mark.parametrize("command", facts.COMMANDS)
def test_a_command_sends_the_requests_that_are_stated(command: str, call: Call) -> None:
    outcome, requests, refused = call(command)
    assert refused == []
    stated = facts.COMMANDS[command]
    wanted = stated["requests"][:1] if "ids" in stated else stated["requests"]
    for request, exchange in zip(requests, wanted):
        sent = f"{request.method} {request.path} {request.query} {request.body}"
        assert facts.is_exactly(exchange, request), sent
    assert len(requests) == len(wanted)
    assert outcome.code == 0, outcome.out
    assert outcome.data.get("failed", 0) == 0, outcome.out
    reply = wanted[-1].get("reply")
    if stated.get("result") and len(wanted) == 1 and reply and "ids" not in stated:
        assert outcome.data[stated["result"]] == json.loads(reply)


@pytest.mark.parametrize("command", facts.LISTS)
def test_a_list_is_followed_to_its_end(command: str, call: Call) -> None:
    stated = facts.COMMANDS[command]
    items, cursor = [], None
    for _ in range(len(stated["ids"]) + 2):
        outcome, _, refused = call(command, *(["--cursor", cursor] if cursor else []))
        assert refused == []
        data = outcome.data
        assert data["has_more"] is (data["next_cursor"] is not None)
        if stated.get("result"):
            assert len(data[stated["result"]]) == len(data["items"])
        assert "complete" not in data, "conform.toml states the whole list"
        items += data["items"]
        cursor = data["next_cursor"]
        if cursor is None:
            break
        assert len(items) <= len(stated["ids"]), "entries that the API does not have"
    assert cursor is None, "the list does not end"
    assert [item["id"] for item in items] == stated["ids"]
    assert [item["name"] for item in items] == stated["names"]


def test_health_asks_the_api(run: Run, shared_backend: Backend, api_of: Serve) -> None:
    refused = api_of([facts.API["health"]])
    outcome = run("--json", "health")
    assert refused == []
    assert shared_backend.requests, "health says how it is without asking"
    for request in shared_backend.requests:
        assert facts.is_exactly(facts.API["health"], request), request.target
    assert outcome.data["status"] == "healthy"


@pytest.mark.parametrize("key", [key for key in SECRETS if key != facts.BASE_URL_ENV])
def test_wrong_credentials_are_refused(
    key: str, run: Run, api_of: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    api_of([facts.API["health"]])
    right = facts.credentials()
    monkeypatch.setattr(facts, "credentials", lambda: right)
    monkeypatch.setenv(key, "another-value")
    value = facts.values()
    if f"{{{key}}}" in value or ":" in value:
        assert run("--json", "health").data["status"] == "needs_setup"


def test_a_secret_is_sent_in_its_header_alone(
    run: Run, shared_backend: Backend, api_of: Serve
) -> None:
    api_of([facts.API["health"]])
    run("--json", "health")
    secrets = [text for key, text in SECRETS.items() if key != facts.BASE_URL_ENV]
    headers = {place.get("header", "").lower() for place in facts.secret_places()}
    names = {place.get("query") for place in facts.secret_places()}
    assert shared_backend.requests
    for request in shared_backend.requests:
        sent = [(n.lower(), v) for n, v in request.header_list]
        others = [f"{n}: {v}" for n, v in sent if n not in headers]
        query = [pair for pair in request.query if pair[0] not in names]
        said = "\n".join([request.path, str(query), str(request.body), *others])
        assert not [text for text in secrets if text in said]


@pytest.mark.parametrize("at", range(len(facts.REFUSALS)))
def test_a_refusal_is_read_as_conform_toml_says(
    at: int, run: Run, shared_backend: Backend, api_of: Serve
) -> None:
    refusal = facts.REFUSALS[at]
    command = min(facts.COMMANDS, key=lambda name: gen.MODES.index(mode(name)))
    api_of([])
    shared_backend.answer_in_turn(facts.refused(refusal))
    words = [*COMMANDS[command]["argv"], *facts.COMMANDS[command].get("arguments", [])]
    outcome = run("--json", "--mode", mode(command), *words)
    error = outcome.error
    assert error["code"] == refusal["code"]
    assert refusal.get("says", "") in json.dumps(error, ensure_ascii=False)
    if "reason" in refusal:
        assert error["details"].get("reason") == refusal["reason"]
    if "retry_after" in refusal:
        assert error["details"].get("retry_after_s") == refusal["retry_after"]


def test_an_answer_that_is_only_a_part_says_so(
    run: Run, shared_backend: Backend, api_of: Serve
) -> None:
    for partial in facts.PARTIALS:
        command, reason = partial["command"], partial.get("reason", "")
        api_of([])
        shared_backend.answer_in_turn(facts.partly(partial))
        arguments = facts.COMMANDS[command].get("arguments", [])
        words = [*COMMANDS[command]["argv"], *arguments]
        data = run("--json", "--mode", mode(command), *words).data
        assert data.get("incomplete_reason", "") == reason, partial
        assert data.get("complete") is (False if reason else None), partial


def mode(command: str) -> str:
    return str(COMMANDS[command]["mode"])


def test_the_base_url_is_that_of_the_api() -> None:
    assert api.BASE_URL.rstrip("/") == facts.BASE_URL
