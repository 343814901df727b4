//! The clients, where each one keeps its servers, and how it passes a variable on. Checked against their documentation in
//! November 2026.

/// A client whose configuration aos can print.
#[derive(Clone, Copy, Debug)]
pub struct McpClient {
    pub id: &'static str,
    pub title: &'static str,
    /// The files for the text: a file of the project first, if the client has one.
    pub files: &'static [&'static str],
    pub form: Form,
    pub secrets: Secrets,
}

/// The format of the file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Form {
    /// JSON: this member has the servers by name.
    Json(&'static str),
    /// JSON whose servers say their transport.
    TypedJson(&'static str),
    /// TOML: a table for each server.
    Toml,
}

/// The way in which a server gets a variable of the user.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Secrets {
    /// The client replaces `before NAME after` by the value of its own environment.
    Reference { before: &'static str, after: &'static str },
    /// The client gets only the name.
    Named,
    /// The client prompts for it once and stores it.
    Asked,
    /// The value itself is in the file; a placeholder is printed.
    Literal,
}

/// Every client, by name.
pub const CLIENTS: &[McpClient] = &[
    McpClient {
        id: "claude-code",
        title: "Claude Code",
        files: &[".mcp.json", "~/.claude.json"],
        form: Form::TypedJson("mcpServers"),
        secrets: Secrets::Reference { before: "${", after: "}" },
    },
    McpClient {
        id: "claude-desktop",
        title: "Claude Desktop",
        files: &[
            "~/Library/Application Support/Claude/claude_desktop_config.json",
            "%APPDATA%\\Claude\\claude_desktop_config.json",
        ],
        form: Form::Json("mcpServers"),
        secrets: Secrets::Literal,
    },
    McpClient {
        id: "codex",
        title: "Codex",
        files: &["~/.codex/config.toml", ".codex/config.toml"],
        form: Form::Toml,
        secrets: Secrets::Named,
    },
    McpClient {
        id: "cursor",
        title: "Cursor",
        files: &[".cursor/mcp.json", "~/.cursor/mcp.json"],
        form: Form::Json("mcpServers"),
        secrets: Secrets::Reference { before: "${env:", after: "}" },
    },
    McpClient {
        id: "gemini-cli",
        title: "Gemini CLI",
        files: &[".gemini/settings.json", "~/.gemini/settings.json"],
        form: Form::Json("mcpServers"),
        secrets: Secrets::Reference { before: "$", after: "" },
    },
    McpClient {
        id: "vscode",
        title: "VS Code",
        files: &[".vscode/mcp.json"],
        form: Form::TypedJson("servers"),
        secrets: Secrets::Asked,
    },
    McpClient {
        id: "windsurf",
        title: "Windsurf",
        files: &["~/.codeium/windsurf/mcp_config.json"],
        form: Form::Json("mcpServers"),
        secrets: Secrets::Reference { before: "${env:", after: "}" },
    },
    McpClient {
        id: "zed",
        title: "Zed",
        files: &[".zed/settings.json", "~/.config/zed/settings.json"],
        form: Form::Json("context_servers"),
        secrets: Secrets::Literal,
    },
];

impl McpClient {
    /// The client called `id`.
    #[must_use]
    pub fn find(id: &str) -> Option<&'static Self> {
        CLIENTS.iter().find(|client| client.id == id)
    }

    /// Returns the instructions for the user about secrets.
    #[must_use]
    pub fn advice(&self) -> &'static str {
        match self.secrets {
            Secrets::Reference { .. } | Secrets::Named => {
                "set the variables in the environment in which the client is started"
            }
            Secrets::Asked => "the client asks for each secret once and stores it",
            Secrets::Literal => {
                "the client has no references to variables: replace the placeholders with the values, and keep the file private"
            }
        }
    }
}
