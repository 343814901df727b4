"""What the tool says about itself: context, doctor, changelog."""

import os
import re

from basis import HERE, HOME, TOKEN, VERSION, Failure, order
from client import call
from faults import FAULTS
from notice import cached
from update import ask_host


def context(_options):
    """Say where this tool stands."""
    found = {"version": VERSION, "config": {"url": os.environ.get("LEDGER_URL")},
             "credentials": {"configured": bool(TOKEN), "storage": "env"}}
    if "context" in FAULTS:
        found["credentials"]["configured"] = "yes"
    if "credential-storage" in FAULTS:
        found["credentials"]["storage"] = "plain-file"
    if "snake-case" in FAULTS:
        found["config"]["agentType"] = "any"
    if "expiring-credentials" in FAULTS:
        found["credentials"]["expires_at"] = "tomorrow"
    if "no-phone-home" in FAULTS and "LEDGER_RELEASES" in os.environ:
        ask_host("/repos/example/ledger/releases/latest", 5)
    if "deterministic" in FAULTS:
        count = HOME.with_name("ledger-count")
        seen = count.exists()
        count.touch()
        if seen:
            found = dict(reversed(found.items()))
    if notice := cached():
        found["notices"] = [notice]
    return found


def doctor(_options):
    """Look at what may be wrong."""
    checks = [{"check": "min_version", "status": "pass", "fix": None}]
    try:
        call("GET", "/account")
        checks.append({"check": "upstream", "status": "pass", "fix": None})
    except Failure as failure:
        checks.append({"check": "upstream", "status": "fail", "fix": f"see to {failure.code}"})
    level = {"check": "release_readiness", "status": "warn", "fix": "record a live run"}
    if "doctor" in FAULTS:
        level["status"] = "pass"
        level["fix"] = None
    return {"checks": [*checks, level]}


def changelog(options):
    """Say what has changed."""
    text = re.sub(r"<!--.*?-->", "", (HERE / "CHANGELOG.md").read_text(), flags=re.DOTALL)
    entries = []
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        found = re.match(r"\[(\d[^\]]*)\] - (\S+)", part)
        if not found:
            continue
        changes = {}
        for section in re.split(r"^### ", part, flags=re.MULTILINE)[1:]:
            name, _, rest = section.partition("\n")
            changes[name.strip().lower()] = re.findall(r"^- (.*)$", rest, flags=re.MULTILINE)
        entries.append({"version": found[1], "date": found[2], "changes": changes})
    since = options.get("since")
    if since is None:
        return {"current_version": VERSION, "entries": entries}
    if not re.fullmatch(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?", since):
        raise Failure("E_VALIDATION", "--since needs a version")
    if "changelog" not in FAULTS:
        entries = [each for each in entries if order(each["version"]) > order(since)]
    return {"current_version": VERSION, "since": since, "entries": entries}
