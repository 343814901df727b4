"""Finds the function that carries out a command.

A handler is a function in `commands/<resource>.py`, where the resource is the
first word of the command id, marked with `@command("issue.list")`. It takes
the inputs and the API, and returns a dict: the `data` of the envelope.
Modules are imported only when one of their commands runs.
"""

from __future__ import annotations

from importlib import import_module

from ..contract_gen import REQUIRED_COMMANDS
from .errors import InternalError

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    # A function of `inputs` and `api` that returns the data of the envelope.
    Handler = Callable[..., Any]

# Commands that the runtime itself carries out.
BUILT_IN = (*REQUIRED_COMMANDS, "doctor")
HANDLERS: dict[str, Handler] = {}
# The package of the connector, which holds `commands` and this runtime.
_TOP = __package__.rpartition(".")[0]


def command(command_id: str) -> Callable[[Handler], Handler]:
    """Register the decorated function as the handler of a command."""

    def register(function: Handler) -> Handler:
        if command_id in HANDLERS:
            raise InternalError(f"two handlers are registered for {command_id}")
        HANDLERS[command_id] = function
        return function

    return register


def handler(command_id: str) -> Handler:
    """The handler of a command, importing its module if need be."""
    if command_id not in HANDLERS:
        name = f"{_TOP}.{module_name(command_id)}"
        try:
            import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
    if command_id not in HANDLERS:
        place = module_name(command_id)
        raise InternalError(
            f"no handler is registered for {command_id}",
            hint=f'write one in `{place}` with `@command("{command_id}")`',
        )
    return HANDLERS[command_id]


def module_name(command_id: str) -> str:
    """The module that holds a command, relative to the package of the connector."""
    if command_id in BUILT_IN:
        return "_runtime.meta"
    resource = command_id.split(".")[0]
    return "commands." + "".join(c if c.isalnum() else "_" for c in resource)
