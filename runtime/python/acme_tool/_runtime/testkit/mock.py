"""A kit for a mock of an upstream: routes, credentials, refusals, streams, faults.

A subclass of `Mock` adds its routes and holds the data. `running` serves it on this
machine, and `main` does so for people, with `python -m mock_upstream`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ..config import BASE_URL, env
from ..credentials.keys import keys_of

MAX_BODY = 1024 * 1024
NDJSON = "application/x-ndjson"


@dataclass(frozen=True)
class Account:
    """The owner of a credential, and its permissions."""

    id: str
    permissions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Request:
    """One request; names of headers are in lower case."""

    method: str
    path: str
    # The query as it arrived, and its last value by name.
    raw_query: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    # The values of the `{names}` in the route.
    values: dict[str, str] = field(default_factory=dict)
    account: Account = field(default_factory=lambda: Account(""))

    def json(self) -> dict[str, Any]:
        """Return the object in the body, or refuse with 400."""
        try:
            found = json.loads(self.body)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise refused(400, "invalid_body", "the body is not a JSON object")
        return found

    def form(self) -> dict[str, str]:
        """Return the last value of each name of a form in the body."""
        return _last(self.body.decode("utf-8", "replace"))


@dataclass
class Reply:
    """A response: a document, or bytes, or the documents of an NDJSON stream."""

    document: Any = None
    status: int = 200
    content: bytes | None = None
    media_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    # None in a stream is a blank line, which shows that the server is still there.
    stream: Iterator[Any] | None = None


class Refused(Exception):
    """A response that is not a success."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.status)
        self.reply = reply


def refused(status: int, code: str, message: str) -> Refused:
    """Return a refusal in the form of the example API, to be raised."""
    return Refused(Reply({"error": {"code": code, "message": message}}, status))


Handle = Callable[[Request], Reply]
# Answers a request in place of the routes; returns whether it did.
Hook = Callable[["Handler"], bool]


class Mock:
    """An API in memory. Handlers run one at a time; a refusal is raised."""

    def __init__(self, accounts: dict[str, Account]) -> None:
        # Accounts by their credentials.
        self.accounts = accounts
        self.lock = threading.Condition()
        self.is_closed = False
        # Whether no route asks for a credential.
        self.anonymous = False
        self._routes: list[tuple[str, re.Pattern[str], str | None, Handle]] = []

    def route(self, route: str, permission: str | None, handle: Handle) -> None:
        """Add a route such as `GET /v1/items/{id}`.

        It wants a credential whose account has the permission; "" is any account, and
        None is no credential at all.
        """
        method, _, path = route.partition(" ")
        pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path)
        self._routes.append((method, re.compile(pattern), permission, handle))

    def token_of(self, request: Request) -> str:
        """Return the credential of a request; override it for other schemes."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        return token if scheme == "Bearer" else ""

    def answer(self, request: Request) -> Reply:
        """Answer a request, one at a time."""
        with self.lock:
            for method, pattern, permission, handle in self._routes:
                found = pattern.fullmatch(request.path)
                if found is None or method != request.method:
                    continue
                account = Account("")
                if permission is not None:
                    account = self._authorised(request, permission)
                values = found.groupdict()
                return handle(
                    Request(**{**vars(request), "values": values, "account": account})
                )
        raise refused(404, "no_such_route", "there is no such address")

    def wake(self) -> None:
        """Tell streams that something has changed."""
        with self.lock:
            self.lock.notify_all()

    def close(self) -> None:
        """End the streams."""
        with self.lock:
            self.is_closed = True
            self.lock.notify_all()

    def _authorised(self, request: Request, permission: str) -> Account:
        account = self.accounts.get(self.token_of(request))
        if account is None:
            raise refused(401, "invalid_token", "the token is not known")
        if permission and permission not in account.permissions:
            raise refused(403, "insufficient_scope", f"the account lacks {permission}")
        return account


class RefreshTokens:
    """Refresh tokens of a mock; each one works once (RFC 6749, section 6)."""

    def __init__(self, mock: Mock, tokens: dict[str, Account], lifetime: int) -> None:
        self._mock = mock
        self._tokens = tokens
        self._lifetime = lifetime
        self._number = 0

    def renew(self, request: Request) -> Reply:
        """Return a new credential for the refresh token in a form."""
        account = self._tokens.pop(request.form().get("refresh_token", ""), None)
        if account is None:
            raise refused(400, "invalid_grant", "the refresh token is not valid")
        self._number += 1
        token = f"demo-token-renewed-{self._number}"
        refresh = f"demo-refresh-renewed-{self._number}"
        self._mock.accounts[token] = account
        self._tokens[refresh] = account
        return Reply(
            {
                "access_token": token,
                "refresh_token": refresh,
                "expires_in": self._lifetime,
            }
        )


@dataclass
class Traffic:
    """The requests so far, and what is in front of the routes."""

    seen: list[Request] = field(default_factory=list)
    hooks: list[Hook] = field(default_factory=list)


class Server(ThreadingHTTPServer):
    """Serves one mock on this machine, one thread for each request."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, mock: Mock, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.mock = mock
        self.traffic = Traffic()

    def ask(self, method: str, path: str, token: str) -> Reply:
        """Send a request to the mock directly, as another client would."""
        headers = {"authorization": f"Bearer {token}"}
        return self.mock.answer(Request(method, path, "", {}, headers, b""))

    @property
    def address(self) -> str:
        """The base address."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, _request: Any, _client: Any) -> None:
        """Ignore clients that go away."""


class Handler(BaseHTTPRequestHandler):
    """Passes a request to the mock."""

    protocol_version = "HTTP/1.1"
    server: Server

    def handle_one(self) -> None:
        """Answer one request."""
        length = min(int(self.headers.get("Content-Length") or 0), MAX_BODY)
        parts = urlsplit(self.path)
        request = Request(
            self.command,
            parts.path,
            parts.query,
            _last(parts.query),
            {name.lower(): value for name, value in self.headers.items()},
            self.rfile.read(length),
        )
        traffic = self.server.traffic
        traffic.seen.append(request)
        if any(hook(self) for hook in list(traffic.hooks)):
            self.close_connection = True
            return
        try:
            reply = self.server.mock.answer(request)
        except Refused as refusal:
            reply = refusal.reply
        self.reply(reply)

    do_GET = do_HEAD = do_DELETE = handle_one  # noqa: N815
    do_POST = do_PUT = do_PATCH = handle_one  # noqa: N815

    def reply(self, reply: Reply) -> None:
        """Send a response."""
        if reply.stream is not None:
            self._stream(reply.stream)
            return
        content = reply.content
        if content is None:
            content = json.dumps(reply.document).encode()
        if reply.status == 204 or self.command == "HEAD":
            content = b""
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.media_type)
        self.send_header("Content-Length", str(len(content)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_arguments: Any) -> None:
        """Log nothing."""

    def _stream(self, documents: Iterator[Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", NDJSON)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.close_connection = True
        with contextlib.suppress(OSError):
            for document in documents:
                line = json.dumps(document).encode() if document else b""
                self.wfile.write(b"%x\r\n%s\n\r\n" % (len(line) + 1, line))
                self.wfile.flush()


@contextlib.contextmanager
def running(server: Server) -> Iterator[Server]:
    """Run a server for the length of the block."""
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.005}, daemon=True
    )
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        server.mock.close()


def main(mock: Mock, token: str) -> None:
    """Serve a mock until it is interrupted; print how the tool reaches it."""
    parser = argparse.ArgumentParser(prog="python -m mock_upstream")
    parser.add_argument("--port", type=int, default=8787)
    server = Server(mock, parser.parse_args().port)
    with running(server), contextlib.suppress(KeyboardInterrupt):
        exports = {BASE_URL: server.address}
        if not mock.anonymous:
            exports |= {env(name): key for name, key in keys_of(token).items()}
        for name, value in exports.items():
            sys.stdout.write(f"export {name}={value}\n")
        sys.stdout.flush()
        while True:
            time.sleep(3600)


def _last(text: str) -> dict[str, str]:
    found = parse_qs(text, keep_blank_values=True)
    return {name: values[-1] for name, values in found.items()}
