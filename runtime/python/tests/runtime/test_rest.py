"""Requests of a client: queries, bodies, forms, and how a credential is sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from acme_tool._runtime import fault
from acme_tool._runtime.credentials.source import Given
from acme_tool._runtime.fault import Fault
from acme_tool._runtime.redact import Redactor
from acme_tool._runtime.rest import FORM, Ask, Connection, Rest, basic
from acme_tool._runtime.testkit.mock import (
    Account,
    Mock,
    Reply,
    Request,
    Server,
    running,
)
from acme_tool._runtime.transport.address import Address

TOKEN = "a-long-token"
PASSWORD = "user:a-long-password"


class Keyed(Rest):
    def authorization(self, token: str) -> Mapping[str, str]:
        return {"X-Api-Key": token}

    def error_of(self, document: Any) -> tuple[Any, Any]:
        return document["fault"]["id"], document["fault"]["text"]

    typed_codes = {"busy": fault.RATE_LIMITED}  # noqa: RUF012


class Basic(Rest):
    def authorization(self, token: str) -> Mapping[str, str]:
        return basic(token)


@pytest.fixture
def server() -> Iterator[Server]:
    mock = Mock({PASSWORD: Account("acc_1")})
    mock.route("GET /echo", None, lambda _: Reply({}))
    mock.route("POST /echo", None, lambda _: Reply({}))
    refusal = {"fault": {"id": "busy", "text": "come back"}}
    mock.route("GET /busy", None, lambda _: Reply(refusal, status=400))
    mock.route("GET /mine", "", lambda request: Reply({"id": request.account.id}))
    with running(Server(mock)) as found:
        yield found


def client(kind: type[Rest], server: Server, token: str = TOKEN) -> Rest:
    base = Address.parse_base(server.address)
    return kind(Connection(base, Given(token), 5.0, "test/1"))


def last(server: Server) -> Request:
    return server.traffic.seen[-1]


def test_a_name_of_a_query_can_be_repeated(server: Server) -> None:
    query = {"tag": ["a b", "c&d"], "limit": "5", "none": []}
    client(Rest, server).document(Ask("GET", ("echo",), query))
    assert last(server).raw_query == "tag=a+b&tag=c%26d&limit=5"


def test_a_form_is_encoded_as_one(server: Server) -> None:
    form = {"grant_type": "refresh_token", "scope": ["a", "b c"]}
    client(Rest, server).document(Ask("POST", ("echo",), form=form))
    assert last(server).headers["content-type"] == FORM
    assert last(server).body == b"grant_type=refresh_token&scope=a&scope=b+c"


def test_a_json_body_may_be_any_value_but_null(server: Server) -> None:
    client(Rest, server).document(Ask("POST", ("echo",), body=[]))
    assert last(server).headers["content-type"] == "application/json"
    assert last(server).body == b"[]"
    client(Rest, server).document(Ask("POST", ("echo",)))
    assert "content-type" not in last(server).headers


def test_a_credential_is_a_bearer_token_without_being_told(server: Server) -> None:
    client(Rest, server).document(Ask("GET", ("echo",)))
    assert last(server).headers["authorization"] == "Bearer a-long-token"
    client(Rest, server, "").document(Ask("GET", ("echo",)))
    assert "authorization" not in last(server).headers


def test_a_credential_can_be_sent_in_another_header(server: Server) -> None:
    client(Keyed, server).document(Ask("GET", ("echo",)))
    assert last(server).headers["x-api-key"] == "a-long-token"
    assert "authorization" not in last(server).headers


def test_a_credential_can_be_user_and_password(server: Server) -> None:
    client(Basic, server, PASSWORD).document(Ask("GET", ("echo",)))
    sent = last(server).headers["authorization"]
    assert sent == "Basic dXNlcjphLWxvbmctcGFzc3dvcmQ="
    redactor = Redactor()
    redactor.add(PASSWORD)
    assert "dXNlcjph" not in redactor.text(f"the header was {sent}")


def test_a_refusal_may_have_another_form(server: Server) -> None:
    with pytest.raises(Fault) as raised:
        client(Keyed, server).document(Ask("GET", ("busy",)))
    assert raised.value.code == fault.RATE_LIMITED
    assert raised.value.details["upstream_message"] == "come back"
    with pytest.raises(Fault) as raised:
        client(Rest, server).document(Ask("GET", ("busy",)))
    assert raised.value.code == fault.VALIDATION


def test_an_api_without_an_account_has_one_for_each_credential(server: Server) -> None:
    accounts = {
        client(Rest, server, token).unnamed_account().id
        for token in ("a-long-token", "a-long-token", "another-token")
    }
    assert len(accounts) == 2
    assert not any("token" in account for account in accounts)


def test_the_mock_wants_a_credential_of_the_right_scheme(server: Server) -> None:
    for kind, token in ((Rest, "unknown-token"), (Keyed, PASSWORD), (Rest, "")):
        with pytest.raises(Fault) as raised:
            client(kind, server, token).document(Ask("GET", ("mine",)))
        assert raised.value.code == fault.AUTH
    assert client(Rest, server, PASSWORD).document(Ask("GET", ("mine",))) == {
        "id": "acc_1"
    }
    with pytest.raises(Fault) as raised:
        client(Rest, server).document(Ask("GET", ("nowhere",)))
    assert raised.value.code == fault.NOT_FOUND
