"""Starts the program as if it were frozen into one file, for the tests of updates.

That file is a script which runs this module. What a released program has no way to change
is changed here and nowhere else: the trust root, how long it waits, and where it stops
for a signal.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any


def start(program: str, version: str) -> None:
    """Run the program `program` as version `version`."""
    from ... import about

    about.VERSION = version
    sys.frozen = True  # type: ignore[attr-defined]
    sys.executable = program
    if sys.argv[1:2] == ["update"]:
        _prepare()
    from ...__main__ import main

    main()


def _prepare() -> None:
    from .. import process
    from ..skill import sync
    from ..update import executable, host, signature

    signature.TRUSTED_ROOT = Path(os.environ["TEST_TRUST_ROOT"])
    host.WINDOW = executable.START_LIMIT = float(os.environ["TEST_PATIENCE"])
    process.GRACE = 1.0
    sync.LIMIT = float(os.environ.get("TEST_SKILL_PATIENCE", "20"))
    if point := os.environ.get("TEST_STOP_AT"):
        _stop_at(point)


def _stop_at(point: str) -> None:
    from ..update import stage
    from ..update.executable import Executable
    from ..update.news import News

    def stop() -> None:
        Path(os.environ["TEST_STOPPED"]).touch()
        time.sleep(float(os.environ.get("TEST_STOP_FOR", "20")))

    if point == "swap":
        # Signals wait here, so this is only a moment.
        _before(Executable, "swap", stop)
    elif point == "swapped":
        _before(News, "forget", stop)
    else:
        enter = stage.State.enter

        def entered(self: stage.State, stage: str) -> None:
            enter(self, stage)
            if stage == point:
                stop()

        stage.State.enter = entered  # type: ignore[method-assign]


def _before(owner: Any, name: str, first: Any) -> None:
    original = getattr(owner, name)

    def both(*arguments: Any) -> Any:
        first()
        return original(*arguments)

    setattr(owner, name, both)


if __name__ == "__main__":
    path, wanted = sys.argv[1:3]
    sys.argv[:] = [path, *sys.argv[3:]]
    start(path, wanted)
