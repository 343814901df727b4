//! Every environment variable that aos reads, in one place.

use std::path::PathBuf;

/// `json`, `text` or `raw`: the default output format.
pub const AOS_FORMAT: &str = "AOS_FORMAT";
/// A shell that asks for completions sets it to its name.
pub const AOS_COMPLETE: &str = "AOS_COMPLETE";
/// The separator that such a shell expects between candidates.
pub const CLAP_IFS: &str = "_CLAP_IFS";
/// Directory of aos's own state (confirm secret, used tokens); default `~/.aos`.
pub const AOS_HOME: &str = "AOS_HOME";
/// Any value: open no connection; what needs one fails with `E_NETWORK`.
pub const AOS_OFFLINE: &str = "AOS_OFFLINE";
/// API of the host that releases come from, https, or http on loopback; default `https://api.github.com`.
pub const AOS_UPDATE_API_URL: &str = "AOS_UPDATE_API_URL";
/// Token for api.github.com only; raises the rate limit.
pub const GITHUB_TOKEN: &str = "GITHUB_TOKEN";
/// Proxies for https, in the order in which they count.
pub const HTTPS_PROXIES: [&str; 4] = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
/// Proxies for http, in the order in which they count.
pub const HTTP_PROXIES: [&str; 4] = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];
/// Directories of connectors, separated by commas: the first that the connector host searches.
pub const ARGENT_CONNECTOR_REPOS: &str = "ARGENT_CONNECTOR_REPOS";
/// The active virtual environment of Python; its interpreter runs augmentors.
pub const VIRTUAL_ENV: &str = "VIRTUAL_ENV";
/// Set by GitHub Actions; `check` then adds workflow annotations.
pub const GITHUB_ACTIONS: &str = "GITHUB_ACTIONS";
/// Any value switches colour off.
pub const NO_COLOR: &str = "NO_COLOR";

/// Programs are found in these directories.
pub const PATH: &str = "PATH";
/// The directory of Windows; programs do not start there without it.
pub const SYSTEM_ROOT: &str = "SYSTEMROOT";
/// Debug builds only: longest time of a Skill sync, in milliseconds.
pub const AOS_TEST_SKILL_LIMIT_MS: &str = "AOS_TEST_SKILL_LIMIT_MS";
/// Debug builds only: a directory for the bytecode of tools under test, which several runs share.
pub const AOS_TEST_BYTECODE: &str = "AOS_TEST_BYTECODE";
/// Debug builds only: longest time of a call of an augmentor under test, in milliseconds.
pub const AOS_TEST_CALL_LIMIT_MS: &str = "AOS_TEST_CALL_LIMIT_MS";
/// Settings for git in numbered variables; how many there are.
pub const GIT_CONFIG_COUNT: &str = "GIT_CONFIG_COUNT";

/// The directory for configuration of programs; default `~/.config`. Moves the skills of several agents.
pub const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
/// Moves Claude Code away from `~/.claude`.
pub const CLAUDE_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
/// Moves Codex away from `~/.codex`.
pub const CODEX_HOME: &str = "CODEX_HOME";
/// Moves Mistral Vibe away from `~/.vibe`.
pub const VIBE_HOME: &str = "VIBE_HOME";
/// Moves Hermes Agent away from `~/.hermes`.
pub const HERMES_HOME: &str = "HERMES_HOME";
/// Moves Autohand Code away from `~/.autohand`.
pub const AUTOHAND_HOME: &str = "AUTOHAND_HOME";
/// Moves Grok Build away from `~/.grok`.
pub const GROK_HOME: &str = "GROK_HOME";
/// Moves Sarvam Code away from `~/.sarvam`.
pub const SARVAM_HOME: &str = "SARVAM_HOME";
/// Windows: the directory for data of programs; shows whether Zed is installed.
pub const APPDATA: &str = "APPDATA";
/// The configuration outside a Flatpak; shows whether Zed is installed.
pub const FLATPAK_XDG_CONFIG_HOME: &str = "FLATPAK_XDG_CONFIG_HOME";

/// Signs of an agent that make `skills` install for this agent alone; never passed on to it.
pub const SIGNS_OF_AGENTS: &[&str] = &[
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
];
/// Point git at another repository or settings than those of the call; set inside hooks and aliases.
pub const FOREIGN_TO_GIT: [&str; 11] = [
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
];
/// Variables of an outer `npx` or `npm run`, which an inner `npx` would read as its own.
pub const FOREIGN_TO_NPX: &[&str] =
    &["npm_config_call", "npm_config_package", "npm_config_workspace", "npm_config_workspaces"];
/// Programs that would ask a person for a password in a window of their own.
pub const ASKING_PROGRAMS: [&str; 2] = ["GIT_ASKPASS", "SSH_ASKPASS"];
/// Forces colour where `NO_COLOR` forbids it.
pub const FORCE_COLOR: &str = "FORCE_COLOR";

/// Variables for every program that aos starts for an MCP client: paths, language, proxies. None is a secret of a
/// package.
pub const NEUTRAL: &[&str] = &[
    "ALL_PROXY",
    "APPDATA",
    "COMSPEC",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LOCALAPPDATA",
    "LOGNAME",
    "NO_PROXY",
    "PATH",
    "PATHEXT",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
    "TZ",
    "USER",
    "USERPROFILE",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// The value of `name`; an empty value counts as not set, a value that is not UTF-8 too.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "only this module reads the environment")]
pub fn read(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The directory of aos's own state; `None` without `AOS_HOME` and without a home directory.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "only this module reads the environment")]
pub fn state_directory() -> Option<PathBuf> {
    if cfg!(test) {
        // Unit tests share a directory beside their binary, and never touch that of the user.
        return Some(std::env::current_exe().ok()?.with_file_name("unit-test-state"));
    }
    if let Some(path) = std::env::var_os(AOS_HOME).filter(|value| !value.is_empty()) {
        return Some(PathBuf::from(path));
    }
    let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    std::env::var_os(home)
        .filter(|value| !value.is_empty())
        .map(|home| PathBuf::from(home).join(".aos"))
}

/// The home directory of the user; `None` when it is not set or not absolute.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "only this module reads the environment")]
pub fn home_directory() -> Option<PathBuf> {
    let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    std::env::var_os(home).map(PathBuf::from).filter(|home| home.is_absolute())
}

/// All variables that are UTF-8.
#[must_use]
pub fn variables() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// The directory for temporary files.
#[must_use]
pub fn temporary_directory() -> PathBuf {
    std::env::temp_dir()
}

/// The program that runs, as the system names it; links are not resolved.
///
/// # Errors
/// Returns an error if the system cannot say.
pub fn current_executable() -> std::io::Result<PathBuf> {
    std::env::current_exe()
}

/// The directory the command runs in.
///
/// # Errors
/// Returns an error if it was deleted or may not be read.
#[expect(clippy::disallowed_methods, reason = "only this module reads the environment")]
pub fn current_directory() -> std::io::Result<PathBuf> {
    std::env::current_dir()
}

/// Moves the process to `directory` (`-C`).
///
/// # Errors
/// Returns an error if it is not a directory that may be entered.
#[expect(clippy::disallowed_methods, reason = "only this module reads the environment")]
pub fn enter(directory: &std::path::Path) -> std::io::Result<()> {
    std::env::set_current_dir(directory)
}

/// Operating system and processor that this program was built for, as Rust names them.
#[must_use]
pub fn platform() -> (&'static str, &'static str) {
    (std::env::consts::OS, std::env::consts::ARCH)
}
