//! `aos doctor`: what may stop aos from working here, each with a fix.

mod update;

use std::path::Path;
use std::time::Duration;

use clap::Args;

use crate::inputs::project::{Project, Slot};
use crate::inputs::spec_source;
use crate::report::answers::doctor::{DoctorCheck, DoctorReport};
use crate::report::{Failure, Outcome};
use crate::system::process::{self, Invocation};
use crate::system::{environment, files};
use crate::visible::{Visible, visible};

use super::Run;
use super::registry::READINESS_LEVEL;

/// Longest time that a look at another program may take.
const LIMIT: Duration = Duration::from_secs(3);

/// Check the environment, and show a fix for each problem
#[derive(Args, Debug)]
pub struct DoctorArgs {}

impl DoctorCheck {
    fn pass(name: &'static str, found: impl Into<String>) -> Self {
        Self { check: name, status: "pass", fix: None, found: found.into() }
    }

    fn warn(name: &'static str, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { check: name, status: "warn", fix: Some(fix.into()), found: found.into() }
    }

    fn fail(name: &'static str, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { check: name, status: "fail", fix: Some(fix.into()), found: found.into() }
    }
}

/// Runs the command.
///
/// # Errors
/// Never: a problem is a line of the report.
pub fn run(_args: &DoctorArgs, run: &Run) -> Result<Outcome, Failure> {
    let looked = update::look();
    let checks = [
        update::version(),
        state(),
        program(&GIT),
        program(&PYTHON),
        program(&NODE),
        program(&GO),
        pin(),
        update::skill(),
        looked.check,
        readiness(),
    ];
    let lines = checks.iter().map(|check| {
        let status = match check.status {
            "pass" => run.style.good("pass"),
            "warn" => run.style.warning("warn"),
            _ => run.style.bad("fail"),
        };
        let fix = check.fix.as_ref().map(|fix| visible!("\n       fix: {}", fix));
        visible!("{}   {:<18} {}{}", status, check.check, check.found, fix.unwrap_or_default())
    });
    let text = Visible::joined(lines, "\n");
    let data = DoctorReport { checks: checks.into(), notices: looked.notices };
    Ok(Outcome::new(data, text))
}

fn state() -> DoctorCheck {
    match environment::state_directory() {
        None => DoctorCheck::warn(
            "state_directory",
            "no home directory",
            "set AOS_HOME; it is needed for confirm tokens",
        ),
        Some(path) => match files::is_private(&path.join("confirm.secret")) {
            Ok(true) => DoctorCheck::pass("state_directory", path.display().to_string()),
            Ok(false) => DoctorCheck::fail(
                "state_directory",
                "other users can read the confirm secret",
                format!("delete `{}`", path.join("confirm.secret").display()),
            ),
            // It is made when the first token is.
            Err(_) => {
                DoctorCheck::pass("state_directory", format!("{} (not used yet)", path.display()))
            }
        },
    }
}

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

fn program(tool: &NeededProgram) -> DoctorCheck {
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
        Ok(_) => DoctorCheck::warn(name, "it is there but does not work", fix),
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

/// The pin of the project here, against the newest tag this program carries.
fn pin() -> DoctorCheck {
    let Ok(project) = Project::open(Path::new(".")) else {
        return DoctorCheck::pass("spec_pin", "no project here");
    };
    match &project.pin {
        Slot::Absent => {
            DoctorCheck::warn("spec_pin", "the project has no pin", "run `aos sync-spec`")
        }
        Slot::Faulty { reason, .. } => DoctorCheck::fail(
            "spec_pin",
            format!("the pin is not a tag: {reason}"),
            "run `aos sync-spec --to latest`",
        ),
        Slot::Good(pin) => match spec_source::latest(project.family) {
            Ok(latest) if latest > *pin => DoctorCheck::warn(
                "spec_pin",
                format!("{pin}; {latest} is available"),
                "run `aos sync-spec --to latest`",
            ),
            _ => DoctorCheck::pass("spec_pin", pin.to_string()),
        },
    }
}

fn readiness() -> DoctorCheck {
    DoctorCheck::warn(
        "release_readiness",
        READINESS_LEVEL,
        "before calling it stable, record a live run on a published release",
    )
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
