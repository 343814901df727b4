"""Creating, changing, deleting and closing items. An example, and yours to replace.

A write returns a `Plan`; the runtime does preview, token, audit log and --dangerous.
"""

from __future__ import annotations

import re
from typing import Any, TypedDict

from .._runtime.batch import CONTINUE, Result, run
from .._runtime.command import ALWAYS, LIST, STRING, Call, Command, Param, Plan, change
from .._runtime.fault import USAGE, VALIDATION, Fault
from .._runtime.schemas import Schema
from ..client import CHUNK_SIZE, STATES, Client, Item, check_id
from .items import ITEM_ID, PROJECT, check_projects

MAX_TARGETS = 500

_KEY = re.compile(r"[A-Za-z0-9._:-]{8,128}")

TITLE = Param("title", STRING, "Title")
LABELS = Param("labels", LIST, "Labels, by comma or by repeating the flag")


class DeletedItem(TypedDict):
    """The response to a deletion."""

    id: str
    deleted: bool


def _plan_create(call: Call) -> Plan:
    key = call.text("idempotency-key")
    if call.has("idempotency-key") and not _KEY.fullmatch(key):
        raise Fault(
            VALIDATION,
            "--idempotency-key has an invalid value",
            fix="Use 8 to 128 letters, digits, dots, colons, dashes and underscores",
        )
    check_projects(call.text("project"))
    draft = {
        "project": call.text("project"),
        "title": call.text("title"),
        "labels": call.list("labels"),
        "content": call.text("content"),
    }
    return Plan(
        preview={"changes": [change("create", "item", None, after=draft)]},
        account=call.allowed("items:write"),
        apply=lambda fresh: call.client(Client).create_item(draft, key or fresh),
    )


def _plan_update(call: Call) -> Plan:
    check_id(call.text("id"))
    after: dict[str, Any] = {
        name: call.text(name) for name in ("title", "state") if call.has(name)
    }
    if call.has("labels"):
        after["labels"] = call.list("labels")
    if not after:
        raise Fault(
            USAGE,
            "there is nothing to change",
            fix="Add --title, --state or --labels",
        )
    if not after.get("title", "x").strip():
        raise Fault(VALIDATION, "--title is empty", fix="Give the item a title")
    account = call.allowed("items:write")
    item = call.client(Client).item(call.text("id"))
    return Plan(
        preview={"changes": [change("update", "item", item["id"], item, after)]},
        account=account,
        apply=lambda _key: call.client(Client).update_item(item, after),
    )


def _plan_delete(call: Call) -> Plan:
    check_id(call.text("id"))
    account = call.allowed("items:delete")
    item = call.client(Client).item(call.text("id"))

    def apply(_key: str) -> DeletedItem:
        call.client(Client).delete_item(item)
        return {"id": item["id"], "deleted": True}

    return Plan(
        preview={"changes": [change("delete", "item", item["id"], item)]},
        account=account,
        apply=apply,
    )


def _plan_close(call: Call) -> Plan:
    ids = call.list("ids")
    if len(ids) > MAX_TARGETS:
        raise Fault(
            VALIDATION,
            f"{len(ids)} items are too many for one call",
            fix=f"Name at most {MAX_TARGETS}",
        )
    for item_id in ids:
        check_id(item_id)
    account = call.allowed("items:write")
    # The preview shows the current items, and the token is bound to it. A missing item
    # fails later and does not stop the others.
    found: dict[str, Item] = {}
    for start in range(0, len(ids), CHUNK_SIZE):
        found |= call.client(Client).items_by_id(ids[start : start + CHUNK_SIZE])
    closed = {"state": "closed"}
    changes = [
        (
            change("close", "item", item_id, found[item_id], closed)
            if item_id in found
            else change("close", "item", item_id)
        )
        for item_id in ids
    ]
    return Plan(
        preview={
            "action": "close",
            "targets": ids,
            "total": len(ids),
            "changes": changes,
        },
        account=account,
        apply=lambda _key: run(call, ids, CHUNK_SIZE, call.client(Client).close_items),
    )


COMMANDS = (
    Command(
        path="item create",
        summary="Create an item",
        params=(
            Param("project", STRING, PROJECT.help, required=True),
            Param("title", STRING, TITLE.help, required=True),
            LABELS,
            Param("content", STRING, "Content"),
            Param(
                "idempotency-key",
                STRING,
                "Key of your choice: the same key never creates two items",
            ),
        ),
        output="item",
        examples=(
            "item create --project atlas --title 'New item' --dry-run",
            "item create --project atlas --title 'New item' --confirm ct_TOKEN",
        ),
        plan=_plan_create,
        confirm=ALWAYS,
    ),
    Command(
        path="item update",
        summary="Change an item",
        params=(
            ITEM_ID,
            TITLE,
            LABELS,
            Param("state", STRING, "New state", values=STATES[:2]),
        ),
        output="item",
        examples=(
            "item update --id 1 --title 'Better title' --dry-run",
            "item update --id 1 --title 'Better title' --confirm ct_TOKEN",
        ),
        plan=_plan_update,
        confirm=ALWAYS,
    ),
    Command(
        path="item delete",
        summary="Delete an item permanently",
        params=(ITEM_ID,),
        output="deleted_item",
        examples=(
            "item delete --id 1 --dangerous --dry-run",
            "item delete --id 1 --dangerous --confirm ct_TOKEN",
        ),
        plan=_plan_delete,
        confirm=ALWAYS,
        dangerous=True,
    ),
    Command(
        path="item close",
        summary="Close items",
        detail=f"One call for many items. The upstream takes at most {CHUNK_SIZE} at "
        "once, so larger sets are sent in chunks; they are not closed as one "
        "transaction.",
        params=(
            Param("ids", LIST, "Ids, by comma or by repeating the flag", required=True),
            CONTINUE,
        ),
        output="item_batch",
        examples=(
            "item close --ids 1,2,3 --dry-run",
            "item close --ids 1,2,3 --confirm ct_TOKEN",
        ),
        plan=_plan_close,
        confirm=ALWAYS,
        batch=True,
    ),
)

SCHEMAS = {"deleted_item": Schema(DeletedItem), "item_batch": Schema(Result)}
