//! Who lets a tool learn of a version, so that it keeps a notice: a host whose releases nobody signed, or for a tool
//! that tells only of signed ones its test build and a publisher.

use std::path::PathBuf;

use semver::Version;

use super::host::{HostBehaviour, ReleaseHost};
use super::lab::ProbeCaller;
use super::shot::Answered;
use super::signed::scene::{Scene, build_of};
use super::stop::{ProbeStep, Unfinished};
use super::tree::{self, FileTree};

/// A tool that has learnt of nothing yet, and whoever tells it.
pub struct ReleaseTeller<'a> {
    who: Who<'a>,
    /// What the tool kept before.
    before: FileTree,
}

enum Who<'a> {
    Plain(ReleaseHost<'a>),
    Signed(Box<Scene<'a>>),
}

impl<'a> ReleaseTeller<'a> {
    /// Finds out which releases the tool believes.
    ///
    /// # Errors
    /// Blocked when it tells only of signed releases and nobody can sign one.
    pub fn start(lab: &'a ProbeCaller<'a>) -> ProbeStep<Self> {
        let before = tree::of(&lab.sandbox);
        let host = ReleaseHost::start(lab)?;
        match host.publish(&host.patch()) {
            Err(Unfinished::Blocked(_)) if build_of(lab).is_ok() => {
                let scene = Scene::start(lab)?;
                let before = tree::of(&scene.sandbox);
                Ok(Self { who: Who::Signed(Box::new(scene)), before })
            }
            published => published.map(|()| Self { who: Who::Plain(host), before }),
        }
    }

    /// The version that runs.
    pub fn current(&self) -> &Version {
        match &self.who {
            Who::Plain(host) => &host.current,
            Who::Signed(scene) => &scene.current,
        }
    }

    /// A patch of it.
    pub fn newer(&self) -> Version {
        match &self.who {
            Who::Plain(host) => host.patch(),
            Who::Signed(scene) => scene.newer(),
        }
    }

    /// Lets the tool learn of a version.
    ///
    /// # Errors
    /// Fails when its check does, blocked when nobody makes the release.
    pub fn publish(&mut self, version: &Version) -> ProbeStep {
        match &mut self.who {
            Who::Plain(host) => host.publish(version),
            Who::Signed(scene) => {
                scene.publish_version(version)?;
                let shot = scene.update(&["--check"]);
                shot.expect(
                    shot.is_ok(),
                    "`update --check` fails for a release that is signed well",
                )
            }
        }
    }

    /// Runs `update` with these options against a host that has nothing newer. Whether that works is another probe.
    pub fn update_finds_nothing(&self, options: &[&str]) {
        let current = HostBehaviour::Release(self.current().clone());
        let _ = match &self.who {
            Who::Plain(host) => {
                host.does(current);
                host.update(options)
            }
            Who::Signed(scene) => {
                scene.does(current);
                scene.update(options)
            }
        };
    }

    /// Runs another command, which could reach the host.
    pub fn run(&self, words: &[&str]) -> Answered {
        match &self.who {
            Who::Plain(host) => host.run(words),
            Who::Signed(scene) => scene.run(words),
        }
    }

    /// How many connections the host has had.
    pub fn connections(&self) -> usize {
        match &self.who {
            Who::Plain(host) => host.mock.connections(),
            Who::Signed(scene) => scene.mock.connections(),
        }
    }

    /// The first file since the start that has this text, with what it holds.
    pub fn file_with(&self, lab: &ProbeCaller<'_>, text: &str) -> Option<(PathBuf, String)> {
        let after = tree::of(match &self.who {
            Who::Plain(_) => &lab.sandbox,
            Who::Signed(scene) => &scene.sandbox,
        });
        tree::written(&self.before, &after).into_iter().find_map(|(path, bytes)| {
            let held = std::str::from_utf8(bytes).ok().filter(|held| held.contains(text))?;
            Some((path.to_owned(), held.to_owned()))
        })
    }
}

/// Whether a call shows that there is an update.
pub fn has_notice(shot: &Answered) -> bool {
    ["/meta/notices", "/data/notices"].iter().any(|place| {
        let notices = shot.at(place).as_array().into_iter().flatten();
        notices.into_iter().any(|notice| notice["type"] == "update_available")
    })
}
