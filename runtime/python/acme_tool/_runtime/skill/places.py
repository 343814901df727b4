"""Where a Skill of one name is installed, and by whom."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from . import agents
from .agents import AGENTS, HOME, NOWHERE, OWN, ROOT, UNKNOWN, Agent

# The installers that are used: the older one on older versions of Node.
OLDER = "1.5.16"
NEWER = "1.7.4"

# For each base, the variable that moves it, and where it is without.
MOVED = {
    agents.CONFIG: ("XDG_CONFIG_HOME", ".config"),
    agents.CLAUDE: ("CLAUDE_CONFIG_DIR", ".claude"),
    agents.CODEX: ("CODEX_HOME", ".codex"),
    agents.VIBE: ("VIBE_HOME", ".vibe"),
    agents.HERMES: ("HERMES_HOME", ".hermes"),
    agents.AUTOHAND: ("AUTOHAND_HOME", ".autohand"),
    agents.GROK: ("GROK_HOME", ".grok"),
    agents.SARVAM: ("SARVAM_HOME", ".sarvam"),
    agents.APP_DATA: ("APPDATA", ""),
    agents.FLATPAK: ("FLATPAK_XDG_CONFIG_HOME", ""),
}


def reach(agent: Agent, pin: str) -> str:
    """Tell what a version of the installer does for an agent."""
    return agent.older if pin == OLDER else agent.newer


@dataclass
class Place:
    """One directory where the Skill is installed."""

    # The first path that leads here, and where it really is.
    path: Path
    real: Path
    is_link: bool
    # Whether the path that every installation writes leads here.
    is_shared: bool
    agents: list[Agent] = field(default_factory=list)

    def writers(self, pin: str) -> list[str]:
        """Name the agents for which the installer writes here."""
        names = [agent.name for agent in self.agents if reach(agent, pin) == OWN]
        return list(dict.fromkeys(names))

    @property
    def is_work_tree(self) -> bool:
        """Whether a developer works here: in a repository, or behind a link into one."""
        if os.path.lexists(self.real / ".git"):
            return True
        # A home directory may be a repository, so only a link says that somebody wants
        # the Skill from there.
        return self.is_link and any(
            os.path.lexists(directory / ".git") for directory in self.real.parents
        )


# The most directories that are looked into for copies of agents that no list has.
MAX_DIRECTORIES = 5000


def _directories(above: Path) -> list[Path]:
    try:
        with os.scandir(above) as entries:
            names = [
                each.name for each in entries if each.is_dir(follow_symlinks=False)
            ]
    except OSError:
        return []
    return [above / name for name in sorted(names)]


class Places:
    """The places of a Skill below a home directory."""

    def __init__(self, name: str, home: Path) -> None:
        self._name = name
        self._home = home

    def has_agent(self, pin: str) -> bool:
        """Return whether the installer would recognize an agent.

        Without one it makes directories for all that it knows.
        """
        for agent in AGENTS:
            sign = self._below(agent.sign_base, agent.sign)
            if sign and reach(agent, pin) != UNKNOWN and sign.exists():
                return True
        return False

    def installed(self) -> list[Place]:
        """Return each place once, the shared one first."""
        found: dict[Path, Place] = {}
        self._visit(found, self.shared, None)
        for agent in AGENTS:
            if directory := self._below(agent.base, agent.path):
                self._visit(found, directory / "skills" / self._name, agent)
        for path in self._unlisted():
            self._visit(found, path, None)
        for place in found.values():
            place.is_shared = place.path == self.shared
        return list(found.values())

    @property
    def shared(self) -> Path:
        """The place that every installation writes."""
        return self._home / ".agents" / "skills" / self._name

    def _unlisted(self) -> list[Path]:
        """Find copies of agents that no list has: installers know more than this.

        Looks two levels below the home directory and what the environment has moved,
        in hidden directories, and not in work trees.
        """
        found: list[Path] = []
        roots = [path for path in _directories(self._home) if path.name[:1] == "."]
        moved = (self._below(base, "") for base in MOVED)
        above = [path for path in moved if path and path not in roots]
        below = [path for root in (*roots, *above) for path in _directories(root)]
        for directory in (*roots, *below)[:MAX_DIRECTORIES]:
            copy = directory / "skills" / self._name
            if os.path.lexists(copy) and not os.path.lexists(directory / ".git"):
                found.append(copy)
        return found

    def _visit(self, found: dict[Path, Place], path: Path, agent: Agent | None) -> None:
        if not os.path.lexists(path):
            return
        try:
            real = path.resolve()
        except (OSError, RuntimeError):
            real = path
        is_link = path.is_symlink()
        place = found.setdefault(real, Place(path, real, is_link, agent is None))
        place.is_link = place.is_link and is_link
        if agent is not None:
            place.agents.append(agent)

    def _below(self, base: str, path: str) -> Path | None:
        if base == NOWHERE:
            return None
        if base == HOME:
            return self._home / path
        if base == ROOT:
            return Path("/", path)
        variable, usual = MOVED[base]
        value = os.environ.get(variable, "").strip()
        # The installer would look for a relative path below its own directory.
        if value and Path(value).is_absolute():
            return Path(value, path)
        return self._home / usual / path if usual else None
