"""The capabilities of a tool, in the words of the contract, from its commands."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from .. import contract_gen
from .command import EXEMPT

if TYPE_CHECKING:
    from .tool import Tool

# Fields that the answer of a command that starts a job has, and `poll` beside one of them.
_JOB_FIELDS = {"job_id", "operation_id"}


def of(tool: Tool) -> list[str]:
    """List the capabilities of the tool; tags before v1.2.0 have no words for them."""
    commands = tool.all_commands
    paths = {each.path for each in commands}
    fields = {name for each in tool.all_schemas.values() for name in each.fields}
    exits = {spec["exit"] for spec in contract_gen.CODES.values()}
    shown = {
        "upstream": True,
        "credentials": "auth login" in paths,
        "writes": any(each.writes and each.confirm != EXEMPT for each in commands),
        "dangerous": any(each.dangerous for each in commands),
        "lists": any(each.items for each in tool.all_schemas.values()),
        "scopes": any(name.endswith("_errors") for name in fields),
        "streams": any(each.stream for each in commands),
        "batch": any(each.batch for each in commands),
        "jobs": any(
            "poll" in each.fields and _JOB_FIELDS.intersection(each.fields)
            for each in tool.all_schemas.values()
        ),
        "human_action": contract_gen.HUMAN_ACTION_EXIT in exits,
        "update": "update" in paths,
    }
    return [word for word in contract_gen.CAPABILITIES if shown.get(word)]


def contract() -> dict[str, str]:
    """Return the tag and the digest of the contract that this tool was built from."""
    digest = sha256(contract_gen.contract_text().encode()).hexdigest()
    return {"tag": contract_gen.SPEC_TAG, "digest": f"sha256:{digest}"}
