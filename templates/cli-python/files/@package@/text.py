"""Values of JSON as text for people: members one below the other, lists with dashes."""

from __future__ import annotations

from typing import Any


def render(value: Any) -> str:
    """Show a value to a person."""
    return "\n".join(_lines(value)) + "\n"


def plain(text: str) -> str:
    """Make a text safe for a terminal: control characters are shown, not obeyed."""
    return "".join(
        symbol if symbol in "\n\t" or symbol.isprintable() else f"\\u{ord(symbol):04x}"
        for symbol in text
    )


def _lines(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [line for key, item in value.items() for line in _member(key, item)]
    if isinstance(value, list):
        return [line for item in value for line in _item(item)]
    return _scalar(value).split("\n")


def _member(key: str, value: Any) -> list[str]:
    name = plain(key).replace("_", " ").strip()
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
