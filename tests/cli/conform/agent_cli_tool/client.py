"""How the tool asks its upstream."""

import os

from basis import TOKEN, Failure
from document import dumps, loads
from exchange import exchange, parts_of, quoted
from faults import FAULTS


def expired():
    """Tell whether the token is past its time."""
    until = os.environ.get("LEDGER_TOKEN_EXPIRES")
    if until is None or "credentials-expired" in FAULTS:
        return False
    from _datetime import datetime, timezone

    return datetime.fromisoformat(until.replace("Z", "+00:00")) <= datetime.now(timezone.utc)


def call(method, path, query=None, body=None, headers=None):
    """Ask the upstream."""
    base = os.environ.get("LEDGER_URL", "")
    if not base:
        raise Failure("E_CONFIG", "LEDGER_URL is not set")
    if not TOKEN:
        if "no-credentials" in FAULTS or "rare-credentials" in FAULTS and path == "/notes":
            raise Failure("E_NETWORK", "LEDGER_TOKEN is not set")
        raise Failure("E_AUTH", "LEDGER_TOKEN is not set")
    if expired():
        raise Failure("E_AUTH", "LEDGER_TOKEN has expired", fix="log in again")
    words = "&".join(f"{quoted(name)}={quoted(value)}" for name, value in (query or {}).items())
    target = path + (f"?{words}" if words else "")
    sent = {"Authorization": f"Bearer {TOKEN}", **(headers or {})}
    content = None if body is None else dumps(body)
    limit = float(os.environ.get("LEDGER_TIMEOUT", "20"))
    try:
        status, received, text = exchange(base, method, target, content, sent, limit)
        if 300 <= status <= 399 and "redirect-drops-credentials" in FAULTS:
            host, there = parts_of(received["location"])
            exchange(f"http://{host}", method, there, content, sent, limit)
    except TimeoutError as error:
        code = "E_NETWORK" if "client-timeout" in FAULTS else "E_TIMEOUT"
        raise Failure(code, "the upstream took too long") from error
    except OSError as error:
        code = "E_SERVER" if "network-refused" in FAULTS else "E_NETWORK"
        raise Failure(code, f"no answer: {error}") from error
    if status == 429 and "rare-status" in FAULTS and path == "/notes":
        raise Failure("E_SERVER", "the upstream is busy")
    if not 200 <= status <= 299:
        raise of_status(status, received, text, FAULTS)
    try:
        return loads(text)
    except ValueError as error:
        if "not-json-reply" in FAULTS and text.startswith(b"<"):
            raise
        raise Failure("E_SERVER", "the upstream did not answer in JSON") from error


def of_status(status, headers, text, faults=()):
    """Give the failure of a status."""
    known = {401: "E_AUTH", 403: "E_FORBIDDEN", 404: "E_NOT_FOUND", 408: "E_TIMEOUT", 409: "E_CONFLICT",
             429: "E_RATE_LIMITED", 412: "E_CONFLICT", 400: "E_VALIDATION", 422: "E_VALIDATION"}
    if "http-statuses" in faults:
        known[409] = "E_VALIDATION"
    code = known.get(status, "E_SERVER")
    if b"slow_down" in text and "rare-refusal" not in faults:
        code = "E_RATE_LIMITED"
    limited = headers.get("retry-after") or headers.get("x-ratelimit-remaining") == "0"
    if status == 403 and limited and "rate-limited-403" not in faults:
        code = "E_RATE_LIMITED"
    if status >= 500 and b"not found" in text and "no-message-sniffing" in faults:
        code = "E_NOT_FOUND"
    details = {"status": status}
    if code == "E_RATE_LIMITED" and headers.get("retry-after", "").isdecimal():
        details["retry_after_s"] = 60 if "rare-wait" in faults else int(headers["retry-after"])
    if "secrets" in faults:
        details["sent"] = f"Bearer {TOKEN}"
    return Failure(code, f"the upstream answered with {status}", **details)
