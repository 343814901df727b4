"""Reads the JSON of a reply, and refuses what different readers would read differently."""

from __future__ import annotations

import json
import math

from .errors import BackendUnavailable

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from .client import Reply

DEPTH = 100


def data(reply: Reply) -> Any:
    """The JSON of a body; BackendUnavailable for anything else."""
    try:
        found = json.loads(
            reply.body,
            parse_constant=_not_json,
            parse_float=_finite,
            object_pairs_hook=_members,
        )
        _check_depth(found)
    except _Repeated:
        problem = "JSON that names a member twice"
    except (ValueError, RecursionError):
        kind = reply.headers.get("content-type", "").lower()
        is_html = "html" in kind or reply.body[:1] == b"<"
        problem = "HTML" if is_html else "invalid JSON"
    else:
        return found
    raise BackendUnavailable(
        f"the backend answered with {problem}", {"status": reply.status}
    )


class _Repeated(Exception):
    """An object has two members of one name."""


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object. Of two members of one name, it is unknown which one counts."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise _Repeated
    return members


def _not_json(constant: str) -> NoReturn:
    raise ValueError(constant)


def _finite(text: str) -> float:
    """A finite float; JSON has no Infinity, which 1e999 would become."""
    number = float(text)
    if math.isinf(number):
        raise ValueError(text)
    return number


def _check_depth(data: Any) -> None:
    level = [data]
    for _ in range(DEPTH):
        level = [
            item
            for value in level
            if isinstance(value, (dict, list))
            for item in (value.values() if isinstance(value, dict) else value)
        ]
        if not level:
            return
    raise ValueError("nested too deeply")
