"""Whether a keyring can be here, asked before its library, which is slow to load."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Where a keyring is reached, or which one the user has chosen.
_NAMES = ("DBUS_SESSION_BUS_ADDRESS", "PYTHON_KEYRING_BACKEND")


def keyring_may_exist() -> bool:
    """Tell if a keyring may answer: on Linux it needs the bus of the session.

    A server, a container and a scheduled job have no such bus. The user can also have
    chosen a keyring that needs none, by a variable or in the settings of the library.
    """
    if not sys.platform.startswith("linux") or any(map(os.environ.get, _NAMES)):
        return True
    directory = os.environ.get("XDG_RUNTIME_DIR")
    if directory and Path(directory, "bus").exists():
        return True
    settings = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    chosen = Path(settings, "python_keyring", "keyringrc.cfg")
    try:
        return chosen.expanduser().is_file()
    except RuntimeError:
        # There is no home directory.
        return False
