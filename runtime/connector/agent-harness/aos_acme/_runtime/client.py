"""One HTTP exchange with the API, bounded in time and size.

The exchange runs in a helper thread, because neither a name lookup nor a reply
that drips one byte a second is bounded by the timeout of a socket. When time
is up the thread is left behind and dies with the process.

The secret travels in a header, only to the scheme, host and port of the base
URL. Failures are named by kind; their own text may hold a host or a key and is
not repeated.
"""

# isort: skip_file
from __future__ import annotations

import base64
import http.client
import json
import re
import socket
import ssl
import threading
import time
from urllib.parse import quote as percent
from urllib.parse import unquote, urljoin, urlsplit
from urllib.request import (  # type: ignore[attr-defined]
    getproxies_environment,
    proxy_bypass_environment,
)

from .. import __version__, api
from ..contract_gen import TOOL
from . import config, redaction, urls
from .errors import AuthError, BackendUnavailable, InvalidUsage

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any
    from urllib.parse import SplitResult

    from .errors import ConnectorError

    Log = Callable[[str], None]
    # The base URL, and the proxy to use.
    Way = tuple[SplitResult, SplitResult | None]

REDIRECTS = 3
CHUNK = 65536


class Reply:
    """A response: status, headers by lower-case name, body."""

    def __init__(
        self, status: int, headers: dict[str, str], body: bytes, target: str = "/"
    ) -> None:
        self.status = status
        self.headers = headers
        self.body = body
        self.target = target  # the path and query that it answers
        self._data = None

    @property
    def is_empty(self) -> bool:
        return not self.body.strip()

    @property
    def data(self) -> Any:
        """The JSON of the body; BackendUnavailable for anything else."""
        if self._data is None:
            from . import decoding

            self._data = decoding.data(self)
        return self._data


class Client:
    """Makes requests within one time limit."""

    def __init__(self, seconds: float, log: Log | None = None) -> None:
        self._ends = time.monotonic() + seconds
        self._log = log or (lambda line: None)
        self._base = urls.base()
        self._proxy = _proxy(self._base)
        self._headers = _headers()

    @property
    def base(self) -> SplitResult:
        """The base URL, split into its parts."""
        return self._base

    def time_left(self) -> float:
        return self._ends - time.monotonic()

    def request(
        self,
        method: str,
        path: str,
        query: dict[str, Any] | None = None,
        body: Any = None,
        *,
        headers: dict[str, str] | None = None,
        public: bool = False,
    ) -> Reply:
        """Send one request and follow redirects within the same origin.

        A body of bytes is sent as it is; anything else is JSON.
        """
        target = self._base.path + path
        if query:
            target += ("&" if "?" in path else "?") + urls.query_string(query)
        payload = body if isinstance(body, bytes) else None
        sent = {**self._headers, **(headers or {})}
        if public:
            for name in _secret_headers():
                sent.pop(name, None)
        if body is not None and payload is None:
            text = json.dumps(body, allow_nan=False, separators=(",", ":"))
            payload = text.encode("ascii")
            sent.setdefault("Content-Type", "application/json")
        for _ in range(REDIRECTS + 1):
            reply = self._exchange(method, target, payload, sent, public)
            if reply.status not in (301, 302, 303, 307, 308):
                return reply
            target = self._redirect(method, target, reply)
        raise AuthError(
            "too many redirects",
            {"status": reply.status, "reason": "redirect_loop"},
            hint="set the base URL to the address that the API redirects to",
        )

    def _redirect(self, method: str, target: str, reply: Reply) -> str:
        """The target of a redirect; an error when it must not be followed."""
        here = f"{self._base.scheme}://{self._base.netloc}{target}"
        try:
            there = urlsplit(urljoin(here, reply.headers.get("location", "")))
            same = urls.origin(there) == urls.origin(self._base)
        except ValueError:
            same = False
        if not same:
            raise AuthError(
                "refused a redirect to another host",
                {"status": reply.status, "reason": "other_host"},
                hint="set the base URL to the new address of the API; a network that asks "
                "for a sign-in also redirects",
            )
        if method not in ("GET", "HEAD") and reply.status < 307:
            raise InvalidUsage(
                "refused a redirect that would change the request",
                {"status": reply.status, "reason": "moved"},
                hint="use the present id of the object, because it was moved",
            )
        where = there.path + ("?" + there.query if there.query else "")
        return percent(where, safe="/%?&=+,:;@!$'()*[]~-._") or "/"

    def _exchange(
        self,
        method: str,
        target: str,
        payload: bytes | None,
        headers: dict[str, str],
        public: bool,
    ) -> Reply:
        started = time.monotonic()
        if self.time_left() <= 0:
            raise _unreachable("timeout", "GET")
        self._log(f"> {method} {redaction.quote(target)}")
        way = (self._base, self._proxy)
        sent = target if public else _with_key(target)
        work = _Work(way, method, sent, payload, headers)
        reply = work.result(self._ends)
        # The key in a query stays out of everything that is said about a reply.
        reply.target = target
        took = round((time.monotonic() - started) * 1000)
        self._log(f"< {reply.status} in {took} ms, {len(reply.body)} bytes")
        return reply


class _Work:
    """A request in its own thread."""

    def __init__(
        self,
        way: Way,
        method: str,
        target: str,
        payload: bytes | None,
        headers: dict[str, str],
    ) -> None:
        self._way = way
        self._request = (method, target, payload, headers)
        self._connection: http.client.HTTPConnection | None = None
        self._outcome: Reply | BaseException | None = None

    def result(self, ends: float) -> Reply:
        self._ends = ends
        thread = threading.Thread(target=self._run, daemon=True)
        thread.start()
        thread.join(max(0.0, ends - time.monotonic()))
        if self._outcome is None:
            self._abandon()
            raise _unreachable("timeout", self._request[0])
        if isinstance(self._outcome, BaseException):
            raise self._translate(self._outcome)
        return self._outcome

    def _run(self) -> None:
        try:
            self._outcome = self._perform()
        except BaseException as error:  # noqa: BLE001
            self._outcome = error  # raised in the thread that waits

    def _perform(self) -> Reply:
        method, target, payload, headers = self._request
        self._connection = connection = _connect(*self._way, self._remaining())
        try:
            connection.request(method, target, body=payload, headers=headers)
            response = connection.getresponse()
            body = self._read(response)
            return Reply(response.status, _named(response), body, target)
        finally:
            connection.close()

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        """Read at most the allowed size, and notice a body that was cut short."""
        body = bytearray()
        while True:
            chunk = response.read(CHUNK)
            body += chunk
            if len(body) > api.REPLY_BYTES:
                raise InvalidUsage(
                    "the reply is too large",
                    {
                        "status": response.status,
                        "reason": "too_large",
                        "limit_bytes": api.REPLY_BYTES,
                    },
                    hint="request less, for example with a smaller `--limit`",
                )
            if not chunk:
                break
        if response.length:
            raise http.client.IncompleteRead(b"")
        return bytes(body)

    def _remaining(self) -> float:
        return max(0.05, self._ends - time.monotonic())

    def _abandon(self) -> None:
        try:
            connection: Any = self._connection  # None before it is made
            connection.sock.shutdown(socket.SHUT_RDWR)
        except (AttributeError, OSError):
            pass

    def _translate(self, error: BaseException) -> BaseException:
        method = self._request[0]
        if self._way[1] is not None:
            refused = _proxy_failure(error)
            if refused:
                return refused
        kinds = (
            (ssl.SSLCertVerificationError, "untrusted"),
            (ssl.SSLError, "tls"),
            (socket.gaierror, "dns"),
            (UnicodeError, "dns"),
            (TimeoutError, "timeout"),
            (socket.timeout, "timeout"),
            (ConnectionRefusedError, "refused"),
            (http.client.HTTPException, "protocol"),
            (ConnectionError, "closed"),
            (OSError, "network"),
            # http.client passes malformed input on to int() and the like.
            (ValueError, "protocol"),
            (ArithmeticError, "protocol"),
        )
        for kind, name in kinds:
            if isinstance(error, kind):
                return _unreachable(name, method)
        return error


def _named(response: http.client.HTTPResponse) -> dict[str, str]:
    """The headers by lower-case name; the values of a repeated one are joined."""
    names: dict[str, str] = {}
    for name, text in response.getheaders():
        name = name.lower()
        names[name] = f"{names[name]}, {text}" if name in names else text
    return names


MESSAGES = {
    "untrusted": "the certificate of the backend is not trusted",
    "tls": "no trusted TLS connection to the backend",
    "dns": "the name of the backend cannot be resolved",
    "timeout": "the backend did not answer in time",
    "refused": "the backend refused the connection",
    "protocol": "the backend did not send valid HTTP",
    "closed": "the backend closed the connection",
    "network": "the backend cannot be reached",
}


HINTS = {
    "untrusted": "if the backend is right, name its CA file in SSL_CERT_FILE",
    "tls": "check for a proxy on the way, or an old TLS version",
    "dns": "check the host of the base URL, and the network",
    "timeout": "try again, or request less",
    "refused": "check the port of the base URL, and whether the backend runs",
}


def _unreachable(reason: str, method: str) -> ConnectorError:
    details = {"reason": reason}
    if reason == "untrusted":
        return AuthError(MESSAGES[reason], details, hint=HINTS[reason])
    if method not in ("GET", "HEAD") and reason in ("timeout", "protocol", "closed"):
        details["outcome"] = "unknown: check before you repeat the call"
    return BackendUnavailable(MESSAGES[reason], details, hint=HINTS.get(reason, ""))


def _proxy_failure(error: BaseException) -> ConnectorError | None:
    """The failure of the proxy itself, or None for one behind it."""
    # http.client says in the text alone what a proxy answered.
    told = re.match(r"Tunnel connection failed: ([0-9]{3})\b", str(error))
    if told:
        status = int(told[1])
        details = {"reason": "proxy", "proxy_status": status}
        if status == 407:
            hint = "put the user and the password of the proxy into HTTPS_PROXY"
            return AuthError("the proxy requires credentials", details, hint=hint)
        if status < 500:
            hint = "ask the operator of the proxy to allow the host, or list it in NO_PROXY"
            return AuthError("the proxy does not allow the backend", details, hint=hint)
        return BackendUnavailable("the proxy failed", details, hint="try again soon")
    if isinstance(error, (ConnectionRefusedError, socket.gaierror)):
        return BackendUnavailable(
            "the proxy cannot be reached",
            {"reason": "proxy_unreachable"},
            hint="check HTTPS_PROXY, or unset it where none is needed",
        )
    return None


def _connect(
    base: SplitResult, proxy: SplitResult | None, timeout: float
) -> http.client.HTTPConnection:
    """A connection to the API. Ports are named: http.client guesses from `::1`."""
    host, port = base.hostname or "", base.port or urls.PORTS[base.scheme]
    if base.scheme == "http":
        return http.client.HTTPConnection(host, port, timeout=timeout)
    context = ssl.create_default_context()
    if proxy is None:
        return http.client.HTTPSConnection(host, port, timeout=timeout, context=context)
    connection = http.client.HTTPSConnection(
        proxy.hostname or "",
        proxy.port or urls.PORTS["http"],
        timeout=timeout,
        context=context,
    )
    grant = {}
    if proxy.username:
        login = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
        grant["Proxy-Authorization"] = "Basic " + _base64(login)
    connection.set_tunnel(host, port, headers=grant)
    return connection


def _proxy(base: SplitResult) -> SplitResult | None:
    """The proxy to use, or None. Only https to other machines goes through one."""
    host = base.hostname or ""
    if base.scheme == "http" or urls.is_loopback(host):
        return None
    proxies = getproxies_environment()
    text = proxies.get("https", "").strip()
    if not text or proxy_bypass_environment(host, proxies):
        return None
    try:
        proxy = urlsplit(text if "://" in text else f"http://{text}")
        usable = proxy.scheme in urls.PORTS and proxy.hostname and proxy.port != 0
    except ValueError:
        usable = False
    if not usable or not text.isprintable() or " " in text:
        raise AuthError(
            "the value of HTTPS_PROXY is not a proxy",
            {"reason": "proxy"},
            hint="name the proxy by scheme, host and port, or unset the variable",
        )
    return proxy


def _headers() -> dict[str, str]:
    """The headers of every request, the secret among them."""
    headers = {
        **api.HEADERS,
        "Accept-Encoding": "identity",
        "User-Agent": f"{TOOL}/{__version__}",
    }
    secret = config.value(api.SECRET_KEY)
    if api.SCHEME == "basic":
        headers["Authorization"] = "Basic " + _base64(
            f"{config.value(api.USER_KEY)}:{secret}"
        )
    elif api.SCHEME in ("none", "query"):
        pass
    elif api.SCHEME == "bearer":
        headers[api.HEADER or "Authorization"] = f"Bearer {secret}"
    else:
        headers[api.HEADER] = secret
    for name, key in _further("MORE_HEADERS").items():
        headers[name] = config.value(key)
    return headers


def _further(names: str) -> dict[str, str]:
    """Further keys of an API that wants several: place and variable of each."""
    return dict(getattr(api, names, {}))


def _secret_headers() -> tuple[str, ...]:
    """The headers that hold the secret."""
    return ("Authorization", api.HEADER, *_further("MORE_HEADERS"))


def _with_key(target: str) -> str:
    """The target of a request to an API that takes keys in the query."""
    keys = {api.HEADER: api.SECRET_KEY} if api.SCHEME == "query" else {}
    for name, key in {**keys, **_further("MORE_QUERY")}.items():
        pair = f"{percent(name, safe='')}={percent(config.value(key), safe='')}"
        target += ("&" if "?" in target else "?") + pair
    return target


def _base64(text: str) -> str:
    return base64.b64encode(text.encode("utf-8")).decode("ascii")
