"""The release gate as data. Yours to raise: to stable with a recorded live run.

`tests/test_guard.py` holds `fcc_status` to the truth, docs/E2E.md has the live runs.
"""

from __future__ import annotations

from typing import TypedDict

# T0 only reads, T1 writes or handles credentials, T2 has actions that nothing undoes.
TIER = "T2"


class Readiness(TypedDict):
    """How far this release may be trusted."""

    level: str
    reason: str
    fcc_required: bool
    mock_upstream_required: bool
    live_smoke_required_for_stable: bool
    fcc_status: str
    mock_upstream_status: str
    live_smoke_status: str
    required_evidence: list[str]
    live_smoke_record: str


READINESS: Readiness = {
    "level": "beta",
    "reason": "Tested against the mock upstream; no live run is recorded yet",
    "fcc_required": True,
    "mock_upstream_required": True,
    "live_smoke_required_for_stable": True,
    "fcc_status": "verified",
    "mock_upstream_status": "verified",
    "live_smoke_status": "missing",
    "required_evidence": ["tests/test_guard.py", "docs/CONFORMANCE.md", "docs/E2E.md"],
    "live_smoke_record": "docs/E2E.md",
}
