"""An agent CLI in one file that keeps its contract, or breaks rules of it: `FAULTS` names them."""

import base64
import hashlib
import hmac
import json
import os
import re
import secrets
import signal
import sys
import time
from datetime import datetime, timezone
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

FAULTS = set()

TOOL, VERSION = "ledger", "1.2.0"
HERE = Path(__file__).resolve().parent
HOME = Path(os.environ.get("HOME", "/nonexistent")) / ".ledger"
TOKEN = os.environ.get("LEDGER_TOKEN", "")
STARTED = time.monotonic()
CODES = {
    "E_INTEGRITY": (1, False), "E_IO": (1, False), "E_UNKNOWN": (1, False), "E_USAGE": (2, False),
    "E_VALIDATION": (2, False), "E_NOT_FOUND": (3, False), "E_AUTH": (4, False), "E_CONFIG": (4, False),
    "E_FORBIDDEN": (4, False), "E_CONFIRMATION_REQUIRED": (5, False), "E_CONFLICT": (6, False),
    "E_NETWORK": (7, True), "E_RATE_LIMITED": (7, True), "E_SERVER": (7, True), "E_TIMEOUT": (8, True),
    "E_INTERRUPTED": (130, True), "E_HUMAN_REQUIRED": (9, False),
}
EXITS = {str(number): f"exit {number}" for number in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 130)}


class Failure(Exception):
    """An error that becomes an envelope."""

    def __init__(self, code, message, **details):
        super().__init__(message)
        self.code, self.message, self.details = code, message, details


# --- the upstream ---------------------------------------------------------------------------------


def call(method, path, query=None, body=None, headers=None):
    """Ask the upstream."""
    base = os.environ.get("LEDGER_URL", "")
    if not base:
        raise Failure("E_CONFIG", "LEDGER_URL is not set")
    if not TOKEN:
        if "no-credentials" in FAULTS:
            raise Failure("E_NETWORK", "LEDGER_TOKEN is not set")
        raise Failure("E_AUTH", "LEDGER_TOKEN is not set")
    target = path + (f"?{urlencode(query)}" if query else "")
    sent = {"Authorization": f"Bearer {TOKEN}", **(headers or {})}
    content = None if body is None else json.dumps(body)
    limit = float(os.environ.get("LEDGER_TIMEOUT", "20"))
    try:
        status, received, text = exchange(base, method, target, content, sent, limit)
        if 300 <= status <= 399 and "redirect-drops-credentials" in FAULTS:
            there = urlsplit(received["Location"])
            exchange(f"http://{there.netloc}", method, there.path, content, sent, limit)
    except TimeoutError as error:
        code = "E_NETWORK" if "client-timeout" in FAULTS else "E_TIMEOUT"
        raise Failure(code, "the upstream took too long") from error
    except OSError as error:
        code = "E_SERVER" if "network-refused" in FAULTS else "E_NETWORK"
        raise Failure(code, f"no answer: {error}") from error
    if not 200 <= status <= 299:
        raise of_status(status, received, text, FAULTS)
    try:
        return json.loads(text)
    except ValueError as error:
        if "not-json-reply" in FAULTS and text.startswith(b"<"):
            raise
        raise Failure("E_SERVER", "the upstream did not answer in JSON") from error


def exchange(base, method, target, content, headers, limit):
    """Send one request."""
    import http.client  # Slow to load, and most calls do without.

    where = urlsplit(base)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=limit)
    try:
        connection.request(method, target, content, headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read(1_000_000)
    except http.client.HTTPException as error:
        raise ConnectionError(f"half an answer: {error}") from error
    finally:
        connection.close()


def of_status(status, headers, text, faults=()):
    """Give the failure of a status."""
    known = {401: "E_AUTH", 403: "E_FORBIDDEN", 404: "E_NOT_FOUND", 408: "E_TIMEOUT", 409: "E_CONFLICT",
             429: "E_RATE_LIMITED", 412: "E_CONFLICT", 400: "E_VALIDATION", 422: "E_VALIDATION"}
    if "http-statuses" in faults:
        known[409] = "E_VALIDATION"
    code = known.get(status, "E_SERVER")
    limited = headers.get("Retry-After") or headers.get("X-RateLimit-Remaining") == "0"
    if status == 403 and limited and "rate-limited-403" not in faults:
        code = "E_RATE_LIMITED"
    if status >= 500 and b"not found" in text and "no-message-sniffing" in faults:
        code = "E_NOT_FOUND"
    details = {"status": status}
    if "secrets" in faults:
        details["sent"] = f"Bearer {TOKEN}"
    return Failure(code, f"the upstream answered with {status}", **details)


# --- confirm tokens -------------------------------------------------------------------------------


def key():
    """Give the secret of this machine."""
    if "token-secret" in FAULTS:
        return b"a secret that everybody knows...."
    HOME.mkdir(mode=0o700, exist_ok=True)
    path = HOME / "confirm.secret"
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        os.write(descriptor, secrets.token_bytes(32))
        os.close(descriptor)
    except FileExistsError:
        pass
    found = path.read_bytes()
    if len(found) < 32:
        raise Failure("E_CONFIG", "confirm.secret is damaged; remove it")
    return found


def seal(head, binding):
    """Bind a token to everything that it is for."""
    return hmac.new(key(), head + json.dumps(binding, sort_keys=True).encode(), "sha256").digest()


def issue(binding):
    """Make a token."""
    head = int(time.time() + 600).to_bytes(8, "big") + secrets.token_bytes(8)
    token = "ct_" + base64.urlsafe_b64encode(head + seal(head, binding)).decode()
    moment = datetime.fromtimestamp(int.from_bytes(head[:8], "big"), timezone.utc)
    return token, moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def redeem(token, binding):
    """Use a token up."""
    try:
        text = token.removeprefix("ct_")
        raw = base64.urlsafe_b64decode(text + ("=" * (-len(text) % 4) if "token-forged" in FAULTS else ""))
    except ValueError:
        raw = b""
    spelled = "ct_" + base64.urlsafe_b64encode(raw).decode()
    head = raw[:16]
    if (spelled != token and "token-forged" not in FAULTS) or len(raw) != 48:
        raise Failure("E_CONFLICT", "the token is none of this tool")
    if not hmac.compare_digest(raw[16:], seal(head, binding)):
        raise Failure("E_CONFLICT", "the token is for something else")
    if int.from_bytes(head[:8], "big") < time.time():
        raise Failure("E_CONFLICT", "the token has expired")
    if "token-once" in FAULTS:
        return
    used = HOME / "used"
    used.mkdir(mode=0o700, exist_ok=True)
    mark = used / hashlib.sha256(raw).hexdigest()
    if "token-race" in FAULTS:
        if mark.exists():
            raise Failure("E_CONFLICT", "the token was already used")
        time.sleep(0.7)
        mark.touch()
        return
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise Failure("E_CONFLICT", "the token was already used") from None


def gate(path, options, binding, preview, act):
    """Preview, or do what was previewed."""
    command = next(each for each in COMMANDS if each["path"] == path)
    is_dry = "dry-run" in options
    if command.get("dangerous") and "dangerous" not in options and "dangerous" not in FAULTS:
        raise Failure("E_CONFIRMATION_REQUIRED", "this cannot be undone: add --dangerous")
    whole = {"path": path, "url": os.environ.get("LEDGER_URL"), "account": hashlib.sha256(TOKEN.encode()).hexdigest(), **binding}
    if "token-payload" in FAULTS:
        whole.pop("body", None)
    if "token-account" in FAULTS:
        whole.pop("account")
    if "token-version" in FAULTS:
        whole.pop("version", None)
    if "idempotency-key" in FAULTS:
        whole.pop("key", None)
    if "batch-preview" in FAULTS:
        whole.pop("ids", None)
    if "confirm" in options:
        redeem(options["confirm"], whole)
        return act()
    if is_dry:
        token, expires = issue(whole)
        if "dry-run" in FAULTS:
            expires = "soon"
        return {"preview": preview, "confirm_token": token, "expires_at": expires}
    if "gate-bare" in FAULTS and path == "note create":
        return act()
    raise Failure("E_CONFIRMATION_REQUIRED", "look at the dry run first")


# --- commands -------------------------------------------------------------------------------------


def utc(text):
    """Give a time in UTC."""
    moment = datetime.fromisoformat(text).astimezone(timezone.utc)
    return text if "ids-and-times" in FAULTS else moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def shown(note):
    """Give a note as this tool shows it."""
    found = {"id": str(note["id"]), "title": note["title"], "body": note["body"], "state": note["state"],
             "updated_at": utc(note["updated_at"])}
    if "declared-fields" in FAULTS:
        found["colour"] = "red"
    if "untrusted" not in FAULTS:
        found["_untrusted"] = ["title", "body"]
    return found


def fetch(options):
    """Fetch the note that the options name."""
    return call("GET", f"/notes/{quote(options['id'], safe='')}")


def note_list(options):
    """List notes."""
    limit = int(options.get("limit", "5"))
    found = call("GET", "/notes", {"limit": limit, "after": options.get("cursor", "0")})
    items = [shown(each) for each in found["notes"]]
    after = found["after"]
    if "paging" in FAULTS:
        return {"items": items, "count": len(items) + 1, "next_cursor": str(after), "has_more": bool(after)}
    return {"items": items, "count": len(items), "next_cursor": after and str(after), "has_more": bool(after)}


def note_get(options):
    """Show a note."""
    return shown(fetch(options))


def note_create(options):
    """Make a note."""
    body = {"title": options["title"], "body": options.get("body", "")}
    unique = options.get("idempotency-key")
    headers = {"Idempotency-Key": unique} if unique else {}
    change = {"action": "create", "resource": "note", "after": body}
    return gate("note create", options, {"body": body, "key": unique}, {"changes": [change]},
                lambda: shown(call("POST", "/notes", body=body, headers=headers)))


def note_update(options):
    """Change a note."""
    if "dry-run-validates" in FAULTS and "dry-run" in options:
        note = {"id": options["id"], "version": 0}
    else:
        note = fetch(options)
    body = {"title": options["title"]}
    change = {"action": "update", "resource": "note", "id": options["id"], "after": body}

    def act():
        return shown(call("PATCH", f"/notes/{note['id']}", body=body, headers={"If-Match": str(note["version"])}))

    binding = {"id": options["id"], "body": body, "version": note["version"]}
    return gate("note update", options, binding, {"changes": [change]}, act)


def note_delete(options):
    """Delete a note."""
    note = fetch(options)
    change = {"action": "delete", "resource": "note", "id": options["id"]}

    def act():
        call("DELETE", f"/notes/{note['id']}", headers={"If-Match": str(note["version"])})
        return {"id": options["id"], "state": "deleted"}

    binding = {"id": options["id"], "version": note["version"]}
    return gate("note delete", options, binding, {"changes": [change]}, act)


def note_archive(options):
    """Archive notes."""
    ids = [each for each in options["ids"].split(",") if each]
    if "batch-targets" not in FAULTS:
        ids = list(dict.fromkeys(ids))
    if not ids or not all(each.isdecimal() for each in ids):
        raise Failure("E_VALIDATION", "--ids needs numbers")
    goes_on = options.get("continue-on-error", "true") == "true" or "batch-continue" in FAULTS
    call("GET", "/account")

    def act():
        size = len(ids) if "batch-chunks" in FAULTS and len(ids) > 5 else 3 if goes_on else 1
        items = []
        for start in range(0, len(ids), size):
            chunk = ids[start : start + size]
            try:
                found = call("POST", "/archive", body={"ids": [int(each) for each in chunk]})["results"]
            except Failure as failure:
                items += [item(each, failure.code) for each in chunk]
            else:
                codes = {200: None, 403: "E_FORBIDDEN", 404: "E_NOT_FOUND"}
                items += [item(each, codes[found[each]]) for each in chunk]
            if not goes_on and not items[-1]["ok"]:
                break
        succeeded = sum(each["ok"] for each in items)
        summary = {"total": len(ids), "succeeded": succeeded, "failed": len(items) - succeeded,
                   "skipped": len(ids) - len(items)}
        if "batch-result" in FAULTS and goes_on:
            summary["failed"] = 0
        return {"items": items, "summary": summary}

    changes = [{"action": "archive", "resource": "note", "id": each} for each in ids]
    preview = {"action": "archive", "targets": ids, "total": len(ids), "changes": changes}
    return gate("note archive", options, {"ids": ids, "goes_on": goes_on}, preview, act)


def item(target, code):
    """Give the result of one target."""
    if code is None:
        return {"target": target, "ok": True}
    return {"target": target, "ok": False, "error": {"code": code, "retryable": CODES[code][1]}}


def note_watch(_options):
    """Stream what happened."""
    events = call("GET", "/events")["events"]
    head = {"ok": True, "schema_version": "1.0"}
    for event in events:
        write_json({**head, "type": "item", "data": {**event, "_untrusted": ["what"]}}, is_compact=True)
    last = "item" if "stream" in FAULTS else "summary"
    write_json({**head, "type": last, "data": {"count": len(events)}}, is_compact=True)


def shelf_overview(options):
    """Look at several shelves."""
    shelves, errors = [], []
    for each in options["shelves"].split(","):
        try:
            found = call("GET", f"/shelves/{quote(each, safe='')}")
            shelves.append({"shelf": each, "notes": found["notes"]})
        except Failure as failure:
            if failure.code not in ("E_FORBIDDEN", "E_NOT_FOUND"):
                raise
            if "scopes" not in FAULTS:
                errors.append({"shelf": each, "code": failure.code})
    return {"scope": "shelves", "shelves": shelves, "shelf_errors": errors}


def note_print(options):
    """Print a note."""
    return {"text": fetch(options)["body"], "_untrusted": ["text"]}


def note_publish(options):
    """Ask a person to publish."""
    note = fetch(options)

    def act():
        details = {"action": "approve_in_app", "resume": f"ledger note get --id {note['id']}"}
        if "human-step" in FAULTS:
            details.pop("resume")
        raise Failure("E_HUMAN_REQUIRED", "approve it in the app", **details)

    return gate("note publish", options, {"id": options["id"]}, {"changes": [{"action": "publish"}]}, act)


def report_start(options):
    """Start a report."""
    call("GET", "/account")

    def act():
        job = call("POST", "/jobs", body={})["job"]
        status = "perhaps" if "jobs" in FAULTS else "pending"
        return {"job_id": job, "status": status, "poll": f"ledger report status --id {job}",
                "result": f"ledger report result --id {job}"}

    return gate("report start", options, {}, {"changes": [{"action": "report"}]}, act)


def report_status(options):
    """Show a report."""
    status = call("GET", f"/jobs/{quote(options['id'], safe='')}")["status"]
    return {"job_id": options["id"], "status": status}


def report_result(options):
    """Show what a report found."""
    report_status(options)
    return {"job_id": options["id"], "lines": ["12 notes"]}


# --- self-description -----------------------------------------------------------------------------


def param(name, kind="string", required=False):
    """Describe a parameter."""
    return {"name": name, "type": kind, "required": required, "multiple": name in ("ids", "shelves")}


def read(path, run, schema, *params, **more):
    """Describe a query."""
    sample = " ".join(f"--{each['name']} 1" for each in params if each["required"])
    return {"path": path, "run": run, "type": "read", "description": (run.__doc__ or path), "output_schema": schema,
            "params": [*params, param("fields")], "examples": [f"ledger {path} {sample}".strip()], **more}


def write(path, run, schema, *params, **more):
    """Describe a write."""
    sample = " ".join(f"--{each['name']} 1" for each in params if each["required"])
    danger = " --dangerous" if more.get("dangerous") else ""
    gated = [param("dry-run", "boolean"), param("confirm")] + ([param("dangerous", "boolean")] if danger else [])
    base = f"ledger {path} {sample}".strip() + danger
    return {"path": path, "run": run, "type": "write", "confirm": "always", "description": (run.__doc__ or path),
            "output_schema": schema, "params": [*params, *gated],
            "examples": [f"{base} --dry-run", f"{base} --confirm ct_TOKEN"], **more}


def reference(_options):
    """Describe this tool."""
    commands = [{name: value for name, value in each.items() if name != "run"} for each in COMMANDS]
    exits = dict(EXITS)
    if "reference" in FAULTS:
        exits.pop("130")
    if "reference-commands" in FAULTS:
        commands[0] = {**commands[0], "output_schema": "nothing"}
    if "examples" in FAULTS:
        commands[1] = {**commands[1], "examples": ["ledger note get --number 1"]}
    if "version-and-help" in FAULTS:
        commands = [each for each in commands if each["path"] != "changelog"]
    readiness = {"level": "beta", "fcc_status": "verified", "mock_upstream_status": "verified",
                 "live_smoke_status": "missing", "required_evidence": ["none yet"]}
    if "readiness" in FAULTS:
        readiness["fcc_status"] = "done"
    codes = {name: {"exit": number, "retryable": again} for name, (number, again) in CODES.items()}
    return {"tool": TOOL, "version": VERSION, "risk_tier": "T2", "release_readiness": readiness,
            "commands": commands, "schemas": SCHEMAS, "exit_codes": exits, "error_codes": codes}


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


def order(version):
    """Give what versions are compared by."""
    core, _, pre = version.partition("-")
    return [int(each) for each in core.split(".")], pre == "", pre


# --- update ---------------------------------------------------------------------------------------


def ask_host(path, limit):
    """Ask the release host."""
    base = os.environ.get("LEDGER_RELEASES", "https://localhost:1")
    headers = {}
    if "update-token" in FAULTS:
        headers["Authorization"] = f"Bearer {os.environ.get('GITHUB_TOKEN', '')}"
    try:
        status, received, text = exchange(base, "GET", path, None, headers, limit)
    except TimeoutError as error:
        raise Failure("E_TIMEOUT", "the release host took too long") from error
    except OSError as error:
        raise Failure("E_NETWORK", f"no answer of the release host: {error}") from error
    if status != 200:
        failure = of_status(status, received, text)
        if "update-discover" in FAULTS and status == 404:
            failure.code = "E_NETWORK"
        raise failure
    return text


def update(options):
    """Bring this program up to date."""
    state = {"stage": "discover", "current_version": VERSION, "binary_replaced": False,
             "skill_sync_status": "not_run"}
    try:
        return update_stages(options, state)
    except KeyboardInterrupt:
        known = {} if "update-interrupt" in FAULTS else state
        raise Failure("E_INTERRUPTED", f"cancelled; {VERSION} is installed", **known) from None
    except Failure as failure:
        again = "this was transient, run update again" if CODES[failure.code][1] else "do not try again"
        failure.message = f"{failure.message}; {again}; {VERSION} is installed"
        if "update-failure-details" in FAULTS:
            state.pop("stage")
        failure.details = {**state, **failure.details}
        raise


def update_stages(options, state):
    """Go through the stages."""
    wanted = options.get("target-version")
    where = f"tags/v{wanted}" if wanted else "latest"
    limit = float(os.environ.get("LEDGER_TIMEOUT", "20"))
    if wanted and order(wanted) < order(VERSION):
        if "update-downgrade" in FAULTS:
            return final(VERSION)
        raise Failure("E_VALIDATION", f"{wanted} is older than {VERSION}")
    try:
        release = json.loads(ask_host(f"/repos/example/ledger/releases/{where}", limit))
        target = release["tag_name"].removeprefix("v")
        order(target)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Failure("E_INTEGRITY", "the release host answers with something else") from error
    is_newer = order(target) > order(VERSION)
    if "check" in options:
        found = {"status": "checked", "current_version": VERSION, "target_version": target,
                 "update_available": is_newer, "install_method": "standalone", "command": "ledger update"}
        remember(target if is_newer else None)
        if "update-check" in FAULTS:
            found.pop("command")
        return found
    if not is_newer:
        remember(None)
        if "update-current" in FAULTS:
            raise Failure("E_CONFLICT", "nothing to do")
        return final(VERSION)
    if "dry-run" in options:
        found = {**final(target), "current_version": VERSION, "status": "planned", "update_available": True}
        if "update-dry-run" in FAULTS:
            found["confirm_token"] = "ct_none"
        return found
    state["stage"] = "download"
    addresses = {each["name"]: each["browser_download_url"] for each in release["assets"]}
    state["stage"] = "verify_checksum"
    if "checksums.txt" not in addresses:
        raise Failure("E_INTEGRITY", "the release has no checksums")
    ask_host(urlsplit(addresses["checksums.txt"]).path, limit)
    state["stage"] = "verify_signature"
    if "checksums.txt.sigstore.json" not in addresses:
        raise Failure("E_INTEGRITY", "the release is not signed")
    if "update-signature" in FAULTS:
        return final(target)
    ask_host(urlsplit(addresses["checksums.txt.sigstore.json"]).path, limit)
    raise Failure("E_INTEGRITY", "the signature cannot be trusted")


def final(version):
    """Give the answer of an update that is over."""
    return {"status": "current", "previous_version": VERSION, "current_version": version, "target_version": version,
            "update_available": False, "signature_verified": False, "signature_status": "not_checked",
            "skill_sync_status": "not_run"}


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


# --- the command line -----------------------------------------------------------------------------

NOTE = ["id", "title", "body", "state", "updated_at", "_untrusted"]


def schema(*fields, untrusted=()):
    """Describe an answer."""
    return {"shape": "object", "fields": list(fields), "untrusted_fields": list(untrusted)}


SCHEMAS = {
    "note": schema(*NOTE, untrusted=("title", "body")),
    "notes": schema("items", "count", "next_cursor", "has_more", untrusted=("items",)),
    "deleted": schema("id", "state"),
    "batch": schema("items", "summary"),
    "event": schema("number", "what", "count", "_untrusted", untrusted=("what",)),
    "shelves": schema("scope", "shelves", "shelf_errors"),
    "text": schema("text", "_untrusted", untrusted=("text",)),
    "job": schema("job_id", "status", "poll", "result"),
    "lines": schema("job_id", "lines"),
    "reference": schema("tool", "version", "risk_tier", "release_readiness", "commands", "schemas", "exit_codes",
                        "error_codes"),
    "context": schema("version", "config", "credentials", "notices"),
    "doctor": schema("checks"),
    "changelog": schema("current_version", "since", "entries"),
    "update": schema("status", "previous_version", "current_version", "target_version", "update_available",
                     "signature_verified", "signature_status", "skill_sync_status", "install_method", "command"),
}
ID = param("id", required=True)
COMMANDS = [
    read("note list", note_list, "notes", param("limit", "integer"), param("cursor")),
    read("note get", note_get, "note", ID),
    read("note print", note_print, "text", ID),
    read("note watch", note_watch, "event", stream=True),
    write("note create", note_create, "note", param("title", required=True), param("body"), param("idempotency-key")),
    write("note update", note_update, "note", ID, param("title", required=True)),
    write("note delete", note_delete, "deleted", ID, dangerous=True),
    write("note archive", note_archive, "batch", param("ids", "list", True), param("continue-on-error")),
    write("note publish", note_publish, "note", ID),
    read("shelf overview", shelf_overview, "shelves", param("shelves", "list", True)),
    write("report start", report_start, "job"),
    read("report status", report_status, "job", ID),
    read("report result", report_result, "lines", ID),
    read("reference", reference, "reference"),
    read("context", context, "context"),
    read("doctor", doctor, "doctor"),
    read("changelog", changelog, "changelog", param("since")),
    {"path": "update", "run": update, "type": "write", "confirm": "exempt", "description": update.__doc__,
     "output_schema": "update", "examples": ["ledger update"],
     "params": [param("check", "boolean"), param("dry-run", "boolean"), param("target-version"),
                *([param("confirm")] if "update-shape" in FAULTS else [])]},
]
GLOBAL = {"format": "string", "json": "boolean", "compact": "boolean", "quiet": "boolean", "help": "boolean",
          "version": "boolean"}


def parse(words):
    """Give the command and its options."""
    options, rest = {}, []
    words = list(words)
    kinds = dict(GLOBAL)
    path, command = [], None
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            if command is None:
                path.append(word)
                command = next((each for each in COMMANDS if each["path"] == " ".join(path)), None)
                if command:
                    kinds.update({each["name"]: each["type"] for each in command["params"]})
                elif not any(each["path"].startswith(" ".join(path) + " ") for each in COMMANDS):
                    raise Failure("E_USAGE", f"there is no command `{' '.join(path)}`")
            else:
                rest.append(word)
            continue
        name, equals, value = word[2:].partition("=")
        if name not in kinds:
            raise Failure("E_USAGE", f"there is no option `--{name}`")
        if kinds[name] == "boolean":
            options[name] = True
            continue
        if not equals:
            if not words:
                raise Failure("E_USAGE", f"`--{name}` needs a value")
            value = words.pop(0)
        options[name] = f"{options[name]},{value}" if kinds[name] == "list" and name in options else value
    if rest and "usage" not in FAULTS:
        raise Failure("E_USAGE", f"`{rest[0]}` is one word too many")
    if options.get("format", "json") not in ("json", "text", "raw"):
        raise Failure("E_VALIDATION", "--format is json, text or raw")
    return command, options


def main(words):
    """Run one command; give its exit."""
    is_text = "--format text" in " ".join(words)
    options, command = {"compact": "--compact" in words, "format": "text" if is_text else "json"}, None
    try:
        command, options = parse(words)
        if "version" in options:
            print(f"{TOOL} {VERSION}")
            return 0
        if "help" in options:
            print(help_of(command))
            return 0
        if command is None:
            raise Failure("E_USAGE", "no command was given; see reference")
        missing = [each["name"] for each in command["params"] if each["required"] and not options.get(each["name"])]
        if "no-prompt" in FAULTS and missing and command["path"] == "note print":
            time.sleep(600)
        if missing:
            raise Failure("E_VALIDATION", f"`--{missing[0]}` is needed")
        data = command["run"](options)
        if data is None:
            return 0
        answer = {"ok": True, "schema_version": "1.0", "data": kept(data, options, command)}
        number = 0
    except Failure as failure:
        answer, number = failed(failure.code, failure.message, failure.details), CODES[failure.code][0]
    except KeyboardInterrupt:
        answer, number = failed("E_INTERRUPTED", "a signal came", {}), 130
        if "interrupt" in FAULTS:
            number = 1
    except ValueError:
        answer, number = failed("E_UNKNOWN", "a fault of this program", {}), 1
    finish(answer, number, command, options, words)
    if "ok-equals-exit" in FAULTS and number == 0 and command["path"] == "changelog":
        return 3
    return number


def failed(code, message, details):
    """Give a failure."""
    error = {"code": code, "message": message, "details": details, "retryable": CODES[code][1]}
    if "error-keys" in FAULTS and code == "E_USAGE":
        error.pop("details")
    if "code-table" in FAULTS and code == "E_USAGE":
        error["retryable"] = True
    return {"ok": False, "schema_version": "1.0", "error": error}


def kept(data, options, command):
    """Keep the fields that were asked for."""
    wanted = options.get("fields")
    if wanted is None:
        return data
    names = wanted.split(",")
    rows = [each for each in data.get("items", []) if isinstance(each, dict)] if "items" in data else [data]
    known = {"title", "body", "id", "state", "updated_at"} if "items" in data else set(SCHEMAS[command["output_schema"]]["fields"])
    if unknown := [each for each in names if each not in known]:
        raise Failure("E_VALIDATION", f"there is no field `{unknown[0]}`")
    for row in rows:
        marked = [each for each in row.get("_untrusted", []) if each in names]
        for name in [each for each in row if each not in names]:
            del row[name]
        if marked and "fields" not in FAULTS:
            row["_untrusted"] = marked
    return data


def finish(answer, number, command, options, words):
    """Print the answer and keep the audit."""
    meta = {"duration_ms": int((time.monotonic() - STARTED) * 1000)}
    if notice := cached():
        meta["notices"] = [notice]
    if "meta-keys" in FAULTS:
        meta["timestamp"] = 0
    answer["meta"] = meta
    if "envelope-keys" in FAULTS and command and command["path"] == "doctor":
        answer["took"] = 1
    if "schema-version" in FAULTS and command and command["path"] == "doctor":
        answer["schema_version"] = 1
    if command and command["type"] == "write" and command["path"] != "update":
        audit(command, number, words)
    if "one-document" in FAULTS and not words:
        print("Welcome to ledger")
    if "quiet" in FAULTS and "--quiet" in words and not answer["ok"]:
        return
    if options.get("format") == "text" and "formats" not in FAULTS:
        print(answer["error"]["message"] if "error" in answer else f"{command['path']}: done")
        return
    write_json(answer, "compact" in options and options["compact"])


def audit(command, number, words):
    """Keep a line on an attempt to write."""
    HOME.mkdir(mode=0o700, exist_ok=True)
    hidden = [re.sub("ct_.*", "***", each) for each in words]
    line = {"time": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"), "command": command["path"],
            "arguments": words if "audit" in FAULTS else hidden, "account": "one", "exit": number,
            "duration_ms": int((time.monotonic() - STARTED) * 1000)}
    try:
        descriptor = os.open(HOME / "audit.jsonl", os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o600)
        os.write(descriptor, (json.dumps(line) + "\n").encode())
        os.close(descriptor)
    except OSError as error:
        sys.stderr.write(f"the audit could not be kept: {error}\n")


def write_json(answer, is_compact=False):
    """Print a document."""
    text = json.dumps(answer, separators=(",", ":")) if is_compact else json.dumps(answer, indent=2)
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def help_of(command):
    """Give help for people."""
    if command is None:
        lines = [f"  {each['path']:16}{each['description']}" for each in COMMANDS]
        return "Commands:\n" + "\n".join(lines)
    return "Options:\n" + "\n".join(f"  --{each['name']}" for each in command["params"])


def interrupt(_number, _frame):
    """Turn a signal into an answer."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    sys.exit(main(sys.argv[1:]))
