//! The limits of an update that installs nothing (agent-cli §14): it may keep a notice, and starts no program.

use crate::conform::session::Event;
use crate::system::{files, temporary};

use super::host::{HostBehaviour, ReleaseHost};
use super::lab::{ProbeCaller, examine};
use super::shot::Answered;
use super::stop::{ProbeStep, Unfinished};
use super::tree;
use crate::conform::probe::Probe;
use crate::families::agent_cli::contract::FAMILY;

/// Package managers that a tool may have come with, and their runners.
const MANAGERS: [&str; 14] = [
    "npm", "npx", "pnpm", "yarn", "bun", "bunx", "go", "pip", "pip3", "pipx", "uv", "uvx", "brew",
    "cargo",
];
/// Records its call in the file `calls` beside itself, and fails.
const TRAP: &str = "#!/bin/sh\necho \"${0##*/} $*\" >> \"${0%/*}/calls\"\nexit 1\n";
const TRAPS: &str = "traps";
/// Where npm keeps what it installs for everybody.
const MODULES: &str = "lib/node_modules";
const MAX_CALLS: u64 = 64 * 1024;
const MAX_MANIFEST: u64 = 256 * 1024;

pub const CHECK_DISK: Probe = Probe {
    id: "cli.update-check-disk",
    section: "§14",
    title: "`update --check` changes only the cached notice on disk",
    why: "A check is not consent to a change",
    fix: "store the result of the check in one file, and do everything else in `update`",
    run: |session| examine(session, check_disk),
    ..Probe::of(FAMILY)
};

fn check_disk(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = ReleaseHost::start(lab)?;
    let newer = host.patch().to_string();
    host.does(HostBehaviour::Release(host.patch()));
    let before = tree::of(&lab.sandbox);
    let shot = super::update::unchanged(lab, || host.update(&["--check"]))?;
    let after = tree::of(&lab.sandbox);
    reached(&shot);
    for (path, bytes) in tree::written(&before, &after) {
        let is_notice = String::from_utf8_lossy(bytes).contains(&newer);
        let message =
            format!("`update --check` writes `{}`, which is not a notice", tree::name(path));
        shot.expect(is_notice, message)?;
    }
    Ok(())
}

pub const DRY_RUN_DISK: Probe = Probe {
    id: "cli.update-dry-run-disk",
    section: "§14",
    title: "`update --dry-run` writes nothing",
    why: "A dry run must not change anything",
    fix: "do downloads, locks and caches only in the update itself",
    run: |session| examine(session, dry_run_disk),
    ..Probe::of(FAMILY)
};

fn dry_run_disk(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = ReleaseHost::start(lab)?;
    host.does(HostBehaviour::Release(host.patch()));
    writes_nothing(lab, &host).map(|_| ())
}

/// Counts an update that asked the host: one that ended before could not have done anything.
fn reached(shot: &Answered) {
    if shot.observed.connections > 0 {
        shot.judged();
    }
}

fn writes_nothing(lab: &ProbeCaller<'_>, host: &ReleaseHost<'_>) -> ProbeStep<Answered> {
    let before = tree::of(&lab.sandbox);
    let shot = super::update::unchanged(lab, || host.update(&["--dry-run"]))?;
    let after = tree::of(&lab.sandbox);
    reached(&shot);
    if let Some((path, _)) = tree::written(&before, &after).first() {
        return Err(shot.fail(format!("`update --dry-run` writes `{}`", tree::name(path))));
    }
    Ok(shot)
}

pub const NO_MANAGER: Probe = Probe {
    id: "cli.update-no-manager",
    section: "§14",
    title: "A check, a dry run, and an update of only the Skill start no package manager",
    why: "A package manager may change more than this tool, and may ask for a password",
    fix: "compare versions first; detect the way of installation from files",
    run: |session| examine(session, no_manager),
    ..Probe::of(FAMILY)
};

fn no_manager(lab: &ProbeCaller<'_>) -> ProbeStep {
    let host = ReleaseHost::start(lab)?;
    let path = set_traps(lab)?;
    let current = HostBehaviour::Release(host.current.clone());
    let newer = HostBehaviour::Release(host.patch());
    // The one that may start something comes last: the traps keep what was started.
    let calls = [
        ("update --check", &["--check"][..], &newer),
        ("update --dry-run", &["--dry-run"], &newer),
        ("update", &[], &current),
    ];
    for (what, options, behaviour) in calls {
        host.does(behaviour.clone());
        let shot = host.update_with(options, &[("PATH", &path)], Event::None);
        untouched(lab, &shot, what)?;
        reached(&shot);
    }
    Ok(())
}

/// Puts programs with the names of package managers before all others; returns the PATH.
fn set_traps(lab: &ProbeCaller<'_>) -> ProbeStep<String> {
    let refused = |error: std::io::Error| {
        Unfinished::Blocked(format!("the replacement programs cannot be created: {error}"))
    };
    if cfg!(windows) {
        return Err(Unfinished::Blocked(
            "the replacement programs are scripts of a Unix shell".to_owned(),
        ));
    }
    lab.sandbox.directory(TRAPS).map_err(refused)?;
    for name in MANAGERS {
        lab.sandbox.place(&format!("{TRAPS}/{name}"), TRAP.as_bytes()).map_err(refused)?;
    }
    let environment = lab.sandbox.environment();
    let path = environment.iter().find(|(name, _)| name == "PATH");
    let path = path.map(|(_, value)| value.as_str()).unwrap_or_default();
    Ok(format!("{}:{path}", lab.sandbox.path().join(TRAPS).display()))
}

fn untouched(lab: &ProbeCaller<'_>, shot: &Answered, what: &str) -> ProbeStep {
    let calls = lab.sandbox.path().join(TRAPS).join("calls");
    let Ok(loaded) = files::read(&calls, MAX_CALLS) else { return Ok(()) };
    let text = String::from_utf8_lossy(&loaded.bytes).into_owned();
    let is_change = what == "update";
    let Some(first) = text.lines().find(|call| !(is_change && is_skill_sync(call))) else {
        return Ok(());
    };
    let first: String = first.chars().take(200).collect();
    Err(shot.fail(format!("`{what}` starts `{first}`")))
}

/// An update with nothing to do still syncs a Skill that is not the one of the running version (§14, since v1.1.0).
fn is_skill_sync(call: &str) -> bool {
    let mut words = call.split(' ').filter(|word| !word.starts_with('-'));
    words.next() == Some("npx")
        && words.next().is_some_and(|word| word == "skills" || word.starts_with("skills@"))
        && words.next() == Some("add")
}

pub const NPM: Probe = Probe {
    id: "cli.update-npm",
    section: "§14",
    title: "A copy that npm installed also supports --dry-run, starts no package manager and writes nothing",
    why: "A dry run must be possible for every way of installation",
    fix: "handle --dry-run before starting the package manager, and put its command into the plan",
    run: |session| examine(session, npm),
    ..Probe::of(FAMILY)
};

fn npm(lab: &ProbeCaller<'_>) -> ProbeStep {
    place_as_npm(lab)?;
    let host = ReleaseHost::start(lab)?;
    let path = set_traps(lab)?;
    host.does(HostBehaviour::Release(host.current.clone()));
    let more = [("PATH", path.as_str())];
    let shot = host.update_with(&["--check"], &more, Event::None);
    if shot.at("/data/install_method") != "npm" {
        let message =
            "the tool does not recognize a copy below lib/node_modules as installed by npm";
        return Err(Unfinished::NotApplicable(message.to_owned()));
    }
    host.does(HostBehaviour::Release(host.patch()));
    let before = tree::of(&lab.sandbox);
    let shot = host.update_with(&["--dry-run"], &more, Event::None);
    untouched(lab, &shot, "update --dry-run")?;
    let after = tree::of(&lab.sandbox);
    if let Some((path, _)) = tree::written(&before, &after).first() {
        return Err(shot.fail(format!("`update --dry-run` writes `{}`", tree::name(path))));
    }
    shot.expect(shot.is_ok(), "`update --dry-run` fails where npm installed the tool")?;
    let target = shot.at("/data/target_version") == host.patch().to_string().as_str();
    shot.expect(target, "`target_version` is not what the host publishes")?;
    let has_token = shot.data().get("confirm_token").is_some();
    shot.expect(!has_token, "`update --dry-run` returns a token")
}

/// Lays a copy of the tool out as npm does: a program in its platform package, a script with its whole package.
fn place_as_npm(lab: &ProbeCaller<'_>) -> ProbeStep {
    let refused = |error: std::io::Error| {
        Unfinished::Blocked(format!("the tool cannot be laid out as npm does: {error}"))
    };
    let target = &lab.session.target;
    let root = target.root.as_ref().ok_or_else(|| {
        Unfinished::Blocked("npm installs a project, but only a command was given".to_owned())
    })?;
    let manifest = files::read(&root.join("package.json"), MAX_MANIFEST).ok();
    let manifest = manifest.and_then(|loaded| String::from_utf8(loaded.bytes).ok());
    let manifest = manifest.and_then(|text| crate::strict_json::read(&text).ok());
    let package = manifest.as_ref().and_then(|manifest| manifest["name"].as_str());
    let (Some(manifest), Some(package)) = (&manifest, package) else {
        return Err(Unfinished::NotApplicable(
            "the project has no package.json with a name".to_owned(),
        ));
    };
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.chars().all(|symbol| symbol.is_ascii_alphanumeric() || "-_.@".contains(symbol))
    };
    if package.len() > 200 || package.split('/').count() > 2 || !package.split('/').all(is_part) {
        return Err(Unfinished::Blocked("the name in package.json is not valid in npm".to_owned()));
    }
    if target.prefix.is_empty() {
        let program = files::read_named(&target.program, super::host::MAX_PROGRAM);
        let program = program.map_err(refused)?;
        let own = format!("{package}-linux-x64");
        let place = format!("{MODULES}/{own}");
        directories(lab, &format!("{place}/bin")).map_err(refused)?;
        let mut own_manifest = manifest.clone();
        own_manifest["name"] = own.into();
        let text = own_manifest.to_string();
        lab.sandbox.file(&format!("{place}/package.json"), text.as_bytes()).map_err(refused)?;
        let name = format!("{place}/bin/{}", tree::name(&target.program));
        lab.sandbox.place(&name, &program.bytes).map_err(refused)?;
        lab.sandbox.start_at(&name);
        return Ok(());
    }
    if target.prefix.iter().any(|word| word == "-m") {
        let message =
            "a Python module belongs to the package manager that installed it, not to npm";
        return Err(Unfinished::NotApplicable(message.to_owned()));
    }
    let place = format!("{MODULES}/{package}");
    let above = place.rsplit_once('/').map_or(MODULES, |(above, _)| above);
    directories(lab, above).map_err(refused)?;
    let place = lab.sandbox.path().join(&place);
    let without = [".git", "node_modules", "target", ".venv", "venv", "__pycache__"];
    temporary::copy_tree(root, &place, &without).map_err(refused)?;
    lab.sandbox.run_in(place, target.prefix.clone());
    Ok(())
}

/// Makes a directory of the sandbox and those above it.
fn directories(lab: &ProbeCaller<'_>, path: &str) -> std::io::Result<()> {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    for end in ends {
        match lab.sandbox.directory(&path[..end]) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_installer_of_skills_is_not_a_package_manager() {
        assert!(is_skill_sync(
            "npx --yes skills@1.5.16 add https://github.com/a/b/tree/v1.0.0 -y -g"
        ));
        assert!(is_skill_sync("npx skills add a/b -y -g"));
        for call in ["npx acme@latest", "npm install -g skills add", "npx skills remove a", ""] {
            assert!(!is_skill_sync(call), "{call}");
        }
    }
}
