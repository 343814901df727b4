//! Files that start builds or hold their settings.

use super::module::GeneratedModule;

/// Files that start builds, by name or by the end of it.
const ENDINGS: &[&str] = &[
    "Makefile",
    "makefile",
    "GNUmakefile",
    "justfile",
    "Justfile",
    "Dockerfile",
    "Containerfile",
    "Taskfile",
    "Rakefile",
    "Tiltfile",
    ".mk",
    ".mak",
    ".just",
    ".sh",
    ".bash",
    ".zsh",
    ".bat",
    ".cmd",
    ".ps1",
    ".yml",
    ".yaml",
    ".toml",
    ".json",
    ".envrc",
    ".env",
    ".npmrc",
    ".bazelrc",
    ".fish",
    ".ini",
    ".cfg",
    ".nix",
    ".groovy",
    ".gradle",
    "Jenkinsfile",
    "Procfile",
    "Earthfile",
    "Vagrantfile",
    "Brewfile",
    ".js",
    ".mjs",
    ".cjs",
    ".py",
];

/// Names that are followed by what the file is for: `.env.local`, `Dockerfile.dev`.
const STARTS: &[&str] = &[".env.", "Dockerfile.", "Containerfile.", "Makefile.", "Jenkinsfile."];

/// True if a file starts builds or holds their settings.
pub fn is_script(module: &GeneratedModule<'_>, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_executable = || module.repository.files.get(path).is_some_and(|file| file.executable);
    ENDINGS.iter().any(|ending| name.ends_with(ending))
        || name == "go.env"
        || STARTS.iter().any(|start| name.starts_with(start))
        || !name.contains('.') && is_executable()
}
