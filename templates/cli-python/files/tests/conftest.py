"""What all tests share: a tool of their own, and the guard as the last test."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .sandbox import Tool, tool_in

NewTool = Callable[[], Tool]


@pytest.fixture
def new_tool(tmp_path: Path) -> Iterator[NewTool]:
    """Make tools that know nothing of each other."""
    with contextlib.ExitStack() as stack:
        count = iter(range(1000))
        yield lambda: stack.enter_context(tool_in(tmp_path / f"home-{next(count)}"))


@pytest.fixture
def tool(new_tool: NewTool) -> Tool:
    """Make one tool."""
    return new_tool()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the guard when everything else has run."""
    items.sort(key=lambda item: item.path.name == "test_guard.py")
