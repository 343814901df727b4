"""A REST API over JSON: limits, credentials, redirects and faults of every call.

This holds for any upstream; the calls of yours are in `client`.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from . import fault, output, strict_json
from .fault import Fault

if TYPE_CHECKING:
    from .transport.address import Address
    from .transport.http import Response
    from .transport.limits import Limit

MAX_ANSWER = 16 * 1024 * 1024
MAX_REFUSAL = 64 * 1024
MAX_REDIRECTS = 5

NDJSON = "application/x-ndjson"


class Tokens(Protocol):
    """Gives the token of each request."""

    def token(self) -> str:
        """Give a token that is good now; empty is none."""

    def refused(self, token: str, /) -> str:
        """Give another token after the upstream refused one; empty when there is none."""


@dataclass(frozen=True)
class Ask:
    """One request; each segment of its path is escaped."""

    method: str
    path: tuple[str, ...]
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    accept: str = "application/json"


class Rest:
    """A connection to one upstream; each request has a time limit."""

    # Error codes of the upstream that say more than the status they come with.
    typed_codes: Mapping[str, str] = {}

    def __init__(
        self, base: Address, tokens: Tokens, timeout: float, agent: str
    ) -> None:
        self._base = base
        self._tokens = tokens
        self._timeout = timeout
        self._agent = agent

    def document(self, ask: Ask) -> Any:
        """Make a request and give the JSON of its answer; None when it has no body."""
        with self.opened(ask) as response:
            content = self.content(response)
            if not content and response.status in (202, 204):
                return None
            if not response.media_type.endswith("json"):
                kind = response.media_type or "nothing"
                raise self.unusable(f"its answer is not JSON but `{kind}`")
            return self.parse(content)

    def content(self, response: Response) -> bytes:
        """Read the body of an answer."""
        from .transport import faults, http

        try:
            return response.read(MAX_ANSWER)
        except http.TooLarge:
            raise self.unusable(f"its answer is over {MAX_ANSWER} bytes") from None
        except faults.ERRORS as error:
            raise faults.of_error(self._base.name, error) from error

    @contextlib.contextmanager
    def opened(self, ask: Ask, limit: Limit | None = None) -> Iterator[Response]:
        """Make a request whose answer is a success; the caller reads it."""
        from .transport.limits import Deadline

        limit = limit or Deadline(self._timeout)
        token = self._tokens.token()
        response = self._attempt(ask, token, limit)
        try:
            if response.status == 401 and (other := self._tokens.refused(token)):
                response.close()
                response = self._attempt(ask, other, limit)
            if not 200 <= response.status <= 299:
                raise self._refusal(response)
            yield response
        finally:
            response.close()

    def parse(self, content: bytes) -> Any:
        """Read JSON of the upstream."""
        try:
            return strict_json.loads(content)
        except strict_json.Malformed:
            raise self.unusable("its answer is not the JSON it says it is") from None

    def unusable(self, why: str) -> Fault:
        """Say that an answer cannot be used: that is trouble of the server."""
        return Fault(
            fault.SERVER,
            f"`{self._base.name}` gave an unusable answer: {why}",
            fix="Wait a moment and run the command again; if it stays, see whether the "
            "address is that of the API",
        )

    @property
    def name(self) -> str:
        """The host of the upstream, for messages."""
        return self._base.name

    @property
    def timeout(self) -> float:
        """The seconds that a request may take."""
        return self._timeout

    def _attempt(self, ask: Ask, token: str, limit: Limit) -> Response:
        from .transport import faults, http

        headers = {"Accept": ask.accept, "User-Agent": self._agent, **ask.headers}
        body = None
        if ask.body is not None:
            headers["Content-Type"] = "application/json"
            body = output.encode(ask.body, compact=True)
        if token:
            headers["Authorization"] = f"Bearer {token}"
        try:
            address = self._base.join(*ask.path, query=dict(ask.query))
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
            said = json.loads(response.read(MAX_REFUSAL))
            error = said["error"] if isinstance(said["error"], dict) else said
        except (ValueError, LookupError, TypeError, RecursionError, http.TooLarge):
            error = {}
        except faults.ERRORS as broken:
            raise faults.of_error(self._base.name, broken) from broken
        code, message = error.get("code"), error.get("message")
        typed = self.typed_codes.get(code, "") if isinstance(code, str) else ""
        header = response.header
        failed = faults.of_status(self._base.name, response.status, header, typed)
        # What the upstream says is data, and marked as that of somebody else.
        told = {
            name: text
            for name, text in (("upstream_code", code), ("upstream_message", message))
            if isinstance(text, str)
        }
        if told:
            failed.with_details(**told, **{output.UNTRUSTED: list(told)})
        return failed
