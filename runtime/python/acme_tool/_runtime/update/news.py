"""The notices about a release for users of this version, and their severity."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...about import REPOSITORY, TOOL, VERSION
from .. import changelog, notices, versions
from ..fault import Fault
from ..notices import Cache, Notice
from ..skill import manifest
from . import checksums, release, signature
from .host import Host
from .release import Release

MAX_TEXT = 4 * 1024 * 1024


class News:
    """Makes notices and saves them for all commands; `method` is the installer."""

    def __init__(
        self, home: Path, host: Host, method: str, note: Callable[[str], None]
    ) -> None:
        self._home = home
        self._host = host
        self._method = method
        self._note = note

    def forget(self) -> None:
        """Drop the notice that commands show."""
        try:
            notices.clear(self._home)
        except Fault as failed:
            self._note(f"warning: the cached notice cannot be removed: {failed}")

    def warning(self, found: Release, seen: Cache) -> Notice | None:
        """Report what is unusual about the newest release."""
        kind = ""
        if versions.is_newer(VERSION, found.version):
            kind = notices.REMOTE_OLDER
        elif seen["highest"] and versions.is_newer(seen["highest"], found.version):
            kind = notices.POSSIBLE_FREEZE
        return self.notice(kind, notices.WARNING, found) if kind else None

    def notice(self, kind: str, severity: str, found: Release) -> Notice:
        """Make a notice about a release."""
        steps = [f"{TOOL} update", f"{TOOL} changelog --since {VERSION}"]
        if kind != notices.UPDATE_AVAILABLE:
            steps = [f"compare with https://github.com/{REPOSITORY}/releases"]
        notice: dict[str, Any] = {
            "type": kind,
            "severity": severity,
            "current_version": VERSION,
            "latest_version": found.version,
            "install_method": self._method,
            "recommended_command": f"{TOOL} update",
            "checked_at": notices.now(),
            "next_steps": steps,
        }
        return {**notice, "release_url": found.page} if found.page else notice

    def remember(
        self, found: Release, notice: Notice | None, *, is_newest: bool
    ) -> None:
        """Save the result of a check."""
        highest = notices.read(self._home)["highest"]
        if is_newest and (highest is None or versions.is_newer(found.version, highest)):
            highest = found.version
        cache: Cache = {
            "highest": highest,
            "checked_at": notices.now(),
            "target": found.version,
            "notice": notice,
        }
        try:
            notices.write(self._home, cache)
        except Fault as failed:
            self._note(f"warning: the result of the check cannot be stored: {failed}")

    def severity(self, found: Release) -> str:
        """Take the changes from the signed changelog, else from the numbers alone."""
        by_numbers = severity_of(found.version, "")
        wanted = {release.CHANGELOG, release.CHECKSUMS, release.BUNDLE}
        if by_numbers == notices.WARNING or not wanted <= found.assets.keys():
            return by_numbers
        try:
            sums, signed = release.signed(self._host, found)
            signature.verify(sums, signed, found.version)
            name = release.CHANGELOG
            text = release.text(self._host, found, name, MAX_TEXT)
            checksums.check(sums, name, manifest.sha256(text))
        except Fault as failed:
            self._note(f"warning: the changelog of the release is ignored: {failed}")
            return by_numbers
        return severity_of(found.version, text.decode("utf-8", "replace"))


def severity_of(target: str, markdown: str) -> str:
    """Tell how much a version matters, by its number and its changelog."""
    mends = changelog.has_security(changelog.parse(markdown), VERSION, target)
    is_serious = mends or versions.is_major(VERSION, target)
    return notices.WARNING if is_serious else notices.INFO


def last_known(seen: Cache) -> dict[str, Any] | None:
    """Return the result of the last check, for a check that fails."""
    if not seen["target"] or not seen["checked_at"]:
        return None
    return {
        "target_version": seen["target"],
        "update_available": versions.is_newer(seen["target"], VERSION),
        "checked_at": seen["checked_at"],
    }
