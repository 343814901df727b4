//! The cache of the notice (agent-cli §14): found by what a check writes, then aged, damaged or outrun.

use std::path::PathBuf;

use serde_json::Value;

use super::gate::utc;
use super::host::Host;
use super::lab::{Lab, Outcome, Shot, Stop, examine};
use super::update_disk::{context, has_notice};
use super::{PROBE, Probe, tree};

const PAST: &str = "2020-01-31T12:00:00Z";
const FUTURE: &str = "2099-01-31T12:00:00Z";
const FIX: &str = "Show a notice only when the cache can be read, its time is not over and not in the future, and its version is newer";

/// The cache after a check that found a newer version.
struct Cache<'a> {
    host: Host<'a>,
    path: PathBuf,
    document: Value,
}

impl<'a> Cache<'a> {
    fn find(lab: &'a Lab<'a>) -> Outcome<Self> {
        let host = Host::start(lab)?;
        let before = tree::of(&lab.sandbox);
        let newer = host.patch();
        host.publish(&newer)?;
        let after = tree::of(&lab.sandbox);
        let newer = newer.to_string();
        let found = tree::written(&before, &after).into_iter().find_map(|(path, bytes)| {
            let text = std::str::from_utf8(bytes).ok().filter(|text| text.contains(&newer))?;
            Some((path.to_owned(), crate::strict_json::read(text).ok()?))
        });
        let (path, document) = found.ok_or_else(|| {
            Stop::Blocked(
                "the file in which the notice is kept cannot be found, or is no JSON".to_owned(),
            )
        })?;
        if !has_notice(&context(lab)) {
            return Err(Stop::Blocked("the check leaves no notice that could go away".to_owned()));
        }
        Ok(Self { host, path, document })
    }

    /// Changes values of the cache; blocked when none fits.
    fn change(&self, what: &str, to: &dyn Fn(&Value) -> Option<Value>) -> Outcome {
        let mut document = self.document.clone();
        if tree::change(&mut document, to) == 0 {
            return Err(Stop::Blocked(format!(
                "the cached notice has no {what} that can be found"
            )));
        }
        tree::replace(&self.path, document.to_string().as_bytes())
    }

    /// Moves every time in the cache.
    fn at(&self, time: &str) -> Outcome {
        let seconds = utc(time).map(jiff::Timestamp::as_second).unwrap_or_default();
        let now = i64::try_from(crate::system::clock::now_seconds()).unwrap_or_default();
        self.change("time", &|value| {
            if value.as_str().is_some_and(|text| utc(text).is_some()) {
                return Some(time.into());
            }
            // Numbers of about now are times as well, in seconds or milliseconds.
            let number = value.as_i64()?;
            let is_near = |number: i64| (number - now).abs() < 86_400;
            match number {
                _ if is_near(number) => Some(seconds.into()),
                _ if is_near(number / 1_000) => Some((seconds * 1_000).into()),
                _ => None,
            }
        })
    }
}

fn silent(cache: &Cache<'_>, when: &str) -> Outcome<Shot> {
    let connections = cache.host.mock.connections();
    let shot = cache.host.run(&["context"]);
    shot.expect(shot.is_ok(), format!("`context` fails with {when}"))?;
    shot.expect(!has_notice(&shot), format!("{when} is shown"))?;
    let asks = cache.host.mock.connections() > connections;
    shot.expect(!asks, format!("`context` asks the release host because of {when}"))?;
    Ok(shot)
}

pub const EXPIRED: Probe = Probe {
    id: "cli.notice-expired",
    section: "§14",
    title: "A notice that is past its time is not shown, and nobody is asked for a new one",
    why: "What was the newest version years ago says nothing",
    fix: FIX,
    run: |session| {
        examine(session, |lab| {
            let cache = Cache::find(lab)?;
            cache.at(PAST)?;
            silent(&cache, "a notice that is past its time").map(|_| ())
        })
    },
    ..PROBE
};

pub const AHEAD: Probe = Probe {
    id: "cli.notice-future",
    section: "§14",
    title: "A notice whose time lies in the future is not shown",
    why: "Whoever wrote it had another clock, and it would never expire",
    fix: FIX,
    run: |session| {
        examine(session, |lab| {
            let cache = Cache::find(lab)?;
            cache.at(FUTURE)?;
            silent(&cache, "a notice of the future").map(|_| ())
        })
    },
    ..PROBE
};

pub const CORRUPT: Probe = Probe {
    id: "cli.notice-corrupt",
    section: "§14",
    title: "A cached notice that cannot be read is like none",
    why: "A damaged file of no importance must not stop every command",
    fix: FIX,
    run: |session| examine(session, corrupt),
    ..PROBE
};

fn corrupt(lab: &Lab<'_>) -> Outcome {
    let cache = Cache::find(lab)?;
    for bytes in [&b"{\"notice\": "[..], b"[1]", b"{\"notice\": {\"type\": 7}}", b"\xff\xfe\x00"] {
        tree::replace(&cache.path, bytes)?;
        let shot = silent(&cache, "a notice that cannot be read")?;
        shot.expect(!shot.observed.has_traceback(), "a runtime error was printed")?;
    }
    Ok(())
}

pub const OUTRUN: Probe = Probe {
    id: "cli.notice-outrun",
    section: "§14",
    title: "A notice of a version that the running one has reached is not shown",
    why: "The tool may have been updated by somebody else",
    fix: FIX,
    run: |session| {
        examine(session, |lab| {
            let cache = Cache::find(lab)?;
            let (newer, current) = (cache.host.patch().to_string(), cache.host.current.to_string());
            cache.change("version", &|value| {
                (value == newer.as_str()).then(|| current.as_str().into())
            })?;
            silent(&cache, "a notice of the version that runs").map(|_| ())
        })
    },
    ..PROBE
};
