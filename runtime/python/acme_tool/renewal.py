"""Renews an expired credential. Adapt it to your API."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from ._runtime import wire
from ._runtime.credentials.credential import Credential, Unfit
from ._runtime.rest import Ask
from ._runtime.wire import reading
from .client import Client

# One year; a longer lifetime in a response is not used.
MAX_LIFETIME = 366 * 24 * 3600


def renew(client: Client, refresh_token: str) -> Credential:
    """Return a new credential for a refresh token (RFC 6749, section 6)."""
    form = {"grant_type": "refresh_token", "refresh_token": refresh_token}
    with reading(client, "a credential"):
        found = client.document(Ask("POST", ("oauth", "token"), form=form))
        seconds = min(wire.number(found["expires_in"]), MAX_LIFETIME)
        try:
            return Credential(
                wire.text(found["access_token"]),
                wire.text(found.get("refresh_token", "")),
                datetime.now(timezone.utc) + timedelta(seconds=seconds),
            )
        except Unfit:
            raise client.unusable("a credential has a strange form") from None
