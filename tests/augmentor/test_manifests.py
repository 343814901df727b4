"""Manifests that are right, and one for each fault, judged by the data of the contract alone."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from host import FIXTURES, ROOT

CONTRACT = json.loads((ROOT / "contract/augmentor/v1.1.0/contract.json").read_text())
MANIFESTS = sorted((FIXTURES / "manifest").glob("*.toml"))
TYPES = {"string": str, "list": list, "table": dict}


def listed(path: str) -> list[str]:
    value: Any = CONTRACT
    for key in path.split("."):
        value = value[key]
    assert isinstance(value, list)
    return value


def faults(data: dict[str, Any], keys: str, unknown: str, runtime: Any) -> list[str]:
    """What is wrong with a table, by the members of the contract alone."""
    known = CONTRACT["manifest"][keys]
    found = [
        f"{key} is missing" for key, rule in known.items() if rule["required"] and key not in data
    ]
    if CONTRACT["manifest"]["unknown_keys"][unknown] == "error":
        found += [f"{key} is unknown" for key in data if key not in known]
    for key, rule in known.items():
        if key not in data:
            continue
        value = data[key]
        if not isinstance(value, TYPES[rule["type"]]):
            found.append(f"{key} is not a {rule['type']}")
            continue
        items = value if isinstance(value, list) else [value]
        if len(items) != len({str(item) for item in items}):
            found.append(f"{key} has an item twice")
        if "enum" in rule and not all(item in listed(rule["enum"]) for item in items):
            found.append(f"{key} has an unknown value")
        if "pattern" in rule:
            pattern = CONTRACT["patterns"][rule["pattern"]]
            if isinstance(pattern, dict):
                pattern = pattern.get(key if unknown == "entries" else runtime, "^$")
            if not all(isinstance(item, str) and re.search(pattern, item) for item in items):
                found.append(f"{key} has the wrong form")
    return found


def judged(text: str) -> list[str]:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return [str(error)]
    runtime = data.get("runtime")
    found = faults(data, "keys", "manifest", runtime)
    for table in ("entries", "permissions", "mcp"):
        if isinstance(data.get(table), dict):
            found += faults(data[table], f"{table}_keys", table, runtime)
    if "entries" in data and data["entries"].get(runtime) != data.get("entry"):
        found.append("entries and entry disagree")
    return found


@pytest.mark.parametrize("file", MANIFESTS, ids=lambda file: file.stem)
def test_the_contract_accepts_what_is_right_and_nothing_else(file: Path) -> None:
    right = file.stem.startswith("good") or file.stem.endswith("_warning")
    found = judged(file.read_text(encoding="utf-8"))
    assert (found == []) == right, found
