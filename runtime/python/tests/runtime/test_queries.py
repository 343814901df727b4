"""Reading: pages, filters, fields, marks of other people's text, streams."""

from __future__ import annotations

import re

import pytest

from acme_tool._runtime.testkit.mock import Reply

from mock_upstream import SEED_ITEMS

from .conftest import NewTool
from .sandbox import Tool, every, objects

PAGE = {"items", "count", "next_cursor", "has_more"}

# A call of each query, with one field of its data. `reference` adds what is missing.
QUERIES = {
    "item list": ("--limit 1", "id"),
    "item get": ("--id 1", "id"),
    "item content": ("--id 1", "size"),
    "item watch": ("--max-events 1 --after 0 --duration 5", "kind"),
    "project overview": ("--projects atlas", "scope"),
    "reference": ("", "tool"),
    "context": ("", "version"),
    "doctor": ("", "checks"),
    "changelog": ("", "entries"),
}


def test_a_list_is_paged_by_cursor_and_no_item_is_lost_or_doubled(tool: Tool) -> None:
    ids: list[str] = []
    cursor: list[str] = []
    for _ in range(3):
        data = tool.run("item", "list", "--limit", "50", *cursor).ok()
        assert set(data) == PAGE
        assert data["count"] == len(data["items"]) <= 50
        ids += [item["id"] for item in data["items"]]
        assert data["has_more"] is (data["next_cursor"] is not None)
        cursor = ["--cursor", data["next_cursor"]]
    assert not data["has_more"]
    assert ids == [str(number) for number in range(1, SEED_ITEMS + 1)]


def test_filters_are_those_of_the_upstream(tool: Tool) -> None:
    words = "item list --project atlas --state open --limit 100 --query".split()
    assert tool.run(*words, "item 00").ok()["count"] == 5
    asked = set(tool.seen[-1].raw_query.split("&"))
    assert asked == {"project=atlas", "state=open", "q=item+00", "limit=100"}


def test_an_empty_list_is_a_success(tool: Tool) -> None:
    data = tool.run("item", "list", "--query", "no such title").ok()
    nothing = {"items": [], "count": 0, "next_cursor": None, "has_more": False}
    assert data == nothing


def test_a_cursor_of_another_list_is_refused(tool: Tool) -> None:
    details = tool.run("item", "list", "--cursor", "bm9uc2Vuc2U=").fails("E_VALIDATION")
    assert details["upstream_code"] == "invalid_cursor"
    assert set(details["_untrusted"]) == {"upstream_code", "upstream_message"}


def test_ids_are_texts_and_times_are_in_utc(tool: Tool) -> None:
    item = tool.run("item", "get", "--id", "7").ok()
    assert item["id"] == "7"
    for name in ("created_at", "updated_at"):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", item[name])
    # The upstream says 09:07 with two hours of offset.
    assert item["created_at"] == "2024-03-01T07:07:00Z"


@pytest.mark.parametrize(
    ("words", "marked"),
    [
        ("item get --id 1", {"title", "labels"}),
        ("item list --limit 2", {"title", "labels"}),
        ("item content --id 1", {"content"}),
        ("item delete --id 1 --dangerous --dry-run", {"title", "labels"}),
    ],
)
def test_text_of_other_people_is_marked(
    tool: Tool, words: str, marked: set[str]
) -> None:
    found = set()
    for item in objects(tool.run(*words.split()).document):
        for name in item.get("_untrusted", ()):
            assert name in item
            found.add(name)
    assert found == marked


def test_fields_keep_what_was_asked_for_and_what_is_needed(tool: Tool) -> None:
    data = tool.run("item", "list", "--limit", "2", "--fields", "id,title").ok()
    assert set(data) == PAGE
    for item in data["items"]:
        assert set(item) == {"id", "title", "_untrusted"}
        assert item["_untrusted"] == ["title"]
    narrow = tool.run("item", "get", "--id", "1", "--fields", "id", "--fields", "state")
    assert set(narrow.ok()) == {"id", "state"}
    unknown = tool.run("item", "get", "--id", "1", "--fields", "id,owner")
    unknown.fails("E_VALIDATION")
    assert "`owner`" in unknown.error["message"]


def test_every_query_has_fields(tool: Tool) -> None:
    def narrow(path: str) -> None:
        words, name = QUERIES[path]
        call = (*path.split(), *words.split(), "--fields")
        result = tool.run(*call, name)
        assert result.exit == 0
        assert f'"{name}"' in result.text
        tool.run(*call, "nothing_of_the_kind").fails("E_VALIDATION")

    every(narrow, list(QUERIES))


def test_the_data_has_only_declared_fields(tool: Tool) -> None:
    reference = tool.run("reference").ok()
    commands = {command["path"]: command for command in reference["commands"]}

    def compare(path: str) -> None:
        schema = reference["schemas"][commands[path]["output_schema"]]
        data = tool.run(*path.split(), *QUERIES[path][0].split()).ok()
        assert set(data) <= set(schema["fields"])
        if "items_schema" in schema:
            fields = set(reference["schemas"][schema["items_schema"]]["fields"])
            assert all(set(item) <= fields for item in data["items"])

    every(compare, [path for path in QUERIES if path != "item watch"])


def test_a_project_that_cannot_be_read_does_not_hide_the_others(tool: Tool) -> None:
    words = "project overview --projects atlas,vault --projects nowhere,borealis"
    data = tool.run(*words.split()).ok()
    assert [found["project"] for found in data["projects"]] == ["atlas", "borealis"]
    assert data["projects_scanned"] == 2
    assert data["project_errors"] == [
        {"project": "vault", "code": "E_FORBIDDEN", "retryable": False},
        {"project": "nowhere", "code": "E_NOT_FOUND", "retryable": False},
    ]
    many = ",".join(f"p{number}" for number in range(51))
    tool.run("project", "overview", "--projects", many).fails("E_VALIDATION")


def test_a_stream_is_ndjson_with_a_summary_at_its_end(tool: Tool) -> None:
    result = tool.run("item", "watch", "--max-events", "3")
    *events, summary = result.lines
    assert [event["type"] for event in events] == ["item"] * 3
    for line in (*events, summary):
        assert (line["ok"], line["schema_version"]) == (True, "1.0")
    assert summary["type"] == "summary"
    assert summary["data"]["count"] == summary["data"]["last_sequence"] == 3
    following = tool.run("item", "watch", "--after", "3", "--max-events", "1").lines[0]
    assert following["data"]["sequence"] == 4


def test_a_quiet_stream_ends_by_itself(tool: Tool) -> None:
    result = tool.run("item", "watch", "--after", "130", "--duration", "1")
    (line,) = result.lines
    assert (result.exit, line["ok"], line["type"]) == (0, True, "summary")
    assert line["data"]["last_sequence"] == 130


def test_a_stream_that_breaks_ends_with_a_failure(tool: Tool) -> None:
    event = (
        b'{"sequence":1,"kind":"created","item_id":1,"title":"x",'
        b'"at":"2024-01-01T00:00:00Z"}\n'
    )
    kind = "application/x-ndjson"
    tool.answer("/v1/events", Reply(content=event + b"nonsense\n", media_type=kind))
    result = tool.run("item", "watch")
    first, last = result.lines
    assert (first["ok"], first["type"]) == (True, "item")
    assert (last["ok"], last["type"]) == (False, "summary")
    assert (result.exit, last["error"]["code"]) == (7, "E_SERVER")


def test_a_stream_that_cannot_begin_is_one_envelope(new_tool: NewTool) -> None:
    stranger = new_tool().set(TOKEN="not-a-known-token")
    stranger.run("item", "watch").fails("E_AUTH")


def test_a_stream_as_text_is_for_people(tool: Tool) -> None:
    shown = tool.run("item", "watch", "--max-events", "1", "--format", "text")
    assert shown.exit == 0
    assert "kind: created" in shown.text
