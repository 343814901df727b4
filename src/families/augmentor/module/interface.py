"""The ABI of augmentors, as aos generates it from contract.json.

Do not edit: move the pin with `aos sync-spec`, or run `aos gen`.
"""

# fmt: off
# ruff: noqa
# ruff: noqa: PGH004
# isort: skip_file

from __future__ import annotations

import re
from types import MappingProxyType
from typing import (
    Any, Awaitable, Callable, Dict, Final, Iterator, List, Literal, Mapping, Optional, Protocol, Sequence, Tuple,
    TypedDict, Union,
)

# --- tables ---
# The contract that this file was generated from.
SPEC_TAG: Final = "v1.1.0"
# The version of the interface; the value of `abi` in augmentor.toml.
ABI: Final = "1.0"
# What a package can declare.
CAPS: Final[Tuple[str, ...]] = ("command", "agent", "tool", "stream", "memory")
# The member of the package that a cap needs.
CAP_MEMBERS: Final[Mapping[str, str]] = MappingProxyType({"command": "commands", "agent": "agents", "tool": "tools"})
# Values of `filesystem` in augmentor.toml.
FILESYSTEM_PERMISSIONS: Final[Tuple[str, ...]] = ("none", "read", "write", "read-write")
# Values of `network` in augmentor.toml.
NETWORK_PERMISSIONS: Final[Tuple[str, ...]] = ("none", "https", "all")
# Codes of the host, and whether the same call may succeed later.
ERROR_CODES: Final[Mapping[str, bool]] = MappingProxyType({
    "load_failed": False,
    "unknown_command": False,
    "unknown_agent": False,
    "invalid_input": False,
    "invalid_result": False,
    "permission_denied": False,
    "timeout": True,
    "cancelled": False,
    "crashed": True,
    "internal_error": False,
})
# The form of names of commands.
COMMAND_NAME: Final = "^[A-Za-z][A-Za-z0-9_-]{0,63}$"
# The form of ids of agents.
AGENT_ID: Final = "^[A-Za-z][A-Za-z0-9_-]{0,63}$"
# The form of names of MCP tools.
TOOL_NAME: Final = "^[A-Za-z0-9_-]{1,64}$"
# Joins the prefix and the name of a command.
TOOL_SEPARATOR: Final = "_"
# Limits of a host that sets no others.
LIMITS: Final[Mapping[str, int]] = MappingProxyType({
    "manifest_bytes": 65536,
    "message_bytes": 1048576,
    "schema_bytes": 65536,
    "json_depth": 64,
    "commands": 256,
    "agents": 64,
    "chunks": 10000,
    "error_message_chars": 4096,
    "load_seconds": 10,
    "call_seconds": 60,
    "shutdown_seconds": 5,
})
# --- end of tables ---

JsonObject = Dict[str, Any]
Schema = Dict[str, Any]


class Chunk(TypedDict):
    """A piece of partial output."""

    type: Literal["text", "event"]
    data: Any


class HistoryEntry(TypedDict):
    """An earlier message of the conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str


class _Context(TypedDict):
    run_id: str
    cwd: str
    env: Dict[str, str]


class AugmentorContext(_Context, total=False):
    """What a host passes to every call."""

    mcp_client: Any
    telemetry: Dict[str, Any]
    stream: Callable[[Chunk], None]
    history: List[HistoryEntry]


class AugmentorCommand(Protocol):
    """A command; it may have a `description` too."""

    name: str
    schema: Schema

    def run(self, args: JsonObject, ctx: AugmentorContext) -> Union[JsonObject, Awaitable[JsonObject]]:
        """Does the work, or raises AugmentorError."""


class AugmentorAgent(Protocol):
    """An agent; it may have a `description` too."""

    id: str
    schema: Schema

    def handle(
        self, message: str, ctx: AugmentorContext, *, history: Optional[List[HistoryEntry]] = None
    ) -> Union[JsonObject, Awaitable[JsonObject]]:
        """Answers a message, or raises AugmentorError."""


class AugmentorTool(TypedDict, total=False):
    """Replaces description and schema of a command for MCP."""

    name: str
    description: str
    inputSchema: Schema


class AugmentorPackage(TypedDict, total=False):
    """What a factory returns."""

    commands: Sequence[AugmentorCommand]
    agents: Sequence[AugmentorAgent]
    tools: Sequence[AugmentorTool]
    shutdown: Callable[[], Union[None, Awaitable[None]]]


class AugmentorError(Exception):
    """An error with a code. Every host shows the three members; `data` is JSON."""

    def __init__(self, code: str, message: str, data: Optional[JsonObject] = None) -> None:
        super().__init__(message)
        self.code: str = code
        self.message: str = message
        self.data: Optional[JsonObject] = data


def stream_text(ctx: AugmentorContext, text: str) -> None:
    """Passes on partial text, if the host wants it."""
    if "stream" in ctx:
        ctx["stream"]({"type": "text", "data": text})


def stream_event(ctx: AugmentorContext, data: Any) -> None:
    """Passes on an event, if the host wants it. `data` is JSON."""
    if "stream" in ctx:
        ctx["stream"]({"type": "event", "data": data})


def object_schema(properties: Mapping[str, Schema], optional: Sequence[str] = ()) -> Schema:
    """The schema of an object with these members and no others; all but `optional` are required."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


# Keywords that `check` knows, and those that say nothing about validity. A host knows all of JSON Schema.
CHECKED_KEYWORDS: Final = frozenset({
    "type", "enum", "const", "properties", "required", "additionalProperties", "items", "minItems", "maxItems",
    "minLength", "maxLength", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
})
ANNOTATIONS: Final = frozenset({"$schema", "$id", "$comment", "title", "description", "default", "examples", "format"})


def check(schema: Schema, args: Any) -> JsonObject:
    """Returns `args`, or raises AugmentorError("invalid_input") with each fault in `data.errors`."""
    errors = [{"path": path, "message": message} for path, message in _faults(schema, args, "")][:20]
    if errors:
        first = errors[0]
        raise AugmentorError("invalid_input", f"{first['path'] or 'the arguments'}: {first['message']}", {"errors": errors})
    return dict(args)


def unchecked_keywords(schema: Schema) -> List[str]:
    """Keywords of a schema that `check` would pass over."""
    found = [key for key in schema if key not in CHECKED_KEYWORDS and key not in ANNOTATIONS]
    parts = [part for part in schema.get("properties", {}).values() if isinstance(part, dict)]
    parts += [schema[key] for key in ("items", "additionalProperties") if isinstance(schema.get(key), dict)]
    for part in parts:
        found += unchecked_keywords(part)
    return sorted(set(found))


def _is(kind: str, value: Any) -> bool:
    if kind == "null":
        return value is None
    if kind == "boolean":
        return isinstance(value, bool)
    if kind in ("number", "integer"):
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return number and (kind == "number" or float(value).is_integer())
    return isinstance(value, {"string": str, "array": list, "object": dict}.get(kind, ()))


def _equal(left: Any, right: Any) -> bool:
    """Equality of JSON: true is not 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_equal, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_equal(left[key], right[key]) for key in left)
    return bool(left == right)


def _faults(schema: Schema, value: Any, path: str) -> Iterator[Tuple[str, str]]:
    kinds = schema.get("type")
    if isinstance(kinds, str):
        kinds = [kinds]
    if kinds is not None and not any(_is(kind, value) for kind in kinds):
        yield path, f"must be of type {' or '.join(kinds)}"
        return
    if "enum" in schema and not any(_equal(value, one) for one in schema["enum"]):
        yield path, "must be one of " + ", ".join(str(one) for one in schema["enum"])
    if "const" in schema and not _equal(value, schema["const"]):
        yield path, f"must be {schema['const']}"
    if isinstance(value, str):
        yield from _size(schema, len(value), path, "Length", "characters")
        if "pattern" in schema and not re.search(schema["pattern"], value):
            yield path, f"must match {schema['pattern']}"
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from _range(schema, value, path)
    elif isinstance(value, list):
        yield from _size(schema, len(value), path, "Items", "items")
        if isinstance(schema.get("items"), dict):
            for index, item in enumerate(value):
                yield from _faults(schema["items"], item, f"{path}/{index}")
    elif isinstance(value, dict):
        yield from _members(schema, value, path)


def _size(schema: Schema, size: int, path: str, what: str, unit: str) -> Iterator[Tuple[str, str]]:
    if size < schema.get(f"min{what}", 0):
        yield path, f"must have at least {schema[f'min{what}']} {unit}"
    if size > schema.get(f"max{what}", size):
        yield path, f"must have at most {schema[f'max{what}']} {unit}"


def _range(schema: Schema, value: float, path: str) -> Iterator[Tuple[str, str]]:
    if value < schema.get("minimum", value):
        yield path, f"must be at least {schema['minimum']}"
    if value > schema.get("maximum", value):
        yield path, f"must be at most {schema['maximum']}"
    if "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]:
        yield path, f"must be more than {schema['exclusiveMinimum']}"
    if "exclusiveMaximum" in schema and value >= schema["exclusiveMaximum"]:
        yield path, f"must be less than {schema['exclusiveMaximum']}"


def _members(schema: Schema, value: JsonObject, path: str) -> Iterator[Tuple[str, str]]:
    known = schema.get("properties", {})
    for name in schema.get("required", []):
        if name not in value:
            yield f"{path}/{_pointer(name)}", "is required"
    for name, item in value.items():
        place = f"{path}/{_pointer(str(name))}"
        if name in known:
            yield from _faults(known[name], item, place)
        elif schema.get("additionalProperties") is False:
            yield place, "is not a known argument"
        elif isinstance(schema.get("additionalProperties"), dict):
            yield from _faults(schema["additionalProperties"], item, place)


def _pointer(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
