"""The notice that a check leaves behind."""

import json
from datetime import datetime, timezone

from basis import HOME, VERSION, order
from faults import FAULTS


def remember(target):
    """Keep a notice."""
    HOME.mkdir(mode=0o700, exist_ok=True)
    if target is None:
        (HOME / "notice.json").unlink(missing_ok=True)
        return
    severity = "warning" if order(target)[0][0] > order(VERSION)[0][0] and "notice-severity" not in FAULTS else "info"
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    notice = {"type": "update_available", "severity": severity, "current_version": VERSION, "latest_version": target,
              "install_method": "standalone", "recommended_command": "ledger update", "checked_at": now,
              "next_steps": ["ledger update"]}
    (HOME / "notice.json").write_text(json.dumps(notice))


def cached():
    """Give the notice that was kept."""
    try:
        notice = json.loads((HOME / "notice.json").read_text())
    except (OSError, ValueError):
        return None
    if "notices" in FAULTS:
        notice.pop("checked_at")
    return notice
