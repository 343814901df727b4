"""One request over one connection, within a limit, and what comes back."""

from __future__ import annotations

import functools
import http.client
import os
import queue
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .address import Address
from .limits import Limit, LimitedSocket
from .proxies import Proxy, proxy_for

CHUNK = 64 * 1024
MAX_TUNNEL_ANSWER = 16 * 1024

# Where systems keep the certificates that Python does not find by itself.
_CERTIFICATES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


class TooLarge(Exception):
    """An answer is larger than it may be."""


class CutShort(http.client.HTTPException):
    """An answer ended before it was complete."""


class ProxyTrouble(OSError):
    """The proxy is not there, or does not let the request through."""

    def __init__(self, proxy: Proxy, why: str, status: int = 0) -> None:
        super().__init__(f"the proxy `{proxy.name}` {why}")
        self.proxy = proxy
        self.status = status


@dataclass(frozen=True)
class Request:
    """An HTTP request."""

    address: Address
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


class Response:
    """An answer whose body is read by the caller."""

    def __init__(self, address: Address, answer: http.client.HTTPResponse) -> None:
        self.address = address
        self.status = answer.status
        self._answer = answer

    def header(self, name: str) -> str:
        """Return a header, or nothing."""
        return self._answer.getheader(name) or ""

    @property
    def media_type(self) -> str:
        """The kind of the body, without parameters."""
        return self.header("Content-Type").partition(";")[0].strip().lower()

    def chunks(self) -> Iterator[bytes]:
        """Return the body as it comes; raise CutShort when it is not all there."""
        while chunk := self._answer.read1(CHUNK):
            yield chunk
        if self._answer.length:
            raise CutShort("the answer ended early")

    def read(self, limit: int) -> bytes:
        """Read a body of at most `limit` bytes."""
        content = bytearray()
        for chunk in self.chunks():
            content += chunk
            if len(content) > limit:
                raise TooLarge
        return bytes(content)

    def lines(self, limit: int) -> Iterator[bytes]:
        """Return the body line by line, each of at most `limit` bytes."""
        rest = b""
        for chunk in self.chunks():
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                if len(line) > limit:
                    raise TooLarge
                yield line
            if len(rest) > limit:
                raise TooLarge
        if rest:
            yield rest

    def close(self) -> None:
        """Let go of the connection."""
        self._answer.close()


def send(request: Request, limit: Limit) -> Response:
    """Make a request; nothing is followed, nothing is retried."""
    address = request.address
    connection = http.client.HTTPConnection(address.host, address.port)
    connected = LimitedSocket(_connect(address, limit), limit)
    connection.sock = connected
    try:
        connection.request(
            request.method,
            address.target,
            body=request.body,
            headers={"Host": address.name, "Connection": "close", **request.headers},
        )
        return Response(address, connection.getresponse())
    finally:
        # The answer keeps the socket open for as long as it is read.
        connected.close()


def _connect(address: Address, limit: Limit) -> socket.socket:
    proxy = proxy_for(address)
    host, port = (proxy.host, proxy.port) if proxy else (address.host, address.port)
    try:
        plain = _open(host, port, limit)
    except TimeoutError:
        raise
    except OSError as error:
        if proxy:
            why = error.strerror or str(error)
            raise ProxyTrouble(proxy, f"cannot be reached: {why}") from error
        raise
    try:
        if proxy:
            _tunnel(plain, proxy, address, limit)
        if address.scheme == "http":
            return plain
        plain.settimeout(limit.left())
        secured = trust().wrap_socket(
            plain, server_hostname=address.host, do_handshake_on_connect=False
        )
        secured.settimeout(limit.left())
        secured.do_handshake()
        return secured
    except BaseException:
        plain.close()
        raise


def _open(host: str, port: int, limit: Limit) -> socket.socket:
    failure: OSError | None = None
    for family, kind, protocol, _, place in _resolve(host, port, limit):
        opened = socket.socket(family, kind, protocol)
        try:
            opened.settimeout(limit.left())
            opened.connect(place)
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return opened
        except OSError as error:
            opened.close()
            failure = error
    raise failure or OSError("the name has no address")


Place = tuple[int, int, int, str, tuple[str, int] | tuple[str, int, int, int]]


def _resolve(host: str, port: int, limit: Limit) -> list[Place]:
    # The resolver of the system has no limit of its own.
    answers: queue.Queue[list[Place] | OSError] = queue.Queue()

    def ask() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            answers.put(list(found))  # type: ignore[arg-type]
        except (OSError, UnicodeError) as error:
            answers.put(error if isinstance(error, OSError) else OSError(str(error)))

    threading.Thread(target=ask, daemon=True).start()
    try:
        answer = answers.get(timeout=limit.left())
    except queue.Empty:
        raise TimeoutError("the name could not be resolved in time") from None
    if isinstance(answer, OSError):
        raise answer
    return answer


def _tunnel(plain: socket.socket, proxy: Proxy, to: Address, limit: Limit) -> None:
    host = f"[{to.host}]" if ":" in to.host else to.host
    lines = [f"CONNECT {host}:{to.port} HTTP/1.1", f"Host: {host}:{to.port}"]
    if proxy.authorization:
        lines.append(f"Proxy-Authorization: {proxy.authorization}")
    plain.settimeout(limit.left())
    plain.sendall("\r\n".join([*lines, "", ""]).encode("ascii"))
    answer = b""
    while b"\r\n\r\n" not in answer:
        plain.settimeout(limit.left())
        # One byte at a time: what follows belongs to the handshake.
        byte = plain.recv(1)
        answer += byte
        if not byte or len(answer) > MAX_TUNNEL_ANSWER:
            raise ProxyTrouble(proxy, "sent no usable response")
    words = answer.split(b"\r\n", 1)[0].split()
    status = int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
    if not 200 <= status <= 299:
        raise ProxyTrouble(proxy, f"responded with status {status}", status)


@functools.cache
def trust() -> ssl.SSLContext:
    """Return the TLS context with the certificates of this system."""
    context = ssl.create_default_context()
    if not context.get_ca_certs() and not os.environ.get(
        ssl.get_default_verify_paths().openssl_cafile_env
    ):
        found = ssl.get_default_verify_paths()
        if found.cafile is None and found.capath is None:
            # A program that was built on another system looks in its places.
            for path in _CERTIFICATES:
                if Path(path).is_file():
                    context.load_verify_locations(cafile=path)
                    break
    return context
