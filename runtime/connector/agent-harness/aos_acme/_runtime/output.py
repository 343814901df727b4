"""Writes the one result of a run: an envelope in JSON, or text for a person."""

# isort: skip_file
from __future__ import annotations

import json
import os
import sys
import time

from .. import __version__
from ..contract_gen import (
    DEFAULT_MODE,
    OPTIONAL_ENVELOPE_KEYS,
    OPTIONAL_ERROR_KEYS,
    REQUIRED_COMMANDS,
    SCHEMA_VERSION,
    TOOL,
)
from . import redaction
from .errors import ConnectorError, InternalError

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


OUTPUT_BYTES = 999_000
# The exit code when the result cannot be written.
EXIT_UNREAD = InternalError("").exit_code


class Result:
    """The outcome of a successful run."""

    def __init__(
        self,
        data: Any,
        extra: dict[str, Any] | None = None,
        text: str | None = None,
        limit: int = 0,
    ) -> None:
        self.data = data
        self.limit = limit  # how many bytes it may have; 0 is no limit of its own
        self.extra = extra or {}
        self.text = text


class Run:
    """The facts about a run that its envelope needs, even when the run fails."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.command = "unknown"
        self.mode = DEFAULT_MODE
        self.json = False
        self.verbose = False


def finish(run: Run, outcome: Result | ConnectorError) -> int:
    """Write the outcome and return the exit code."""
    try:
        text = _render(run, outcome)
    except ConnectorError as error:
        outcome, text = error, _render(run, error)
    except (TypeError, ValueError, RecursionError):
        outcome = InternalError("the handler returned something that is not JSON")
        text = _render(run, outcome)
    exit_code = outcome.exit_code if isinstance(outcome, ConnectorError) else 0
    if not run.json:
        lines = text.split("\n")
        if exit_code:
            for line in lines:
                redaction.note(line)
            return exit_code
        text = "\n".join(map(redaction.visible, lines))
    return exit_code if _write(text + "\n") else EXIT_UNREAD


def _render(run: Run, outcome: Result | ConnectorError) -> str:
    if isinstance(outcome, ConnectorError):
        message, details, hint = _clean_error(outcome)
        if not run.json:
            from . import text

            return text.error(message, details, hint, outcome.help)
        return _line(error_envelope(run, outcome, message, details, hint))
    from . import sizes

    data = outcome.data
    if not isinstance(data, dict):
        raise InternalError("the handler did not return a dict")
    if run.command not in REQUIRED_COMMANDS:
        # Meta commands and help hold constants only: nothing to look for.
        data = redaction.scrub(data) if outcome.text is None else data
    if outcome.limit:
        data = sizes.bounded(data, outcome.limit)
    if run.json:
        return _line(success_envelope(run, data, outcome.extra))
    from . import text

    return outcome.text if outcome.text is not None else text.data(data)


def success_envelope(run: Run, data: Any, extra: dict[str, Any]) -> dict[str, Any]:
    envelope = {"ok": True, "tool": TOOL, "command": run.command, "data": data}
    return _complete(run, {**envelope, **extra})


def error_envelope(
    run: Run, error: ConnectorError, message: str, details: dict[str, Any], hint: str
) -> dict[str, Any]:
    if hint and error.code != "PERMISSION_DENIED":
        details = {**details, "hint": hint}
    body: dict[str, Any] = {"code": error.code, "message": message, "details": details}
    if "retryable" in OPTIONAL_ERROR_KEYS:
        body["retryable"] = error.retryable
    return _complete(
        run, {"ok": False, "tool": TOOL, "command": run.command, "error": body}
    )


def _complete(run: Run, envelope: dict[str, Any]) -> dict[str, Any]:
    envelope["meta"] = {
        "mode": run.mode,
        "duration_ms": int((time.monotonic() - run.started) * 1000),
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "version": __version__,
    }
    if SCHEMA_VERSION and "schema_version" in OPTIONAL_ENVELOPE_KEYS:
        envelope["schema_version"] = SCHEMA_VERSION
    return envelope


def _clean_error(error: ConnectorError) -> tuple[str, dict[str, Any], str]:
    if error.code == "PERMISSION_DENIED":
        return error.message, error.details, error.hint
    message, details, hint = redaction.scrub([error.message, error.details, error.hint])
    return message, details, hint


def _line(envelope: dict[str, Any]) -> str:
    line = json.dumps(envelope, allow_nan=False, separators=(",", ":"))
    # Escapes keep the values; a terminal and a workflow runner see plain text.
    line = line.replace("\x7f", "\\u007f")
    line = redaction.RUNNER_MARK.sub(r"\1\\u005b", line)
    if len(line) > OUTPUT_BYTES:
        raise InternalError("the result is too large")
    return line


def _write(text: str) -> bool:
    """Write to stdout in one go. False when it is closed, full or gone."""
    try:
        try:
            sys.stdout.write(text)
        except UnicodeEncodeError:
            sys.stdout.write(text.encode("ascii", "backslashreplace").decode("ascii"))
        sys.stdout.flush()
        return True
    except (OSError, ValueError, AttributeError):
        _silence_stdout()
        return False


def _silence_stdout() -> None:
    """Keep the interpreter from complaining about stdout when it exits."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError, AttributeError):
        pass
