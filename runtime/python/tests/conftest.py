"""The fixtures of all tests: the tool in its own home, with its own mock."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from acme_tool._runtime.testkit.sandbox import (
    Sandbox,
    sandbox,
)

from mock_upstream import TOKEN_ALICE, make

pytest_plugins = ["acme_tool._runtime.testkit.plugin"]


@pytest.fixture
def tool(tmp_path: Path) -> Iterator[Sandbox]:
    """Make the tool of a user who has a credential."""
    with sandbox(tmp_path / "home", make(), TOKEN_ALICE) as made:
        yield made
