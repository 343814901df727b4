"""The connector that the runtime is proved with: the one that these tests are in.

Its modules are imported from here, so that the proofs hold for every connector.
"""

import sys
from importlib import import_module

from contract_cases import PACKAGE

_kit = import_module(f"{PACKAGE}._runtime.testkit.subject")
Answer = import_module(f"{PACKAGE}._runtime.testkit.backend").Answer
BACKEND_COMMANDS = _kit.BACKEND_COMMANDS
HARNESS = _kit.HARNESS
SECRETS = _kit.SECRETS
api = _kit.api
gen = _kit.gen
lower_modes = _kit.lower_modes
main = _kit.main
version = _kit.VERSION
words = _kit.words


def module(name):
    """A module of the runtime."""
    return import_module(f"{PACKAGE}._runtime.{name}")


def add(monkeypatch, table, entries):
    """Add entries to a read-only table, in every module that holds it."""
    for name in ("inputs", "options", "invocation", "meta", "readiness"):
        module(name)
    known = getattr(gen, table)
    more = {**known, **entries}
    for loaded in list(sys.modules.values()):
        if vars(loaded).get(table) is known:
            monkeypatch.setattr(loaded, table, more)


def allowed_modes(command):
    """The modes that a command runs in."""
    return gen.MODES[gen.MODES.index(gen.COMMANDS[command]["required_mode"]) :]
