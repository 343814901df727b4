"""The agents that the installer knows, and what it does for each of them.

A fact about `skills` 1.5.16 and 1.7.4; an agent that is recognised in several ways has
several lines.
"""

from __future__ import annotations

from dataclasses import dataclass

# Directories that those of agents lie in. Most can be moved by a variable.
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

# What a global installation does for an agent.
UNKNOWN = "unknown"
# It writes the one directory that all of these agents read.
SHARED = "shared"
# It writes a directory of the agent.
OWN = "own"


@dataclass(frozen=True)
class Agent:
    """One way in which an agent is recognised."""

    name: str
    # The directory that holds its directory `skills`.
    base: str
    path: str
    # What exists when the agent is there.
    sign_base: str
    sign: str
    # What the older and the newer installer do for it.
    older: str
    newer: str


_ROWS = (
    ("adal", HOME, ".adal", HOME, ".adal", OWN, OWN),
    ("aider-desk", HOME, ".aider-desk", HOME, ".aider-desk", OWN, OWN),
    ("amp", CONFIG, "agents", CONFIG, "amp", SHARED, SHARED),
    (
        "antigravity",
        HOME,
        ".gemini/antigravity",
        HOME,
        ".gemini/antigravity",
        SHARED,
        SHARED,
    ),
    (
        "antigravity-cli",
        HOME,
        ".gemini/antigravity-cli",
        HOME,
        ".gemini/antigravity-cli",
        SHARED,
        SHARED,
    ),
    ("astrbot", HOME, ".astrbot/data", HOME, ".astrbot", OWN, OWN),
    ("augment", HOME, ".augment", HOME, ".augment", OWN, OWN),
    ("autohand-code", AUTOHAND, "", AUTOHAND, "", OWN, OWN),
    ("bob", HOME, ".bob", HOME, ".bob", OWN, OWN),
    ("claude-code", CLAUDE, "", CLAUDE, "", OWN, OWN),
    ("cline", HOME, ".agents", HOME, ".cline", SHARED, SHARED),
    ("codearts-agent", HOME, ".codeartsdoer", HOME, ".codeartsdoer", OWN, OWN),
    ("codebuddy", HOME, ".codebuddy", HOME, ".codebuddy", OWN, OWN),
    ("codemaker", HOME, ".codemaker", HOME, ".codemaker", OWN, OWN),
    ("codestudio", HOME, ".codestudio", HOME, ".codestudio", OWN, OWN),
    ("codex", CODEX, "", CODEX, "", SHARED, SHARED),
    ("codex", CODEX, "", ROOT, "etc/codex", SHARED, SHARED),
    ("command-code", HOME, ".commandcode", HOME, ".commandcode", OWN, OWN),
    ("continue", HOME, ".continue", HOME, ".continue", OWN, OWN),
    ("cortex", HOME, ".snowflake/cortex", HOME, ".snowflake/cortex", OWN, OWN),
    ("crush", HOME, ".config/crush", HOME, ".config/crush", OWN, OWN),
    ("cursor", HOME, ".cursor", HOME, ".cursor", SHARED, SHARED),
    ("deepagents", HOME, ".deepagents/agent", HOME, ".deepagents", SHARED, SHARED),
    ("devin", CONFIG, "devin", CONFIG, "devin", OWN, OWN),
    ("dexto", HOME, ".agents", HOME, ".dexto", SHARED, SHARED),
    ("droid", HOME, ".factory", HOME, ".factory", OWN, SHARED),
    ("firebender", HOME, ".firebender", HOME, ".firebender", SHARED, SHARED),
    ("forgecode", HOME, ".forge", HOME, ".forge", OWN, OWN),
    ("fx", HOME, ".agents", HOME, ".fx", UNKNOWN, SHARED),
    ("gemini-cli", HOME, ".gemini", HOME, ".gemini", SHARED, SHARED),
    ("github-copilot", HOME, ".copilot", HOME, ".copilot", SHARED, SHARED),
    ("goose", CONFIG, "goose", CONFIG, "goose", OWN, OWN),
    ("grok", GROK, "", GROK, "", UNKNOWN, OWN),
    ("hermes-agent", HERMES, "", HERMES, "", OWN, OWN),
    ("iflow-cli", HOME, ".iflow", HOME, ".iflow", OWN, OWN),
    ("inference-sh", HOME, ".inferencesh", HOME, ".inferencesh", OWN, OWN),
    ("jazz", HOME, ".jazz", HOME, ".jazz", OWN, OWN),
    ("junie", HOME, ".junie", HOME, ".junie", OWN, OWN),
    ("kilo", HOME, ".kilocode", HOME, ".kilocode", OWN, SHARED),
    ("kilo", HOME, ".kilo", HOME, ".kilo", UNKNOWN, SHARED),
    ("kimchi", HOME, ".config/kimchi/harness", HOME, ".config/kimchi", UNKNOWN, OWN),
    ("kimi-code-cli", HOME, ".agents", HOME, ".kimi", SHARED, SHARED),
    ("kimi-code-cli", HOME, ".agents", HOME, ".kimi-code", SHARED, SHARED),
    ("kiro-cli", HOME, ".kiro", HOME, ".kiro", OWN, OWN),
    ("kode", HOME, ".kode", HOME, ".kode", OWN, OWN),
    ("lingma", HOME, ".lingma", HOME, ".lingma", OWN, OWN),
    ("loaf", HOME, ".agents", HOME, ".loaf", SHARED, SHARED),
    ("mcpjam", HOME, ".mcpjam", HOME, ".mcpjam", OWN, OWN),
    ("minimax-code", HOME, ".minimax", HOME, ".minimax", UNKNOWN, OWN),
    (
        "minimax-code",
        HOME,
        ".minimax",
        ROOT,
        "Applications/MiniMax Code.app",
        UNKNOWN,
        OWN,
    ),
    ("mistral-vibe", VIBE, "", VIBE, "", OWN, OWN),
    ("moxby", HOME, ".moxby", HOME, ".moxby", OWN, OWN),
    ("mux", HOME, ".mux", HOME, ".mux", OWN, OWN),
    ("neovate", HOME, ".neovate", HOME, ".neovate", OWN, OWN),
    ("ona", HOME, ".ona", HOME, ".ona", OWN, OWN),
    ("openclaw", HOME, ".clawdbot", HOME, ".clawdbot", OWN, OWN),
    ("openclaw", HOME, ".moltbot", HOME, ".moltbot", OWN, OWN),
    ("openclaw", HOME, ".openclaw", HOME, ".openclaw", OWN, OWN),
    ("opencode", CONFIG, "opencode", CONFIG, "opencode", SHARED, SHARED),
    ("openhands", HOME, ".openhands", HOME, ".openhands", OWN, OWN),
    ("pi", HOME, ".pi/agent", HOME, ".pi/agent", OWN, SHARED),
    ("pochi", HOME, ".pochi", HOME, ".pochi", OWN, OWN),
    (
        "posit-assistant",
        HOME,
        ".posit/assistant",
        HOME,
        ".posit/assistant",
        UNKNOWN,
        OWN,
    ),
    ("posit-assistant", HOME, ".posit/assistant", HOME, ".positai", UNKNOWN, OWN),
    ("qoder", HOME, ".qoder", HOME, ".qoder", OWN, OWN),
    ("qoder-cn", HOME, ".qoder-cn", HOME, ".qoder-cn", OWN, OWN),
    ("qwen-code", HOME, ".qwen", HOME, ".qwen", OWN, OWN),
    ("reasonix", HOME, ".reasonix", HOME, ".reasonix", OWN, OWN),
    ("replit", CONFIG, "agents", NOWHERE, "", SHARED, SHARED),
    ("roo", HOME, ".roo", HOME, ".roo", OWN, OWN),
    ("rovodev", HOME, ".rovodev", HOME, ".rovodev", OWN, OWN),
    ("sarvam-code", HOME, ".agents", SARVAM, "", UNKNOWN, SHARED),
    ("tabnine-cli", HOME, ".tabnine/agent", HOME, ".tabnine", OWN, OWN),
    ("terramind", HOME, ".terramind", HOME, ".terramind", OWN, OWN),
    ("tinycloud", HOME, ".tinycloud", HOME, ".tinycloud", OWN, OWN),
    ("trae", HOME, ".trae", HOME, ".trae", OWN, OWN),
    ("trae-cn", HOME, ".trae-cn", HOME, ".trae-cn", OWN, OWN),
    ("warp", HOME, ".agents", HOME, ".warp", SHARED, SHARED),
    ("windsurf", HOME, ".codeium/windsurf", HOME, ".codeium/windsurf", OWN, OWN),
    ("zcode", HOME, ".zcode", HOME, ".zcode", OWN, OWN),
    ("zcode", HOME, ".zcode", ROOT, "Applications/ZCode.app", OWN, OWN),
    ("zed", HOME, ".agents", APP_DATA, "Zed", SHARED, SHARED),
    ("zed", HOME, ".agents", CONFIG, "zed", SHARED, SHARED),
    ("zed", HOME, ".agents", FLATPAK, "zed", SHARED, SHARED),
    ("zencoder", HOME, ".zencoder", HOME, ".zencoder", OWN, OWN),
    ("zenflow", HOME, ".zencoder", HOME, ".zencoder", OWN, OWN),
    ("universal", CONFIG, "agents", NOWHERE, "", SHARED, SHARED),
)

AGENTS = tuple(Agent(*row) for row in _ROWS)
