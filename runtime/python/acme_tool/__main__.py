"""Starts the tool. Import no large library here: `--version` must be fast."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._runtime.start import start

if TYPE_CHECKING:
    from ._runtime.tool import Tool


def main() -> None:
    """Run one call and exit with its code."""
    start(load)


def load() -> Tool:
    """Return the description of this tool."""
    from .commands import TOOL

    return TOOL


if __name__ == "__main__":
    main()
