"""One update: first the decision what to do, then each stage."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ...about import REPOSITORY, TOOL, VERSION
from .. import embedded, fault, files, notices, process, signals, versions
from ..fault import Fault
from ..notices import Notice
from ..skill import manifest, sync
from . import installation, news, release, signature, stage
from .answer import Answer, Plan
from .executable import START_LIMIT, Executable
from .host import Host
from .installation import Installation
from .news import News
from .release import Release
from .replacement import Replacement
from .stage import State, at

UPDATED = "updated"
AS_IT_IS = "current"
AVAILABLE = "available"
PLANNED = "planned"
VERIFIED = "verified"
NOT_CHECKED = "not_checked"

LOCK = "update.lock"


@dataclass(frozen=True)
class Options:
    """The request of a caller."""

    check: bool = False
    dry_run: bool = False
    target: str = ""
    allow_downgrade: bool = False


class Updater:
    """Updates this program; `note` reports progress to a person."""

    def __init__(self, home: Path, note: Callable[[str], None]) -> None:
        self._home = home
        self._note = note
        self._state = State(VERSION)

    def run(self, options: Options) -> Answer:
        """Carry out the options. A failure reports the state afterwards."""
        try:
            return self._run(options)
        except Fault as failed:
            raise self._state.complete(failed) from failed
        except signals.Interrupted:
            raise self._state.complete(fault.cancelled()) from None
        except Exception as error:
            raise self._state.complete(fault.unexpected(error)) from error

    def _run(self, options: Options) -> Answer:
        options = replace(options, target=options.target.removeprefix("v"))
        _check(options)
        self._state.target = options.target
        run = _Run(self._home, self._note, self._state, options)
        if options.check:
            return run.check()
        if options.dry_run:
            return run.update()
        with self._alone():
            return run.update()

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Prevent two updates of one user at the same time."""
        path = self._home / LOCK
        try:
            with files.lock(path) as descriptor:
                os.ftruncate(descriptor, 0)
                os.write(descriptor, f"{os.getpid()}\n".encode())
                yield
        except files.Held:
            failed = Fault(
                fault.CONFLICT,
                "another update is running",
                fix="Wait until it ends, then check the version",
            )
            with contextlib.suppress(OSError, ValueError):
                failed.with_details(holder_pid=int(files.read_bounded(path, 64)))
            raise at(stage.REPLACE, failed) from None


def _check(options: Options) -> None:
    if not options.target:
        return
    if not versions.is_version(options.target):
        raise Fault(
            fault.VALIDATION,
            "--target-version is not a version",
            fix="Write it as 1.2.3",
        )
    if versions.is_newer(VERSION, options.target) and not options.allow_downgrade:
        raise Fault(
            fault.VALIDATION,
            f"{options.target} is older than the running version {VERSION}",
            fix="Add --allow-downgrade if you want the older version",
        )


class _Run:
    def __init__(
        self,
        home: Path,
        note: Callable[[str], None],
        state: State,
        options: Options,
    ) -> None:
        self._home = home
        self._note = note
        self._state = state
        self._options = options
        self._installed: Installation = installation.detect()
        self._host = Host()
        self._news = News(home, self._host, self._installed.method, note)

    def check(self) -> Answer:
        """Ask for the newest release and change nothing but the cache of notices."""
        seen = notices.read(self._home)
        try:
            found = release.find(self._host, self._options.target)
        except Fault as failed:
            if failed.retryable:
                failed.with_details(last_known=news.last_known(seen))
            raise
        self._state.target = found.version
        answer = self._describe(found)
        warning = None if self._options.target else self._news.warning(found, seen)
        notice = warning
        if warning:
            answer["target_version"] = VERSION
            answer["update_available"] = False
            answer["remote_version"] = found.version
        elif answer["update_available"]:
            answer["status"] = AVAILABLE
            answer["severity"] = self._news.severity(found)
            kind = notices.UPDATE_AVAILABLE
            notice = self._news.notice(kind, answer["severity"], found)
        if notice:
            answer["notices"] = [notice]
        self._news.remember(found, notice, is_newest=not self._options.target)
        return answer

    def update(self) -> Answer:
        """Decide what to do, and do it."""
        if self._options.target == VERSION:
            return self._stay(None, None)
        self._state.enter(stage.DISCOVER)
        found = release.find(self._host, self._options.target)
        self._state.target = found.version
        if not self._options.target:
            warning = self._news.warning(found, notices.read(self._home))
            if warning:
                if not self._options.dry_run:
                    self._news.remember(
                        found, warning, is_newest=not self._options.target
                    )
                return self._stay(found, warning)
        if found.version == VERSION:
            return self._stay(found, None)
        if not self._installed.is_managed:
            found.check()
        if self._options.dry_run:
            return self._plan(found)
        content: dict[str, bytes] = {}
        if self._installed.is_managed:
            answer, expected = self._drive(found)
        else:
            answer, content = self._replace(found)
            expected = manifest.digest_of(content)
        self._news.forget()
        self._state.enter(stage.SKILL_SYNC)
        self._note("syncing the Agent Skill")
        request = self._skill(found.version, expected, content)
        return self._finish(answer, sync.sync(request))

    # The notes of the response.

    def _describe(self, found: Release) -> Answer:
        answer: Answer = {
            "status": AS_IT_IS,
            "previous_version": VERSION,
            "current_version": VERSION,
            "target_version": found.version,
            "update_available": versions.is_newer(found.version, VERSION),
            "install_method": self._installed.method,
            "command": self._installed.command(found.version),
            "signature_verified": False,
            "signature_status": NOT_CHECKED,
            "skill_sync_status": sync.NOT_RUN,
            "skill_sync_command": sync.command(self._skill(found.version, "")),
            "release": {
                "signed": release.BUNDLE in found.assets,
                "has_checksums": release.CHECKSUMS in found.assets,
                "has_this_platform": release.archive_name(found.version)
                in found.assets,
            },
        }
        if found.page:
            answer["release_url"] = found.page
        return answer

    def _plan(self, found: Release) -> Answer:
        answer = self._describe(found)
        answer["status"] = PLANNED
        is_managed = self._installed.is_managed
        plan: Plan = {
            "replaces": self._installed.program[0],
            "archive": None if is_managed else release.archive_name(found.version),
            "signer_identity": None if is_managed else signature.signer(found.version),
            "signer_issuer": None if is_managed else signature.ISSUER,
            "manager_command": answer["command"] if is_managed else None,
            "skill_command": answer["skill_sync_command"],
        }
        answer["plan"] = plan
        return answer

    def _stay(self, found: Release | None, warning: Notice | None) -> Answer:
        """Answer that there is nothing to install: no manager runs, nothing is fetched."""
        self._state.target = VERSION
        own = manifest.parts(embedded.skill_files())
        request = self._skill(VERSION, embedded.skill_digest(), own)
        answer: Answer = {
            "status": AS_IT_IS,
            "previous_version": VERSION,
            "current_version": VERSION,
            "target_version": VERSION,
            "update_available": False,
            "install_method": self._installed.method,
            "signature_verified": False,
            "signature_status": NOT_CHECKED,
            "checksum_verified": False,
            "binary_replaced": False,
            "skill_sync_status": sync.NOT_RUN,
            "skill_sync_command": sync.command(request),
        }
        if warning and found:
            answer["remote_version"] = found.version
            answer["notices"] = [warning]
        elif not self._options.dry_run:
            self._news.forget()
        self._state.enter(stage.SKILL_SYNC)
        report = sync.examine(request)
        # A user without a copy of the Skill did not ask for one.
        if report.status == sync.STALE and not self._options.dry_run:
            report = sync.sync(request)
        return self._finish(answer, report)

    def _finish(self, answer: Answer, report: sync.Report) -> Answer:
        """Add the Skill; a new program without it is a partial result."""
        self._state.skill = report.status
        self._state.skill_command = report.command
        if report.status == sync.FAILED:
            raise at(stage.SKILL_SYNC, _skill_fault(report))
        answer["skill_sync_status"] = report.status
        answer["skill_sync_command"] = report.command
        answer["skill"] = report.data()
        if answer["status"] == UPDATED:
            since = answer["previous_version"]
            answer["next_step"] = f"{TOOL} changelog --since {since}"
        return answer

    # Standalone programs.

    def _replace(self, found: Release) -> tuple[Answer, dict[str, bytes]]:
        program = Executable(Path(self._installed.program[0]))
        work = Replacement(self._host, self._state, self._note, self._skill_command)
        done = work.run(found, program)
        answer: Answer = {
            "status": UPDATED,
            "previous_version": self._state.previous,
            "current_version": self._state.current,
            "target_version": found.version,
            "update_available": False,
            "install_method": self._installed.method,
            "signature_verified": True,
            "signature_status": VERIFIED,
            "checksum_verified": True,
            "binary_replaced": True,
            "archive_sha256": done.digest,
            "signer_identity": done.proof.identity,
            "log_index": done.proof.log_index,
            "severity": news.severity_of(found.version, done.content.changelog),
            "skill_sync_status": sync.NOT_RUN,
            "skill_sync_command": self._state.skill_command,
        }
        if found.page:
            answer["release_url"] = found.page
        return answer, manifest.parts(done.content.skill)

    # Programs that belong to a manager.

    def _drive(self, found: Release) -> tuple[Answer, str]:
        self._state.enter(stage.REPLACE)
        self._note(f"running {self._installed.command(found.version)}")
        failed: Fault | None = None
        try:
            is_newest = not self._options.target
            self._installed.drive(found.version, is_newest=is_newest)
        except Fault as error:
            if "manager_exit" not in error.members:
                raise
            failed = error
        installed = self._observe(found.version)
        if failed:
            raise failed
        if installed != found.version:
            command = self._installed.command(found.version)
            raise Fault(
                fault.CONFLICT,
                f"the manager reported success, but {installed} is installed and not "
                f"{found.version}",
                fix=f"Run `{command}` and see which installation it changes",
                command=command,
                observed_version=installed,
            )
        answer: Answer = {
            "status": UPDATED,
            "previous_version": self._state.previous,
            "current_version": installed,
            "target_version": found.version,
            "update_available": False,
            "install_method": self._installed.method,
            "signature_verified": False,
            "signature_status": NOT_CHECKED,
            "checksum_verified": False,
            "binary_replaced": True,
            "severity": news.severity_of(found.version, ""),
            "skill_sync_status": sync.NOT_RUN,
            "skill_sync_command": self._state.skill_command,
        }
        if found.page:
            answer["release_url"] = found.page
        return answer, self._installed_digest()

    def _observe(self, wanted: str) -> str:
        """Determine the installed version, whatever the manager reported."""
        self._state.replaced = None
        installed = self._installed.version()
        self._state.replaced = installed != self._state.previous
        if self._state.replaced:
            self._state.current = installed
            version = installed if versions.is_version(installed) else wanted
            self._state.skill_command = self._skill_command(version)
        return installed

    def _installed_digest(self) -> str:
        """Ask the installed program which Skill belongs to it."""
        words = [*self._installed.program, "context", "--compact", "--quiet"]
        try:
            ending = process.run(
                [*words, "--fields", "skill"],
                directory=Path(tempfile.gettempdir()),
                limit=START_LIMIT,
            )
            digest = json.loads(ending.tail)["data"]["skill"]["digest"]
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            return ""
        return digest if isinstance(digest, str) else ""

    # The Skill.

    def _skill(
        self, version: str, expected: str, content: dict[str, bytes] | None = None
    ) -> sync.Request:
        return sync.Request(
            name=TOOL,
            repository=REPOSITORY,
            version=version,
            expected=expected,
            state=self._home,
            known=(embedded.skill_digest(),),
            files=content or {},
        )

    def _skill_command(self, version: str) -> str:
        return sync.command(self._skill(version, ""))


def _skill_fault(report: sync.Report) -> Fault:
    # A cause that never passes by itself is not retryable.
    code, message = fault.CONFIG, "the Agent Skill could not be synced"
    if report.cause == "verify_mismatch":
        code = fault.INTEGRITY
        message = (
            "the Agent Skill that was installed is not the signed one, agents now read: "
            f"{report.live}; do not try again, report it"
        )
    elif report.cause == "interrupted":
        code, message = fault.INTERRUPTED, "the sync of the Skill was interrupted"
    elif report.cause == "timed_out":
        code = fault.TIMEOUT
    elif report.cause in ("network", "installer_failed"):
        code = fault.SKILL_SYNC
    elif report.cause in ("backup_failed", "not_written"):
        code = fault.IO
    return Fault(
        code,
        f"{message} ({report.cause})",
        fix=f"Run `{report.command}`",
        skill_sync_command=report.command,
        cause=report.cause,
        skill=report.data(),
    )
