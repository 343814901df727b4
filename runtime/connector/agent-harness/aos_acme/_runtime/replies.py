"""Turns a reply of the API into data or a failure.

`api.FAILURES` says how this API tells its failures apart, by status, header and
body; the first rule that fits decides. Without one the status decides.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from .. import api
from .errors import AuthError, BackendUnavailable, InvalidUsage, NotFound
from .paging import values_at
from .redaction import quote, reveals

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .client import Reply
    from .errors import ConnectorError

# Each kind of failure for the caller: the class, the message, the hint.
KINDS = {
    "rate_limited": (BackendUnavailable, "the backend got too many requests", ""),
    "busy": (BackendUnavailable, "the backend is busy", "try again soon"),
    "maintenance": (BackendUnavailable, "the backend is under maintenance", ""),
    "unavailable": (BackendUnavailable, "the backend failed", ""),
    "auth": (AuthError, "the backend refused the credentials", "set a valid key"),
    "permission": (
        AuthError,
        "the credentials do not allow this",
        "give the key the missing permission, or use another key",
    ),
    "quota": (
        AuthError,
        "the quota of this account is used up",
        "waiting does not help: raise the quota or wait for the next period",
    ),
    "plan": (InvalidUsage, "the plan of this account does not include this", ""),
    "blocked": (InvalidUsage, "the backend is not allowed to return this", ""),
    "hidden": (
        NotFound,
        "the object does not exist, or is hidden from this key",
        "check the id, and whether the key has access to it",
    ),
    "not_found": (NotFound, "the object does not exist", ""),
    "gone": (
        NotFound,
        "the backend no longer offers this",
        "if this happens for every id, the connector needs an update",
    ),
    "conflict": (
        InvalidUsage,
        "the request conflicts with the present state",
        "read the present state first",
    ),
    "moved": (InvalidUsage, "the object is at another address", ""),
    "cursor_expired": (
        InvalidUsage,
        "the backend no longer accepts this cursor",
        "start the list again without `--cursor`",
    ),
    "validation": (InvalidUsage, "the backend refused the request", ""),
}
STATUSES = {
    401: "auth",
    402: "plan",
    403: "permission",
    404: "not_found",
    408: "busy",
    409: "conflict",
    410: "gone",
    412: "conflict",
    425: "busy",
    429: "rate_limited",
    451: "blocked",
}
TEXT_LENGTH = 4000
# Members of an error object that may hold the reason, the best first.
TEXTS = ("message", "detail", "description", "text", "reason", "code", "title", "type")
LIMIT_HEADERS = ("x-ratelimit-remaining", "ratelimit-remaining")


def result(reply: Reply) -> Any:
    """The data of a successful reply; every other reply raises its failure."""
    if not 200 <= reply.status < 300:
        raise failure(reply)
    rule = _rule(reply, [rule for rule in api.FAILURES if "status" in rule])
    if rule:
        raise _failure(reply, rule)
    if reply.is_empty:
        return {"http_status": reply.status}
    data = reply.data
    coded = api.ERROR_STYLE == "ok_field" and isinstance(data, dict)
    if coded and data.get("ok", True) is not True:
        raise failure(reply)
    return data


def text(reply: Reply) -> Any:
    """The text of a successful reply; every other reply raises its failure."""
    if not 200 <= reply.status < 300:
        raise failure(reply)
    return {"text": reply.body.decode("utf-8", "replace")}


def failure(reply: Reply) -> ConnectorError:
    """The failure that a reply reports."""
    rule = _rule(reply, api.FAILURES) or {"is": _by_status(reply)}
    if rule["is"] == "permission" and _is_limited(reply):
        rule = {"is": "rate_limited"}
    return _failure(reply, rule)


def upstream_message(reply: Reply) -> str:
    """The short reason in an error body, in any of the usual places."""
    data = _data(reply)
    if data is None and "text/plain" in reply.headers.get("content-type", ""):
        return reply.body[:TEXT_LENGTH].decode("utf-8", "replace").strip()
    if not isinstance(data, dict):
        return ""
    for path in api.MESSAGES:
        named = [text for value in values_at(reply, path) for text in _words(value)]
        if named:
            return "; ".join(named[:3])
    told = []
    for key in ("message", "error_description", "error", "detail", "title"):
        told = _words(data.get(key))
        if told:
            break
    return "; ".join(
        [*told[:3], *_words(data.get("errors")), *_words(data.get("errorMessages"))]
    )


def _by_status(reply: Reply) -> str:
    status = reply.status
    if status < 300:  # refused in the body only
        return "validation"
    fallback = "validation" if status < 500 else "unavailable"
    return STATUSES.get(status, fallback if status >= 400 else "unavailable")


def _is_limited(reply: Reply) -> bool:
    """Whether a 403 says by its headers that it is a rate limit."""
    headers = reply.headers
    used_up = any(headers.get(name) == "0" for name in LIMIT_HEADERS)
    return reply.status == 403 and (used_up or "retry-after" in headers)


def _rule(reply: Reply, rules: list[dict[str, Any]]) -> dict[str, Any] | None:
    return next((rule for rule in rules if _fits(rule, reply)), None)


def _fits(rule: dict[str, Any], reply: Reply) -> bool:
    """Whether a reply is what a rule describes; every condition counts."""
    if reply.status not in rule.get("status", [reply.status]):
        return False
    for name, pattern in rule.get("header", {}).items():
        if not _like(reply.headers.get(name), [pattern]):
            return False
    return all(
        any(_like(text, patterns) for text in _texts(reply, path))
        for path, patterns in rule.get("body", {}).items()
    )


def _like(text: str | None, patterns: list[str]) -> bool:
    if text is None:
        return False
    text = text[:TEXT_LENGTH].strip().lower()
    return any(fnmatchcase(text, pattern.lower()) for pattern in patterns)


def _texts(reply: Reply, path: str) -> list[str]:
    """The texts at a place of a reply; the path "" is the message in its body."""
    if not path:
        return [upstream_message(reply)]
    found = _values(reply, path)
    return [str(value) for value in found if isinstance(value, (str, int, float))]


def _failure(reply: Reply, rule: dict[str, Any]) -> ConnectorError:
    kind = rule["is"]
    failing, message, hint = KINDS[kind]
    details = {"status": reply.status, "reason": kind}
    told = upstream_message(reply)
    if told:
        details["upstream_message"] = quote(told)
    for name, source in rule.get("tell", {}).items():
        said = ", ".join(_texts(reply, source)[:10])
        if said:
            details[name] = quote(said)
    if failing is BackendUnavailable:
        wait = _wait(reply, rule, kind)
        if wait is not None:
            details["retry_after_s"] = wait
    return failing(message, details, hint=rule.get("hint", hint))


def _wait(reply: Reply, rule: dict[str, Any], kind: str) -> int | None:
    """How many seconds to wait, as the API says it; a limit always has a wait."""
    from . import waits

    for source in rule.get("waits", api.WAITS):
        if source.endswith("-reset") and not _is_used_up(reply, source, kind):
            continue
        told = next(iter(_values(reply, source)), None)
        found = waits.seconds(told, reply.headers.get("date"))
        if found is not None and not reveals(str(found)):
            return found
    return rule.get("wait", api.RATE_WAIT if kind == "rate_limited" else None)


def _is_used_up(reply: Reply, source: str, kind: str) -> bool:
    """Whether the end of a window is what to wait for: nothing is left in it."""
    left = reply.headers.get(source[len("header:") :].replace("-reset", "-remaining"))
    return kind == "rate_limited" and left in (None, "0")


def _values(reply: Reply, source: str) -> list[Any]:
    in_body = not source.startswith("header:")
    return [] if in_body and _data(reply) is None else values_at(reply, source)


def _data(reply: Reply) -> Any:
    """The JSON of a body, or None when it is none."""
    try:
        return None if reply.is_empty else reply.data
    except BackendUnavailable:
        return None


def _words(value: Any, depth: int = 0) -> list[str]:
    """The first few reasons in a value of an error body, as texts."""
    if isinstance(value, str):
        return [value] if value else []
    if isinstance(value, list):
        return [text for entry in value[:3] for text in _words(entry, depth + 1)][:3]
    if not isinstance(value, dict) or depth > 3:
        return []
    told = (value.get(key) for key in TEXTS)
    reason = next((text for text in told if isinstance(text, str) and text), "")
    field = value.get("field")
    if reason:
        return [f"{field}: {reason}" if isinstance(field, str) else reason]
    texts = []
    for key, entry in list(value.items())[:3]:
        texts += [f"{key}: {text}" for text in _words(entry, depth + 1)]
    return texts
