"""Values of JSON as text for people: members one below the other, lists with dashes."""

from __future__ import annotations

import re
from typing import Any

# A workflow runner executes this: two colons at the start of a line; two hashes, a
# word and a bracket anywhere.
_COMMANDS = re.compile(r"(?m)^\s*::|#{2}[a-z]*\[")
# Fillers, joiners and selectors count as printable and can hide a whole message; U+FE0E
# and U+FE0F follow many ordinary symbols.
_HIDDEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0d\uffa0"
    "\U000e0100-\U000e01ef]"
)


def render(value: Any) -> str:
    """Show a value to a person."""
    return "\n".join(_lines(value)) + "\n"


def plain(text: str) -> str:
    """Make a text safe for a terminal and for the log of a workflow.

    Control characters and commands are shown, not obeyed.
    """
    shown = "".join(
        symbol if symbol in "\n\t" or _is_visible(symbol) else f"\\u{ord(symbol):04x}"
        for symbol in text
    )
    return _COMMANDS.sub(_spelled, shown)


def document(text: str) -> str:
    """Escape invisible characters in JSON, and marks that a workflow runner executes.

    The values of the document stay the same.
    """
    shown = "".join(
        symbol if symbol < "\x7f" or _is_visible(symbol) else _escaped(symbol)
        for symbol in text
    )
    return re.sub(r"##([a-z]*)\[", r"##\1\\u005b", shown)


def _is_visible(symbol: str) -> bool:
    """Return whether a symbol shows something of its own."""
    return symbol.isprintable() and not _HIDDEN.match(symbol)


def _spelled(found: re.Match[str]) -> str:
    if found[0].endswith("["):
        return f"{found[0][:-1]}\\u005b"
    return f"{found[0][:-2]}\\u003a:"


def _escaped(symbol: str) -> str:
    units = symbol.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _lines(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [line for key, item in value.items() for line in _member(key, item)]
    if isinstance(value, list):
        return [line for item in value for line in _item(item)]
    return _scalar(value).split("\n")


def _member(key: str, value: Any) -> list[str]:
    name = plain(" ".join(key.replace("_", " ").splitlines())).strip()
    if isinstance(value, dict | list):
        if not value:
            return [f"{name}: none"]
        return [f"{name}:", *(f"  {line}" for line in _lines(value))]
    first, *rest = _scalar(value).split("\n")
    return [f"{name}: {first}", *(f"  {line}" for line in rest)]


def _item(value: Any) -> list[str]:
    first, *rest = _lines(value) or [""]
    return [f"- {first}", *(f"  {line}" for line in rest)]


def _scalar(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return plain(str(value))
