"""A host of releases with one release, signed by a Sigstore of its own."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import json
import tarfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ...about import REPOSITORY, TOOL
from ..update.archive import program_name
from ..update.release import archive_name
from .fake_sigstore import Signing, Sigstore
from .sandbox import ROOT

NEWER = "90.1.0"
API = "api"
CHECKSUMS = "checksums.txt"
BUNDLE = "checksums.txt.sigstore.json"
SKILL = ROOT / "skills" / TOOL

# Answers a request in place of the host.
Hook = Callable[["Handler"], None]


@dataclass
class Entry:
    """One entry of an archive."""

    name: str
    content: bytes = b""
    kind: bytes = tarfile.REGTYPE
    link: str = ""


def pack(entries: list[Entry]) -> bytes:
    """Make an archive, including one that no release would have."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for entry in entries:
            member = tarfile.TarInfo(entry.name)
            member.type, member.linkname = entry.kind, entry.link
            member.size, member.mode = len(entry.content), 0o755
            tar.addfile(member, io.BytesIO(entry.content))
    return gzip.compress(packed.getvalue(), 1, mtime=0)


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@dataclass
class Asked:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]


@dataclass
class Releases:
    """One release, the newest, and the host that has it."""

    sigstore: Sigstore
    version: str = NEWER
    address: str = ""
    entries: list[Entry] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    hooks: dict[str, Hook] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.signing = Signing.release(REPOSITORY, self.version)
        script = f"#!/bin/sh\necho {TOOL} {self.version}\n"
        skill = [
            Entry(
                f"skills/{TOOL}/{path.relative_to(SKILL).as_posix()}", path.read_bytes()
            )
            for path in sorted(SKILL.rglob("*"))
            if path.is_file()
        ]
        text = (
            f"# Changelog\n\n## [{self.version}] - 2001-01-01\n\n### Added\n\n- More.\n"
        )
        self.entries = [
            Entry(program_name(), script.encode()),
            Entry("CHANGELOG.md", text.encode()),
            *skill,
        ]
        self.publish()

    @property
    def archive(self) -> str:
        """The name of the archive for this platform."""
        return archive_name(self.version)

    @property
    def program(self) -> bytes:
        """The program in the archive."""
        return self.entries[0].content

    def publish(self) -> None:
        """Make the archive, the list of checksums and its signature."""
        self.files = {self.archive: pack(self.entries)}
        for entry in self.entries:
            if entry.name == "CHANGELOG.md":
                self.files[entry.name] = entry.content
        self.list_files()

    def list_files(self, change: Callable[[str], str] = lambda text: text) -> None:
        """Publish the list of checksums with its signature."""
        lines = "".join(
            f"{digest(content)}  {name}\n"
            for name, content in sorted(self.files.items())
            if not name.startswith(CHECKSUMS)
        )
        self.files[CHECKSUMS] = change(lines).encode()
        self.sign()

    def sign(self) -> None:
        """Sign the list of checksums."""
        self.files[BUNDLE] = self.sigstore.sign(self.files[CHECKSUMS], self.signing)

    def description(self) -> dict[str, Any]:
        """Return the response of the API."""
        assets = [
            {
                "name": name,
                "size": len(content),
                "browser_download_url": f"{self.address}/files/{name}",
            }
            for name, content in self.files.items()
        ]
        page = f"https://github.com/{REPOSITORY}/releases/tag/v{self.version}"
        return {"tag_name": f"v{self.version}", "html_url": page, "assets": assets}

    @property
    def fetched(self) -> list[str]:
        """The files that were asked for."""
        return [asked.path for asked in self.asked if asked.path.startswith("/files/")]


class _Host(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    releases: Releases

    def handle_error(self, _request: Any, _client: Any) -> None:
        """Say nothing: a client that goes away is none of our business."""


class Handler(BaseHTTPRequestHandler):
    """Serves the API and the files."""

    protocol_version = "HTTP/1.1"
    server: _Host

    def do_GET(self) -> None:
        releases = self.server.releases
        headers = {name.lower(): value for name, value in self.headers.items()}
        releases.asked.append(Asked(self.path, headers))
        self.close_connection = True
        base = f"/repos/{REPOSITORY}/releases/"
        name = self.path.removeprefix("/files/")
        is_api = self.path.startswith("/repos/")
        if hook := releases.hooks.get(API if is_api else name):
            hook(self)
        elif self.path in (f"{base}latest", f"{base}tags/v{releases.version}"):
            self.send(
                200, json.dumps(releases.description()).encode(), "application/json"
            )
        elif name in releases.files:
            self.send(200, releases.files[name])
        else:
            self.send(404, b"{}")

    def send(
        self,
        status: int,
        content: bytes = b"",
        kind: str = "application/octet-stream",
        **headers: str,
    ) -> None:
        """Send a response; underscores in names of headers become dashes."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_arguments: Any) -> None:
        """Say nothing."""


@contextlib.contextmanager
def serving(releases: Releases) -> Iterator[Releases]:
    """Serve a release for the length of the block."""
    server = _Host(("127.0.0.1", 0), Handler)
    server.releases = releases
    releases.address = f"http://127.0.0.1:{server.server_address[1]}"
    run = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.005}, daemon=True
    )
    run.start()
    try:
        yield releases
    finally:
        server.shutdown()
        server.server_close()
