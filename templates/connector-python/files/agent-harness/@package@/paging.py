"""Walks through lists: which page to ask for, and where the next one starts.

A cursor is the position that the API understands. When only a part of a page
was handed out, it also says how many items to skip: `~<skip>~<position>`.
"""

from urllib.parse import parse_qs, urlsplit

from .errors import InvalidUsage
from .redaction import quote


def read_cursor(text):
    """Split a cursor into the number of items to skip and the position."""
    if not text or not text.startswith("~"):
        return 0, text or ""
    skip, _, position = text[1:].partition("~")
    return _count(skip, text), position


def write_cursor(skip, position):
    return f"~{skip}~{position}" if skip else str(position)


def page_size(rules, limit):
    """How many items to ask for at once."""
    if limit < 1:
        raise InvalidUsage("`--limit` must be 1 or more")
    return min(limit, rules["max_limit"] or limit)


def request_values(rules, size, position):
    """What the request must say: {wire name: value}."""
    values = {}
    if rules["style"] != "none" and rules["limit"]:
        values[rules["limit"]] = size
    if position and rules["style"] in ("page", "offset"):
        values[rules["position"]] = _count(position, position)
    elif position and rules["style"] == "cursor":
        values[rules["position"]] = position
    return values


def next_position(rules, reply, found, size, position):
    """Where the next page starts, or "" after the last one."""
    style = rules["style"]
    if style == "page":
        link = reply.headers.get("link", "")
        more = 'rel="next"' in link if link else len(found) >= size
        return str(int(position or 1) + 1) if more and found else ""
    if style == "offset":
        end = int(position or 0) + len(found)
        more = dig(reply.data, rules["more"]) if rules["more"] else None
        if more is None:
            more = len(found) >= size
        elif not isinstance(more, bool):
            more = isinstance(more, int) and more > end
        return str(end) if more and found else ""
    if style == "cursor":
        return _next_cursor(rules, reply.data)
    return ""


def _next_cursor(rules, data):
    if rules["more"] and dig(data, rules["more"]) is False:
        return ""
    found = dig(data, rules["next"])
    if not isinstance(found, (str, int)) or isinstance(found, bool):
        return ""
    text = str(found)
    if "://" in text:  # some APIs give the URL of the next page
        text = parse_qs(urlsplit(text).query).get(rules["position"], [""])[0]
    return text


def dig(data, path):
    """The value at a dotted path, or None."""
    for key in path.split(".") if path else []:
        if isinstance(data, list) and key.isdigit() and int(key) < len(data):
            data = data[int(key)]
        elif isinstance(data, dict) and key in data:
            data = data[key]
        else:
            return None
    return data


def _count(text, cursor):
    if not text.isascii() or not text.isdigit() or len(text) > 12:
        raise InvalidUsage(
            "`--cursor` is not one of this list", {"value": quote(cursor)}
        )
    return int(text)
