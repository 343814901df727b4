"""The real program in a home of its own, with the example upstream."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from acme_tool._runtime.testkit.mock import Server, running
from acme_tool._runtime.testkit.sandbox import (
    LAUNCH,
    LIMIT,
    ROOT,
    Result,
    Sandbox,
    each,
    wait_until,
)

from mock_upstream import TOKEN_ALICE, Upstream, make

__all__ = ["LAUNCH", "LIMIT", "ROOT", "Result", "Tool", "each", "wait_until"]


T = TypeVar("T")
U = TypeVar("U")


class Tool(Sandbox):
    """One user of the program."""

    def __init__(self, home: Path, server: Server) -> None:
        super().__init__(home, server, TOKEN_ALICE)

    @property
    def upstream(self) -> Upstream:
        """The data behind the server."""
        assert isinstance(self.server.mock, Upstream)
        return self.server.mock


def every(work: Callable[[T], U], things: Sequence[T]) -> list[U]:
    """Do something for each of several things, one after the other."""
    return [work(thing) for thing in things]


@contextlib.contextmanager
def tool_in(home: Path) -> Iterator[Tool]:
    """Return a tool with an upstream of its own."""
    with running(Server(make())) as server:
        yield Tool(home, server)


def members(value: Any) -> Iterator[tuple[str, Any]]:
    """Return all members of a document, at every depth."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield name, member
            yield from members(member)
    elif isinstance(value, list):
        for item in value:
            yield from members(item)


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Return all objects of a document, at every depth."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield from objects(inner)
