"""The items of conformance that a package can fail, judged from what the runner reports.

It is the executable form of the list in docs/augmentors.md, small enough to be read beside it.
"""

from __future__ import annotations

import copy
import functools
import json
import re
import subprocess
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

from host import NODE, ROOT, RUNNERS, Ended, Host, TimedOut

CONTRACT = json.loads((ROOT / "contract/augmentor/v1.1.0/contract.json").read_text())
REASONS = {
    "entry_form": "L1",
    "entry_missing": "L1",
    "import_failed": "L1",
    "factory_failed": "L1",
    "not_callable": "L1",
    "factory_async": "L2",
    "not_a_package": "L2",
    "entry_outside": "L3",
    "too_large": "L5",
}
# A call of a fixture either ends at once or never; the machine may be busy.
CALL_PATIENCE = 30.0
END_PATIENCE = 20.0
PERMISSION_FLAGS = ("--permission", "--experimental-permission")
TYPES = {"object", "array", "string", "number", "integer", "boolean", "null"}


class Judge:
    """One package under test, and the items that it failed."""

    def __init__(self, folder: Path, runtime: str) -> None:
        self.folder, self.runtime = folder, runtime
        places = [folder / "tests" / "calls.json", folder / "calls.json"]
        self.examples = next(place for place in places if place.is_file())
        self.manifest = tomllib.loads((folder / "augmentor.toml").read_text())
        self.caps = self.manifest.get("caps", [])
        entries = self.manifest.get("entries", {})
        self.entry = entries.get(runtime, self.manifest["entry"])
        self.permissions = {
            **CONTRACT["permissions"]["defaults"],
            **self.manifest.get("permissions", {}),
        }
        self.failed: dict[str, list[str]] = defaultdict(list)

    def fail(self, item: str, text: str) -> None:
        self.failed[item].append(text)

    def loaded(self, host: Host) -> dict[str, Any] | None:
        """The facts of a package that loads; None after a failure, which is noted."""
        try:
            answer = host.load(self.entry, CALL_PATIENCE)
        except (Ended, TimedOut) as error:
            self.fail("L1", f"loading: {type(error).__name__}")
            return None
        self.observed(answer)
        if answer["event"] != "loaded":
            self.fail(REASONS[answer["error"]["data"]["reason"]], answer["error"]["message"])
            return None
        if answer["stdout_bytes"] or host.stdout:
            self.fail("L6", f"{max(answer['stdout_bytes'], len(host.stdout))} bytes")
        return answer["facts"]

    def judge(self) -> dict[str, list[str]]:
        with Host(self.folder, self.runtime) as host:
            facts = self.loaded(host)
            if facts is None:
                return dict(self.failed)
            self.names(facts)
            self.schemas(facts)
            self.declared(facts)
            self.projected(facts)
            again = host.ask("describe")["facts"]
        with Host(self.folder, self.runtime) as host:
            fresh = self.loaded(host)
            if not facts == again == fresh:
                self.fail("L8", "two descriptions differ")
        if not self.failed:
            self.calls(facts)
            self.ending()
        if not self.failed and self.runtime == "node":
            self.enforced()
        return dict(self.failed)

    def names(self, facts: dict[str, Any]) -> None:
        keys = {"commands": ("name", "command_name"), "agents": ("id", "agent_id")}
        for key, (name_key, pattern) in keys.items():
            if facts[f"{key}_type"] not in ("list", "absent"):
                self.fail("L4", f"{key} is a {facts[f'{key}_type']}")
            names = [item[name_key] for item in facts[key]]
            for name in names:
                if not isinstance(name, str) or not re.search(CONTRACT["patterns"][pattern], name):
                    self.fail("L4", f"{name!r} is not a name")
                elif names.count(name) > 1:
                    self.fail("L4", f"{name!r} is there twice")
            for item in facts[key]:
                if not item["callable"]:
                    self.fail("L4", f"{item[name_key]!r} cannot be called")
                if item.get("history") is False:
                    self.fail("L4", f"{item[name_key]!r} does not take `history`")
        commands = [command["name"] for command in facts["commands"]]
        for tool in facts["tools"]:
            if tool["name"] not in commands:
                self.fail("L4", f"the tool {tool['name']!r} is not a command")

    def schemas(self, facts: dict[str, Any]) -> None:
        for item in (*facts["commands"], *facts["agents"]):
            self.schema(item["schema"], item["faults"])
        for tool in facts["tools"]:
            self.schema(tool["inputSchema"], tool["faults"])

    def schema(self, schema: Any, faults: list[str]) -> None:
        if faults:
            self.fail("L5", faults[0])
        elif not isinstance(schema, dict) or schema.get("type") != "object":
            self.fail("L5", "the root of the schema is not of type object")
        elif problem := invalid_schema(schema):
            self.fail("L5", problem)

    def declared(self, facts: dict[str, Any]) -> None:
        for cap, key in CONTRACT["package"]["cap_members"].items():
            if (cap in self.caps) != bool(facts[key]):
                self.fail("L7", f"the cap {cap} and {len(facts[key])} {key}")

    def projected(self, facts: dict[str, Any]) -> None:
        """X1 and X2: the commands as MCP clients see them."""
        prefix = self.manifest.get("mcp", {}).get("tool_prefix")
        for command in facts["commands"]:
            name = f"{prefix}_{command['name']}" if prefix else str(command["name"])
            if not re.fullmatch("[A-Za-z0-9_-]{1,64}", name) and "L4" not in self.failed:
                self.fail("X1", name)
        tools = {tool["name"]: tool["inputSchema"] for tool in facts["tools"]}
        for example in json.loads(self.examples.read_text())["calls"]:
            schema = tools.get(example.get("command"))
            if isinstance(schema, dict) and not self.failed:
                missing = set(schema.get("required", [])) - set(example["args"])
                if missing and example.get("error") != "invalid_input":
                    self.fail("X2", f"{missing} is missing")

    def observed(self, answer: dict[str, Any]) -> None:
        """P1: what was seen against what was declared."""
        files, network = self.permissions["filesystem"], self.permissions["network"]
        for entry in answer.get("observed", []):
            kind, target = entry["kind"], entry["target"]
            allowed = {
                "fs.read": files in ("read", "read-write"),
                "fs.write": files in ("write", "read-write"),
                "network": network == "all" or (network == "https" and target.endswith(":443")),
                "lookup": network != "none",
                "program": files == "read-write" and network == "all",
            }
            if not allowed.get(kind, True):
                self.fail("P1", f"{kind} {target}")

    def calls(self, facts: dict[str, Any]) -> None:
        examples = json.loads(self.examples.read_text())["calls"]
        streams = [True, False] if "stream" in self.caps else [False]
        for example in examples:
            for stream in streams:
                self.example(example, stream)
                if self.failed:
                    return
            self.repeated(example)
        for command in facts["commands"]:
            valid = next((e["args"] for e in examples if e.get("command") == command["name"]), {})
            for args in invalid_arguments(command["schema"], valid):
                self.invalid(command["name"], args)

    def request(self, host: Host, example: dict[str, Any], stream: bool) -> int:
        common = {"ctx": {**host.context(), "cwd": str(self.folder)}, "stream": stream}
        if "command" in example:
            return host.send("run", name=example["command"], args=example["args"], **common)
        members = {"message": example["message"], "history": example.get("history")}
        return host.send("handle", name=example["agent"], **members, **common)

    def example(self, example: dict[str, Any], stream: bool) -> None:
        with Host(self.folder, self.runtime) as host:
            self.loaded(host)
            identity = self.request(host, example, stream)
            try:
                answer = host.wait(identity, CALL_PATIENCE)
                host.ask("describe", CALL_PATIENCE)
            except TimedOut:
                return self.fail("R6", "no answer in time")
            except Ended:
                if any(message["event"] == "fault" for message in host.other):
                    return self.fail("R7", "an error outside of every call ended the process")
                return self.fail("R7", "the process ended during the call")
            self.observed(answer)
            if any(message["event"] == "late_chunk" for message in host.other):
                self.fail("R5", "a chunk came after the result")
            if stream and "chunks" in example and host.chunks(identity) != example["chunks"]:
                self.fail("R5", f"chunks {host.chunks(identity)}")
            self.answered(example, answer, stream)

    def answered(self, example: dict[str, Any], answer: dict[str, Any], stream: bool) -> None:
        dropped = [each for each in answer.get("warnings") or [] if "data of the error is dropped" in each]
        if dropped:
            self.fail("R4", dropped[0])
        if fits(example, answer):
            return
        text = json.dumps(answer.get("error") or answer.get("value"))
        reason = ((answer.get("error") or {}).get("data") or {}).get("reason")
        if reason == "chunk" or ("stream" in self.caps and not stream):
            self.fail("R5", text)
        elif reason == "not_json":
            self.fail("R3", text)
        elif "error" in example:
            self.fail("R4", f"{example['error']} was expected: {text}")
        else:
            self.fail("R1", text)

    def repeated(self, example: dict[str, Any]) -> None:
        """R8: the same call twice, then twice at once, in one process."""
        with Host(self.folder, self.runtime) as host:
            self.loaded(host)
            for together in (False, False, True):
                asked = [self.request(host, example, False) for _ in range(1 + together)]
                answers = [host.wait(identity, CALL_PATIENCE) for identity in asked]
                if not all(fits(example, answer) for answer in answers):
                    self.fail("R8", "a later or overlapping call has another result")
                    return

    def invalid(self, name: str, args: Any) -> None:
        """R2: without the validation of a host, the package answers with an AugmentorError."""
        with Host(self.folder, self.runtime) as host:
            self.loaded(host)
            answer = host.run(name, args)
            if answer["event"] != "error" or answer["origin"] != "package":
                self.fail("R2", f"{json.dumps(args)}: {json.dumps(answer.get('error'))}")

    def ending(self) -> None:
        """R11: shutdown answers, and the process ends by itself."""
        with Host(self.folder, self.runtime) as host:
            self.loaded(host)
            try:
                answer = host.ask("shutdown", CALL_PATIENCE)
            except (Ended, TimedOut) as error:
                return self.fail("R11", f"shutdown: {type(error).__name__}")
            if answer["event"] != "stopped":
                self.fail("R11", json.dumps(answer["error"]))
            if not host.ended_by_itself(END_PATIENCE):
                self.fail("R11", "the process did not end")

    def enforced(self) -> None:
        """P2: the examples under what Node can enforce of the declaration."""
        flag = next(flag for flag in PERMISSION_FLAGS if node_accepts(flag))
        options = [flag, f"--allow-fs-read={self.folder}/*", f"--allow-fs-read={RUNNERS}/*"]
        files, network = self.permissions["filesystem"], self.permissions["network"]
        options += ["--allow-fs-read=*"] * (files in ("read", "read-write"))
        options += ["--allow-fs-write=*"] * (files in ("write", "read-write"))
        if (files, network) == ("read-write", "all"):
            options += ["--allow-child-process", "--allow-worker"]
        with Host(self.folder, self.runtime, options=options) as host:
            self.loaded(host)
            for example in json.loads(self.examples.read_text())["calls"]:
                answer = host.wait(self.request(host, example, False), CALL_PATIENCE)
                if not fits(example, answer):
                    self.fail("P2", json.dumps(answer.get("error")))


@functools.cache
def node_accepts(flag: str) -> bool:
    return subprocess.run([NODE, flag, "--version"], capture_output=True).returncode == 0


def fits(example: dict[str, Any], answer: dict[str, Any]) -> bool:
    if "error" in example:
        return answer["event"] == "error" and answer["error"]["code"] == example["error"]
    return answer["event"] == "result" and answer["value"] == example["result"]


def invalid_schema(schema: Any) -> str | None:
    """A first fault of a schema; the real check is a full implementation of JSON Schema."""
    if not isinstance(schema, dict):
        return "a schema is not an object"
    kind = schema.get("type", "object")
    if kind not in TYPES:
        return f"{kind!r} is not a type"
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        return "`required` is not a list of names"
    properties = schema.get("properties", {})
    if not isinstance(properties, dict):
        return "`properties` is not an object"
    return next(
        (problem for part in properties.values() if (problem := invalid_schema(part))), None
    )


def invalid_arguments(schema: dict[str, Any], valid: dict[str, Any]) -> list[Any]:
    """Arguments that do not fit: a required one missing, a wrong type, an unknown one."""
    found: list[Any] = []
    for name in schema.get("required", []):
        found.append({key: value for key, value in valid.items() if key != name})
    for name, part in schema.get("properties", {}).items():
        wrong = copy.deepcopy(valid)
        wrong[name] = 7 if part.get("type") == "string" else "seven"
        found.append(wrong)
    if schema.get("additionalProperties") is False:
        found.append({**valid, "no_such_argument": 1})
    return found
