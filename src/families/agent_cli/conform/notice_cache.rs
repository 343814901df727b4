//! The cache of the notice (agent-cli §14): found by what a check writes, then aged, damaged or outrun.

use std::path::PathBuf;

use serde_json::Value;

use super::gate::utc;
use super::lab::{ProbeCaller, examine};
use super::notice_source::{NoticeSource, has_notice};
use super::shot::Answered;
use super::stop::{ProbeStep, Unfinished};
use super::tree;
use crate::conform::probe::Probe;
use crate::families::agent_cli::contract::FAMILY;

const PAST: &str = "2020-01-31T12:00:00Z";
const FUTURE: &str = "2099-01-31T12:00:00Z";
const FIX: &str = "show a notice only if the cache is readable, the notice is neither expired nor from the future, and its version is newer";

/// The tool after a check that found a newer version, with a notice that can go away.
fn told<'a>(lab: &'a ProbeCaller<'a>) -> ProbeStep<NoticeSource<'a>> {
    let mut source = NoticeSource::start(lab)?;
    source.publish(&source.newer())?;
    if !has_notice(&source.run(&["context"])) {
        return Err(Unfinished::Blocked(
            "the check stores no notice, so its removal cannot be tested".to_owned(),
        ));
    }
    Ok(source)
}

/// The cache after such a check.
struct Cache<'a> {
    source: NoticeSource<'a>,
    path: PathBuf,
    document: Value,
}

impl<'a> Cache<'a> {
    fn find(lab: &'a ProbeCaller<'a>) -> ProbeStep<Self> {
        let source = told(lab)?;
        let found = source.file_with(lab, &source.newer().to_string());
        let found =
            found.and_then(|(path, text)| Some((path, crate::strict_json::read(&text).ok()?)));
        let (path, document) = found.ok_or_else(|| {
            Unfinished::Blocked(
                "the file in which the notice is kept cannot be found, or is not JSON".to_owned(),
            )
        })?;
        Ok(Self { source, path, document })
    }

    /// Changes values of the cache; blocked when none fits.
    fn change(&self, what: &str, to: &dyn Fn(&Value) -> Option<Value>) -> ProbeStep {
        let mut document = self.document.clone();
        if tree::change(&mut document, to) == 0 {
            return Err(Unfinished::Blocked(format!(
                "the cached notice has no {what} that can be found"
            )));
        }
        tree::replace(&self.path, document.to_string().as_bytes())
    }

    /// Moves every time in the cache.
    fn at(&self, time: &str) -> ProbeStep {
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

fn silent(cache: &Cache<'_>, when: &str) -> ProbeStep<Answered> {
    let connections = cache.source.connections();
    let shot = cache.source.run(&["context"]);
    shot.expect(shot.is_ok(), format!("`context` fails with {when}"))?;
    shot.expect(!has_notice(&shot), format!("{when} is shown"))?;
    let asks = cache.source.connections() > connections;
    shot.expect(!asks, format!("`context` asks the release host because of {when}"))?;
    Ok(shot)
}

pub const EXPIRED: Probe = Probe {
    id: "cli.notice-expired",
    section: "§14",
    title: "An expired notice is not shown, and no new check is made",
    why: "An old notice is meaningless",
    fix: FIX,
    run: |session| {
        examine(session, |lab| {
            let cache = Cache::find(lab)?;
            cache.at(PAST)?;
            silent(&cache, "an expired notice").map(|_| ())
        })
    },
    ..Probe::of(FAMILY)
};

pub const AHEAD: Probe = Probe {
    id: "cli.notice-future",
    section: "§14",
    title: "A notice from the future is not shown",
    why: "It was written with a wrong clock, and would never expire",
    fix: FIX,
    run: |session| {
        examine(session, |lab| {
            let cache = Cache::find(lab)?;
            cache.at(FUTURE)?;
            silent(&cache, "a notice from the future").map(|_| ())
        })
    },
    ..Probe::of(FAMILY)
};

pub const CORRUPT: Probe = Probe {
    id: "cli.notice-corrupt",
    section: "§14",
    title: "A cached notice that cannot be read is ignored",
    why: "A damaged cache must not stop any command",
    fix: FIX,
    run: |session| examine(session, corrupt),
    ..Probe::of(FAMILY)
};

fn corrupt(lab: &ProbeCaller<'_>) -> ProbeStep {
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
    title: "A notice is not shown if the running version is not older",
    why: "The tool may have been updated in another way",
    fix: FIX,
    run: |session| {
        examine(session, |lab| {
            let cache = Cache::find(lab)?;
            let (newer, current) =
                (cache.source.newer().to_string(), cache.source.current().to_string());
            cache.change("version", &|value| {
                (value == newer.as_str()).then(|| current.as_str().into())
            })?;
            silent(&cache, "a notice of the version that runs").map(|_| ())
        })
    },
    ..Probe::of(FAMILY)
};

pub const CLEARED: Probe = Probe {
    id: "cli.notice-cleared",
    section: "§14",
    title: "An update that finds the tool current removes the notice",
    why: "Otherwise commands keep announcing an update that is already installed",
    fix: "clear the cached notice also if `update` has nothing to do",
    run: |session| examine(session, notice_cleared),
    ..Probe::of(FAMILY)
};

fn notice_cleared(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = told(lab)?;
    host.update_finds_nothing(&[]);
    let shot = host.run(&["context"]);
    shot.expect(!has_notice(&shot), "the notice remains after an update that had nothing to do")
}
