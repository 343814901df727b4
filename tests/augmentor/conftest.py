"""The runner, in both languages, where a test does not depend on the language."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from host import FIXTURES, Host

ENTRIES = {"python": "sample.factory", "node": "index.factory"}
FILES = {"python": "sample.py", "node": "index.mjs"}


@pytest.fixture(params=["python", "node"])
def runtime(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def good(runtime: str) -> Iterator[Host]:
    """The good package, loaded."""
    with Host(FIXTURES / runtime / "good", runtime) as host:
        assert host.load(ENTRIES[runtime])["event"] == "loaded"
        yield host


def package(folder: Path, runtime: str, python: str, node: str) -> Path:
    """A package of one command `go` with this body."""
    body = python if runtime == "python" else node
    text = {
        "python": "async def go(args, ctx):\n{}\n\n\ndef factory(**_hooks):\n"
        '    return {{"commands": [{{"name": "go", "schema": {{"type": "object"}}, "run": go}}]}}\n',
        "node": "async function go(args, ctx) {{\n{}\n}}\n\nexport const factory = () =>\n"
        '  ({{ commands: [{{ name: "go", schema: {{ type: "object" }}, run: go }}] }});\n',
    }[runtime]
    indented = "\n".join("    " + line for line in body.splitlines())
    (folder / FILES[runtime]).write_text(text.format(indented))
    return folder
