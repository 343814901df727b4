"""Writes and reads `--cursor`: the next page of a list, sealed with the service key.

A cursor holds what the API said, unchanged, whatever characters that has. The
seal ties it to one command, its options and the service key, so a cursor that
this connector did not make is a usage error and is never sent anywhere.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from functools import lru_cache

from .. import api
from ..contract_gen import TOOL
from . import config
from .errors import InvalidUsage

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

LENGTH = 100_000
SEAL = 10
ROUNDS = 20_000
# How many of the latest pages are compared with the next one.
REMEMBERED = 8


class Place:
    """Where a page begins, and what was read before it."""

    def __init__(
        self,
        at: Any = None,
        link: bool = False,
        skip: int = 0,
        seen: int = 0,
        size: int = 0,
        pages: int = 0,
        past: Iterable[str] = (),
    ) -> None:
        self.at = at  # the API's own words; None is the first page
        self.link = link  # whether `at` is a path to ask for instead of a value
        self.skip = skip  # entries of the page that were handed out already
        self.seen = seen  # entries before this page
        self.size = size  # how many entries each page was asked for
        self.pages = pages  # pages before this one
        self.past = tuple(past)  # marks of pages that were read

    def after(self, at: Any, link: bool, count: int) -> Place:
        """The place of the page after this one, which had `count` entries.

        It remembers the latest pages and one older one, the anchor, which moves
        whenever the number of pages has doubled: a circle of any size is noticed.
        """
        pages = self.pages + 1
        anchor = self.past[:1]
        if pages & (pages - 1) == 0:
            anchor = (self.mark,)
        past = anchor + (*self.past[1:], self.mark)[-REMEMBERED:]
        return Place(at, link, 0, self.seen + count, self.size, pages, past)

    def rest(self, count: int) -> Place:
        """The place on the same page, `count` entries further on."""
        fields = (self.seen, self.size, self.pages, self.past)
        return Place(self.at, self.link, self.skip + count, *fields)

    @property
    def mark(self) -> str:
        """A short digest that distinguishes this page from others."""
        text = json.dumps([self.link, self.at])
        return hashlib.sha256(text.encode()).hexdigest()[:8]


def write(place: Place, call: Any) -> str:
    """The cursor for a place in the list that `call` describes."""
    fields = [place.at, int(place.link), place.skip, place.seen]
    fields += [place.size, place.pages, ".".join(place.past)]
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    payload = text.encode("utf-8")
    sealed = _seal(payload, call) + payload
    return base64.b32encode(sealed).decode().rstrip("=").lower()


def read(text: str | None, call: Any) -> Place:
    """The place that a cursor names; without one, the beginning."""
    if not text:
        return Place()
    try:
        if len(text) > LENGTH or text != text.lower():
            raise ValueError("not a cursor")
        sealed = base64.b32decode(text.upper() + "=" * (-len(text) % 8))
        seal, payload = sealed[:SEAL], sealed[SEAL:]
        if not hmac.compare_digest(seal, _seal(payload, call)):
            raise ValueError("another seal")
        at, link, skip, seen, size, pages, past = json.loads(payload)
    except ValueError:
        raise InvalidUsage(
            "`--cursor` does not belong to this list",
            {"reason": "cursor"},
            hint="pass next_cursor unchanged, with the options of the first call and "
            "the same key; or start again without `--cursor`",
        ) from None
    marks = past.split(".") if past else ()
    return Place(at, bool(link), skip, seen, size, pages, marks)


def _seal(payload: bytes, call: Any) -> bytes:
    key = _key(config.value(api.SECRET_KEY))
    bound = hashlib.sha256(json.dumps(call, sort_keys=True).encode()).digest()
    return hmac.new(key, bound + payload, "sha256").digest()[:SEAL]


@lru_cache(maxsize=4)
def _key(secret: str) -> bytes:
    """A key derived from the secret, slowly, so that a cursor does not help to guess it."""
    raw = secret.encode("utf-8", "surrogateescape")
    return hashlib.pbkdf2_hmac("sha256", raw, b"cursor " + TOOL.encode(), ROUNDS)
