"""The package that hosts load: `factory` is the entry in augmentor.toml."""

from __future__ import annotations

from .agent import Guide
from .commands import Outline, Stats
from .contract_gen import AugmentorPackage

__all__ = ["factory", "shutdown"]


def shutdown() -> None:
    """Close the resources of the package; it has none yet."""


def factory(**_hooks: object) -> AugmentorPackage:
    """Return the package; hosts pass arguments that describe them."""
    return {
        "commands": [Stats(), Outline()],
        "agents": [Guide()],
        "shutdown": shutdown,
    }
