//! The runtime of a project without a record, derived from the lock.

use crate::contract::ProjectFiles;
use crate::generate::lock::{Lock, LockedRuntime};
use crate::generate::record_runtime::{OwnedPart, RuntimeSection};
use crate::inputs::runtimes;
use crate::plan::RelativePath;

use super::Findings;

/// `[runtime]` of the new record; `None` when the lock names no runtime that this aos has.
pub fn section(
    repository: &ProjectFiles,
    lock: Option<&Lock>,
    found: &mut Findings,
) -> Option<RuntimeSection> {
    let locked = lock?.runtime.as_ref()?;
    let runtime = runtimes::find(&locked.name).ok().flatten()?;
    let path = directory(locked)?;
    let mut own = Vec::new();
    for (inner, _) in runtime.parts() {
        let part = RelativePath::parse(&format!("{path}/{inner}")).ok()?;
        // The lock leaves out what the project took over.
        if !locked.files.contains_key(&part) && repository.files.contains_key(part.as_str()) {
            own.push(OwnedPart { path: part, version: locked.version });
        }
    }
    own.sort();
    found.note(format!(
        "the runtime `{}` is in `{path}`, according to .agent/spec.lock",
        locked.name
    ));
    Some(RuntimeSection { name: locked.name.clone(), path, own })
}

/// The directory with all files of the runtime.
fn directory(locked: &LockedRuntime) -> Option<RelativePath> {
    let directory = |path: &RelativePath| {
        path.as_str().rsplit_once('/').map(|(directory, _)| directory.to_owned())
    };
    let mut paths = locked.files.keys();
    let mut common = directory(paths.next()?)?;
    for path in paths {
        while !path.as_str().strip_prefix(&common).is_some_and(|rest| rest.starts_with('/')) {
            common.truncate(common.rfind('/')?);
        }
    }
    RelativePath::parse(&common).ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::generate::runtime::Version;
    use crate::plan::Digest;

    fn locked(paths: &[&str]) -> LockedRuntime {
        let path = |text: &&str| (RelativePath::parse(text).unwrap(), Digest::of(b""));
        LockedRuntime {
            name: "connector".to_owned(),
            version: Version::parse("0.1.0").unwrap(),
            files: paths.iter().map(path).collect::<BTreeMap<_, _>>(),
        }
    }

    #[test]
    fn the_directory_of_the_runtime_holds_all_its_files() {
        for (paths, expected) in [
            (&["a/_runtime/__init__.py", "a/_runtime/testkit/checks.py"][..], Some("a/_runtime")),
            (&["internal/runtime/a/a.go", "internal/runtime/ab/b.go"], Some("internal/runtime")),
            (&["a/b.py", "c/d.py"], None),
            (&["a.py"], None),
            (&[], None),
        ] {
            let found = directory(&locked(paths));
            assert_eq!(found.as_ref().map(RelativePath::as_str), expected, "{paths:?}");
        }
    }
}
