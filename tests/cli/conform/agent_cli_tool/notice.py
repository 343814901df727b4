"""The notice that a check leaves behind."""

import os

from basis import HOME, VERSION, directory, in_home, order, write
from document import dumps, loads
from faults import FAULTS


def remember(target):
    """Keep a notice."""
    directory(HOME)
    if target is None:
        if os.path.exists(in_home("notice.json")):
            os.unlink(in_home("notice.json"))
        return
    write(in_home("notice.json"), dumps(made(target)))


def made(target):
    """Make the notice of a version."""
    from _datetime import datetime, timezone

    severity = "warning" if order(target)[0][0] > order(VERSION)[0][0] and "notice-severity" not in FAULTS else "info"
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"type": "update_available", "severity": severity, "current_version": VERSION, "latest_version": target,
            "install_method": "standalone", "recommended_command": "ledger update", "checked_at": now,
            "next_steps": ["ledger update"]}


def kept():
    """Give the notice that was kept, whatever it is worth."""
    if not os.path.exists(in_home("notice.json")):
        return None
    from _datetime import datetime

    try:
        with open(in_home("notice.json")) as file:
            notice = loads(file.read())
        order(notice["latest_version"])
        datetime.fromisoformat(notice["checked_at"].replace("Z", "+00:00"))
    except (OSError, ValueError, TypeError, LookupError, AttributeError):
        if "notice-corrupt" in FAULTS:
            return made("9.9.9")
        return None
    return notice


def cached():
    """Give the notice that holds now."""
    notice = kept()
    if notice is None:
        return None
    from _datetime import datetime, timedelta, timezone

    age = datetime.now(timezone.utc) - datetime.fromisoformat(notice["checked_at"].replace("Z", "+00:00"))
    if age > timedelta(days=7) and "notice-expired" not in FAULTS:
        return None
    if age < timedelta(minutes=-5) and "notice-future" not in FAULTS:
        return None
    if order(notice["latest_version"]) <= order(VERSION) and "notice-outrun" not in FAULTS:
        return None
    if "notices" in FAULTS:
        notice.pop("checked_at")
    return notice


def last_known():
    """Give what the last check found."""
    notice = kept()
    if notice is None:
        return None
    is_newer = order(notice["latest_version"]) > order(VERSION)
    return {"target_version": notice["latest_version"], "update_available": is_newer,
            "checked_at": notice["checked_at"]}
