"""Keeping the credential for the upstream."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

from .. import files
from ..command import STRING, WHEN_LOSSY, Call, Command, Param, Plan
from ..credentials.credential import Credential, from_environment, parse
from ..credentials.keys import variables
from ..credentials.store import NONE
from ..fault import AUTH, VALIDATION, Fault
from ..schemas import Schema

MAX_TOKEN_FILE = 64 * 1024


class CredentialChange(TypedDict):
    """The new state of the stored credential."""

    stored: bool
    storage: str
    account: str | None


def _plan_login(call: Call) -> Plan:
    credential = _new_credential(call)
    call.app.store.know(credential)
    # The upstream says whether it is good before it is kept.
    account = call.app.account(call.app.client_with(credential))
    before = _stored(call)
    after = {"stored": True, "account": account.id}

    def apply(_key: str) -> CredentialChange:
        storage = call.app.store.save(replace(credential, account=account.id))
        return {"stored": True, "storage": storage, "account": account.id}

    return Plan(
        preview={"changes": [_change(call, "store", before, after)]},
        payload=hashlib.sha256(credential.encode().encode()).hexdigest(),
        account=account,
        lossy=before is not None,
        apply=apply,
    )


def _plan_logout(call: Call) -> Plan:
    before = _stored(call)
    changes = [] if before is None else [_change(call, "forget", before, None)]

    def apply(_key: str) -> CredentialChange:
        call.app.store.remove()
        return {"stored": False, "storage": NONE, "account": None}

    return Plan(preview={"changes": changes}, lossy=before is not None, apply=apply)


def _change(call: Call, action: str, before: Any, after: Any) -> dict[str, Any]:
    return {
        "action": action,
        "resource": "credential",
        "id": call.app.config.upstream_name,
        "before": before,
        "after": after,
    }


def _new_credential(call: Call) -> Credential:
    if call.has("token-file"):
        try:
            path = Path(call.text("token-file"))
            content = files.read_bounded(path, MAX_TOKEN_FILE)
        except OSError as error:
            raise Fault(
                VALIDATION,
                f"--token-file cannot be read: {files.reason(error)}",
                fix="Pass a file that contains only the credential",
                flag="--token-file",
            ) from error
        return parse(content.decode("utf-8", "replace"), call.app.tool.keys)
    tool = call.app.tool
    credential = from_environment(expiring=tool.expiring, keys=tool.keys)
    if credential is None:
        raise Fault(
            AUTH,
            "there is no credential to store",
            fix=f"Set {variables(tool.keys)}, or pass --token-file",
        )
    return credential


def _stored(call: Call) -> dict[str, Any] | None:
    """Say what is stored, without saying the credential."""
    try:
        found, storage = call.app.store.stored()
    except Fault as failed:
        # A credential that cannot be read is lost by a new login as well.
        return {"stored": True, "storage": "unreadable", "reason": failed.message}
    return {"stored": True, "storage": storage} if found else None


def commands(keys: Sequence[str]) -> tuple[Command, ...]:
    """Return the commands for an API that takes these keys; without any, one."""
    held, variable = "the credential", "the environment variable"
    if keys:
        held, variable = "a line NAME=KEY for each key", "the environment variables"
    return (
        Command(
            path="auth login",
            summary="Store the credential for the upstream",
            detail=f"Takes it from {variables(keys)} or from a file, never from a "
            "flag, and asks the upstream whether it is good. A stored one is replaced "
            "only with a confirm token.",
            params=(
                Param(
                    "token-file",
                    STRING,
                    f"File that contains {held}; the default is {variable}",
                ),
            ),
            output="credential_change",
            examples=("auth login --dry-run", "auth login --confirm ct_TOKEN"),
            plan=_plan_login,
            confirm=WHEN_LOSSY,
        ),
        Command(
            path="auth logout",
            summary="Remove the stored credential for the upstream",
            output="credential_change",
            examples=("auth logout --dry-run", "auth logout --confirm ct_TOKEN"),
            plan=_plan_logout,
            confirm=WHEN_LOSSY,
        ),
    )


GROUPS = {"auth": "Manage the credential for the upstream"}

SCHEMAS = {"credential_change": Schema(CredentialChange)}
