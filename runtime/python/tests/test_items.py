"""Reading items and projects."""

from __future__ import annotations

from typing import Any

import pytest

from acme_tool._runtime.testkit.mock import Reply
from acme_tool._runtime.testkit.sandbox import (
    Sandbox,
)

from mock_upstream import SEED_ITEMS


def test_a_list_is_filtered_by_the_upstream(tool: Sandbox) -> None:
    words = "item list --project atlas --state open --query item --limit 5"
    page = tool.run(*words.split()).ok()
    assert [item["id"] for item in page["items"]] == ["1", "3", "5", "7", "9"]
    assert "state=open" in tool.seen[-1].raw_query


def test_pages_are_followed_to_the_end_and_no_item_is_lost(tool: Sandbox) -> None:
    ids: list[str] = []
    page: dict[str, Any] = {"next_cursor": None, "has_more": True}
    while page["has_more"]:
        cursor = ["--cursor", page["next_cursor"]] if page["next_cursor"] else []
        page = tool.run("item", "list", "--limit", "100", *cursor).ok()
        ids += [item["id"] for item in page["items"]]
    assert ids == [str(number) for number in range(1, SEED_ITEMS + 1)]


def test_an_item_has_times_in_utc_and_marks_the_text_of_others(tool: Sandbox) -> None:
    item = tool.run("item", "get", "--id", "7").ok()
    assert item["created_at"] == "2024-03-01T07:07:00Z"
    assert item["_untrusted"] == ["title", "labels"]


def test_an_item_that_is_not_there_is_not_found(tool: Sandbox) -> None:
    tool.run("item", "get", "--id", "999999").fails("E_NOT_FOUND")
    tool.run("item", "get", "--id", "../admin").fails("E_VALIDATION")


def test_content_is_data_or_the_bytes_themselves(tool: Sandbox) -> None:
    content = tool.run("item", "content", "--id", "1").ok()
    assert content["content"] == "Content of item 1\n"
    raw = tool.run("item", "content", "--id", "1", "--format", "raw")
    assert raw.stdout == b"Content of item 1\n"


def test_a_stream_ends_with_a_summary(tool: Sandbox) -> None:
    words = "item watch --after 3 --max-events 2 --duration 30"
    *events, summary = tool.run(*words.split()).lines
    assert [event["data"]["sequence"] for event in events] == [4, 5]
    assert summary["data"]["last_sequence"] == 5


def test_a_project_that_cannot_be_read_does_not_hide_the_others(tool: Sandbox) -> None:
    data = tool.run("project", "overview", "--projects", "atlas,vault").ok()
    assert [found["project"] for found in data["projects"]] == ["atlas"]
    assert data["project_errors"][0]["code"] == "E_FORBIDDEN"


@pytest.mark.parametrize(
    ("status", "code"),
    [(401, "E_AUTH"), (403, "E_FORBIDDEN"), (429, "E_RATE_LIMITED"), (500, "E_SERVER")],
)
def test_a_refusal_of_the_upstream_has_its_code(
    tool: Sandbox, status: int, code: str
) -> None:
    tool.answer("/v1/items", Reply({}, status=status))
    tool.run("item", "list").fails(code)


def test_an_answer_that_makes_no_sense_is_never_shown(tool: Sandbox) -> None:
    tool.answer("/v1/items/1", Reply({"id": 2, "title": "another item"}))
    tool.run("item", "get", "--id", "1").fails("E_SERVER")
