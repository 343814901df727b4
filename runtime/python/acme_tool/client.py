"""The calls of the example upstream, and the data that they return. All of this is yours.

Ids become texts and times become UTC, and `_untrusted` names text that other people write.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, TypedDict

from ._runtime import fault, wire
from ._runtime.command import Account
from ._runtime.fault import VALIDATION, Fault
from ._runtime.rest import Ask, Rest
from ._runtime.wire import reading

# The most items in one call of the bulk endpoints; batches are sent in chunks of it.
CHUNK_SIZE = 50
# The largest page of the upstream.
MAX_PAGE = 100
MAX_CURSOR = 1000

STATES = ("open", "closed", "published")
ITEM_UNTRUSTED = ("title", "labels")

_ITEM_ID = re.compile(r"[1-9][0-9]{0,17}")


class Item(TypedDict):
    """One item, as this tool shows it."""

    id: str
    project: str
    title: str
    state: str
    labels: list[str]
    version: str
    created_at: str
    updated_at: str
    _untrusted: list[str]


class Page(TypedDict):
    """A page of items."""

    items: list[Item]
    count: int
    next_cursor: str | None
    has_more: bool


class Content(TypedDict):
    """The content of an item, which lists do not contain."""

    id: str
    media_type: str
    size: int
    content: str
    _untrusted: list[str]


class Event(TypedDict):
    """One change of an item."""

    sequence: int
    kind: str
    item_id: str
    title: str
    at: str
    _untrusted: list[str]


class Count(TypedDict):
    """How many items of a project are open and closed."""

    project: str
    open: int
    closed: int


class Client(Rest):
    """The example upstream."""

    # Error codes of the upstream that are more specific than their status.
    typed_codes = {  # noqa: RUF012
        "rate_limited": fault.RATE_LIMITED,
        "version_mismatch": fault.CONFLICT,
        "key_reused": fault.CONFLICT,
        "invalid_cursor": fault.VALIDATION,
    }

    def account(self) -> Account:
        """Return the account of the credential and its permissions."""
        with reading(self, "an account"):
            found = self.document(Ask("GET", ("v1", "account")))
            permissions = tuple(wire.texts(found["permissions"]))
            return Account(wire.identifier(found["id"]), permissions)

    def items(self, *, limit: int, cursor: str, **filters: str) -> Page:
        """Return one page; the upstream filters and sorts."""
        query = {name: value for name, value in filters.items() if value}
        query |= {"limit": str(limit), **({"cursor": cursor} if cursor else {})}
        with reading(self, "a page"):
            found = self.document(Ask("GET", ("v1", "items"), query))
            items = list(by_id(found["items"]).values())
            following = found["next_cursor"]
            if len(items) > limit:
                raise ValueError("more items than were requested")
            if following and (
                following == cursor or len(wire.text(following)) > MAX_CURSOR
            ):
                raise ValueError("a cursor that leads nowhere")
            return {
                "items": items,
                "count": len(items),
                "next_cursor": wire.text(following) if following else None,
                "has_more": bool(following),
            }

    def item(self, item_id: str) -> Item:
        """Return one item."""
        return self._item(Ask("GET", ("v1", "items", item_id)), item_id)

    def items_by_id(self, ids: Sequence[str]) -> dict[str, Item]:
        """Return at most CHUNK_SIZE items; those that do not exist are left out."""
        with reading(self, "items"):
            ask = Ask("GET", ("v1", "items"), {"ids": ",".join(ids)})
            items = by_id(self.document(ask)["items"])
            if items.keys() - set(ids):
                raise ValueError("an item that was not requested")
            return items

    def item_content(self, item_id: str) -> tuple[Content, bytes]:
        """Return the content of an item, as data and as bytes."""
        path = ("v1", "items", item_id, "content")
        with self.opened(Ask("GET", path, accept="*/*")) as response:
            content = self.content(response)
            return {
                "id": item_id,
                "media_type": wire.media_type(response.header("Content-Type")),
                "size": len(content),
                "content": content.decode("utf-8", "replace"),
                "_untrusted": ["content"],
            }, content

    def create_item(self, draft: dict[str, Any], key: str) -> Item:
        """Create an item; the same key never creates two items."""
        headers = {"Idempotency-Key": key}
        return self._item(Ask("POST", ("v1", "items"), headers=headers, body=draft))

    def update_item(self, item: Item, changes: dict[str, Any]) -> Item:
        """Change an item that still has its version."""
        path = ("v1", "items", item["id"])
        headers = {"If-Match": item["version"]}
        ask = Ask("PATCH", path, headers=headers, body=changes)
        return self._item(ask, item["id"])

    def delete_item(self, item: Item) -> None:
        """Delete an item that still has its version."""
        headers = {"If-Match": item["version"]}
        self.document(Ask("DELETE", ("v1", "items", item["id"]), headers=headers))

    def close_items(self, ids: Sequence[str]) -> list[tuple[str, Fault | None]]:
        """Close at most CHUNK_SIZE items in one call; return the outcome of each."""
        ask = Ask("POST", ("v1", "items", "bulk-close"), body={"ids": list(ids)})
        with reading(self, "a bulk answer"):
            results = self.document(ask)["results"]
            found = {
                wire.identifier(each["id"]): wire.number(each["status"])
                for each in results
            }
            if len(found) != len(results):
                raise ValueError("an item twice")
        missing = self.unusable("a bulk answer leaves out an item")
        return [
            (item_id, self.fault_of(found[item_id]) if item_id in found else missing)
            for item_id in ids
        ]

    def events(self, after: int, seconds: float) -> Iterator[Event]:
        """Return each event after a sequence number until the time is over."""
        ask = Ask("GET", ("v1", "events"), {"after": str(after)})
        for document in self.stream(ask, seconds):
            with reading(self, "an event"):
                event = _event(document)
                if event["sequence"] <= after:
                    raise ValueError("a stream that goes back")
            after = event["sequence"]
            yield event

    def count(self, project: str) -> Count:
        """Count the items of a project."""
        with reading(self, "a summary"):
            found = self.document(Ask("GET", ("v1", "projects", project, "summary")))
            if found["project"] != project:
                raise ValueError("another project")
            return {
                "project": project,
                "open": wire.count(found["open"]),
                "closed": wire.count(found["closed"]),
            }

    def _item(self, ask: Ask, item_id: str = "") -> Item:
        with reading(self, "an item"):
            item = read_item(self.document(ask))
            if item_id and item["id"] != item_id:
                raise ValueError("another item")
            return item


def check_id(item_id: str) -> None:
    """Refuse a text that cannot be the id of an item, before anything is sent."""
    if not _ITEM_ID.fullmatch(item_id):
        raise Fault(
            VALIDATION,
            f"`{item_id}` is not the id of an item",
            fix="Use an id that `item list` shows",
        )


def read_item(found: Any) -> Item:
    """Read an item of an answer."""
    return {
        "id": _item_id(found["id"]),
        "project": wire.name(found["project"]),
        "title": wire.text(found["title"]),
        "state": wire.name(found["state"]),
        "labels": wire.texts(found["labels"]),
        "version": wire.version(found["version"]),
        "created_at": wire.utc(found["created_at"]),
        "updated_at": wire.utc(found["updated_at"]),
        "_untrusted": list(ITEM_UNTRUSTED),
    }


def by_id(found: Sequence[Any]) -> dict[str, Item]:
    """Read items of an answer, by their ids."""
    items = {item["id"]: item for item in map(read_item, found)}
    if len(items) != len(found):
        raise ValueError("an item twice")
    return items


def _event(found: Any) -> Event:
    return {
        "sequence": wire.number(found["sequence"]),
        "kind": wire.name(found["kind"]),
        "item_id": _item_id(found["item_id"]),
        "title": wire.text(found["title"]),
        "at": wire.utc(found["at"]),
        "_untrusted": ["title"],
    }


def _item_id(found: Any) -> str:
    item_id = wire.identifier(found)
    if not _ITEM_ID.fullmatch(item_id):
        raise ValueError("not the id of an item")
    return item_id
