//! Announces a version to a tool, so that it caches a notice. The releases of the host are unsigned; for a tool that
//! announces only signed ones, its test build and a publisher are used.

use std::path::PathBuf;

use semver::Version;

use super::host::{HostBehaviour, ReleaseHost};
use super::lab::ProbeCaller;
use super::shot::Answered;
use super::signed::scene::{Scene, build_of};
use super::stop::{ProbeStep, Unfinished};
use super::tree::{self, FileTree};

/// A tool that knows of no update yet, and a host that offers one.
pub struct NoticeSource<'a> {
    host: NoticeHost<'a>,
    /// The files of the tool before the call.
    before: FileTree,
}

enum NoticeHost<'a> {
    Plain(ReleaseHost<'a>),
    Signed(Box<Scene<'a>>),
}

impl<'a> NoticeSource<'a> {
    /// Finds out which releases the tool announces.
    ///
    /// # Errors
    /// Blocked when it announces only signed releases and no publisher can sign one.
    pub fn start(lab: &'a ProbeCaller<'a>) -> ProbeStep<Self> {
        let before = tree::of(&lab.sandbox);
        let host = ReleaseHost::start(lab)?;
        match host.publish(&host.patch()) {
            Err(Unfinished::Blocked(_)) if build_of(lab).is_ok() => {
                let scene = Scene::start(lab)?;
                let before = tree::of(&scene.sandbox);
                Ok(Self { host: NoticeHost::Signed(Box::new(scene)), before })
            }
            published => published.map(|()| Self { host: NoticeHost::Plain(host), before }),
        }
    }

    /// The version that runs.
    pub fn current(&self) -> &Version {
        match &self.host {
            NoticeHost::Plain(host) => &host.current,
            NoticeHost::Signed(scene) => &scene.current,
        }
    }

    /// A patch of it.
    pub fn newer(&self) -> Version {
        match &self.host {
            NoticeHost::Plain(host) => host.patch(),
            NoticeHost::Signed(scene) => scene.newer(),
        }
    }

    /// Announces a version to the tool.
    ///
    /// # Errors
    /// Fails when its check fails; blocked when no publisher makes the release.
    pub fn publish(&mut self, version: &Version) -> ProbeStep {
        match &mut self.host {
            NoticeHost::Plain(host) => host.publish(version),
            NoticeHost::Signed(scene) => {
                scene.publish_version(version)?;
                let shot = scene.update(&["--check"]);
                shot.expect(shot.is_ok(), "`update --check` fails for a correctly signed release")
            }
        }
    }

    /// Runs `update` with these options against a host that has nothing newer. Whether that works is another probe.
    pub fn update_finds_nothing(&self, options: &[&str]) {
        let current = HostBehaviour::Release(self.current().clone());
        let _ = match &self.host {
            NoticeHost::Plain(host) => {
                host.does(current);
                host.update(options)
            }
            NoticeHost::Signed(scene) => {
                scene.does(current);
                scene.update(options)
            }
        };
    }

    /// Runs another command, which could reach the host.
    pub fn run(&self, words: &[&str]) -> Answered {
        match &self.host {
            NoticeHost::Plain(host) => host.run(words),
            NoticeHost::Signed(scene) => scene.run(words),
        }
    }

    /// Returns the number of connections to the host.
    pub fn connections(&self) -> usize {
        match &self.host {
            NoticeHost::Plain(host) => host.mock.connections(),
            NoticeHost::Signed(scene) => scene.mock.connections(),
        }
    }

    /// The first file since the start that has this text, with what it holds.
    pub fn file_with(&self, lab: &ProbeCaller<'_>, text: &str) -> Option<(PathBuf, String)> {
        let after = tree::of(match &self.host {
            NoticeHost::Plain(_) => &lab.sandbox,
            NoticeHost::Signed(scene) => &scene.sandbox,
        });
        tree::written(&self.before, &after).into_iter().find_map(|(path, bytes)| {
            let held = std::str::from_utf8(bytes).ok().filter(|held| held.contains(text))?;
            Some((path.to_owned(), held.to_owned()))
        })
    }
}

/// True if a response has the notice of an update.
pub fn has_notice(shot: &Answered) -> bool {
    ["/meta/notices", "/data/notices"].iter().any(|place| {
        let notices = shot.at(place).as_array().into_iter().flatten();
        notices.into_iter().any(|notice| notice["type"] == "update_available")
    })
}
