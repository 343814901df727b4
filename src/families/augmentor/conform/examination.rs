//! One examination of a package: it is loaded, described, and called when nothing was wrong so far.
//!
//! The items are judged from what the runner reports; docs/augmentors.md lists them.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::conform::containment::files_of;
use crate::conform::secrets::{SecretShape, Sentinel};
use crate::conform::{Conclusion, ToolCaller};
use crate::families::augmentor::contract::AugmentorContract;
use crate::families::augmentor::host::child::{Child, ChildProcess, LostChild};
use crate::families::augmentor::host::facts::PackageFacts;
use crate::families::augmentor::host::interpreter;
use crate::families::augmentor::host::message::{Context, ObservedUse, RunnerEvent, RunnerRequest};
use crate::families::augmentor::host::package;
use crate::families::augmentor::host::place::PackagePlace;
use crate::families::augmentor::host::place::{PlaceError, WantedPackage};
use crate::families::augmentor::host::{child, containment};
use crate::system::clock::Stopwatch;
use crate::system::enclosure::Enclosure;
use crate::visible::excerpt;

use super::calls;
use super::findings::{ItemFindings, evidence};
use super::projection;

/// Reasons of the runner, and the items that they are about; every other reason is about L1.
const REASONS: &[(&str, &str)] = &[
    ("factory_async", "L2"),
    ("not_a_package", "L2"),
    ("entry_outside", "L3"),
    ("too_large", "L5"),
];

/// The verdict about one item; the first probe that asks makes the examination.
pub fn finding(session: &ToolCaller, item: &str, unit: &'static str) -> Conclusion {
    match session.state.of(|| examine(session)) {
        Some(findings) => findings.verdict(item, unit),
        None => {
            Conclusion::blocked("the examination is one of another family; this is a fault of aos")
        }
    }
}

fn examine(session: &ToolCaller) -> ItemFindings {
    let mut findings = ItemFindings::default();
    let Ok(contract) = session.contract.of::<AugmentorContract>() else {
        findings.stop("the contract belongs to another family");
        return findings;
    };
    let Some(root) = session.target.root.as_ref().and_then(|root| root.to_str()) else {
        findings.stop("there is no project to examine");
        return findings;
    };
    let place = match PackagePlace::find(
        &WantedPackage { package: root, ..WantedPackage::default() },
        contract,
    ) {
        Ok(place) => place,
        Err(error) => {
            findings.stop(manifest_fault(&error));
            return findings;
        }
    };
    for (runtime, entry) in place.manifest.entries.clone() {
        let place = PackagePlace { runtime, entry, ..place.clone() };
        match package::program(&place, None) {
            Ok(program) => {
                let program = match place.runtime.as_str() {
                    // An examination starts it dozens of times.
                    "python" => interpreter::resolved(program),
                    _ => program,
                };
                let mut subject = ExaminedPackage { session, contract, place, program, findings };
                subject.examine();
                findings = subject.findings;
            }
            Err(error) => findings.stop(error.error.message),
        }
        if findings.is_stopped() || findings.failed().is_some() {
            break;
        }
    }
    findings
}

fn manifest_fault(error: &PlaceError) -> String {
    format!("{error}; `aos check` reports the fix")
}

/// A package under examination.
pub struct ExaminedPackage<'a> {
    pub session: &'a ToolCaller,
    pub contract: &'a AugmentorContract,
    pub place: PackagePlace,
    pub program: PathBuf,
    pub findings: ItemFindings,
}

impl ExaminedPackage<'_> {
    fn examine(&mut self) {
        let Some((mut child, facts)) = self.loaded(&[]) else { return };
        for (item, targets) in [
            ("L2", 1),
            ("L3", 1),
            ("L4", facts.commands.len() + facts.agents.len() + facts.tools.len()),
            ("L5", facts.commands.len() + facts.agents.len() + facts.tools.len()),
            ("L7", self.contract.package.cap_members.len()),
        ] {
            self.findings.looked(item, targets);
        }
        for fault in facts.faults(self.contract) {
            self.findings.fail(fault.id, fault.message, None);
        }
        for fault in facts.caps(self.contract, &self.place.manifest.caps) {
            self.findings.fail(fault.id, fault.message, None);
        }
        if self.findings.failed().is_none() {
            projection::names(self, &facts);
        }
        let again =
            child.ask(&RunnerRequest::Describe, self.limit("load_seconds", 10), &mut child::ignore);
        drop(child);
        let Some((_, fresh)) = self.loaded(&[]) else { return };
        self.findings.looked("L8", 2);
        match again {
            Ok(RunnerEvent::Described { facts: again }) if again == facts && fresh == facts => {}
            Ok(RunnerEvent::Described { facts: again }) => {
                let (what, other) =
                    if again == facts { ("loading", &fresh) } else { ("describing", &again) };
                let note = format!("{what} it again returns another result");
                let shown = differing(&facts, other);
                self.findings.fail(
                    "L8",
                    note.clone(),
                    Some(evidence(&["describe".to_owned()], &shown, "described", &note)),
                );
            }
            Ok(_) | Err(_) => self.findings.fail("L8", "it cannot be described twice", None),
        }
        if self.findings.failed().is_none() && !self.findings.is_stopped() {
            calls::examine(self, &facts);
        }
    }

    pub fn limit(&self, name: &str, otherwise: u64) -> Duration {
        Duration::from_secs(self.contract.limit(name, otherwise))
    }

    /// A process with the package in it; nothing when it could not be loaded, which is noted.
    pub fn loaded(&mut self, options: &[String]) -> Option<(Child, PackageFacts)> {
        let clock = Stopwatch::start();
        let enclosure = self.enclosure();
        let started = package::start(&ChildProcess {
            runtime: &self.place.runtime,
            program: &self.program,
            options,
            enclosure: enclosure.as_ref(),
            message_bytes: package::message_bytes(self.contract),
        });
        let mut child = match started {
            Ok(child) => child,
            Err(error) => {
                self.findings.stop(error.error.message);
                return None;
            }
        };
        let loaded = package::load(&mut child, self.contract, &self.place, true);
        self.session.count(clock.elapsed_ms());
        match loaded {
            Ok(RunnerEvent::Loaded { facts, stdout_bytes, observed, .. }) => {
                self.findings.looked("L1", 1);
                self.findings.looked("L6", 1);
                self.observe(observed, "loading");
                let (said, length) = &child.output()[0];
                if stdout_bytes.max(*length) > 0 {
                    let text = String::from_utf8_lossy(said).into_owned();
                    let note =
                        format!("loading writes {} bytes to stdout", stdout_bytes.max(*length));
                    let shown = evidence(&["load".to_owned()], &json!(text), "loaded", &note);
                    self.findings.fail("L6", note, Some(shown));
                }
                Some((child, facts))
            }
            Ok(RunnerEvent::Error { error, trace, observed, .. }) => {
                let is_undeclared = self.observe(observed, "loading");
                if is_undeclared {
                    return None;
                }
                let reason = error.reason();
                let item = REASONS
                    .iter()
                    .find(|(known, _)| *known == reason)
                    .map_or("L1", |(_, item)| item);
                let mut shown =
                    evidence(&["load".to_owned()], &json!(error), "error", &error.message);
                shown.stderr = trace.map(|trace| last_lines(&trace)).unwrap_or_default();
                self.findings.fail(item, self.explained(&error.message), Some(shown));
                None
            }
            Ok(_) => {
                self.findings.stop("the runner sent an unexpected response");
                None
            }
            Err(lost) => {
                self.not_loaded(&lost);
                None
            }
        }
    }

    /// The files of a process of the package: it writes to its project only if it declares that it writes.
    fn enclosure(&self) -> Option<Enclosure> {
        let root = self.place.manifest.permissions.writes().then_some(self.place.root.as_path());
        let mut enclosure = self.session.containment.enclosure(root.into_iter())?;
        enclosure.readable.extend(files_of(&self.program));
        Some(enclosure)
    }

    /// The message of an error, and what to do about it if the containment may have caused it.
    pub fn explained(&self, message: &str) -> String {
        let is_refused = ["EACCES", "[Errno 13]"].iter().any(|word| message.contains(word));
        let message = excerpt(message, 300);
        match is_refused && self.session.containment.protects_files() {
            true => format!(
                "{message}; it may read only its project and public files: `--readable PATH` \
                 allows more"
            ),
            false => message,
        }
    }

    fn not_loaded(&mut self, lost: &LostChild) {
        let message = match lost {
            LostChild::TimedOut => {
                let seconds = self.limit("load_seconds", 10).as_secs();
                format!("the factory did not return within {seconds} s")
            }
            LostChild::Ended => "the process ended while the package was loaded".to_owned(),
            LostChild::Invalid(why) => {
                format!(
                    "loading wrote to the host's connection: {}",
                    excerpt(&why.to_string(), 200)
                )
            }
            LostChild::Interrupted | LostChild::Unwanted => {
                self.findings.stop("interrupted");
                return;
            }
        };
        self.findings.fail("L1", message, None);
    }

    /// P1: what was seen against what was declared. True if there was something else: the containment may have refused
    /// it, so an error proves nothing about the call.
    pub fn observe(&mut self, observed: Vec<ObservedUse>, during: &str) -> bool {
        self.findings.looked("P1", 1);
        let declared = self.place.manifest.permissions.clone();
        let mut is_undeclared = false;
        for seen in observed {
            if !containment::is_declared(&declared, &seen) {
                let message = format!(
                    "{during}: {} {} was not declared",
                    seen.kind,
                    excerpt(&seen.target, 200)
                );
                self.findings.fail("P1", message, None);
                is_undeclared = true;
            }
        }
        is_undeclared
    }

    /// The context of a call: the root of the project, and made-up secrets.
    #[must_use]
    pub fn context(&self, run: &str) -> Context {
        let mut env = child::variables();
        env.retain(|name, _| name == "PATH");
        for name in &self.place.manifest.permissions.secrets {
            env.insert(name.clone(), Sentinel::new(name, SecretShape::Plain).value);
        }
        Context { run_id: run.to_owned(), cwd: self.place.root.display().to_string(), env }
    }
}

/// The members of two descriptions that differ, as the second one has them.
fn differing(first: &PackageFacts, second: &PackageFacts) -> Value {
    let of = |facts: &PackageFacts| serde_json::to_value(facts).unwrap_or_default();
    let (first, second) = (of(first), of(second));
    let members = second.as_object().into_iter().flatten();
    let other = members.filter(|(name, value)| first.get(name.as_str()) != Some(*value));
    Value::Object(other.map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// The end of a trace, where the reason is.
pub fn last_lines(trace: &str) -> String {
    let lines: Vec<_> = trace.lines().collect();
    let lines: Vec<_> =
        lines.iter().skip(lines.len().saturating_sub(8)).map(|line| excerpt(line, 200)).collect();
    lines.join("\n")
}
