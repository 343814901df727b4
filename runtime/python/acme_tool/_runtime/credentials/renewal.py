"""Credentials that expire: renewed without troubling anybody, as long as that works."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from .. import files
from ..fault import AUTH, CONFLICT, Fault
from .credential import Credential
from .source import Source
from .store import ENCRYPTED_FILE, KEYRING, Store, login_hint

LOCK = "renewal.lock"
_LOCK_WAIT = 60.0

Renew = Callable[[str], Credential]


class RenewingSource(Source):
    """The tokens of a store; `renew` asks the upstream for a new one."""

    def __init__(self, store: Store, home: Path, renew: Renew) -> None:
        super().__init__(store)
        self._lock = home / LOCK
        self._renew = renew

    def token(self) -> str:
        """Return the token in effect; an expired one is renewed."""
        credential = self.credential()
        if not credential.is_valid():
            credential = self._renewed(credential)
        return credential.token

    def refused(self, token: str) -> str:
        """Return another token after the upstream refused one; empty if there is none."""
        credential = self.credential()
        if credential.token != token:
            return credential.token
        return self._renewed(credential).token if credential.is_refreshable else ""

    def _renewed(self, old: Credential) -> Credential:
        if not old.is_refreshable:
            raise _log_in("the credential has expired and cannot be renewed")
        # A refresh token may work once, so two processes must not use it at a time.
        with self._alone():
            kept, storage = self.store.find()
            if kept is not None and kept.token != old.token and kept.is_valid():
                self.found = (kept, storage)
                return kept
            fresh = self._ask(old)
            if storage in (KEYRING, ENCRYPTED_FILE):
                storage = self.store.save(fresh)
        self.found = (fresh, storage)
        return fresh

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        try:
            with files.lock(self._lock, wait=_LOCK_WAIT):
                yield
        except files.Held as error:
            raise Fault(
                CONFLICT,
                "another process renews the credential",
                fix="Run the command again",
            ) from error

    def _ask(self, old: Credential) -> Credential:
        try:
            fresh = self._renew(old.refresh_token)
        except Fault as failed:
            if failed.retryable:
                raise
            raise _log_in("the credential could not be renewed") from failed
        # Some upstreams keep a refresh token, others give a new one each time.
        if not fresh.refresh_token:
            fresh = replace(fresh, refresh_token=old.refresh_token)
        fresh = replace(fresh, account=old.account)
        self.store.know(fresh)
        return fresh


def _log_in(message: str) -> Fault:
    return Fault(AUTH, message, fix=login_hint(), login_required=True)
