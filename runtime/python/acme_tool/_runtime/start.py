"""Start of a program: the version without any import, everything else by `run`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from .. import about

if TYPE_CHECKING:
    from .tool import Tool


def start(load: Callable[[], Tool]) -> None:
    """Run one call of the tool that `load` returns, and exit with its code."""
    if sys.argv[1:] == ["--version"]:
        try:
            os.write(1, f"{about.TOOL} {about.VERSION}\n".encode())
        except BrokenPipeError:
            return
        except OSError as error:
            sys.exit(f"error: stdout cannot be written: {error.strerror} (E_IO)")
        return
    from . import signals

    # From here on, a signal waits until the run can handle it.
    signals.watch()
    from .run import run

    sys.exit(run(sys.argv[1:], load))
