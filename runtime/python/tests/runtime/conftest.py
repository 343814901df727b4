"""The fixtures of all tests: their own tool, and the guard as the last test."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from acme_tool._runtime.testkit.fake_sigstore import Sigstore
from acme_tool._runtime.testkit.releases import NEWER, Releases, serving

from .installed import Installed
from .sandbox import Tool, tool_in

NewTool = Callable[[], Tool]
Install = Callable[..., Installed]


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


@pytest.fixture(scope="session")
def sigstore() -> Sigstore:
    """Make one Sigstore for all releases."""
    return Sigstore()


@pytest.fixture
def install(tmp_path: Path, sigstore: Sigstore) -> Iterator[Install]:
    """Make users with an installed program and a host whose newest release is given."""
    with contextlib.ExitStack() as stack:
        count = iter(range(1000))

        def make(version: str = NEWER) -> Installed:
            releases = stack.enter_context(serving(Releases(sigstore, version)))
            return Installed(tmp_path / f"user-{next(count)}", releases)

        yield make


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the guard when everything else has run."""
    items.sort(key=lambda item: item.path.name == "test_guard.py")
