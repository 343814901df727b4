"""Brings the Skill of a release to every place where it is installed, and proves it."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import config, files, signals
from ..fault import Fault
from . import installer, manifest, repair
from .installer import Installer, Missing
from .places import NEWER, OLDER, Place, Places

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

_NETWORK = re.compile(
    r"connection|could not resolve|eai_again|econn|enetunreach|ehostunreach|enotfound"
    r"|etimedout|failed to c(?:lone|onnect)|fetch failed|network|rate limit"
    r"|socket hang up|timed out|unable to access",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Request:
    """The Skill to install."""

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
    # The verified files of that digest; none when only the digest is known.
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass
class Copy:
    """One installed copy and how it stands."""

    place: Place
    state: str

    @property
    def is_left_alone(self) -> bool:
        """Return whether somebody made or changed it where no installer writes."""
        pins = (OLDER, NEWER)
        managed = self.place.is_shared or any(map(self.place.writers, pins))
        return not managed and self.state in (MODIFIED, UNREADABLE)

    @property
    def is_wrong(self) -> bool:
        """Return whether it has to be replaced."""
        right = self.state in (CURRENT, DEVELOPER)
        return not right and not self.is_left_alone


class Report:
    """The findings and the changes."""

    def __init__(self, request: Request) -> None:
        self.status = NOT_RUN
        self.cause = ""
        self.command = command(request)
        self.copies: list[Copy] = []
        self.backups: list[str] = []
        self.notes: list[str] = []
        self.said: dict[str, Any] = {}
        # Copies that were not the signed ones, and what is there now.
        self.repairs: list[dict[str, str]] = []
        # Whether the verified files were put somewhere without the installer.
        self.is_direct = False
        self._digest = request.expected

    def fail(self, cause: str, note: str = "") -> Report:
        """Say why there is no success."""
        self.status, self.cause = FAILED, cause
        self.notes += [note] if note else []
        return self

    @property
    def live(self) -> str:
        """Return what agents read now: the worst of all repairs."""
        lives = [each["live"] for each in self.repairs]
        return next((live for live in repair.LIVES if live in lives), "")

    def data(self) -> dict[str, Any]:
        """Return the report as data."""
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
            **({"repairs": self.repairs, "live": self.live} if self.repairs else {}),
            **self.said,
        }


def command(request: Request) -> str:
    """Return what a person can run to get the Skill.

    It verifies; a command of the installer would not.
    """
    return f"{request.name} update --target-version {request.version}"


def examine(request: Request) -> Report:
    """Look at the installed copies and change nothing."""
    report = Report(request)
    home = config.user_home()
    if home is None:
        return report.fail("no_home", "set HOME")
    report.copies = _copies(Places(request.name, home), request)
    if repair.load(request.state) is not None:
        report.status = STALE
    elif not report.copies:
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
        return report.fail("no_manifest", "the Skill of this version is not known")
    places = Places(request.name, home)
    if _recovered(report, request, places):
        return report
    if any(copy.state == DEVELOPER for copy in report.copies):
        report.notes.append("a copy is in a git working tree, so nothing was changed")
        report.status, report.cause = SKIPPED, "developer_link"
        return report
    found: Installer | None = None
    try:
        found = installer.find()
    except Missing as missing:
        if report.copies and not request.files:
            return report.fail(missing.cause, missing.fix)
        report.cause = missing.cause
        if not report.copies:
            report.notes.append(f"the Skill was never installed here: {missing.fix}")
            report.status = NOT_INSTALLED
            return report
    try:
        journal = _keep_changes(report, request)
        if found:
            repair.save(request.state, journal)
    except (Fault, OSError, manifest.Unreadable) as error:
        return report.fail("backup_failed", str(error))
    if found:
        return _install(report, request, places, found, journal)
    _repair(report, request, places, journal)
    return _ended(report, request, places)


def _recovered(report: Report, request: Request, places: Places) -> bool:
    """Repair an unfinished sync; return whether nothing else is to do."""
    repair.clear_stages(request.state)
    journal = repair.load(request.state)
    if journal is None:
        return False
    report.notes.append("an earlier sync was not finished")
    _repair(report, request, places, journal, stopped=True)
    if report.repairs:
        _ended(report, request, places)
        return True
    repair.end(request.state)
    if _is_current(report.copies):
        report.status = CURRENT
        return True
    return False


def _is_foreign(copy: Copy, request: Request, journal: repair.Journal) -> bool:
    """Return whether it has neither the user's files nor the verified ones."""
    before = journal.get(str(copy.place.path))
    if before and before.fingerprint == repair.fingerprint(copy.place):
        return False
    # A link may lead to the right files today and to others tomorrow.
    is_exact = repair.is_exact(copy.place.real, request.expected)
    return copy.place.is_link or not is_exact


def _repair(
    report: Report,
    request: Request,
    places: Places,
    journal: repair.Journal,
    *,
    stopped: bool = False,
) -> None:
    """Put the verified files wherever a copy is wrong or gone.

    Of a writer that was stopped, a part of the files is no sign of anything.
    """
    for name in journal:
        path = Path(name)
        if path.is_absolute() and not os.path.lexists(path) and request.files:
            _put(report, request, Place(path, path, is_link=False, is_shared=False))
    tried: set[Path] = set()
    # A link that is replaced may uncover another one, so each round looks again.
    while True:
        report.copies = _copies(places, request)
        for copy in report.copies:
            if copy.place.path in tried:
                continue
            foreign = _is_foreign(copy, request, journal)
            if foreign or (copy.is_wrong and request.files):
                break
        else:
            return
        tried.add(copy.place.path)
        begun = stopped and not copy.place.is_link
        if not foreign or (begun and repair.has_begun(copy.place.real, request.files)):
            _put(report, request, copy.place)
        else:
            _expel(report, request, copy, journal)


def _put(report: Report, request: Request, place: Place) -> None:
    done = repair.put(place, request.state, request.files, foreign=False)
    report.is_direct = report.is_direct or not done.fault
    report.notes += [done.fault] if done.fault else []


def _expel(
    report: Report, request: Request, copy: Copy, journal: repair.Journal
) -> None:
    """Take a foreign copy out of sight."""
    before = journal.get(str(copy.place.path))
    live, content = repair.VERIFIED, request.files
    backups = request.state / repair.BACKUPS
    if before and before.kept and Path(before.kept).parent == backups:
        with contextlib.suppress(manifest.Unreadable):
            content = manifest.read(Path(before.kept))
            live = repair.PREVIOUS
    done = repair.put(copy.place, request.state, content, foreign=True)
    if not done.away:
        live = repair.FOREIGN
    elif done.fault:
        live = repair.ABSENT
    report.notes += [done.fault] if done.fault else []
    report.repairs.append(
        {"path": str(copy.place.path), "live": live, "quarantine": done.away}
    )


def _ended(report: Report, request: Request, places: Places) -> Report:
    """Look for the last time."""
    report.copies = _copies(places, request)
    if report.live != repair.FOREIGN:
        # As long as foreign files are where agents read, the next sync must know it.
        repair.end(request.state)
    if report.is_direct:
        report.notes.append("the verified files were written without the installer")
    if report.repairs:
        return report.fail("verify_mismatch")
    if _is_current(report.copies):
        report.status, report.cause = SYNCED, ""
        return report
    own = [copy for copy in report.copies if copy.is_left_alone]
    report.notes += [
        f"`{copy.place.path}` is a copy that no installer made: move it" for copy in own
    ]
    if own and not any(copy.is_wrong for copy in report.copies):
        return report.fail("unmanaged_copy")
    return report.fail("not_written")


def _install(
    report: Report,
    request: Request,
    places: Places,
    found: Installer,
    journal: repair.Journal,
) -> Report:
    deadline = time.monotonic() + LIMIT
    targets = _targets(places, found.pin)
    for is_last in (False, True):
        words = installer.words(found.pin, request, targets)
        try:
            ending = found.run(words, max(deadline - time.monotonic(), 0.1))
        except OSError as error:
            report.notes.append(files.reason(error))
            _repair(report, request, places, journal, stopped=True)
            if report.copies:
                return _ended(report, request, places)
            repair.end(request.state)
            report.status, report.cause = NOT_INSTALLED, "start_failed"
            return report
        except signals.Interrupted:
            _repair(report, request, places, journal, stopped=True)
            if report.repairs:
                return _ended(report, request, places)
            return report.fail("interrupted")
        report.said = {"installer_exit": ending.exit, "installer_output": ending.tail}
        report.copies = _copies(places, request)
        if any(_is_foreign(copy, request, journal) for copy in report.copies):
            break
        # Inside an agent the installer may serve this agent alone; named ones it serves.
        writers = _writers(report.copies, found.pin)
        if is_last or ending.timed_out or not writers or not _has_shared(report.copies):
            break
        targets = writers
    if ending.exit:
        report.notes.append(f"npx ended with {ending.exit}")
    _repair(report, request, places, journal, stopped=ending.timed_out)
    if not report.copies and not report.repairs:
        cause = _cause(ending.timed_out, ending.exit, ending.tail)
        if not request.files or cause in ("timed_out", "network"):
            # The journal stays, so that the next update goes on with the sync.
            return report.fail(cause)
        shared = places.shared
        _put(report, request, Place(shared, shared, is_link=False, is_shared=True))
    return _ended(report, request, places)


def _cause(timed_out: bool, exit_code: int, said: str) -> str:
    if timed_out:
        return "timed_out"
    return "network" if exit_code and _NETWORK.search(said) else "installer_failed"


def _targets(places: Places, pin: str) -> list[str] | None:
    """Name nobody when the installer finds an agent, else the shared place alone."""
    return None if places.has_agent(pin) else []


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
        return STALE if repair.is_executable(place.real) else CURRENT
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


def _keep_changes(report: Report, request: Request) -> repair.Journal:
    """Copy what somebody changed, before anything replaces it.

    Copies where no installer writes are to come back when one replaces them, and all
    are when the verified files are not known.
    """
    journal: repair.Journal = {}
    for copy in report.copies:
        kept = ""
        if copy.state == UNREADABLE and not copy.is_left_alone:
            raise OSError(
                f"`{copy.place.path}` cannot be read, so it cannot be backed up"
            )
        if copy.state == MODIFIED or (copy.state == STALE and not request.files):
            kept = str(_keep(copy.place.real, request))
            if copy.state == MODIFIED and not copy.is_left_alone:
                report.backups.append(kept)
        comes_back = copy.is_left_alone or not request.files
        journal[str(copy.place.path)] = repair.Before(
            repair.fingerprint(copy.place), kept if comes_back else ""
        )
    return journal


def _keep(directory: Path, request: Request) -> Path:
    found = manifest.read(directory)
    parent = request.state / repair.BACKUPS
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
