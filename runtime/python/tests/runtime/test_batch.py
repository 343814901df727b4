"""Batches: sets of targets, chunks, and a result for each of them."""

from __future__ import annotations

from typing import Any

import pytest

from acme_tool import contract_gen
from acme_tool._runtime import batch
from acme_tool._runtime.testkit.mock import Handler, Reply

from .codes import CODES
from .sandbox import Tool

CLOSE = ("item", "close", "--ids")


def ids(last: int) -> str:
    """Return the first ids."""
    return ",".join(str(number) for number in range(1, last + 1))


def added_up(
    data: Any, *, succeeded: int, failed: int, skipped: int = 0
) -> list[dict[str, Any]]:
    """Want a result that adds up and give its items."""
    assert set(data) == {"items", "summary"}
    assert data["summary"] == {
        "total": succeeded + failed + skipped,
        "succeeded": succeeded,
        "failed": failed,
        "skipped": skipped,
    }
    items: list[dict[str, Any]] = data["items"]
    assert len(items) == succeeded + failed
    for item in items:
        if item["ok"]:
            assert set(item) == {"target", "ok"}
            continue
        assert set(item) == {"target", "ok", "error"}
        assert set(item["error"]) == {"code", "retryable"}
        assert item["error"]["retryable"] is CODES[item["error"]["code"]][1]
    return items


def test_targets_are_given_by_comma_or_repetition(tool: Tool) -> None:
    previews = []
    for words in (
        ("--ids", "9,7,8"),
        ("--ids", "9", "--ids", "7", "--ids", "8"),
        ("--ids", "9,7", "--ids", "8,9"),
        ("--ids=9, 7,8,7",),
    ):
        preview = tool.run("item", "close", *words, "--dry-run").ok()["preview"]
        assert set(preview) == {"action", "targets", "total", "changes"}
        assert preview["targets"] == ["9", "7", "8"]
        assert preview["total"] == len(preview["changes"]) == 3
        previews.append(preview)
    assert all(preview == previews[0] for preview in previews)


def test_a_batch_has_a_result_for_each_target(tool: Tool) -> None:
    tool.upstream.items[8].labels = ["locked"]
    data = tool.confirmed(*CLOSE, "9,8,99999,7").ok()
    items = added_up(data, succeeded=2, failed=2)
    assert [item["target"] for item in items] == ["9", "8", "99999", "7"]
    assert items[1]["error"]["code"] == "E_FORBIDDEN"
    assert items[2]["error"]["code"] == "E_NOT_FOUND"
    assert tool.upstream.items[7].state == "closed"


def test_one_value_is_a_batch_of_one(tool: Tool) -> None:
    added_up(tool.confirmed(*CLOSE, "1").ok(), succeeded=1, failed=0)


def test_a_batch_in_which_all_fail_is_an_answer_as_well(tool: Tool) -> None:
    added_up(tool.confirmed(*CLOSE, "88888,99999").ok(), succeeded=0, failed=2)


def test_a_token_is_for_the_whole_set(tool: Tool) -> None:
    token = tool.token(*CLOSE, "1,2,3")
    for other in ("1,2", "1,2,3,4", "1,2,4", "3,2,1"):
        tool.run(*CLOSE, other, "--confirm", token).fails("E_CONFLICT")
    stopping = (*CLOSE, "1,2,3", "--continue-on-error=false")
    tool.run(*stopping, "--confirm", token).fails("E_CONFLICT")
    tool.run(*CLOSE, "1", "--ids", "2,3", "--confirm", token).ok()


def test_a_large_batch_is_sent_in_chunks_of_what_the_upstream_takes(
    tool: Tool,
) -> None:
    added_up(tool.confirmed(*CLOSE, ids(120)).ok(), succeeded=120, failed=0)
    assert tool.changes == 3
    tool.run(*CLOSE, ids(501), "--dry-run").fails("E_VALIDATION")


def test_a_chunk_that_fails_is_the_failure_of_its_targets_alone(tool: Tool) -> None:
    def hook(handler: Handler) -> bool:
        if b'"60"' not in tool.seen[-1].body:
            return False
        handler.reply(Reply({}, 503))
        return True

    tool.hook(hook)
    data = tool.confirmed(*CLOSE, ids(120)).ok()
    items = added_up(data, succeeded=70, failed=50)
    assert all(item["ok"] for item in items[:50] + items[100:])
    assert {item["error"]["code"] for item in items[50:100]} == {"E_SERVER"}


@pytest.mark.parametrize(
    "stop", [["--continue-on-error=false"], ["--continue-on-error", "false"]]
)
def test_a_batch_that_stops_says_what_it_skipped(tool: Tool, stop: list[str]) -> None:
    tool.upstream.items[3].labels = ["locked"]
    data = tool.confirmed(*CLOSE, "1,2,3,4,5", *stop).ok()
    added_up(data, succeeded=2, failed=1, skipped=2)
    assert tool.upstream.items[4].state == "open"


def test_an_answer_that_leaves_out_a_target_is_a_failure_of_that_target(
    tool: Tool,
) -> None:
    token = tool.token(*CLOSE, "1,2")
    answer = Reply({"results": [{"id": 1, "status": 200}]})
    tool.answer("/v1/items/bulk-close", answer)
    data = tool.run(*CLOSE, "1,2", "--confirm", token).ok()
    items = added_up(data, succeeded=1, failed=1)
    assert items[1]["error"]["code"] == "E_SERVER"


@pytest.mark.parametrize(
    ("members", "total"),
    [(("succeeded", "failed"), 1), (("succeeded", "failed", "skipped"), 2)],
)
def test_the_contract_says_what_a_total_counts(
    monkeypatch: pytest.MonkeyPatch, members: tuple[str, ...], total: int
) -> None:
    """At v1.0.0 the total counts what was attempted."""
    monkeypatch.setattr(contract_gen, "BATCH_TOTAL_OF", members)
    done: list[batch.Item] = [{"target": "a", "ok": True}]
    assert batch._result(["a", "b"], done)["summary"]["total"] == total
