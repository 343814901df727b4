"""A credential: what it holds, how it is read, and what cannot be one."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from .. import config
from ..fault import CONFIG, VALIDATION, Fault
from ..redact import MIN_SECRET

MAX_LENGTH = 4096
# How long before its end a credential counts as expired.
MARGIN = timedelta(seconds=30)


class Unfit(ValueError):
    """A text that cannot be a credential. Its words never repeat the text."""


@dataclass(frozen=True)
class Credential:
    """The credential that the upstream expects."""

    token: str
    # The upstream's statement about it; empty without one.
    refresh_token: str = ""
    expires_at: datetime | None = None
    # Whose it is, as the upstream said when it was stored.
    account: str = ""

    def __post_init__(self) -> None:
        for secret in self.secrets:
            if not MIN_SECRET <= len(secret) <= MAX_LENGTH:
                raise Unfit(f"is not {MIN_SECRET} to {MAX_LENGTH} characters long")
            if not all("!" <= symbol <= "~" for symbol in secret):
                raise Unfit("has a character that is not allowed in a credential")

    @property
    def secrets(self) -> list[str]:
        """The values that nobody may see."""
        if self.refresh_token:
            return [self.token, self.refresh_token]
        return [self.token]

    @property
    def is_refreshable(self) -> bool:
        """Whether it can be renewed without a person."""
        return bool(self.refresh_token)

    @property
    def expiry(self) -> str | None:
        """When it expires, as it is shown."""
        if self.expires_at is None:
            return None
        return self.expires_at.strftime("%Y-%m-%dT%H:%M:%SZ")

    def is_valid(self, within: timedelta = MARGIN) -> bool:
        """Return whether it is good for some time; nobody is asked."""
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


def parse(text: str) -> Credential:
    """Make a credential of a text, for example of a file."""
    try:
        return Credential(text.strip())
    except Unfit as error:
        raise Fault(
            VALIDATION,
            f"the credential {error}",
            fix="Pass the credential exactly as you received it",
        ) from error


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


def from_environment(*, expiring: bool) -> Credential | None:
    """Return the credential of the environment, or None.

    What renews a credential is read only when credentials expire.
    """
    token = os.environ.get(config.TOKEN, "").strip()
    if not token:
        return None
    try:
        if not expiring:
            return Credential(token)
        refresh = os.environ.get(config.REFRESH_TOKEN, "").strip()
        return Credential(token, refresh, _expiry())
    except Unfit as error:
        raise Fault(
            CONFIG,
            f"{config.TOKEN} {error}",
            fix="Set it to the credential exactly as you received it",
        ) from error
