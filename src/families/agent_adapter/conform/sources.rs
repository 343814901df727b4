//! The sources of the driver: always those of this aos, regardless of a project's runtime.
//!
//! The probes and the packages they use are compiled into a directory of the adapter's module that exists only for the
//! compiler, so that they can import the adapter. The project's own copies of them are not part of the program.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::families::agent_adapter::scaffold::{GO, ORCHESTRATOR};
use crate::generate::go_module::{GoModule, GoModuleError};
use crate::generate::runtime::Runtime;
use crate::inputs::embedded::EmbeddedError;
use crate::inputs::runtimes;
use crate::system::files::{self, Kind};
use crate::system::temporary::TemporaryDirectory;

/// The runtime that has the probes.
const RUNTIME: &str = "adapter";
/// Its packages that the driver consists of.
const PACKAGES: [&str; 2] = ["conform/", "testkit/"];
/// The module with the packages of the orchestrator.
const KIT: &str = "kit/";
/// Where the compiler sees the packages.
const PLACE: &str = "internal/aos-conform";
/// The package of the program.
const PROGRAM: &str = "conform";
/// Directories in the directory for temporary files.
const COPIES: &str = "probes";
/// Names the orchestrator's packages of a checkout instead of the kit.
const WORKSPACE: &str = "go.work";
/// Largest go.mod that is read, in bytes.
const MAX_GO_MOD: u64 = 1024 * 1024;

/// Files that the compiler reads in place of others.
#[derive(Serialize)]
struct GoOverlay {
    #[serde(rename = "Replace")]
    replace: BTreeMap<String, String>,
}

/// The input of `go build` for building the driver.
pub struct DriverSources {
    /// Options and the package, in order.
    pub arguments: Vec<String>,
    /// Whether the packages of the orchestrator are those of a checkout.
    pub uses_checkout: bool,
}

/// Why the driver cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum SourcesError {
    #[error(transparent)]
    Runtime(#[from] EmbeddedError),
    #[error("this build of aos does not contain the probes of adapters")]
    NoProbes,
    #[error("the adapter has a directory `{PLACE}`, which aos needs; rename it")]
    Taken,
    #[error("`go.mod` cannot be read: {0}")]
    UnreadableModule(std::io::Error),
    #[error("`go.mod` cannot be used: {0}")]
    Module(#[from] GoModuleError),
    #[error("the probes cannot be written: {0}")]
    Write(#[from] std::io::Error),
}

/// Writes the sources of the driver for the adapter in `root` to a temporary directory.
///
/// # Errors
/// Returns an error if the sources cannot be put together or written.
pub fn written(root: &Path, directory: &TemporaryDirectory) -> Result<DriverSources, SourcesError> {
    let runtime = runtimes::find(RUNTIME)?.ok_or(SourcesError::NoProbes)?;
    if files::kind(&root.join(PLACE)).ok() != Some(Kind::Absent) {
        return Err(SourcesError::Taken);
    }
    let go_mod =
        files::read(&root.join("go.mod"), MAX_GO_MOD).map_err(SourcesError::UnreadableModule)?;
    let module = GoModule::of_go_mod(&go_mod.bytes)?;
    let overlay = overlay(root, &runtime, &module, directory)?;
    let text = serde_json::to_vec(&overlay).map_err(std::io::Error::from)?;
    let path = create(directory, "overlay.json", &text)?;
    let mut arguments = vec!["-overlay".to_owned(), path];
    let uses_checkout = !matches!(files::kind(&root.join(WORKSPACE)), Ok(Kind::Absent));
    if !uses_checkout {
        let modfile = kit(&runtime, &go_mod.bytes, &module, directory)?;
        arguments.extend(["-modfile".to_owned(), modfile]);
    }
    arguments.push(format!("./{PLACE}/{PROGRAM}"));
    Ok(DriverSources { arguments, uses_checkout })
}

/// The packages of the driver, with the imports that they have in this module.
fn overlay(
    root: &Path,
    runtime: &Runtime,
    module: &GoModule,
    directory: &TemporaryDirectory,
) -> std::io::Result<GoOverlay> {
    let import = runtime.info.import.as_deref().unwrap_or_default();
    let theirs = format!("\"{import}/{}/", runtime.info.root);
    let ours = format!("\"{}/{PLACE}/", module.as_str());
    let adapter = (format!("\"{import}\""), format!("\"{}\"", module.as_str()));
    let mut replace = BTreeMap::new();
    for (inner, bytes) in parts(runtime, &PACKAGES) {
        let text = String::from_utf8_lossy(bytes);
        let text = text.replace(&theirs, &ours).replace(&adapter.0, &adapter.1);
        let copy = create(directory, &format!("{COPIES}/{inner}"), text.as_bytes())?;
        replace.insert(root.join(PLACE).join(inner).display().to_string(), copy);
    }
    Ok(GoOverlay { replace })
}

/// The packages of the orchestrator as aos has them, and a go.mod that names them.
fn kit(
    runtime: &Runtime,
    go_mod: &[u8],
    module: &GoModule,
    directory: &TemporaryDirectory,
) -> std::io::Result<String> {
    for (inner, bytes) in parts(runtime, &[KIT]) {
        create(directory, inner, bytes)?;
    }
    let text = String::from_utf8_lossy(go_mod);
    let version = text.lines().find_map(|line| line.trim().strip_prefix("go "));
    let version = version.and_then(|rest| rest.split_whitespace().next()).unwrap_or(GO);
    let kit = directory.path().join(KIT.trim_end_matches('/')).display().to_string();
    let text = format!(
        "module {}\n\ngo {version}\n\nrequire {ORCHESTRATOR} v0.0.0\n\nreplace {ORCHESTRATOR} => \"{}\"\n",
        module.as_str(),
        kit.replace('\\', "/")
    );
    create(directory, "driver.mod", text.as_bytes())
}

/// The files of some packages of the runtime, without their tests.
fn parts<'r>(
    runtime: &'r Runtime,
    packages: &'r [&str],
) -> impl Iterator<Item = (&'r str, &'r [u8])> {
    runtime.sources.iter().filter_map(move |(path, bytes)| {
        let inner = path.strip_prefix(runtime.info.root.as_str())?.strip_prefix('/')?;
        let is_wanted = packages.iter().any(|package| inner.starts_with(package));
        (is_wanted && !inner.ends_with("_test.go")).then_some((inner, bytes.as_ref()))
    })
}

fn create(directory: &TemporaryDirectory, inner: &str, bytes: &[u8]) -> std::io::Result<String> {
    for parent in inner.match_indices('/').map(|(at, _)| &inner[..at]) {
        if files::kind(&directory.path().join(parent))? == Kind::Absent {
            directory.create_directory(parent)?;
        }
    }
    directory.create_file(inner)?.write(bytes)?;
    Ok(directory.path().join(inner).display().to_string())
}
