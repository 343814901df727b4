"""Reports whether commands can run here: the Python, the packages, this package itself.

A directory that was copied but not installed starts, and can even describe
itself; its commands would fail. `health` must not call that healthy.
"""

from __future__ import annotations

import sys

# The oldest Python, as `requires-python` of pyproject.toml says it.
PYTHON = (3, 10)
# Module to import and what pyproject.toml asks for, for every dependency.
REQUIRES = {"click": "click>=8.1,<9"}
# Every module of the runtime. Most are imported only when they are needed.
MODULES = (
    "cli",
    "client",
    "completeness",
    "config",
    "cursors",
    "decoding",
    "doctor",
    "entries",
    "errors",
    "health",
    "inputs",
    "invocation",
    "links",
    "meta",
    "operations",
    "options",
    "output",
    "paging",
    "readiness",
    "redaction",
    "registry",
    "replies",
    "selection",
    "serial",
    "shapes",
    "sizes",
    "sources",
    "strict_json",
    "text",
    "urls",
    "waits",
)


def missing() -> list[str]:
    """Why no command can run, found without an import: fast, but not complete."""
    from importlib.util import find_spec

    problems = _python()
    for module, requirement in REQUIRES.items():
        # A directory that was left behind has a spec, and no origin.
        if getattr(find_spec(module), "origin", None) is None:
            problems.append(f"{requirement} is not installed")
    return problems


def problems() -> list[str]:
    """Everything that would keep a command from running, found by trying it."""
    found = _python()
    for module, requirement in REQUIRES.items():
        found += _dependency(module, requirement)
    return found or _own_modules()


def install_command() -> str:
    """The line that makes the commands run."""
    import os
    from shlex import quote

    from .. import __path__ as places

    harness = os.path.dirname(os.path.abspath(places[0]))
    source = os.path.isfile(os.path.join(harness, "pyproject.toml"))
    package = f"-e {quote(harness)}" if source else _tool()
    too_old = sys.version_info < PYTHON
    if sys.prefix != sys.base_prefix and not too_old:
        return f"{quote(sys.executable)} -m pip install --force-reinstall {package}"
    place = os.path.join(harness, ".venv") if source else os.path.abspath(".venv")
    python = "python{}.{}".format(*PYTHON) if too_old else "python3"
    started = quote(os.path.join(place, "bin", "python"))
    return (
        f"{python} -m venv --clear {quote(place)} && {started} -m pip install {package}"
    )


def _tool() -> str:
    from ..contract_gen import TOOL

    return TOOL


def _python() -> list[str]:
    if sys.version_info >= PYTHON:
        return []
    wanted, found = (".".join(map(str, v[:2])) for v in (PYTHON, sys.version_info))
    return [f"Python {wanted} or newer is needed, this is {found}"]


def _dependency(module: str, requirement: str) -> list[str]:
    from importlib import import_module, metadata

    try:
        imported = import_module(module)
    except ModuleNotFoundError as error:
        if error.name == module:
            return [f"{requirement} is not installed"]
        return [f"{module} cannot be imported: it lacks {error.name}"]
    except Exception as error:  # noqa: BLE001
        return [f"{module} cannot be imported: {type(error).__name__}"]
    if getattr(imported, "__file__", None) is None:
        return [f"{requirement} is not installed: its directory has no module"]
    name = requirement[: len(requirement) - len(requirement.lstrip(_NAME))]
    try:
        version = metadata.version(name)
    except Exception:  # noqa: BLE001
        return []  # it works, and its version is unknown
    if version and not _satisfies(version, requirement[len(name) :]):
        return [f"{requirement} is needed, {version} is installed"]
    return []


def _own_modules() -> list[str]:
    """A package that lost a part of itself, or a handler that cannot be imported."""
    from importlib import import_module

    from ..contract_gen import COMMANDS
    from .errors import ConnectorError
    from .registry import handler

    for name in MODULES:
        try:
            import_module(f"{__package__}.{name}")
        except Exception as error:  # noqa: BLE001
            return [f"the module {name} cannot be imported: {_told(error)}"]
    from . import options

    for command in COMMANDS:
        try:
            options.parse(command, [])
        except Exception as error:  # noqa: BLE001
            return [f"the options of {command} cannot be read: {_told(error)}"]
        try:
            handler(command)
        except ConnectorError as error:
            return [error.message]
        except Exception as error:  # noqa: BLE001
            return [f"{command} cannot be imported: {_told(error)}"]
    return []


def _told(error: BaseException) -> str:
    name = getattr(error, "name", None)
    return f"{type(error).__name__} ({name})" if name else type(error).__name__


_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."


def _satisfies(version: str, wanted: str) -> bool:
    """Whether a version is in a list such as `>=8.1,<9`; an unknown operator is."""
    found = _numbers(version)
    for part in filter(None, (part.strip() for part in wanted.split(","))):
        limit = _numbers(part.lstrip("<>=!~ "))
        length = max(len(found), len(limit))
        left, right = (v + (0,) * (length - len(v)) for v in (found, limit))
        holds = {
            ">=": left >= right,
            "<=": left <= right,
            ">": left > right,
            "<": left < right,
            "==": left == right,
            "!=": left != right,
            "~=": left >= right and found[: len(limit) - 1] == limit[:-1],
        }
        operator = part[: len(part) - len(part.lstrip("<>=!~"))]
        if not holds.get(operator, True):
            return False
    return True


def _numbers(text: str) -> tuple[int, ...]:
    numbers = []
    for part in text.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
    return tuple(numbers)
