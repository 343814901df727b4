"""HTTP around the upstream: one thread for each request, faults on demand."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from .http import Ask, Refused, Reply
from .upstream import Upstream

MAX_BODY = 1024 * 1024

# Answers a request in place of the API; gives whether it did.
Hook = Callable[["Handler"], bool]


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Traffic:
    """What came, and what stands in front of the API."""

    seen: list[Seen] = field(default_factory=list)
    hooks: list[Hook] = field(default_factory=list)


class Server(ThreadingHTTPServer):
    """Serves one upstream on this machine."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, upstream: Upstream, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.upstream = upstream
        self.traffic = Traffic()

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, _request: Any, _client: Any) -> None:
        """Say nothing: a client that goes away is none of our business."""


class Handler(BaseHTTPRequestHandler):
    """Passes a request to the upstream."""

    protocol_version = "HTTP/1.1"
    server: Server

    def handle_one(self) -> None:
        """Answer one request."""
        length = min(int(self.headers.get("Content-Length") or 0), MAX_BODY)
        body = self.rfile.read(length)
        parts = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        traffic = self.server.traffic
        traffic.seen.append(Seen(self.command, parts.path, parts.query, headers, body))
        if any(hook(self) for hook in list(traffic.hooks)):
            self.close_connection = True
            return
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        ask = Ask(self.command, parts.path, query, headers, body)
        try:
            if ask.path == "/v1/events":
                self._stream(ask)
            else:
                self.reply(self.server.upstream.answer(ask))
        except Refused as refused:
            self.reply(refused.reply)

    do_GET = do_POST = do_PATCH = do_DELETE = handle_one  # noqa: N815

    def reply(self, reply: Reply) -> None:
        """Send an answer."""
        content = reply.content
        if content is None:
            content = json.dumps(reply.document).encode()
        if reply.status == 204:
            content = b""
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.media_type)
        self.send_header("Content-Length", str(len(content)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_arguments: Any) -> None:
        """Say nothing."""

    def _stream(self, ask: Ask) -> None:
        """Send the events behind a sequence number, then each new one."""
        events = self.server.upstream.events(ask)
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.close_connection = True
        with contextlib.suppress(OSError):
            for event in events:
                # A blank line now and then shows that somebody is still there.
                line = json.dumps(event).encode() + b"\n" if event else b"\n"
                self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
                self.wfile.flush()


@contextlib.contextmanager
def serve(upstream: Upstream, port: int = 0) -> Iterator[str]:
    """Serve an upstream for the length of the block; give its address."""
    with running(Server(upstream, port)) as server:
        yield server.address


@contextlib.contextmanager
def running(server: Server) -> Iterator[Server]:
    """Run a server for the length of the block."""
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
    )
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        server.upstream.close()
