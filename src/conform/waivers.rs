//! `[[conform.waive]]`: probes that a project lets fail, with a reason, for a time.

use crate::contract::suggestion;
use crate::generate::record_conform::ProbeWaiver;

use super::probe::{self, Verdict};
use super::runner::Verdicts;

/// A waiver that does not count.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Fault {
    pub probe: String,
    pub message: String,
}

/// Turns waived failures into [`Verdict::Waived`]; gives the waivers that do not count.
pub fn apply(verdicts: &mut Verdicts, waivers: &[ProbeWaiver], today: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    for waiver in waivers {
        let mut fault = |message: String| {
            faults.push(Fault { probe: waiver.probe.escape_debug().to_string(), message });
        };
        if probe::find(&waiver.probe).is_none() {
            let near = suggestion::nearest(&waiver.probe, probe::all().map(|probe| probe.id));
            fault(match near {
                Some(near) => format!("there is no such probe; did you mean `{near}`?"),
                None => "there is no such probe".to_owned(),
            });
            continue;
        }
        // ISO dates compare as text.
        if let Some(last) = waiver.expires.as_deref().filter(|last| *last < today) {
            fault(format!("the waiver ended on {last}"));
            continue;
        }
        for result in verdicts.results.iter_mut().filter(|result| result.probe.id == waiver.probe) {
            if matches!(result.finding.verdict, Verdict::Fail | Verdict::Blocked) {
                result.finding.verdict = Verdict::Waived;
                result.waiver = Some(waiver.clone());
            }
        }
    }
    faults
}
