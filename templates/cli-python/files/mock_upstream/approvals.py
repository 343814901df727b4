"""Steps that wait for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .http import Ask, Reply, refused

if TYPE_CHECKING:
    from .upstream import Item, Upstream


class Approvals:
    """The steps of one upstream, and how they stand."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self._steps: dict[str, tuple[Item, str]] = {}

    def publish(self, ask: Ask, item_id: str) -> Reply:
        """Ask a person to approve that an item is published."""
        item = self._upstream.unchanged(ask, item_id)
        approval_id = f"appr_{len(self._steps) + 1}"
        self._steps[approval_id] = (item, "waiting")
        return Reply({"approval_id": approval_id}, status=202)

    def get(self, approval_id: str) -> Reply:
        """Say how a step stands."""
        item, state = self._find(approval_id)
        return Reply({"state": state, "item": item.document()})

    def decide(self, approval_id: str, decision: str) -> None:
        """Do what a person does: approve, or reject."""
        item, state = self._find(approval_id)
        if decision == "approved" and state == "waiting":
            item.state = "published"
            self._upstream.revise(item, "published")
        self._steps[approval_id] = (item, decision)

    def _find(self, approval_id: str) -> tuple[Item, str]:
        if approval_id not in self._steps:
            raise refused(404, "no_such_approval", "there is no such approval")
        return self._steps[approval_id]
