"""Says for each command whether it can run here and now, and what to do if not.

The host reads `runtime.command_readiness` beside `data`. A command is ready when
the package works, the keys are set and accepted, and the mode allows it.
"""

# isort: skip_file
from __future__ import annotations

import os

from .. import api
from ..contract_gen import (
    BACKEND,
    COMMANDS,
    FIELDS,
    HEALTH_ENVELOPE_KEYS,
    MODE_ENV,
    MODES,
)
from . import config, health
from .registry import BUILT_IN

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .operations import Log

# Variables that change how the API is reached; the names alone are told.
NETWORK = ("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
# Words of the status, as the host knows them.
STATUS = {**health.READINESS, "error": "degraded"}


def report(mode: str, log: Log | None = None) -> dict[str, Any]:
    """The data of `doctor`: status, checks, readiness of commands, next steps."""
    found = health.report(log)
    works = found["status"] == "healthy"
    checks = [*found["checks"], _mode(mode)]
    ready = {
        name: name in BUILT_IN or (works and _allows(mode, spec["required_mode"]))
        for name, spec in COMMANDS.items()
    }
    readable, writable = _divided()
    return {
        "status": STATUS[found["status"]],
        "backend": BACKEND,
        "runtime": {"command_readiness": ready},
        "checks": checks,
        "supported_read_commands": readable,
        "supported_write_commands": writable,
        "environment": _environment(),
        "next_steps": _steps(found, mode),
    }


def envelope_keys(data: dict[str, Any]) -> dict[str, Any]:
    """Return the keys that the host reads beside `data`, if the contract has any."""
    told = bool(HEALTH_ENVELOPE_KEYS) and "runtime" in data
    return {"runtime": data["runtime"]} if told else {}


def _allows(mode: str, required: str) -> bool:
    return MODES.index(mode) >= MODES.index(required)


def _mode(mode: str) -> dict[str, Any]:
    """Return the commands that the mode of this run does not allow."""
    denied = [
        name
        for name, spec in COMMANDS.items()
        if not _allows(mode, spec["required_mode"])
    ]
    details = {"mode": mode, "env": MODE_ENV, "denied_commands": denied}
    return {"name": "mode", "ok": not denied, "details": details}


def _divided() -> tuple[list[str], list[str]]:
    own = [name for name in COMMANDS if name not in BUILT_IN]
    reads = [name for name in own if COMMANDS[name]["action_class"] == "read"]
    return reads, [name for name in own if name not in reads]


def _environment() -> dict[str, bool]:
    """Variables that the connector reads besides its keys, and which are set."""
    names = [api.URL_OVERRIDE, MODE_ENV, *NETWORK]
    names += [spec["env"] for spec in FIELDS.values() if spec.get("env")]
    listed = dict.fromkeys(name for name in names if name)
    return {name: bool(os.environ.get(name, "").strip()) for name in listed}


def _steps(found: dict[str, Any], mode: str) -> list[str]:
    steps = list(found.get("next_steps", []))
    missing = config.missing_keys()
    if missing:
        keys = ", ".join(missing)
        steps.append(
            f"set {keys} in the environment of the ArgentOS gateway and restart it: "
            "its health probe, its catalogue and its live gate get nothing that is "
            "only in API Keys of the dashboard or in a credential of a workflow"
        )
    for check in found["checks"]:
        if not check["ok"] and check["name"] == "backend":
            steps.append(check["details"].get("hint") or check["details"]["message"])
    if MODE_ENV and mode == MODES[0]:
        steps.append(
            f"set {MODE_ENV}={MODES[1]} in the environment of the gateway if its "
            "workflows may change things: they pass no `--mode`"
        )
    return steps
