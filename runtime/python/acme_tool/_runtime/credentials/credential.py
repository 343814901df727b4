"""A credential: its members, how it is read, and the texts that are refused."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from .. import config
from ..fault import AUTH, CONFIG, VALIDATION, Fault
from ..redact import MIN_SECRET, MIN_WORD, is_secret_name
from .keys import keys_of, variables

MAX_LENGTH = 4096
# How long before its end a credential counts as expired.
MARGIN = timedelta(seconds=30)


class Unfit(ValueError):
    """A text that cannot be a credential. Its words never repeat the text."""


@dataclass(frozen=True)
class Credential:
    """The credential that the upstream expects."""

    # The key, or a line for each key (see `keys_of`).
    token: str
    # The upstream's statement about it; empty without one.
    refresh_token: str = ""
    expires_at: datetime | None = None
    # The account, as the upstream named it when the credential was stored.
    account: str = ""

    def __post_init__(self) -> None:
        for name, key in keys_of(self.token).items():
            _check(key, _least(name) if "\n" in self.token else MIN_SECRET)
        if self.refresh_token:
            _check(self.refresh_token, MIN_SECRET)

    @property
    def secrets(self) -> list[str]:
        """The values that must never be printed."""
        found = list(keys_of(self.token).values())
        return [*found, self.refresh_token] if self.refresh_token else found

    @property
    def is_refreshable(self) -> bool:
        """Whether it can be renewed without a person."""
        return bool(self.refresh_token)

    @property
    def expiry(self) -> str | None:
        """The time when it expires, as a text in UTC."""
        if self.expires_at is None:
            return None
        return self.expires_at.strftime("%Y-%m-%dT%H:%M:%SZ")

    def is_valid(self, within: timedelta = MARGIN) -> bool:
        """Return whether it stays valid for some time, without a request."""
        if self.expires_at is None:
            return True
        return datetime.now(timezone.utc) + within < self.expires_at

    def encode(self) -> str:
        """Return the form in which it is stored."""
        document = {"token": self.token}
        if self.refresh_token:
            document["refresh_token"] = self.refresh_token
        if self.expires_at is not None:
            document["expires_at"] = self.expires_at.isoformat()
        if self.account:
            document["account"] = self.account
        return json.dumps(document)


def _least(name: str) -> int:
    """How long one of several keys must be: a name of an application can be short."""
    return MIN_WORD if is_secret_name(name) else 1


def _check(secret: str, least: int) -> None:
    if not least <= len(secret) <= MAX_LENGTH:
        raise Unfit(f"is not {least} to {MAX_LENGTH} characters long")
    if not all("!" <= symbol <= "~" for symbol in secret):
        raise Unfit("has a character that is not allowed in a credential")


def decode(text: str) -> Credential:
    """Read the form in which a credential is stored; raises ValueError."""
    try:
        document = json.loads(text)
        expires = document.get("expires_at")
        return Credential(
            document["token"],
            document.get("refresh_token", ""),
            (
                datetime.fromisoformat(expires).astimezone(timezone.utc)
                if expires
                else None
            ),
            str(document.get("account", "")),
        )
    except (TypeError, LookupError, AttributeError, RecursionError) as error:
        raise ValueError("not a stored credential") from error


def parse(text: str, keys: Sequence[str] = ()) -> Credential:
    """Make a credential of a text, for example of a file."""
    if keys:
        return _parse_keys(text, keys)
    try:
        return _single(text.strip())
    except Unfit as error:
        raise Fault(
            VALIDATION,
            f"the credential {error}",
            fix="Pass the credential exactly as you received it",
        ) from error


def _parse_keys(text: str, keys: Sequence[str]) -> Credential:
    """Read lines `NAME=KEY`; NAME may have the prefix of the tool."""
    pairs = (line.strip().partition("=") for line in text.splitlines())
    found = {
        name.strip().removeprefix(config.env("")): key.strip()
        for name, _, key in pairs
        if name
    }
    try:
        if found.keys() != {*keys}:
            raise Unfit("has other keys")
        return _joined(found, keys)
    except Unfit as error:
        raise Fault(
            VALIDATION,
            "the file does not have the keys that the API takes",
            fix=f"Write one line NAME=KEY for each of {variables(keys)}",
        ) from error


def _joined(found: Mapping[str, str], keys: Sequence[str]) -> Credential:
    return Credential("\n".join(f"{name}={found[name]}" for name in keys))


def _single(token: str, *more: Any) -> Credential:
    """Make the credential of an API that takes one key."""
    if "\n" in token:
        raise Unfit("has a character that no credential has")
    return Credential(token, *more)


def _expiry() -> datetime | None:
    text = os.environ.get(config.EXPIRES_AT, "").strip()
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise Fault(
            CONFIG,
            f"{config.EXPIRES_AT} is not a time in RFC 3339",
            fix="Write it as 2030-01-31T12:00:00Z, or unset it",
        )
    return moment.astimezone(timezone.utc)


def from_environment(*, expiring: bool, keys: Sequence[str] = ()) -> Credential | None:
    """Return the credential of the environment, or None.

    What renews a credential is read only when credentials expire.
    """
    if keys:
        return _keys_from_environment(keys)
    token = os.environ.get(config.TOKEN, "").strip()
    if not token:
        return None
    try:
        if not expiring:
            return _single(token)
        refresh = os.environ.get(config.REFRESH_TOKEN, "").strip()
        return _single(token, refresh, _expiry())
    except Unfit as error:
        raise Fault(
            CONFIG,
            f"{config.TOKEN} {error}",
            fix="Set it to the credential exactly as you received it",
        ) from error


def _keys_from_environment(keys: Sequence[str]) -> Credential | None:
    found = {name: os.environ.get(config.env(name), "").strip() for name in keys}
    missing = [name for name in keys if not found[name]]
    if len(missing) == len(keys):
        return None
    if missing:
        raise Fault(
            AUTH,
            f"the API takes several keys at once, and {variables(missing)} is not set",
            fix=f"Set {variables(keys)}",
        )
    for name in keys:
        try:
            _joined(found, [name, name])
        except Unfit as error:
            raise Fault(
                CONFIG,
                f"{config.env(name)} {error}",
                fix="Set it to the key exactly as you got it",
            ) from error
    return _joined(found, keys)
