"""The write gate: preview, token, refusal, and the line of the audit log."""

from __future__ import annotations

import json
import time
from datetime import datetime, timedelta, timezone
from typing import Any

from ..about import TOOL, VERSION
from . import audit, command, confirm, signals
from .command import CONFIRM, DANGEROUS, DRY_RUN, Call, Plan
from .fault import CONFIRMATION_REQUIRED, USAGE, Fault

LOOK = (
    "Run the same call with --dry-run, look at the preview, then repeat it with "
    "--confirm and the token of that dry run"
)


def write(call: Call) -> Any:
    """Run a write through the gate.

    The plan is made anew in both steps, so that the second one sees whether the target
    is still what the preview showed.
    """
    is_dry, is_confirmed = call.flag(DRY_RUN.name), call.has(CONFIRM.name)
    if is_dry and is_confirmed:
        raise Fault(
            USAGE,
            "--dry-run and --confirm exclude each other",
            fix="Use --dry-run to see the preview, then --confirm with its token",
        )
    make = call.command.plan
    if make is None:
        raise AssertionError(f"{call.command.path} has no plan")
    if is_confirmed:
        call.app.gate.check_unused(call.text(CONFIRM.name))
    plan = make(call)
    bound = _binding(call, plan)
    if call.command.dangerous and not call.flag(DANGEROUS.name):
        raise _refusal(
            call,
            plan,
            "it cannot be undone, and --dangerous is missing",
            "Add --dangerous if you intend this. " + LOOK,
        )
    if is_dry:
        return _preview(call, plan, bound)
    if is_confirmed:
        return _confirmed(call, plan, bound)
    if call.command.confirm == command.WHEN_LOSSY and not plan.lossy:
        return plan.apply("")
    raise _refusal(call, plan, "no confirm token was given", LOOK)


def log(call: Call, started: float, failed: Fault | None) -> None:
    """Write the audit line of a write; trouble with the log never stops the command."""
    app = call.app
    elapsed = time.monotonic() - started
    moment = datetime.now(timezone.utc) - timedelta(seconds=elapsed)
    try:
        with signals.held():
            audit.append(
                app.config.home,
                app.redactor,
                {
                    "time": moment.isoformat(timespec="milliseconds").replace(
                        "+00:00", "Z"
                    ),
                    "command": call.command.path,
                    "step": _step(call),
                    "arguments": {
                        name: ",".join(values) or "true"
                        for name, values in call.given.items()
                        if values
                    },
                    "account": app.known_account.id if app.known_account else None,
                    "base_url": str(app.config.base_url or "") or None,
                    "code": failed.code if failed else None,
                    "exit": failed.exit if failed else 0,
                    "duration_ms": round(elapsed * 1000),
                    "version": VERSION,
                },
            )
    except Exception as error:  # noqa: BLE001
        app.printer.note(f"warning: the audit log could not be written: {error}")


def _step(call: Call) -> str:
    if call.flag(DRY_RUN.name):
        return "dry_run"
    return "confirm" if call.has(CONFIRM.name) else "call"


def _binding(call: Call, plan: Plan) -> bytes:
    """Return everything that makes a write what it is."""
    values = {param.name: call.list(param.name) for param in call.command.params}
    return json.dumps(
        {
            "tool": TOOL,
            "command": call.command.path,
            "arguments": values,
            "base_url": call.app.config.upstream_name,
            "account": plan.account.id,
            "permissions": sorted(plan.account.permissions),
            "preview": plan.preview,
            "payload": plan.payload,
        },
        sort_keys=True,
    ).encode()


def _preview(call: Call, plan: Plan, bound: bytes) -> dict[str, Any]:
    token = call.app.gate.issue(bound)
    return {
        "preview": plan.preview,
        "confirm_token": token.text,
        "expires_at": token.expires_at,
    }


def _refusal(call: Call, plan: Plan, why: str, fix: str) -> Fault:
    """Show what would change, but give no token: only a dry run does."""
    message = f"`{call.command.path}` was not carried out: {why}"
    return Fault(CONFIRMATION_REQUIRED, message, fix=fix, preview=plan.preview)


def _confirmed(call: Call, plan: Plan, bound: bytes) -> Any:
    token = call.text(CONFIRM.name)
    with signals.held():
        if warning := call.app.gate.redeem(token, bound):
            call.app.printer.note(f"warning: {warning}")
    try:
        return plan.apply(f"ct-{confirm.fingerprint(token)}")
    except Fault as failed:
        if failed.retryable:
            failed.fix = (
                "The write may have happened: run the command with --dry-run again "
                "and look at the state"
            )
        raise failed.with_details(confirm_token_used=True) from failed
