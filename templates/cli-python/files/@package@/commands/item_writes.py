"""Creating, changing and deleting items. An example, and yours to replace.

A write gives a `Plan`; preview, token, audit and --dangerous come by themselves.
"""

from __future__ import annotations

import re
from typing import Any, TypedDict

from ..client import STATES, check_id
from ..command import ALWAYS, LIST, STRING, Account, Call, Command, Param, Plan
from ..fault import FORBIDDEN, USAGE, VALIDATION, Fault
from ..schemas import Schema
from .items import ITEM_ID, PROJECT, check_projects

_KEY = re.compile(r"[A-Za-z0-9._:-]{8,128}")

TITLE = Param("title", STRING, "Title")
LABELS = Param("labels", LIST, "Labels, by comma or by repeating the flag")


class DeletedItem(TypedDict):
    """The answer to a deletion."""

    id: str
    deleted: bool


def change(
    action: str,
    resource: str,
    target: str | None,
    before: Any = None,
    after: Any = None,
) -> dict[str, Any]:
    """Give one change of a preview."""
    return {
        "action": action,
        "resource": resource,
        "id": target,
        "before": before,
        "after": after,
    }


def allowed(call: Call, permission: str) -> Account:
    """Give the account; what it may not do gets no token."""
    account = call.app.account()
    if permission not in account.permissions:
        raise Fault(
            FORBIDDEN,
            f"the account `{account.id}` lacks the permission {permission}",
            fix="Ask for the permission, or use an account that has it",
            permission=permission,
        )
    return account


def _plan_create(call: Call) -> Plan:
    key = call.text("idempotency-key")
    if call.has("idempotency-key") and not _KEY.fullmatch(key):
        raise Fault(
            VALIDATION,
            "--idempotency-key has a value that is not acceptable",
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
        account=allowed(call, "items:write"),
        apply=lambda fresh: call.app.client.create_item(draft, key or fresh),
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
    account = allowed(call, "items:write")
    item = call.app.client.item(call.text("id"))
    return Plan(
        preview={"changes": [change("update", "item", item["id"], item, after)]},
        account=account,
        apply=lambda _key: call.app.client.update_item(item, after),
    )


def _plan_delete(call: Call) -> Plan:
    check_id(call.text("id"))
    account = allowed(call, "items:delete")
    item = call.app.client.item(call.text("id"))

    def apply(_key: str) -> DeletedItem:
        call.app.client.delete_item(item)
        return {"id": item["id"], "deleted": True}

    return Plan(
        preview={"changes": [change("delete", "item", item["id"], item)]},
        account=account,
        apply=apply,
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
                "Your key: the same one never creates two items",
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
        summary="Delete an item for good",
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
)

SCHEMAS = {"deleted_item": Schema(DeletedItem)}
