//! `update` (agent-cli §14) against a release host on loopback. No release here is signed, so none may be installed.

use std::time::Duration;

use crate::conform::mock::Reply;
use crate::conform::session::Event;
use crate::system::files;

use super::host::MAX_PROGRAM;
use super::host::{HostBehaviour, ReleaseHost};
use super::lab::{ProbeCaller, examine};
use super::listing::declared;
use super::listing::{commands, params};
use super::shot::Answered;
use super::stop::{ProbeStep, Unfinished};
use crate::conform::probe::Probe;
use crate::families::agent_cli::conform::host::is_verified_first;
use crate::families::agent_cli::contract::{FAMILY, SelfDescription};

pub const SHAPE: Probe = Probe {
    id: "cli.update-shape",
    section: "§14",
    title: "`update` is one command with --check and --dry-run, and takes no --confirm",
    why: "One call must update the tool; a confirm token would interrupt it",
    fix: "remove subcommands of `update`, and refuse --confirm as a usage error",
    needs: &[crate::conform::Need::Namespace],
    run: |session| examine(session, shape),
    ..Probe::of(FAMILY)
};

fn shape(lab: &ProbeCaller<'_>) -> ProbeStep {
    let reference = lab.reference()?;
    let command = declared(&reference, "update").ok_or_else(|| lab.absent_command("update"))?;
    let shot = lab.look(&["reference"]);
    let leaf = commands(&reference).find(|(path, _)| path.starts_with("update "));
    shot.expect(leaf.is_none(), "there are commands below `update`")?;
    let names: Vec<String> = params(command).collect();
    for wanted in ["check", "dry-run"] {
        shot.expect(
            names.iter().any(|name| name == wanted),
            format!("`update` has no --{wanted}"),
        )?;
    }
    shot.expect(!names.iter().any(|name| name == "confirm"), "`update` declares --confirm")?;
    let shot = lab.look(&["update", "--confirm", "ct_AAAAAAAAAAAAAAAA"]);
    shot.expect_code(&["E_USAGE", "E_VALIDATION"], "`update --confirm`")
}

pub const CHECK: Probe = Probe {
    id: "cli.update-check",
    section: "§14",
    title: "`update --check` reports the available version and the command to call, with the contract's names",
    why: "Agents use it to decide whether to update",
    fix: "print status, current_version, target_version, update_available, install_method and command",
    run: |session| examine(session, check),
    ..Probe::of(FAMILY)
};

fn check(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = ReleaseHost::start(lab)?;
    host.does(HostBehaviour::Release(host.current.clone()));
    let shot = host.update(&["--check"]);
    names_of_check(lab, &shot)?;
    let current = host.current.to_string();
    for key in ["current_version", "target_version"] {
        let same = shot.data()[key] == current.as_str();
        shot.expect(same, format!("`{key}` is not the version that runs and that is published"))?;
    }
    let available = &shot.data()["update_available"];
    shot.expect(available == false, "`update_available` is not false for the version that runs")?;
    let newer = host.patch();
    host.does(HostBehaviour::Release(newer.clone()));
    let shot = host.update(&["--check"]);
    if is_verified_first(&shot) {
        return Ok(());
    }
    names_of_check(lab, &shot)?;
    let target = shot.at("/data/target_version") == newer.to_string().as_str();
    shot.expect(target, "`target_version` is not what the host publishes")?;
    let available = shot.at("/data/update_available") == true;
    shot.expect(available, "`update_available` is not true for a newer release")?;
    let same = shot.at("/data/current_version") == current.as_str();
    shot.expect(same, "`current_version` is not the version that runs")
}

fn names_of_check(lab: &ProbeCaller<'_>, shot: &Answered) -> ProbeStep {
    shot.expect(shot.is_ok(), "`update --check` fails against a host that responds")?;
    for key in SelfDescription::members(&lab.contract.self_description.update, "check_keys") {
        let there = shot.data().get(key).is_some();
        shot.expect(there, format!("`update --check` has no `{key}`"))?;
    }
    for key in ["latest_version", "manager_command", "recommended_command"] {
        let there = shot.data().get(key).is_some();
        let message = format!("`update --check` has `{key}`, which is not a name in the contract");
        shot.expect(!there, message)?;
    }
    Ok(())
}

pub const DRY_RUN: Probe = Probe {
    id: "cli.update-dry-run",
    section: "§14",
    title: "`update --dry-run` issues no token and replaces nothing",
    why: "`update` is outside the write gate",
    fix: "return the plan without `confirm_token` and `expires_at`",
    run: |session| examine(session, dry_run),
    ..Probe::of(FAMILY)
};

fn dry_run(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = ReleaseHost::start(lab)?;
    host.does(HostBehaviour::Release(host.patch()));
    let shot = unchanged(lab, || host.update(&["--dry-run"]))?;
    // Without an envelope there is no plan to look at.
    for key in ["confirm_token", "expires_at"].into_iter().filter(|_| shot.document.is_ok()) {
        let there = shot.data().get(key).is_some() || shot.at("/error/details").get(key).is_some();
        shot.expect(!there, format!("`update --dry-run` returns `{key}`"))?;
    }
    if !shot.is_ok() {
        // A plan may look at the release as far as it can be verified.
        shot.expect_code(&["E_INTEGRITY"], "a dry run of an unsigned release")?;
    }
    Ok(())
}

pub const CURRENT: Probe = Probe {
    id: "cli.update-current",
    section: "§14",
    title: "`update` of a current tool succeeds and does nothing",
    why: "It must be safe and fast to call at any time",
    fix: "compare versions before starting anything, and report the same current and target version",
    run: |session| examine(session, current),
    ..Probe::of(FAMILY)
};

fn current(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = ReleaseHost::start(lab)?;
    host.does(HostBehaviour::Release(host.current.clone()));
    let shot = unchanged(lab, || host.update(&[]))?;
    if shot.at("/error/details/stage") == "skill_sync" {
        // The Skill can be out of date although the program is not, and its installer is on no network here.
        let details = shot.at("/error/details");
        shot.expect(details["binary_replaced"] == false, "the program was replaced without need")?;
        let version = details["current_version"] == host.current.to_string().as_str();
        return shot.expect(version, "`current_version` is not the version that runs");
    }
    shot.expect(shot.is_ok(), "`update` of a current tool fails")?;
    shot.expect(shot.at("/data/update_available") == false, "`update_available` is not false")?;
    let version = host.current.to_string();
    for key in ["current_version", "target_version"] {
        let same = shot.data()[key] == version.as_str();
        shot.expect(same, format!("`{key}` is not the version that runs"))?;
    }
    for key in SelfDescription::members(&lab.contract.self_description.update, "required_keys") {
        let there = shot.data().get(key).is_some();
        shot.expect(there, format!("the response has no `{key}`, which a success has"))?;
    }
    shot.expect(
        shot.at("/data/status") != "updated",
        "`status` is `updated`, but nothing was updated",
    )?;
    let is_honest = shot.at("/data/signature_status") == "verified"
        || shot.at("/data/signature_verified") != true;
    shot.expect(is_honest, "`signature_verified` is true, but nothing was verified")
}

pub const DISCOVER: Probe = Probe {
    id: "cli.update-discover",
    section: "§14",
    title: "A failure of the release host has the matching error code",
    why: "An agent waits for a rate limit, but not for a missing release",
    fix: "use the same table of statuses for the release host and the upstream",
    run: |session| examine(session, discover),
    ..Probe::of(FAMILY)
};

fn discover(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = ReleaseHost::start(lab)?;
    let mut limited = Reply::new(403, "application/json", "{}");
    limited.headers.push(("X-RateLimit-Remaining".to_owned(), "0".to_owned()));
    let rows: [(&str, HostBehaviour, &[&str]); 11] = [
        ("401", HostBehaviour::status(401), &["E_AUTH"]),
        ("403", HostBehaviour::status(403), &["E_FORBIDDEN"]),
        ("408", HostBehaviour::status(408), &["E_TIMEOUT"]),
        ("429", HostBehaviour::status(429), &["E_RATE_LIMITED"]),
        ("403 with a used-up rate limit", HostBehaviour::Reply(limited), &["E_RATE_LIMITED"]),
        ("500", HostBehaviour::status(500), &["E_SERVER"]),
        ("503", HostBehaviour::status(503), &["E_SERVER"]),
        ("404", HostBehaviour::status(404), &["E_NOT_FOUND"]),
        (
            "broken JSON",
            HostBehaviour::Reply(Reply::new(200, "application/json", "{\"tag_name\": ")),
            &["E_INTEGRITY", "E_SERVER", "E_NETWORK"],
        ),
        (
            "a release without a tag",
            HostBehaviour::Reply(Reply::new(200, "application/json", "{\"assets\": []}")),
            &["E_INTEGRITY", "E_SERVER", "E_NETWORK"],
        ),
        (
            "a connection that closes",
            HostBehaviour::Reply(Reply { hangs_up: true, ..Reply::default() }),
            &["E_NETWORK"],
        ),
    ];
    for (what, behaviour, codes) in rows {
        host.does(behaviour);
        for options in [&[][..], &["--check"]] {
            let shot = unchanged(lab, || host.update(options))?;
            let when = format!("`update {}` against {what}", options.join(" "));
            shot.expect_code(codes, &when)?;
        }
    }
    let refusing = crate::system::loopback::refusing_url();
    let refusing =
        refusing.map_err(|error| Unfinished::Blocked(format!("no port is free: {error}")))?;
    for options in [&[][..], &["--check"]] {
        let shot = unchanged(lab, || host.update_at(&refusing, options))?;
        shot.expect_code(&["E_NETWORK"], "an update from a host that refuses the connection")?;
    }
    host.does(HostBehaviour::Release(host.current.clone()));
    let absent = host.patch().to_string();
    let reference = lab.reference()?;
    if declared(&reference, "update")
        .is_some_and(|command| params(command).any(|name| name == "target-version"))
    {
        let shot = unchanged(lab, || host.update(&["--target-version", &absent]))?;
        shot.expect_code(&["E_NOT_FOUND"], "an update to a version that was never released")?;
    }
    Ok(())
}

pub const FAILURE_DETAILS: Probe = Probe {
    id: "cli.update-failure-details",
    section: "§14",
    title: "Every failed update reports the stage, the version, and whether the program was replaced",
    why: "The caller must always know which version is installed",
    fix: "track the state through all stages, and put it into `error.details` in one place",
    run: |session| examine(session, failure_details),
    ..Probe::of(FAMILY)
};

fn failure_details(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = ReleaseHost::start(lab)?;
    for status in [404, 500] {
        host.does(HostBehaviour::status(status));
        let shot = host.update(&[]);
        let details = shot.at("/error/details");
        let rules = &lab.contract.self_description.update;
        for key in SelfDescription::members(rules, "failure_detail_keys") {
            let there = details.get(key).is_some();
            shot.expect(there, format!("`error.details` has no `{key}`"))?;
        }
        shot.expect(details["stage"] == "discover", "`stage` is not `discover`")?;
        shot.expect(details["binary_replaced"] == false, "`binary_replaced` is not false")?;
        let version = details["current_version"] == host.current.to_string().as_str();
        shot.expect(version, "`current_version` is not the version that runs")?;
    }
    Ok(())
}

pub const DOWNGRADE: Probe = Probe {
    id: "cli.update-downgrade",
    section: "§14",
    title: "An older --target-version is refused or installed, never silently ignored",
    why: "A success must mean that the requested version is installed",
    fix: "refuse it with E_VALIDATION, unless the tool has a flag for downgrades",
    run: |session| examine(session, downgrade),
    ..Probe::of(FAMILY)
};

fn downgrade(lab: &ProbeCaller<'_>) -> ProbeStep {
    let reference = lab.reference()?;
    let command = declared(&reference, "update");
    let has = command.is_some_and(|command| params(command).any(|name| name == "target-version"));
    let host = ReleaseHost::start(lab)?;
    if !has {
        return Err(lab.absent("`update` has no --target-version"));
    }
    let older = semver::Version::new(0, 0, 1);
    host.does(HostBehaviour::Release(older.clone()));
    let shot = unchanged(lab, || host.update(&["--target-version", &older.to_string()]))?;
    let is_silent = shot.is_ok() && shot.at("/data/target_version") != older.to_string().as_str();
    shot.expect(!is_silent, "an older --target-version is a silent success")
}

pub const TOKEN: Probe = Probe {
    id: "cli.update-token",
    section: "§14",
    title: "GITHUB_TOKEN is sent only to GitHub",
    why: "Anyone who receives the token can use it",
    fix: "send it only to api.github.com and github.com over https, and never along a redirect",
    run: |session| examine(session, github_token),
    ..Probe::of(FAMILY)
};

fn github_token(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = ReleaseHost::start(lab)?;
    host.does(HostBehaviour::Release(host.patch()));
    let canary = crate::conform::secrets::Sentinel::new(
        "GITHUB_TOKEN",
        crate::conform::secrets::SecretShape::Plain,
    );
    for options in [&["--check"][..], &["--dry-run"], &[]] {
        let shot = host.update_with(options, &[("GITHUB_TOKEN", &canary.value)], Event::None);
        let sent = host.mock.requests().iter().any(|request| {
            let mut texts = request.headers.iter().map(|(_, value)| value.as_str());
            texts.any(|text| canary.leak(text).is_some()) || canary.leak(&request.target).is_some()
        });
        if sent {
            return Err(shot.fail("GITHUB_TOKEN was sent to another host than GitHub"));
        }
        if shot.observed.connections > 0 {
            shot.judged();
        }
        let said = canary.leak(&shot.observed.said()).is_some();
        if said {
            return Err(Unfinished::Fail("GITHUB_TOKEN was printed".to_owned(), None));
        }
    }
    Ok(())
}

pub const INTERRUPT: Probe = Probe {
    id: "cli.update-interrupt",
    section: "§14",
    title: "A signal during an update is E_INTERRUPTED, and the response has the installed version",
    why: "The agent must know which version is installed",
    fix: "install the handler before the first stage, and always print the envelope",
    run: |session| examine(session, interrupt),
    ..Probe::of(FAMILY)
};

fn interrupt(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = ReleaseHost::start(lab)?;
    host.does(HostBehaviour::slow(Duration::from_secs(12)));
    let shot = unchanged(lab, || host.update_with(&[], &[], Event::InterruptWhenConnected))?;
    shot.expect_code(&["E_INTERRUPTED"], "SIGINT during an update")?;
    shot.expect(
        shot.exit() == Some(130),
        "the exit code after SIGINT during an update is not 130",
    )?;
    let replaced = shot.at("/error/details/binary_replaced");
    shot.expect(replaced == false, "`binary_replaced` is not false after SIGINT in the first stage")
}

/// Makes a call after which the program must have the same bytes.
pub fn unchanged(lab: &ProbeCaller<'_>, call: impl FnOnce() -> Answered) -> ProbeStep<Answered> {
    let program = lab.sandbox.program().unwrap_or(&lab.session.target.program);
    let read = || files::read_named(program, MAX_PROGRAM).ok().map(|loaded| loaded.bytes);
    let before = read();
    let shot = call();
    if read() != before {
        return Err(shot.fail("the program on disk has changed"));
    }
    Ok(shot)
}
