"""Decides whether a keyring can exist, before its library, which loads slowly."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# The address of a keyring, or the keyring that the user has chosen.
_NAMES = ("DBUS_SESSION_BUS_ADDRESS", "PYTHON_KEYRING_BACKEND")


def keyring_may_exist() -> bool:
    """Return whether a keyring may exist: on Linux it needs the bus of the session.

    A server, a container and a scheduled job have no such bus. With a variable or in
    the settings of the library, the user can choose a keyring that does not need it.
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
