//! The agents that `npx skills` knows: how each is recognised, where its skills lie, and whether `skills` writes there.
//!
//! A fact about `skills` 1.5.16 and 1.7.4; their documentation has the table of directories.

use super::places::Base;

/// A directory below one that the environment may move.
pub type Spot = (Base, &'static str);

/// The version of `skills` that is run: the newest one that the Node here can run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Pin {
    /// For Node 20.12 to 22.19.
    Older,
    /// For Node 22.20 and newer.
    Newer,
}

impl Pin {
    #[must_use]
    pub fn version(self) -> &'static str {
        match self {
            Self::Older => "1.5.16",
            Self::Newer => "1.7.4",
        }
    }
}

/// What a global installation does for an agent.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Reach {
    /// This version does not know the agent.
    Unknown,
    /// Writes the canonical directory, which the agent reads; never a directory of its own.
    Canonical,
    /// Writes the agent's own directory.
    Own,
}

/// One agent; an agent that is recognised in several ways has several lines.
#[derive(Clone, Copy, Debug)]
pub struct Agent {
    /// What `--agent` calls it.
    pub name: &'static str,
    /// Holds the directory `skills`.
    pub root: Spot,
    /// Exists when the agent is there; `None` when nothing tells.
    pub sign: Option<Spot>,
    older: Reach,
    newer: Reach,
}

impl Agent {
    #[must_use]
    pub fn reach(&self, pin: Pin) -> Reach {
        match pin {
            Pin::Older => self.older,
            Pin::Newer => self.newer,
        }
    }
}

/// Has a directory of its own, and is there when the directory is.
const fn own(name: &'static str, base: Base, root: &'static str) -> Agent {
    let root = (base, root);
    Agent { name, root, sign: Some(root), older: Reach::Own, newer: Reach::Own }
}

/// Reads the canonical directory; may still have an old copy in a directory of its own.
const fn shared(name: &'static str, base: Base, root: &'static str) -> Agent {
    let root = (base, root);
    Agent { name, root, sign: Some(root), older: Reach::Canonical, newer: Reach::Canonical }
}

impl Agent {
    const fn seen_by(self, base: Base, sign: &'static str) -> Self {
        Self { sign: Some((base, sign)), ..self }
    }

    const fn never_seen(self) -> Self {
        Self { sign: None, ..self }
    }

    const fn only_newer(self) -> Self {
        Self { older: Reach::Unknown, ..self }
    }

    /// Moved to the canonical directory between the two versions.
    const fn moved(self) -> Self {
        Self { newer: Reach::Canonical, ..self }
    }
}

/// Reads the canonical directory and has none of its own.
const fn canonical(name: &'static str, base: Base, sign: &'static str) -> Agent {
    shared(name, Base::Home, ".agents").seen_by(base, sign)
}

use Base::{
    AppData, Autohand, Claude, Codex, Config, FlatpakConfig, Grok, Hermes, Home, Root, Sarvam, Vibe,
};

pub const AGENTS: [Agent; 87] = [
    own("adal", Home, ".adal"),
    own("aider-desk", Home, ".aider-desk"),
    shared("amp", Config, "agents").seen_by(Config, "amp"),
    shared("antigravity", Home, ".gemini/antigravity"),
    shared("antigravity-cli", Home, ".gemini/antigravity-cli"),
    own("astrbot", Home, ".astrbot/data").seen_by(Home, ".astrbot"),
    own("augment", Home, ".augment"),
    own("autohand-code", Autohand, ""),
    own("bob", Home, ".bob"),
    own("claude-code", Claude, ""),
    canonical("cline", Home, ".cline"),
    own("codearts-agent", Home, ".codeartsdoer"),
    own("codebuddy", Home, ".codebuddy"),
    own("codemaker", Home, ".codemaker"),
    own("codestudio", Home, ".codestudio"),
    shared("codex", Codex, ""),
    shared("codex", Codex, "").seen_by(Root, "etc/codex"),
    own("command-code", Home, ".commandcode"),
    own("continue", Home, ".continue"),
    own("cortex", Home, ".snowflake/cortex"),
    own("crush", Home, ".config/crush"),
    shared("cursor", Home, ".cursor"),
    shared("deepagents", Home, ".deepagents/agent").seen_by(Home, ".deepagents"),
    own("devin", Config, "devin"),
    canonical("dexto", Home, ".dexto"),
    own("droid", Home, ".factory").moved(),
    shared("firebender", Home, ".firebender"),
    own("forgecode", Home, ".forge"),
    canonical("fx", Home, ".fx").only_newer(),
    shared("gemini-cli", Home, ".gemini"),
    shared("github-copilot", Home, ".copilot"),
    own("goose", Config, "goose"),
    own("grok", Grok, "").only_newer(),
    own("hermes-agent", Hermes, ""),
    own("iflow-cli", Home, ".iflow"),
    own("inference-sh", Home, ".inferencesh"),
    own("jazz", Home, ".jazz"),
    own("junie", Home, ".junie"),
    own("kilo", Home, ".kilocode").moved(),
    shared("kilo", Home, ".kilo").only_newer(),
    own("kimchi", Home, ".config/kimchi/harness").seen_by(Home, ".config/kimchi").only_newer(),
    canonical("kimi-code-cli", Home, ".kimi"),
    canonical("kimi-code-cli", Home, ".kimi-code"),
    own("kiro-cli", Home, ".kiro"),
    own("kode", Home, ".kode"),
    own("lingma", Home, ".lingma"),
    canonical("loaf", Home, ".loaf"),
    own("mcpjam", Home, ".mcpjam"),
    own("minimax-code", Home, ".minimax").only_newer(),
    own("minimax-code", Home, ".minimax")
        .seen_by(Root, "Applications/MiniMax Code.app")
        .only_newer(),
    own("mistral-vibe", Vibe, ""),
    own("moxby", Home, ".moxby"),
    own("mux", Home, ".mux"),
    own("neovate", Home, ".neovate"),
    own("ona", Home, ".ona"),
    own("openclaw", Home, ".clawdbot"),
    own("openclaw", Home, ".moltbot"),
    own("openclaw", Home, ".openclaw"),
    shared("opencode", Config, "opencode"),
    own("openhands", Home, ".openhands"),
    own("pi", Home, ".pi/agent").moved(),
    own("pochi", Home, ".pochi"),
    own("posit-assistant", Home, ".posit/assistant").only_newer(),
    own("posit-assistant", Home, ".posit/assistant").seen_by(Home, ".positai").only_newer(),
    own("qoder", Home, ".qoder"),
    own("qoder-cn", Home, ".qoder-cn"),
    own("qwen-code", Home, ".qwen"),
    own("reasonix", Home, ".reasonix"),
    shared("replit", Config, "agents").never_seen(),
    own("roo", Home, ".roo"),
    own("rovodev", Home, ".rovodev"),
    canonical("sarvam-code", Sarvam, "").only_newer(),
    own("tabnine-cli", Home, ".tabnine/agent").seen_by(Home, ".tabnine"),
    own("terramind", Home, ".terramind"),
    own("tinycloud", Home, ".tinycloud"),
    own("trae", Home, ".trae"),
    own("trae-cn", Home, ".trae-cn"),
    canonical("warp", Home, ".warp"),
    own("windsurf", Home, ".codeium/windsurf"),
    own("zcode", Home, ".zcode"),
    own("zcode", Home, ".zcode").seen_by(Root, "Applications/ZCode.app"),
    canonical("zed", AppData, "Zed"),
    canonical("zed", Config, "zed"),
    canonical("zed", FlatpakConfig, "zed"),
    own("zencoder", Home, ".zencoder"),
    own("zenflow", Home, ".zencoder"),
    // Selects the canonical directory alone.
    shared("universal", Config, "agents").never_seen(),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_words_so_they_can_stand_in_a_command_line() {
        for agent in AGENTS {
            let plain = |symbol: char| symbol.is_ascii_lowercase() || symbol == '-';
            assert!(
                agent.name.chars().all(plain) && !agent.name.starts_with('-'),
                "{}",
                agent.name
            );
        }
    }

    #[test]
    fn paths_are_relative_and_stay_below_their_base() {
        for agent in AGENTS {
            for (_, path) in [Some(agent.root), agent.sign].into_iter().flatten() {
                assert!(!path.starts_with('/') && !path.contains(".."), "{path}");
            }
        }
    }
}
