//! The releases that the publisher of a project makes in one call: one version, valid and with faults, and the trust
//! root for the test build. Made once per run and version; releases that the publisher omits do not exist.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use semver::Version;

use crate::conform::sandbox::Sandbox;
use crate::conform::session::ToolCaller;
use crate::reason::Reason;
use crate::system::files::{self, Kind};
use crate::system::subject::{self, Ending, Launch, Stimulus};

use super::super::host::HostedRelease;
use super::super::upstream::of_project;
use super::declared::TestBuild;
use crate::families::agent_cli::conform::host::MAX_PROGRAM;

/// How long a publisher may work.
const LIMIT: Duration = Duration::from_secs(180);
const MAX_OUTPUT: usize = 64 * 1024;
/// Most files of a release, and most bytes of one.
const MAX_FILES: usize = 100;
const MAX_FILE: u64 = 256 * 1024 * 1024;
/// Most bytes of all releases of one version together.
const MAX_TOTAL: u64 = 1024 * 1024 * 1024;

/// The kinds of release that a publisher is asked for.
pub const GOOD: &str = "good";
pub const SIGNERS: [&str; 9] = [
    "wrong-repository",
    "wrong-workflow",
    "wrong-ref",
    "wrong-tag",
    "identity-prefix",
    "identity-suffix",
    "wrong-issuer",
    "legacy-bundle",
    "bad-signature",
];
pub const LISTS: [&str; 3] = ["checksum-mismatch", "checksum-missing", "checksum-duplicate"];
pub const ARCHIVES: [&str; 5] = [
    "archive-traversal",
    "archive-symlink",
    "archive-wrong-member",
    "archive-no-program",
    "archive-too-large",
];

/// The result of a publisher.
#[derive(Debug)]
pub struct Publication {
    /// Gone with it.
    place: Sandbox,
    kinds: BTreeMap<String, Arc<HostedRelease>>,
    /// The test build itself.
    pub installed: Vec<u8>,
    /// The program in the good release.
    pub program: Vec<u8>,
}

impl Publication {
    /// The release of a kind, when the publisher knows it.
    pub fn release(&self, kind: &str) -> Option<Arc<HostedRelease>> {
        self.kinds.get(kind).cloned()
    }

    /// Everything that the publisher made.
    pub fn outputs(&self) -> PathBuf {
        self.place.path().join("out")
    }

    /// The directory that replaces `{trust}`.
    pub fn trust(&self) -> String {
        self.place.path().join("out/trust").display().to_string()
    }

    /// Returns the directory from which an installer of Skills copies, if the publisher made it.
    pub fn skills(&self) -> Option<PathBuf> {
        let path = self.place.path().join("out/skills");
        matches!(files::kind(&path), Ok(Kind::Directory)).then_some(path)
    }
}

type PublicationSlot = Result<Arc<Publication>, Reason>;

/// All publications of a run.
#[derive(Debug, Default)]
pub struct Publications(Mutex<BTreeMap<Version, PublicationSlot>>);

impl Publications {
    /// The one of this version.
    ///
    /// # Errors
    /// Says in one sentence why there is none.
    pub fn of(
        &self,
        session: &ToolCaller,
        build: &TestBuild,
        version: &Version,
    ) -> PublicationSlot {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let made = known.entry(version.clone());
        made.or_insert_with(|| publish(session, build, version).map(Arc::new)).clone()
    }
}

fn publish(
    session: &ToolCaller,
    build: &TestBuild,
    version: &Version,
) -> Result<Publication, Reason> {
    let own = std::slice::from_ref(&build.program);
    let (_, program, _) = of_project(session, own, "the test build")?;
    let installed = files::read_named(&program, MAX_PROGRAM)
        .map_err(|error| format!("the test build cannot be read: {error}"))?;
    let place =
        Sandbox::new().map_err(|error| format!("the sandbox cannot be created: {error}"))?;
    place.directory("out").map_err(|error| format!("there is no directory: {error}"))?;
    let out = place.path().join("out");
    run(session, build, version, &place, &out)?;
    if !matches!(files::kind(&out.join("trust")), Ok(Kind::Directory)) {
        return Err("the publisher makes no directory `trust`".into());
    }
    let new = files::read(&out.join("program"), MAX_PROGRAM)
        .map_err(|error| format!("the publisher makes no file `program`: {error}"))?;
    let (mut kinds, mut room) = (BTreeMap::new(), MAX_TOTAL);
    for kind in all_kinds() {
        if let Some(files) = assets(&out.join(kind), &mut room)? {
            let release = HostedRelease { version: version.clone(), files };
            kinds.insert(kind.to_owned(), Arc::new(release));
        }
    }
    if !kinds.contains_key(GOOD) {
        return Err(format!("the publisher makes no release of the kind `{GOOD}`").into());
    }
    Ok(Publication { place, kinds, installed: installed.bytes, program: new.bytes })
}

fn all_kinds() -> impl Iterator<Item = &'static str> {
    std::iter::once(GOOD).chain(SIGNERS).chain(LISTS).chain(ARCHIVES)
}

fn run(
    session: &ToolCaller,
    build: &TestBuild,
    version: &Version,
    place: &Sandbox,
    out: &Path,
) -> Result<(), Reason> {
    let (root, program, first) = of_project(session, &build.publisher, "the publisher")?;
    let kinds = all_kinds().collect::<Vec<_>>().join(",");
    let own =
        ["--out", &out.display().to_string(), "--version", &version.to_string(), "--kinds", &kinds]
            .map(str::to_owned);
    let arguments: Vec<_> = first.iter().cloned().chain(own).collect();
    let ran = subject::run(&Launch {
        program: &program,
        arguments: &arguments,
        directory: &root,
        environment: &place.environment(),
        stdin: &[],
        holds_stdin: false,
        limit: LIMIT,
        excuses_queue: false,
        most_output: MAX_OUTPUT,
        stimulus: Stimulus::None,
        obeys_modes: false,
        enclosure: session.enclosure(place).as_ref(),
    });
    let ran = ran.map_err(|error| format!("the publisher cannot be started: {error}"))?;
    let said: String = String::from_utf8_lossy(&ran.stderr).trim().chars().take(300).collect();
    match ran.ending {
        Ending::Exited(0) => Ok(()),
        Ending::TimedOut => {
            Err(format!("the publisher needs more than {} seconds", LIMIT.as_secs()).into())
        }
        _ => Err(format!("the publisher fails: {said}").into()),
    }
}

/// The files of a release; `None` when the publisher does not know the kind.
fn assets(directory: &Path, room: &mut u64) -> Result<Option<BTreeMap<String, Vec<u8>>>, Reason> {
    if !matches!(files::kind(directory), Ok(Kind::Directory)) {
        return Ok(None);
    }
    let fault = |error: std::io::Error| {
        Reason::from(format!("a release of the publisher cannot be read: {error}"))
    };
    let names = files::names(directory).map_err(fault)?;
    if names.len() > MAX_FILES {
        return Err(format!("a release of the publisher has more than {MAX_FILES} files").into());
    }
    let mut assets = BTreeMap::new();
    for name in names {
        let loaded = files::read(&directory.join(&name), MAX_FILE.min(*room)).map_err(fault)?;
        *room = room.saturating_sub(loaded.bytes.len() as u64);
        assets.insert(name.to_string_lossy().into_owned(), loaded.bytes);
    }
    Ok(Some(assets))
}
