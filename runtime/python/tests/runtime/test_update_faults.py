"""Releases with a fault, with the cases of all languages.

None is installed, and each fault says what it is.
"""

from __future__ import annotations

import json
import re
import socket
import sys
import time
from dataclasses import replace
from typing import Any

import pytest

from acme_tool._runtime.testkit.fake_sigstore import Sigstore
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
from .shared import fixture

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="the programs of these tests are scripts"
)

GROUPS = fixture("update_faults.json")["groups"]
NAMES = {
    "{version}": NEWER,
    "{repository}": REPOSITORY,
    "{tool}": TOOL,
    "{TOOL}": TOOL.upper(),
}


def filled(text: str) -> str:
    for name, value in NAMES.items():
        text = text.replace(name, value)
    return text


def answer(status: int, content: bytes, headers: dict[str, str]) -> Hook:
    more = {name.replace("-", "_"): value for name, value in headers.items()}
    kind = more.pop("Content_Type", "application/json")
    return lambda handler: handler.send(status, content, kind, **more)


def raw(content: bytes) -> Hook:
    """Send bytes as they are and cut the connection."""

    def send(handler: Handler) -> None:
        handler.wfile.write(content)
        time.sleep(0.02)
        linger = b"\x01\0\0\0\0\0\0\0"
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        handler.connection.close()

    return send


def begin(handler: Handler, content: bytes) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(content)
    handler.wfile.flush()


def hang(_handler: Handler) -> None:
    time.sleep(15)


def stall(handler: Handler) -> None:
    begin(handler, b"abc")
    time.sleep(15)


def drip(handler: Handler) -> None:
    begin(handler, b"a")
    for _ in range(120):
        handler.wfile.write(b"a")
        handler.wfile.flush()
        time.sleep(0.1)


def endless(handler: Handler) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(2000):
        handler.wfile.write(bytes(64 * 1024))


DEEDS: dict[str, Hook] = {
    "hang": hang,
    "stall": stall,
    "drip": drip,
    "endless": endless,
}


class Spoiler:
    """Makes the one thing wrong that a row names."""

    def __init__(self, releases: Releases) -> None:
        self.releases = releases

    def spoil(self, row: dict[str, Any]) -> None:
        for name in row.keys() - {"case", "stage", "code", "target", "not_in"}:
            getattr(self, name)(row[name])

    def _on(self, at: str, hook: Hook) -> None:
        name = self.releases.archive if at == "archive" else at
        self.releases.hooks[name] = hook

    def answer(self, how: dict[str, Any]) -> None:
        content = filled(how["body"]).encode() * how.get("times", 1)
        self._on(how["at"], answer(how["status"], content, how.get("headers", {})))

    def raw(self, how: dict[str, str]) -> None:
        self._on(how["at"], raw(how["bytes"].encode()))

    def does(self, how: dict[str, str]) -> None:
        self._on(how["at"], DEEDS[how["what"]])

    def description(self, change: dict[str, Any]) -> None:
        document = self.releases.description()
        document.update(change.get("set", {}))
        dropped = change.get("drop", "").replace("archive", self.releases.archive)
        assets = [item for item in document["assets"] if item["name"] != dropped]
        for asset in assets:
            address = asset["browser_download_url"]
            asset["browser_download_url"] = change.get("address", address)
        document["assets"] = assets * (2 if change.get("twice") else 1)
        document.pop(change.get("remove", ""), None)
        self._on(API, answer(200, json.dumps(document).encode(), {}))

    def signing(self, how: dict[str, Any]) -> None:
        signing = self.releases.signing
        old, new = map(filled, how.get("identity", ("", "")))
        identity = signing.identity.replace(old, new, 1)
        issuer = how.get("issuer", signing.issuer)
        fault = how.get("fault", "")
        self.releases.signing = replace(
            signing, identity=identity, issuer=issuer, fault=fault
        )
        self.releases.sign()

    def after_signing(self, change: dict[str, Any]) -> None:
        files = self.releases.files
        files[CHECKSUMS] += change.get("list_ends_with", "").encode()
        if change.get("foreign"):
            self.releases.sigstore = Sigstore()
            self.releases.sign()
        start = change.get("bundle_begins_with", "{").encode()
        files[BUNDLE] = files[BUNDLE].replace(b"{", start, 1)

    def list(self, text: str) -> None:
        self.releases.list_files(lambda _: text)

    def line(self, form: str) -> None:
        def changed(found: re.Match[str]) -> str:
            digest, name = found[1], self.releases.archive
            text = form.replace("{digest}", digest).replace("{short}", digest[2:])
            return text.replace("{name}", name)

        pattern = re.compile(rf"(?m)^(\w+)  {re.escape(self.releases.archive)}$")
        self.releases.list_files(lambda text: pattern.sub(changed, text).lstrip())

    def program(self, change: dict[str, Any]) -> None:
        entries = self.releases.entries
        if change.get("missing"):
            del entries[0]
        else:
            entries[0] = entry(entries[0], change)
        self.releases.publish()

    def entry(self, more: dict[str, Any]) -> None:
        for number in range(more.get("times", 1)):
            added = entry(Entry(""), more)
            added.name = added.name.replace("{n}", str(number))
            self.releases.entries.append(added)
        self.releases.publish()

    def bytes(self, change: dict[str, Any]) -> None:
        content = self.releases.files[self.releases.archive]
        content = content[: len(content) - change.get("cut", 0)]
        content += change.get("append", "").encode()
        if change.get("member"):
            content += pack([Entry("x", b"x")])
        content = change["text"].encode() if "text" in change else content
        self.releases.files[self.releases.archive] = content
        self.releases.list_files()


def entry(old: Entry, change: dict[str, Any]) -> Entry:
    """Return an entry of an archive with what a row says of it."""
    new = replace(old, name=filled(change.get("name", old.name)))
    if "content" in change or "kind" in change:
        new.content = filled(change.get("content", "")).encode()
    if "kind" in change:
        new.kind, new.link = change["kind"].encode(), filled(change.get("link", ""))
    return new


@pytest.mark.parametrize("group", GROUPS)
def test_a_release_with_a_fault_is_not_installed(install: Install, group: str) -> None:
    def attempt(row: dict[str, Any]) -> None:
        try:
            refuse(install(), row)
        except AssertionError as error:
            raise AssertionError(f"{row['case']}: {error}") from error

    each(attempt, GROUPS[group])


def refuse(tool: Installed, row: dict[str, Any]) -> None:
    """Want an update to fail as a row says, and everything to be as it was."""
    Spoiler(tool.releases).spoil(row)
    code = row["code"]
    tool.env["TEST_PATIENCE"] = "2" if code in ("E_TIMEOUT", "E_CONFIG") else "30"
    target = ("--target-version", row["target"]) if "target" in row else ()
    result = tool.run("update", *target)
    details = result.fails(code)
    assert details["stage"] == row["stage"], result.text
    assert details["binary_replaced"] is False
    assert details["current_version"] == VERSION
    assert details["skill_sync_status"] == "not_run"
    message = result.error["message"]
    assert f"{VERSION} is still installed" in message
    if code == "E_INTEGRITY":
        assert "do not try again" in message
    if CODES[code][1]:
        assert "can safely be run again" in message
    tool.untouched()
    assert tool.calls("npx") == []
    assert not (tool.home / "outside").exists()
