"""A client of a REST API: limits, credentials, redirects and faults of every request.

A tool makes a subclass with one method for each call of its API.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlencode

from . import fault, output, strict_json
from .command import Account
from .fault import Fault

if TYPE_CHECKING:
    from .transport.address import Address
    from .transport.http import Response
    from .transport.limits import Limit

MAX_ANSWER = 16 * 1024 * 1024
MAX_REFUSAL = 64 * 1024
MAX_REDIRECTS = 5
MAX_LINE = 1024 * 1024

NDJSON = "application/x-ndjson"
FORM = "application/x-www-form-urlencoded"

# Values by name. A sequence repeats its name: {"tag": ["a", "b"]} is tag=a&tag=b.
Pairs = Mapping[str, str | Sequence[str]]


class Tokens(Protocol):
    """The source of the token of each request."""

    def token(self) -> str:
        """Return a token that is valid now; empty when there is none."""

    def refused(self, token: str, /) -> str:
        """Return another token after the upstream refused one; empty if there is none."""


@dataclass(frozen=True)
class Connection:
    """The settings with which a client reaches the upstream."""

    base: Address
    tokens: Tokens
    # Time limit of one request, in seconds.
    timeout: float
    # The header User-Agent.
    agent: str
    # The settings of the tool, by their names.
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Ask:
    """One request. It has no body, or a JSON body, or a form."""

    method: str
    # Segments below the base address; each one is escaped.
    path: tuple[str, ...]
    query: Pairs = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    # A value of JSON.
    body: Any = None
    form: Pairs | None = None
    accept: str = "application/json"
    # Path and query as they travel, below the base address, in place of `path`.
    target: str = ""
    # It begins at the root of the server.
    is_whole: bool = False
    # Media type and bytes, in place of `body` and `form`.
    data: tuple[str, bytes] | None = None
    # No credential is sent.
    is_public: bool = False

    def content(self) -> tuple[str, bytes] | None:
        """Return media type and bytes of the body; None when there is none."""
        if self.data is not None:
            return self.data
        if self.form is not None:
            return FORM, urlencode(self.form, doseq=True).encode()
        if self.body is not None:
            return "application/json", output.encode(self.body, compact=True)
        return None


def bearer(token: str) -> dict[str, str]:
    """Return the header of a bearer token (RFC 6750)."""
    return {"Authorization": f"Bearer {token}"}


def basic(token: str) -> dict[str, str]:
    """Return the header of a credential `user:password` (RFC 7617)."""
    return {"Authorization": f"Basic {b64encode(token.encode()).decode()}"}


class Rest:
    """A client of one upstream; each request has a time limit."""

    # Error codes of the upstream that are more specific than their status.
    typed_codes: Mapping[str, str] = {}

    def __init__(self, connection: Connection) -> None:
        self._base = connection.base
        self._tokens = connection.tokens
        self._timeout = connection.timeout
        self._agent = connection.agent
        self.settings = connection.settings

    def authorization(self, token: str) -> Mapping[str, str]:
        """Return the headers that carry the credential; override it for other schemes.

        For example `return basic(token)`, or `return {"X-Api-Key": token}`.
        """
        return bearer(token)

    def signed(self, address: Address, _token: str) -> Address:
        """Return the address of a request; override it for a credential in the query."""
        return address

    def error_of(self, document: Any) -> tuple[Any, Any]:
        """Return code and message of a refusal; override it for other shapes.

        Raises LookupError or TypeError when the document has another shape. What is not
        a text is ignored.
        """
        error = document["error"] if isinstance(document["error"], dict) else document
        return error.get("code"), error.get("message")

    def document(self, ask: Ask) -> Any:
        """Make a request and give the JSON of its answer; None when it has no body."""
        with self.opened(ask) as response:
            content = self.content(response)
            if not content and response.status in (202, 204):
                return None
            if not response.media_type.endswith("json"):
                kind = response.media_type or "nothing"
                raise self.unusable(f"its response is not JSON but `{kind}`")
            return self.parse(content)

    def content(self, response: Response) -> bytes:
        """Read the body of an answer."""
        from .transport import faults, http

        try:
            return response.read(MAX_ANSWER)
        except http.TooLarge:
            raise self.unusable(
                f"its response has more than {MAX_ANSWER} bytes"
            ) from None
        except faults.ERRORS as error:
            raise faults.of_error(self._base.name, error) from error

    @contextlib.contextmanager
    def opened(self, ask: Ask, limit: Limit | None = None) -> Iterator[Response]:
        """Make a request and return a successful response; the caller reads it."""
        from .transport.limits import Deadline

        limit = limit or Deadline(self._timeout)
        token = "" if ask.is_public else self._tokens.token()
        response = self._attempt(ask, token, limit)
        try:
            if (
                response.status == 401
                and token
                and (other := self._tokens.refused(token))
            ):
                response.close()
                response = self._attempt(ask, other, limit)
            if not 200 <= response.status <= 299:
                raise self._refusal(response)
            yield response
        finally:
            response.close()

    def stream(self, ask: Ask, seconds: float) -> Iterator[Any]:
        """Return each document of an NDJSON stream until `seconds` have passed."""
        from .transport import faults, http
        from .transport.limits import Silence

        limit = Silence(self._timeout, time.monotonic() + seconds)
        try:
            with self.opened(replace(ask, accept=NDJSON), limit) as response:
                for line in response.lines(MAX_LINE):
                    if line.strip():
                        yield self.parse(line)
                    if limit.is_over:
                        return
        except http.TooLarge:
            raise self.unusable("a line of the stream is too large") from None
        except faults.ERRORS as error:
            if limit.is_over:
                # That is how a quiet stream ends.
                return
            raise faults.of_error(self._base.name, error) from error

    def fault_of(self, status: int) -> Fault | None:
        """Return the fault of one status in a bulk answer; None for a success."""
        from .transport import faults

        if 200 <= status <= 299:
            return None
        return faults.of_status(self._base.name, status, lambda _name: "")

    def unnamed_account(self) -> Account:
        """Return an account for an API that cannot name the one of a credential.

        Its id is a fingerprint of the credential, so that a confirm token is still for
        one credential. Make a cheap request first, so that a bad credential is found.
        """
        digest = hashlib.sha256(self._tokens.token().encode()).hexdigest()
        return Account(f"credential-{digest[:16]}")

    def parse(self, content: bytes) -> Any:
        """Read JSON of the upstream."""
        try:
            return strict_json.loads(content)
        except strict_json.Malformed:
            raise self.unusable("its response is not valid JSON") from None

    def unusable(self, why: str) -> Fault:
        """Say that an answer cannot be used: that is trouble of the server."""
        return Fault(
            fault.SERVER,
            f"`{self._base.name}` sent an unusable response: {why}",
            fix="Wait a moment and run the command again; if it stays, see whether the "
            "address is that of the API",
        )

    @property
    def name(self) -> str:
        """The host of the upstream, for messages."""
        return self._base.name

    def _attempt(self, ask: Ask, token: str, limit: Limit) -> Response:
        from .transport import faults, http

        headers = {"Accept": ask.accept, "User-Agent": self._agent, **ask.headers}
        body = None
        if (content := ask.content()) is not None:
            headers["Content-Type"], body = content
        if token:
            headers |= self.authorization(token)
        try:
            if ask.target:
                address = self._base.at(ask.target, is_whole=ask.is_whole)
            else:
                address = self._base.join(*ask.path, query=ask.query)
            if token:
                address = self.signed(address, token)
            request = http.Request(address, ask.method, headers, body)
            response = http.send(request, limit)
            for _ in range(MAX_REDIRECTS):
                location = response.header("Location")
                if not 300 <= response.status <= 399 or not location:
                    break
                # Only a read is followed, and only on the same server: no credential
                # goes anywhere else.
                target = request.address.follow(location)
                if ask.method != "GET" or target.origin != address.origin:
                    break
                response.close()
                request = replace(request, address=target)
                response = http.send(request, limit)
        except faults.ERRORS as error:
            raise faults.of_error(self._base.name, error) from error
        return response

    def _refusal(self, response: Response) -> Fault:
        from .transport import faults, http

        try:
            code, message = self.error_of(json.loads(response.read(MAX_REFUSAL)))
        except (
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
            RecursionError,
            http.TooLarge,
        ):
            code = message = None
        except faults.ERRORS as broken:
            raise faults.of_error(self._base.name, broken) from broken
        typed = self.typed_codes.get(code, "") if isinstance(code, str) else ""
        header = response.header
        failed = faults.of_status(self._base.name, response.status, header, typed)
        # Text of the upstream is data, and marked as outside text.
        told = {
            name: text
            for name, text in (("upstream_code", code), ("upstream_message", message))
            if isinstance(text, str)
        }
        if told:
            failed.with_details(**told, **{output.UNTRUSTED: list(told)})
        return failed
