"""Secrets stay in: they are masked in everything that leaves the program.

A secret is found by its value, in each spelling a text can hold it in, and by the
place it stands in: members with telling names, headers, user names in addresses,
tokens of known services.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable
from typing import Any

MASK = "[redacted]"
# A shorter value is masked only as a whole word, and one below MIN_WORD not at all.
MIN_SECRET = 8
MIN_WORD = 4

_PLACES = (
    (re.compile(r"(?ai)\b(bearer|basic)[ \t]+[a-z0-9._~+/=-]{20,}"), rf"\1 {MASK}"),
    (
        re.compile(
            r"(?ai)\b((?:proxy-)?authorization|(?:set-)?cookie|x-api-key)\s*[:=]\s*"
            r"[^\r\n\"']+"
        ),
        rf"\1: {MASK}",
    ),
    (re.compile(r"(?a)://[^/?#\s\"']*@"), f"://{MASK}@"),
    (
        re.compile(
            r"(?ai)([?&;](?:access_token|refresh_token|token|api_?key|secret|password"
            r"|signature)=)[^&#\s\"']+"
        ),
        rf"\1{MASK}",
    ),
    (
        re.compile(r"(?a)\b(?:gh[pousr]_|github_pat_|npm_|pypi-)[A-Za-z0-9_-]{16,}"),
        MASK,
    ),
)
_SECRET_NAME = re.compile(
    r"(?i)(?:.*[_-])?(?:password|passwd|secret|token|authorization|cookie|credential"
    r"|api[_-]?key|private[_-]?key)"
)
# Names that only look like those of secrets: a confirm token is meant to be read.
_ALLOWED = frozenset({"confirm_token"})


class Redactor:
    """Knows the secrets of one run."""

    def __init__(self) -> None:
        self._values: list[str] = []
        self._words: list[str] = []

    def add(self, *found: str) -> None:
        """Make values known as secrets, in all their spellings.

        The password of `user:password` is a secret by itself.
        """
        whole = [text.strip() for text in found]
        for value in (*whole, *(text.partition(":")[2] for text in whole)):
            for text in _spellings(value) if len(value) >= MIN_WORD else ():
                known = self._values if len(text) >= MIN_SECRET else self._words
                if text not in known:
                    known.append(text)
        # The longest first: one spelling may hold another.
        for known in (self._values, self._words):
            known.sort(key=lambda value: (-len(value), value))

    def text(self, text: str) -> str:
        """Mask the secrets in a text."""
        for value in self._values:
            text = text.replace(value, MASK)
        for word in self._words:
            if word in text:
                # Between letters and digits it is a part of another word.
                text = re.sub(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", MASK, text)
        for pattern, put in _PLACES:
            text = pattern.sub(put, text)
        return text

    def member(self, name: str, value: str) -> str:
        """Mask the value of a member: all of it when the name says that it is secret."""
        return MASK if value and is_secret_name(name) else self.text(value)

    def tree(self, value: Any, name: str = "") -> Any:
        """Mask the secrets in a value of JSON; keys can come from outside as well."""
        if isinstance(value, str):
            return _printable(self.member(name, value))
        if isinstance(value, dict):
            return {
                _printable(self.text(str(key))): self.tree(member, str(key))
                for key, member in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.tree(item, name) for item in value]
        return value


def is_secret_name(name: str) -> bool:
    """Return whether a member of this name holds a secret."""
    return name not in _ALLOWED and _SECRET_NAME.fullmatch(name) is not None


def _printable(text: str) -> str:
    # Halves of characters come from arguments that are not UTF-8; no JSON can hold them.
    return text.encode("utf-8", "replace").decode("utf-8")


def _spellings(value: str) -> Iterable[str]:
    """Return the forms of a secret in a text: addresses, JSON, base64, hex."""
    from urllib.parse import quote, quote_plus

    raw = value.encode("utf-8", "surrogateescape")
    yield value
    for escaped in (
        quote_plus(raw),
        quote(raw, safe=""),
        quote(raw),
        quote(raw, safe="$&+=:@"),
    ):
        yield escaped
        yield re.sub(r"%[0-9A-F]{2}", lambda found: found[0].lower(), escaped)
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    yield raw.hex()
    yield raw.hex().upper()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        text = encode(raw).decode()
        yield text
        yield text.rstrip("=")
