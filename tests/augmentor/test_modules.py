"""The generated ABI module in Python. modules.test.mjs has the same tests for JavaScript."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from host import ROOT

MODULES = ROOT / "src" / "families" / "augmentor" / "module"
CASES = json.loads((Path(__file__).parent / "check_cases.json").read_text(encoding="utf-8"))
CONTRACT = json.loads((ROOT / "contract/augmentor/v1.1.0/contract.json").read_text())
SPEC = importlib.util.spec_from_file_location("contract_gen", MODULES / "interface.py")
assert SPEC is not None and SPEC.loader is not None
abi = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(abi)


def both(case: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    if "schema" in case:
        return case["schema"], case["args"]
    return {"type": "object", "properties": {"a": case["member"]}}, {"a": case["value"]}


@pytest.mark.parametrize("case", CASES, ids=json.dumps)
def test_check_finds_these_faults(case: dict[str, Any]) -> None:
    schema, args = both(case)
    assert abi.unchecked_keywords(schema) == []
    if not case["faults"]:
        assert abi.check(schema, args) == args
        return
    with pytest.raises(abi.AugmentorError) as caught:
        abi.check(schema, args)
    assert caught.value.code == "invalid_input"
    assert [error["path"] for error in caught.value.data["errors"]] == case["faults"]


def test_a_keyword_that_is_not_checked_is_named() -> None:
    schema = abi.object_schema({"a": {"type": "array", "items": {"multipleOf": 2}}})
    assert abi.unchecked_keywords({**schema, "anyOf": []}) == ["anyOf", "multipleOf"]


def test_a_schema_requires_all_that_is_not_optional() -> None:
    schema = abi.object_schema({"a": {}, "b": {}}, optional=["b"])
    assert schema["required"] == ["a"]
    assert schema["additionalProperties"] is False


def test_chunks_go_to_the_host_that_wants_them() -> None:
    chunks: list[Any] = []
    abi.stream_text({"stream": chunks.append}, "a")
    abi.stream_event({"stream": chunks.append}, {"b": 1})
    abi.stream_text({}, "nobody wants it")
    assert chunks == [{"type": "text", "data": "a"}, {"type": "event", "data": {"b": 1}}]


def test_the_tables_are_those_of_the_contract() -> None:
    codes = {code: entry["retryable"] for code, entry in CONTRACT["error"]["codes"].items()}
    assert dict(abi.ERROR_CODES) == codes
    assert CONTRACT["tag"] == abi.SPEC_TAG
    assert CONTRACT["abi"]["default"] == abi.ABI
    assert CONTRACT["caps"] == list(abi.CAPS)
    assert CONTRACT["package"]["cap_members"] == dict(abi.CAP_MEMBERS)
    assert CONTRACT["permissions"]["filesystem"] == list(abi.FILESYSTEM_PERMISSIONS)
    assert CONTRACT["permissions"]["network"] == list(abi.NETWORK_PERMISSIONS)
    assert CONTRACT["limits"] == dict(abi.LIMITS)
    patterns = CONTRACT["patterns"]
    names = [patterns[name] for name in ("command_name", "agent_id", "tool_name")]
    assert names == [abi.COMMAND_NAME, abi.AGENT_ID, abi.TOOL_NAME]
    assert CONTRACT["mcp"]["separator"] == abi.TOOL_SEPARATOR


def test_the_types_are_those_of_the_contract() -> None:
    context = CONTRACT["context"]["python"]
    assert set(abi.AugmentorContext.__annotations__) == set(context)
    required = {name for name, entry in context.items() if entry["required"]}
    assert abi.AugmentorContext.__required_keys__ == required
    assert set(abi.AugmentorPackage.__annotations__) == set(CONTRACT["package"]["keys"])
    assert set(abi.AugmentorTool.__annotations__) == set(CONTRACT["package"]["tool_keys"])
    assert set(abi.Chunk.__annotations__) == set(CONTRACT["chunk"]["keys"])
    assert set(abi.HistoryEntry.__annotations__) == set(CONTRACT["history"]["keys"])
