"""Decides what a reply of the API means: data, or which failure."""

from . import api
from .errors import AuthError, BackendUnavailable, InvalidUsage, NotFound
from .redaction import quote, reveals

AUTH_CODES = {
    "access_denied",
    "account_inactive",
    "ekm_access_denied",
    "invalid_auth",
    "missing_scope",
    "no_permission",
    "not_allowed_token_type",
    "not_authed",
    "org_login_required",
    "token_expired",
    "token_revoked",
}
BUSY_CODES = {
    "fatal_error",
    "internal_error",
    "rate_limited",
    "ratelimited",
    "request_timeout",
    "service_unavailable",
}


def result(reply):
    """The data of a successful reply; every other reply raises its failure."""
    if not 200 <= reply.status < 300:
        raise failure(reply)
    if reply.is_empty:
        return {"http_status": reply.status}
    data = reply.data
    coded = api.ERROR_STYLE == "ok_field" and isinstance(data, dict)
    if coded and data.get("ok") is False:
        raise coded_failure(reply, data)
    return data


def failure(reply):
    """The failure that an HTTP status stands for."""
    status = reply.status
    details = _details(reply, upstream_message(reply))
    if status == 401 or (status == 403 and not is_rate_limited(reply)):
        return AuthError("the backend refused the credentials", details)
    if status in (404, 410):
        return NotFound("the backend has no such thing", details)
    if status in (403, 408, 425, 429):
        return BackendUnavailable("the backend asks to slow down", details)
    if 400 <= status < 500:
        return InvalidUsage("the backend refused the request", details)
    return BackendUnavailable("the backend failed", details)


def coded_failure(reply, data):
    """The failure that an error code in a 200 reply stands for."""
    code = str(data.get("error", ""))
    details = _details(reply, code)
    if code in AUTH_CODES:
        return AuthError("the backend refused the credentials", details)
    if code == "not_found" or code.endswith("_not_found"):
        return NotFound("the backend has no such thing", details)
    if code in BUSY_CODES:
        return BackendUnavailable("the backend asks to slow down", details)
    return InvalidUsage("the backend refused the request", details)


def is_rate_limited(reply):
    headers = reply.headers
    return "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0"


def upstream_message(reply):
    """The short reason in an error body, in any of the usual places."""
    try:
        data = reply.data
    except BackendUnavailable:
        return ""
    if not isinstance(data, dict):
        return ""
    for key in ("message", "error_description", "error", "detail", "title"):
        found = data.get(key)
        if isinstance(found, dict):
            found = found.get("message") or found.get("code")
        if isinstance(found, str) and found:
            return "; ".join([found, *_parts(data.get("errors"))])
    return "; ".join([*_parts(data.get("errors")), *_parts(data.get("errorMessages"))])


def _parts(errors):
    """The first few entries of an `errors` list or table, as text."""
    if isinstance(errors, dict):
        errors = [{"field": key, "message": text} for key, text in errors.items()]
    parts = []
    for error in errors[:3] if isinstance(errors, list) else []:
        if isinstance(error, dict):
            told = (error.get(key) for key in ("message", "detail", "code", "title"))
            reason = next((text for text in told if isinstance(text, str)), "")
            field = error.get("field")
            error = f"{field}: {reason}" if isinstance(field, str) else reason
        if isinstance(error, str) and error:
            parts.append(error)
    return parts


def _details(reply, message):
    details = {"status": reply.status}
    if message:
        details["upstream_message"] = quote(message)
    wait = reply.headers.get("retry-after", "")
    if wait.isascii() and wait.isdigit() and len(wait) < 6 and not reveals(wait):
        details["retry_after_seconds"] = int(wait)
    return details
