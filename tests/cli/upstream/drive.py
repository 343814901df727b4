"""Gives a generated connector the recorded answers of its API and compares what it makes of them.

Called with the directory of the connector; the rows come as JSON on stdin. Prints one line for each row that is wrong,
and the number of rows that were looked at.
"""

import contextlib
import io
import json
import os
import sys
import time
from email.utils import formatdate
from importlib import import_module

HARNESS = os.path.join(sys.argv[1], "agent-harness")
sys.path[:0] = [HARNESS, os.path.join(HARNESS, "tests")]

KIT = import_module("contract_cases").PACKAGE + "._runtime.testkit"
subject = import_module(f"{KIT}.subject")
Answer = import_module(f"{KIT}.backend").Answer
Backend = import_module(f"{KIT}.backend").Backend
SECRETS, api, main = subject.SECRETS, subject.api, subject.main
NOW = int(time.time())
TIMES = {
    "{epoch+90}": str(NOW + 90),
    "{epoch_ms+90}": str((NOW + 90) * 1000),
    "{http+90}": formatdate(NOW + 90, usegmt=True),
    "{iso+120}": time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime(NOW + 120)),
    "{epoch-9999}": str(NOW - 9999),
    "{epoch+years}": str(NOW + 99_999_999),
}


def filled(value, url):
    if isinstance(value, dict):
        return {filled(key, url): filled(entry, url) for key, entry in value.items()}
    if isinstance(value, list):
        return [filled(entry, url) for entry in value]
    if isinstance(value, str):
        for mark, text in {**TIMES, "{url}": url}.items():
            value = value.replace(mark, text)
    return value


def run(words):
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        main(["--json", "--mode", "admin", *words])
    return json.loads(out.getvalue())


def answer(row, url):
    body = filled(row.get("body", {}), url)
    headers = filled(row.get("headers", {}), url)
    return Answer(row.get("status", 200), body.encode() if isinstance(body, str) else body, headers)


def faults(row, backend):
    if "pages" in row:
        yield from walked(row, backend)
        return
    backend.answer_in_turn(answer(row, backend.url))
    envelope = run(row["call"].split())
    if not backend.requests:
        yield f"no request was made: {envelope}"
    if "code" not in row:
        data = envelope.get("data", {})
        if data.get("incomplete_reason") != row.get("partial"):
            yield f"wanted partial {row.get('partial')}: {envelope}"
        if (data.get("complete") is False) != ("partial" in row) or data.get("complete") is True:
            yield f"wrong `complete`: {envelope}"
        return
    error = envelope.get("error", {"details": {}})
    details = error["details"]
    if (error.get("code"), details.get("reason")) != (row["code"], row["reason"]):
        yield f"wanted {row['code']}, {row['reason']}: {envelope}"
    if error.get("retryable") is not (row["code"] == "BACKEND_UNAVAILABLE"):
        yield f"wrong `retryable`: {envelope}"
    wait = details.get("retry_after_s")
    low, high = row.get("wait", [None, None])
    if low is None and wait is not None or low is not None and (wait is None or not low <= wait <= high):
        yield f"wanted a wait of {low} to {high}: {envelope}"
    for text in row.get("says", []):
        if text not in json.dumps(details, ensure_ascii=False):
            yield f"`{text}` is missing: {envelope}"


def walked(row, backend):
    """Follows a list to its end: each page once, asked for exactly as the API said."""
    backend.answer_in_turn(*[answer(page, backend.url) for page in row["pages"]])
    words, cursor, count = row["call"].split(), None, 0
    for _ in range(len(row["pages"]) + 2):
        envelope = run(words + (["--cursor", cursor] if cursor else []))
        if not envelope["ok"]:
            reason = envelope["error"]["details"].get("reason")
            if (envelope["error"]["code"], reason) != (row.get("code"), row.get("reason")):
                yield f"unexpected failure: {envelope}"
            return
        count += envelope["data"]["count"]
        cursor = envelope["data"]["next_cursor"]
        if not cursor:
            break
    if "code" in row:
        yield f"wanted {row['code']}: {envelope}"
    if count != row["count"] or len(backend.requests) != len(row["pages"]):
        yield f"{count} entries in {len(backend.requests)} requests"
    if envelope["data"].get("incomplete_reason") != row.get("partial"):
        yield f"wanted partial {row.get('partial')}: {envelope}"
    for request, wanted in zip(backend.requests[1:], row.get("asks", [])):
        sent = request.target + json.dumps(request.body, ensure_ascii=False)
        if filled(wanted, backend.url) not in sent:
            yield f"asked {sent}, not {wanted}"


backend = Backend()
os.environ.update(SECRETS)
os.environ[api.URL_OVERRIDE or api.BASE_URL_KEY] = backend.url
rows = json.load(sys.stdin)
for row in rows:
    for fault in faults(row, backend):
        print(f"{row['name']}: {fault}")
print(len(rows))
