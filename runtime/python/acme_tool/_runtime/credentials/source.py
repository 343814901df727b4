"""Gives tokens to the client of the upstream."""

from __future__ import annotations

from ..fault import AUTH, Fault
from .credential import Credential
from .store import Store, login_hint


class Given:
    """A token that is known already; empty is none."""

    def __init__(self, token: str) -> None:
        self._token = token

    def token(self) -> str:
        """Return the token."""
        return self._token

    def refused(self, _token: str) -> str:
        """Return another token after the upstream refused one; there is none."""
        return ""


class Source:
    """The tokens of a store."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.found: tuple[Credential | None, str] | None = None

    def token(self) -> str:
        """Return the token in effect."""
        return self.credential().token

    def refused(self, _token: str) -> str:
        """Return another token after the upstream refused one; there is none."""
        return ""

    def credential(self) -> Credential:
        """Return the credential in effect."""
        if self.found is None:
            self.found = self.store.find()
        credential, _ = self.found
        if credential is None:
            raise Fault(
                AUTH,
                "there is no credential for the upstream",
                fix=login_hint(self.store.keys),
            )
        return credential
