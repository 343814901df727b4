"""The example tool with credentials that do not expire: a program of the tests."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from acme_tool import __main__ as example
from acme_tool._runtime.start import start

if TYPE_CHECKING:
    from acme_tool._runtime.tool import Tool


def load() -> Tool:
    return dataclasses.replace(example.load(), renew=None)


if __name__ == "__main__":
    start(load)
