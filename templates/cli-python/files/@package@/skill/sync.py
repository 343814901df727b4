"""Brings the Skill of a release to every place where it is installed, and proves it."""

from __future__ import annotations

import contextlib
import re
import secrets
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import config, files, signals
from ..fault import Fault
from . import installer, manifest
from .installer import Installer, Missing
from .places import NEWER, Place, Places

# The longest time of all runs of the installer together.
LIMIT = 180.0

# Statuses of a sync. CURRENT and STALE are also states of a copy.
SYNCED = "synced"
CURRENT = "current"
STALE = "stale"
NOT_INSTALLED = "not_installed"
SKIPPED = "skipped"
FAILED = "failed"
NOT_RUN = "not_run"
# Neither what it must be nor what an older program brought: somebody's work.
MODIFIED = "modified"
DEVELOPER = "developer"
UNREADABLE = "unreadable"

BACKUPS = "skill-backups"

_NETWORK = re.compile(
    r"connection|could not resolve|eai_again|econn|enetunreach|ehostunreach|enotfound"
    r"|etimedout|failed to c(?:lone|onnect)|fetch failed|network|rate limit"
    r"|socket hang up|timed out|unable to access",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Request:
    """Which Skill is to be installed."""

    name: str
    # Owner and name of the repository, and the release whose Skill it is.
    repository: str
    version: str
    # The digest that every copy must have; empty when nobody knows it.
    expected: str
    # Where copies of changed Skills are kept.
    state: Path
    # Digests of what older programs brought.
    known: tuple[str, ...] = ()


@dataclass
class Copy:
    """One installed copy and how it stands."""

    place: Place
    state: str


class Report:
    """What was found and done."""

    def __init__(self, request: Request) -> None:
        self.status = NOT_RUN
        self.cause = ""
        self.command = command(request)
        self.copies: list[Copy] = []
        self.backups: list[str] = []
        self.notes: list[str] = []
        self.said: dict[str, Any] = {}
        self._digest = request.expected

    def fail(self, cause: str, note: str = "") -> Report:
        """Say why there is no success."""
        self.status, self.cause = FAILED, cause
        self.notes += [note] if note else []
        return self

    def data(self) -> dict[str, Any]:
        """Give the report as data."""
        stale = [copy for copy in self.copies if copy.state not in (CURRENT, DEVELOPER)]
        return {
            "status": self.status,
            "cause": self.cause or None,
            "digest": self._digest or None,
            "copies": [
                {"path": str(copy.place.path), "state": copy.state}
                for copy in self.copies
            ],
            "stale_paths": [str(copy.place.path) for copy in stale],
            "backups": self.backups,
            "notes": self.notes,
            **self.said,
        }


def command(request: Request) -> str:
    """Give what a person can run to get the Skill."""
    home = config.user_home()
    targets = _targets(Places(request.name, home), NEWER) if home else None
    return _line(installer.words(NEWER, request.repository, request.version, targets))


def examine(request: Request) -> Report:
    """Look at the installed copies and change nothing."""
    report = Report(request)
    home = config.user_home()
    if home is None:
        return report.fail("no_home", "set HOME")
    report.copies = _copies(Places(request.name, home), request)
    if not report.copies:
        report.status = NOT_INSTALLED
    else:
        report.status = CURRENT if _is_current(report.copies) else STALE
    return report


def sync(request: Request) -> Report:
    """Bring the Skill to every place where it is installed, or to the shared one."""
    report = examine(request)
    home = config.user_home()
    if report.status in (CURRENT, FAILED) or home is None:
        return report
    if not request.expected:
        return report.fail("no_manifest", "nobody knows the Skill of this version")
    if any(copy.state == DEVELOPER for copy in report.copies):
        report.notes.append("a copy belongs to a work tree, so nothing is touched")
        report.status, report.cause = SKIPPED, "developer_link"
        return report
    try:
        found = installer.find()
    except Missing as missing:
        return report.fail(missing.cause, missing.fix)
    try:
        report.backups = _keep_changes(report.copies, request)
    except (Fault, OSError, manifest.Unreadable) as error:
        return report.fail("backup_failed", str(error))
    return _install(report, request, Places(request.name, home), found)


def _install(
    report: Report, request: Request, places: Places, found: Installer
) -> Report:
    deadline = time.monotonic() + LIMIT
    targets = _targets(places, found.pin)
    for is_last in (False, True):
        words = installer.words(found.pin, request.repository, request.version, targets)
        report.command = _line(words)
        try:
            ending = found.run(words, max(deadline - time.monotonic(), 0.1))
        except OSError as error:
            return report.fail("start_failed", files.reason(error))
        except signals.Interrupted:
            report.copies = _copies(places, request)
            return report.fail("interrupted")
        report.said = {"installer_exit": ending.exit, "installer_output": ending.tail}
        report.copies = _copies(places, request)
        if _is_current(report.copies):
            if ending.exit:
                report.notes.append(
                    f"npx ended with {ending.exit}, but every installed file is right"
                )
            report.status, report.cause = SYNCED, ""
            return report
        # Inside an agent the installer may serve this agent alone; named ones it serves.
        writers = _writers(report.copies, found.pin)
        if is_last or ending.timed_out or not writers or not _has_shared(report.copies):
            break
        targets = writers
    return report.fail(_cause(ending.timed_out, ending.exit, ending.tail))


def _cause(timed_out: bool, exit_code: int, said: str) -> str:
    if timed_out:
        return "timed_out"
    if exit_code == 0:
        return "verify_mismatch"
    return "network" if _NETWORK.search(said) else "installer_failed"


def _targets(places: Places, pin: str) -> list[str] | None:
    """Name nobody when the installer finds an agent, else the shared place alone."""
    return None if places.has_agent(pin) else []


def _line(words: Sequence[str]) -> str:
    return f"npx {' '.join(words)}"


def _copies(places: Places, request: Request) -> list[Copy]:
    return [Copy(place, _state(place, request)) for place in places.installed()]


def _state(place: Place, request: Request) -> str:
    if place.is_work_tree:
        return DEVELOPER
    try:
        found = manifest.read(place.real)
    except manifest.Unreadable:
        return UNREADABLE
    digest = manifest.digest_of(found)
    if request.expected and digest == request.expected:
        return CURRENT
    # A copy that differs in the ends of lines alone is an old copy as well.
    lines = {name: text.replace(b"\r\n", b"\n") for name, text in found.items()}
    known = {request.expected, *request.known} - {""}
    if not manifest.of(found) or {digest, manifest.digest_of(lines)} & known:
        return STALE
    return MODIFIED


def _is_current(copies: Sequence[Copy]) -> bool:
    counted = [copy for copy in copies if copy.state != DEVELOPER]
    return bool(counted) and all(copy.state == CURRENT for copy in counted)


def _has_shared(copies: Sequence[Copy]) -> bool:
    return any(copy.place.is_shared and copy.state == CURRENT for copy in copies)


def _writers(copies: Sequence[Copy], pin: str) -> list[str]:
    return sorted(
        {
            name
            for copy in copies
            if copy.state != CURRENT
            for name in copy.place.writers(pin)
        }
    )


def _keep_changes(copies: Sequence[Copy], request: Request) -> list[str]:
    """Copy what somebody changed: the installer replaces it without asking."""
    kept = []
    for copy in copies:
        if copy.state == UNREADABLE:
            raise OSError(f"`{copy.place.path}` cannot be read, so it cannot be kept")
        if copy.state == MODIFIED:
            kept.append(str(_keep(copy.place.real, request)))
    return kept


def _keep(directory: Path, request: Request) -> Path:
    found = manifest.read(directory)
    parent = request.state / BACKUPS
    target = parent / f"{request.name}-{manifest.digest_of(found)[:16]}"
    if target.exists():
        return target
    staged = parent / f".unfinished-{secrets.token_hex(8)}"
    try:
        for name, content in found.items():
            files.write_private(staged / name, content)
        staged.rename(target)
    finally:
        with contextlib.suppress(OSError):
            shutil.rmtree(staged)
    return target
