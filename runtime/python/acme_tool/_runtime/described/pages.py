"""Reads one page of a list, and says where the next one begins.

A cursor of this tool holds what the API gave, or the number that comes next.
"""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..command import INTEGER, STRING, Call, Param
from ..fault import VALIDATION, Fault
from ..wire import reading
from . import answers, requests, serial
from .table import Entry

if TYPE_CHECKING:
    from .client import DescribedClient

MAX_CURSOR = 20_000
USUAL = 20

_NEXT = re.compile(
    r'<([^>]*)>\s*(?:;[^,<]*?)?;\s*rel="?next"?(?:\s*[;,]|\s*$)', re.IGNORECASE
)


def params(rules: Entry) -> tuple[Param, ...]:
    """Return the flags that lead through the pages of a list."""
    found = []
    if rules["limit"] and rules["style"] != "none":
        most = rules["max_limit"] or 100
        usual = str(min(USUAL, most))
        text = "Maximum number of entries in one page"
        found.append(
            Param("limit", INTEGER, text, default=usual, minimum=1, maximum=most)
        )
    if rules["style"] != "none":
        found.append(Param("cursor", STRING, "next_cursor of the previous page"))
    return tuple(found)


def page(
    call: Call, client: DescribedClient, operation: Entry, given: requests.Given
) -> dict[str, Any]:
    """Return one page."""
    rules = operation["list"]
    place = _read(call.text("cursor"))
    more: list[tuple[str, Any]] = []
    if rules["limit"] and rules["style"] != "none":
        more.append((rules["limit"], call.number("limit")))
    if place.get("at") is not None:
        more.append((rules["position"], place["at"]))
    if rules.get("place") == "body":
        members = [({"name": name, "place": "body"}, value) for name, value in more]
        ask = requests.ask(operation, [*given, *members])
    else:
        pairs = [(name, serial.encoded(value)) for name, value in more]
        ask = requests.ask(operation, given, pairs)
    if place.get("link"):
        ask = replace(ask, target=place["link"], is_whole=True)
    with reading(client, "a page"):
        document, link = client.reply(ask)
        found = _dig(document, rules["items"])
        if found is None:
            found = []
        if not isinstance(found, list):
            raise TypeError("not a list")
        following = _following(client, rules, (document, link), place, len(found))
        items = [answers.entry(operation, each) for each in found]
    return {
        "items": items,
        "count": len(items),
        "next_cursor": _written(following) if following else None,
        "has_more": bool(following),
    }


def _following(
    client: DescribedClient,
    rules: Entry,
    reply: tuple[Any, str],
    place: Entry,
    count: int,
) -> Entry | None:
    """Return where the next page begins; None at the end."""
    document, header = reply
    style, seen = rules["style"], place.get("seen", 0) + count
    if style == "none":
        return None
    if found := _NEXT.search(header):
        return {"link": client.below(found[1]), "seen": seen}
    named = _dig(document, rules["next"]) if rules["next"] else None
    if style == "link":
        if not named:
            return None
        return {"link": client.below(named), "seen": seen}
    more = _dig(document, rules["more"]) if rules["more"] else None
    if style == "cursor":
        if more is False or named in (None, "", 0):
            return None
        if named == place.get("at") or not isinstance(named, (str, int)):
            raise ValueError("a cursor that leads nowhere")
        return {"at": named, "seen": seen}
    if place.get("link"):
        return None
    total = _dig(document, rules["total"]) if rules["total"] else None
    if isinstance(more, bool):
        ends = not more
    elif type(total) is int and total:
        ends = seen >= total
    else:
        # A short page may be one that the API cut: only an empty one is the end.
        ends = False
    if ends or not count:
        return None
    first = 1 if style == "page" else 0
    at = place.get("at", first) + (1 if style == "page" else count)
    return {"at": at, "seen": seen}


def _dig(document: Any, path: str) -> Any:
    for key in path.split(".") if path else []:
        if isinstance(document, list) and key == "-1" and document:
            document = document[-1]
        elif isinstance(document, dict):
            document = document.get(key)
        else:
            return None
    return document


def _written(place: Entry) -> str:
    text = json.dumps(place, separators=(",", ":"))
    if len(text) > MAX_CURSOR:
        raise ValueError("a cursor that is too long")
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read(cursor: str) -> Entry:
    if not cursor:
        return {}
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        found = json.loads(base64.urlsafe_b64decode(padded.encode("ascii")))
        at, link, seen = found.get("at"), found.get("link"), found.get("seen")
        if type(seen) is not int or type(at) not in (int, str, type(None)):
            raise ValueError("not a place")
        if link is not None and not (isinstance(link, str) and link.startswith("/")):
            raise ValueError("not a link")
    except (ValueError, AttributeError, UnicodeError):
        raise Fault(
            VALIDATION,
            "--cursor does not belong to this list",
            fix="Use next_cursor of the previous page unchanged",
            flag="--cursor",
        ) from None
    return {name: value for name, value in found.items() if value is not None}
