"""A credential that has expired is renewed, and what cannot be renewed is named."""

from __future__ import annotations

import pytest

from acme_tool._runtime.testkit.mock import Reply
from acme_tool._runtime.testkit.sandbox import (
    Sandbox,
)

from mock_upstream import REFRESH_ALICE

GET = ("item", "get", "--id", "1")
EXPIRED = "2020-01-31T12:00:00Z"


def test_an_expired_credential_is_renewed(tool: Sandbox) -> None:
    tool.set(TOKEN_EXPIRES_AT=EXPIRED, REFRESH_TOKEN=REFRESH_ALICE)
    tool.run(*GET).ok()
    assert tool.seen[0].form()["refresh_token"] == REFRESH_ALICE


def test_a_credential_that_cannot_be_renewed_needs_a_login(tool: Sandbox) -> None:
    tool.set(TOKEN_EXPIRES_AT=EXPIRED)
    assert tool.run(*GET).fails("E_AUTH")["login_required"]
    assert tool.seen == []


@pytest.mark.parametrize("answer", [{}, {"access_token": "a b", "expires_in": 1}])
def test_a_renewal_that_makes_no_sense_is_not_used(
    tool: Sandbox, answer: dict[str, object]
) -> None:
    tool.set(TOKEN_EXPIRES_AT=EXPIRED, REFRESH_TOKEN=REFRESH_ALICE)
    tool.answer("/oauth/token", Reply(answer))
    tool.run(*GET).fails("E_SERVER")
