"""Finds commands, flags and codes that no test has called, at the end of a whole run.

Calls that are taken from `reference` do not count: they would cover a command that nobody
has thought about.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ... import contract_gen
from ...__main__ import load
from .. import fault
from . import ledger
from .sandbox import ROOT, Result, Sandbox

RUNTIME = Path(__file__).resolve().parent.parent

OF_THE_RUNTIME = {
    value for value in vars(fault).values() if str(value).startswith("E_")
}


def missing(reference: dict[str, Any], *, everything: bool = False) -> list[str]:
    """Return what no test has called: commands, flags and codes of the tool.

    With `everything` those that the runtime brings count as well.
    """
    own = {command.path for command in load().own_commands}
    found = []
    passed: set[str] = set()
    for command in reference["commands"]:
        path, params = command["path"], [each["name"] for each in command["params"]]
        # A call by a former name is a call of the command.
        paths = [path, *command.get("aliases", ())]
        flags = _flags(paths)
        passed |= flags or set()
        if path not in own and not everything:
            continue
        succeeded = _flags(paths, succeeded=True)
        if succeeded is None:
            found.append(f"{path} with success")
        elif "dry-run" in params and "--dry-run" not in (succeeded or ()):
            found.append(f"{path} --dry-run with success")
        ignored = () if everything else ("fields",)
        found += [
            f"{path} --{name}"
            for name in params
            if f"--{name}" not in (flags or ()) and name not in ignored
        ]
    if everything:
        names = {f"--{param['name']}" for param in reference["global_flags"]}
        found += sorted(names - passed)
    codes = set(contract_gen.CODES)
    return found + sorted(
        (codes if everything else codes - OF_THE_RUNTIME) - ledger.MET
    )


def _flags(paths: Sequence[str], *, succeeded: bool = False) -> set[str] | None:
    found = [ledger.flags_of(path, succeeded=succeeded) for path in paths]
    called = [flags for flags in found if flags is not None]
    return set().union(*called) if called else None


def check(tool: Sandbox, request: pytest.FixtureRequest) -> None:
    """Fail for what no test has called; skip when only a part of the tests runs."""
    whole(request)
    assert missing(tool.run("reference").ok()) == []


def changed_files() -> list[str]:
    """Return the files of the runtime that are not as `.agent/spec.lock` records them.

    A part that the tool owns is not in the lock, and not compared.
    """
    lock = (ROOT / ".agent" / "spec.lock").read_text(encoding="utf-8")
    recorded = dict(
        re.findall(r'^"([^"]+)" = "sha256:([0-9a-f]{64})"$', lock, re.MULTILINE)
    )
    below = f"{RUNTIME.relative_to(ROOT).as_posix()}/"
    compared = {path: recorded[path] for path in recorded if path.startswith(below)}
    if not compared:
        return [f".agent/spec.lock records no file of {below}"]
    return [path for path in compared if _digest(ROOT / path) != compared[path]]


def undeclared_fields(tool: Sandbox) -> list[str]:
    """Return the fields of queries that their schema does not declare.

    Looks at the answer to each example, and at every answer that a test got so far.
    `missing` reports a command that never answered.
    """
    schemas = tool.run("reference").ok()["schemas"]
    found: set[str] = set()
    for command in load().own_commands:
        if command.writes or command.stream:
            continue
        schema = schemas[command.output]
        for data in [*_answers(tool, command.calls), *ledger.answers_of(command.path)]:
            entries = [(data, schema)]
            if "items_schema" in schema:
                entry = schemas[schema["items_schema"]]
                entries += [(item, entry) for item in data.get("items", [])]
            for value, declared in entries:
                extra = set(value) - set(declared["fields"])
                found |= {f"{command.path}: {name}" for name in extra}
    return sorted(found)


def _answers(tool: Sandbox, calls: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Run calls; give the data of those that succeed in this sandbox."""
    for call in calls:
        result = tool.derived(*shlex.split(call)[1:])
        if not result.exit and result.stdout.startswith(b"{"):
            yield result.ok()


def broken_examples(tool: Sandbox) -> list[str]:
    """Return the examples in `reference` that are no valid calls."""
    return [
        call
        for command in load().own_commands
        for call in command.calls
        if "--confirm" not in shlex.split(call)
        and _refused(tool.derived(*shlex.split(call)[1:]))
    ]


def _refused(result: Result) -> bool:
    return b'"E_USAGE"' in result.stdout or "(E_USAGE)" in result.stderr


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def whole(request: pytest.FixtureRequest) -> None:
    """Skip a test unless every test of its directory runs."""
    ran = {item.path for item in request.session.items}
    option = request.config.option
    tests = set(Path(str(request.path)).parent.glob("test_*.py"))
    if option.keyword or option.markexpr or not tests <= ran:
        pytest.skip("only a whole run says what is covered")
