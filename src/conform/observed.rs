//! The result of a call, and the readings of it that many probes share.

use serde_json::Value;

use crate::reason::Reason;
use crate::strict_json;
use crate::system::subject::{self, Ending, Ran};

use super::call::MAX_OUTPUT;
use super::evidence;
use super::mock::ReceivedRequest;
use super::probe::CallEvidence;
use super::secrets::Sentinel;

/// The result of a call.
#[derive(Clone, Debug)]
pub struct Observed {
    pub argv: Vec<String>,
    /// The reason when it could not be started.
    pub ran: Result<Ran, Reason>,
    pub secrets: Vec<Sentinel>,
    /// Connections to mock or proxy.
    pub connections: usize,
    pub requests: Vec<ReceivedRequest>,
    /// The upstream kept it waiting on purpose.
    pub was_kept_waiting: bool,
}

impl Observed {
    #[must_use]
    pub fn exit(&self) -> Option<i32> {
        match self.ran.as_ref().ok()?.ending {
            Ending::Exited(code) => Some(code),
            _ => None,
        }
    }

    #[must_use]
    pub fn duration_ms(&self) -> u64 {
        self.ran.as_ref().map_or(0, |ran| ran.duration_ms)
    }

    #[must_use]
    pub fn stdout(&self) -> &[u8] {
        self.ran.as_ref().map_or(&[], |ran| ran.stdout.as_slice())
    }

    #[must_use]
    pub fn stderr(&self) -> &[u8] {
        self.ran.as_ref().map_or(&[], |ran| ran.stderr.as_slice())
    }

    /// The member `ok` somewhere on stdout; whether it is a right envelope is for the probes.
    #[must_use]
    pub fn looks_like_an_envelope(&self) -> bool {
        let text = String::from_utf8_lossy(self.stdout());
        text.split("\"ok\"").skip(1).any(|rest| rest.trim_start().starts_with(':'))
    }

    /// Both streams as text.
    #[must_use]
    pub fn said(&self) -> String {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        format!("{}\n{}", text(self.stdout()), text(self.stderr()))
    }

    /// The one JSON document on stdout.
    ///
    /// # Errors
    /// Why stdout is not one JSON document.
    pub fn json(&self) -> Result<Value, Reason> {
        let ran = self.ran.as_ref().map_err(Clone::clone)?;
        match ran.ending {
            Ending::TimedOut => return Err("it did not end in time".into()),
            Ending::Flooded => {
                let most = MAX_OUTPUT as u64 * subject::MOST_TIMES;
                return Err(format!("it wrote more than {most} bytes and was killed").into());
            }
            Ending::Signalled(signal) => return Err(format!("signal {signal} killed it").into()),
            Ending::Exited(_) | Ending::Interrupted => {}
        }
        if ran.stdout_is_held {
            let what = "the program ended, but a process that it started has its stdout open";
            return Err(what.into());
        }
        if ran.stdout_length > ran.stdout.len() as u64 {
            return Err(format!("stdout has {} bytes", ran.stdout_length).into());
        }
        let text = std::str::from_utf8(&ran.stdout).map_err(|_| "stdout is not UTF-8")?;
        if text.trim().is_empty() {
            return Err("stdout is empty".into());
        }
        strict_json::read(text)
            .map_err(|error| format!("stdout is not one JSON document: {error}").into())
    }

    /// True if a runtime printed where it failed.
    #[must_use]
    pub fn has_traceback(&self) -> bool {
        let said = self.said();
        const MARKS: &[&str] = &[
            "Traceback (most recent call last)",
            "goroutine 1 [running]",
            "\n    at Object.<anonymous> (",
            "\n    at async ",
            "' panicked at ",
        ];
        MARKS.iter().any(|mark| said.contains(mark))
    }

    /// The call as a report shows it.
    #[must_use]
    pub fn evidence(&self, note: impl Into<String>) -> CallEvidence {
        let argument = |text: &str| evidence::argument(text, &self.secrets);
        let (ending, total) = match &self.ran {
            Ok(ran) => (
                match ran.ending {
                    Ending::Exited(code) => format!("exit {code}"),
                    Ending::Signalled(signal) => format!("signal {signal}"),
                    Ending::TimedOut => "timed out".to_owned(),
                    Ending::Flooded => "output limit".to_owned(),
                    Ending::Interrupted => "interrupted".to_owned(),
                },
                (ran.stdout_length, ran.stderr_length),
            ),
            Err(reason) => (format!("not started: {}", argument(reason.as_str())), (0, 0)),
        };
        CallEvidence {
            was_made: self.ran.is_ok(),
            argv: self.argv.iter().map(|text| argument(text)).collect(),
            ending,
            exit: self.exit(),
            duration_ms: self.duration_ms(),
            stdout: evidence::excerpt(self.stdout(), total.0, &self.secrets),
            stderr: evidence::excerpt(self.stderr(), total.1, &self.secrets),
            note: evidence::argument(&note.into(), &self.secrets).replace("``", "(absent)"),
        }
    }
}
