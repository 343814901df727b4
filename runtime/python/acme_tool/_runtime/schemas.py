"""Schemas of the data, taken from the types that the code builds it with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .. import contract_gen


def _fits(patterns: Sequence[str], name: str) -> bool:
    """Whether a name is one of these; `*` matches any prefix."""
    return any(
        name.endswith(each[1:]) if each.startswith("*") else name == each
        for each in patterns
    )


@dataclass(frozen=True)
class Schema:
    """The shape of the data of a command."""

    # A TypedDict: its members are the fields, in their order.
    sample: Any
    # Names the schema of the entries of a page.
    items: str = ""
    # The fields that other people write.
    untrusted: tuple[str, ...] = ()

    @property
    def fields(self) -> list[str]:
        """The members of the data."""
        return [*self.sample.__annotations__]

    def describe(self) -> dict[str, Any]:
        """Return its description in `reference`."""
        described = {
            "shape": contract_gen.REFERENCE_SCHEMA_SHAPES[0],
            "fields": self.fields,
            "kinds": [
                f"{name}: {kind}" for name in self.fields if (kind := self._kind(name))
            ],
            "untrusted_fields": list(self.untrusted),
        }
        return {**described, "items_schema": self.items} if self.items else described

    def _kind(self, name: str) -> str:
        if name in self.untrusted:
            return "untrusted"
        if _fits(contract_gen.ID_FIELD_NAMES, name):
            return "id"
        return "time" if _fits(contract_gen.TIME_FIELD_NAMES, name) else ""
