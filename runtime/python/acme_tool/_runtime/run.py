"""One run: from the words of a call to one answer and one exit code."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from ..about import TOOL
from . import cli, fault, signals
from .app import App
from .config import env
from .fault import USAGE, Fault
from .output import Printer
from .redact import Redactor, is_secret_name

if TYPE_CHECKING:
    from .tool import Tool

# Variables of other tools whose values are never printed.
_SECRET_VARIABLES = ("GITHUB_TOKEN", "GH_TOKEN", "NPM_TOKEN", "NODE_AUTH_TOKEN")


def run(words: Sequence[str], load: Callable[[], Tool]) -> int:
    """Carry out one call of the tool that `load` returns; return its exit code."""
    started = time.monotonic()
    redactor = Redactor()
    redactor.add(*_secrets())
    printer = Printer(redactor, started=started)
    printer.format, printer.compact, printer.quiet = cli.scan(words)

    def give_up() -> None:
        # The command does not end: the answer is given without it.
        failed = fault.cancelled()
        printer.failure(failed)
        os._exit(failed.exit)

    try:
        signals.install(give_up)
        try:
            tool = load()
            redactor.add(*tool.secrets())
            cli.invoke(App(tool, printer, redactor), words, started)
        except Exception as error:  # noqa: BLE001
            printer.failure(_fault(error))
        signals.ignore()
    except signals.Interrupted:
        printer.failure(fault.cancelled())
    return printer.exit or 0


def _fault(error: Exception) -> Fault:
    if isinstance(error, Fault):
        return error
    if isinstance(error, click.ClickException):
        return Fault(
            USAGE,
            f"the command line cannot be parsed: {error.format_message()}",
            fix=f"See `{TOOL} reference` for the flags of each command",
        )
    return fault.unexpected(error)


def _secrets() -> list[str]:
    return [
        value
        for name, value in os.environ.items()
        if name in _SECRET_VARIABLES
        or (name.startswith(env("")) and is_secret_name(name))
    ]
