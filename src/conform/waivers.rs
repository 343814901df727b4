//! `[[conform.waive]]`: probes that a project lets fail, with a reason, for a time.

use crate::contract::{Family, suggestion};
use crate::generate::record_conform::ProbeWaiver;
use crate::visible::excerpt;

use super::family as registry;
use super::probe::ProbeVerdict;
use super::runner::Verdicts;

/// A waiver says so this many days before it ends.
const DAYS_OF_NOTICE: i64 = 14;

/// A note about a waiver.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Remark {
    pub probe: String,
    pub message: String,
}

/// Turns waived failures into [`ProbeVerdict::Waived`]. Gives the waivers that do not count, which are faults, and what
/// else is to be said: a waiver that nothing needs, or one that ends soon.
pub fn apply(
    verdicts: &mut Verdicts,
    waivers: &[ProbeWaiver],
    family: Family,
    today: &str,
) -> (Vec<Remark>, Vec<Remark>) {
    let (mut faults, mut notes) = (Vec::new(), Vec::new());
    for (index, waiver) in waivers.iter().enumerate() {
        let remark = |message: String| Remark { probe: excerpt(&waiver.probe, 200), message };
        if let Some(fault) = contradiction(waiver, &waivers[..index], family, today) {
            faults.push(remark(fault));
            continue;
        }
        for result in verdicts.results.iter_mut().filter(|result| result.probe.id == waiver.probe) {
            match result.finding.verdict() {
                ProbeVerdict::Fail | ProbeVerdict::Blocked => {
                    result.finding.waive();
                    result.waiver = Some(waiver.clone());
                    let soon = waiver.expires.as_deref().and_then(|last| ends_soon(last, today));
                    notes.extend(soon.map(&remark));
                }
                ProbeVerdict::Pass => notes.push(remark(
                    "it is no longer needed, because the probe passes: delete it".to_owned(),
                )),
                ProbeVerdict::NotApplicable => notes.push(remark(
                    "it is not needed, because the probe does not apply to this tool: delete it"
                        .to_owned(),
                )),
                ProbeVerdict::Advised => notes.push(remark(
                    "it is not needed, because the contract only recommends this: delete it"
                        .to_owned(),
                )),
                ProbeVerdict::Waived => {}
            }
        }
    }
    (faults, notes)
}

/// Returns the reason why a waiver is not valid.
fn contradiction(
    waiver: &ProbeWaiver,
    earlier: &[ProbeWaiver],
    family: Family,
    today: &str,
) -> Option<String> {
    let Some(found) = registry::find(&waiver.probe) else {
        let of_family = registry::of(family).iter().map(|probe| probe.id);
        return Some(match suggestion::nearest(&waiver.probe, of_family) {
            Some(near) => format!("the probe does not exist; did you mean `{near}`?"),
            None => "the probe does not exist".to_owned(),
        });
    };
    if found.family != family {
        return Some(format!(
            "the probe belongs to the family {}, but this tool follows {family}",
            found.family
        ));
    }
    if earlier.iter().any(|other| other.probe == waiver.probe) {
        return Some("the probe has another waiver above this one; keep one of them".to_owned());
    }
    // ISO dates compare as text.
    let last = waiver.expires.as_deref().filter(|last| *last < today)?;
    Some(format!("the waiver ended on {last}"))
}

fn ends_soon(last: &str, today: &str) -> Option<String> {
    let day = |text: &str| text.parse::<jiff::civil::Date>().ok();
    let left = day(today)?.until(day(last)?).ok()?.get_days();
    (i64::from(left) <= DAYS_OF_NOTICE).then(|| match left {
        0 => format!("it ends today, on {last}"),
        1 => format!("it ends tomorrow, on {last}"),
        _ => format!("it ends in {left} days, on {last}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiver_is_reported_in_its_last_two_weeks() {
        let soon = |last| ends_soon(last, "2026-12-20");
        assert_eq!(soon("2026-12-20").as_deref(), Some("it ends today, on 2026-12-20"));
        assert_eq!(soon("2026-12-21").as_deref(), Some("it ends tomorrow, on 2026-12-21"));
        assert_eq!(soon("2027-01-03").as_deref(), Some("it ends in 14 days, on 2027-01-03"));
        assert_eq!(soon("2027-01-04"), None);
        assert_eq!(soon("2028-01-01"), None);
    }
}
