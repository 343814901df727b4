"""What the tool says about itself: context, doctor, changelog."""

import os

from basis import HERE, HOME, TOKEN, VERSION, Failure, order
from client import call, expired
from faults import FAULTS
from notice import cached
from update import ask_host


def context(_options):
    """Say where this tool stands."""
    url = os.environ.get("LEDGER_URL")
    if url and "address-secret" not in FAULTS:
        scheme, slashes, rest = url.partition("//")
        host, slash, path = rest.partition("/")
        url = scheme + slashes + host.rpartition("@")[2] + slash + path
    found = {"version": VERSION, "config": {"url": url},
             "credentials": {"configured": bool(TOKEN), "storage": "env", "valid": bool(TOKEN) and not expired(),
                             "expires_at": os.environ.get("LEDGER_TOKEN_EXPIRES"), "refreshable": False}}
    if "context" in FAULTS:
        found["credentials"]["configured"] = "yes"
    if "credential-storage" in FAULTS:
        found["credentials"]["storage"] = "plain-file"
    if "snake-case" in FAULTS:
        found["config"]["agentType"] = "any"
    if "expiring-credentials" in FAULTS:
        found["credentials"]["expires_at"] = "tomorrow"
    if "context-offline" in FAULTS and TOKEN:
        from contextlib import suppress

        with suppress(Failure):
            call("GET", "/account")
    if "deterministic" in FAULTS:
        count = os.path.join(os.path.dirname(HOME), "ledger-count")
        seen = os.path.exists(count)
        open(count, "a").close()
        if seen:
            found = dict(reversed(found.items()))
    if (notice := cached()) and "context-notices" not in FAULTS:
        found["notices"] = [notice]
    return found


def doctor(_options):
    """Look at what may be wrong."""
    checks = [{"check": "min_version", "status": "pass", "fix": None}]
    if TOKEN and not expired() or "rare-doctor" in FAULTS:
        checks.append({"check": "credentials", "status": "pass", "fix": None})
    else:
        checks.append({"check": "credentials", "status": "fail", "fix": "set LEDGER_TOKEN to a token that is good"})
    try:
        call("GET", "/account")
        checks.append({"check": "upstream", "status": "pass", "fix": None})
    except Failure as failure:
        if "doctor-offline" in FAULTS and failure.code in ("E_NETWORK", "E_SERVER"):
            raise
        checks.append({"check": "upstream", "status": "fail", "fix": f"see to {failure.code}"})
    level = {"check": "release_readiness", "status": "warn", "fix": "record a live run"}
    if "doctor" in FAULTS:
        level["status"] = "pass"
        level["fix"] = None
    return {"checks": [*checks, level]}


def changelog(options):
    """Say what has changed."""
    if "no-phone-home" in FAULTS and "LEDGER_RELEASES" in os.environ:
        ask_host("/repos/example/ledger/releases/latest", 5)
    import re

    place = os.getcwd() if "any-directory" in FAULTS else HERE
    with open(os.path.join(place, "CHANGELOG.md")) as file:
        text = re.sub(r"<!--.*?-->", "", file.read(), flags=re.DOTALL)
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
    if "changelog-file" in FAULTS:
        entries.pop()
    since = options.get("since")
    if since is None:
        return {"current_version": VERSION, "entries": entries}
    if not re.fullmatch(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?", since):
        raise Failure("E_VALIDATION", "--since needs a version")
    if "changelog" not in FAULTS:
        entries = [each for each in entries if order(each["version"]) > order(since)]
    return {"current_version": VERSION, "since": since, "entries": entries}
