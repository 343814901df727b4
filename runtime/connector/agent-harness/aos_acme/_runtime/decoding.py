"""Reads the JSON of a reply, and says what it is when it is none."""

from __future__ import annotations

from . import strict_json
from .errors import BackendUnavailable

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .client import Reply


def data(reply: Reply) -> Any:
    """The JSON of a body; BackendUnavailable for anything else."""
    try:
        return strict_json.loads(reply.body)
    except strict_json.RepeatedMember:
        problem = "JSON that has a duplicate member"
    except ValueError:
        kind = reply.headers.get("content-type", "").lower()
        is_html = "html" in kind or reply.body[:1] == b"<"
        problem = "HTML" if is_html else "invalid JSON"
    raise BackendUnavailable(
        f"the backend answered with {problem}", {"status": reply.status}
    )
