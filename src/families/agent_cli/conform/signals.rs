//! Signals (agent-cli §6): a stopped command prints one envelope, for every signal and at every moment.

use std::time::Duration;

use crate::conform::mock::Reply;
use crate::conform::session::Event;

use super::fixture::{Role, Sample};
use super::gate::{meant, token};
use super::lab::{Account, ProbeCaller, and, examine};
use super::shot::Answered;
use super::stop::ProbeStep;
use crate::conform::probe::Probe;
use crate::families::agent_cli::contract::FAMILY;

/// How long the upstream takes; far longer than the signal.
const TOO_SLOW: Duration = Duration::from_secs(12);

pub const INTERRUPT: Probe = Probe {
    id: "cli.interrupt",
    section: "§6",
    title: "SIGINT ends a command with one envelope, E_INTERRUPTED and exit code 130",
    why: "The caller must learn what happened",
    fix: "install the SIGINT handler first, and always print the envelope",
    run: |session| {
        examine(session, |lab| reading(lab, &[Role::Get], Event::InterruptWhenConnected))
    },
    ..Probe::of(FAMILY)
};

pub const TERMINATE: Probe = Probe {
    id: "cli.terminate",
    section: "§6",
    title: "SIGTERM ends a command in the same way as SIGINT",
    why: "A host that ends a session sends SIGTERM, and needs the envelope too",
    fix: "use one handler for SIGTERM and SIGINT",
    run: |session| {
        examine(session, |lab| reading(lab, &[Role::Get], Event::TerminateWhenConnected))
    },
    ..Probe::of(FAMILY)
};

pub const INTERRUPT_READS: Probe = Probe {
    id: "cli.interrupt-reads",
    section: "§6",
    title: "Lists, streams and overviews of several containers can be interrupted too",
    why: "These commands run long enough to be interrupted",
    fix: "use one handler for every command; end a stream with a line that reports the interruption",
    run: |session| {
        examine(session, |lab| {
            let roles = [Role::List, Role::Stream, Role::Scopes];
            reading(lab, &roles, Event::InterruptWhenConnected)
        })
    },
    ..Probe::of(FAMILY)
};

/// Stops the samples of these roles while they wait for the upstream.
fn reading(lab: &ProbeCaller<'_>, roles: &[Role], event: Event) -> ProbeStep {
    let samples: Vec<&Sample> = roles.iter().flat_map(|role| lab.samples(*role)).collect();
    // Says why when there is nothing to stop.
    lab.sample(samples.first().map_or(roles[0], |sample| sample.role))?;
    wait_for_ever(lab)?;
    for sample in samples {
        let shot = lab.run(Account::One, &sample.call(), &[], event);
        stopped(&shot, &format!("a signal during `{}`", sample.path))?;
    }
    Ok(())
}

pub const INTERRUPT_WRITE: Probe = Probe {
    id: "cli.interrupt-write",
    section: "§6",
    title: "An interrupted write reports E_INTERRUPTED with exit code 130",
    why: "The agent then knows that it must look at the state before it continues",
    fix: "handle the signal in writes as in every command, and print the envelope",
    run: |session| examine(session, interrupt_write),
    ..Probe::of(FAMILY)
};

fn interrupt_write(lab: &ProbeCaller<'_>) -> ProbeStep {
    lab.sample(Role::Create)?;
    let samples = [Role::Create, Role::Batch].into_iter().flat_map(|role| lab.samples(role));
    let mut calls = Vec::new();
    for sample in samples {
        let call = meant(lab, sample, &sample.call());
        let token = token(lab, &call)?;
        calls.push((sample, and(&call, &["--confirm", &token])));
    }
    wait_for_ever(lab)?;
    for (sample, call) in calls {
        let shot = lab.run(Account::One, &call, &[], Event::InterruptWhenConnected);
        stopped(&shot, &format!("a signal during the confirmed `{}`", sample.path))?;
    }
    Ok(())
}

fn wait_for_ever(lab: &ProbeCaller<'_>) -> ProbeStep {
    lab.with_upstream(|upstream| {
        upstream
            .replace(|_| Reply { delay: TOO_SLOW, ..Reply::new(200, "application/json", "{}") });
    })
}

fn stopped(shot: &Answered, when: &str) -> ProbeStep {
    shot.expect_code(&["E_INTERRUPTED"], when)?;
    shot.expect(shot.exit() == Some(130), format!("{when}: the exit code is not 130"))
}
