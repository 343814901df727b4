"""The tool about itself: reference, context, doctor, changelog, update."""

from __future__ import annotations

from typing import Any, TypedDict

from ...about import TOOL, VERSION
from .. import changelog, embedded, versions
from ..checks import Check
from ..command import BOOLEAN, EXEMPT, STRING, Call, Command, Param
from ..config import Config
from ..credentials.store import NONE
from ..fault import USAGE, VALIDATION, Fault
from ..notices import Notice
from ..schemas import Schema
from ..transport.address import is_loopback
from ..update.answer import Answer


class Reference(TypedDict):
    """The description of this tool."""

    tool: str
    version: str
    description: str
    contract: dict[str, str]
    capabilities: list[str]
    runtime_version: str
    risk_tier: str
    release_readiness: dict[str, Any]
    global_flags: list[dict[str, Any]]
    commands: list[dict[str, Any]]
    schemas: dict[str, dict[str, Any]]
    exit_codes: dict[str, str]
    error_codes: dict[str, dict[str, Any]]
    environment: list[dict[str, Any]]
    defaults: dict[str, str]


class _Doctor(TypedDict):
    checks: list[Check]


class Doctor(_Doctor, total=False):
    """All that was examined; notices only when there is one."""

    notices: list[Notice]


class DryRun(TypedDict):
    """The data of a dry run."""

    preview: dict[str, Any]
    confirm_token: str
    expires_at: str


class ConfigState(TypedDict):
    """The set-up, without anything secret."""

    home: str
    base_url: str | None
    timeout_s: float
    problem: str | None


class _CredentialState(TypedDict):
    configured: bool
    storage: str


class CredentialState(_CredentialState, total=False):
    """Return the facts about the credential without asking the upstream.

    The optional members are there when the credentials of the tool expire.
    """

    valid: bool
    refreshable: bool
    expires_at: str | None


class SkillState(TypedDict):
    """The Agent Skill that belongs to this program."""

    name: str
    digest: str
    min_version: str


class _Context(TypedDict):
    tool: str
    version: str
    env: str
    account: str | None
    config: ConfigState
    credentials: CredentialState
    skill: SkillState


class Context(_Context, total=False):
    """The set-up in effect; notices only when there is one."""

    notices: list[Notice]


class _Changelog(TypedDict):
    current_version: str
    entries: list[changelog.Entry]


class Changelog(_Changelog, total=False):
    """The history; `since` only when it was asked for."""

    since: str


def _reference(call: Call) -> Reference:
    from ..reference import reference

    return reference(call.app.tool)


def _context(call: Call) -> Context:
    setup = call.app.config
    problem = setup.problem.message if setup.problem else None
    credential, storage = None, NONE
    try:
        if not call.app.tool.anonymous:
            credential, storage = call.app.store.find()
    except Fault as failed:
        problem = problem or failed.message
    state: CredentialState = {
        "configured": credential is not None,
        "storage": storage,
    }
    if call.app.tool.expiring:
        state["valid"] = credential is not None and credential.is_valid()
        state["refreshable"] = credential is not None and credential.is_refreshable
        state["expires_at"] = credential.expiry if credential else None
    data: Context = {
        "tool": TOOL,
        "version": VERSION,
        "env": _environment(setup),
        # Known after `auth login`; of the environment's credential nobody has said it.
        "account": credential.account or None if credential else None,
        "config": {
            "home": str(setup.home),
            "base_url": str(setup.base_url) if setup.base_url else None,
            "timeout_s": setup.timeout,
            "problem": problem,
        },
        "credentials": state,
        "skill": {
            "name": TOOL,
            "digest": embedded.skill_digest(),
            "min_version": embedded.skill_min_version(),
        },
    }
    if notices := call.app.notices():
        data["notices"] = notices
    return data


def _environment(setup: Config) -> str:
    if setup.base_url is None:
        return "unconfigured"
    return "local" if is_loopback(setup.base_url.host) else "remote"


def _doctor(call: Call) -> Doctor:
    from ..doctor import examine

    return examine(call)


def _changelog(call: Call) -> Changelog:
    entries = changelog.parse(embedded.changelog())
    data: Changelog = {"current_version": VERSION, "entries": entries}
    if call.has("since"):
        since = call.text("since").removeprefix("v")
        if not versions.is_version(since):
            raise Fault(
                VALIDATION,
                "--since is not a version",
                fix="Write it as 1.2.3",
                flag="--since",
            )
        entries = changelog.since(entries, since)
        data = {"current_version": VERSION, "since": since, "entries": entries}
    return data


def _update(call: Call) -> Answer:
    if call.flag("check") and call.flag("dry-run"):
        raise Fault(
            USAGE,
            "--check and --dry-run exclude each other",
            fix="Omit one of them",
        )
    from ..update.pipeline import Options, Updater

    printer = call.app.printer
    updater = Updater(call.app.config.home, printer.note)
    answer = updater.run(
        Options(
            check=call.flag("check"),
            dry_run=call.flag("dry-run"),
            target=call.text("target-version"),
            allow_downgrade=call.flag("allow-downgrade"),
        )
    )
    # Earlier notices are out of date by now, or part of the answer itself.
    printer.notices = call.app.notices()
    return answer


COMMANDS = (
    Command(
        path="reference",
        summary="Describe all commands, schemas and codes for programs",
        output="reference",
        examples=("reference --compact",),
        run=_reference,
    ),
    Command(
        path="context",
        summary="Show the current configuration; uses no network",
        output="context",
        examples=("context",),
        run=_context,
    ),
    Command(
        path="doctor",
        summary="Check the configuration, and show a fix for each problem",
        output="doctor",
        examples=("doctor",),
        run=_doctor,
    ),
    Command(
        path="changelog",
        summary="Show what changed between versions",
        params=(Param("since", STRING, "Show only versions newer than this one"),),
        output="changelog",
        examples=("changelog", "changelog --since 0.9.0"),
        run=_changelog,
    ),
    Command(
        path="update",
        summary="Update the program and its Agent Skill",
        detail="Verifies the Sigstore signature of the release, replaces the program and "
        "syncs the Skill, in one call and without a token.",
        params=(
            Param(
                "check",
                BOOLEAN,
                "Check whether there is a newer version, without changing anything",
            ),
            Param("dry-run", BOOLEAN, "Show what would be done, without doing it"),
            Param(
                "target-version",
                STRING,
                "Version to install; the default is the newest",
            ),
            Param(
                "allow-downgrade",
                BOOLEAN,
                "Allow --target-version to name an older version",
            ),
        ),
        output="update",
        examples=("update --check", "update --dry-run", "update"),
        run=_update,
        confirm=EXEMPT,
    ),
)


SCHEMAS = {
    "dry_run": Schema(DryRun, untrusted=("preview",)),
    "reference": Schema(Reference),
    "doctor": Schema(Doctor),
    "context": Schema(Context),
    "changelog": Schema(Changelog),
    "update": Schema(Answer),
}
