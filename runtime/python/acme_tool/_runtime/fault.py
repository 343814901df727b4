"""The one error whose code, exit and retryable leave the program.

A fault says what failed and why in its message, and how to repair it in `fix`. Exit
and retryable come from the contract and are never passed by hand.
"""

from __future__ import annotations

from typing import Any

from .. import contract_gen

INTEGRITY = "E_INTEGRITY"
IO = "E_IO"
UNKNOWN = "E_UNKNOWN"
USAGE = "E_USAGE"
VALIDATION = "E_VALIDATION"
NOT_FOUND = "E_NOT_FOUND"
AUTH = "E_AUTH"
CONFIG = "E_CONFIG"
FORBIDDEN = "E_FORBIDDEN"
CONFIRMATION_REQUIRED = "E_CONFIRMATION_REQUIRED"
CONFLICT = "E_CONFLICT"
NETWORK = "E_NETWORK"
RATE_LIMITED = "E_RATE_LIMITED"
SERVER = "E_SERVER"
TIMEOUT = "E_TIMEOUT"
INTERRUPTED = "E_INTERRUPTED"
SKILL_SYNC = "E_SKILL_SYNC"


class Fault(Exception):
    """A failure that a caller can act on."""

    def __init__(
        self, code: str, message: str, *, fix: str = "", **details: Any
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.fix = fix
        self.members: dict[str, Any] = details

    @property
    def exit(self) -> int:
        """The exit code, by the table of the contract."""
        return contract_gen.exit_for(self.code)

    @property
    def retryable(self) -> bool:
        """Whether calling again without a person may help, by the same table."""
        return contract_gen.retryable(self.code)

    @property
    def details(self) -> dict[str, Any]:
        """The structured context, with the repair in it."""
        return {**self.members, **({"fix": self.fix} if self.fix else {})}

    def with_details(self, **details: Any) -> Fault:
        """Add members to the details."""
        self.members.update(details)
        return self


def cancelled() -> Fault:
    """Return the fault of a run that a signal ended."""
    return Fault(
        INTERRUPTED,
        "interrupted by a signal",
        fix="Run the command again when you are ready",
    )


def unexpected(error: BaseException) -> Fault:
    """Return the fault of an unexpected error, which is a bug."""
    return Fault(
        UNKNOWN,
        f"the program failed unexpectedly: {type(error).__name__}: {error}",
        fix="Run doctor; if it finds nothing, report this as a bug, with the command",
    )
