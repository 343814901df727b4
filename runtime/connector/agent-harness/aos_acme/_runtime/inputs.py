"""Turns the option texts of a command into typed inputs.

The host passes every field it knows and leaves the unused ones empty, so an
empty text counts as not given. Types, choices and defaults come from FIELDS.
"""

from __future__ import annotations

import json
import math
import re
import time

from ..contract_gen import COMMANDS, FIELDS, plain
from . import config, strict_json
from .errors import InvalidUsage
from .invocation import option_name
from .redaction import quote
from .sources import LONG_TYPES, Sources

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

INTEGER = re.compile(r"-?[0-9]{1,18}")
TRUE_WORDS = ("true", "yes", "on", "1")
FALSE_WORDS = ("false", "no", "off", "0")


class Inputs(dict[str, "Any"]):
    """The inputs that were given, by field id. Any other field reads as None."""

    # The list field that each_item is one value of.
    item_field = ""
    # The files and the stdin that long texts were read from.
    sources: tuple[dict[str, Any], ...] = ()

    def __missing__(self, field: str) -> None:
        return None

    def pick(self, names: dict[str, str]) -> dict[str, Any]:
        """The given inputs under their wire names: {"wire": "field"}."""
        return {wire: self[field] for wire, field in names.items() if field in self}

    def with_item(self, item: Any, field: str = "") -> Inputs:
        """A copy for one value of a bulk command; it is the field each_item."""
        inputs = Inputs(self, each_item=item)
        inputs.item_field = field
        inputs.sources = self.sources
        return inputs

    def with_value(self, field: str, value: Any) -> Inputs:
        """A copy that has one more value."""
        inputs = Inputs(self, **{field: value})
        inputs.item_field, inputs.sources = self.item_field, self.sources
        return inputs

    def at_present(self, field: str) -> Inputs:
        """A copy in which a time that was not given is the present one."""
        if field in self:
            return self
        return self.with_value(
            field, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        )

    def option(self, field: str) -> str:
        """The option that a field was given with."""
        given = self.item_field if field == "each_item" else ""
        return option_name(given or field)


def read(command_id: str, texts: dict[str, list[str]]) -> Inputs:
    """Convert {field: [text, ...]} and fill in defaults.

    A workflow form shows the default of a field and sends nothing until somebody
    edits it. So every command that takes the field applies its default. A value
    that the operator sets in the environment (`default_env`) comes before it.
    """
    spec = COMMANDS[command_id]
    inputs = Inputs()
    sources = Sources()
    for field, given in texts.items():
        found = convert(field, [text for text in given if text != ""], sources)
        if found is not None:
            inputs[field] = found[0]
    # Nothing that cannot be undone falls on what a variable happens to name.
    may_default = spec["action_class"] != "destructive"
    for field in spec["options"]:
        preset = config.value(FIELDS[field].get("env", "")) if may_default else ""
        found = convert(field, [preset]) if preset and field not in inputs else None
        if found is not None:
            inputs[field] = found[0]
    for field in spec["options"]:
        default = plain(FIELDS[field]["default"])
        if field not in inputs and default not in (None, ""):
            default = [default] if isinstance(default, str) else default
            typed = convert(field, default) if isinstance(default, list) else [default]
            if typed:
                inputs[field] = typed[0]
    missing = [
        option_name(field)
        for field in spec["required"]
        if field not in inputs or inputs[field] == []
    ]
    if missing:
        raise InvalidUsage(
            "missing required " + ", ".join(f"`{name}`" for name in missing),
            {
                "missing": missing,
                "options": [option_name(field) for field in spec["options"]],
                **_settings(missing),
            },
            hint="`--help` lists the options",
        )
    inputs.sources = tuple(sources.read)
    return inputs


def _settings(missing: list[str]) -> dict[str, Any]:
    """The variables that can replace the missing options."""
    names = {option_name(field): spec.get("env") for field, spec in FIELDS.items()}
    known = {option: names[option] for option in missing if names.get(option)}
    return {"or_set": known} if known else {}


def convert(
    field: str, texts: list[str], sources: Sources | None = None
) -> list[Any] | None:
    """The typed value of a field as a one-element list, or None for not given.

    With `sources`, a long text may be `@FILE`, `-` or `@@…`; a default may not.
    """
    if not texts:
        return None
    for text in texts:
        _check_text(option_name(field), text)
    spec = FIELDS[field]
    kind = spec["type"]
    if kind == "list":
        values = [value for text in texts for value in _list(field, text)]
        explicit = any(text.strip().startswith("[") for text in texts)
        return [values] if values or explicit else None
    text = texts[-1]
    if sources is not None and kind in LONG_TYPES:
        text = sources.resolve(field, kind, text)
    if kind == "number":
        return [_number(field, text)]
    if kind == "boolean":
        return [_boolean(field, text)]
    if kind == "json":
        return [_json(field, text)]
    choices = spec["choices"]
    if choices and text not in choices:
        raise InvalidUsage(
            f"`{option_name(field)}` must be one of {', '.join(choices)}",
            {"value": quote(text), "allowed": list(choices)},
        )
    return [text]


def _check_text(option: str, text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidUsage(f"`{option}` is not valid UTF-8") from None


def _number(field: str, text: str) -> int:
    if not INTEGER.fullmatch(text):
        raise InvalidUsage(
            f"`{option_name(field)}` must be a whole number", {"value": quote(text)}
        )
    return int(text)


def _boolean(field: str, text: str) -> bool:
    word = text.lower()
    if word in TRUE_WORDS:
        return True
    if word in FALSE_WORDS:
        return False
    raise InvalidUsage(
        f"`{option_name(field)}` must be true or false", {"value": quote(text)}
    )


def _list(field: str, text: str) -> list[Any]:
    return listed(option_name(field), text)


def listed(option: str, text: str) -> list[Any]:
    """The values of an option: a JSON array, or values with commas between them."""
    if text.strip().startswith("["):
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            values = None
        if isinstance(values, list):
            if not all(isinstance(v, (str, int)) or _is_finite(v) for v in values):
                raise InvalidUsage(
                    f"`{option}` accepts only texts and numbers",
                    {"value": quote(text)},
                )
            for value in values:
                _check_text(option, str(value))
            return values
    return [part.strip() for part in text.split(",") if part.strip()]


def _json(field: str, text: str) -> Any:
    try:
        return strict_json.loads(text)
    except ValueError as error:
        place = f" at character {error.pos + 1}" if hasattr(error, "pos") else ""
        raise InvalidUsage(
            f"`{option_name(field)}` is not valid JSON{place}", {"value": quote(text)}
        ) from None


def _is_finite(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value)
