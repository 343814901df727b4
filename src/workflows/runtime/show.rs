//! `aos runtime` without an action.

use std::collections::BTreeMap;
use std::path::Path;

use crate::audit::runtime::RuntimeState;
use crate::generate::lock::LockedRuntime;
use crate::generate::record_runtime::is_below;
use crate::inputs::project::Project;
use crate::inputs::runtimes;
use crate::plan::RelativePath;
use crate::report::answers::runtime::{RuntimePart, RuntimeParts};
use crate::report::{Failure, Outcome};
use crate::visible::{Visible, visible};
use crate::workflows::Run;

use super::state::state as summary;

/// Shows the runtime of the project of this directory.
///
/// # Errors
/// Returns an error if this directory is not a project.
pub fn show(run: &Run) -> Result<Outcome, Failure> {
    let project = Project::open(Path::new("."))?;
    let Some(state) = RuntimeState::of(&project) else {
        let text = Visible::literal("this project has no vendored runtime");
        let none = RuntimeParts { runtime: None, parts: Vec::new(), contracts: Vec::new() };
        return Ok(Outcome::new(none, text));
    };
    let locked = project.lock.good().and_then(|lock| lock.runtime.as_ref());
    let parts = locked.map(|locked| parts(locked, &state)).unwrap_or_default();
    let contracts = runtimes::find(&state.name).ok().flatten();
    let contracts = contracts.map(|runtime| runtime.info.contracts.clone()).unwrap_or_default();
    let version = state.version.map_or_else(|| "unknown".to_owned(), |version| version.to_string());
    let mut lines = vec![visible!(
        "{} {} in {} {}",
        run.style.strong(&state.name),
        version,
        state.path,
        count(locked.map_or(0, |locked| locked.files.len()))
    )];
    lines.extend(parts.iter().map(|(path, files)| visible!("  {} {}", path, count(*files))));
    if !state.owned.is_empty() {
        lines.push(visible!("\n{}", run.style.strong("Yours")));
        let owned = state.owned.iter();
        lines.extend(
            owned.map(|part| visible!("  {} (owned since runtime {})", part.path, part.version)),
        );
    }
    if let (true, Some(newest)) = (state.is_behind(), state.newest) {
        lines.push(visible!("\nthis aos has {}: {}", newest, run.style.accent("aos sync-spec")));
    }
    let part = |(path, files)| RuntimePart { path, files };
    let data = RuntimeParts {
        runtime: Some(summary(&state)),
        parts: parts.into_iter().map(part).collect(),
        contracts,
    };
    Ok(Outcome::new(data, Visible::joined(lines, "\n")))
}

fn count(files: usize) -> String {
    format!("({files} {})", if files == 1 { "file" } else { "files" })
}

/// The entries of the runtime's directory that aos keeps, with the number of files in each.
fn parts(locked: &LockedRuntime, state: &RuntimeState) -> BTreeMap<String, usize> {
    let mut parts = BTreeMap::new();
    let Ok(root) = RelativePath::parse(&state.path) else { return parts };
    for path in locked.files.keys().filter(|path| is_below(path, &root)) {
        let inner = path.as_str().get(root.as_str().len() + 1..).unwrap_or_default();
        let first = inner.split('/').next().unwrap_or_default();
        *parts.entry(format!("{root}/{first}")).or_default() += 1;
    }
    parts
}
