"""All commands and the description of this tool. Register your commands here."""

from __future__ import annotations

from .._runtime.tool import Readiness, Tool
from ..client import Client
from ..renewal import renew
from . import approvals, item_writes, items, jobs

# Raise `level` to stable when docs/E2E.md records a live run of the release.
# tests/test_guard.py fails if `fcc_status` is not correct.
READINESS = Readiness(
    level="beta",
    reason="Tested against the mock upstream; no live run is recorded yet",
    fcc_status="verified",
    mock_upstream_status="verified",
    live_smoke_status="missing",
    required_evidence=("tests/test_guard.py", "docs/E2E.md"),
)

TOOL = Tool(
    connect=Client,
    # Requests a new credential from the upstream when one has expired.
    renew=renew,
    # The address of the upstream, if no other address is configured.
    default_base_url="",
    groups={
        "item": "Work with items",
        "project": "Work with projects",
        "export": "Export in the background",
        "job": "Show jobs in the background",
        "approval": "Continue after a person has decided",
    },
    commands=(
        *items.COMMANDS,
        *item_writes.COMMANDS,
        *jobs.COMMANDS,
        *approvals.COMMANDS,
    ),
    schemas={
        **items.SCHEMAS,
        **item_writes.SCHEMAS,
        **jobs.SCHEMAS,
    },
    readiness=READINESS,
    # T0 only reads, T1 writes or handles credentials, T2 has irreversible actions.
    risk_tier="T2",
)
