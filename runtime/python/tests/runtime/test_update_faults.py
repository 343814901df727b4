"""Releases with a fault: none is installed, and each fault says what it is.

Every fault is one thing that is wrong with a release that is right otherwise.
"""

from __future__ import annotations

import json
import re
import socket
import sys
import tarfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from acme_tool._runtime.testkit.fake_sigstore import Signing, Sigstore
from acme_tool._runtime.testkit.releases import (
    API,
    BUNDLE,
    CHECKSUMS,
    NEWER,
    Entry,
    Handler,
    Hook,
    Releases,
    pack,
)
from acme_tool.about import REPOSITORY, TOOL, VERSION

from .codes import CODES
from .conftest import Install
from .installed import Installed
from .sandbox import each

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="the programs of these tests are scripts"
)

Spoil = Callable[[Releases], None]


@dataclass(frozen=True)
class Case:
    """A fault, where it shows, and its code."""

    stage: str
    code: str
    spoil: Spoil
    words: tuple[str, ...] = ()


def answer(status: int, content: bytes = b"{}", kind: str = "", **headers: str) -> Hook:
    kind = kind or "application/json"
    return lambda handler: handler.send(status, content, kind, **headers)


def raw(content: bytes) -> Hook:
    """Send bytes as they are and cut the connection."""

    def send(handler: Handler) -> None:
        handler.wfile.write(content)
        time.sleep(0.02)
        linger = b"\x01\0\0\0\0\0\0\0"
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        handler.connection.close()

    return send


def hang(_handler: Handler) -> None:
    time.sleep(15)


def drip(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    for _ in range(120):
        handler.wfile.write(b"a")
        handler.wfile.flush()
        time.sleep(0.1)


def stall(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b"abc")
    handler.wfile.flush()
    time.sleep(15)


def endless(handler: Handler) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(2000):
        handler.wfile.write(bytes(64 * 1024))


def api(code: str, hook: Hook) -> Case:
    return Case("discover", code, lambda releases: releases.hooks.update({API: hook}))


def described(
    code: str, change: Callable[[dict[str, Any]], Any], stage: str = "discover"
) -> Case:
    def spoil(releases: Releases) -> None:
        document = releases.description()
        change(document)
        releases.hooks[API] = answer(200, json.dumps(document).encode())

    return Case(stage, code, spoil)


def without(suffix: str, code: str, stage: str) -> Case:
    def change(document: dict[str, Any]) -> None:
        assets = document["assets"]
        document["assets"] = [
            asset for asset in assets if not asset["name"].endswith(suffix)
        ]

    return described(code, change, stage)


def plain_http(document: dict[str, Any]) -> None:
    document["assets"][0]["browser_download_url"] = "http://example.com/x"


def another_version(releases: Releases) -> None:
    releases.hooks[API] = answer(200, json.dumps(releases.description()).encode())


HTML = answer(200, b"<html>log in</html>", "text/html")
TO_HTTP = answer(302, Location="http://example.com/x")

DISCOVER = {
    "no release": api("E_NOT_FOUND", answer(404)),
    "unknown version": Case(
        "discover", "E_NOT_FOUND", lambda _: None, ("--target-version", "90.5.0")
    ),
    "rate limit": api(
        "E_RATE_LIMITED",
        answer(403, X_RateLimit_Remaining="0", X_RateLimit_Reset="9999999999"),
    ),
    "secondary rate limit": api("E_RATE_LIMITED", answer(403, Retry_After="9" * 20)),
    "too many requests": api("E_RATE_LIMITED", answer(429, Retry_After="-1")),
    "forbidden": api("E_FORBIDDEN", answer(403)),
    "unauthorised": api("E_AUTH", answer(401)),
    "trouble": api("E_SERVER", answer(500, b"not found")),
    "unavailable": api("E_SERVER", answer(503, b"")),
    "request timeout": api("E_TIMEOUT", answer(408)),
    "hang-up": api("E_NETWORK", raw(b"")),
    "no HTTP": api("E_NETWORK", raw(b"SSH-2.0-x\r\n")),
    "no answer": api("E_TIMEOUT", hang),
    "redirects without end": api("E_NETWORK", answer(302, Location="/repos/again")),
    "redirect to a file": api("E_INTEGRITY", answer(302, Location="file:///etc/x")),
    "redirect to plain http": api("E_INTEGRITY", TO_HTTP),
    "no content": api("E_NETWORK", answer(204, b"")),
    "web page": api("E_NETWORK", HTML),
    "large web page": api(
        "E_NETWORK", answer(200, b"<html>" + b"x" * (9 << 20), "text/html")
    ),
    "a number without end": api("E_INTEGRITY", answer(200, b"[%s]" % (b"1" * 5000))),
    "no JSON": api("E_INTEGRITY", answer(200, b"{")),
    "member twice": api("E_INTEGRITY", answer(200, b'{"assets":[],"assets":[]}')),
    "endless": api("E_INTEGRITY", endless),
    "no tag": described("E_INTEGRITY", lambda document: document.pop("tag_name")),
    "strange tag": described(
        "E_INTEGRITY", lambda document: document.update(tag_name="v1.2.3; rm")
    ),
    "a file twice": described(
        "E_INTEGRITY",
        lambda document: document["assets"].append(document["assets"][0]),
    ),
    "files over plain http": described("E_INTEGRITY", plain_http),
    "another version": Case(
        "discover", "E_INTEGRITY", another_version, ("--target-version", "90.0.1")
    ),
    "other platforms only": without(".tar.gz", "E_NOT_FOUND", "discover"),
    "no checksums": without(CHECKSUMS, "E_INTEGRITY", "verify_checksum"),
    "not signed": without(BUNDLE, "E_INTEGRITY", "verify_signature"),
}


def archive(code: str, hook: Hook) -> Case:
    def spoil(releases: Releases) -> None:
        releases.hooks[releases.archive] = hook

    return Case("download", code, spoil)


def file(name: str, code: str, hook: Hook, stage: str = "download") -> Case:
    return Case(stage, code, lambda releases: releases.hooks.update({name: hook}))


DOWNLOAD = {
    "archive missing": archive("E_NOT_FOUND", answer(404)),
    "rate limit": archive("E_RATE_LIMITED", answer(429)),
    "trouble": archive("E_SERVER", answer(502)),
    "cut body": archive(
        "E_NETWORK", raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\nabc")
    ),
    "cut chunk": archive(
        "E_NETWORK",
        raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n"),
    ),
    "short without a length": archive(
        "E_NETWORK", raw(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc")
    ),
    "stall": archive("E_TIMEOUT", stall),
    "drops": archive("E_TIMEOUT", drip),
    "web page": archive("E_NETWORK", HTML),
    "endless": archive("E_INTEGRITY", endless),
    "partial content": archive("E_NETWORK", answer(206, b"abc")),
    "redirect to plain http": archive("E_INTEGRITY", TO_HTTP),
    "bundle trouble": file(BUNDLE, "E_SERVER", answer(500)),
    "bundle hangs": file(BUNDLE, "E_TIMEOUT", hang),
    "bundle endless": file(BUNDLE, "E_INTEGRITY", endless),
    "bundle missing": file(BUNDLE, "E_INTEGRITY", answer(404), "verify_signature"),
}


def lines(change: Callable[[str], str]) -> Case:
    """Change the line of the archive in a list that is well signed."""

    def spoil(releases: Releases) -> None:
        pattern = re.compile(rf"^.*{re.escape(releases.archive)}$", re.MULTILINE)
        releases.list_files(
            lambda text: pattern.sub(lambda found: change(found[0]), text)
        )

    return Case("verify_checksum", "E_INTEGRITY", spoil)


CHECKSUM = {
    "other file": lines(lambda line: "0" * 64 + line[64:]),
    "not listed": lines(lambda line: f"{line}.bak"),
    "listed twice": lines(lambda line: f"{line}\n{'0' * 64}{line[64:]}"),
    "short digest": lines(lambda line: line[2:]),
    "no digest": lines(lambda line: f"zz{line[2:]}"),
    "empty list": Case(
        "verify_checksum",
        "E_INTEGRITY",
        lambda releases: releases.list_files(lambda _: ""),
    ),
}


def signed(change: Callable[[Signing], Signing]) -> Case:
    def spoil(releases: Releases) -> None:
        releases.signing = change(releases.signing)
        releases.sign()

    return Case("verify_signature", "E_INTEGRITY", spoil)


def changed_later(releases: Releases) -> None:
    releases.files[CHECKSUMS] += b"\n"


def foreign(releases: Releases) -> None:
    releases.sigstore = Sigstore()
    releases.sign()


# Some of the faults of signatures; test_signature has all of them.
SIGNATURE = {
    "changed later": Case("verify_signature", "E_INTEGRITY", changed_later),
    "foreign Sigstore": Case("verify_signature", "E_INTEGRITY", foreign),
    "older tag": signed(lambda _: Signing.release(REPOSITORY, "90.0.9")),
    "other repository": signed(lambda _: Signing.release("somebody/else", NEWER)),
    "bad signature": signed(lambda how: replace(how, fault="bad signature")),
    "old format": signed(lambda how: replace(how, fault="old format of cosign")),
}


def packed(code: str, change: Callable[[list[Entry]], Any]) -> Case:
    def spoil(releases: Releases) -> None:
        change(releases.entries)
        releases.publish()

    return Case("replace", code, spoil)


def added(*entries: Entry) -> Case:
    return packed("E_INTEGRITY", lambda existing: existing.extend(entries))


def rewritten(change: Callable[[bytes], bytes]) -> Case:
    def spoil(releases: Releases) -> None:
        releases.files[releases.archive] = change(releases.files[releases.archive])
        releases.list_files()

    return Case("replace", "E_INTEGRITY", spoil)


def first(entry: Entry) -> Case:
    """Put something else into the place of the program."""

    def change(entries: list[Entry]) -> None:
        entries[0] = entry

    return packed("E_INTEGRITY", change)


def script(code: str, text: str) -> Case:
    def change(entries: list[Entry]) -> None:
        entries[0].content = f"#!/bin/sh\n{text}\n".encode()

    return packed(code, change)


def not_for_here(entries: list[Entry]) -> None:
    entries[0].content = b"\x7fELF of another machine"


ARCHIVE = {
    "no program": packed("E_INTEGRITY", lambda entries: entries.pop(0)),
    "program elsewhere": first(Entry(f"bin/{TOOL}", b"x")),
    "program is a link": first(Entry(TOOL, b"", tarfile.SYMTYPE, "/bin/sh")),
    "program is a directory": first(Entry(TOOL, b"", tarfile.DIRTYPE)),
    "program twice": added(Entry(TOOL, b"x")),
    "program twice in capitals": added(Entry(TOOL.upper(), b"x")),
    "traversal": added(Entry("../outside", b"x")),
    "traversal inside": added(Entry("skills/../../outside", b"x")),
    "absolute": added(Entry("/outside", b"x")),
    "backslash": added(Entry("a\\b", b"x")),
    "drive": added(Entry("c:x", b"x")),
    "symbolic link": added(Entry("link", b"", tarfile.SYMTYPE, "/etc")),
    "hard link": added(Entry("link", b"", tarfile.LNKTYPE, TOOL)),
    "device": added(Entry("device", b"", tarfile.CHRTYPE)),
    "long name of another format": added(Entry("x", b"name", tarfile.GNUTYPE_LONGNAME)),
    "too many entries": added(*(Entry(f"file-{n}") for n in range(1100))),
    "cut": rewritten(lambda content: content[:-20]),
    "no archive": rewritten(lambda _: b"plain text"),
    "trailing bytes": rewritten(lambda content: content + b"more"),
    "second member": rewritten(lambda content: content + pack([Entry("x", b"x")])),
    "does not start": packed("E_CONFIG", not_for_here),
    "does not end well": script("E_CONFIG", "exit 3"),
    "hangs": script("E_CONFIG", "exec sleep 60"),
    "other version": script("E_INTEGRITY", f"echo {TOOL} 90.0.9"),
    "other tool": script("E_INTEGRITY", f"echo other {NEWER}"),
}

GROUPS = {
    "discover": DISCOVER,
    "download": DOWNLOAD,
    "checksum": CHECKSUM,
    "signature": SIGNATURE,
    "archive": ARCHIVE,
}


@pytest.mark.parametrize("group", GROUPS)
def test_a_release_with_a_fault_is_not_installed(install: Install, group: str) -> None:
    cases = GROUPS[group]

    def attempt(name: str) -> None:
        try:
            refuse(install(), cases[name])
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error

    each(attempt, list(cases))


def refuse(tool: Installed, case: Case) -> None:
    """Want an update to fail as a case says, and everything to be as it was."""
    case.spoil(tool.releases)
    tool.env["TEST_PATIENCE"] = "2" if case.code in ("E_TIMEOUT", "E_CONFIG") else "30"
    result = tool.run("update", *case.words)
    details = result.fails(case.code)
    assert details["stage"] == case.stage, result.text
    assert details["binary_replaced"] is False
    assert details["current_version"] == VERSION
    assert details["skill_sync_status"] == "not_run"
    message = result.error["message"]
    assert f"{VERSION} is still installed" in message
    if case.code == "E_INTEGRITY":
        assert "do not try again" in message
    if CODES[case.code][1]:
        assert "can safely be run again" in message
    tool.untouched()
    assert tool.calls("npx") == []
    assert not (tool.home / "outside").exists()
