"""Codes, exits and the generated module, held against the table written by hand."""

from __future__ import annotations

import re

from acme_tool import contract_gen

from .codes import CODES, NOTICE_KEYS
from .sandbox import ROOT, Tool


def test_the_generated_codes_are_those_of_the_specification() -> None:
    generated = {
        code: (contract_gen.exit_for(code), contract_gen.retryable(code))
        for code in contract_gen.CODES
    }
    assert generated == CODES
    assert contract_gen.SCHEMA_VERSION == "1.0"
    assert set(contract_gen.NOTICE_REQUIRED_KEYS) == NOTICE_KEYS
    assert set(contract_gen.NOTICE_OPTIONAL_KEYS) == {"release_url"}


def test_every_code_that_the_sources_name_is_declared() -> None:
    package = (ROOT / contract_gen.__name__.partition(".")[0]).rglob("*.py")
    named = {
        code
        for path in package
        # The generated module also knows the codes that a tool may add.
        if path.name != "contract_gen.py"
        for code in re.findall(r'"(E_[A-Z0-9_]+)"', path.read_text(encoding="utf-8"))
    }
    assert named
    assert named <= set(CODES)


def test_reference_lists_every_code_and_every_exit(tool: Tool) -> None:
    data = tool.run("reference").ok()
    assert data["error_codes"] == {
        code: {"exit": exit_code, "retryable": retryable}
        for code, (exit_code, retryable) in CODES.items()
    }
    assert {int(exit_code) for exit_code in data["exit_codes"]} == {
        0,
        *(exit_code for exit_code, _ in CODES.values()),
    }
