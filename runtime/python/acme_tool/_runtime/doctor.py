"""Checks the configuration, and reports a fix for each problem."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from ..about import REPOSITORY, TOOL, VERSION
from . import checks, config, embedded, files, versions
from .checks import Check
from .command import Call
from .commands.self_description import Doctor
from .config import Config
from .credentials.credential import from_environment
from .credentials.keys import variables
from .credentials.store import ENVIRONMENT, login_hint
from .fault import Fault
from .skill import sync
from .tool import Readiness

# The time limit for the upstream to respond.
PATIENCE = 5.0
MAX_SKILL = 1024 * 1024
SOON = timedelta(minutes=10)


def examine(call: Call) -> Doctor:
    """Run all checks."""
    setup = call.app.config
    setup.timeout = min(setup.timeout, PATIENCE)
    found = [
        _version(),
        _config(setup),
        _state(setup),
        _credentials(call),
        _upstream(call),
        _skill(setup),
        _update(call),
        _readiness(call.app.tool.readiness),
        *(check(call) for check in call.app.tool.checks),
    ]
    data: Doctor = {"checks": found}
    if notices := call.app.notices():
        data["notices"] = notices
    return data


def _failed(check: str, failed: Fault) -> Check:
    fix = failed.fix or f"Run `{TOOL} reference` and look at {failed.code}"
    return checks.failed(check, failed.message, fix)


def _version() -> Check:
    """Hold the running version against the Skills: the embedded and an installed one."""
    wanted = embedded.skill_min_version()
    home = config.user_home() or Path("/nowhere")
    try:
        path = home / ".agents" / "skills" / TOOL / "SKILL.md"
        text = files.read_bounded(path, MAX_SKILL).decode("utf-8", "replace")
    except OSError:
        text = ""
    installed = embedded.min_version(text)
    if versions.is_version(installed) and versions.is_newer(installed, wanted):
        wanted = installed
    message = f"version {VERSION} runs, the Skill needs {wanted}"
    if versions.is_newer(wanted, VERSION):
        return checks.failed("min_version", message, f"Run `{TOOL} update`")
    return checks.passed("min_version", message)


def _config(setup: Config) -> Check:
    try:
        return checks.passed("config", f"the upstream is {setup.upstream()}")
    except Fault as failed:
        return _failed("config", failed)


def _state(setup: Config) -> Check:
    """Want a directory that can be written, and that is closed to others."""
    try:
        files.write_private(setup.home / ".doctor", b"")
        (setup.home / ".doctor").unlink(missing_ok=True)
    except Fault as failed:
        return _failed("state", failed)
    if files.is_open_to_others(setup.home.stat()):
        return checks.warned(
            "state",
            f"others can read {setup.home}",
            f"Run `chmod 700 {setup.home}`",
        )
    return checks.passed("state", f"state is kept in {setup.home}")


def _credentials(call: Call) -> Check:
    check, tool = "credentials", call.app.tool
    if tool.anonymous:
        return checks.passed(check, "the upstream takes no credential")
    store, expiring = call.app.store, tool.expiring
    try:
        credential, storage = store.find()
        given = None
        if storage != ENVIRONMENT:
            given = from_environment(expiring=expiring, keys=tool.keys)
    except Fault as failed:
        return _failed(check, failed)
    if credential is None:
        return checks.failed(check, "there is no credential", login_hint(tool.keys))
    if expiring and not credential.is_valid():
        if credential.is_refreshable:
            message = "the credential has expired and is renewed with the next call"
            return checks.warned(check, message, f"{login_hint()}, if that fails")
        return checks.failed(check, "the credential has expired", login_hint())
    soon = expiring and not credential.is_valid(SOON)
    if soon and not credential.is_refreshable:
        message = f"the credential expires at {credential.expiry}"
        return checks.warned(check, message, login_hint())
    if given is not None:
        return checks.warned(
            check,
            f"the stored credential is used, and {variables(tool.keys)} is not",
            f"Unset {variables(tool.keys)}, or run `{TOOL} auth logout`",
        )
    return checks.passed(check, f"the credential comes from: {storage}")


def _upstream(call: Call) -> Check:
    try:
        return checks.passed("upstream", f"the account is {call.app.account().id}")
    except Fault as failed:
        return _failed("upstream", failed)


def _skill(setup: Config) -> Check:
    check = "skill_current"
    report = sync.examine(
        sync.Request(
            name=TOOL,
            repository=REPOSITORY,
            version=VERSION,
            expected=embedded.skill_digest(),
            state=setup.home,
        )
    )
    run = f"Run `{report.command}`"
    if report.status == sync.CURRENT:
        return checks.passed(check, "the Agent Skill is that of this version")
    if report.status == sync.NOT_INSTALLED:
        return checks.warned(check, "the Agent Skill is not installed", run)
    message = "an installed Agent Skill is not that of this version"
    return checks.failed(check, message, run)


def _update(call: Call) -> Check:
    """Read the cache alone; `update --check` looks for one."""
    for notice in call.app.notices():
        message = f"{notice['type']}: {notice['latest_version']}"
        fix = f"Run `{notice['recommended_command']}`"
        return checks.warned("update", message, fix)
    asks = f"`{TOOL} update --check` looks for one"
    return checks.passed("update", f"no newer version is known; {asks}")


def _readiness(readiness: Readiness) -> Check:
    check, level = "release_readiness", readiness.level
    statuses = (readiness.fcc_status, readiness.mock_upstream_status)
    is_tested = all(status == "verified" for status in statuses)
    if level == "stable" and is_tested and readiness.live_smoke_status == "verified":
        return checks.passed(check, level)
    if level == "beta" and is_tested:
        message = f"beta: {readiness.reason}"
        fix = f"Record a live run in {readiness.live_smoke_record}"
        return checks.warned(check, message, fix)
    return checks.failed(
        check,
        f"{level} without the evidence for it",
        f"Close the gaps that release_readiness of `{TOOL} reference` shows",
    )
