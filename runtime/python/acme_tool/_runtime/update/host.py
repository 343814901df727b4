"""The host of the releases: addresses that may be opened, tokens, bounded downloads."""

from __future__ import annotations

import os
from collections.abc import Callable

from ...about import REPOSITORY, TOOL, VERSION
from .. import config, fault
from ..fault import Fault
from ..transport import faults, http
from ..transport.address import Address, Unacceptable, is_loopback
from ..transport.limits import Progress
from .stage import integrity

DEFAULT_API = "https://api.github.com"
GITHUB = ("api.github.com", "github.com")
GITHUB_TOKEN = "GITHUB_TOKEN"  # noqa: S105
MAX_REDIRECTS = 5
# A download has no total time limit, which would fail slow connections. It must receive
# this many bytes in each window, and the head of the response within one window.
WINDOW = 30.0
LEAST = 16 * 1024


class Host:
    """Where releases are published."""

    def __init__(self) -> None:
        text = os.environ.get(config.UPDATE_API) or DEFAULT_API
        try:
            self.api = Address.parse_base(text)
        except Unacceptable as error:
            raise Fault(
                fault.CONFIG,
                f"{config.UPDATE_API} cannot be used: {error}",
                fix="Unset it, or set it to the https address of an API like GitHub's",
            ) from error
        self._window = config.at_most(config.UPDATE_TIMEOUT, WINDOW)
        self._token = os.environ.get(GITHUB_TOKEN, "").strip()

    def allows(self, address: Address) -> bool:
        """Return whether an address may be opened: https, or only on this machine."""
        both_here = is_loopback(self.api.host) and is_loopback(address.host)
        return address.scheme == "https" or both_here

    def parse(self, text: str) -> Address:
        """Read an address that may be opened."""
        address = Address.parse(text)
        if not self.allows(address):
            raise Unacceptable("it is not encrypted")
        return address

    def token_for(self, address: Address) -> str:
        """Return the token for an address: only hosts of GitHub get it."""
        is_github = address.scheme == "https" and address.name in GITHUB
        return self._token if is_github else ""

    def get(
        self,
        address: Address,
        what: str,
        take: Callable[[http.Response], None],
        accept: str = "application/octet-stream",
    ) -> None:
        """Open an address and pass on a response of status 200; `what` names it."""
        limit = Progress(self._window, LEAST)
        token = self.token_for(address)
        try:
            response = self._follow(address, accept, token, limit)
            if response.status == 401 and token:
                # A token of the environment is often an old one; a public release
                # needs none.
                response.close()
                response = self._follow(address, accept, "", limit)
            try:
                if response.status != 200:
                    raise self._refusal(response, address.name, what)
                limit.restart()
                take(response)
            finally:
                response.close()
        except faults.ERRORS as error:
            raise faults.of_error(address.name, error) from error

    def read(
        self,
        address: Address,
        what: str,
        limit: int,
        accept: str = "application/octet-stream",
    ) -> tuple[bytes, str]:
        """Read a response of at most `limit` bytes; return it and its media type."""
        found: list[tuple[bytes, str]] = []

        def take(response: http.Response) -> None:
            try:
                found.append((response.read(limit), response.media_type))
            except http.TooLarge:
                raise too_large(what, limit, response.media_type) from None

        self.get(address, what, take, accept)
        return found[0]

    def _follow(
        self, address: Address, accept: str, token: str, limit: Progress
    ) -> http.Response:
        for _ in range(MAX_REDIRECTS + 1):
            headers = {"Accept": accept, "User-Agent": f"{TOOL}/{VERSION}"}
            if token:
                headers["Authorization"] = f"Bearer {token}"
            limit.restart()
            response = http.send(http.Request(address, headers=headers), limit)
            location = response.header("Location")
            if not 300 <= response.status <= 399 or not location:
                return response
            response.close()
            try:
                target = address.follow(location)
                is_safe = self.allows(target)
            except Unacceptable:
                is_safe = False
            if not is_safe:
                raise integrity(
                    f"`{address.name}` redirects the download to an address that is not safe"
                ).with_details(cause="insecure_redirect")
            # A redirect never carries the token.
            address, token = target, ""
        raise Fault(
            fault.NETWORK,
            f"`{address.name}` redirects more than {MAX_REDIRECTS} times",
        )

    def _refusal(self, response: http.Response, name: str, what: str) -> Fault:
        status = response.status
        if status < 400:
            message = f"`{name}` sent an unusable response for {what} (status {status})"
            return Fault(fault.NETWORK, message, status=status)
        failed = faults.of_status(name, status, response.header)
        if failed.code == fault.NOT_FOUND:
            failed.message = f"{what} was not found at `{name}`"
            failed.fix = (
                "Look at the version; the releases are listed at "
                f"https://github.com/{REPOSITORY}/releases"
            )
        elif failed.code == fault.AUTH:
            failed.fix = f"Unset {GITHUB_TOKEN}, or set it to a valid one"
        elif failed.code == fault.RATE_LIMITED:
            failed.fix += f"; with {GITHUB_TOKEN} set the limit is higher"
        return failed


def too_large(what: str, limit: int, kind: str) -> Fault:
    """Report a response that is too large; a web page is from the network."""
    message = f"{what} is larger than {limit} bytes"
    if kind != "text/html":
        return integrity(message)
    return Fault(
        fault.NETWORK,
        f"{message} and a web page, so the network may require a login",
        fix="Log in to the network, then run the command again",
        cause="captive_portal",
    )
