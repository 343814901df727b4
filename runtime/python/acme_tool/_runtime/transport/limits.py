"""How long a request may wait, and a socket that keeps to it.

Every operation of a `LimitedSocket` gets the time that its limit has left, so that a
server that sends one byte now and then cannot hold the program.
"""

from __future__ import annotations

import io
import socket
import time
from typing import Protocol


class Limit(Protocol):
    """Bounds the waits of one request."""

    def left(self) -> float:
        """Return the time limit of the next wait; raise TimeoutError at the end."""

    def received(self, count: int) -> None:
        """Take note of bytes that came."""


class Deadline:
    """All of a request has to end within some seconds."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds until the end."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the time limit was reached")
        return left

    def received(self, count: int) -> None:
        """Nothing that comes moves the end."""


class Silence:
    """Something has to come within some seconds, again and again; for streams.

    With an `end`, which is a moment of the monotonic clock, waits stop there.
    """

    def __init__(self, seconds: float, end: float | None = None) -> None:
        self._seconds = seconds
        self._last = time.monotonic()
        self.end = end

    @property
    def is_over(self) -> bool:
        """Return whether the end was reached."""
        return self.end is not None and time.monotonic() >= self.end

    def left(self) -> float:
        """Return the seconds until it has been silent for too long."""
        end = self._last + self._seconds
        left = (end if self.end is None else min(end, self.end)) - time.monotonic()
        if left <= 0:
            raise TimeoutError("nothing came within the time limit")
        return left

    def received(self, count: int) -> None:
        """Begin to wait anew."""
        self._last = time.monotonic()


class Progress:
    """So many bytes have to come in each window of time; for downloads.

    A download has no limit as a whole, which would fail slow links.
    """

    def __init__(self, seconds: float, least: int) -> None:
        self._seconds = seconds
        self._least = least
        self.restart()

    def restart(self) -> None:
        """Begin a window."""
        self._end = time.monotonic() + self._seconds
        self._count = 0

    def left(self) -> float:
        """Return the seconds until the end of the window."""
        left = self._end - time.monotonic()
        if left <= 0:
            if self._count < self._least:
                raise TimeoutError("the download makes no progress")
            self.restart()
            left = self._seconds
        return left

    def received(self, count: int) -> None:
        """Count bytes of this window."""
        self._count += count


class LimitedSocket:
    """As much of a socket as an HTTP connection needs, within a limit."""

    def __init__(self, connected: socket.socket, limit: Limit) -> None:
        self._socket = connected
        self._limit = limit
        self._readers = 0
        self._is_closed = False

    def sendall(self, content: bytes) -> None:
        """Send all of the content."""
        view = memoryview(content)
        while view:
            self._socket.settimeout(self._limit.left())
            view = view[self._socket.send(view) :]

    def makefile(self, mode: str = "rb") -> io.BufferedReader:
        """Return a reader for the answer; it keeps the socket open."""
        self._readers += 1
        return io.BufferedReader(_Reader(self))

    def read_into(self, buffer: memoryview) -> int:
        """Read what has come, waiting as long as the limit allows."""
        self._socket.settimeout(self._limit.left())
        try:
            count = self._socket.recv_into(buffer)
        except TimeoutError:
            # A window of a limit may end while its request may go on.
            self._socket.settimeout(self._limit.left())
            count = self._socket.recv_into(buffer)
        self._limit.received(count)
        return count

    def close(self) -> None:
        """Close the socket as soon as no reader needs it."""
        self._is_closed = True
        if self._readers == 0:
            self._socket.close()

    def let_go(self) -> None:
        """Take note that a reader is closed."""
        self._readers -= 1
        if self._is_closed:
            self.close()


class _Reader(io.RawIOBase):
    def __init__(self, source: LimitedSocket) -> None:
        super().__init__()
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        return self._source.read_into(buffer)

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._source.let_go()
