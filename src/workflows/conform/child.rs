//! One run of `aos conform` in a process of its own: a namespace is entered once, before the first thread, so a
//! process examines one tool.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::contract::json;
use crate::report::{ErrorCode, Failure};
use crate::system::process::{self, Invocation, ProcessError};
use crate::system::temporary::TemporaryDirectory;
use crate::system::{environment, files};
use crate::visible::excerpt;

/// Longest time of one run: that of its probes, and what comes before and after them.
const LIMIT: Duration = Duration::from_secs(660);
/// Largest report that is read, in bytes.
const MAX_REPORT: u64 = 16 * 1024 * 1024;
/// Longest message that is passed on, in characters.
const MAX_MESSAGE: usize = 300;

/// The verdict of each probe, by id.
pub type ProbeVerdicts = BTreeMap<String, String>;

/// The result of a run.
#[derive(Clone, Debug)]
pub struct ChildAnswer {
    /// Whether the tool conforms.
    pub is_ok: bool,
    /// `None` when the tool was not run.
    pub verdicts: Option<ProbeVerdicts>,
    pub error: ChildError,
}

/// The error of a run; of no meaning where the tool conforms.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ChildError {
    pub code: ErrorCode,
    pub message: String,
    pub hint: Option<String>,
}

/// Runs the probes on the project in `root`, an absolute path.
///
/// # Errors
/// Returns an error if the run was interrupted, or cannot be started.
pub fn run(root: &Path, options: &[String]) -> Result<ChildAnswer, Failure> {
    let lost = |message: String| Failure::new(ErrorCode::Io, message);
    let aos = environment::current_executable()
        .map_err(|error| lost(format!("aos cannot find its own program: {error}")))?;
    let directory = TemporaryDirectory::new()
        .map_err(|(_, error)| lost(format!("the report directory cannot be created: {error}")))?;
    let report = directory.path().join("conform.sarif");
    let (aos, root) = (aos.to_string_lossy(), root.to_string_lossy());
    let option = format!("sarif={}", report.display());
    let mut arguments = vec!["conform", &*root, "--report", &option, "--quiet", "--json"];
    arguments.extend(options.iter().map(String::as_str));
    let invocation = Invocation {
        program: &aos,
        arguments: &arguments,
        directory: directory.path(),
        without: &[],
        limit: LIMIT,
    };
    let output = process::run(&invocation).map_err(|error| match error {
        ProcessError::Interrupted => Failure::new(ErrorCode::Interrupted, "interrupted"),
        ProcessError::TimedOut { .. } => Failure::new(ErrorCode::Timeout, error.to_string()),
        error => lost(error.to_string()),
    })?;
    let verdicts = files::read(&report, MAX_REPORT).ok().and_then(|read| verdicts(&read.bytes));
    Ok(ChildAnswer { is_ok: output.success, verdicts, error: said(&output.stdout) })
}

/// The verdicts in a SARIF report of `aos conform`.
fn verdicts(bytes: &[u8]) -> Option<ProbeVerdicts> {
    let report = json::parse(bytes).ok()?;
    let results = report.pointer("/runs/0/results")?.as_array()?;
    let entry = |result: &serde_json::Value| {
        let probe = result.get("ruleId")?.as_str()?.to_owned();
        Some((probe, result.pointer("/properties/verdict")?.as_str()?.to_owned()))
    };
    Some(results.iter().filter_map(entry).collect())
}

/// The error of an envelope.
fn said(stdout: &str) -> ChildError {
    let envelope: Option<serde_json::Value> = serde_json::from_str(stdout).ok();
    let text = |path: &str| {
        let text = envelope.as_ref()?.pointer(path)?.as_str()?;
        Some(excerpt(text, MAX_MESSAGE))
    };
    let code = text("/error/code");
    let known = ErrorCode::ALL.into_iter().find(|known| Some(known.as_str()) == code.as_deref());
    ChildError {
        code: known.unwrap_or(ErrorCode::Unknown),
        message: text("/error/message")
            .unwrap_or_else(|| "`aos conform` returned no response".to_owned()),
        hint: text("/error/details/fix"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_a_report_gives_its_error() {
        let text = r#"{"ok":false,"error":{"code":"E_NOT_FOUND","message":"no tool","details":{"fix":"build it"}}}"#;
        let (message, hint) = ("no tool".to_owned(), Some("build it".to_owned()));
        assert_eq!(said(text), ChildError { code: ErrorCode::NotFound, message, hint });
        assert_eq!(said("half a li").code, ErrorCode::Unknown);
    }

    #[test]
    fn a_report_without_results_has_no_verdicts() {
        assert_eq!(verdicts(br#"{"runs":[{}]}"#), None);
        assert_eq!(verdicts(b"no JSON"), None);
    }
}
