"""The result of the last check for a newer version. Commands only show it."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, TypedDict

from .. import contract_gen
from . import files, strict_json, versions

FILE = "notices.json"
MAX_SIZE = 64 * 1024
LIFETIME = timedelta(days=7)
SKEW = timedelta(minutes=5)

UPDATE_AVAILABLE = "update_available"
REMOTE_OLDER = "remote_older"
POSSIBLE_FREEZE = "possible_freeze"
INFO = "info"
WARNING = "warning"

Notice = dict[str, Any]

_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z", re.ASCII)


class Cache(TypedDict):
    """The content of the file."""

    # The newest version ever seen, so that a release that disappears is noticed.
    highest: str | None
    checked_at: str | None
    target: str | None
    notice: Notice | None


def read(home: Path) -> Cache:
    """Return the cache; an unusable one is like none."""
    try:
        document = strict_json.loads(
            files.read_bounded(home / FILE, MAX_SIZE), folded=True
        )
    except (OSError, ValueError):
        document = None
    if not isinstance(document, dict):
        document = {}
    checked_at = document.get("checked_at")
    notice = document.get("notice")
    return {
        "highest": _version(document.get("highest")),
        "checked_at": checked_at if moment(checked_at) else None,
        "target": _version(document.get("target")),
        "notice": notice if isinstance(notice, dict) else None,
    }


def write(home: Path, cache: Cache) -> None:
    """Replace the cache."""
    files.write_private(home / FILE, json.dumps(cache).encode())


def clear(home: Path) -> None:
    """Forget the notice, and keep what was seen."""
    cache = read(home)
    if cache["notice"] is not None:
        write(home, {**cache, "notice": None})


def current(home: Path, running: str) -> list[Notice]:
    """Return the notice that holds for the running version now, if any."""
    notice = read(home)["notice"]
    if notice is None or not _is_whole(notice):
        return []
    checked = moment(notice["checked_at"])
    now = datetime.now(timezone.utc)
    if checked is None or not now - LIFETIME <= checked <= now + SKEW:
        return []
    if notice["type"] == UPDATE_AVAILABLE:
        if not versions.is_newer(notice["latest_version"], running):
            return []
    elif notice["current_version"] != running:
        return []
    return [{**notice, "current_version": running}]


def moment(text: Any) -> datetime | None:
    """Read a time as this tool writes it."""
    if not isinstance(text, str) or not _MOMENT.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None


def now() -> str:
    """Return the time as this tool writes it."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _version(value: Any) -> str | None:
    return value if isinstance(value, str) and versions.is_version(value) else None


def _is_whole(notice: Notice) -> bool:
    names = contract_gen.NOTICE_REQUIRED_KEYS
    texts = [notice.get(name) for name in names if name != "next_steps"]
    steps = notice.get("next_steps")
    return (
        notice.keys() <= {*names, *contract_gen.NOTICE_OPTIONAL_KEYS}
        and all(isinstance(text, str) for text in texts)
        and isinstance(steps, list)
        and all(isinstance(step, str) for step in steps)
        and notice["type"] in contract_gen.NOTICE_TYPES
        and notice["severity"] in contract_gen.NOTICE_SEVERITIES
        and _version(notice["latest_version"]) is not None
    )
