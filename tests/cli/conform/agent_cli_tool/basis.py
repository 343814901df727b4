"""What all parts of the tool share: its name, its state, its codes.

The tool is started thousands of times, so each part loads little: paths are texts, and what is slow to load is loaded
where it is needed.
"""

import os
import time

TOOL, VERSION = "ledger", "1.2.0"
HERE = os.path.dirname(os.path.realpath(__file__))
HOME = os.path.join(os.environ.get("HOME", "/nonexistent"), ".ledger")
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


def in_home(*names):
    """Give the path of something in the state directory."""
    return os.path.join(HOME, *names)


def directory(path):
    """Make a directory that only this user may see, unless it is there."""
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        if not os.path.isdir(path):
            raise


def write(path, text):
    """Write a text file."""
    with open(path, "w") as file:
        file.write(text)


def order(version):
    """Give what versions are compared by."""
    core, _, pre = version.partition("-")
    return [int(each) for each in core.split(".")], pre == "", pre
