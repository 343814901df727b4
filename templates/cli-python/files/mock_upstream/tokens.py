"""Credentials that expire: each refresh token works once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .http import Ask, Reply, refused

if TYPE_CHECKING:
    from .upstream import Account, Upstream

REFRESH_ALICE = "demo-refresh-alice"
LIFETIME = 2 * 60 * 60


class Tokens:
    """The refresh tokens of one upstream."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self._number = 0
        alice = next(iter(upstream.accounts.values()))
        self._accounts: dict[str, Account] = {REFRESH_ALICE: alice}

    def renew(self, ask: Ask) -> Reply:
        """Give a new credential for a refresh token."""
        account = self._accounts.pop(ask.document().get("refresh_token", ""), None)
        if account is None:
            message = "the refresh token is not good any more"
            raise refused(400, "invalid_grant", message)
        self._number += 1
        token = f"demo-token-renewed-{self._number}"
        refresh = f"demo-refresh-renewed-{self._number}"
        self._upstream.accounts[token] = account
        self._accounts[refresh] = account
        return Reply(
            {"access_token": token, "refresh_token": refresh, "expires_in": LIFETIME}
        )
