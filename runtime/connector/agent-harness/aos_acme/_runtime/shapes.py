"""Fills the inputs of a command into the values that an API wants.

A text that is one field, "{title}", becomes its typed value; any other text with
fields in it is filled, with `\\` and `"` escaped as inside double quotes.
"""

from __future__ import annotations

import re

from .urls import wire_text

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .inputs import Inputs

    # The API's words for the choices of a field: {field: {choice: word}}.
    Words = dict[str, dict[str, Any]]

FIELD = re.compile(r"\{([a-z0-9_]+)\}")


class NotGiven(Exception):
    """A field of the shape was not given."""


def fill(shapes: dict[str, Any], words: Words, inputs: Inputs) -> dict[str, Any]:
    """The shapes by their wire names, without those that lack an input."""
    filled = {}
    for wire, shape in shapes.items():
        try:
            filled[wire] = _shaped(shape, words, inputs)
        except NotGiven:
            continue
    return filled


def _shaped(shape: Any, words: Words, inputs: Inputs) -> Any:
    if isinstance(shape, dict):
        return {name: _shaped(part, words, inputs) for name, part in shape.items()}
    if isinstance(shape, list):
        return [_shaped(part, words, inputs) for part in shape]
    if not isinstance(shape, str):
        return shape
    whole = FIELD.fullmatch(shape)
    if whole:
        value = _given(inputs, whole[1])
        known = words.get(whole[1], {})
        return known.get(value, value) if isinstance(value, str) else value
    return FIELD.sub(lambda found: _escaped(_given(inputs, found[1])), shape)


def _given(inputs: Inputs, field: str) -> Any:
    if field not in inputs:
        raise NotGiven
    return inputs[field]


def _escaped(value: Any) -> str:
    return wire_text(value).replace("\\", "\\\\").replace('"', '\\"')
