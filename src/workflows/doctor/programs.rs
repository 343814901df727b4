//! The programs that some part of aos works with: whether they are there, and new enough.

use std::path::Path;
use std::time::Duration;

use crate::report::answers::doctor::DoctorCheck;
use crate::system::process::{self, Invocation};

/// Longest time that a look at another program may take.
const LIMIT: Duration = Duration::from_secs(3);

/// Another program that some part of aos works with.
struct NeededProgram {
    name: &'static str,
    arguments: &'static [&'static str],
    /// The oldest version that will do.
    oldest: (u64, u64),
    fix: &'static str,
}

const GIT: NeededProgram = NeededProgram {
    name: "git",
    arguments: &["--version"],
    oldest: (2, 0),
    fix: "install git to get a repository with each new project",
};
const PYTHON: NeededProgram = NeededProgram {
    name: "python3",
    arguments: &["--version"],
    oldest: (3, 10),
    fix: "install Python 3.10 or newer to run generated connectors",
};
const NODE: NeededProgram = NeededProgram {
    name: "node",
    arguments: &["--version"],
    oldest: (20, 12),
    fix: "install Node.js 20.12 or newer with npx, which installs the Skill",
};
const GO: NeededProgram = NeededProgram {
    name: "go",
    arguments: &["version"],
    oldest: (1, 21),
    fix: "install Go 1.21 or newer to build generated Go tools",
};

fn look(tool: &NeededProgram) -> DoctorCheck {
    let (name, fix) = (tool.name, tool.fix);
    let directory = Path::new(".");
    let arguments = tool.arguments;
    let invocation = Invocation { program: name, arguments, directory, without: &[], limit: LIMIT };
    match process::run(&invocation) {
        Ok(output) if output.success => {
            let said = if output.stdout.trim().is_empty() { output.stderr } else { output.stdout };
            let said: String = said.lines().next().unwrap_or_default().chars().take(80).collect();
            match version_in(&said) {
                Some(version) if version < tool.oldest => DoctorCheck::warn(name, said, fix),
                _ => DoctorCheck::pass(name, said),
            }
        }
        Ok(_) => DoctorCheck::warn(name, "it is installed but does not work", fix),
        Err(error) => DoctorCheck::warn(name, error.to_string(), fix),
    }
}

/// The first `MAJOR.MINOR` in what a program says about itself.
fn version_in(said: &str) -> Option<(u64, u64)> {
    said.split(|symbol: char| !symbol.is_ascii_digit() && symbol != '.').find_map(|part| {
        let mut numbers = part.split('.');
        let major = numbers.next()?.parse().ok()?;
        let minor = numbers.next()?.parse().ok()?;
        Some((major, minor))
    })
}

pub fn git() -> DoctorCheck {
    look(&GIT)
}

/// Checks that git knows the author of commits: without one, a new project has no first commit.
pub fn git_identity() -> DoctorCheck {
    const NAME: &str = "git_identity";
    let invocation = Invocation {
        program: "git",
        arguments: &["-c", "user.useConfigOnly=true", "var", "GIT_AUTHOR_IDENT"],
        directory: Path::new("."),
        without: &[],
        limit: LIMIT,
    };
    match process::run(&invocation) {
        Ok(output) if output.success => DoctorCheck::pass(NAME, "git knows your name and e-mail"),
        Ok(_) => DoctorCheck::warn(
            NAME,
            "git does not know your name and e-mail",
            "run `git config --global user.name NAME` and `git config --global user.email ADDRESS`",
        ),
        // The line about git says what is wrong with it.
        Err(_) => DoctorCheck::pass(NAME, "not checked, because git does not run"),
    }
}

pub fn python() -> DoctorCheck {
    look(&PYTHON)
}

pub fn node() -> DoctorCheck {
    look(&NODE)
}

pub fn go() -> DoctorCheck {
    look(&GO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_in_what_programs_say() {
        for (said, expected) in [
            ("git version 2.39.5", Some((2, 39))),
            ("Python 3.9.1", Some((3, 9))),
            ("v20.20.2", Some((20, 20))),
            ("go version go1.26.8 linux/amd64", Some((1, 26))),
            ("git version 2.39.3 (Apple Git-146)", Some((2, 39))),
            ("hello", None),
            ("", None),
        ] {
            assert_eq!(version_in(said), expected, "{said}");
        }
    }
}
