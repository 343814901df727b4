"""The example upstream in memory, for tests and for trying the tool. It is yours.

When your API takes the place of the example, teach this mock its routes, paging, conflicts
and refusals. Run it with `python -m mock_upstream`.
"""

from __future__ import annotations

import base64
import binascii
import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from acme_tool._runtime.testkit.mock import (
    Account,
    Mock,
    RefreshTokens,
    Reply,
    Request,
    refused,
)

TOKEN_ALICE = "demo-token-alice"  # noqa: S105
TOKEN_BOB = "demo-token-bob"  # noqa: S105
TOKEN_READER = "demo-token-reader"  # noqa: S105
REFRESH_ALICE = "demo-refresh-alice"
REFRESH_LIFETIME = 2 * 60 * 60

SEED_ITEMS = 130
BULK_CAP = 50
DEFAULT_PAGE = 20
MAX_PAGE = 100

_START = datetime(2024, 3, 1, 9, tzinfo=timezone(timedelta(hours=2)))


@dataclass
class Item:
    """One item."""

    id: int
    project: str
    title: str
    labels: list[str]
    content: str
    state: str = "open"
    revision: int = 0
    updated_at: datetime = _START

    @property
    def version(self) -> str:
        """The version, which changes with each change of the item."""
        return f"r{self.id}-{self.revision}"

    def document(self) -> dict[str, Any]:
        """Return the item as the API shows it: numbers for ids, times with offsets."""
        return {
            "id": self.id,
            "project": self.project,
            "title": self.title,
            "state": self.state,
            "labels": self.labels,
            "version": self.version,
            "created_at": (_START + timedelta(minutes=self.id)).isoformat(),
            "updated_at": self.updated_at.isoformat(),
        }


def make() -> Upstream:
    """Return a new upstream; each file beside this one adds its routes."""
    upstream = Upstream()
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        if not module.name.endswith(".__main__"):
            importlib.import_module(module.name).add(upstream)
    return upstream


class Upstream(Mock):
    """The example API with its own data."""

    def __init__(self) -> None:
        everything = ("items:read", "items:write", "items:delete")
        super().__init__(
            {
                TOKEN_ALICE: Account("acc_alice", everything),
                TOKEN_BOB: Account("acc_bob", everything),
                TOKEN_READER: Account("acc_reader", everything[:1]),
            }
        )
        self.items: dict[int, Item] = {}
        self.happened: list[dict[str, Any]] = []
        self._last_id = 0
        self._keys: dict[tuple[str, str], tuple[bytes, int]] = {}
        for number in range(1, SEED_ITEMS + 1):
            project = ("borealis", "atlas")[number % 2]
            title = f"Item {number:03} of {project}"
            self.add(project, title, ["seed"], f"Content of item {number}\n")
        self.route("GET /v1/account", "items:read", self._account)
        self.route("GET /v1/items", "items:read", self._list)
        self.route("POST /v1/items", "items:write", self._create)
        self.route("POST /v1/items/bulk-close", "items:write", self._bulk_close)
        self.route("GET /v1/items/{id}", "items:read", self._get)
        self.route("PATCH /v1/items/{id}", "items:write", self._update)
        self.route("DELETE /v1/items/{id}", "items:delete", self._delete)
        self.route("GET /v1/items/{id}/content", "items:read", self._content)
        self.route("GET /v1/projects/{project}/summary", "items:read", self._summary)
        self.route("GET /v1/events", "items:read", self._events)
        alice = self.accounts[TOKEN_ALICE]
        tokens = RefreshTokens(self, {REFRESH_ALICE: alice}, REFRESH_LIFETIME)
        self.route("POST /oauth/token", None, tokens.renew)

    def add(self, project: str, title: str, labels: list[str], content: str) -> Item:
        """Create an item."""
        self._last_id += 1
        item = Item(self._last_id, project, title, labels, content)
        self.items[item.id] = item
        self.revise(item, "created")
        return item

    def touch(self, item_id: int, title: str) -> None:
        """Change an item as another user would."""
        with self.lock:
            self.items[item_id].title = title
            self.revise(self.items[item_id], "updated")

    def revise(self, item: Item, kind: str) -> None:
        """Set the next version of an item, and report it to the streams."""
        sequence = len(self.happened) + 1
        item.revision += 1
        item.updated_at = _START + timedelta(minutes=sequence)
        self.happened.append(
            {
                "sequence": sequence,
                "kind": kind,
                "item_id": item.id,
                "title": item.title,
                "at": item.updated_at.isoformat(),
            }
        )
        self.wake()

    def named(self, text: str) -> Item:
        """Return the item with an id, or refuse the request."""
        item = self.items.get(int(text)) if text.isdigit() else None
        if item is None:
            raise refused(404, "no_such_item", "there is no such item")
        return item

    def unchanged(self, request: Request) -> Item:
        """Return the item of a request if it still has the version in If-Match."""
        item = self.named(request.values["id"])
        if request.headers.get("if-match") != item.version:
            raise refused(412, "version_mismatch", "the item has another version")
        return item

    def _account(self, request: Request) -> Reply:
        account = request.account
        return Reply({"id": account.id, "permissions": list(account.permissions)})

    def _list(self, request: Request) -> Reply:
        if "ids" in request.query:
            ids = request.query["ids"].split(",")
            if len(ids) > BULK_CAP:
                raise refused(400, "too_many", f"at most {BULK_CAP} ids at once")
            named = [self.items[int(each)] for each in ids if int(each) in self.items]
            items = [item.document() for item in named]
            return Reply({"items": items, "next_cursor": None})
        limit = request.query.get("limit", str(DEFAULT_PAGE))
        if not limit.isdigit() or not 1 <= int(limit) <= MAX_PAGE:
            raise refused(400, "invalid_limit", "limit is out of range")
        after = _decode_cursor(request.query.get("cursor", ""))
        found = [
            item
            for item in self.items.values()
            if item.id > after and _matches(item, request.query)
        ]
        page = found[: int(limit)]
        has_more = len(found) > len(page)
        cursor = _encode_cursor(page[-1].id) if has_more else None
        items = [item.document() for item in page]
        return Reply({"items": items, "next_cursor": cursor})

    def _get(self, request: Request) -> Reply:
        return Reply(self.named(request.values["id"]).document())

    def _content(self, request: Request) -> Reply:
        content = self.named(request.values["id"]).content.encode()
        return Reply(content=content, media_type="text/plain; charset=utf-8")

    def _create(self, request: Request) -> Reply:
        draft = request.json()
        if not draft.get("title") or not draft.get("project"):
            raise refused(422, "invalid_item", "project and title are needed")
        key = (request.account.id, request.headers.get("idempotency-key", ""))
        if key[1] and key in self._keys:
            body, item_id = self._keys[key]
            if body != request.body:
                message = "the key belongs to another request"
                raise refused(409, "key_reused", message)
            return Reply(self.items[item_id].document())
        item = self.add(
            draft["project"], draft["title"], draft["labels"], draft["content"]
        )
        self._keys[key] = (request.body, item.id)
        return Reply(item.document(), status=201)

    def _update(self, request: Request) -> Reply:
        item = self.unchanged(request)
        changes = request.json()
        item.title = changes.get("title", item.title)
        item.state = changes.get("state", item.state)
        item.labels = changes.get("labels", item.labels)
        self.revise(item, "updated")
        return Reply(item.document())

    def _delete(self, request: Request) -> Reply:
        item = self.unchanged(request)
        self.revise(item, "deleted")
        del self.items[item.id]
        return Reply(status=204)

    def _bulk_close(self, request: Request) -> Reply:
        ids = request.json()["ids"]
        if len(ids) > BULK_CAP:
            raise refused(400, "too_many", f"at most {BULK_CAP} items at once")
        results = []
        for each in ids:
            item = self.items.get(int(each))
            if item is None:
                status = 404
            elif "locked" in item.labels:
                status = 403
            else:
                status, item.state = 200, "closed"
                self.revise(item, "closed")
            results.append({"id": int(each), "status": status})
        return Reply({"results": results})

    def _summary(self, request: Request) -> Reply:
        project = request.values["project"]
        if project == "vault":
            raise refused(403, "insufficient_scope", "vault is not for everybody")
        states = [item.state for item in self.items.values() if item.project == project]
        if not states:
            raise refused(404, "no_such_project", "there is no such project")
        return Reply(
            {
                "project": project,
                "open": states.count("open"),
                "closed": states.count("closed"),
            }
        )

    def _events(self, request: Request) -> Reply:
        after = int(request.query.get("after", "0"))
        return Reply(stream=self._following(after))

    def _following(self, after: int) -> Iterator[dict[str, Any] | None]:
        while True:
            with self.lock:
                fresh = self.happened[after:]
                if not fresh:
                    self.lock.wait(0.5)
                if self.is_closed:
                    return
            if not fresh:
                yield None
            yield from fresh
            after += len(fresh)


def _matches(item: Item, query: dict[str, str]) -> bool:
    return (
        item.project == query.get("project", item.project)
        and item.state == query.get("state", item.state)
        and query.get("q", "").lower() in item.title.lower()
    )


def _encode_cursor(item_id: int) -> str:
    return base64.urlsafe_b64encode(f"after:{item_id}".encode()).decode()


def _decode_cursor(cursor: str) -> int:
    if not cursor:
        return 0
    try:
        text = base64.urlsafe_b64decode(cursor).decode()
        return int(text.removeprefix("after:"))
    except (binascii.Error, ValueError):
        message = "the cursor does not belong to this list"
        raise refused(400, "invalid_cursor", message) from None
