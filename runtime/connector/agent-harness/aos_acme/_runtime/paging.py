"""Walks through lists: which page to ask for, and where the next one begins.

The next page is where the API says it is. An answer that says so in a form that
cannot be followed is a failure and never the end of the list.
"""

from __future__ import annotations

import json

from . import links, urls
from .errors import BackendUnavailable, InvalidUsage
from .redaction import scrub

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
    from urllib.parse import SplitResult

    from .client import Reply
    from .cursors import Place

    # A reason in one word, and in a text.
    Doubt = tuple[str, str]

CURSOR_BYTES = 20_000
HEADER = "header:"


def page_size(rules: dict[str, Any], limit: int) -> int:
    """How many items to ask for at once."""
    if limit < 1:
        raise InvalidUsage("`--limit` must be 1 or more")
    return min(limit, rules["max_limit"] or limit)


def request_values(rules: dict[str, Any], place: Place) -> dict[str, Any]:
    """What the request for a page must say: {wire name: value}."""
    values: dict[str, Any] = {}
    if place.link:
        return values
    if rules["style"] != "none" and rules["limit"]:
        values[rules["limit"]] = place.size
    if place.at is not None and rules["style"] != "none":
        values[rules["position"]] = place.at
    return values


def next_place(
    rules: dict[str, Any],
    reply: Reply,
    found: list[Any],
    place: Place,
    base: SplitResult,
) -> Place | None:
    """Where the next page begins, or None after the last one."""
    at, link = _next(rules, reply, found, place, base)
    if at is None:
        return None
    following = place.after(at, link, len(found))
    if following.mark in following.past:
        raise malformed(reply, "it leads back to a page that was read already")
    return following


def doubts(
    rules: dict[str, Any], reply: Reply, found: list[Any], place: Place
) -> list[Doubt]:
    """Why a list may have more entries than it gave: [(reason, text), …]."""
    if rules["style"] == "none":
        text = "the API has further pages, which this command does not read"
        return [("more_pages", text)] if _header_link(reply) else []
    seen = place.seen + len(found)
    signs = []
    total = value_at(reply, rules.get("total", ""))
    if isinstance(total, str) and total.isascii() and total.isdigit():
        total = int(total[:18])
    if isinstance(total, int) and not isinstance(total, bool) and total > seen:
        text = f"the API counts {total} entries and gave {seen}"
        signs.append(("fewer_than_total", text))
    cap = rules.get("cap", 0)
    if cap and seen >= cap:
        text = f"the API gives at most {cap} entries of this list"
        signs.append(("result_limit", text))
    if rules.get("last") and value_at(reply, rules["last"]) is False:
        signs.append(("no_next_page", "the API says there is more, and not where"))
    return signs


def malformed(reply: Reply, problem: str) -> BackendUnavailable:
    """The failure for a next page that cannot be followed."""
    return BackendUnavailable(
        f"the backend's way to the next page cannot be used: {problem}",
        {"status": reply.status, "reason": "malformed_paging"},
        hint="the list has more entries than were read; narrow it with its options",
    )


def dig(data: Any, path: str) -> Any:
    """The value at a dotted path, or None."""
    for key in path.split(".") if path else []:
        if isinstance(data, list) and key.isdigit() and int(key) < len(data):
            data = data[int(key)]
        elif isinstance(data, dict) and key in data:
            data = data[key]
        else:
            return None
    return data


def value_at(reply: Reply, source: str) -> Any:
    """The value at `header:name` or at a dotted path of the body, or None."""
    if not source:
        return None
    if source.startswith(HEADER):
        return reply.headers.get(source[len(HEADER) :])
    return None if reply.is_empty else dig(reply.data, source)


def values_at(reply: Reply, sources: str) -> list[Any]:
    """All values at the sources, which are separated by `|`; `*` is any entry."""
    if reply.is_empty:
        return [value_at(reply, s) for s in sources.split("|") if s.startswith(HEADER)]
    values = []
    for source in sources.split("|"):
        if source.startswith(HEADER):
            values.append(value_at(reply, source))
            continue
        found = [reply.data]
        for key in source.split("."):
            below: list[Any] = []
            for value in found:
                if key == "*" and isinstance(value, (list, dict)):
                    below += value if isinstance(value, list) else value.values()
                else:
                    below.append(dig(value, key))
            found = below
        values += found
    return [value for value in values if value is not None]


def _next(
    rules: dict[str, Any],
    reply: Reply,
    found: list[Any],
    place: Place,
    base: SplitResult,
) -> tuple[Any, bool]:
    """What to ask for next, and whether it is a link; (None, False) at the end."""
    style = rules["style"]
    if style == "cursor":
        return _cursor(rules, reply), False
    if style in ("link", "page"):
        link = _header_link(reply)
        if link is None and style == "link":
            return _named_page(rules, reply, base)
        if link:
            return _followed(reply, link, base), True
        if link is not None:
            return None, False
    if style in ("page", "offset"):
        return _counted(rules, reply, found, place), False
    return None, False


def _header_link(reply: Reply) -> str | None:
    """The next page of the Link header, "" when it names none, None without one."""
    text = reply.headers.get("link", "").strip()
    if not text:
        return None
    try:
        return links.target(text, "next")
    except ValueError:
        raise malformed(reply, "the Link header is broken") from None


def _named_page(
    rules: dict[str, Any], reply: Reply, base: SplitResult
) -> tuple[Any, bool]:
    """The next page of a list that is paged by links, from where else it is named."""
    source = rules["next"]
    found = value_at(reply, source)
    if found in (None, ""):
        return None, False
    if source.startswith(HEADER):
        return _checked(reply, found), False
    if not isinstance(found, str):
        raise malformed(reply, "it is not a text")
    return _followed(reply, found, base), True


def _followed(reply: Reply, link: str, base: SplitResult) -> Any:
    try:
        return _checked(reply, urls.page_path(base, reply.target, link))
    except ValueError as error:
        raise malformed(reply, str(error)) from None


def _counted(
    rules: dict[str, Any], reply: Reply, found: list[Any], place: Place
) -> Any:
    """The next number of a list that is paged by numbers."""
    step = 1 if rules["style"] == "page" else len(found)
    first = 1 if rules["style"] == "page" else 0
    at = (first if place.at is None else place.at) + step
    if rules.get("last") and value_at(reply, rules["last"]) is True:
        return None
    more = value_at(reply, rules["more"])
    if isinstance(more, bool):
        if more and not step:
            raise malformed(reply, "an empty page has no number after it")
        return at if more else None
    if isinstance(more, int) and place.seen + len(found) >= more:
        return None
    # A short page may be followed by more; only an empty one is the end.
    return at if found else None


def _cursor(rules: dict[str, Any], reply: Reply) -> Any:
    if reply.is_empty:
        return None
    more = value_at(reply, rules["more"])
    if more is not None and not isinstance(more, bool):
        raise malformed(reply, f"`{rules['more']}` is not true or false")
    if more is False:
        return None
    found = value_at(reply, rules["next"])
    ends = rules.get("empty_ends", False)
    if found is None or (found == "" and ends):
        if more:
            raise malformed(reply, "it says that there is more, and not where")
        parent = rules["next"].rpartition(".")[0]
        if parent and not ends and isinstance(value_at(reply, parent), dict):
            raise malformed(reply, f"`{rules['next']}` is missing")
        return None
    return _checked(reply, found)


def _checked(reply: Reply, cursor: Any) -> Any:
    """A cursor that can be sent again exactly as it came."""
    if isinstance(cursor, int) and not isinstance(cursor, bool):
        return cursor
    if not isinstance(cursor, str):
        raise malformed(reply, "it is not a text or a whole number")
    if not cursor:
        raise malformed(reply, "it is empty")
    try:
        size = len(json.dumps(cursor, ensure_ascii=False).encode("utf-8"))
    except UnicodeEncodeError:
        raise malformed(reply, "it is not Unicode text") from None
    if size > CURSOR_BYTES:
        raise malformed(reply, f"it is longer than {CURSOR_BYTES} bytes")
    if scrub(cursor) != cursor:
        raise malformed(reply, "it repeats a key")
    return cursor
