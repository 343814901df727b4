"""Requests and answers of the example upstream."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Reply:
    """An answer: a document, or bytes."""

    document: Any = None
    status: int = 200
    content: bytes | None = None
    media_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)


class Refused(Exception):
    """An answer without success."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.status)
        self.reply = reply


@dataclass(frozen=True)
class Ask:
    """A request; names of headers are in lower case."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    def document(self) -> dict[str, Any]:
        """Read the body, or refuse."""
        try:
            found = json.loads(self.body)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            message = "the body is not the JSON that was expected"
            raise refused(400, "invalid_body", message)
        return found


def refused(status: int, code: str, message: str) -> Refused:
    """Give an answer without success, as this API writes it."""
    return Refused(Reply({"error": {"code": code, "message": message}}, status))
