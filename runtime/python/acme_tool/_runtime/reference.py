"""The description of this tool for programs, from the tool and the contract."""

from __future__ import annotations

from typing import Any

from .. import contract_gen
from ..about import DESCRIPTION, TOOL, VERSION
from . import RUNTIME_VERSION, capabilities, config, output
from .command import EXEMPT, GLOBALS, INTEGER, LIST, Command, Param
from .commands.self_description import Reference
from .config import env
from .tool import Tool

_ADDRESS = (config.BASE_URL, False, "Address of the upstream")
_CREDENTIAL = (config.TOKEN, True, "Credential, if none is stored")
_KEYRING = (config.KEYRING, False, "off disables the keyring of the system")
_RENEWAL = (
    (config.REFRESH_TOKEN, True, "Renews the credential"),
    (config.EXPIRES_AT, False, "Time at which the credential expires, RFC 3339"),
)
_SHARED = (
    (config.HOME, False, "Directory for state and config.json"),
    (config.TIMEOUT, False, "Time limit of one request, in seconds"),
    (config.CONFIRM_LIFETIME, False, "Lifetime of a confirm token, in seconds"),
    (config.UPDATE_API, False, "Address of the API that lists releases"),
    (config.UPDATE_TIMEOUT, False, "Timeout of the release host, in seconds"),
    ("GITHUB_TOKEN", True, "Raises the rate limit of update; sent only to GitHub"),
)


def reference(tool: Tool) -> Reference:
    """Describe the tool."""
    codes = contract_gen.CODES
    exits = sorted({0, *(spec["exit"] for spec in codes.values())})
    return {
        "tool": TOOL,
        "version": VERSION,
        "description": DESCRIPTION,
        "contract": capabilities.contract(),
        "capabilities": capabilities.of(tool),
        "runtime_version": RUNTIME_VERSION,
        "risk_tier": tool.risk_tier,
        "release_readiness": tool.readiness.describe(),
        "global_flags": [_param(param) for param in GLOBALS],
        "commands": [_command(command) for command in tool.all_commands],
        "schemas": {name: each.describe() for name, each in tool.all_schemas.items()},
        "exit_codes": {str(code): contract_gen.EXIT_CODES[code] for code in exits},
        "error_codes": {
            code: {
                "exit": contract_gen.exit_for(code),
                "retryable": contract_gen.retryable(code),
            }
            for code in codes
        },
        "environment": [
            {"name": name, "secret": is_secret, "description": description}
            for name, is_secret, description in _variables(tool)
        ],
        "defaults": {
            "format": output.JSON,
            "list_order": "by id, oldest first",
            "fields": "names of fields, without paths; for a page, those of its items",
            "paging": "cursor: pass next_cursor of one page as --cursor of the next",
        },
    }


def _variables(tool: Tool) -> list[tuple[str, bool, str]]:
    own = ((env(each.name), each.secret, each.description) for each in tool.settings)
    key = "One of the keys, if none are stored"
    several = [(env(name), True, key) for name in tool.keys]
    kept = () if tool.anonymous else (*(several or (_CREDENTIAL,)), _KEYRING)
    renewed = _RENEWAL if tool.expiring else ()
    return [_ADDRESS, *kept, *renewed, *own, *_SHARED]


def _command(command: Command) -> dict[str, Any]:
    described: dict[str, Any] = {
        "path": command.path,
        "type": "write" if command.writes else "query",
    }
    if command.writes:
        described["confirm"] = command.confirm
    marks = ("dangerous", "batch", "stream")
    described |= {name: True for name in marks if getattr(command, name)}
    described |= {
        "formats": [
            form for form in output.FORMATS if form != output.RAW or command.raw
        ],
        "description": command.summary,
        "detail": command.detail,
        "params": [_param(param) for param in command.all_params],
        "output_schema": command.output,
    }
    if command.writes and command.confirm != EXEMPT:
        described["dry_run_schema"] = "dry_run"
    if command.aliases:
        described["aliases"] = list(command.aliases)
    return {**described, "examples": command.calls}


def _param(param: Param) -> dict[str, Any]:
    described: dict[str, Any] = {
        "name": param.name,
        "type": param.kind,
        "required": param.required,
        "multiple": param.kind == LIST,
        "default": param.default,
        "description": param.help,
    }
    if param.values:
        described["values"] = list(param.values)
    if param.kind == INTEGER:
        described |= {"minimum": param.minimum, "maximum": param.maximum}
    return described
