"""Reads values of an answer of the upstream; each function refuses what has another form.

They raise TypeError, ValueError or LookupError, which `reading` turns into a fault of the
upstream, so that a client never shows or acts on an answer that makes no sense.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

from .rest import Rest

# Fits a message and a command line.
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@+-]{0,199}")
# A name of a state or a kind, never a sentence.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_MEDIA_TYPE = re.compile(r"[a-z0-9.+-]{1,50}/[a-z0-9.+-]{1,50}")
_OFFSET = re.compile(r"([+-]\d\d)(\d\d)$")


@contextlib.contextmanager
def reading(client: Rest, what: str) -> Iterator[None]:
    """Turn data of an unexpected form into E_SERVER; `what` names it, as in "an item"."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
        raise client.unusable(f"{what} does not have the expected form") from None


def text(value: Any) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def texts(value: Any) -> list[str]:
    """Return a list of texts."""
    if not isinstance(value, list):
        raise TypeError("not a list")
    return [text(each) for each in value]


def name(value: Any) -> str:
    """Return a name of at most 64 letters, digits, dashes and underscores."""
    if not _NAME.fullmatch(text(value)):
        raise ValueError("not a name")
    return str(value)


def identifier(value: Any) -> str:
    """Return an id as a text, whether it came as a text or as a number."""
    found = str(value) if type(value) is int else text(value)
    if not _ID.fullmatch(found):
        raise ValueError("not an id")
    return found


def version(value: Any) -> str:
    """Return the version of a resource; it is safe in a header such as If-Match."""
    found = str(value) if type(value) is int else text(value)
    if not found.isascii() or not found.isprintable() or not 1 <= len(found) <= 200:
        raise ValueError("not a version")
    return found


def number(value: Any) -> int:
    """Return a whole number."""
    if type(value) is not int:
        raise TypeError("not a whole number")
    return value


def count(value: Any) -> int:
    """Return a whole number that is not negative."""
    if number(value) < 0:
        raise ValueError("a negative count")
    return int(value)


def fraction(value: Any) -> float:
    """Return a number from 0 to 1."""
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise ValueError("not a fraction")
    return float(value)


def media_type(header: str) -> str:
    """Return the media type of a header Content-Type, without its parameters."""
    kind = header.partition(";")[0].strip().lower()
    return kind if _MEDIA_TYPE.fullmatch(kind) else "application/octet-stream"


def utc(value: Any) -> str:
    """Return a time of RFC 3339 in UTC, in whole seconds: 2030-01-31T12:00:00Z.

    Python 3.10 reads neither Z, nor an offset without a colon, nor most fractions.
    """
    found = re.sub(r"\.\d+", "", text(value), count=1)
    found = re.sub(r"[Zz]$", "+00:00", found)
    moment = datetime.fromisoformat(_OFFSET.sub(r"\1:\2", found))
    if moment.tzinfo is None:
        raise ValueError("a time without its offset")
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
