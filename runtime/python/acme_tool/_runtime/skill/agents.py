"""The agents that the installer knows, and what it does for each of them.

An agent that is recognized in several ways has several rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from .agent_table import ROWS

# Parents of the directories of agents. A variable can move most of them.
NOWHERE = "nowhere"
HOME = "home"
ROOT = "root"
CONFIG = "config"
CLAUDE = "claude"
CODEX = "codex"
VIBE = "vibe"
HERMES = "hermes"
AUTOHAND = "autohand"
GROK = "grok"
SARVAM = "sarvam"
APP_DATA = "app_data"
FLATPAK = "flatpak"

# The effect of a global installation for an agent.
UNKNOWN = "unknown"
# It writes the one directory that all of these agents read.
CANONICAL = "canonical"
# It writes a directory of the agent.
OWN = "own"


@dataclass(frozen=True)
class Agent:
    """One way in which an agent is recognized."""

    name: str
    # The directory that holds its directory `skills`.
    base: str
    path: str
    # A path that exists if the agent is installed.
    sign_base: str
    sign: str
    # The effect of the older and of the newer installer for it.
    older: str
    newer: str


AGENTS = tuple(Agent(*row) for row in ROWS)
