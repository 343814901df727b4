"""The example tool with settings, an address and a check of its own: for the tests."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from acme_tool import __main__ as example
from acme_tool._runtime import checks
from acme_tool._runtime.start import start
from acme_tool._runtime.tool import Setting

if TYPE_CHECKING:
    from acme_tool._runtime.checks import Check
    from acme_tool._runtime.command import Call
    from acme_tool._runtime.tool import Tool


def _examine(call: Call) -> Check:
    values = call.app.config.settings
    return checks.passed("workspace", f"{values['WORKSPACE']} {len(values['PIN'])}")


def load() -> Tool:
    return dataclasses.replace(
        example.load(),
        default_base_url="https://api.example.com",
        settings=(
            Setting("WORKSPACE", "Workspace of the items", default="main"),
            Setting("PIN", "Second secret", secret=True),
        ),
        checks=(_examine,),
    )


if __name__ == "__main__":
    start(load)
