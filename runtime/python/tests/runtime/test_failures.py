"""Trouble with the upstream: each kind has its code, whatever its words are."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from email.utils import formatdate
from pathlib import Path

import pytest

from acme_tool._runtime.testkit.mock import Handler, Reply, Server, running

from mock_upstream import TOKEN_READER, make

from .conftest import NewTool
from .sandbox import Tool, each, every

GET = ("item", "get", "--id", "1")
STATUSES = {
    400: "E_VALIDATION",
    401: "E_AUTH",
    403: "E_FORBIDDEN",
    404: "E_NOT_FOUND",
    408: "E_TIMEOUT",
    409: "E_CONFLICT",
    410: "E_NOT_FOUND",
    412: "E_CONFLICT",
    418: "E_UNKNOWN",
    422: "E_VALIDATION",
    429: "E_RATE_LIMITED",
    500: "E_SERVER",
    502: "E_SERVER",
    503: "E_SERVER",
    504: "E_SERVER",
}
# The words of a message decide nothing.
MISLEADING = {"error": {"code": "x", "message": "not found, refused, timeout"}}


def test_each_status_of_the_upstream_has_its_code(tool: Tool) -> None:
    def hook(handler: Handler) -> bool:
        status = int(handler.path.rpartition("/")[2])
        handler.reply(Reply(MISLEADING, status))
        return True

    def ask(status: int) -> None:
        details = tool.run("item", "get", "--id", str(status)).fails(STATUSES[status])
        assert details["status"] == status
        assert details["upstream_message"] == "not found, refused, timeout"

    tool.hook(hook)
    every(ask, list(STATUSES))


@pytest.mark.parametrize(
    "headers",
    [
        {"X-RateLimit-Remaining": "0"},
        {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "99999999999999"},
        {"Retry-After": "7"},
        {"Retry-After": "-5"},
        {"Retry-After": "99999999999999999999"},
        {"Retry-After": "soon"},
        {"Retry-After": formatdate(time.time() + 90, usegmt=True)},
    ],
)
def test_a_refusal_for_too_many_requests_is_a_rate_limit(
    tool: Tool, headers: dict[str, str]
) -> None:
    tool.answer("/v1/items", Reply({}, 403, headers=headers))
    details = tool.run("item", "list").fails("E_RATE_LIMITED")
    assert 1 <= details["retry_after_s"] <= 3600
    if headers == {"Retry-After": "7"}:
        assert details["retry_after_s"] == 7


UNUSABLE = {
    "a web page": Reply(content=b"<html>log in</html>", media_type="text/html"),
    "broken JSON": Reply(content=b'{"id": 1,'),
    "another form": Reply(["a"]),
    "two documents": Reply(content=b'{"id":1} {"id":2}'),
    "no id": Reply({"title": "x"}),
    "an id of many lines": Reply({"id": "1\r\nX-Evil: 1"}),
    "no number": Reply(content=b'{"id": NaN}'),
    "nothing": Reply(content=b""),
    "no UTF-8": Reply(content=b'{"id": "\xff"}'),
    "nested": Reply(content=b"[" * 100_000),
    "too much": Reply(content=b'{"title":"' + b"x" * (17 << 20) + b'"}'),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_an_answer_that_is_not_the_api_is_trouble_of_the_server(
    tool: Tool, name: str
) -> None:
    tool.answer("/v1/items", UNUSABLE[name])
    tool.run(*GET).fails("E_SERVER")


def test_a_server_that_is_not_there_is_a_network_fault(tool: Tool) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    tool.set(BASE_URL=f"http://127.0.0.1:{port}").run(*GET).fails("E_NETWORK")
    tool.set(BASE_URL="https://host.invalid").run(*GET).fails("E_NETWORK")


BROKEN = {
    "no answer": b"",
    "cut body": b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    b'Content-Length: 999\r\n\r\n{"id":',
    "cut chunk": b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n9\r\nabc",
    "not HTTP": b"SSH-2.0-OpenSSH\r\n",
    "endless head": b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 1000,
}


def write_raw(handler: Handler, content: bytes) -> bool:
    """Send bytes as they are, and end the connection the hard way."""
    handler.wfile.write(content)
    time.sleep(0.05)
    linger = b"\x01\0\0\0\0\0\0\0"
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    handler.connection.close()
    return True


@pytest.mark.parametrize("name", BROKEN)
def test_a_connection_that_breaks_is_a_network_fault(tool: Tool, name: str) -> None:
    tool.hook(lambda handler: write_raw(handler, BROKEN[name]))
    tool.run(*GET).fails("E_NETWORK")


def drip(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    for _ in range(100):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.1)


@pytest.mark.parametrize("slow", [lambda _handler: time.sleep(10), drip])
def test_a_server_that_is_too_slow_is_a_timeout(
    tool: Tool, slow: Callable[[Handler], None]
) -> None:
    def hook(handler: Handler) -> bool:
        slow(handler)
        return True

    tool.hook(hook)
    # A call that goes on waiting is ended by the sandbox.
    tool.set(TIMEOUT="1").process(*GET).fails("E_TIMEOUT")


def test_a_redirect_to_another_host_carries_no_credential(new_tool: NewTool) -> None:
    with running(Server(make())) as elsewhere:
        location = {"Location": f"{elsewhere.address}/v1/items/1"}

        def ask(status: int) -> None:
            tool.answer(f"/v1/items/{status}", Reply({}, status, headers=location))
            tool.run("item", "get", "--id", str(status)).fails("E_CONFIG")

        tool = new_tool()
        every(ask, [301, 302, 303, 307, 308])
        assert elsewhere.traffic.seen == []


def test_a_redirect_on_the_same_host_is_followed_for_reads_alone(tool: Tool) -> None:
    moved = Reply({}, 308, headers={"Location": "/v1/items/9?moved"})
    tool.answer("/v1/items/9", moved, Reply(tool.upstream.items[9].document()))
    assert tool.run("item", "get", "--id", "9").ok()["id"] == "9"
    create = ("item", "create", "--project", "atlas", "--title", "x")
    token = tool.token(*create)
    tool.answer("/v1/items", Reply({}, 307, headers={"Location": "/v1/elsewhere"}))
    tool.run(*create, "--confirm", token).fails("E_CONFIG")
    assert tool.seen[-1].path == "/v1/items"


def test_redirects_that_do_not_end_are_left(tool: Tool) -> None:
    tool.answer("/v1/items", Reply({}, 302, headers={"Location": "/v1/items/1"}))
    tool.run(*GET).fails("E_CONFIG")
    assert len(tool.seen) < 10


def test_without_a_credential_nothing_is_asked(tool: Tool) -> None:
    tool.set(TOKEN="")
    tool.run("item", "list").fails("E_AUTH")
    tool.run("item", "delete", "--id", "1", "--dry-run").fails("E_AUTH")
    assert tool.seen == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BASE_URL", ""),
        ("BASE_URL", "ftp://example.com"),
        ("BASE_URL", "http://example.com"),
        ("BASE_URL", "https://user:pass-word-1@example.com"),
        ("BASE_URL", "https://example.com/?a=b"),
        ("TIMEOUT", "0.5"),
        ("TIMEOUT", "99999"),
        ("CONFIRM_LIFETIME", "0"),
        ("CONFIRM_LIFETIME", "601"),
        ("HOME", "relative"),
        ("TOKEN", "two words in it"),
        ("TOKEN", "short"),
    ],
)
def test_a_wrong_set_up_is_named_with_its_repair(
    tool: Tool, name: str, value: str
) -> None:
    result = tool.set(**{name: value}).run("item", "list")
    result.fails("E_CONFIG")
    assert "pass-word-1" not in result.text + result.stderr


def test_the_config_file_is_read_and_the_environment_wins(tool: Tool) -> None:
    tool.state.mkdir()
    path = tool.state / "config.json"
    path.write_text(f'{{"base_url": "{tool.server.address}", "timeout_s": 9}}')
    setup = tool.set(BASE_URL="").run("context").ok()["config"]
    assert (setup["base_url"], setup["timeout_s"]) == (tool.server.address, 9)
    tool.run(*GET).ok()
    assert tool.set(TIMEOUT="11").run("context").ok()["config"]["timeout_s"] == 11
    for text in ('{"base_url": "https://example.com", "token": "x"}', "[", "[]"):
        path.write_text(text)
        tool.run("item", "list").fails("E_CONFIG")
        assert tool.run("context").ok()["config"]["problem"]


def test_an_account_without_permission_is_refused_already_in_the_dry_run(
    tool: Tool,
) -> None:
    tool.set(TOKEN=TOKEN_READER).run("item", "list").ok()
    for words in (
        "item create --project atlas --title x",
        "item update --id 1 --title x",
        "item delete --id 1 --dangerous",
        "item close --ids 1",
    ):
        details = tool.run(*words.split(), "--dry-run").fails("E_FORBIDDEN")
        assert "confirm_token" not in details
    assert tool.changes == 0


def test_a_file_system_that_refuses_is_not_trouble_of_the_upstream(
    tool: Tool, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    tool.set(HOME=str(tmp_path / "file" / "state"))
    tool.run("item", "close", "--ids", "1", "--dry-run").fails("E_IO")


def test_many_calls_at_once_do_not_disturb_each_other(tool: Tool) -> None:
    threads = threading.active_count()
    each(lambda _: tool.run("item", "list", "--limit", "1").ok(), list(range(12)))
    assert threading.active_count() < threads + 30
