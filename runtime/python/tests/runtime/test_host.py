"""The token of GitHub: for its hosts, once, and never across a redirect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from acme_tool._runtime.fault import Fault
from acme_tool._runtime.transport import http
from acme_tool._runtime.transport.limits import Limit
from acme_tool._runtime.update.host import Host

API = "https://api.github.com/repos/x"
TOKEN = "canary-of-github"


@dataclass
class Answer:
    """As much of an answer as the host looks at."""

    status: int = 200
    location: str = ""
    media_type: str = ""

    def header(self, name: str) -> str:
        return self.location if name == "Location" else ""

    def read(self, _limit: int) -> bytes:
        return b"content"

    def close(self) -> None:
        """Nothing is open."""


Sent = list[tuple[str, bool]]
Serve = Callable[[Callable[[str, bool], Answer]], Sent]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Serve:
    """Answer requests by their address and by whether they carry the token."""
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    sent: Sent = []

    def answers(give: Callable[[str, bool], Answer]) -> Sent:
        def send(request: http.Request, _limit: Limit) -> Answer:
            carries = TOKEN in request.headers.get("Authorization", "")
            sent.append((str(request.address), carries))
            return give(*sent[-1])

        monkeypatch.setattr(http, "send", send)
        return sent

    return answers


def test_a_redirect_never_carries_the_token(serve: Serve) -> None:
    far = "https://objects.githubusercontent.com/file"
    near = "https://github.com/other"
    for target in (far, near):

        def give(address: str, _carries: bool, target: str = target) -> Answer:
            return Answer(302, target) if address == API else Answer()

        sent = serve(give)
        host = Host()
        assert host.read(host.parse(API), "a file", 100) == (b"content", "")
        assert sent[-2:] == [(API, True), (target, False)]


def test_a_token_that_is_refused_is_left_out(serve: Serve) -> None:
    sent = serve(lambda _, carries: Answer(401 if carries else 200))
    host = Host()
    assert host.read(host.parse(API), "a file", 100)[0] == b"content"
    assert sent == [(API, True), (API, False)]


def test_a_refusal_without_the_token_names_the_variable(serve: Serve) -> None:
    serve(lambda _address, _carries: Answer(401))
    host = Host()
    with pytest.raises(Fault) as refused:
        host.read(host.parse(API), "a file", 100)
    assert refused.value.code == "E_AUTH"
    assert "GITHUB_TOKEN" in refused.value.fix
    assert TOKEN not in f"{refused.value.message} {refused.value.details}"
