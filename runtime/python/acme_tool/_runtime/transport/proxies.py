"""The proxy that the environment names for an address, if any."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from ..fault import CONFIG, Fault
from .address import Address, is_loopback


@dataclass(frozen=True)
class Proxy:
    """An HTTP proxy that tunnels."""

    host: str
    port: int
    # The value of Proxy-Authorization, a secret; empty when the proxy wants none.
    authorization: str

    @property
    def name(self) -> str:
        """Host and port, without what is secret."""
        return f"{self.host}:{self.port}"


def proxy_for(address: Address) -> Proxy | None:
    """Return the proxy for an address. This machine is never asked through one."""
    if address.scheme != "https" or is_loopback(address.host):
        return None
    variable, text = _setting("https_proxy")
    if not text:
        variable, text = _setting("all_proxy")
    if not text or _is_exempt(address):
        return None
    return _parse(variable, text)


def _setting(name: str) -> tuple[str, str]:
    for variable in (name, name.upper()):
        if text := os.environ.get(variable, "").strip():
            return variable, text
    return name, ""


def _parse(variable: str, text: str) -> Proxy:
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme != "http" or not parts.hostname:
        raise Fault(
            CONFIG,
            f"the proxy in {variable} cannot be used: it is not an http address",
            fix=f"Set {variable} to http://host:port, or add the host to NO_PROXY",
        )
    authorization = ""
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        authorization = f"Basic {base64.b64encode(pair.encode()).decode()}"
    return Proxy(parts.hostname, port or 80, authorization)


def _is_exempt(address: Address) -> bool:
    _, text = _setting("no_proxy")
    for rule in (part.strip().lower() for part in text.split(",")):
        name, _, port = rule.partition(":")
        if port and port != str(address.port):
            continue
        name = name.removeprefix("*").lstrip(".")
        host = address.host.lower()
        if rule == "*" or (name and (host == name or host.endswith(f".{name}"))):
            return True
    return False
