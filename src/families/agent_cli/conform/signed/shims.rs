//! All programs that an installed test build finds on PATH: the plain ones of this machine, and stand-ins for npx and
//! npm that record how they were called. No real package manager is among them.

use std::path::Path;

use crate::conform::sandbox::Sandbox;
use crate::system::{files, search_path};

use super::publication::Publication;

/// The directory of the sandbox that PATH names.
pub const SHIMS: &str = "shims";
/// Programs that scripts need, and interpreters for which a test build may be written.
const PLAIN: [&str; 36] = [
    "sh", "bash", "env", "python3", "python", "perl", "ruby", "cat", "cp", "mv", "mkdir", "rmdir",
    "rm", "ln", "chmod", "ls", "sleep", "touch", "dirname", "basename", "readlink", "realpath",
    "uname", "sed", "grep", "tr", "head", "tail", "cut", "sort", "test", "expr", "id", "mktemp",
    "tar", "gzip",
];
/// A Node that every version of the installer runs on.
const NODE: &str = "#!/bin/sh\necho v24.0.0\n";
const QUIET: &str = "#!/bin/sh\nexit 0\n";
/// The first lines of each stand-in, which record its arguments.
const NOTES: &str = "#!/bin/sh\nhere=${0%/*}\necho \"$*\" >>\"$here/${0##*/}.calls\"\n";
const INSTALLS_SKILLS: &str = "if [ -d \"$here/skills\" ]; then\n  mkdir -p \"$HOME/.agents/skills\"\n  cp -R \"$here/skills/.\" \"$HOME/.agents/skills/\"\nfi\n";
const INSTALLS_PROGRAM: &str = "to=$(readlink \"$here/installed\")\ncp \"$here/newer\" \"$to.npm\" && chmod 755 \"$to.npm\" && mv \"$to.npm\" \"$to\"\n";
const FAILS: &str = "echo 'made up by aos conform' >&2\nexit 7\n";
const WAITS: &str = ": >\"$here/../mark\"\nsleep 30\nexit 7\n";

/// The behaviour of the installer of Skills.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Npx {
    Installs,
    Fails,
    /// Sets the mark and works for long.
    Waits,
    Missing,
}

/// The place of the installed test build.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum InstallPlace {
    Plain,
    /// Called through a link.
    Linked,
    /// Where npm puts it; its stand-in works or fails.
    Npm {
        works: bool,
    },
    /// Below a directory with the name of npm's, which npm does not manage.
    LooksManaged,
}

/// Puts everything on PATH.
///
/// # Errors
/// If the system reports an error.
pub fn put(
    sandbox: &Sandbox,
    publication: &Publication,
    npx: Npx,
    place: InstallPlace,
) -> std::io::Result<()> {
    let at = |name: &str| format!("{SHIMS}/{name}");
    for name in PLAIN {
        if let Some(found) = search_path::find(name) {
            sandbox.link(&at(name), &found)?;
        }
    }
    let script = |name: &str, text: &str| sandbox.place(&at(name), text.as_bytes());
    script("node", NODE)?;
    script("git", QUIET)?;
    match npx {
        Npx::Installs => script("npx", &format!("{NOTES}{INSTALLS_SKILLS}"))?,
        Npx::Fails => script("npx", &format!("{NOTES}{FAILS}"))?,
        Npx::Waits => script("npx", &format!("{NOTES}{WAITS}"))?,
        Npx::Missing => {}
    }
    if let Some(skills) = publication.skills() {
        sandbox.link(&at("skills"), &skills)?;
    }
    match place {
        InstallPlace::Npm { works: false } => script("npm", &format!("{NOTES}{FAILS}"))?,
        // Also in directories from which no tool should run it.
        _ => script("npm", &format!("{NOTES}{INSTALLS_PROGRAM}"))?,
    }
    sandbox.place(&at("newer"), &publication.program)
}

/// Returns the calls that a stand-in recorded.
pub fn calls(sandbox: &Sandbox, name: &str) -> Vec<String> {
    const MOST: u64 = 64 * 1024;
    let path = sandbox.path().join(SHIMS).join(format!("{name}.calls"));
    let text = files::read(Path::new(&path), MOST).map(|loaded| loaded.bytes).unwrap_or_default();
    String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
}
