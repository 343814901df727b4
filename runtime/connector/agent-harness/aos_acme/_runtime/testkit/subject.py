"""The connector under test, whatever its name is."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from ... import __version__, api
from ... import contract_gen as gen
from ..cli import main
from ..registry import BUILT_IN

# Generated beside the tests: the expected surface, independent of the code that runs.
cases = import_module("contract_cases")

PACKAGE = __package__.partition(".")[0]
TESTS = Path(str(cases.__file__)).resolve().parent
HARNESS = TESTS.parent
REPOSITORY = HARNESS.parent
SOURCES = HARNESS / PACKAGE
VERSION = __version__

# One value per service key: unlike any word, and changed by every encoding.
SECRETS = {key: f'xQ7vZk9J/{at}w2+Xy"5Hq8Rb' for at, key in enumerate(gen.SERVICE_KEYS)}
# The commands of this connector alone.
BACKEND_COMMANDS = [name for name in gen.COMMANDS if name not in BUILT_IN]

__all__ = [
    "BACKEND_COMMANDS",
    "HARNESS",
    "PACKAGE",
    "REPOSITORY",
    "SECRETS",
    "SOURCES",
    "VERSION",
    "api",
    "cases",
    "gen",
    "lower_modes",
    "main",
    "words",
]


def words(command: str) -> list[str]:
    """The words that call a command."""
    return command.split(".")


def lower_modes(command: str) -> tuple[str, ...]:
    """The modes that a command refuses."""
    return gen.MODES[: gen.MODES.index(gen.COMMANDS[command]["required_mode"])]
