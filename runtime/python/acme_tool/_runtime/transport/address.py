"""Addresses of servers: https, or http on this machine, without user and fragment."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode, urljoin, urlsplit

_HOST = re.compile(
    r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?\.?|[0-9A-Fa-f:.]+"
)
_TARGET = re.compile(r"/[\x21\x24-\x3b=\x3f-\x7e]*")
_PORTS = {"https": 443, "http": 80}


class Unacceptable(ValueError):
    """An address that is not opened. Its text never repeats the address."""


@dataclass(frozen=True)
class Address:
    """An address that may be opened."""

    scheme: str
    host: str
    port: int
    target: str

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read an address."""
        try:
            parts = urlsplit(text)
            port = parts.port
        except ValueError as error:
            raise Unacceptable("it is not an address") from error
        host = parts.hostname or ""
        if port == 0:
            raise Unacceptable("it has a port that no server listens on")
        if "@" in parts.netloc:
            raise Unacceptable(
                "it contains a user name; credentials are stored separately"
            )
        if parts.fragment or "#" in text:
            raise Unacceptable("it contains a fragment")
        if parts.scheme not in _PORTS or (
            parts.scheme == "http" and not is_loopback(host)
        ):
            raise Unacceptable("it is neither https nor http on this machine")
        if not _HOST.fullmatch(host):
            raise Unacceptable("it has no host that can be reached")
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        if not _TARGET.fullmatch(target):
            raise Unacceptable("it has a character that is not allowed in an address")
        return cls(parts.scheme, host, port or _PORTS[parts.scheme], target)

    @classmethod
    def parse_base(cls, text: str) -> Address:
        """Read an address that others lie below."""
        if "?" in text:
            raise Unacceptable("it contains a query")
        return cls.parse(text)

    def join(
        self,
        *segments: str,
        query: Mapping[str, str | Sequence[str]] | None = None,
    ) -> Address:
        """Return an address below this one; each segment is escaped."""
        if any(segment in ("", ".", "..") for segment in segments):
            raise Unacceptable("a part of it would lead elsewhere")
        path = self.target.partition("?")[0].rstrip("/")
        path += "".join(f"/{quote(segment, safe='')}" for segment in segments)
        target = f"{path}?{urlencode(query, doseq=True)}" if query else path
        return Address(self.scheme, self.host, self.port, target or "/")

    def at(self, target: str, *, is_whole: bool = False) -> Address:
        """Return the address of a path and a query, which are encoded already.

        They are below this address, or with `is_whole` below the root of the server.
        """
        before = "" if is_whole else self.target.partition("?")[0].rstrip("/")
        whole = f"{before}{target}"
        if not _TARGET.fullmatch(whole):
            raise Unacceptable("it has a character that is not allowed in an address")
        return Address(self.scheme, self.host, self.port, whole)

    def follow(self, location: str) -> Address:
        """Return the address that a redirect names."""
        return Address.parse(urljoin(str(self), location))

    @property
    def name(self) -> str:
        """Host and port, for messages and for the header Host."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> tuple[str, str, int]:
        """Tell servers apart."""
        return self.scheme, self.host, self.port

    def __str__(self) -> str:
        target = "" if self.target == "/" else self.target
        return f"{self.scheme}://{self.name}{target}"


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
