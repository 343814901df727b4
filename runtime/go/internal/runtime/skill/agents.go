package skill

// reach says what a global installation does for an agent.
type reach int

const (
	// unknown: this version of the installer does not know the agent.
	unknown reach = iota
	// canonical: it writes the directory that all of these agents read.
	canonical
	// own: it writes a directory of the agent.
	own
)

// agent is one agent that the installer knows; one that is recognised in several ways has several lines.
type agent struct {
	name string
	// The directory that holds its directory skills.
	base base
	path string
	// What exists when the agent is there.
	signBase base
	sign     string
	// What the older and the newer installer do for it.
	older reach
	newer reach
}

// agents is a fact about `skills` 1.5.16 and 1.7.4.
var agents = []agent{
	{"adal", home, ".adal", home, ".adal", own, own},
	{"aider-desk", home, ".aider-desk", home, ".aider-desk", own, own},
	{"amp", configHome, "agents", configHome, "amp", canonical, canonical},
	{"antigravity", home, ".gemini/antigravity", home, ".gemini/antigravity", canonical, canonical},
	{"antigravity-cli", home, ".gemini/antigravity-cli", home, ".gemini/antigravity-cli", canonical, canonical},
	{"astrbot", home, ".astrbot/data", home, ".astrbot", own, own},
	{"augment", home, ".augment", home, ".augment", own, own},
	{"autohand-code", autohandHome, "", autohandHome, "", own, own},
	{"bob", home, ".bob", home, ".bob", own, own},
	{"claude-code", claudeHome, "", claudeHome, "", own, own},
	{"cline", home, ".agents", home, ".cline", canonical, canonical},
	{"codearts-agent", home, ".codeartsdoer", home, ".codeartsdoer", own, own},
	{"codebuddy", home, ".codebuddy", home, ".codebuddy", own, own},
	{"codemaker", home, ".codemaker", home, ".codemaker", own, own},
	{"codestudio", home, ".codestudio", home, ".codestudio", own, own},
	{"codex", codexHome, "", codexHome, "", canonical, canonical},
	{"codex", codexHome, "", root, "etc/codex", canonical, canonical},
	{"command-code", home, ".commandcode", home, ".commandcode", own, own},
	{"continue", home, ".continue", home, ".continue", own, own},
	{"cortex", home, ".snowflake/cortex", home, ".snowflake/cortex", own, own},
	{"crush", home, ".config/crush", home, ".config/crush", own, own},
	{"cursor", home, ".cursor", home, ".cursor", canonical, canonical},
	{"deepagents", home, ".deepagents/agent", home, ".deepagents", canonical, canonical},
	{"devin", configHome, "devin", configHome, "devin", own, own},
	{"dexto", home, ".agents", home, ".dexto", canonical, canonical},
	{"droid", home, ".factory", home, ".factory", own, canonical},
	{"firebender", home, ".firebender", home, ".firebender", canonical, canonical},
	{"forgecode", home, ".forge", home, ".forge", own, own},
	{"fx", home, ".agents", home, ".fx", unknown, canonical},
	{"gemini-cli", home, ".gemini", home, ".gemini", canonical, canonical},
	{"github-copilot", home, ".copilot", home, ".copilot", canonical, canonical},
	{"goose", configHome, "goose", configHome, "goose", own, own},
	{"grok", grokHome, "", grokHome, "", unknown, own},
	{"hermes-agent", hermesHome, "", hermesHome, "", own, own},
	{"iflow-cli", home, ".iflow", home, ".iflow", own, own},
	{"inference-sh", home, ".inferencesh", home, ".inferencesh", own, own},
	{"jazz", home, ".jazz", home, ".jazz", own, own},
	{"junie", home, ".junie", home, ".junie", own, own},
	{"kilo", home, ".kilocode", home, ".kilocode", own, canonical},
	{"kilo", home, ".kilo", home, ".kilo", unknown, canonical},
	{"kimchi", home, ".config/kimchi/harness", home, ".config/kimchi", unknown, own},
	{"kimi-code-cli", home, ".agents", home, ".kimi", canonical, canonical},
	{"kimi-code-cli", home, ".agents", home, ".kimi-code", canonical, canonical},
	{"kiro-cli", home, ".kiro", home, ".kiro", own, own},
	{"kode", home, ".kode", home, ".kode", own, own},
	{"lingma", home, ".lingma", home, ".lingma", own, own},
	{"loaf", home, ".agents", home, ".loaf", canonical, canonical},
	{"mcpjam", home, ".mcpjam", home, ".mcpjam", own, own},
	{"minimax-code", home, ".minimax", home, ".minimax", unknown, own},
	{"minimax-code", home, ".minimax", root, "Applications/MiniMax Code.app", unknown, own},
	{"mistral-vibe", vibeHome, "", vibeHome, "", own, own},
	{"moxby", home, ".moxby", home, ".moxby", own, own},
	{"mux", home, ".mux", home, ".mux", own, own},
	{"neovate", home, ".neovate", home, ".neovate", own, own},
	{"ona", home, ".ona", home, ".ona", own, own},
	{"openclaw", home, ".clawdbot", home, ".clawdbot", own, own},
	{"openclaw", home, ".moltbot", home, ".moltbot", own, own},
	{"openclaw", home, ".openclaw", home, ".openclaw", own, own},
	{"opencode", configHome, "opencode", configHome, "opencode", canonical, canonical},
	{"openhands", home, ".openhands", home, ".openhands", own, own},
	{"pi", home, ".pi/agent", home, ".pi/agent", own, canonical},
	{"pochi", home, ".pochi", home, ".pochi", own, own},
	{"posit-assistant", home, ".posit/assistant", home, ".posit/assistant", unknown, own},
	{"posit-assistant", home, ".posit/assistant", home, ".positai", unknown, own},
	{"qoder", home, ".qoder", home, ".qoder", own, own},
	{"qoder-cn", home, ".qoder-cn", home, ".qoder-cn", own, own},
	{"qwen-code", home, ".qwen", home, ".qwen", own, own},
	{"reasonix", home, ".reasonix", home, ".reasonix", own, own},
	{"replit", configHome, "agents", nowhere, "", canonical, canonical},
	{"roo", home, ".roo", home, ".roo", own, own},
	{"rovodev", home, ".rovodev", home, ".rovodev", own, own},
	{"sarvam-code", home, ".agents", sarvamHome, "", unknown, canonical},
	{"tabnine-cli", home, ".tabnine/agent", home, ".tabnine", own, own},
	{"terramind", home, ".terramind", home, ".terramind", own, own},
	{"tinycloud", home, ".tinycloud", home, ".tinycloud", own, own},
	{"trae", home, ".trae", home, ".trae", own, own},
	{"trae-cn", home, ".trae-cn", home, ".trae-cn", own, own},
	{"warp", home, ".agents", home, ".warp", canonical, canonical},
	{"windsurf", home, ".codeium/windsurf", home, ".codeium/windsurf", own, own},
	{"zcode", home, ".zcode", home, ".zcode", own, own},
	{"zcode", home, ".zcode", root, "Applications/ZCode.app", own, own},
	{"zed", home, ".agents", appData, "Zed", canonical, canonical},
	{"zed", home, ".agents", configHome, "zed", canonical, canonical},
	{"zed", home, ".agents", flatpakConfig, "zed", canonical, canonical},
	{"zencoder", home, ".zencoder", home, ".zencoder", own, own},
	{"zenflow", home, ".zencoder", home, ".zencoder", own, own},
	{"universal", configHome, "agents", nowhere, "", canonical, canonical},
}
