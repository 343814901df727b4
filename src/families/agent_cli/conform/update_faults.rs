//! Faults on the way to a release (agent-cli §14): each has its code, and the program stays unchanged.

use std::sync::Arc;
use std::time::Duration;

use crate::conform::mock::{Mock, ReceivedRequest, Reply};
use crate::conform::secrets::{SecretShape, Sentinel};
use crate::conform::session::Event;

use super::host::is_verified_first;
use super::host::{HostBehaviour, ReleaseHost};
use super::lab::{ProbeCaller, examine};
use super::shot::Answered;
use super::stop::{ProbeStep, Unfinished};
use super::update::unchanged;
use crate::conform::probe::Probe;
use crate::families::agent_cli::contract::FAMILY;

/// How long a host takes that is too slow, and when a later stage is stopped.
const TOO_SLOW: Duration = Duration::from_secs(12);
const LATER_MS: u64 = 1_500;

/// An update that has to fail and to leave the program alone.
fn fails(
    lab: &ProbeCaller<'_>,
    host: &ReleaseHost<'_>,
    what: &str,
    codes: &[&str],
) -> ProbeStep<Answered> {
    let shot = unchanged(lab, || host.update(&[]))?;
    shot.expect(!shot.is_ok(), format!("{what} is installed"))?;
    if !codes.is_empty() {
        shot.expect_code(codes, what)?;
    }
    let replaced = shot.at("/error/details/binary_replaced") == true;
    shot.expect(!replaced, format!("{what} replaces the program"))?;
    Ok(shot)
}

/// A host that publishes this, and a tool that may replace itself.
fn publishing<'a>(
    lab: &'a ProbeCaller<'a>,
    behaviour: impl FnOnce(&ReleaseHost<'_>) -> HostBehaviour,
) -> ProbeStep<ReleaseHost<'a>> {
    let host = ReleaseHost::start(lab)?;
    host.want_standalone()?;
    host.does(behaviour(&host));
    Ok(host)
}

pub const SIGNATURE: Probe = Probe {
    id: "cli.update-signature",
    section: "§14",
    title: "A release without a valid signature of the expected signer is E_INTEGRITY and never installed",
    why: "It protects users if an attacker controls the release page",
    fix: "verify the bundle in the process, then the checksum, then unpack, with no way to skip a step",
    run: |session| examine(session, signature),
    ..Probe::of(FAMILY)
};

fn signature(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = publishing(lab, |host| HostBehaviour::Release(host.patch()))?;
    fails(lab, &host, "a release with an unsigned bundle", &["E_INTEGRITY"]).map(|_| ())
}

pub const NO_BUNDLE: Probe = Probe {
    id: "cli.update-no-bundle",
    section: "§14",
    title: "A release without a bundle is E_INTEGRITY and never installed",
    why: "An attacker who cannot sign would omit the signature",
    fix: "treat a missing bundle as an invalid signature",
    run: |session| examine(session, no_bundle),
    ..Probe::of(FAMILY)
};

fn no_bundle(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = publishing(lab, |host| HostBehaviour::without_bundle(&host.patch()))?;
    let shot = fails(lab, &host, "a release without a bundle", &["E_INTEGRITY"])?;
    let stage = shot.at("/error/details/stage").as_str().unwrap_or_default();
    shot.expect(
        stage == "verify_signature",
        format!("a release without a bundle fails in the stage `{stage}`, not in verify_signature"),
    )
}

pub const NO_CHECKSUMS: Probe = Probe {
    id: "cli.update-no-checksums",
    section: "§14",
    title: "A release without checksums is E_INTEGRITY and never installed",
    why: "The signature covers the checksums; without them, it does not cover the archive",
    fix: "refuse a release without checksums.txt before downloading anything else",
    run: |session| examine(session, no_checksums),
    ..Probe::of(FAMILY)
};

fn no_checksums(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = publishing(lab, |host| HostBehaviour::without_checksums(&host.patch()))?;
    fails(lab, &host, "a release without checksums", &["E_INTEGRITY"]).map(|_| ())
}

pub const BUNDLE_FETCH: Probe = Probe {
    id: "cli.update-bundle-fetch",
    section: "§14",
    title: "A bundle that cannot be downloaded is a network error, never E_INTEGRITY",
    why: "An agent never retries a forged release, but here a retry is the fix",
    fix: "keep the code of the transport error; use E_INTEGRITY only after examining the bytes",
    run: |session| examine(session, bundle_fetch),
    ..Probe::of(FAMILY)
};

fn bundle_fetch(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = publishing(lab, |host| HostBehaviour::Release(host.patch()))?;
    let network = ["E_SERVER", "E_NETWORK"];
    let replies = [
        ("a bundle that the host does not return", Reply::new(500, "application/json", "{}")),
        ("a bundle whose connection closes", Reply { hangs_up: true, ..Reply::default() }),
    ];
    for (what, reply) in replies {
        host.does(HostBehaviour::broken_bundle(&host.patch(), reply));
        fails(lab, &host, what, &network)?;
    }
    Ok(())
}

pub const CUT: Probe = Probe {
    id: "cli.update-cut",
    section: "§14",
    title: "A truncated download is a network error, never E_INTEGRITY",
    why: "A truncated file is not an attack, so the agent can retry",
    fix: "compare the received length with the announced length before verifying anything",
    run: |session| examine(session, cut),
    ..Probe::of(FAMILY)
};

fn cut(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = publishing(lab, |host| HostBehaviour::cut(&host.patch(), false))?;
    fails(lab, &host, "truncated checksums", &["E_NETWORK", "E_SERVER"])?;
    host.does(HostBehaviour::cut(&host.patch(), true));
    fails(lab, &host, "a truncated bundle", &["E_NETWORK", "E_SERVER"]).map(|_| ())
}

pub const NO_ASSET: Probe = Probe {
    id: "cli.update-no-asset",
    section: "§14",
    title: "A release without an archive for this platform is not a retryable error",
    why: "An agent would retry it forever",
    fix: "look for the archive in the release's list, and name the platform and the available archives",
    run: |session| examine(session, no_asset),
    ..Probe::of(FAMILY)
};

fn no_asset(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = publishing(lab, |host| HostBehaviour::WithoutArchives(host.patch()))?;
    let what = "a release without an archive for this platform";
    let shot = fails(lab, &host, what, &[])?;
    shot.expect(shot.at("/error/retryable") == false, format!("{what} is retryable"))
}

pub const TIMEOUT: Probe = Probe {
    id: "cli.update-timeout",
    section: "§14",
    title: "A release host that does not respond in time is E_TIMEOUT with exit code 8",
    why: "An update must not hang forever, and a timeout is not a refusal",
    fix: "set a timeout for every request to the host, and map it to E_TIMEOUT",
    run: |session| examine(session, timeout),
    ..Probe::of(FAMILY)
};

fn timeout(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = ReleaseHost::start(lab)?;
    let setting = lab.fixture.update.as_ref().and_then(|update| update.timeout.as_ref());
    let setting = setting.ok_or_else(|| {
        let why =
            "conform.toml does not say how to shorten the tool's timeout for the release host";
        Unfinished::Blocked(format!("{why} ([agent_cli.update] `timeout`)"))
    })?;
    let more = [(setting.env.as_str(), setting.value.as_str())];
    host.does(HostBehaviour::slow(TOO_SLOW));
    for options in [&["--check"][..], &[]] {
        let shot = unchanged(lab, || host.update_with(options, &more, Event::None))?;
        shot.expect_code(&["E_TIMEOUT"], "a release host that is too slow")?;
        shot.expect(
            shot.exit() == Some(8),
            "the exit code for a release host that is too slow is not 8",
        )?;
    }
    Ok(())
}

pub const ADVICE: Probe = Probe {
    id: "cli.update-advice",
    section: "§14",
    title: "A failed update says whether to retry, and its message says what to do",
    why: "A transient error can be retried, a forged release never; readers of the message must know that too",
    fix: "derive `retryable` from the code, and end each message with the next step",
    run: |session| examine(session, advice),
    ..Probe::of(FAMILY)
};

fn advice(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = publishing(lab, |_| HostBehaviour::status(503))?;
    let transient = fails(lab, &host, "a release host with a server error", &[])?;
    transient
        .expect(transient.at("/error/retryable") == true, "a transient fault is not retryable")?;
    let newer = host.patch();
    let forgeries = [
        HostBehaviour::without_checksums(&newer),
        HostBehaviour::without_bundle(&newer),
        HostBehaviour::Release(newer.clone()),
    ];
    let refused = forgeries.into_iter().find_map(|forgery| {
        host.does(forgery);
        unchanged(lab, || host.update(&[])).map(|shot| (!shot.is_ok()).then_some(shot)).transpose()
    });
    let forged = refused
        .ok_or_else(|| Unfinished::Blocked("an unsigned release is not refused".to_owned()))??;
    forged.expect(forged.at("/error/retryable") == false, "a forged release is retryable")?;
    for shot in [&transient, &forged] {
        let says = !next_steps(shot).is_empty();
        shot.expect(says, "neither the message nor `details` says what to do next")?;
    }
    let same = next_steps(&transient) == next_steps(&forged);
    forged.expect(!same, "a forged release comes with the same advice as a transient fault")
}

/// Returns the advice after the cause: members that name a next step, and the message behind its first clause.
fn next_steps(shot: &Answered) -> Vec<String> {
    const NAMES: &[&str] = &["fix", "hint", "next", "step", "advice", "remedy", "resume"];
    let details = shot.at("/error/details").as_object().into_iter().flatten();
    let named = details.filter(|(key, _)| NAMES.iter().any(|name| key.contains(name)));
    let texts = named.flat_map(|(_, value)| match value.as_array() {
        Some(items) => items.iter().filter_map(|item| item.as_str()).collect::<Vec<_>>(),
        None => value.as_str().into_iter().collect(),
    });
    let message = shot.at("/error/message").as_str().unwrap_or_default();
    let clauses = message.split(['.', ';', ':', '\n']).skip(1);
    texts.chain(clauses).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

pub const LAST_KNOWN: Probe = Probe {
    id: "cli.update-last-known",
    section: "§14",
    title: "A check without a network fails, and reports the last known result",
    why: "Old data must not look current, but is better than nothing",
    fix: "put `last_known` into the details of the failure: target_version, update_available, checked_at, or null",
    run: |session| examine(session, last_known),
    ..Probe::of(FAMILY)
};

fn last_known(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = ReleaseHost::start(lab)?;
    let hangs_up = HostBehaviour::Reply(Reply { hangs_up: true, ..Reply::default() });
    host.does(hangs_up.clone());
    let shot = host.update(&["--check"]);
    shot.expect_code(&["E_NETWORK"], "a check without a network")?;
    let known = shot.at("/error/details").get("last_known");
    shot.expect(known.is_some(), "`details` has no `last_known`")?;
    host.does(HostBehaviour::Release(host.patch()));
    if is_verified_first(&host.update(&["--check"])) {
        return Ok(());
    }
    host.does(hangs_up);
    let shot = host.update(&["--check"]);
    shot.expect_code(&["E_NETWORK"], "a check without a network")?;
    let known = shot.at("/error/details/last_known");
    let version = known["target_version"] == host.patch().to_string().as_str();
    shot.expect(version, "`last_known` does not name the version of the check before")?;
    shot.expect(known["update_available"] == true, "`last_known` has another `update_available`")?;
    let time = known["checked_at"].as_str().and_then(super::gate::utc);
    shot.expect(time.is_some(), "`last_known` does not say when that was")
}

pub const TOKEN_REDIRECT: Probe = Probe {
    id: "cli.update-token-redirect",
    section: "§14",
    title: "GITHUB_TOKEN is not sent along a redirect",
    why: "Assets are on other hosts, which must not receive the token",
    fix: "handle redirects in the client, and drop the token at the first redirect",
    run: |session| examine(session, token_redirect),
    ..Probe::of(FAMILY)
};

fn token_redirect(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = ReleaseHost::start(lab)?;
    let elsewhere =
        Mock::with(Arc::new(|_: &ReceivedRequest| Reply::new(404, "application/json", "{}")));
    let elsewhere =
        elsewhere.map_err(|error| Unfinished::Blocked(format!("no port is free: {error}")))?;
    let mut reply = Reply::new(302, "application/json", "");
    reply.headers.push(("Location".to_owned(), format!("{}/elsewhere", elsewhere.url())));
    let canary = Sentinel::new("GITHUB_TOKEN", SecretShape::Plain);
    let places = [
        ("the list of releases", HostBehaviour::Reply(reply.clone())),
        ("a file of the release", HostBehaviour::broken_checksums(&host.patch(), reply)),
    ];
    for (what, behaviour) in places {
        host.does(behaviour);
        for options in [&["--check"][..], &[]] {
            let more = [("GITHUB_TOKEN", canary.value.as_str())];
            let shot = unchanged(lab, || host.update_with(options, &more, Event::None))?;
            let carried = elsewhere.requests().iter().any(|request| {
                let headers = request.headers.iter().map(|(_, value)| value.as_str());
                headers.chain([request.target.as_str()]).any(|text| canary.leak(text).is_some())
            });
            let message = format!("GITHUB_TOKEN follows a redirect of {what} to another host");
            if carried {
                return Err(shot.fail(message));
            }
            if shot.observed.connections > 0 {
                shot.judged();
            }
        }
    }
    Ok(())
}

pub const TERMINATE: Probe = Probe {
    id: "cli.update-terminate",
    section: "§14",
    title: "SIGTERM ends an update in the same way as SIGINT",
    why: "A host that ends a session sends SIGTERM, and updates take long",
    fix: "use one handler for SIGTERM and SIGINT, before the first stage",
    run: |session| examine(session, terminate),
    ..Probe::of(FAMILY)
};

fn terminate(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = ReleaseHost::start(lab)?;
    host.does(HostBehaviour::slow(TOO_SLOW));
    let event = Event::TerminateWhenConnected;
    let shot = unchanged(lab, || host.update_with(&[], &[], event))?;
    shot.expect_code(&["E_INTERRUPTED"], "SIGTERM during an update")?;
    shot.expect(shot.exit() == Some(130), "the exit code after SIGTERM during an update is not 130")
}

pub const LATE_SIGNAL: Probe = Probe {
    id: "cli.update-interrupt-download",
    section: "§14",
    title: "A signal during the download of an update reports the installed version",
    why: "In a late stage, the caller cannot guess the state",
    fix: "report every failure through the one place that tracks the state",
    run: |session| examine(session, late_signal),
    ..Probe::of(FAMILY)
};

fn late_signal(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = publishing(lab, |host| {
        HostBehaviour::broken_checksums(&host.patch(), HostBehaviour::stalled(TOO_SLOW))
    })?;
    let before = super::tree::of(&lab.sandbox);
    let event = Event::InterruptAfter(LATER_MS);
    let shot = unchanged(lab, || host.update_with(&[], &[], event))?;
    shot.expect_code(&["E_INTERRUPTED"], "SIGINT during the download")?;
    shot.expect(
        shot.exit() == Some(130),
        "the exit code after SIGINT during the download is not 130",
    )?;
    let details = shot.at("/error/details");
    shot.expect(details["binary_replaced"] == false, "`binary_replaced` is not false")?;
    let version = details["current_version"] == host.current.to_string().as_str();
    shot.expect(version, "`current_version` is not the version that runs")?;
    let after = super::tree::of(&lab.sandbox);
    let temporary = lab.sandbox.path().join("tmp");
    let left = super::tree::written(&before, &after);
    let left = left.iter().find(|(path, _)| path.starts_with(&temporary));
    shot.expect(left.is_none(), "files remain in the temporary directory")
}
