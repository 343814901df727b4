"""The connector under test, whatever its name is.

Tests import its modules from here, so that they hold for every connector.
"""

import sys
from importlib import import_module
from pathlib import Path

from contract_cases import PACKAGE

HARNESS = Path(__file__).resolve().parent.parent
REPOSITORY = HARNESS.parent

try:
    import_module(PACKAGE)
except ModuleNotFoundError:  # a checkout that was not installed
    sys.path.insert(0, str(HARNESS))


def module(name):
    return import_module(f"{PACKAGE}.{name}")


api = module("api")
gen = module("contract_gen")
main = module("cli").main
version = import_module(PACKAGE).__version__

# One value per service key: unlike any word, and changed by every encoding.
SECRETS = {key: f'xQ7vZk9J/{at}w2+Xy"5Hq8Rb' for at, key in enumerate(gen.SERVICE_KEYS)}
BACKEND_COMMANDS = [name for name in gen.COMMANDS if name not in gen.REQUIRED_COMMANDS]


def add(monkeypatch, table, entries):
    """Add entries to a read-only table, in every module that holds it."""
    for name in ("inputs", "options", "invocation", "meta", "runtime"):
        module(name)
    known = getattr(gen, table)
    more = {**known, **entries}
    for loaded in list(sys.modules.values()):
        if vars(loaded).get(table) is known:
            monkeypatch.setattr(loaded, table, more)


def words(command):
    """The words that call a command."""
    return command.split(".")


def lower_modes(command):
    return gen.MODES[: gen.MODES.index(gen.COMMANDS[command]["required_mode"])]


def allowed_modes(command):
    return gen.MODES[gen.MODES.index(gen.COMMANDS[command]["required_mode"]) :]
