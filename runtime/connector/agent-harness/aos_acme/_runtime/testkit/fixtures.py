"""Fixtures for all tests: a clean environment, a backend, a way to run commands.

`tests/conftest.py` loads them.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from . import facts
from .backend import Answer, Backend, Request
from .subject import SECRETS, api, cases, gen, main


class Outcome:
    """The exit code and the output of one run."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err

    @property
    def envelope(self) -> Any:
        """The one line of JSON, checked against the contract."""
        assert self.out.endswith("\n"), self.out
        assert self.out.count("\n") == 1, self.out
        envelope = json.loads(self.out)
        assert envelope["ok"] is (self.code == 0)
        assert set(envelope["meta"]) == set(gen.META_KEYS)
        if not envelope["ok"]:
            code = envelope["error"]["code"]
            known = gen.ERROR_CODES.get(code)
            assert known is None or known["exit"] == self.code
        return envelope

    @property
    def data(self) -> Any:
        assert self.code == 0, self.out + self.err
        return self.envelope["data"]

    @property
    def error(self) -> Any:
        assert self.code != 0, self.out
        return self.envelope["error"]


# Runs a command line.
Run = Callable[..., Outcome]
# Serves exchanges; the list gets the reasons of what is refused.
Serve = Callable[[list[facts.Exchange]], list[str]]
# Runs a command as conform.toml says: outcome, requests, reasons of refusals.
Call = Callable[..., tuple[Outcome, list[Request], list[str]]]


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key, no mode and no proxy of the machine reaches a test."""
    names = [*gen.SERVICE_KEYS, gen.MODE_ENV, api.URL_OVERRIDE, "PYTHONPATH"]
    proxies = [name for name in os.environ if name.lower().endswith("_proxy")]
    for name in filter(None, [*names, *proxies]):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reaches another machine, whatever the connector does."""
    look_up = socket.getaddrinfo

    def guarded(host: Any, *args: Any, **kwargs: Any) -> Any:
        if host not in (None, "", "127.0.0.1", "::1", "localhost"):
            raise socket.gaierror(f"the tests have no network: {host!r}")
        return look_up(host, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", guarded)


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command line in this process."""

    def call(*words: str) -> Outcome:
        capfd.readouterr()
        code = main([str(word) for word in words])
        return Outcome(code, *capfd.readouterr())

    return call


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Set every service key to its sentinel value."""
    for key, secret in SECRETS.items():
        monkeypatch.setenv(key, secret)
    if not api.BASE_URL:
        name = api.BASE_URL_KEY or api.URL_OVERRIDE
        monkeypatch.setenv(name, "https://backend.invalid")
    return SECRETS


@pytest.fixture
def point_at(
    monkeypatch: pytest.MonkeyPatch, keys: dict[str, str]
) -> Callable[[str], None]:
    """Point the connector at a base URL, with all keys set."""

    def point(url: str) -> None:
        if api.URL_OVERRIDE:
            monkeypatch.setenv(api.URL_OVERRIDE, url)
        elif api.BASE_URL_KEY:
            monkeypatch.setenv(api.BASE_URL_KEY, url)
        else:
            monkeypatch.setattr(api, "BASE_URL", url)

    return point


@pytest.fixture
def nobody() -> str:
    """A URL where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return f"http://127.0.0.1:{taken.getsockname()[1]}"


@pytest.fixture(scope="session")
def shared_backend() -> Iterator[Backend]:
    backend = Backend()
    yield backend
    backend.close()


@pytest.fixture
def backend(shared_backend: Backend, point_at: Callable[[str], None]) -> Backend:
    """The backend that the connector calls in this test."""
    shared_backend.answer()
    point_at(shared_backend.url)
    return shared_backend


@pytest.fixture
def api_of(
    shared_backend: Backend, keys: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> Serve:
    """Serve exchanges of conform.toml; the list that it returns gets what was refused."""
    url = shared_backend.url + facts.BASE_PATH
    if facts.BASE_URL_ENV:
        monkeypatch.setenv(facts.BASE_URL_ENV, url)
    else:
        monkeypatch.setattr(api, "BASE_URL", url)

    def serve(exchanges: list[facts.Exchange]) -> list[str]:
        refused = []

        def rule(request: Request) -> Answer:
            answer, why = facts.answer(exchanges, request)
            for name, text in answer.headers.items():
                answer.headers[name] = text.replace("{base_url}", url)
            refused.extend([why] if why else [])
            return answer

        shared_backend.answer_by(rule)
        return refused

    return serve


@pytest.fixture
def call(run: Run, shared_backend: Backend, api_of: Serve) -> Call:
    """Run a command as conform.toml says: (outcome, requests, reasons of refusals)."""

    def made(command: str, *more: str) -> tuple[Outcome, list[Request], list[str]]:
        stated, known = facts.COMMANDS[command], cases.COMMANDS[command]
        refused = api_of(stated["requests"])
        line = [*known["argv"], *stated.get("arguments", []), *more]
        outcome = run("--json", "--mode", known["mode"], *line)
        return outcome, list(shared_backend.requests), refused

    return made


@pytest.fixture
def granted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The workflow passes no mode; the operator of the host grants it."""
    monkeypatch.setenv(gen.MODE_ENV, gen.MODES[-1])
