"""Writes lists and objects into a path, a query, a header or a form.

`styles` names the style of each with the words of the OpenAPI standard, shortened.
Bodies that are not JSON are written here, too.
"""

from __future__ import annotations

import json
import re
from urllib.parse import quote as percent

from .errors import InvalidUsage
from .redaction import quote
from .urls import wire_text

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .inputs import Inputs

    Pair = tuple[str, str]
    Styles = dict[str, str]

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
# The separator of the parts of a list, encoded.
SIGNS = {"comma": ",", "space": "%20", "pipe": "%7C"}
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")


def query_string(values: dict[str, Any], styles: Styles) -> str:
    """A query in which the values with a style are written in it."""
    from . import urls

    parts = []
    for name, value in values.items():
        style = styles.get(name)
        if style is None:
            parts.append(urls.query_string({name: value}))
            continue
        for key, text in pairs(name, value, style):
            parts.append(f"{percent(key, safe='[]')}={text}")
    return "&".join(part for part in parts if part)


def pairs(name: str, value: Any, style: str) -> list[Pair]:
    """The entries of a query or a form: plain names with encoded values."""
    many = value if isinstance(value, list) else [value]
    # The style of an object means nothing for a value that is not one.
    is_plain = style in ("deep", "spread") and not isinstance(value, dict)
    if style.startswith(("repeat", "files")) or is_plain:
        return [(name, _encoded(item)) for item in many]
    if style == "brackets":
        return [(f"{name}[]", _encoded(item)) for item in many]
    if style == "deep":
        return _deep(name, value)
    if style == "spread":
        members = value.items()
        return [(key, _encoded(part)) for key, part in members]
    if style == "json":
        text = json.dumps(
            value, ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )
        return [(name, percent(text, safe=""))]
    return [(name, _joined(value, style))]


def header_text(option: str, value: Any, style: str) -> str:
    """A value as a header; one that a header cannot have is refused."""
    if isinstance(value, dict) and style in ("comma", "equal"):
        between = "=" if style == "equal" else ","
        text = ",".join(
            f"{key}{between}{wire_text(part)}" for key, part in value.items()
        )
    else:
        text = wire_text(value)
    if not text.isascii() or not text.isprintable():
        raise InvalidUsage(
            f"`{option}` contains characters that a header cannot have",
            {"value": quote(text)},
        )
    return text


def path_text(value: Any, style: str) -> str:
    """A value in a path: its parts are encoded, and none of them adds a segment."""
    style, _, name = style.partition("=")
    explodes, style = style.endswith("*"), style.rstrip("*")
    name = percent(name, safe="")
    if isinstance(value, dict) and explodes:
        parts = [
            f"{percent(key, safe='')}={_encoded(part)}" for key, part in value.items()
        ]
    elif isinstance(value, dict):
        parts = [
            text
            for key, part in value.items()
            for text in (percent(key, safe=""), _encoded(part))
        ]
    elif isinstance(value, list):
        parts = [_encoded(item) for item in value]
    else:
        parts = [_encoded(value)]
    if style == "label":
        return "." + ("." if explodes else ",").join(parts)
    if style == "matrix" and explodes:
        named = (
            parts if isinstance(value, dict) else [f"{name}={part}" for part in parts]
        )
        return "".join(f";{part}" for part in named)
    if style == "matrix":
        return f";{name}={','.join(parts)}"
    return ",".join(parts)


def typed(option: str, value: Any) -> Any:
    """The number or truth that a text is, or those of a list."""
    if isinstance(value, list):
        return [typed(option, item) for item in value]
    if not isinstance(value, str):
        return value
    if value in ("true", "false"):
        return value == "true"
    if NUMBER.fullmatch(value):
        return json.loads(value)
    raise InvalidUsage(f"`{option}` must be a number", {"value": quote(value)})


def body(
    values: dict[str, Any], kind: str, styles: Styles, files: set[str]
) -> tuple[bytes, str]:
    """The bytes of a body that is not JSON, and its Content-Type."""
    if "" in values:
        return _bytes(wire_text(values[""])), kind
    found = []
    for name, value in values.items():
        found += pairs(name, value, styles.get(name, "comma"))
    if kind != MULTIPART:
        text = "&".join(f"{percent(key, safe='')}={value}" for key, value in found)
        return text.encode("ascii"), kind
    return _multipart(values, styles, files)


def _multipart(
    values: dict[str, Any], styles: Styles, files: set[str]
) -> tuple[bytes, str]:
    from secrets import token_hex
    from urllib.parse import unquote_to_bytes

    boundary = f"aos-{token_hex(16)}"
    data = b""
    for name, value in values.items():
        style = styles.get(name, "comma")
        is_file = name in files or style.startswith("files")
        if name in files:
            parts = [(name, _bytes(wire_text(value)))]
        else:
            entries = pairs(name, value, style)
            parts = [(key, unquote_to_bytes(text)) for key, text in entries]
        for key, content in parts:
            shown = re.sub(r'[\r\n"]', "_", key)
            head = f'Content-Disposition: form-data; name="{shown}"'
            if is_file:
                head += '; filename="file"'
            if kind := _media_type(style, is_file):
                head += f"\r\nContent-Type: {kind}"
            data += f"--{boundary}\r\n{head}\r\n\r\n".encode() + content + b"\r\n"
    return data + f"--{boundary}--\r\n".encode(), f"{MULTIPART}; boundary={boundary}"


def _media_type(style: str, is_file: bool) -> str:
    """The media type of a part; empty for a plain text."""
    word, _, kind = style.partition("=")
    if word in ("type", "files") and kind:
        return kind
    if is_file:
        return "application/octet-stream"
    return "application/json" if style == "json" else ""


def _joined(value: Any, style: str) -> str:
    sign = SIGNS.get(style, ",")
    if isinstance(value, list):
        return sign.join(_encoded(item) for item in value)
    if isinstance(value, dict) and style == "comma":
        both = [(percent(key, safe=""), _encoded(part)) for key, part in value.items()]
        return ",".join(text for pair in both for text in pair)
    return _encoded(value)


def _deep(name: str, value: Any) -> list[Pair]:
    if isinstance(value, dict):
        return [
            pair
            for key, part in value.items()
            for pair in _deep(f"{name}[{key}]", part)
        ]
    many = value if isinstance(value, list) else [value]
    return [(name, _encoded(item)) for item in many]


def _encoded(value: Any) -> str:
    return percent(_bytes(wire_text(value)), safe="")


def _bytes(text: str) -> bytes:
    # A file that is not text was read byte for byte.
    return text.encode("utf-8", "surrogateescape")


def path_texts(inputs: Inputs, styles: Styles) -> dict[str, str]:
    """The fields of a path that have a style, written in it."""
    named = {
        place.strip("{}"): style for place, style in styles.items() if "{" in place
    }
    return {
        field: path_text(inputs[field], style)
        for field, style in named.items()
        if field in inputs
    }
