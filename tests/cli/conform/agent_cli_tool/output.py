"""What the tool prints and keeps."""

import os
import sys
import time

from basis import CODES, HOME, STARTED, TOKEN, Failure, directory, in_home
from document import dumps
from faults import FAULTS
from notice import cached
from schemas import SCHEMAS


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
    if "fields-paging" in FAULTS:
        data.pop("has_more", None)
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
    path = command["path"] if command else ""
    if not ("rare-meta" in FAULTS and path == "report result"):
        answer["meta"] = meta
    if "rare-error" in FAULTS and answer.get("error", {}).get("code") in ("E_CONFLICT", "E_NOT_FOUND"):
        answer["error"]["hint"] = "look again"
    if "rare-secret" in FAULTS and path == "shelf overview":
        sys.stderr.write(f"asking with {TOKEN}\n")
    if "rare-usage" in FAULTS and path == "report status" and not answer["ok"]:
        answer["error"]["code"] = "E_USAGE"
        sys.stderr.write(dumps(answer) + "\n")
        return
    if "envelope-keys" in FAULTS and command and command["path"] == "doctor":
        answer["took"] = 1
    if "schema-version" in FAULTS and command and command["path"] == "doctor":
        answer["schema_version"] = 1
    unseen = "rare-audit" in FAULTS and path == "note delete" or "rare-compact" in FAULTS and options.get("compact")
    if command and command["type"] == "write" and command["path"] != "update" and not unseen:
        audit(command, number, words)
    if "one-document" in FAULTS and not words:
        print("Welcome to ledger")
    is_silent = "quiet" in FAULTS or "rare-quiet" in FAULTS and options.get("format") == "text"
    if is_silent and "--quiet" in words and not answer["ok"]:
        return
    if options.get("format") == "raw" and answer["ok"] and "format-raw" not in FAULTS:
        sys.stdout.write(answer["data"]["text"] + ("\n" if "rare-raw" in FAULTS else ""))
        return
    is_other = "rare-plain" in FAULTS and path == "shelf overview"
    if options.get("format") == "text" and "formats" not in FAULTS and not is_other:
        text = answer["error"]["message"] if "error" in answer else f"{command['path']}: done"
        asked = f" (asked with {TOKEN})" if "rare-text" in FAULTS and "error" in answer else ""
        print(text + asked)
        return
    is_wide = "rare-wide" in FAULTS and path == "note list"
    write_json(answer, "compact" in options and options["compact"] and not is_wide)


def without_token(word):
    """Return the word with a confirm token in it replaced."""
    before, mark, _ = word.partition("ct_")
    return before + "***" if mark else before


def audit(command, number, words):
    """Keep a line on an attempt to write."""
    directory(HOME)
    shown = words if "audit" in FAULTS else [without_token(each) for each in words]
    if TOKEN and "audit-arguments" not in FAULTS:
        shown = [each.replace(TOKEN, "***") for each in shown]
    line = {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "command": command["path"],
            "arguments": shown, "account": "one", "exit": number,
            "duration_ms": int((time.monotonic() - STARTED) * 1000)}
    try:
        descriptor = os.open(in_home("audit.jsonl"), os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o600)
        os.write(descriptor, (dumps(line) + "\n").encode())
        os.close(descriptor)
    except OSError as error:
        if "audit-failure" in FAULTS:
            write_json({**failed("E_IO", "the audit could not be kept", {}), "meta": {"duration_ms": 0}})
            raise SystemExit(1) from error
        sys.stderr.write(f"the audit could not be kept: {error}\n")


def write_json(answer, is_compact=False):
    """Print a document."""
    text = dumps(answer, is_compact=is_compact, is_wide=not is_compact)
    preview = "preview" in (answer.get("data") or {}) and "preview-secrets" in FAULTS
    if TOKEN and not preview and "sent" not in answer.get("error", {}).get("details", {}):
        text = text.replace(TOKEN, "***")
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
