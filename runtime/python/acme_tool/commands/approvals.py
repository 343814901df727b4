"""A step that a person must decide: one command requests it, another one continues.

An example, and yours to replace.
"""

from __future__ import annotations

import re

from .._runtime import wire
from .._runtime.command import ALWAYS, STRING, Call, Command, Param, Plan, change
from .._runtime.fault import FORBIDDEN, VALIDATION, Fault
from .._runtime.rest import Ask
from .._runtime.wire import reading
from ..about import TOOL
from ..client import Client, Item, check_id, read_item
from .items import ITEM_ID

# Declared in contract/contract-ext.json.
HUMAN_REQUIRED = "E_HUMAN_REQUIRED"

# It goes into a command line.
_APPROVAL_ID = re.compile(r"appr_[A-Za-z0-9]{1,40}")


def _human_required(approval_id: str) -> Fault:
    """Report that a person must act; the agent does not retry by itself."""
    return Fault(
        HUMAN_REQUIRED,
        f"a person has to approve the request `{approval_id}` in the app",
        fix="Tell the person, wait until they have decided, then run details.resume",
        action="approve_in_app",
        approval_id=approval_id,
        resume=f"{TOOL} approval resume --id {approval_id}",
    )


def _publish(client: Client, item: Item) -> str:
    path = ("v1", "items", item["id"], "publish")
    headers = {"If-Match": item["version"]}
    with reading(client, "an approval"):
        found = client.document(Ask("POST", path, headers=headers, body={}))
        approval_id = wire.identifier(found["approval_id"])
        if not _APPROVAL_ID.fullmatch(approval_id):
            raise ValueError("not the id of an approval")
        return approval_id


def _plan_publish(call: Call) -> Plan:
    check_id(call.text("id"))
    account = call.allowed("items:write")
    item = call.client(Client).item(call.text("id"))
    after = {"state": "published"}

    def apply(_key: str) -> None:
        raise _human_required(_publish(call.client(Client), item))

    return Plan(
        preview={"changes": [change("publish", "item", item["id"], item, after)]},
        account=account,
        apply=apply,
    )


def _resume(call: Call) -> Item:
    approval_id = call.text("id")
    if not _APPROVAL_ID.fullmatch(approval_id):
        raise Fault(
            VALIDATION,
            f"`{approval_id}` is not the id of an approval",
            fix="Use the command in details.resume unchanged",
        )
    client = call.client(Client)
    with reading(client, "an approval"):
        found = client.document(Ask("GET", ("v1", "approvals", approval_id)))
        state, item = wire.text(found["state"]), read_item(found["item"])
    if state == "approved":
        return item
    if state == "waiting":
        raise _human_required(approval_id)
    raise Fault(
        FORBIDDEN,
        f"the request `{approval_id}` was not approved",
        fix="Ask the person why; a new request needs a new dry run",
        approval_id=approval_id,
    )


COMMANDS = (
    Command(
        path="item publish",
        summary="Publish an item; a person has to approve it",
        detail="Ends with E_HUMAN_REQUIRED: tell the person, wait, then run "
        "details.resume.",
        params=(ITEM_ID,),
        output="item",
        examples=(
            "item publish --id 1 --dry-run",
            "item publish --id 1 --confirm ct_TOKEN",
        ),
        plan=_plan_publish,
        confirm=ALWAYS,
    ),
    Command(
        path="approval resume",
        summary="Continue after a person has decided",
        params=(Param("id", STRING, "Id of the approval", required=True),),
        output="item",
        examples=("approval resume --id appr_1",),
        run=_resume,
    ),
)
