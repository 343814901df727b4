"""Steps of the example upstream that wait for a person."""

from __future__ import annotations

from acme_tool._runtime.testkit.mock import (
    Reply,
    Request,
    refused,
)

from . import Item, Upstream


def add(upstream: Upstream) -> None:
    """Add the routes of approvals."""
    steps: dict[str, tuple[Item, str]] = {}

    def publish(request: Request) -> Reply:
        approval_id = f"appr_{len(steps) + 1}"
        steps[approval_id] = (upstream.unchanged(request), "waiting")
        return Reply({"approval_id": approval_id}, status=202)

    def find(request: Request) -> tuple[Item, str]:
        if request.values["id"] not in steps:
            raise refused(404, "no_such_approval", "the approval does not exist")
        return steps[request.values["id"]]

    def show(request: Request) -> Reply:
        item, state = find(request)
        return Reply({"state": state, "item": item.document()})

    def decide(request: Request) -> Reply:
        item, state = find(request)
        decision = request.values["decision"]
        if decision == "approved" and state == "waiting":
            item.state = "published"
            upstream.revise(item, "published")
        steps[request.values["id"]] = (item, decision)
        return Reply(status=204)

    upstream.route("POST /v1/items/{id}/publish", "items:write", publish)
    upstream.route("GET /v1/approvals/{id}", "items:read", show)
    # A person decides in an app; the mock has this address instead.
    upstream.route("POST /mock/approvals/{id}/{decision}", "items:write", decide)
