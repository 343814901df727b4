"""Reports whether the connector can work right now. It never fails."""

from __future__ import annotations

from .. import api
from ..contract_gen import HEALTH_ENVELOPE_KEYS
from . import config
from .errors import AuthError, BackendUnavailable, ConnectorError, unexpected

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .operations import Log

# The keys that the host reads at the top of the health envelope, for each status.
READINESS = {
    "healthy": "ready",
    "needs_setup": "needs_setup",
    "degraded": "degraded",
    "error": "error",
}


def report(log: Log | None = None) -> dict[str, Any]:
    """The data of `health`: a status and the checks that led to it."""
    missing = config.missing_keys()
    keys = {
        "name": "required_env",
        "ok": not missing,
        "details": {"missing_keys": missing},
    }
    own = _runtime()
    if missing or not own["ok"]:
        answer = {"status": "needs_setup", "checks": [keys, own]}
        if not own["ok"]:
            answer["next_steps"] = [own["details"]["install"]]
        return answer
    try:
        status, details = _probe(log)
    except (Exception, SystemExit) as error:  # noqa: BLE001
        status, details = "error", _told(unexpected(error))
    hint = details.pop("hint", "")
    backend = {"name": "backend", "ok": status == "healthy", "details": details}
    answer = {"status": status, "checks": [keys, backend, own]}
    return {**answer, "next_steps": [hint]} if hint else answer


def _runtime() -> dict[str, Any]:
    """Whether a command can start; without that, no other check counts."""
    from . import readiness

    try:
        problems = readiness.problems()
    except (Exception, SystemExit) as error:  # noqa: BLE001
        problems = [unexpected(error).message]
    details: dict[str, Any] = {"problems": problems}
    if problems:
        details["install"] = readiness.install_command()
    return {"name": "runtime", "ok": not problems, "details": details}


def envelope_keys(data: dict[str, Any]) -> dict[str, Any]:
    """The readiness keys that the contract puts beside `data`."""
    healthy = data["status"] == "healthy"
    values = {
        "status": READINESS[data["status"]],
        "runtime_ready": data["status"] in ("healthy", "degraded"),
        "checks": data["checks"],
    }
    return {key: values.get(key, healthy) for key in HEALTH_ENVELOPE_KEYS}


def _probe(log: Log | None) -> tuple[str, dict[str, Any]]:
    """Call the API once and judge the answer."""
    try:
        config.require_keys()
    except ConnectorError as error:
        return "error", _told(error)
    from . import replies
    from .client import Client

    try:
        client = Client(api.HEALTH_SECONDS, log)
    except ConnectorError as error:
        is_open = error.details.get("reason") == "base_url_missing"
        return "needs_setup" if is_open else "error", _told(error)
    try:
        for path in (api.HEALTH_PATH, *api.HEALTH_ALSO):
            reply = client.request(api.HEALTH_METHOD, *_split(path))
            if reply.status != 404:
                break
        replies.result(reply)
    except AuthError as error:
        return "needs_setup", _told(error)
    except BackendUnavailable as error:
        return "degraded", _told(error)
    except ConnectorError as error:
        return "error", _told(error)
    return "healthy", {"status": reply.status}


def _split(path: str) -> tuple[str, dict[str, str]]:
    """A path and its query as the client takes them."""
    from urllib.parse import parse_qsl

    path, _, query = path.partition("?")
    return path, dict(parse_qsl(query))


def _told(error: ConnectorError) -> dict[str, Any]:
    told = {"code": error.code, "message": error.message, **error.details}
    return {**told, "hint": error.hint} if error.hint else told
