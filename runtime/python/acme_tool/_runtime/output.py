"""The only module that prints: an envelope or a stream to stdout, notes to stderr."""

from __future__ import annotations

import errno
import json
import os
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

from .. import contract_gen
from . import signals, text
from .fault import IO, VALIDATION, Fault
from .redact import Redactor

JSON, TEXT, RAW = "json", "text", "raw"
FORMATS = (JSON, TEXT, RAW)
SUMMARY = contract_gen.STREAM_LAST_TYPE
# The longest message, and the longest outside text in the details of an error.
MAX_MESSAGE = 1000
MAX_SAID = 500
UNTRUSTED = contract_gen.UNTRUSTED_KEY


class Printer:
    """Prints the response of one run, once."""

    def __init__(self, redactor: Redactor, *, started: float) -> None:
        self.redactor = redactor
        self.format = JSON
        self.compact = False
        self.quiet = False
        # Notices for meta; none is none.
        self.notices: list[Any] = []
        # Wanted fields of the data; none is all.
        self.fields: Sequence[str] = ()
        # The exit code of the printed response; set when it is printed.
        self.exit: int | None = None
        self._started = started
        self._streaming = False
        self._lock = threading.RLock()

    def success(self, data: Any) -> None:
        """Print the response of a command."""
        tree = select(self.redactor.tree(data), self.fields)
        with signals.held(), self._lock:
            if self.exit is not None:
                return
            self.exit = 0
            if self.format == TEXT:
                self._write(text.render(tree).encode())
            elif self.format == JSON:
                self._document({**_head(True), "data": tree, "meta": self._meta()})

    def failure(self, failed: Fault) -> None:
        """Print why a command failed: on stdout for programs, on stderr for people."""
        # A text that is shortened before it is masked could keep a part of a secret.
        details = self.redactor.tree(failed.details)
        said = {
            name: details[name][:MAX_SAID]
            for name in details.get(UNTRUSTED, ())
            if isinstance(details.get(name), str)
        }
        error = {
            "code": failed.code,
            "message": self.redactor.tree(failed.message)[:MAX_MESSAGE],
            "details": {**details, **said},
            "retryable": failed.retryable,
        }
        with signals.held(), self._lock:
            if self.exit is not None:
                return
            self.exit = failed.exit
            if self.format != JSON:
                self._explain(error)
                return
            kind = {"type": SUMMARY} if self._streaming else {}
            document = {**_head(False), **kind, "error": error, "meta": self._meta()}
            self._document(document, compact=self._streaming)

    def line(self, kind: str, data: Any) -> None:
        """Print one line of a stream; the one of the type summary is the last."""
        fields = self.fields if kind != SUMMARY else ()
        tree = select(self.redactor.tree(data), fields)
        with signals.held(), self._lock:
            if self.exit is not None:
                return
            self._streaming = True
            meta = {"meta": self._meta()} if kind == SUMMARY else {}
            if kind == SUMMARY:
                self.exit = 0
            if self.format == TEXT:
                self._write(f"{text.render(tree)}\n".encode())
            else:
                line = {**_head(True), "type": kind, "data": tree, **meta}
                self._document(line, compact=True)

    def raw(self, content: bytes) -> None:
        """Pass bytes through as they are, for the format raw."""
        with signals.held(), self._lock:
            if self.exit is None:
                self._write(content)

    def note(self, message: str) -> None:
        """Say something to a person; --quiet drops it."""
        if not self.quiet:
            _say(self.redactor.text(message))

    def _meta(self) -> dict[str, Any]:
        elapsed = round((time.monotonic() - self._started) * 1000)
        meta: dict[str, Any] = {"duration_ms": max(elapsed, 0)}
        if self.notices:
            meta["notices"] = self.redactor.tree(self.notices)
        return meta

    def _document(self, document: dict[str, Any], *, compact: bool = False) -> None:
        self._write(encode(document, compact=compact or self.compact) + b"\n")

    def _write(self, content: bytes) -> None:
        try:
            if sys.__stdout__ is None:
                # The number may belong to another file by now.
                raise OSError(errno.EBADF, "stdout is closed")
            view = memoryview(content)
            while view:
                view = view[os.write(1, view) :]
        except BrokenPipeError:
            # The reader closed stdout. The result is the same, and so is the exit code.
            return
        except OSError as error:
            failed = Fault(
                IO,
                f"the response cannot be written to stdout: {error.strerror}",
                fix="Free disk space or redirect stdout; look at the state before you repeat a write",
            )
            self.exit = self.exit or failed.exit
            self._explain(
                {"message": failed.message, "code": IO, "details": failed.details}
            )

    def _explain(self, error: dict[str, Any]) -> None:
        _say(f"error: {error['message']} ({error['code']})")
        if fix := error["details"].get("fix"):
            _say(f"fix: {fix}")


def encode(value: Any, *, compact: bool) -> bytes:
    """Encode a value of JSON as UTF-8."""
    separators = (",", ":") if compact else None
    indent = None if compact else 2
    encoded = json.dumps(
        value,
        ensure_ascii=False,
        allow_nan=False,
        indent=indent,
        separators=separators,
    )
    return text.document(encoded).encode()


def select(data: Any, fields: Sequence[str]) -> Any:
    """Keep the named fields: of the items when the data has a list of them, else of it.

    A list keeps the members beside it, which a caller needs to go on.
    """
    if not fields or not isinstance(data, dict):
        return data
    if isinstance(data.get("items"), list):
        return {**data, "items": [_narrow(item, fields) for item in data["items"]]}
    return _narrow(data, fields)


def _narrow(item: Any, fields: Sequence[str]) -> Any:
    if not isinstance(item, dict):
        return item
    kept = {key: value for key, value in item.items() if key in fields}
    named = [name for name in item.get(UNTRUSTED, ()) if name in kept]
    return {**kept, UNTRUSTED: named} if named else kept


def check_fields(wanted: Sequence[str], known: Sequence[str]) -> None:
    """Refuse a field that no response of the command has."""
    for name in wanted:
        if name not in known:
            raise Fault(
                VALIDATION,
                f"--fields names `{name}`, which the response does not have",
                fix=f"Use: {', '.join(known)}",
                flag="--fields",
            )


def _head(is_ok: bool) -> dict[str, Any]:
    return {"ok": is_ok, "schema_version": contract_gen.SCHEMA_VERSION}


def _say(message: str) -> None:
    try:
        os.write(2, f"{text.plain(message)}\n".encode("utf-8", "replace"))
    except OSError:
        return
