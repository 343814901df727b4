//! Problems that may stop aos from working here, each with a fix.

mod programs;
mod update;

use std::path::Path;

use crate::inputs::project::{Project, Slot};
use crate::inputs::spec_source;
use crate::report::answers::doctor::{DoctorCheck, DoctorReport};
use crate::report::{Failure, Outcome};
use crate::system::{environment, files};
use crate::visible::{Visible, visible};
use crate::workflows::Run;

impl DoctorCheck {
    fn pass(name: &'static str, message: impl Into<String>) -> Self {
        Self { check: name, status: "pass", fix: None, message: message.into() }
    }

    fn warn(name: &'static str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { check: name, status: "warn", fix: Some(fix.into()), message: message.into() }
    }

    fn fail(name: &'static str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { check: name, status: "fail", fix: Some(fix.into()), message: message.into() }
    }
}

/// Looks at everything; `readiness` is the level of this program.
///
/// # Errors
/// Never: a problem is a line of the report.
pub fn examine(readiness: &'static str, run: &Run) -> Result<Outcome, Failure> {
    let looked = update::look();
    let checks = [
        update::version(),
        state(),
        programs::git(),
        programs::git_identity(),
        programs::python(),
        programs::node(),
        programs::go(),
        pin(),
        update::skill(),
        looked.check,
        level(readiness),
    ];
    let lines = checks.iter().map(|check| {
        let status = match check.status {
            "pass" => run.style.good("pass"),
            "warn" => run.style.warning("warn"),
            _ => run.style.bad("fail"),
        };
        let fix = check.fix.as_ref().map(|fix| visible!("\n       fix: {}", fix));
        visible!("{}   {:<18} {}{}", status, check.check, check.message, fix.unwrap_or_default())
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

fn level(readiness: &'static str) -> DoctorCheck {
    if readiness == "stable" {
        return DoctorCheck::pass("release_readiness", readiness);
    }
    DoctorCheck::warn(
        "release_readiness",
        readiness,
        "read `aos changelog` before you update: features that are not stable may change",
    )
}
