//! A host of releases on loopback that speaks as GitHub does, and can fail in every way that matters.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use semver::Version;
use serde_json::{Value, json};

use crate::conform::mock::{Mock, ReceivedRequest, Reply};
use crate::conform::session::Event;
use crate::system::files;

use super::lab::{Account, ProbeCaller};
use super::shot::Answered;
use super::stop::{ProbeStep, Unfinished};

/// Largest program that is compared before and after.
pub const MAX_PROGRAM: u64 = 512 * 1024 * 1024;
pub const CHECKSUMS: &str = "checksums.txt";
pub const BUNDLE: &str = "checksums.txt.sigstore.json";
const JSON: &str = "application/json";

/// The behaviour of the host.
#[derive(Clone, Debug)]
pub enum HostBehaviour {
    /// Publishes this version; nothing in it is signed by anybody.
    Release(Version),
    /// A release that lacks this file.
    Without(Version, &'static str),
    /// A release where this file gets another answer.
    Broken(Version, &'static str, Reply),
    /// A release for other platforms than any.
    WithoutArchives(Version),
    /// A release that the publisher of the project made.
    Signed(Arc<HostedRelease>),
    /// Every question gets this.
    Reply(Reply),
}

/// A version on a release host.
#[derive(Debug)]
pub struct HostedRelease {
    pub version: Version,
    pub files: BTreeMap<String, Vec<u8>>,
}

impl HostBehaviour {
    pub fn without_checksums(version: &Version) -> Self {
        Self::Without(version.clone(), CHECKSUMS)
    }

    pub fn without_bundle(version: &Version) -> Self {
        Self::Without(version.clone(), BUNDLE)
    }

    pub fn broken_bundle(version: &Version, reply: Reply) -> Self {
        Self::Broken(version.clone(), BUNDLE, reply)
    }

    pub fn broken_checksums(version: &Version, reply: Reply) -> Self {
        Self::Broken(version.clone(), CHECKSUMS, reply)
    }

    /// A release whose checksums, or whose bundle, end before their end; as long as the release says were they whole.
    pub fn cut(version: &Version, is_bundle: bool) -> Self {
        let name = if is_bundle { BUNDLE } else { CHECKSUMS };
        let whole = Reply::new(200, "application/octet-stream", content(name));
        Self::Broken(version.clone(), name, Reply { cut_after: Some(4), ..whole })
    }

    /// A download that does not begin.
    pub fn stalled(delay: Duration) -> Reply {
        Reply { delay, ..Reply::new(200, "application/octet-stream", "") }
    }

    pub fn status(status: u16) -> Self {
        Self::Reply(Reply::new(status, JSON, "{\"message\":\"made up by aos conform\"}"))
    }

    pub fn slow(delay: Duration) -> Self {
        Self::Reply(Reply { delay, ..Reply::new(200, JSON, "{}") })
    }
}

/// A release host, and the tool that asks it.
pub struct ReleaseHost<'a> {
    lab: &'a ProbeCaller<'a>,
    variable: &'a str,
    pub mock: Mock,
    behaviour: Arc<Mutex<HostBehaviour>>,
    /// The version that runs.
    pub current: Version,
}

impl<'a> ReleaseHost<'a> {
    /// Starts a host that publishes the version that runs.
    ///
    /// # Errors
    /// Blocked when the fixture does not say how the tool finds it.
    pub fn start(lab: &'a ProbeCaller<'a>) -> ProbeStep<Self> {
        let reference = lab.reference()?;
        if super::listing::declared(&reference, "update").is_none() {
            return Err(lab.absent_command("update"));
        }
        let declared = lab.fixture.update.as_ref().ok_or_else(|| {
            Unfinished::Blocked(
                "conform.toml has no [agent_cli.update], and aos contacts no real host".to_owned(),
            )
        })?;
        let current = reference["version"].as_str().and_then(|text| Version::parse(text).ok());
        let current =
            current.ok_or_else(|| Unfinished::Blocked("`reference` has no version".to_owned()))?;
        let behaviour = Arc::new(Mutex::new(HostBehaviour::Release(current.clone())));
        let shared = Arc::clone(&behaviour);
        let (repository, tool) = (
            declared.repository.clone(),
            reference["tool"].as_str().unwrap_or_default().to_owned(),
        );
        let mock = Mock::with(Arc::new(move |request: &ReceivedRequest| {
            let behaviour = shared.lock().unwrap_or_else(PoisonError::into_inner).clone();
            answer(&behaviour, request, &repository, &tool)
        }));
        let mock =
            mock.map_err(|error| Unfinished::Blocked(format!("no port is free: {error}")))?;
        use_copy(lab)?;
        Ok(Self { lab, variable: &declared.host, mock, behaviour, current })
    }

    /// The next version without a break.
    pub fn patch(&self) -> Version {
        Version::new(self.current.major, self.current.minor, self.current.patch + 1)
    }

    pub fn does(&self, behaviour: HostBehaviour) {
        *self.behaviour.lock().unwrap_or_else(PoisonError::into_inner) = behaviour;
    }

    /// Runs `update` with these options against this host.
    pub fn update(&self, options: &[&str]) -> Answered {
        self.update_with(options, &[], Event::None)
    }

    /// Runs another command that could ask this host.
    pub fn run(&self, call: &[&str]) -> Answered {
        let url = self.mock.url();
        let call: Vec<String> = call.iter().map(|word| (*word).to_owned()).collect();
        let variables = [(self.variable, url.as_str())];
        self.lab.run_against(&self.mock, Account::None, &call, &variables, Event::None)
    }

    /// Runs `update` against another address in place of this host.
    pub fn update_at(&self, url: &str, options: &[&str]) -> Answered {
        self.update_with(options, &[(self.variable, url)], Event::None)
    }

    pub fn update_with(&self, options: &[&str], more: &[(&str, &str)], event: Event) -> Answered {
        let url = self.mock.url();
        let words = std::iter::once("update").chain(options.iter().copied());
        let words: Vec<String> = words.map(str::to_owned).collect();
        let mut variables = vec![(self.variable, url.as_str())];
        variables.extend(more);
        self.lab.run_against(&self.mock, Account::None, &words, &variables, event)
    }

    /// Lets the tool learn of a version.
    ///
    /// # Errors
    /// Blocked when it tells only of releases that are signed.
    pub fn publish(&self, version: &Version) -> ProbeStep {
        self.does(HostBehaviour::Release(version.clone()));
        let shot = self.update(&["--check"]);
        if self::is_verified_first(&shot) {
            let message =
                "the tool reports only signed releases, and no release can be signed for this run";
            return Err(Unfinished::Blocked(message.to_owned()));
        }
        shot.expect(shot.is_ok(), "`update --check` fails against a host that responds")
    }

    /// Goes on only when the tool may replace itself.
    ///
    /// # Errors
    /// Not applicable when something else installed it.
    pub fn want_standalone(&self) -> ProbeStep {
        self.does(HostBehaviour::Release(self.current.clone()));
        let shot = self.update(&["--check"]);
        let method = shot.at("/data/install_method").as_str().unwrap_or_default().to_owned();
        match method.as_str() {
            "" => Err(Unfinished::Blocked("`update --check` has no install_method".to_owned())),
            "standalone" | "binary" => Ok(()),
            other => Err(Unfinished::NotApplicable(format!(
                "this copy was installed by `{other}`, which also brings its updates"
            ))),
        }
    }
}

/// A tool that believes anything would replace its program by what this host gives it. A native program is tried as a
/// copy; a script may need the files beside it, and what it would replace is compared before and after.
fn use_copy(lab: &ProbeCaller<'_>) -> ProbeStep {
    const NATIVE: &[&[u8]] = &[b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"];
    let program = &lab.session.target.program;
    let name = program.file_name().and_then(|name| name.to_str());
    let loaded = files::read_named(program, MAX_PROGRAM);
    let (Some(name), Ok(loaded)) = (name, loaded) else { return Ok(()) };
    if !lab.session.target.prefix.is_empty()
        || !NATIVE.iter().any(|start| loaded.bytes.starts_with(start))
    {
        return Ok(());
    }
    lab.sandbox
        .place_program(name, &loaded.bytes)
        .map_err(|error| Unfinished::Blocked(format!("the program cannot be copied: {error}")))
}

pub fn answer(
    behaviour: &HostBehaviour,
    request: &ReceivedRequest,
    repository: &str,
    tool: &str,
) -> Reply {
    let path = request.target.split('?').next().unwrap_or_default();
    let mut has_archives = true;
    let (version, lacking, broken, signed) = match behaviour {
        HostBehaviour::Reply(reply) => return reply.clone(),
        HostBehaviour::Release(version) => (version, None, None, None),
        HostBehaviour::Without(version, name) => (version, Some(*name), None, None),
        HostBehaviour::Broken(version, name, reply) => (version, None, Some((*name, reply)), None),
        HostBehaviour::WithoutArchives(version) => {
            has_archives = false;
            (version, None, None, None)
        }
        HostBehaviour::Signed(release) => (&release.version, None, None, Some(release)),
    };
    let base = request.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("host"));
    let base = base.map(|(_, host)| format!("http://{host}")).unwrap_or_default();
    let mut release = match signed {
        Some(signed) => {
            let files = signed.files.iter().map(|(name, bytes)| (name.as_str(), bytes.len()));
            described(version, files, &base)
        }
        None => release(version, lacking, tool, &base),
    };
    if !has_archives && let Some(assets) = release["assets"].as_array_mut() {
        assets
            .retain(|asset| asset["name"].as_str().is_some_and(|name| name.starts_with(CHECKSUMS)));
    }
    let releases = format!("/repos/{repository}/releases");
    let json = |value: &Value| Reply::new(200, JSON, value.to_string());
    if path == format!("{releases}/latest") || path == format!("{releases}/tags/v{version}") {
        return json(&release);
    }
    if path == releases {
        return json(&json!([release]));
    }
    let Some(name) = path.strip_prefix("/files/") else {
        return Reply::new(404, JSON, "{\"message\":\"Not Found\"}");
    };
    if let Some(signed) = signed {
        return match signed.files.get(name) {
            Some(bytes) => Reply::new(200, "application/octet-stream", bytes.clone()),
            None => Reply::new(404, JSON, "{\"message\":\"Not Found\"}"),
        };
    }
    match broken {
        Some((broken, reply)) if broken == name => reply.clone(),
        _ => Reply::new(200, "application/octet-stream", content(name)),
    }
}

fn content(name: &str) -> Vec<u8> {
    match name {
        CHECKSUMS => format!("{}  nothing.tar.gz\n", "0".repeat(64)).into_bytes(),
        // The form of an older cosign, without a signature, which must be refused.
        BUNDLE => b"{\"base64Signature\":\"AAAA\",\"cert\":\"AAAA\"}".to_vec(),
        _ => b"this is not an archive".to_vec(),
    }
}

/// A release with an archive for every platform, in every usual spelling.
fn release(version: &Version, lacking: Option<&str>, tool: &str, base: &str) -> Value {
    let mut names = vec![CHECKSUMS.to_owned(), BUNDLE.to_owned()];
    for system in ["linux", "darwin", "windows", "macos"] {
        for machine in ["amd64", "arm64", "x86_64", "aarch64", "x64"] {
            for (mark, end) in [("-", "tar.gz"), ("_", "tar.gz"), ("-", "zip"), ("_", "zip")] {
                names.push(format!("{tool}{mark}{version}{mark}{system}{mark}{machine}.{end}"));
            }
        }
    }
    for triple in [
        "x86_64-unknown-linux-gnu",
        "x86_64-unknown-linux-musl",
        "aarch64-unknown-linux-gnu",
        "aarch64-unknown-linux-musl",
        "aarch64-apple-darwin",
        "x86_64-apple-darwin",
    ] {
        names.push(format!("{tool}-{version}-{triple}.tar.gz"));
        names.push(format!("{tool}-v{version}-{triple}.tar.gz"));
    }
    let names = names.iter().map(String::as_str).filter(|name| Some(*name) != lacking);
    described(version, names.map(|name| (name, content(name).len())), base)
}

/// Returns the API's description of a release with these files.
fn described<'a>(
    version: &Version,
    files: impl Iterator<Item = (&'a str, usize)>,
    base: &str,
) -> Value {
    let assets = files.map(|(name, size)| {
        let address = format!("{base}/files/{name}");
        json!({
            "name": name,
            "state": "uploaded",
            "size": size,
            "url": address,
            "browser_download_url": address,
        })
    });
    json!({
        "tag_name": format!("v{version}"),
        "name": format!("v{version}"),
        "draft": false,
        "prerelease": false,
        "html_url": format!("{base}/releases/v{version}"),
        "published_at": "2026-01-31T12:00:00Z",
        "body": "",
        "assets": assets.collect::<Vec<_>>(),
    })
}

/// True if the tool refused the unsigned release before it reported it, which a tool may do.
pub fn is_verified_first(shot: &Answered) -> bool {
    shot.code() == "E_INTEGRITY"
}
