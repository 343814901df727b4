"""Streaming the changes of items. An example, and yours to replace."""

from __future__ import annotations

import time

from ..client import Event
from ..command import INTEGER, Call, Command, Param
from ..output import SUMMARY
from ..schemas import Schema


def _watch(call: Call) -> None:
    started = time.monotonic()
    count, last, most = 0, call.number("after"), call.number("max-events")
    for event in call.app.client.events(last, call.number("duration")):
        call.app.printer.line("item", event)
        count, last = count + 1, event["sequence"]
        if count == most:
            break
    elapsed = round((time.monotonic() - started) * 1000)
    summary = {"count": count, "last_sequence": last, "elapsed_ms": elapsed}
    call.app.printer.line(SUMMARY, summary)


COMMANDS = (
    Command(
        path="item watch",
        summary="Stream the changes of items as NDJSON",
        detail="Each line is one event; the last line has the type summary, and its "
        "last_sequence goes to --after of the next call. The stream ends by itself.",
        params=(
            Param(
                "after",
                INTEGER,
                "Sequence number of the last event that is known",
                default="0",
                maximum=2**53,
            ),
            Param(
                "max-events",
                INTEGER,
                "End after so many events",
                default="100",
                minimum=1,
                maximum=100_000,
            ),
            Param(
                "duration",
                INTEGER,
                "End after so many seconds",
                default="10",
                minimum=1,
                maximum=3600,
            ),
        ),
        output="item_event",
        examples=("item watch --after 0 --max-events 3 --duration 2",),
        run=_watch,
        stream=True,
    ),
)

SCHEMAS = {"item_event": Schema(Event, untrusted=("title",))}
