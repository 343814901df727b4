"""The commands that every connector has. They work without any setup."""

# isort: skip_file
from __future__ import annotations

from .. import __version__, api
from ..contract_gen import (
    BACKEND,
    COMMANDS,
    DEFAULT_MODE,
    MANIFEST,
    MODE_ENV,
    MODES,
    SERVICE_KEYS,
    TOOL,
    plain,
)
from . import config, health, readiness
from .registry import command

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .inputs import Inputs
    from .operations import Api

# Flags of the manifest that are false where no command can run.
LIVE = ("live_backend_available", "live_read_available", "write_bridge_available")


@command("capabilities")
def capabilities(inputs: Inputs, call: Api) -> dict[str, Any]:
    """Describe the connector: everything a host needs to offer its commands."""
    described = {entry["id"]: entry for entry in MANIFEST["commands"]}
    told = {
        "tool": TOOL,
        "version": __version__,
        "manifest_schema_version": MANIFEST["manifest_schema_version"],
        "backend": BACKEND,
        "modes": list(MODES),
        "connector": plain(MANIFEST["connector"]),
        "auth": plain(MANIFEST["auth"]),
        "scope": plain(MANIFEST["scope"]),
        "commands": [plain(described[command_id]) for command_id in COMMANDS],
    }
    problems = readiness.missing()
    if problems:
        live = [flag for flag in MANIFEST["scope"] if flag in LIVE]
        told["scope"].update(dict.fromkeys(live, False))
        told["runtime"] = {
            "ready": False,
            "problems": problems,
            "install": readiness.install_command(),
        }
    return told


@command("health")
def show_health(inputs: Inputs, call: Api) -> dict[str, Any]:
    """Report readiness."""
    return health.report(call.log)


@command("doctor")
def show_doctor(inputs: Inputs, call: Api) -> dict[str, Any]:
    """Say for each command whether it can run."""
    from . import doctor

    return doctor.report(call.mode, call.log)


@command("config.show")
def show_config(inputs: Inputs, call: Api) -> dict[str, Any]:
    """Show which settings are set, without any part of a value."""
    _, source = config.base_url()
    base_url = {"source": source}
    if source == "default":
        base_url["url"] = api.BASE_URL
    keys = [{"key": key, "set": bool(config.value(key))} for key in SERVICE_KEYS]
    return {
        "tool": TOOL,
        "backend": BACKEND,
        "auth": {"kind": MANIFEST["auth"]["kind"], "keys": keys},
        "base_url": base_url,
        "network": config.surroundings(),
        "mode": {"default": DEFAULT_MODE, "env": MODE_ENV, "allowed": list(MODES)},
    }
