"""Reads how long an API asks to wait, in any form.

A small number is seconds from now, a large one a Unix time in seconds or in
milliseconds; anything else must be a date, of HTTP or of ISO 8601. A wait that
no API means (negative, or weeks ahead) is not one.
"""

from __future__ import annotations

import math
import re
import time
from calendar import timegm
from datetime import datetime

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NUMBER = re.compile(r"[0-9]{1,16}(\.[0-9]{1,9})?")
# Numbers from here on are Unix times: in seconds, in milliseconds.
EPOCH = 100_000_000
EPOCH_MS = 100_000_000_000
# A time that has passed by less than this is now: clocks differ.
SKEW = 300
LONGEST = 86_400
BELIEVED = 31 * 86_400


def seconds(told: Any, date: str | None = None) -> int | None:
    """Whole seconds from now, at most a day; None for what is not a wait.

    `date` is the Date header of the reply: times count from the API's clock.
    """
    if isinstance(told, bool) or not isinstance(told, (str, int, float)):
        return None
    text = str(told).strip()
    if not 0 < len(text) <= 64:
        return None
    moments = (_moment(date), time.time())
    for form in (text, text.partition(",")[0].strip()):  # a header sent twice
        for now in moments:
            found = None if now is None else _from(form, now)
            if found is not None:
                return found
    return None


def _from(text: str, now: float) -> int | None:
    if NUMBER.fullmatch(text):
        number = float(text)
        if number < EPOCH:
            return _bounded(number)
        moment: float | None = number / 1000 if number >= EPOCH_MS else number
    else:
        moment = _moment(text)
    if moment is None or moment - now < -SKEW:
        return None
    # One more second: the moment itself may still be too early.
    return _bounded(max(0, moment - now) + 1)


def _bounded(wait: float) -> int | None:
    return min(math.ceil(wait), LONGEST) if wait <= BELIEVED else None


def _moment(text: Any) -> float | None:
    """The Unix time of a date, or None."""
    from email.utils import parsedate_to_datetime

    for read in (parsedate_to_datetime, _iso):
        try:
            return timegm(read(text).utctimetuple())
        except (TypeError, ValueError, IndexError, OverflowError, AttributeError):
            continue
    return None


def _iso(text: Any) -> datetime:
    return datetime.fromisoformat(re.sub(r"[Zz]$", "+00:00", text))
