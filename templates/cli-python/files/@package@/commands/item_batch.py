"""Closing many items with one call. An example, and yours to replace."""

from __future__ import annotations

from ..batch import CONTINUE, Result, run
from ..client import CHUNK_SIZE, Item, check_id
from ..command import ALWAYS, LIST, Call, Command, Param, Plan
from ..fault import VALIDATION, Fault
from ..schemas import Schema
from .item_writes import allowed, change

MAX_TARGETS = 500


def _plan(call: Call) -> Plan:
    ids = call.list("ids")
    if len(ids) > MAX_TARGETS:
        raise Fault(
            VALIDATION,
            f"{len(ids)} items are too many for one call",
            fix=f"Name at most {MAX_TARGETS}",
        )
    for item_id in ids:
        check_id(item_id)
    account = allowed(call, "items:write")
    # The preview shows what is there, and the token is bound to it. An item that is not
    # there fails by itself later and does not stop the others.
    found: dict[str, Item] = {}
    for start in range(0, len(ids), CHUNK_SIZE):
        found |= call.app.client.items_by_id(ids[start : start + CHUNK_SIZE])
    closed = {"state": "closed"}
    changes = [
        change("close", "item", item_id, found[item_id], closed)
        if item_id in found
        else change("close", "item", item_id)
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
        apply=lambda _key: run(call, ids, CHUNK_SIZE, call.app.client.close_items),
    )


COMMANDS = (
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
        plan=_plan,
        confirm=ALWAYS,
        batch=True,
    ),
)

SCHEMAS = {"item_batch": Schema(Result)}
