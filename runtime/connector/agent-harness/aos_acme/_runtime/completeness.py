"""Reports that an answer is only a part of what was asked for.

`api.PARTIAL` lists the signs of this API, and some statuses are signs in every API.
Without one, the answer says nothing about its completeness.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from .. import api
from .paging import value_at, values_at
from .redaction import quote

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .client import Reply
    from .paging import Doubt


# The meaning of a status for an answer that was read.
STATUSES = {
    202: ("not_ready", "the API is still preparing this response: try again later"),
    203: ("altered", "a server on the way to the API changed this response"),
    206: ("partial_content", "the API returned only a part of this response"),
}


def doubts(reply: Reply, path: str, is_read: bool = True) -> list[Doubt]:
    """Return the signs in a reply to a request of `path`: [(reason, text), …]."""
    found = [STATUSES[reply.status]] if is_read and reply.status in STATUSES else []
    for sign in api.PARTIAL:
        if not fnmatchcase(path, sign.get("path", "*")):
            continue
        if any(_shows(sign, told, reply) for told in values_at(reply, sign["at"])):
            text = sign["text"]
            why = value_at(reply, sign["tell"]) if "tell" in sign else None
            if isinstance(why, (str, int)) and not isinstance(why, bool):
                text += f": {quote(why)}"
            found.append((sign["reason"], text))
    return found


def mark(found: list[Doubt]) -> dict[str, Any]:
    """The members that mark an answer as partial."""
    if not found:
        return {}
    texts = dict.fromkeys(text for _, text in found)
    return {
        "complete": False,
        "incomplete_reason": found[0][0],
        "incomplete_text": "; ".join(texts),
    }


def _shows(sign: dict[str, Any], told: Any, reply: Reply) -> bool:
    if "equals" in sign:
        return type(told) is type(sign["equals"]) and told == sign["equals"]
    if "above" in sign or "list" in sign:
        if not isinstance(told, (int, float)) or isinstance(told, bool):
            return False
        counted = value_at(reply, sign["list"]) if "list" in sign else None
        known = len(counted) if isinstance(counted, list) else sign.get("above", told)
        return told > known
    return bool(told)
