"""Reading items. An example, and yours to replace."""

from __future__ import annotations

import re
from typing import Any

from ..client import (
    ITEM_UNTRUSTED,
    MAX_PAGE,
    STATES,
    Content,
    Item,
    Page,
    check_id,
)
from ..command import INTEGER, STRING, Call, Command, Param
from ..fault import VALIDATION, Fault
from ..schemas import Schema

_PROJECT = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")

ITEM_ID = Param("id", STRING, "Id of the item", required=True)
PROJECT = Param("project", STRING, "Project, as in `atlas`")


def check_projects(*names: str) -> None:
    """Refuse what cannot be a project before anything is sent."""
    for name in names:
        if not _PROJECT.fullmatch(name):
            raise Fault(
                VALIDATION,
                f"`{name}` is not the name of a project",
                fix="Use lower-case letters, digits and dashes, as in `atlas`",
            )


def _list(call: Call) -> Page:
    project = call.text("project")
    if call.has("project"):
        check_projects(project)
    return call.app.client.items(
        limit=call.number("limit"),
        cursor=call.text("cursor"),
        project=project,
        state=call.text("state"),
        q=call.text("query"),
    )


def _get(call: Call) -> Item:
    check_id(call.text("id"))
    return call.app.client.item(call.text("id"))


def _content(call: Call) -> Any:
    check_id(call.text("id"))
    data, content = call.app.client.item_content(call.text("id"))
    if call.is_raw:
        call.app.printer.raw(content)
    elif data["content"].encode() != content:
        raise Fault(
            VALIDATION,
            f"the content of the item `{data['id']}` is not text",
            fix="Use --format raw, which passes the bytes through",
        )
    return data


COMMANDS = (
    Command(
        path="item list",
        summary="List items, oldest first",
        detail="The upstream filters and pages; the order is by id and stable.",
        params=(
            PROJECT,
            Param("state", STRING, "State of the items", values=STATES),
            Param("query", STRING, "Text in the title"),
            Param(
                "limit",
                INTEGER,
                "Most items in one page",
                default="20",
                minimum=1,
                maximum=MAX_PAGE,
            ),
            Param("cursor", STRING, "next_cursor of the page before"),
        ),
        output="item_page",
        examples=(
            "item list --project atlas --state open --limit 5",
            "item list --query report --fields id,title --compact",
        ),
        run=_list,
    ),
    Command(
        path="item get",
        summary="Show one item",
        params=(ITEM_ID,),
        output="item",
        examples=("item get --id 1",),
        run=_get,
    ),
    Command(
        path="item content",
        summary="Show the content of one item, which lists leave out",
        detail="With --format raw the bytes pass through as they are.",
        params=(ITEM_ID,),
        output="item_content",
        examples=("item content --id 1", "item content --id 1 --format raw"),
        run=_content,
        raw=True,
    ),
)

SCHEMAS = {
    "item": Schema(Item, untrusted=ITEM_UNTRUSTED),
    "item_page": Schema(Page, items="item", untrusted=("items",)),
    "item_content": Schema(Content, untrusted=("content",)),
}
