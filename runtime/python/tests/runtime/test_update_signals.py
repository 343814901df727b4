"""An update that is interrupted or killed is undone or done, and says which."""

from __future__ import annotations

import os
import signal
import sys
import time

import pytest

from acme_tool._runtime.testkit.releases import NEWER
from acme_tool.about import VERSION

from .conftest import Install
from .installed import Installed, frozen
from .sandbox import each

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="signals are those of Unix"
)

BEFORE = ("discover", "download", "verify_signature", "verify_checksum", "replace")
AFTER = {"swapped": "replace", "skill_sync": "skill_sync"}


def stopped(tool: Installed, point: str, number: signal.Signals) -> None:
    """Interrupt an update at a point."""
    mark = tool.home / "stopped"
    tool.env |= {"TEST_STOP_AT": point, "TEST_STOPPED": str(mark)}
    if point == "swap":
        tool.env["TEST_STOP_FOR"] = "0.3"
    result = tool.interrupt(number, mark.exists, "update")
    details = result.fails("E_INTERRUPTED")
    message = result.error["message"]
    if point in BEFORE:
        assert (details["stage"], details["binary_replaced"]) == (point, False)
        assert "nothing was changed" in message
        assert details["current_version"] == VERSION
        tool.untouched()
        return
    assert details["stage"] == AFTER.get(point, "replace")
    assert details["binary_replaced"] is True
    assert details["current_version"] == NEWER
    assert f"is now at {NEWER}" in message
    assert details["skill_sync_command"] in message
    assert tool.path.read_bytes() == tool.releases.program
    tool.clean()


def test_a_signal_leaves_an_update_undone_or_done(install: Install) -> None:
    points = [*BEFORE, "swap", *AFTER]
    cases = [(point, signal.SIGINT) for point in points]
    cases += [(point, signal.SIGTERM) for point in ("download", "swap", "skill_sync")]
    each(lambda case: stopped(install(), *case), cases)


def killed(tool: Installed, moment: float) -> bool:
    """Kill an update at a moment; tell whether the new program is there."""
    child = tool.start("update")
    time.sleep(moment)
    child.kill()
    child.communicate()
    found = tool.path.read_bytes()
    new = tool.releases.program
    assert found in (frozen(), new)
    # The remains of the kill do not prevent the next update.
    tool.put(tool.path, frozen())
    tool.run("update").ok()
    assert tool.path.read_bytes() == new
    assert [path.name for path in tool.path.parent.iterdir()] == [tool.path.name]
    return found == new


def test_a_kill_leaves_the_old_or_the_new_program(install: Install) -> None:
    moments = [number * 0.08 for number in range(16)]
    each(lambda moment: killed(install(), moment), moments)


def test_an_update_that_nobody_listens_to_is_done_all_the_same(
    install: Install,
) -> None:
    tool = install()
    reader, writer = os.pipe()
    os.close(reader)
    try:
        child = tool.start("update", stdout=writer)
    finally:
        os.close(writer)
    _, stderr = child.communicate(timeout=60)
    assert child.returncode == 0, stderr
    assert tool.path.read_bytes() == tool.releases.program
