"""`npx skills`: which version runs here, with which words, in which surroundings."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .. import process
from .places import MOVED, NEWER, OLDER

if TYPE_CHECKING:
    from .sync import Request

NODE_LIMIT = 10.0
NODE = "install Node 22.20 or newer, with npm"

# Variables that the installer must not see: signs of agents narrow what it installs, an
# outer npx or git leads elsewhere, and nobody can answer a prompt for a password.
_UNWANTED = (
    "AI_AGENT",
    "ANTIGRAVITY_AGENT",
    "AUGMENT_AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE",
    "CLAUDE_CODE_IS_COWORK",
    "CODEX_CI",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "COPILOT_ALLOW_ALL",
    "COPILOT_GITHUB_TOKEN",
    "COPILOT_MODEL",
    "CURSOR_AGENT",
    "CURSOR_EXTENSION_HOST_ROLE",
    "CURSOR_TRACE_ID",
    "GEMINI_CLI",
    "OPENCODE_CLIENT",
    "REPL_ID",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_TEMPLATE_DIR",
    "GIT_WORK_TREE",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    "FORCE_COLOR",
    "npm_config_call",
    "npm_config_package",
    "npm_config_workspace",
    "npm_config_workspaces",
)

# It never asks, never reports home, and never waits long.
_SETTINGS = {
    "DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "GCM_INTERACTIVE": "never",
    "GIT_TERMINAL_PROMPT": "0",
    "NO_COLOR": "1",
    "SKILLS_CLONE_TIMEOUT_MS": "90000",
    "npm_config_audit": "false",
    "npm_config_fetch_retries": "1",
    "npm_config_fetch_timeout": "30000",
    "npm_config_fund": "false",
    "npm_config_update_notifier": "false",
    "npm_config_yes": "true",
}
_GIT = (("core.autocrlf", "false"), ("core.hooksPath", os.devnull))
_MAX_GIT = 10_000
_NODE_VERSION = re.compile(r"v(\d{1,4})\.(\d{1,4})\.")


class Missing(Exception):
    """The installer cannot run here: a cause and what to do."""

    def __init__(self, cause: str, fix: str) -> None:
        super().__init__(cause)
        self.cause = cause
        self.fix = fix


@dataclass(frozen=True)
class Installer:
    """An installer that can run here."""

    npx: str
    pin: str

    def run(self, words: Sequence[str], limit: float) -> process.Ending:
        """Run it in a private directory."""
        with tempfile.TemporaryDirectory(
            prefix="skill-sync-", ignore_cleanup_errors=True
        ) as made:
            directory = Path(made)
            # A project ends the search of npx for packages, so this is one.
            (directory / "package.json").write_text('{"private":true}\n')
            return process.run(
                [self.npx, *words],
                directory=directory,
                limit=limit,
                environment=_environment(made),
            )


def find() -> Installer:
    """Find what can run here, or raise Missing."""
    npx, node = process.find("npx"), process.find("node")
    if npx is None:
        raise Missing("npx_missing", NODE)
    if node is None:
        raise Missing("node_missing", NODE)
    try:
        directory = Path(tempfile.gettempdir())
        ending = process.run([node, "--version"], directory=directory, limit=NODE_LIMIT)
    except OSError as error:
        raise Missing("node_missing", NODE) from error
    pin = _pin(ending.tail) if ending.exit == 0 else None
    if pin is None:
        raise Missing("node_too_old", NODE)
    if process.find("git") is None:
        raise Missing("git_missing", "install git")
    return Installer(npx, pin)


def words(pin: str, request: Request, targets: Sequence[str] | None) -> list[str]:
    """Return the words for npx; all are plain, so that a person can type them as well.

    The tag pins the Skill: without it that of the newest commit would come. The name
    pins it as well: without it every Skill of the repository would be installed, and
    nothing verifies the others. Targets are named when the installer would not find
    them, or too few of them.
    """
    source = f"https://github.com/{request.repository}/tree/v{request.version}"
    # The source comes first: -s and -a take all words that follow them.
    found = ["--yes", f"skills@{pin}", "add", source, "-y", "-g"]
    found += ["-s", request.name]
    return found if targets is None else [*found, "-a", "universal", *targets]


def _pin(said: str) -> str | None:
    """Return the newest installer that a Node can run."""
    found = _NODE_VERSION.match(said)
    if found is None:
        return None
    node = (int(found[1]), int(found[2]))
    if node >= (22, 20):
        return NEWER
    is_able = node >= (21, 7) or (20, 12) <= node < (21, 0)
    return OLDER if is_able else None


def _environment(directory: str) -> dict[str, str]:
    relative = [
        variable
        for variable, _ in MOVED.values()
        if not Path(os.environ.get(variable, "").strip()).is_absolute()
    ]
    text = os.environ.get("GIT_CONFIG_COUNT", "")
    count = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0
    count = count if count <= _MAX_GIT else 0
    settings = {"TMPDIR": directory, "TMP": directory, "TEMP": directory, **_SETTINGS}
    for index, (name, value) in enumerate(_GIT, count):
        settings[f"GIT_CONFIG_KEY_{index}"] = name
        settings[f"GIT_CONFIG_VALUE_{index}"] = value
    settings["GIT_CONFIG_COUNT"] = str(count + len(_GIT))
    return process.inherited(without=[*_UNWANTED, *relative], added=settings)
