"""Shows results to a person: tables for lists, aligned fields for the rest."""

from __future__ import annotations

from .redaction import clean

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WIDTH = 60
LENGTH = 600_000


def data(value: dict[str, Any]) -> str:
    """The text of a result."""
    return "\n".join(_fields(_without_doubles(value), ""))[:LENGTH] or "done"


def error(message: str, details: dict[str, Any], hint: str, help_text: str = "") -> str:
    """The text of a failure; the hint comes last."""
    lines = [f"error: {clean(message)}"]
    if help_text:
        return "\n".join([*lines, "", help_text])
    lines += [f"  {line}" for line in _fields(details, "")]
    if hint:
        lines.append(f"hint: {clean(hint)}")
    return "\n".join(lines)


def _without_doubles(value: dict[str, Any]) -> dict[str, Any]:
    """Without the second form of the entries of a list: the short form makes the table."""
    lists = [key for key, found in value.items() if isinstance(found, list)]
    if "items" in lists and len(lists) == 2 and "count" in value:
        return {key: found for key, found in value.items() if key not in lists[1:]}
    return value


def _fields(value: dict[str, Any], indent: str) -> list[str]:
    named = [(clean(str(key)), found) for key, found in value.items()]
    width = max((len(name) for name, found in named if _is_plain(found)), default=0)
    lines = []
    for name, found in named:
        if _is_plain(found):
            lines.append(f"{indent}{name.ljust(width)}  {_plain(found)}".rstrip())
        elif isinstance(found, dict):
            lines += [f"{indent}{name}", *_fields(found, indent + "  ")]
        elif found and all(isinstance(row, dict) for row in found):
            lines += [f"{indent}{name}", *_table(found, indent + "  ")]
        else:
            lines.append(f"{indent}{name}")
            lines += [f"{indent}  {_plain(row)}" for row in found]
    return lines


def _table(rows: list[dict[str, Any]], indent: str) -> list[str]:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    columns = [key for key in columns if any(_is_plain(row.get(key)) for row in rows)]
    cells = [[clean(str(key)).upper() for key in columns]]
    cells += [[_cell(row.get(key)) for key in columns] for row in rows]
    widths = [max(len(row[at]) for row in cells) for at in range(len(columns))]
    return [
        (indent + "  ".join(cell.ljust(w) for cell, w in zip(row, widths))).rstrip()
        for row in cells
    ]


def _cell(value: Any) -> str:
    text = _plain(value)
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    return not isinstance(value, dict)


def _plain(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and _is_plain(value):
        return ", ".join(clean(item) for item in value) or "-"
    return clean(str(value))
