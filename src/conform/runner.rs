//! Runs probes in parallel; the report has their order in the registry, regardless of which one ended first.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::generate::record_conform::ProbeWaiver;
use crate::system::clock::Stopwatch;
use crate::system::{interrupt, orphans};
use crate::visible::{Visible, excerpt};

use super::family::PROBES;
use super::monitor::{self, Monitored};
use super::probe::{Conclusion, Probe, ProbeVerdict};
use super::session::ToolCaller;

/// Most evidence of one probe in a report.
const MAX_EVIDENCE: usize = 8;
/// Longest text of a verdict.
const MAX_MESSAGE: usize = 600;

/// The result of one probe.
#[derive(Clone, Debug)]
pub struct ProbeResult {
    pub probe: &'static Probe,
    pub finding: Conclusion,
    pub duration_ms: u64,
    /// The waiver that accepts a failure, if there is one.
    pub waiver: Option<ProbeWaiver>,
}

/// The verdicts of all probes.
#[derive(Clone, Debug)]
pub struct Verdicts {
    pub results: Vec<ProbeResult>,
    pub duration_ms: u64,
    /// Programs of processes that left their session and were killed.
    pub orphans: Vec<String>,
    /// The observations from all calls of the run.
    pub monitored: Monitored,
}

/// Runs `probes` with at most `workers` at a time, at most as long as `limit`. `say` hears how far it is.
#[must_use]
pub fn run(
    session: &ToolCaller,
    probes: &[&'static Probe],
    workers: usize,
    limit: Duration,
    say: &(dyn Fn(usize, usize) + Sync),
) -> Verdicts {
    let clock = Stopwatch::start();
    orphans::adopt();
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let slots: Vec<Mutex<Option<ProbeResult>>> = probes.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        while let Some((probe, slot)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            probes.get(index).zip(slots.get(index))
        } {
            let result = examine(session, probe, clock, limit);
            if let Ok(mut slot) = slot.lock() {
                *slot = Some(result);
            }
            say(done.fetch_add(1, Ordering::Relaxed) + 1, probes.len());
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..workers.clamp(1, probes.len().max(1)) {
            // Without another thread this one does all the work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let silence = session.is_mute().then(|| {
        Conclusion::blocked(
            "no call of the tool returned an envelope, so a pass would prove nothing",
        )
    });
    let orphans = orphans::end();
    let results = slots.into_iter().zip(probes).map(|(slot, probe)| {
        slot.into_inner().ok().flatten().unwrap_or_else(|| {
            let finding = Conclusion::blocked("the probe itself failed; this is a fault of aos");
            ProbeResult { probe, finding, duration_ms: 0, waiver: None }
        })
    });
    let results = results.map(|mut result| {
        if let (ProbeVerdict::Pass, Some(silence)) = (result.finding.verdict(), &silence) {
            result.finding = silence.clone();
        }
        result
    });
    let mut results: Vec<_> = results.collect();
    let monitored = monitor::judge(session);
    monitored.conclude(&mut results);
    if let Some(family) = PROBES.of(session.family()) {
        for result in &mut results {
            result.finding = family.weigh(session, result.probe, result.finding.clone());
        }
    }
    for result in &mut results {
        finish(session, &mut result.finding);
    }
    Verdicts { results, duration_ms: clock.elapsed_ms(), orphans, monitored }
}

fn examine(
    session: &ToolCaller,
    probe: &'static Probe,
    clock: Stopwatch,
    limit: Duration,
) -> ProbeResult {
    let own = Stopwatch::start();
    let lacking = probe.needs.iter().find_map(|need| session.lacks(*need));
    let refused = session.pulse.refused();
    let mut finding = if interrupt::requested() {
        Conclusion::blocked("interrupted")
    } else if let Some(why) = session.pulse.lost() {
        Conclusion::blocked(why)
    } else if u128::from(clock.elapsed_ms()) > limit.as_millis() {
        Conclusion::blocked(format!("the time limit of the run ({} s) was over", limit.as_secs()))
    } else if let Some(why) = lacking {
        Conclusion::blocked(why)
    } else {
        let call = std::panic::AssertUnwindSafe(|| (probe.run)(session));
        std::panic::catch_unwind(call).unwrap_or_else(|_| {
            Conclusion::blocked("the probe itself failed; this is a fault of aos")
        })
    };
    if let Some(why) = session.pulse.lost()
        && session.pulse.refused() > refused
        && !is_shown(&finding)
    {
        // A probe cannot conclude anything from calls that were not made.
        finding = Conclusion::blocked(why);
    }
    ProbeResult { probe, finding, duration_ms: own.elapsed_ms(), waiver: None }
}

/// Makes a finding fit for a report.
fn finish(session: &ToolCaller, finding: &mut Conclusion) {
    finding.evidence.truncate(MAX_EVIDENCE);
    // Messages may quote the tool.
    let secrets: Vec<_> =
        [super::secrets::SecretShape::Plain, super::secrets::SecretShape::Special]
            .into_iter()
            .flat_map(|shape| session.sentinels(shape))
            .collect();
    finding.message = shown(&finding.message, &secrets);
}

/// True for a failure whose first evidence is a call that was made.
fn is_shown(finding: &Conclusion) -> bool {
    finding.verdict() == ProbeVerdict::Fail
        && finding.evidence.first().is_some_and(|evidence| evidence.was_made)
}

fn shown(message: &str, secrets: &[super::secrets::Sentinel]) -> String {
    let redacted = secrets.iter().fold(message.to_owned(), |text, secret| secret.redact(&text));
    let visible = Visible::line(&redacted).into_string();
    // A probe that quotes a member that the tool does not have leaves nothing between the marks.
    let visible = visible.replace("``", "(absent)");
    excerpt(&visible, MAX_MESSAGE)
}
