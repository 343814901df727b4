"""A release as its host describes it; only its version is used before verification."""

from __future__ import annotations

import os
import platform
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...about import REPOSITORY, TOOL
from .. import fault, files, strict_json, versions
from ..fault import Fault
from ..strict_json import Malformed
from ..transport import http
from ..transport.address import Address, Unacceptable
from . import bundle, checksums
from .host import Host, too_large
from .stage import DISCOVER, VERIFY_CHECKSUM, VERIFY_SIGNATURE, at, integrity

CHECKSUMS = "checksums.txt"
BUNDLE = "checksums.txt.sigstore.json"
CHANGELOG = "CHANGELOG.md"

MAX_RELEASE = 4 * 1024 * 1024
MAX_ARCHIVE = 200 * 1024 * 1024
MAX_ASSETS = 1000
MAX_NAME = 200

_SYSTEMS = {"linux": "linux", "darwin": "darwin", "win32": "windows"}
_MACHINES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


@dataclass(frozen=True)
class Asset:
    """A file of a release."""

    address: Address
    # 0 when the host does not say it.
    size: int


@dataclass(frozen=True)
class Release:
    """The host's description of a release."""

    version: str
    page: str
    assets: dict[str, Asset]

    def check(self) -> None:
        """Check that it has the assets of an update, before anything is downloaded."""
        wanted = archive_name(self.version)
        if CHECKSUMS not in self.assets:
            raise at(
                VERIFY_CHECKSUM,
                integrity(f"the release v{self.version} has no {CHECKSUMS}"),
            )
        if BUNDLE not in self.assets:
            message = f"the release v{self.version} is not signed: it has no {BUNDLE}"
            raise at(VERIFY_SIGNATURE, integrity(message))
        if wanted not in self.assets:
            message = f"the release v{self.version} has no `{wanted}`"
            failed = Fault(
                fault.NOT_FOUND,
                f"{message}, so it is not built for this platform",
                fix=f"Install a version that is built for {platform_name()}",
                wanted=wanted,
                available=sorted(self.assets),
            )
            raise at(DISCOVER, failed)


def platform_name() -> str:
    """Name the platform that this program was built for."""
    machine = sysconfig.get_platform().rpartition("-")[2].lower()
    if machine not in _MACHINES:
        machine = platform.machine().lower()
    return (
        f"{_SYSTEMS.get(sys.platform, sys.platform)}-{_MACHINES.get(machine, machine)}"
    )


def archive_name(version: str) -> str:
    """Name the archive for this platform.

    It names the version, so that the signed list of checksums is that of one release.
    """
    return f"{TOOL}-{version}-{platform_name()}.tar.gz"


def find(host: Host, version: str) -> Release:
    """Ask for the newest release, or for that of a version."""
    what = f"a published release of {REPOSITORY}"
    where = ["latest"]
    if version:
        what = f"the release v{version} of {REPOSITORY}"
        where = ["tags", f"v{version}"]
    address = host.api.join("repos", *REPOSITORY.split("/"), "releases", *where)
    listing = "the description of the release"
    text, kind = host.read(address, what, MAX_RELEASE, "application/vnd.github+json")
    if kind == "text/html":
        raise Fault(
            fault.NETWORK,
            f"`{address.name}` returned a web page, so the network may require a login",
            cause="captive_portal",
        )
    try:
        found = _parse(host, text)
    except Malformed as error:
        raise integrity(f"{listing} is malformed: {error}") from error
    if version and found.version != version:
        raise integrity(f"v{version} was requested, but v{found.version} was returned")
    return found


def text(host: Host, release: Release, name: str, limit: int) -> bytes:
    """Download a small file of a release."""
    asset = release.assets[name]
    content, kind = host.read(asset.address, f"`{name}`", _bound(asset, limit))
    _check_size(name, len(content), asset, kind)
    return content


def signed(host: Host, release: Release) -> tuple[bytes, bytes]:
    """Download the list of checksums and its signature."""
    sums = text(host, release, CHECKSUMS, checksums.MAX_SIZE)
    try:
        return sums, text(host, release, BUNDLE, bundle.MAX_SIZE)
    except Fault as failed:
        if failed.code == fault.NOT_FOUND:
            message = f"v{release.version} lists {BUNDLE} and has none"
            raise at(VERIFY_SIGNATURE, integrity(message)) from failed
        raise


def download(host: Host, release: Release, name: str, path: Path) -> None:
    """Put a file of a release into a local file."""
    asset = release.assets[name]
    most = _bound(asset, MAX_ARCHIVE)

    def take(response: http.Response) -> None:
        received = 0
        descriptor = _create(path)
        try:
            for chunk in response.chunks():
                received += len(chunk)
                if received > most:
                    raise too_large(f"`{name}`", most, response.media_type)
                _write(descriptor, chunk, path)
        finally:
            os.close(descriptor)
        _check_size(name, received, asset, response.media_type)

    host.get(asset.address, f"`{name}`", take)


def _create(path: Path) -> int:
    try:
        return files.create_private(path)
    except OSError as error:
        raise files.write_fault(path, error) from error


def _write(descriptor: int, chunk: bytes, path: Path) -> None:
    # A fault of this disk is a fault of neither the network nor the release.
    view = memoryview(chunk)
    try:
        while view:
            view = view[os.write(descriptor, view) :]
    except OSError as error:
        raise files.write_fault(path, error) from error


def _parse(host: Host, text: bytes) -> Release:
    document = strict_json.loads(text, folded=True)
    if not isinstance(document, dict) or not isinstance(document.get("assets"), list):
        raise Malformed("it is not the expected JSON")
    tag = document.get("tag_name")
    version = tag.removeprefix("v") if isinstance(tag, str) else ""
    if tag != f"v{version}" or not versions.is_version(version):
        raise Malformed("its tag is not a version")
    if len(document["assets"]) > MAX_ASSETS:
        raise Malformed("it has too many files")
    assets: dict[str, Asset] = {}
    for listed in document["assets"]:
        name, asset = _asset(host, listed)
        if name in assets:
            raise Malformed("it lists a file twice")
        assets[name] = asset
    return Release(version, _page(document.get("html_url")), assets)


def _asset(host: Host, listed: Any) -> tuple[str, Asset]:
    if not isinstance(listed, dict):
        raise Malformed("it lists something that is no file")
    name, size = listed.get("name"), listed.get("size", 0)
    location = listed.get("browser_download_url")
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME:
        raise Malformed("it lists a file without a name")
    if type(size) is not int or size < 0 or not isinstance(location, str):
        raise Malformed("it lists a file without size or address")
    try:
        return name, Asset(host.parse(location), size)
    except Unacceptable:
        raise Malformed("it lists a file that cannot be downloaded safely") from None


def _page(address: Any) -> str:
    """Keep the address of the page of a release if it belongs to this repository."""
    prefix = f"https://github.com/{REPOSITORY}/releases/"
    if not isinstance(address, str) or not address.startswith(prefix):
        return ""
    rest = address.removeprefix(prefix)
    is_plain = rest.isascii() and len(rest) < MAX_NAME and rest.isprintable()
    return address if is_plain and not set(rest) & set(" \"'<>\\`$") else ""


def _bound(asset: Asset, limit: int) -> int:
    return asset.size if 0 < asset.size < limit else limit


def _check_size(name: str, received: int, asset: Asset, kind: str) -> None:
    if asset.size in (0, received):
        return
    failed = Fault(
        fault.NETWORK, f"`{name}` ended after {received} of {asset.size} bytes"
    )
    raise failed.with_details(cause="captive_portal") if kind == "text/html" else failed
