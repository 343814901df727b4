"""An upstream that lies, a caller with endless words: nothing of it gets through."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acme_tool._runtime.testkit.mock import Handler, Reply

from .conftest import NewTool
from .sandbox import Tool, every

GET = ("item", "get", "--id", "1")
LIST = ("item", "list", "--cursor", "here")
MOST = 2000


def item(**members: Any) -> bytes:
    """Return an item as the upstream sends it; what is passed replaces its own."""
    time = "2024-03-01T09:00:00+02:00"
    whole = {
        "id": 1,
        "project": "atlas",
        "title": "x",
        "state": "open",
        "labels": [],
        "version": "r1",
        "created_at": time,
        "updated_at": time,
    }
    return json.dumps({**whole, **members}).encode()


def page(cursor: str | None, *items: bytes) -> bytes:
    """Return a page of items."""
    return b'{"items":[%s],"next_cursor":%s}' % (
        b",".join(items),
        json.dumps(cursor).encode(),
    )


LIES = {
    "another item": (GET, item(id=2)),
    "a fraction": (GET, item(id=1.0)),
    "less than nothing": (GET, item(id=-1)),
    "an endless id": (GET, item().replace(b": 1,", b": 1%s," % (b"0" * 5000))),
    "a version of two lines": (GET, item(version="r1\r\nX-Admin: 1")),
    "no times": (GET, item(created_at=None)),
    "a text in place of a list": (GET, item(labels="abc")),
    "a member twice": (GET, item().replace(b"{", b'{"title":"first",')),
    "a number without end": (GET, item().replace(b"[]", b"[1e999]")),
    "no list": (LIST, b"{}"),
    "nothing": (LIST, b"null"),
    "an item twice": (LIST, page(None, item(), item())),
    "too many": ((*LIST, "--limit", "1"), page(None, item(), item(id=2))),
    "a page that leads back": (LIST, page("here")),
    "an endless cursor": (LIST, page("x" * 5000)),
}


@pytest.mark.parametrize("name", LIES)
def test_an_answer_that_makes_no_sense_is_trouble_of_the_server(
    tool: Tool, name: str
) -> None:
    words, content = LIES[name]
    tool.answer("/v1/items", Reply(content=content))
    ended = tool.run(*words)
    ended.fails("E_SERVER")
    assert len(ended.stdout) < MOST


def test_an_answer_about_another_item_is_never_written_to(tool: Tool) -> None:
    tool.answer("/v1/items", Reply(content=item(id=2)))
    tool.run("item", "delete", "--id", "1", "--dangerous", "--dry-run").fails(
        "E_SERVER"
    )
    tool.run("item", "update", "--id", "1", "--title", "y").fails("E_SERVER")
    tool.answer("/v1/items", Reply(content=page(None, item(id=9))))
    tool.run("item", "close", "--ids", "1", "--dry-run").fails("E_SERVER")
    assert tool.changes == 0


def test_a_summary_with_holes_is_an_error_of_its_project(new_tool: NewTool) -> None:
    def ask(answer: dict[str, Any]) -> None:
        tool = new_tool()
        tool.answer("/v1/projects/", Reply(answer))
        data = tool.run("project", "overview", "--projects", "atlas").ok()
        (error,) = data["project_errors"]
        assert error["code"] == "E_SERVER", answer

    ask({})
    ask({"project": "atlas", "open": -1, "closed": 1})
    ask({"project": "vault", "open": 1, "closed": 1})


def event(sequence: int) -> bytes:
    """Return a line of the stream."""
    time = "2024-03-01T09:00:00Z"
    event = {"sequence": sequence, "kind": "x", "item_id": 1, "title": "x", "at": time}
    return json.dumps(event).encode() + b"\n"


@pytest.mark.parametrize("sequences", [(5, 5), (5, 4), (3,)])
def test_a_stream_that_turns_back_is_ended(
    tool: Tool, sequences: tuple[int, ...]
) -> None:
    content = b"".join(map(event, sequences))
    tool.answer("/v1/events", Reply(content=content, media_type="application/x-ndjson"))
    ended = tool.run("item", "watch", "--after", "3", "--duration", "5", "--compact")
    assert ended.exit == 7
    assert ended.lines[-1]["error"]["code"] == "E_SERVER"
    assert len(ended.lines) == len(sequences)


def test_the_words_of_a_server_are_cut_short(new_tool: NewTool) -> None:
    def ask(content: bytes) -> None:
        tool = new_tool()

        def hook(handler: Handler) -> bool:
            handler.wfile.write(content)
            return True

        tool.hook(hook)
        ended = tool.run(*GET)
        ended.fails("E_NETWORK")
        assert len(ended.stdout) < MOST

    ask(b"z" * 60_000 + b"\r\n\r\n")
    ask(b"HTTP/9" + b"9" * 60_000 + b" 200 OK\r\n\r\n")
    ask(b"HTTP/1.1 2" + b"x" * 60_000 + b" OK\r\n\r\n")


def test_a_secret_at_the_place_of_a_cut_does_not_leave_in_part(
    new_tool: NewTool,
) -> None:
    secret = "s3cr3t-" + "Zx9Qv7Lk" * 8

    def ask(before: int) -> None:
        tool = new_tool().set(TOKEN=secret)
        said = {"error": {"code": "x", "message": "m" * before + secret}}
        tool.answer("/v1/", Reply(said, 500))
        ended = tool.run(*GET)
        assert "s3cr3t" not in ended.text + ended.stderr
        assert len(ended.stdout) < MOST

    every(ask, [430, 470, 490, 494])
    tool = new_tool().set(TOKEN=secret)
    for words in (
        ("item", "get", "--id", secret),
        ("item", "list", "--project", secret),
        ("item", "list", "--fields", secret),
        ("item", secret),
        ("item", "get", secret),
        ("item", "get", f"--{secret}"),
    ):
        ended = tool.run(*words)
        assert ended.exit == 2
        assert "s3cr3t" not in ended.text + ended.stderr


def test_the_words_of_a_call_are_cut_short(tool: Tool) -> None:
    huge = "x" * 90_000

    def call(words: tuple[str, ...]) -> None:
        ended = tool.run(*words)
        assert ended.exit == 2
        assert len(ended.stdout) < MOST, words[:2]

    every(
        call,
        [
            (huge,),
            ("item", huge),
            ("item", "get", f"--{huge}"),
            ("item", "get", "--id", huge),
            ("item", "list", "--project", huge),
            ("item", "list", "--fields", huge),
        ],
    )


def test_an_argument_that_nobody_asked_for_is_not_repeated(tool: Tool) -> None:
    for words in (("auth", "login", "hunter2hunter2"), ("auth", "hunter2hunter2")):
        ended = tool.run(*words)
        ended.fails("E_USAGE")
        assert "hunter2" not in ended.text + ended.stderr


def test_content_that_is_not_text_leaves_as_bytes_alone(tool: Tool) -> None:
    content = b"\x00\xff\xfe\x80"
    tool.answer("/v1/items/1/content", Reply(content=content, media_type="x/y"))
    details = tool.run("item", "content", "--id", "1").fails("E_VALIDATION")
    assert "--format raw" in details["fix"]
    raw = tool.run("item", "content", "--id", "1", "--format", "raw")
    assert (raw.exit, raw.stdout) == (0, content)


def test_a_port_that_nobody_listens_on_is_a_matter_of_the_set_up(tool: Tool) -> None:
    tool.set(BASE_URL="http://127.0.0.1:0").run(*GET).fails("E_CONFIG")
    tool.set(BASE_URL="http://127.0.0.1:65536").run(*GET).fails("E_CONFIG")
