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
# The value of a place that a reply does not have; null is a value.
ABSENT: Any = object()
HEADER = "header:"


def page_size(rules: dict[str, Any], limit: int) -> int:
    """How many items to ask for at once."""
    if limit < 1:
        raise InvalidUsage("`--limit` must be 1 or more")
    return min(limit, rules["max_limit"] or limit)


def request_values(rules: dict[str, Any], place: Place) -> dict[str, Any]:
    """Return the parameters of the request for a page: {wire name: value}."""
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
        raise malformed(reply, "it refers to a page that was already read")
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
    counts = [_count(value_at(reply, rules.get(key, ""))) for key in ("total", "more")]
    total = max(count or 0 for count in counts)
    if total > seen:
        text = f"the API counts {total} entries, but returned {seen}"
        signs.append(("fewer_than_total", text))
    cap = rules.get("cap", 0)
    if cap and seen >= cap:
        text = f"the API returns at most {cap} entries of this list"
        signs.append(("result_limit", text))
    if _truth(value_at(reply, rules.get("last", ""))) is False:
        signs.append(("no_next_page", "the API says that there is more, but not where"))
    if reply.is_empty and place.pages and _was_promised(rules, place):
        signs.append(("no_content", "the API returned an empty page"))
    return signs


def malformed(reply: Reply, problem: str, hint: str = "") -> BackendUnavailable:
    """The failure for a next page that cannot be followed."""
    told = "the list has more entries than were read; limit it with its options"
    return BackendUnavailable(
        f"the reference to the next page cannot be used: {problem}",
        {"status": reply.status, "reason": "malformed_paging"},
        hint=hint or told,
    )


def dig(data: Any, path: str) -> Any:
    """The value at a dotted path, or None."""
    found = _found(data, path)
    return None if found is ABSENT else found


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
    """Return the next position, and whether it is a link; (None, False) at the end."""
    style = rules["style"]
    if style == "cursor":
        return _cursor(rules, reply), False
    link = _header_link(reply) if style in ("link", "page") else ""
    if link:
        return _followed(reply, link, base), True
    # A Link header without a next page is about something else, or at the end.
    if style == "link" and rules["next"] and not reply.is_empty:
        at, is_link = _named_page(rules, reply, base)
        if at is not None:
            return at, is_link
    elif style in ("page", "offset") and not place.link:
        return _counted(rules, reply, found, place), False
    if _more(rules, reply, place.seen + len(found))[0]:
        raise malformed(reply, "it says that there is more, but not where")
    return None, False


def _header_link(reply: Reply) -> str:
    """The next page of the Link header, or ""."""
    try:
        return links.target(reply.headers.get("link", ""), "next")
    except ValueError:
        raise malformed(reply, "the Link header is broken") from None


def _named_page(
    rules: dict[str, Any], reply: Reply, base: SplitResult
) -> tuple[Any, bool]:
    """The next page of a list that is paged by links, from where else it is named."""
    found = _named(rules, reply)
    if found is None:
        return None, False
    if rules["next"].startswith(HEADER):
        return _checked(reply, found), False
    if not isinstance(found, str) or not found:
        raise malformed(reply, "it is not a text" if found != "" else "it is empty")
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
    if _truth(value_at(reply, rules.get("last", ""))):
        return None
    seen = place.seen + len(found)
    more, count = _more(rules, reply, seen)
    if more is not None:
        if more and not step:
            raise malformed(reply, "an empty page has no number after it")
        return at if more else None
    if count is not None and 0 <= count <= seen:
        return None
    # A short page may be followed by more; only an empty one is the end.
    return at if found else None


def _more(
    rules: dict[str, Any], reply: Reply, seen: int
) -> tuple[bool | None, int | None]:
    """Whether there is more, or how many entries there are, where a reply says so."""
    told = value_at(reply, rules["more"])
    more, count = _truth(told), _count(told)
    if told not in (None, "") and more is None and count is None:
        raise malformed(reply, f"`{rules['more']}` is not true, false or a number")
    if count == 1 and rules["more"] != rules.get("total"):
        # It counts a list of one entry; after two entries it can only mean true.
        return (True if seen > 1 else None), None
    return more, count


def _cursor(rules: dict[str, Any], reply: Reply) -> Any:
    if reply.is_empty:
        return None
    more = value_at(reply, rules["more"])
    if more is not None and not isinstance(more, bool):
        raise malformed(reply, f"`{rules['more']}` is not true or false")
    if more is False:
        return None
    is_told = value_at(reply, rules["next"]) is not None
    found = _named(rules, reply) if is_told or not more else None
    if found is None and more:
        raise malformed(reply, "it says that there is more, but not where")
    return None if found is None else _checked(reply, found)


def _named(rules: dict[str, Any], reply: Reply) -> Any:
    """Return the next page that a reply names; None if it names none.

    Null names none, and so does a header that is empty or left out. A member of the
    body that is empty or left out does where the API ends its lists in that way.
    """
    source, ends = rules["next"], rules.get("empty_ends", False)
    if source.startswith(HEADER):
        return value_at(reply, source) or None
    found = _found(reply.data, source) if source else ABSENT
    if found is ABSENT:
        parent = source.rpartition(".")[0]
        # An object below the first member is there for the next page alone.
        is_hollow = "." in parent and dig(reply.data, parent) == {}
        if ends and source and not is_hollow:
            return None
        hint = "set `empty_ends` if the API leaves it out at the end of a list"
        raise malformed(reply, f"`{source or 'next'}` is missing", hint)
    # This is "", 0 or false.
    return None if ends and found in ("", 0) else found


def _found(data: Any, path: str) -> Any:
    """The value at a dotted path; below null all is null, otherwise it is ABSENT.

    An entry of a list is named by its number, and the last one by `-1`.
    """
    for key in path.split(".") if path else []:
        if isinstance(data, list) and key.isdigit() and int(key) < len(data):
            data = data[int(key)]
        elif isinstance(data, list) and key == "-1" and data:
            data = data[-1]
        elif isinstance(data, dict):
            data = data.get(key, ABSENT)
        elif data is not None:
            return ABSENT
    return data


def _was_promised(rules: dict[str, Any], place: Place) -> bool:
    """Whether an earlier page said that this one exists."""
    is_counted = rules["style"] in ("page", "offset") and not place.link
    return not is_counted or bool(rules["more"] or rules.get("last"))


def _truth(value: Any) -> bool | None:
    """The truth value, also of the text of a header; None for anything else."""
    if isinstance(value, str):
        value = {"true": True, "false": False}.get(value.lower())
    return value if isinstance(value, bool) else None


def _count(value: Any) -> int | None:
    """The whole number, also of the text of a header; None for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:18])
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


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
