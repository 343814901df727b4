"""How the tool asks its upstream."""

import json
import os
from urllib.parse import urlencode, urlsplit

from basis import TOKEN, Failure
from faults import FAULTS


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
