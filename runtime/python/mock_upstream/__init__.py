"""The example upstream in memory, for tests and for trying the tool. It is yours.

When your API takes the place of the example, teach this mock its routes, paging, conflicts
and refusals. Run it with `python -m mock_upstream`.
"""

from __future__ import annotations

from acme_tool._runtime.testkit.mock import RefreshTokens

from . import approvals, exports
from .items import TOKEN_ALICE, Upstream

REFRESH_ALICE = "demo-refresh-alice"


def make() -> Upstream:
    """Return a new upstream with all of its routes."""
    upstream = Upstream()
    alice = upstream.accounts[TOKEN_ALICE]
    tokens = RefreshTokens(upstream, {REFRESH_ALICE: alice}, lifetime=2 * 60 * 60)
    upstream.route("POST /oauth/token", None, tokens.renew)
    exports.add(upstream)
    approvals.add(upstream)
    return upstream
