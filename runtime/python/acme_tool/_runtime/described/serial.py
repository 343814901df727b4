"""Writes values into a path, a query, a header or a body, in the styles of the table.

The styles are those of the OpenAPI standard, shortened.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote as percent
from urllib.parse import unquote_to_bytes

from ..fault import VALIDATION, Fault

Pair = tuple[str, str]

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
# The separator of the parts of a list, encoded.
SIGNS = {"comma": ",", "space": "%20", "pipe": "%7C"}
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")


def wire_text(value: Any) -> str:
    """Return a value as the text that travels."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ",".join(wire_text(item) for item in value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def encoded(value: Any) -> str:
    """Return a value, percent-encoded."""
    # A file that is not text was read byte for byte.
    return percent(wire_text(value).encode("utf-8", "surrogateescape"), safe="")


def pairs(name: str, value: Any, style: str) -> list[Pair]:
    """Return the entries of a query or a form: plain names with encoded values."""
    many = value if isinstance(value, list) else [value]
    # The style of an object means nothing for a value that is not one.
    if style.startswith(("repeat", "files")) or (
        style in ("deep", "spread") and not isinstance(value, dict)
    ):
        return [(name, encoded(item)) for item in many]
    if style == "brackets":
        return [(f"{name}[]", encoded(item)) for item in many]
    if style == "deep":
        return _deep(name, value)
    if style == "spread":
        return [(key, encoded(part)) for key, part in value.items()]
    if style == "json":
        text = json.dumps(
            value, ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )
        return [(name, percent(text, safe=""))]
    return [(name, _joined(value, style))]


def query_text(found: list[Pair]) -> str:
    """Return entries as a query."""
    return "&".join(f"{percent(key, safe='[]')}={text}" for key, text in found)


def header_text(flag: str, value: Any, style: str) -> str:
    """Return a value as a header; refuse one that a header cannot have."""
    if isinstance(value, dict) and style in ("comma", "equal"):
        between = "=" if style == "equal" else ","
        members = value.items()
        text = ",".join(f"{key}{between}{wire_text(part)}" for key, part in members)
    else:
        text = wire_text(value)
    if not text.isascii() or not text.isprintable():
        raise Fault(
            VALIDATION,
            f"--{flag} contains characters that a header cannot have",
            fix="Use plain ASCII characters",
            flag=f"--{flag}",
        )
    return text


def path_text(value: Any, style: str) -> str:
    """Return a value in a path: its parts are encoded, and none adds a segment."""
    style, _, name = style.partition("=")
    explodes, style = style.endswith("*"), style.rstrip("*")
    name = percent(name, safe="")
    if isinstance(value, dict) and explodes:
        parts = [f"{percent(key, safe='')}={encoded(v)}" for key, v in value.items()]
    elif isinstance(value, dict):
        both = ((percent(key, safe=""), encoded(v)) for key, v in value.items())
        parts = [text for pair in both for text in pair]
    else:
        many = value if isinstance(value, list) else [value]
        parts = [encoded(item) for item in many]
    if style == "label":
        return "." + ("." if explodes else ",").join(parts)
    if style == "matrix" and explodes:
        is_named = isinstance(value, dict)
        return "".join(f";{part}" if is_named else f";{name}={part}" for part in parts)
    if style == "matrix":
        return f";{name}={','.join(parts)}"
    return ",".join(parts)


def typed(flag: str, value: Any) -> Any:
    """Return the number or truth that a text is, or those of a list."""
    if isinstance(value, list):
        return [typed(flag, item) for item in value]
    if not isinstance(value, str):
        return value
    if value in ("true", "false"):
        return value == "true"
    if _NUMBER.fullmatch(value):
        return json.loads(value)
    raise Fault(
        VALIDATION,
        f"--{flag} must be a number",
        fix="Use a number such as 7 or 7.5",
        flag=f"--{flag}",
    )


@dataclass(frozen=True)
class Part:
    """One part of a form: its name, its encoded value, and how it is sent."""

    name: str
    text: str
    style: str
    is_file: bool


def multipart(found: list[Part]) -> tuple[str, bytes]:
    """Return media type and bytes of a form."""
    from secrets import token_hex

    boundary = f"part-{token_hex(16)}"
    content = b""
    for part in found:
        shown = re.sub(r'[\r\n"]', "_", part.name)
        head = f'Content-Disposition: form-data; name="{shown}"'
        if part.is_file:
            head += '; filename="file"'
        if kind := _media_type(part):
            head += f"\r\nContent-Type: {kind}"
        text = unquote_to_bytes(part.text)
        content += f"--{boundary}\r\n{head}\r\n\r\n".encode() + text + b"\r\n"
    content += f"--{boundary}--\r\n".encode()
    return f"{MULTIPART}; boundary={boundary}", content


def _media_type(part: Part) -> str:
    """Return the media type of a part; empty for a plain text."""
    word, _, kind = part.style.partition("=")
    if word in ("type", "files") and kind:
        return kind
    if part.is_file:
        return "application/octet-stream"
    return "application/json" if part.style == "json" else ""


def _joined(value: Any, style: str) -> str:
    sign = SIGNS.get(style, ",")
    if isinstance(value, list):
        return sign.join(encoded(item) for item in value)
    if isinstance(value, dict) and style == "comma":
        both = ((percent(key, safe=""), encoded(v)) for key, v in value.items())
        return ",".join(text for pair in both for text in pair)
    return encoded(value)


def _deep(name: str, value: Any) -> list[Pair]:
    if isinstance(value, dict):
        inner = ((f"{name}[{key}]", part) for key, part in value.items())
        return [pair for key, part in inner for pair in _deep(key, part)]
    many = value if isinstance(value, list) else [value]
    return [(name, encoded(item)) for item in many]
