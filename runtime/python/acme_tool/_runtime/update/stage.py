"""The stage and the state of an update, and how a failure reports them."""

from __future__ import annotations

from ...about import REPOSITORY, TOOL
from .. import fault
from ..fault import Fault
from ..skill import sync

DISCOVER = "discover"
DOWNLOAD = "download"
VERIFY_SIGNATURE = "verify_signature"
VERIFY_CHECKSUM = "verify_checksum"
REPLACE = "replace"
SKILL_SYNC = "skill_sync"

STOP = f"Do not try again; stop, and report this to the maintainers of {REPOSITORY}"
AGAIN = f"Wait a moment, then run `{TOOL} update` again"


class State:
    """The state at a moment of an update."""

    def __init__(self, running: str) -> None:
        self.stage = DISCOVER
        self.previous = running
        self.current = running
        self.target = ""
        # None if it is unknown.
        self.replaced: bool | None = False
        self.skill = sync.NOT_RUN
        self.skill_command = ""

    def enter(self, stage: str) -> None:
        """Begin a stage."""
        self.stage = stage

    def complete(self, failed: Fault) -> Fault:
        """Add to a fault its stage, the installed version, and the fix."""
        failed.members.setdefault("stage", self.stage)
        failed.with_details(
            current_version=self.current,
            binary_replaced=self.replaced,
            skill_sync_status=self.skill,
        )
        if self.target:
            failed.with_details(target_version=self.target)
        if self.replaced and self.skill_command:
            failed.members.setdefault("skill_sync_command", self.skill_command)
        failed.message = self._sentence(failed)
        if failed.code == fault.INTEGRITY:
            failed.fix = STOP
        elif failed.code == fault.INTERRUPTED and self.replaced is False:
            failed.fix = f"Run `{TOOL} update` again when you are ready"
        elif self.replaced and self.skill_command:
            failed.fix = f"Run `{self.skill_command}`"
        elif not failed.fix:
            failed.fix = AGAIN if failed.retryable else f"Run `{TOOL} doctor`"
        return failed

    def _sentence(self, failed: Fault) -> str:
        message = failed.message
        still = f"{TOOL} {self.current} is still installed"
        if self.replaced is None:
            return f"{message}; look at details to see what is installed"
        if self.replaced:
            return (
                f"{message}; the program is now at {self.current}, run "
                f"`{self.skill_command}`, then `{TOOL} changelog --since "
                f"{self.previous}`"
            )
        if failed.code == fault.INTERRUPTED:
            return f"the update was cancelled, nothing was changed, {still}"
        if failed.code == fault.INTEGRITY:
            return (
                f"{message}; this is an integrity failure, do not try again, stop and "
                f"report it; {still}"
            )
        if failed.retryable:
            return (
                f"{message}; this was transient, `{TOOL} update` can safely be run "
                f"again; {still}"
            )
        return f"{message}; {still}"


def at(stage: str, failed: Fault) -> Fault:
    """Set the stage of a fault, if it is not the current stage of the update."""
    return failed.with_details(stage=stage)


def integrity(message: str) -> Fault:
    """Return the fault of a release that must not be installed."""
    return Fault(fault.INTEGRITY, message)
