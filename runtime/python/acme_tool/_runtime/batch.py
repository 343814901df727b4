"""Batches: one command for many targets, in chunks, with a result for each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypedDict

from .. import contract_gen
from . import signals
from .command import STRING, Call, Param
from .fault import Fault, cancelled

# A text, so that both --continue-on-error=false and --continue-on-error false work.
CONTINUE = Param(
    "continue-on-error",
    STRING,
    "Continue after a failure; false stops at the first one",
    values=("true", "false"),
    default="true",
)

Outcome = tuple[str, Fault | None]


class ItemError(TypedDict):
    """Why one target failed."""

    code: str
    retryable: bool


class _Item(TypedDict):
    target: str
    ok: bool


class Item(_Item, total=False):
    """The result of one target; `error` is present if it failed."""

    error: ItemError


class Summary(TypedDict):
    """The sums; the contract says which of them add up to `total`."""

    total: int
    succeeded: int
    failed: int
    skipped: int


class Result(TypedDict):
    """The result of a batch: what succeeded stays done."""

    items: list[Item]
    summary: Summary


def run(
    call: Call,
    targets: Sequence[str],
    size: int,
    attempt: Callable[[Sequence[str]], list[Outcome]],
) -> Result:
    """Attempt all targets, chunk by chunk; the failure of a chunk is that of its targets.

    With --continue-on-error false each target is a chunk of its own, so that nothing
    happens behind the first failure.
    """
    goes_on = call.text(CONTINUE.name) == "true"
    step = size if goes_on else 1
    items: list[Item] = []
    try:
        for start in range(0, len(targets), step):
            chunk = targets[start : start + step]
            items += _attempt(chunk, attempt)
            if not goes_on and not items[-1]["ok"]:
                break
    except signals.Interrupted:
        # The chunk under way may have been carried out.
        failed = cancelled().with_details(**_result(targets, items))
        failed.fix = "Run it with --dry-run again, to see what remains"
        raise failed from None
    return _result(targets, items)


def _attempt(
    chunk: Sequence[str], attempt: Callable[[Sequence[str]], list[Outcome]]
) -> list[Item]:
    try:
        outcomes = attempt(chunk)
    except Fault as failed:
        outcomes = [(target, failed) for target in chunk]
    return [_item(target, failed) for target, failed in outcomes]


def _item(target: str, failed: Fault | None) -> Item:
    if failed is None:
        return {"target": target, "ok": True}
    error: ItemError = {"code": failed.code, "retryable": failed.retryable}
    return {"target": target, "ok": False, "error": error}


def _result(targets: Sequence[str], items: list[Item]) -> Result:
    succeeded = sum(item["ok"] for item in items)
    counts = {
        "succeeded": succeeded,
        "failed": len(items) - succeeded,
        "skipped": len(targets) - len(items),
    }
    return {
        "items": items,
        "summary": {
            "total": sum(counts[name] for name in contract_gen.BATCH_TOTAL_OF),
            "succeeded": counts["succeeded"],
            "failed": counts["failed"],
            "skipped": counts["skipped"],
        },
    }
