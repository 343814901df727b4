"""The contract as this tool must keep it, written down by hand from the specification.

A table that is checked against itself proves nothing, so none of this is generated and
none of it is imported from the program.
"""

from __future__ import annotations

# For each code its exit and whether trying again may help.
CODES: dict[str, tuple[int, bool]] = {
    "E_INTEGRITY": (1, False),
    "E_IO": (1, False),
    "E_UNKNOWN": (1, False),
    "E_USAGE": (2, False),
    "E_VALIDATION": (2, False),
    "E_NOT_FOUND": (3, False),
    "E_AUTH": (4, False),
    "E_CONFIG": (4, False),
    "E_FORBIDDEN": (4, False),
    "E_CONFIRMATION_REQUIRED": (5, False),
    "E_CONFLICT": (6, False),
    "E_NETWORK": (7, True),
    "E_RATE_LIMITED": (7, True),
    "E_SERVER": (7, True),
    "E_TIMEOUT": (8, True),
    "E_INTERRUPTED": (130, True),
    # Codes of this tool, which contract/contract-ext.json declares.
    "E_SKILL_SYNC": (7, True),
    "E_HUMAN_REQUIRED": (9, False),
}

NOTICE_KEYS = {
    "type",
    "severity",
    "current_version",
    "latest_version",
    "install_method",
    "recommended_command",
    "checked_at",
    "next_steps",
}
