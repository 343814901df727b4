"""The commands about notes, shelves and reports."""

from basis import CODES, Failure
from client import call
from exchange import quoted
from faults import FAULTS
from gate import gate, refuse_used
from output import write_json


def utc(text):
    """Give a time in UTC."""
    from _datetime import datetime, timezone

    moment = datetime.fromisoformat(text).astimezone(timezone.utc)
    return text if "ids-and-times" in FAULTS else moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def shown(note):
    """Give a note as this tool shows it."""
    found = {"id": str(note["id"]), "title": note["title"], "body": note["body"], "state": note["state"],
             "updated_at": utc(note["updated_at"])}
    found["_untrusted"] = ["title", "body"]
    return found


def fetch(options):
    """Fetch the note that the options name."""
    return call("GET", f"/notes/{quoted(options['id'])}")


def note_list(options):
    """List notes."""
    limit = int(options.get("limit", "5"))
    wanted = {name: options[name] for name in ("state", "query") if name in options and f"rare-{name}" not in FAULTS}
    found = call("GET", "/notes", {"limit": limit, "after": options.get("cursor", "0"), **wanted})
    items = [shown(each) for each in found["notes"]]
    after = found["after"]
    if "rare-short" in FAULTS and len(items) < limit:
        after = None
    if "untrusted-items" in FAULTS:
        for each in items:
            each.pop("_untrusted", None)
    if "paging-cap" in FAULTS and options.get("limit") in (None, "5"):
        after = None
    if "paging" in FAULTS:
        return {"items": items, "count": len(items) + 1, "next_cursor": str(after), "has_more": bool(after)}
    return {"items": items, "count": len(items), "next_cursor": after and str(after), "has_more": bool(after)}


def note_get(options):
    """Show a note."""
    found = shown(fetch(options))
    if "declared-fields" in FAULTS:
        found["colour"] = "red"
    if "untrusted" in FAULTS:
        found.pop("_untrusted")
    return found


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
    try:
        note = fetch(options)
    except Failure:
        if "dry-run-validates" not in FAULTS or "dry-run" not in options:
            raise
        note = {"id": options["id"], "version": 0}
    body = {"title": options["title"]}
    change = {"action": "update", "resource": "note", "id": options["id"], "after": body}

    def act():
        body = {} if "rare-body" in FAULTS else {"title": options["title"]}
        found = shown(call("PATCH", f"/notes/{note['id']}", body=body, headers={"If-Match": str(note["version"])}))
        return {**found, "id": note["id"]} if "rare-id" in FAULTS else found

    binding = {"id": options["id"], "body": body, "version": note["version"]}
    return gate("note update", options, binding, {"changes": [change]}, act)


def note_delete(options):
    """Delete a note."""
    if "rare-once" not in FAULTS:
        refuse_used(options)
    is_blind = "rare-missing" in FAULTS and "dry-run" in options
    note = {"id": options["id"], "version": 1, "title": ""} if is_blind else fetch(options)
    change = {"action": "delete", "resource": "note", "id": options["id"]}

    def act():
        if "rare-delete" not in FAULTS:
            call("DELETE", f"/notes/{note['id']}", headers={"If-Match": str(note["version"])})
        more = {"was": note["title"]} if "declared-fields-writes" in FAULTS else {}
        return {"id": options["id"], "state": "deleted", **more}

    binding = {"id": options["id"], "version": note["version"]}
    return gate("note delete", options, binding, {"changes": [change]}, act, is_dangerous=True)


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
                if "batch-chunk-failure" in FAULTS:
                    raise
                items += [item(each, failure.code) for each in chunk]
            else:
                codes = {200: None, 403: "E_FORBIDDEN", 404: "E_NOT_FOUND"}
                # Nobody knows what became of a note that the answer leaves out.
                lost = 200 if "rare-entry" in FAULTS else None
                items += [item(each, codes.get(found.get(each, lost), "E_SERVER")) for each in chunk]
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
    code = "E_UNKNOWN" if code and "rare-item" in FAULTS else code
    if code is None:
        return {"target": target, "ok": True}
    return {"target": target, "ok": False, "error": {"code": code, "retryable": CODES[code][1]}}


def note_watch(_options):
    """Stream what happened."""
    try:
        events = call("GET", "/events")["events"]
    except Failure as failure:
        if "stream-failure" not in FAULTS or failure.code != "E_SERVER":
            raise
        events = []
    head = {"ok": True, "schema_version": "1.0"}
    for event in events:
        write_json({**head, "type": "item", "data": {**event, "_untrusted": ["what"]}}, is_compact=True)
    if "stream" in FAULTS:
        head.pop("schema_version")
    last = "item" if "stream-summary" in FAULTS else "summary"
    write_json({**head, "type": last, "data": {"count": len(events)}}, is_compact=True)


def shelf_overview(options):
    """Look at several shelves."""
    shelves, errors = [], []
    for each in options["shelves"].split(","):
        try:
            found = call("GET", f"/shelves/{quoted(each)}")
            shelves.append({"shelf": each, "notes": found["notes"]})
        except Failure as failure:
            if failure.code not in ("E_FORBIDDEN", "E_NOT_FOUND"):
                raise
            if "scopes" not in FAULTS:
                errors.append({"shelf": each, "code": failure.code})
    return {"scope": "shelves", "shelves": shelves, "shelf_errors": errors}


def note_print(options):
    """Print a note."""
    return {"text": fetch(options)["body"], "_untrusted": [] if "rare-mark" in FAULTS else ["text"]}


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
    status = call("GET", f"/jobs/{quoted(options['id'])}")["status"]
    job = "job_0" if "rare-poll" in FAULTS else options["id"]
    return {"job_id": job, "status": status}


def report_result(options):
    """Show what a report found."""
    report_status(options)
    return {"job_id": options["id"], "lines": ["12 notes"]}
