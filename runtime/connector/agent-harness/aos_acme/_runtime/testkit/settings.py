"""Checks: api.py has no setting that nothing reads, and its limits make sense.

The runtime passes over a member that it does not know, so a name that is spelled
wrongly would change what a rule means and never be noticed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from .. import paging, replies
from ..client import Reply
from . import facts
from .subject import api, gen

FAILURE = {"is", "status", "header", "body", "wait", "waits", "tell", "hint"}
PARTIAL = {"at", "equals", "above", "list", "path", "reason", "text", "tell"}
STYLES = ("page", "cursor", "offset", "link", "none")
PAGING = {"style", "limit", "max_limit", "position", "next", "more", "in"}
MORE_PAGING = {"empty_ends", "last", "total", "cap"}
# The host waits no longer for an answer of `health`.
HEALTH_LIMIT = 2.5
# A bulk command sends a request for each of its values, in the time of one call.
REQUESTS_PER_SECOND = 10


def test_a_rule_of_api_has_no_unknown_member() -> None:
    for rule in api.FAILURES:
        assert rule.get("is") in replies.KINDS, rule
        assert set(rule) <= FAILURE, f"{set(rule) - FAILURE} of {rule}"
    for sign in api.PARTIAL:
        assert {"at", "reason", "text"} <= set(sign), sign
        assert set(sign) <= PARTIAL, f"{set(sign) - PARTIAL} of {sign}"


def test_the_paging_of_api_is_complete_and_read() -> None:
    rules = api.PAGING
    assert PAGING <= set(rules) <= PAGING | MORE_PAGING
    assert rules["style"] in STYLES
    assert rules["in"] in ("query", "body")
    if rules["style"] in ("page", "offset"):
        # Numbers need no place of a next page, and only an empty page ends them.
        assert rules["next"] == ""
        assert not rules.get("empty_ends")


@pytest.mark.parametrize("name", ["more", "last", "total"])
def test_what_a_list_is_told_by_is_in_a_stated_reply(name: str) -> None:
    place = str(api.PAGING.get(name, ""))
    if place and facts.LISTS:
        told = [paging.value_at(reply, place) for reply in stated()]
        fault = f"conform.toml has no reply with {place!r}, the {name!r} of PAGING"
        assert any(value is not None for value in told), fault


def test_health_answers_before_the_host_gives_up() -> None:
    assert 0 < api.HEALTH_SECONDS < HEALTH_LIMIT


def test_a_bulk_command_has_time_for_all_its_values() -> None:
    assert 1 < api.BULK_TARGETS <= REQUESTS_PER_SECOND * api.CALL_SECONDS


def stated() -> Iterator[Reply]:
    """The replies of conform.toml to requests that succeed."""
    lists = [request for name in facts.LISTS for request in requests(name)]
    for entry in [*lists, *facts.PARTIALS]:
        headers = {
            name.lower(): text for name, text in entry.get("headers", {}).items()
        }
        yield Reply(200, headers, entry.get("reply", "").encode())


def requests(command: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = facts.COMMANDS[command]["requests"]
    return found


def test_the_fields_of_a_list_are_those_of_a_command() -> None:
    assert set(api.SLIM) <= set(gen.COMMANDS)
    assert all(paths and all(paths) for paths in api.SLIM.values())
