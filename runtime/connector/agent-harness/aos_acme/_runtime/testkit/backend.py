"""A mock of the API in this process: it records requests and sends the given answers."""

from __future__ import annotations

import builtins
import json
import socketserver
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl, urlsplit


class Answer:
    """A response to send. With a `pace` above 0, the body is sent byte by byte."""

    def __init__(
        self,
        status: int = 200,
        body: Any = b"{}",
        headers: Mapping[str, str] | None = None,
        pace: float = 0,
        hang: bool = False,
    ) -> None:
        self.status = status
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.headers = {"Content-Type": "application/json", **(headers or {})}
        self.pace = pace
        self.hang = hang


class Request:
    """A request that was received."""

    def __init__(
        self, method: str, target: str, headers: Iterable[tuple[str, str]], body: bytes
    ) -> None:
        parts = urlsplit(target)
        self.method = method
        self.target = target
        self.path = parts.path
        self.query = parse_qsl(parts.query, keep_blank_values=True)
        self.header_list = list(headers)
        self.headers = dict(self.header_list)
        self.body = _body(dict(self.header_list), body)

    def all(self, name: str) -> builtins.list[str]:
        """Every value of a header."""
        wanted = name.lower()
        return [text for other, text in self.header_list if other.lower() == wanted]

    def values(self, name: str) -> list[str]:
        """Every value of a name in the query."""
        return [text for other, text in self.query if other == name]


def _body(headers: Mapping[str, str], body: bytes) -> Any:
    """Return the value of a body: JSON, a form as an object, or a text."""
    kinds = [text for name, text in headers.items() if name.lower() == "content-type"]
    kind = "".join(kinds)
    if not body:
        return None
    text = body.decode("utf-8", "surrogateescape")
    if kind.startswith("application/x-www-form-urlencoded"):
        return _members(parse_qsl(text, keep_blank_values=True))
    if kind.startswith("multipart/form-data"):
        parts = text.split("--" + kind.partition("boundary=")[2])[1:-1]
        split = [part.partition("\r\n\r\n") for part in parts]
        return _members(
            (head.partition('name="')[2].partition('"')[0], content[:-2])
            for head, _, content in split
        )
    if kind.partition(";")[0].endswith("json") or not kind:
        return json.loads(body)
    return text


def _members(pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """A form as an object: one text for a name, or all of them."""
    found: dict[str, list[str]] = {}
    for name, text in pairs:
        found.setdefault(name, []).append(text)
    return {name: many if len(many) > 1 else many[0] for name, many in found.items()}


Rule = Callable[[Request], Answer]


class Backend:
    """The server. `answers` are used up in order; the last one stays."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.answers = [Answer()]
        self.rule: Rule | None = None
        self.quit = threading.Event()
        self._server = socketserver.ThreadingTCPServer(
            ("127.0.0.1", 0), _handler(self), bind_and_activate=True
        )
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(
            target=self._server.serve_forever, args=(0.005,), daemon=True
        ).start()

    def answer(self, *args: Any, **kwargs: Any) -> None:
        """Answer everything like this from now on."""
        self.answer_in_turn(Answer(*args, **kwargs))

    def answer_in_turn(self, *answers: Answer) -> None:
        self.requests.clear()
        self.rule = None
        self.answers = list(answers)

    def answer_by(self, rule: Rule) -> None:
        """Answer each request by a function of it."""
        self.requests.clear()
        self.rule = rule

    def wait_for_request(self, seconds: float = 20) -> None:
        ends = time.monotonic() + seconds
        while not self.requests and time.monotonic() < ends:
            time.sleep(0.01)

    def close(self) -> None:
        self.quit.set()
        self._server.shutdown()
        self._server.server_close()


def _handler(backend: Backend) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def respond(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(size)
            headers = self.headers.items()
            request = Request(self.command, self.path, headers, body)
            backend.requests.append(request)
            answers = backend.answers
            if backend.rule:
                answer = backend.rule(request)
            else:
                answer = answers.pop(0) if len(answers) > 1 else answers[0]
            if answer.hang:
                backend.quit.wait(20)
                return
            # Without a Date of its own: answers of conform.toml may have one.
            self.send_response_only(answer.status)
            for name, text in answer.headers.items():
                self.send_header(name, text)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            if answer.pace:
                self._drip(answer)
            elif self.command != "HEAD":
                self.wfile.write(answer.body)

        def _drip(self, answer: Answer) -> None:
            for at in range(len(answer.body)):
                if backend.quit.wait(answer.pace):
                    return
                self.wfile.write(answer.body[at : at + 1])
                self.wfile.flush()

        def handle(self) -> None:
            try:
                super().handle()
            except OSError:  # the client went away
                pass

        def finish(self) -> None:
            try:
                super().finish()
            except OSError:
                pass

        def log_message(self, *args: Any) -> None:
            pass

        do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = respond

    return Handler
