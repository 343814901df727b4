"""SIGINT and SIGTERM become one exception in the main thread, raised once.

The first signal raises `Interrupted` wherever the program is; later ones are ignored,
so that what is being tidied up gets tidied up. Inside `held()` nothing is raised: a
signal waits until the end of the block.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

UNWIND_LIMIT = 15.0


class Interrupted(BaseException):
    """A signal asked the program to end."""


class _State:
    def __init__(self) -> None:
        self.came = False
        self.raised = False
        self.holds = 0
        self.give_up: Callable[[], None] | None = None


_state = _State()


def watch() -> None:
    """Record signals and let them wait, until `install` sets their handler."""
    _state.holds += 1
    _handle(_receive)


def install(give_up: Callable[[], None]) -> None:
    """Watch for signals; `give_up` is called when a command does not end after one."""
    _state.give_up = give_up
    _state.holds = 0
    _handle(_receive)
    if _state.came and not _state.raised:
        _state.raised = True
        raise Interrupted


def ignore() -> None:
    """Ignore signals, because the response was printed."""
    _handle(signal.SIG_IGN)


def forget() -> None:
    """Forget that a signal came, before another run in the same process."""
    _state.__init__()  # type: ignore[misc]


def _handle(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handler)


def came() -> bool:
    """Return whether a signal came."""
    return _state.came


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Let nothing interrupt the block; a signal that came meanwhile is raised after."""
    _state.holds += 1
    try:
        yield
    finally:
        _state.holds -= 1
    if _state.came and not _state.raised and _state.holds == 0:
        _state.raised = True
        raise Interrupted


def _receive(_number: int, _frame: FrameType | None) -> None:
    if not _state.came:
        _state.came = True
        if _state.give_up is not None:
            watch = threading.Timer(UNWIND_LIMIT, _state.give_up)
            watch.daemon = True
            watch.start()
    if not _state.raised and _state.holds == 0:
        _state.raised = True
        raise Interrupted
