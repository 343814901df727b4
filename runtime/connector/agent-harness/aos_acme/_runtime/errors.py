"""The failures that a command can end in, one class for each error code of the contract.

Raise one of these from a handler; the command line turns it into the error
envelope and the exit code. `details` must be plain JSON data. Text that came
from outside (the backend, the caller) goes through `redaction.quote` first.
"""

from __future__ import annotations

from ..contract_gen import ERROR_CODES, EXIT_CODES

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The first tag of the contract names one code and its exit codes; the others follow from those.
_EXITS = {
    "INVALID_USAGE": "usage",
    "PERMISSION_DENIED": "permission_denied",
    "AUTH_ERROR": "auth",
    "BACKEND_UNAVAILABLE": "backend_unavailable",
    "NOT_FOUND": "not_found",
    "INTERNAL_ERROR": "internal",
}


class ConnectorError(Exception):
    """A failure with a code of the contract; `hint` says how to fix it."""

    code = "INTERNAL_ERROR"
    help = ""  # a longer text, shown to people only

    def __init__(
        self, message: str, details: dict[str, Any] | None = None, hint: str = ""
    ) -> None:
        super().__init__(message)
        self.message = message
        self.details = dict(details or {})
        self.hint = hint

    @property
    def exit_code(self) -> int:
        known = ERROR_CODES.get(self.code)
        return int(known["exit"] if known else EXIT_CODES[_EXITS[self.code]])

    @property
    def retryable(self) -> bool:
        return bool(ERROR_CODES.get(self.code, {}).get("retryable", False))


class InvalidUsage(ConnectorError):
    """The command line, or the request it describes, is wrong."""

    code = "INVALID_USAGE"


class PermissionDenied(ConnectorError):
    """The mode of this run is below the mode that the command needs."""

    code = "PERMISSION_DENIED"


class AuthError(ConnectorError):
    """A key or a setting is missing, malformed or refused by the backend."""

    code = "AUTH_ERROR"


class BackendUnavailable(ConnectorError):
    """The backend cannot be reached, is overloaded or does not speak its API."""

    code = "BACKEND_UNAVAILABLE"


class NotFound(ConnectorError):
    """The backend does not have the requested object."""

    code = "NOT_FOUND"


class InternalError(ConnectorError):
    """A fault of the connector itself."""

    code = "INTERNAL_ERROR"


def permission_denied(required: str, actual: str) -> PermissionDenied:
    """The answer of the permission gate; its details have exactly these two keys."""
    return PermissionDenied(
        f"Command requires mode={required}",
        {"required_mode": required, "actual_mode": actual},
        hint=f"run it with `--mode {required}` if that is allowed",
    )


def unexpected(error: BaseException) -> InternalError:
    """Describe an unexpected exception without repeating its text."""
    details = {"exception": type(error).__name__}
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is not None:
        path = trace.tb_frame.f_code.co_filename.replace("\\", "/")
        details["where"] = f"{path.rsplit('/', 1)[-1]}:{trace.tb_lineno}"
    return InternalError("the connector failed unexpectedly", details)
