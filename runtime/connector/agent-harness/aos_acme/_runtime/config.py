"""Settings and secrets. They come from the environment and from nowhere else.

Only the names that the contract declares are read: the service keys, the
variable that moves the base URL, the one that sets the default mode, those by
which a network names its proxy and its certificates, and (in `inputs`) the
defaults of fields.
No value is ever returned by `config show`, not even its length.
"""

from __future__ import annotations

import os

from .. import api
from ..contract_gen import DEFAULT_MODE, MODE_ENV, MODES, SERVICE_KEYS
from .errors import AuthError, InvalidUsage

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Variables that the network of a machine may need; no other variable is read.
NETWORK = {
    "HTTPS_PROXY": "proxy",
    "NO_PROXY": "hosts_without_proxy",
    "SSL_CERT_FILE": "trusted_certificates",
    "SSL_CERT_DIR": "trusted_certificates",
}


def value(key: str) -> str:
    """The value of a variable, or "" when it is unset or blank.

    A service key may have other names, which count when it is unset itself.
    """
    for name in (key, *api.OTHER_NAMES.get(key, ())):
        text = os.environ.get(name, "") if name else ""
        if text.strip():
            return text
    return ""


def missing_keys() -> list[str]:
    """The service keys that are not set."""
    return [key for key in SERVICE_KEYS if not value(key)]


def require_keys() -> None:
    """Stop unless every service key is set and can be sent."""
    missing = missing_keys()
    if missing:
        raise AuthError(
            "missing " + ", ".join(missing),
            {"missing_keys": missing},
            hint="set the missing keys in the environment",
        )
    for key in SERVICE_KEYS:
        text = value(key)
        if not text.isprintable() or (api.SCHEME != "basic" and not text.isascii()):
            raise AuthError(
                f"{key} contains characters that cannot be sent",
                {"key": key},
                hint="look for a line break at its end and set it again",
            )


def mode(flag: str | None) -> str:
    """The mode of a run: the flag, else the environment, else the default."""
    if flag is not None:
        return _known_mode(flag, "--mode")
    granted = os.environ.get(MODE_ENV, "") if MODE_ENV else ""
    return _known_mode(granted, MODE_ENV) if granted else DEFAULT_MODE


def _known_mode(name: str, source: str) -> str:
    if name in MODES:
        return name
    raise InvalidUsage(
        f"{source} must be one of {', '.join(MODES)}", {"allowed": list(MODES)}
    )


def base_url() -> tuple[str, str]:
    """Where the API is, and the name of the setting that says so."""
    if value(api.URL_OVERRIDE):
        return value(api.URL_OVERRIDE), api.URL_OVERRIDE
    if api.BASE_URL:
        return api.BASE_URL, "default"
    return value(api.BASE_URL_KEY), api.BASE_URL_KEY or api.URL_OVERRIDE


def surroundings() -> list[dict[str, Any]]:
    """The variables that say how the API is reached, and whether each is set."""
    names = [api.URL_OVERRIDE or api.BASE_URL_KEY, *NETWORK]
    lower = [name for name in NETWORK if not value(name) and value(name.lower())]
    return [
        {"key": name, "set": bool(value(name)) or name in lower, "for": what}
        for name, what in zip(names, ("base_url", *NETWORK.values()))
        if name
    ]


def data_secrets() -> list[str]:
    """Values to keep out of results: every key but the user name and the URL."""
    public = (api.USER_KEY, api.BASE_URL_KEY)
    return [value(key) for key in SERVICE_KEYS if key not in public and value(key)]


def all_secrets() -> list[str]:
    """Values to keep out of errors and logs, with no exception."""
    secrets = []
    for key in SERVICE_KEYS:
        text = value(key)
        secrets.append(text.rpartition("://")[2] if key == api.BASE_URL_KEY else text)
    secrets.append(value(api.URL_OVERRIDE).rpartition("@")[0].rpartition("://")[2])
    return [text for text in secrets if text]
