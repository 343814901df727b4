"""The plugin of pytest that every tool uses: the guard runs after all other tests."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the guard when everything else has run."""
    items.sort(key=lambda item: item.path.name == "test_guard.py")
