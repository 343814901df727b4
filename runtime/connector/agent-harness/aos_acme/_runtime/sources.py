"""Reads long texts from a file or from stdin: `--body @notes.md`, `--body -`.

A value may come from outside: a form, a workflow, an agent that repeats what it
read. So only inputs made for long text read anything, a mention such as
`@team please look` stays text, and a file is read only when it is a plain text
file below the current directory that is neither hidden nor named like a secret.
Every source that was read is noted in the answer.
"""

from __future__ import annotations

import os
import re
import select
import stat
import sys

from .. import api
from .errors import InvalidUsage
from .invocation import option_name
from .redaction import note, quote

# For type checkers only: a call does not import `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The types of fields that are made for long text; ids, choices and names are not.
LONG_TYPES = ("richtext", "json")
HELP = (
    "@FILE reads a text file below the current directory, - reads stdin, "
    "and @@ stands for a literal @ at the start."
)
MAX_BYTES = 1_000_000
# How long a pipe may bring nothing.
IDLE_SECONDS = 10
# A socket is what a host leaves open without writing to it.
SOCKET_SECONDS = 2
# `@name` alone is a mention; `@name.md` is a file. Any other file is `@./name`.
ENDINGS = (
    "md",
    "markdown",
    "mdx",
    "txt",
    "text",
    "rst",
    "adoc",
    "tex",
    "json",
    "jsonl",
    "yaml",
    "yml",
    "toml",
    "csv",
    "tsv",
    "xml",
    "html",
    "htm",
    "log",
    "diff",
    "patch",
)
SECRET_NAME = re.compile(
    r"(?:^|[^a-z0-9])(?:secrets?|tokens?|passw(?:or)?ds?|credentials?|shadow|netrc"
    r"|kubeconfig|apikeys?|id_(?:rsa|dsa|ecdsa|ed25519))(?:[^a-z0-9]|$)"
    r"|private[^a-z0-9]?key|\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|gpg|env)$",
    re.IGNORECASE,
)
PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY")


class Sources:
    """The sources that one call reads; stdin can be read once."""

    def __init__(self) -> None:
        self.read: list[dict[str, Any]] = []
        self._stdin_option = ""

    def resolve(self, field: str, kind: str, text: str) -> str:
        """The text that a value stands for."""
        option = option_name(field)
        if text == "-":
            return self._from_stdin(option, field in api.BINARY)
        if text.startswith("@@"):
            return text[1:]
        path = file_reference(kind, text)
        if path is None:
            _refuse_ambiguous(option, text)
            return text
        data = _file_bytes(option, path)
        content = _decoded(option, f"`{quote(path)}`", data, field in api.BINARY)
        self._remember(option, path, content)
        return content

    def _from_stdin(self, option: str, is_binary: bool = False) -> str:
        if self._stdin_option:
            raise InvalidUsage(
                f"`{option}` and `{self._stdin_option}` both read stdin",
                hint=f"pass one of them as `{option} @FILE`",
            )
        self._stdin_option = option
        data = _stdin_bytes(option)
        if data is None:
            note(f"{option}: stdin was empty, so `-` is the text")
            return "-"
        content = _decoded(option, "stdin", data, is_binary)
        self._remember(option, "-", content)
        return content

    def _remember(self, option: str, source: str, content: str) -> None:
        size = len(content.encode("utf-8", "surrogateescape"))
        self.read.append({"option": option, "from": source, "bytes": size})
        where = "stdin" if source == "-" else f"`{quote(source)}`"
        note(f"{option}: {size} bytes read from {where}")


def file_reference(kind: str, text: str) -> str | None:
    """The path that a value names, or None when the value is a text."""
    rest = text[1:]
    if not text.startswith("@") or not rest:
        return None
    if kind == "json":
        return rest
    if "\n" in rest or "\r" in rest:
        return None
    if rest.startswith(("./", "../", "/", "~/", ".\\", "..\\")):
        return rest
    if any(symbol.isspace() for symbol in rest):
        return None
    stem, _, ending = re.split(r"[/\\]", rest)[-1].rpartition(".")
    return rest if stem and ending.lower() in ENDINGS else None


def _refuse_ambiguous(option: str, text: str) -> None:
    """Refuse `@notes` when there is such a file: it could be a mention or the file."""
    name = text[1:]
    if not text.startswith("@") or any(symbol.isspace() for symbol in name):
        return
    try:
        is_file = os.path.isfile(name)
    except (OSError, ValueError):
        is_file = False
    if is_file:
        raise InvalidUsage(
            f"`{option}` could mean the file or the text",
            {"value": quote(text)},
            hint=f"write `@./{quote(name)}` for the file, "
            f"`@{quote(text)}` for the text",
        )


def _file_bytes(option: str, path: str) -> bytes:
    place = _allowed(option, path)
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0)
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        if os.path.isdir(place):
            raise _unreadable(option, path, "it is a directory")
        handle = os.open(place, flags)
    except FileNotFoundError:
        raise _unreadable(option, path, "there is no such file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", "") or "the name is not usable"
        raise _unreadable(option, path, reason.lower()) from None
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise _unreadable(option, path, "it is not a regular file")
        return file.read(MAX_BYTES + 1)


def _allowed(option: str, path: str) -> str:
    """The real place of a file that may be read."""
    root = os.path.realpath(os.getcwd())
    try:
        place = os.path.realpath(os.path.join(root, path))
    except (OSError, ValueError):
        raise _unreadable(option, path, "the name is not usable") from None
    inside = os.path.dirname(root) != root and place.startswith(root + os.sep)
    if not inside or path.startswith("~"):
        raise _unreadable(option, path, "it is not below the current directory")
    shown = [part for part in re.split(r"[/\\]", path) if part not in ("", ".", "..")]
    parts = place[len(root) + 1 :].split(os.sep)
    if any(part.startswith(".") for part in [*parts, *shown]):
        raise _unreadable(option, path, "it is hidden")
    if any(SECRET_NAME.search(part) for part in [*parts, *shown[-1:]]):
        raise _unreadable(option, path, "its name looks like that of a secret")
    return place


def _unreadable(option: str, path: str, reason: str) -> InvalidUsage:
    return InvalidUsage(
        f"`{option}` cannot read `{quote(path)}`: {reason}",
        {"option": option, "file": quote(path)},
        hint="name a text file below the current directory, pipe the text to "
        f"`{option} -`, or write `@@` for a text that begins with `@`",
    )


def _stdin_bytes(option: str) -> bytes | None:
    """Return the content of stdin; None for a socket or device without data."""
    try:
        handle = sys.stdin.fileno()
        mode = os.fstat(handle).st_mode
        if os.isatty(handle):
            raise InvalidUsage(
                f"`{option} -` reads stdin, which is a terminal",
                hint=f"pipe the text in, or pass `{option} @FILE`",
            )
    except (AttributeError, OSError, ValueError):
        return None
    if stat.S_ISCHR(mode):
        return None
    is_socket = stat.S_ISSOCK(mode)
    if is_socket and not _arrives(handle, SOCKET_SECONDS):
        return None
    data = b""
    while len(data) <= MAX_BYTES:
        if not _arrives(handle, IDLE_SECONDS):
            raise InvalidUsage(
                f"nothing arrived on stdin for {IDLE_SECONDS} seconds",
                hint=f"end the text of `{option} -`, or pass `{option} @FILE`",
            )
        try:
            chunk = os.read(handle, 65536)
        except OSError as error:
            raise InvalidUsage(
                f"`{option} -` cannot read stdin: {(error.strerror or '').lower()}"
            ) from None
        if not chunk:
            break
        data += chunk
    return None if is_socket and not data else data


def _arrives(handle: int, seconds: float) -> bool:
    if os.name == "nt":  # select knows sockets only
        return True
    return bool(select.select([handle], [], [], seconds)[0])


def _decoded(option: str, source: str, data: bytes, is_binary: bool = False) -> str:
    if len(data) > MAX_BYTES:
        raise InvalidUsage(
            f"`{option}`: {source} is larger than {MAX_BYTES} bytes",
            hint="shorten the text",
        )
    if is_binary:
        if PRIVATE_KEY.search(data.decode("latin-1")):
            raise InvalidUsage(f"`{option}`: {source} contains a private key")
        # Bytes that are not text are kept unchanged.
        return data.decode("utf-8", "surrogateescape")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise InvalidUsage(
            f"`{option}`: {source} is not UTF-8 text", hint="save it as UTF-8"
        )
    if not text:
        raise InvalidUsage(
            f"`{option}`: {source} is empty", hint="omit the option to pass no text"
        )
    if PRIVATE_KEY.search(text):
        raise InvalidUsage(
            f"`{option}`: {source} contains a private key, which is never sent",
            hint="remove the key from the text",
        )
    return text
