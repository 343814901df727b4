//! An installed test build in a home of its own, and a host with signed releases for it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use semver::Version;

use crate::conform::mock::{Mock, ReceivedRequest};
use crate::conform::sandbox::{MARK, Sandbox};
use crate::conform::session::{Event, ToolCall};
use crate::system::files::{self, Kind};
use crate::visible::excerpt;

use super::super::fixture::Update;
use super::super::host::{BUNDLE, CHECKSUMS, HostBehaviour, answer};
use super::super::lab::ProbeCaller;
use super::declared::TestBuild;
use super::publication::{Publication, Publications};
use super::shims::{self, InstallPlace, Npx, SHIMS};
use crate::families::agent_cli::conform::host::MAX_PROGRAM;
use crate::families::agent_cli::conform::listing::declared;
use crate::families::agent_cli::conform::shot::Answered;
use crate::families::agent_cli::conform::stop::{ProbeStep, Unfinished};

/// Patience with an update: it starts the new program and an installer.
const LIMIT: Duration = Duration::from_secs(150);
/// Where the test build is put when nothing else is wanted.
const HOME: &str = "installed/bin";

/// One installation and one host.
pub struct Scene<'a> {
    lab: &'a ProbeCaller<'a>,
    build: &'a TestBuild,
    variable: &'a str,
    pub sandbox: Sandbox,
    pub publication: Arc<Publication>,
    pub mock: Mock,
    behaviour: Arc<Mutex<HostBehaviour>>,
    /// How long the host lets wait for an archive.
    archive_delay: Arc<Mutex<Option<Duration>>>,
    /// The file that updates replace.
    pub program: PathBuf,
    /// The version that runs.
    pub current: Version,
    before: BTreeSet<String>,
}

/// Returns the test build that the fixture describes.
///
/// # Errors
/// Blocked without it: nobody can sign a release that a release build believes.
pub fn build_of<'a>(lab: &'a ProbeCaller<'a>) -> ProbeStep<(&'a Update, &'a TestBuild)> {
    let update = lab.fixture.update.as_ref();
    update.and_then(|update| Some((update, update.test_build.as_ref()?))).ok_or_else(|| {
        let why = "a release build trusts only its own root, so no release can be signed for this run: add [agent_cli.update.test_build] to conform.toml, with a build that trusts a test root, and its publisher";
        Unfinished::Blocked(why.to_owned())
    })
}

impl<'a> Scene<'a> {
    /// Installs the test build as a plain program with an installer of Skills that works.
    ///
    /// # Errors
    /// Blocked when the fixture has none, or when it cannot be published for.
    pub fn start(lab: &'a ProbeCaller<'a>) -> ProbeStep<Self> {
        Self::with(lab, Npx::Installs, InstallPlace::Plain)
    }

    /// Installs the test build.
    ///
    /// # Errors
    /// Blocked when the fixture has none, or when it cannot be published for.
    pub fn with(lab: &'a ProbeCaller<'a>, npx: Npx, place: InstallPlace) -> ProbeStep<Self> {
        let reference = lab.reference()?;
        if declared(&reference, "update").is_none() {
            return Err(lab.absent_command("update"));
        }
        let (update, build) = build_of(lab)?;
        let current = reference["version"].as_str().and_then(|text| Version::parse(text).ok());
        let current =
            current.ok_or_else(|| Unfinished::Blocked("`reference` has no version".to_owned()))?;
        let newer = Version::new(current.major, current.minor, current.patch + 1);
        let publication = publication(lab, build, &newer)?;
        let sandbox = Sandbox::new().map_err(|error| {
            Unfinished::Blocked(format!("the sandbox cannot be created: {error}"))
        })?;
        let tool = reference["tool"].as_str().unwrap_or_default().to_owned();
        let program =
            install(&sandbox, &publication, build, npx, place, &tool).map_err(|error| {
                Unfinished::Blocked(format!("the test build cannot be installed: {error}"))
            })?;
        let behaviour = Arc::new(Mutex::new(HostBehaviour::Release(current.clone())));
        let archive_delay: Arc<Mutex<Option<Duration>>> = Arc::default();
        let (shared, delay) = (Arc::clone(&behaviour), Arc::clone(&archive_delay));
        let (repository, mark) = (update.repository.clone(), sandbox.path().join(MARK));
        let mock = Mock::with(Arc::new(move |request: &ReceivedRequest| {
            let behaviour = shared.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let mut reply = answer(&behaviour, request, &repository, &tool);
            if is_archive(&request.target) {
                let delay = *delay.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(delay) = delay {
                    // The waiting test polls for this file.
                    let _ = files::write_new(&mark, b"", files::Mode::Plain);
                    reply.delay = delay;
                }
            }
            reply
        }));
        let mock =
            mock.map_err(|error| Unfinished::Blocked(format!("no port is free: {error}")))?;
        let before = beside(&program);
        Ok(Self {
            lab,
            build,
            variable: &update.host,
            sandbox,
            publication,
            mock,
            behaviour,
            archive_delay,
            program,
            current,
            before,
        })
    }

    /// The version of all releases here.
    pub fn newer(&self) -> Version {
        Version::new(self.current.major, self.current.minor, self.current.patch + 1)
    }

    pub fn does(&self, behaviour: HostBehaviour) {
        *self.behaviour.lock().unwrap_or_else(PoisonError::into_inner) = behaviour;
    }

    /// Publishes a release of this kind; false when the publisher does not know it.
    pub fn publish(&self, kind: &str) -> bool {
        let release = self.publication.release(kind);
        let known = release.is_some();
        if let Some(release) = release {
            self.does(HostBehaviour::Signed(release));
        }
        known
    }

    /// Publishes another version, signed well, and lets the test build trust it.
    ///
    /// # Errors
    /// Blocked when the publisher does not make it.
    pub fn publish_version(&mut self, version: &Version) -> ProbeStep {
        self.publication = publication(self.lab, self.build, version)?;
        self.publish(super::publication::GOOD);
        Ok(())
    }

    /// From now on the mark is set when an archive is asked for, which then lets wait.
    pub fn mark_archive(&self, delay: Duration) {
        *self.archive_delay.lock().unwrap_or_else(PoisonError::into_inner) = Some(delay);
    }

    /// Runs `update` with these options.
    pub fn update(&self, options: &[&str]) -> Answered {
        self.update_with(options, Event::None, false)
    }

    /// Runs `update`; something may happen meanwhile, and modes may hold for it.
    pub fn update_with(&self, options: &[&str], event: Event, obeys_modes: bool) -> Answered {
        let arguments = self.build.arguments_for(&self.publication.trust());
        let words = std::iter::once("update").chain(options.iter().copied()).map(str::to_owned);
        let mut call = self.prepared(words.chain(arguments));
        call.event = event;
        call.obeys_modes = obeys_modes;
        self.lab.run_there(&self.mock, &self.sandbox, &call)
    }

    /// Runs another command.
    pub fn run(&self, words: &[&str]) -> Answered {
        let call = self.prepared(words.iter().map(|word| (*word).to_owned()));
        self.lab.run_there(&self.mock, &self.sandbox, &call)
    }

    fn prepared(&self, words: impl Iterator<Item = String>) -> ToolCall {
        let mut call = ToolCall::new(words).variable(self.variable, &self.mock.url());
        call.limit = LIMIT;
        // A program of the release may start another one that the publisher made.
        self.sandbox.show(&self.publication.outputs());
        for (name, value) in self.build.environment_for(&self.publication.trust()) {
            call = call.variable(&name, &value);
        }
        call.variable("PATH", &self.sandbox.path().join(SHIMS).display().to_string())
    }

    /// The bytes of the program as they are now.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        files::read(&self.program, MAX_PROGRAM).ok().map(|loaded| loaded.bytes)
    }

    pub fn is_old(&self) -> bool {
        self.bytes().is_some_and(|bytes| bytes == self.publication.installed)
    }

    pub fn is_new(&self) -> bool {
        self.bytes().is_some_and(|bytes| bytes == self.publication.program)
    }

    /// True if the Skill of the release is installed where every installer puts it.
    pub fn has_skill(&self) -> bool {
        const MOST: u64 = 1024 * 1024;
        let environment = self.sandbox.environment();
        let home = environment.iter().find(|(name, _)| name == "HOME");
        let home = home.map(|(_, value)| value.clone()).unwrap_or_default();
        let installed = Path::new(&home).join(".agents/skills");
        let text = |above: &Path, name: &std::ffi::OsString| {
            files::read(&above.join(name).join("SKILL.md"), MOST).ok().map(|loaded| loaded.bytes)
        };
        let names = files::names(&installed).unwrap_or_default();
        names.iter().any(|name| match (text(&installed, name), self.publication.skills()) {
            (Some(there), Some(published)) => text(&published, name) == Some(there),
            (there, _) => there.is_some(),
        })
    }

    /// Returns the recorded calls of a stand-in.
    pub fn calls(&self, name: &str) -> Vec<String> {
        shims::calls(&self.sandbox, name)
    }

    /// Checks that nothing is left of an attempt, neither among the temporary files nor beside the program.
    ///
    /// # Errors
    /// Fails by this call when there is.
    pub fn is_clean(&self, shot: &Answered, when: &str) -> ProbeStep {
        let left = files::names(&self.sandbox.path().join("tmp")).unwrap_or_default();
        shot.expect(left.is_empty(), format!("{when} leaves files in the temporary directory"))?;
        let more = beside(&self.program).difference(&self.before).next().cloned();
        shot.expect(
            more.is_none(),
            format!(
                "{when} leaves `{}` in the directory of the program",
                excerpt(&more.unwrap_or_default(), 200)
            ),
        )
    }

    /// Wants a refusal of this code in this stage that changed nothing.
    ///
    /// # Errors
    /// Fails by this call.
    pub fn is_refused(
        &self,
        shot: &Answered,
        code: &str,
        stages: &[&str],
        when: &str,
    ) -> ProbeStep {
        shot.expect(self.is_old(), format!("{when} changes the program"))?;
        shot.expect(!shot.is_ok(), format!("{when} is a success"))?;
        shot.expect_code(&[code], when)?;
        let details = shot.at("/error/details");
        let stage = details["stage"].as_str().unwrap_or("nothing");
        let wanted = stages.join("` or `");
        shot.expect(
            stages.contains(&stage),
            format!("{when}: `stage` is `{stage}`, not `{wanted}`"),
        )?;
        let replaced = details["binary_replaced"] == false;
        shot.expect(replaced, format!("{when}: `binary_replaced` is not false"))?;
        let version = details["current_version"] == self.current.to_string().as_str();
        shot.expect(version, format!("{when}: `current_version` is not the version that runs"))?;
        self.is_clean(shot, when)
    }
}

fn publication(
    lab: &ProbeCaller<'_>,
    build: &TestBuild,
    version: &Version,
) -> ProbeStep<Arc<Publication>> {
    let publications = lab.session.state.of(Publications::default);
    let publications =
        publications.ok_or_else(|| Unfinished::Blocked("there are no publications".to_owned()))?;
    publications.of(lab.session, build, version).map_err(Unfinished::blocked)
}

/// True if a request is for something that a list of checksums names.
fn is_archive(target: &str) -> bool {
    target
        .strip_prefix("/files/")
        .is_some_and(|name| ![CHECKSUMS, BUNDLE, "CHANGELOG.md"].contains(&name))
}

/// Names in the directory of the program.
fn beside(program: &Path) -> BTreeSet<String> {
    let names = program.parent().map(files::names).and_then(Result::ok).unwrap_or_default();
    // A lock may stay: a process that removes it could remove the lock of another.
    names
        .into_iter()
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| !name.ends_with(".lock"))
        .collect()
}

fn install(
    sandbox: &Sandbox,
    publication: &Publication,
    build: &TestBuild,
    npx: Npx,
    place: InstallPlace,
    tool: &str,
) -> std::io::Result<PathBuf> {
    let name = file_name(tool);
    let start = match (place, &build.npm) {
        (InstallPlace::Npm { .. }, Some(npm)) => {
            let package = format!("prefix/lib/node_modules/{}", npm.package);
            format!("{package}/{}", npm.program_on_this_platform(&name))
        }
        (InstallPlace::LooksManaged, _) => format!("src/node_modules/other/bin/{name}"),
        _ => format!("{HOME}/{name}"),
    };
    let path = sandbox.path().join(&start);
    if place == InstallPlace::Linked {
        sandbox.place(&start, &publication.installed)?;
        let link = format!("links/{name}");
        sandbox.link(&link, &path)?;
        sandbox.start_at(&link);
    } else {
        sandbox.place(&start, &publication.installed)?;
        sandbox.start_at(&start);
    }
    if matches!(place, InstallPlace::Npm { .. }) {
        manifests(sandbox, &start)?;
    }
    sandbox.link(&format!("{SHIMS}/installed"), &path)?;
    shims::put(sandbox, publication, npx, place)?;
    files::canonical(&path)
}

/// A manifest for each directory on the way that is a package.
fn manifests(sandbox: &Sandbox, program: &str) -> std::io::Result<()> {
    for (at, part) in program.match_indices("node_modules/") {
        let rest = &program[at + part.len()..];
        let words = if rest.starts_with('@') { 2 } else { 1 };
        let package: Vec<_> = rest.split('/').take(words).collect();
        let package = package.join("/");
        let path = format!("{}{package}/package.json", &program[..at + part.len()]);
        let manifest = serde_json::json!({"name": package, "version": "0.0.0"}).to_string();
        sandbox.file(&path, manifest.as_bytes())?;
    }
    Ok(())
}

/// The name of the program's file; a name from outside is one only when it is a plain word.
fn file_name(tool: &str) -> String {
    let is_plain = !tool.is_empty()
        && !tool.starts_with(['.', '-'])
        && tool.len() <= 100
        && tool.chars().all(|symbol| symbol.is_ascii_alphanumeric() || "-_.".contains(symbol));
    let name = if is_plain { tool } else { "tool" };
    if cfg!(windows) { format!("{name}.exe") } else { name.to_owned() }
}

/// True if there is an entry of this name anywhere below a directory.
pub fn finds(root: &Path, name: &str) -> bool {
    const MOST: usize = 20_000;
    let (mut waiting, mut seen) = (vec![root.to_owned()], 0_usize);
    while let Some(directory) = waiting.pop() {
        for found in files::names(&directory).unwrap_or_default() {
            seen += 1;
            if found == name {
                return true;
            }
            let path = directory.join(&found);
            if seen < MOST && matches!(files::kind(&path), Ok(Kind::Directory)) {
                waiting.push(path);
            }
        }
    }
    false
}
