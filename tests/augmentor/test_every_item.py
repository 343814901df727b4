"""Each item of the list in docs/augmentors.md has something broken that fails exactly it, in both languages.

A package breaks most items: a folder in `fixtures`. A host breaks the others: a runner with one changed line.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from conftest import ENTRIES
from host import FIXTURES, ROOT, RUNNERS, Host
from test_items import packages

RUNTIMES = ("python", "node")
ITEMS = [
    *(f"L{number}" for number in range(1, 9)),
    *(f"R{number}" for number in range(1, 12)),
    *("P1", "P2", "X1", "X2", "X3", "X4"),
]
# Python has no permission model, and the network namespace applies to every call, so R1 fails first.
WITHOUT_FIXTURE = {("python", "P2")}
# How long a process may outlive its host; one that must not end is waited for only shortly.
PATIENCE, SHORTLY = 60.0, 1.0

# The item, the runtime, and what a broken host has in place of a text of its runner.
BROKEN_HOSTS = [
    ("R9", "python", '"env": dict(given["env"])}', '"env": dict(given["env"]), "more": 1}'),
    ("R9", "python", '"env": dict(given["env"])', '"env": given["env"] | {"OTHER": "1"}'),
    ("R9", "python", "        os.environ.clear()\n", ""),
    ("R9", "node", "env: { ...env }, signal }", "env: { ...env }, signal, more: 1 }"),
    ("R9", "node", "env: { ...env }", 'env: { ...env, OTHER: "1" }'),
    ("R9", "node", "delete process.env[name];", ";"),
    ("R10", "python", '"name", request["name"]),', '"name", request["name"]) or {"run": lambda *_: {}},'),
    ("R10", "python", '"unknown_agent"\n', '"internal_error"\n'),
    ("R10", "node", '["commands", "name", "unknown_command"]', '["commands", "name", "internal_error"]'),
    ("R10", "node", '"unknown_agent"]', '"unknown_command"]'),
    ("X3", "python", 'if request.get("stream"):', "if True:"),
    ("X3", "node", "if (request.stream) context", "context"),
    ("X4", "python", "            if request is None:\n", "            if request is None:\n                continue\n"),
    ("X4", "node", 'input.on("end", end);', 'input.on("end", () => setInterval(() => {}, 9));'),
]


def items_of_the_host(
    runtime: str, runners: Path = RUNNERS, patience: float = PATIENCE
) -> dict[str, str]:
    """The items of the host that a runner fails, with what was seen."""
    failed: dict[str, str] = {}
    with Host(FIXTURES / runtime / "good", runtime, runners=runners) as host:
        host.load(ENTRIES[runtime])
        ctx = host.context(TOKEN="t")
        value = host.ask("run", name="context", args={"text": "x"}, ctx=ctx)["value"]
        keys = ["cwd", "env", "run_id"] if runtime == "python" else ["cwd", "env", "runId", "signal"]
        given = {"PATH": os.environ["PATH"], "TOKEN": "t"}
        if [key for key in value["keys"] if key != "stream"] != keys:
            failed["R9"] = f"members {value['keys']}"
        elif value["env"] != given or value["process"] != ["PATH"]:
            failed["R9"] = f"variables {value['env']} and {value['process']}"
        for op, more, code in (
            ("run", {"args": {"text": "x"}}, "unknown_command"),
            ("handle", {"message": "x"}, "unknown_agent"),
        ):
            answer = host.ask(op, name="nobody", ctx=ctx, **more)
            if answer.get("error", {}).get("code") != code:
                failed["R10"] = f"{op}: {answer}"
        identity = host.send("run", name="count", args={"text": "abc"}, ctx=ctx)
        host.wait(identity)
        if host.chunks(identity):
            failed["X3"] = f"chunks {host.chunks(identity)}"
        host.close_requests()
        if not host.ended_by_itself(patience):
            failed["X4"] = "it outlives its host"
    return failed


@pytest.mark.parametrize("case", BROKEN_HOSTS, ids=lambda case: f"{case[0]}-{case[1]}")
def test_a_broken_host_fails_exactly_its_item(case: tuple[str, str, str, str], tmp_path: Path) -> None:
    item, runtime, old, new = case
    runners = Path(shutil.copytree(RUNNERS, tmp_path / "runners"))
    runner = runners / {"python": "runner.py", "node": "runner.mjs"}[runtime]
    text = runner.read_text()
    assert text.count(old) == 1, old
    runner.write_text(text.replace(old, new))
    patience = SHORTLY if item == "X4" else PATIENCE
    assert list(items_of_the_host(runtime, runners, patience)) == [item]


def test_the_host_keeps_its_items(runtime: str) -> None:
    assert items_of_the_host(runtime) == {}


@pytest.mark.parametrize("item", ITEMS)
def test_every_item_has_a_broken_fixture_in_both_languages(item: str) -> None:
    for runtime in RUNTIMES:
        broken = {name.partition("_")[0].upper() for name in packages(runtime)}
        broken |= {host[0] for host in BROKEN_HOSTS if host[1] == runtime}
        assert (item in broken) != ((runtime, item) in WITHOUT_FIXTURE), f"{runtime}: {item}"


def test_the_list_has_every_item_of_the_documentation() -> None:
    text = (ROOT / "docs" / "augmentors.md").read_text()
    assert set(re.findall(r"^\| ([LRPX]\d+) \|", text, re.MULTILINE)) == set(ITEMS)
