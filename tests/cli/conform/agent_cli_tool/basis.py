"""What all parts of the tool share: its name, its state, its codes."""

import os
import time
from pathlib import Path

TOOL, VERSION = "ledger", "1.2.0"
HERE = Path(__file__).resolve().parent
HOME = Path(os.environ.get("HOME", "/nonexistent")) / ".ledger"
TOKEN = os.environ.get("LEDGER_TOKEN", "")
STARTED = time.monotonic()
CODES = {
    "E_INTEGRITY": (1, False), "E_IO": (1, False), "E_UNKNOWN": (1, False), "E_USAGE": (2, False),
    "E_VALIDATION": (2, False), "E_NOT_FOUND": (3, False), "E_AUTH": (4, False), "E_CONFIG": (4, False),
    "E_FORBIDDEN": (4, False), "E_CONFIRMATION_REQUIRED": (5, False), "E_CONFLICT": (6, False),
    "E_NETWORK": (7, True), "E_RATE_LIMITED": (7, True), "E_SERVER": (7, True), "E_TIMEOUT": (8, True),
    "E_INTERRUPTED": (130, True), "E_HUMAN_REQUIRED": (9, False),
}
EXITS = {str(number): f"exit {number}" for number in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 130)}


class Failure(Exception):
    """An error that becomes an envelope."""

    def __init__(self, code, message, **details):
        super().__init__(message)
        self.code, self.message, self.details = code, message, details


def order(version):
    """Give what versions are compared by."""
    core, _, pre = version.partition("-")
    return [int(each) for each in core.split(".")], pre == "", pre
