"""A step that a person decides: the command says so, and another one goes on."""

from __future__ import annotations

import re

from ..about import TOOL
from ..client import Item, check_id
from ..command import ALWAYS, STRING, Call, Command, Param, Plan
from ..fault import FORBIDDEN, HUMAN_REQUIRED, SERVER, VALIDATION, Fault
from .item_writes import allowed, change
from .items import ITEM_ID

_APPROVAL_ID = re.compile(r"appr_[A-Za-z0-9]{1,40}")


def _human_required(approval_id: str) -> Fault:
    """Pass a step on to a person; the agent relays it and does not retry by itself."""
    # It goes into a command line.
    if not _APPROVAL_ID.fullmatch(approval_id):
        raise Fault(
            SERVER,
            "the upstream gave an approval without a usable id",
            fix="Look at the item before the command is run again",
        )
    return Fault(
        HUMAN_REQUIRED,
        f"a person has to approve the request `{approval_id}` in the app",
        fix="Tell the person, wait until they have decided, then run details.resume",
        action="approve_in_app",
        approval_id=approval_id,
        resume=f"{TOOL} approval resume --id {approval_id}",
    )


def _plan_publish(call: Call) -> Plan:
    check_id(call.text("id"))
    account = allowed(call, "items:write")
    item = call.app.client.item(call.text("id"))
    after = {"state": "published"}

    def apply(_key: str) -> None:
        raise _human_required(call.app.client.publish_item(item))

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
            fix="Use the command in details.resume as it stands",
        )
    approval = call.app.client.approval(approval_id)
    if approval["state"] == "approved":
        return approval["item"]
    if approval["state"] == "waiting":
        raise _human_required(approval_id)
    raise Fault(
        FORBIDDEN,
        f"the approval `{approval_id}` was not given",
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
        summary="Go on after a person has decided",
        params=(Param("id", STRING, "Id of the approval", required=True),),
        output="item",
        examples=("approval resume --id appr_1",),
        run=_resume,
    ),
)
