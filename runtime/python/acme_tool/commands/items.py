"""Reading items and projects. An example, and yours to replace."""

from __future__ import annotations

import re
import time
from typing import Any, TypedDict

from .._runtime.command import INTEGER, LIST, STRING, Call, Command, Param
from .._runtime.fault import AUTH, VALIDATION, Fault
from .._runtime.output import SUMMARY
from .._runtime.schemas import Schema
from ..client import (
    ITEM_UNTRUSTED,
    MAX_PAGE,
    STATES,
    Client,
    Content,
    Count,
    Event,
    Item,
    Page,
    check_id,
)

_PROJECT = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")

MAX_PROJECTS = 50

ITEM_ID = Param("id", STRING, "Id of the item", required=True)
PROJECT = Param("project", STRING, "Project, such as `atlas`")


class ProjectError(TypedDict):
    """Why one project could not be read."""

    project: str
    code: str
    retryable: bool


class Overview(TypedDict):
    """Counts of several projects; one that cannot be read does not hide the others."""

    scope: list[str]
    projects_scanned: int
    projects: list[Count]
    count: int
    project_errors: list[ProjectError]


def check_projects(*names: str) -> None:
    """Refuse a text that cannot be a project, before anything is sent."""
    for name in names:
        if not _PROJECT.fullmatch(name):
            raise Fault(
                VALIDATION,
                f"`{name}` is not the name of a project",
                fix="Use lower-case letters, digits and dashes, such as `atlas`",
            )


def _list(call: Call) -> Page:
    project = call.text("project")
    if call.has("project"):
        check_projects(project)
    return call.client(Client).items(
        limit=call.number("limit"),
        cursor=call.text("cursor"),
        project=project,
        state=call.text("state"),
        q=call.text("query"),
    )


def _get(call: Call) -> Item:
    check_id(call.text("id"))
    return call.client(Client).item(call.text("id"))


def _content(call: Call) -> Any:
    check_id(call.text("id"))
    data, content = call.client(Client).item_content(call.text("id"))
    if call.is_raw:
        call.app.printer.raw(content)
    elif data["content"].encode() != content:
        raise Fault(
            VALIDATION,
            f"the content of the item `{data['id']}` is not text",
            fix="Use --format raw, which prints the bytes unchanged",
        )
    return data


def _watch(call: Call) -> None:
    started = time.monotonic()
    count, last, most = 0, call.number("after"), call.number("max-events")
    for event in call.client(Client).events(last, call.number("duration")):
        call.app.printer.line("item", event)
        count, last = count + 1, event["sequence"]
        if count == most:
            break
    elapsed = round((time.monotonic() - started) * 1000)
    summary = {"count": count, "last_sequence": last, "elapsed_ms": elapsed}
    call.app.printer.line(SUMMARY, summary)


def _overview(call: Call) -> Overview:
    names = call.list("projects")
    if len(names) > MAX_PROJECTS:
        raise Fault(
            VALIDATION,
            f"{len(names)} projects are too many for one call",
            fix=f"Name at most {MAX_PROJECTS}",
        )
    check_projects(*names)
    client = call.client(Client)
    found: list[Count] = []
    errors: list[ProjectError] = []
    for name in names:
        try:
            found.append(client.count(name))
        except Fault as failed:
            if failed.code == AUTH:
                # Without a credential, no project can be read.
                raise
            errors.append(
                {"project": name, "code": failed.code, "retryable": failed.retryable}
            )
    return {
        "scope": names,
        "projects_scanned": len(found),
        "projects": found,
        "count": len(found),
        "project_errors": errors,
    }


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
                "Maximum number of items in one page",
                default="20",
                minimum=1,
                maximum=MAX_PAGE,
            ),
            Param("cursor", STRING, "next_cursor of the previous page"),
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
        summary="Show the content of one item, which lists do not contain",
        detail="With --format raw, the bytes are printed unchanged.",
        params=(ITEM_ID,),
        output="item_content",
        examples=("item content --id 1", "item content --id 1 --format raw"),
        run=_content,
        raw=True,
    ),
    Command(
        path="item watch",
        summary="Stream the changes of items as NDJSON",
        detail="Each line is one event; the last line has the type summary, and its "
        "last_sequence is the --after of the next call. The stream ends by itself.",
        params=(
            Param(
                "after",
                INTEGER,
                "Sequence number of the last known event",
                default="0",
                maximum=2**53,
            ),
            Param(
                "max-events",
                INTEGER,
                "End after this many events",
                default="100",
                minimum=1,
                maximum=100_000,
            ),
            Param(
                "duration",
                INTEGER,
                "End after this many seconds",
                default="10",
                minimum=1,
                maximum=3600,
            ),
        ),
        output="item_event",
        examples=("item watch --after 0 --max-events 3 --duration 2",),
        run=_watch,
        stream=True,
    ),
    Command(
        path="project overview",
        summary="Count open and closed items of several projects",
        detail="Projects that could not be read are listed in project_errors.",
        params=(
            Param(
                "projects",
                LIST,
                "Projects, by comma or by repeating the flag",
                required=True,
            ),
        ),
        output="project_overview",
        examples=("project overview --projects atlas,borealis",),
        run=_overview,
    ),
)

SCHEMAS = {
    "item": Schema(Item, untrusted=ITEM_UNTRUSTED),
    "item_page": Schema(Page, items="item", untrusted=("items",)),
    "item_content": Schema(Content, untrusted=("content",)),
    "project_overview": Schema(Overview),
    "item_event": Schema(Event, untrusted=("title",)),
}
