//! The limits of a program under test: files, privileges, other processes. Applied to the thread that starts it.
//!
//! Linux only: Landlock for files, signals and the memory of other processes, `no_new_privs`, and no capabilities.
//! Elsewhere nothing is enforced, and the result has the reason. `isolation` handles the network.

use std::path::{Path, PathBuf};

use super::restriction::RestrictionError;

/// The paths that a program may read and execute, and those that it may write. Everything else is refused.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Enclosure {
    pub readable: Vec<PathBuf>,
    /// It may read and write these.
    pub writable: Vec<PathBuf>,
    /// It may write these, and not read them.
    pub write_only: Vec<PathBuf>,
    /// A program that cannot be kept to these files is not started.
    pub is_required: bool,
}

/// The limits that the system enforces; each reason is one sentence without a full stop.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Enforced {
    /// Files outside of the enclosure cannot be read, changed or executed.
    pub files: Result<(), RestrictionError>,
    /// The memory, the environment and the open files of other processes cannot be read.
    pub memory: Result<(), RestrictionError>,
    /// Other processes get no signals.
    pub signals: Result<(), RestrictionError>,
    /// No program gains privileges, for example through a set-user-ID bit.
    pub privileges: Result<(), RestrictionError>,
    /// Root has no capabilities.
    pub capabilities: Result<(), RestrictionError>,
}

impl Enforced {
    /// Nothing is enforced, for one reason.
    #[must_use]
    pub fn nothing(why: &RestrictionError) -> Self {
        let no = || Err(why.clone());
        Self { files: no(), memory: no(), signals: no(), privileges: no(), capabilities: no() }
    }
}

/// Encloses this thread and what it starts from now on. Other threads are as before; there is no way back.
#[cfg(target_os = "linux")]
#[must_use]
pub fn enter(enclosure: &Enclosure) -> Enforced {
    linux::enter(enclosure)
}

/// Encloses nothing.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn enter(_enclosure: &Enclosure) -> Enforced {
    Enforced::nothing(&RestrictionError::OnlyLinux)
}

/// Encloses this thread, which is to start a program. What the system cannot enforce is in the report of the run, which
/// rehearsed it.
///
/// # Errors
/// Returns an error if the program must be kept to its files and cannot be.
pub fn keep_to(enclosure: &Enclosure) -> std::io::Result<()> {
    match enter(enclosure).files {
        Err(why) if enclosure.is_required => Err(std::io::Error::other(format!(
            "it cannot be kept to its files, so it was not started: {why}"
        ))),
        _ => Ok(()),
    }
}

/// Returns the limits that `enter` would enforce on this system, found out on a thread that ends.
#[must_use]
pub fn rehearse() -> Enforced {
    let rehearsal = || enter(&Enclosure { readable: vec!["/".into()], ..Enclosure::default() });
    std::thread::Builder::new()
        .spawn(rehearsal)
        .ok()
        .and_then(|thread| thread.join().ok())
        .unwrap_or_else(|| Enforced::nothing(&RestrictionError::NoThread))
}

/// This process hides its memory and its environment from programs of the same user.
pub fn hide_this_process() -> Result<(), RestrictionError> {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(refused)
    }
    #[cfg(not(target_os = "linux"))]
    Err(RestrictionError::OnlyLinux)
}

#[cfg(target_os = "linux")]
fn refused(error: impl std::fmt::Display) -> RestrictionError {
    RestrictionError::Refused(error.to_string())
}

/// Directories of the system that programs read: the same for every tool, and without anybody's data.
#[must_use]
pub fn system_directories() -> Vec<PathBuf> {
    const DIRECTORIES: [&str; 14] = [
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib32",
        "/lib64",
        "/opt",
        "/nix",
        "/gnu",
        "/proc",
        "/sys",
        "/dev/random",
        "/dev/urandom",
        "/dev/pts",
    ];
    let mut all: Vec<PathBuf> = DIRECTORIES.iter().map(PathBuf::from).collect();
    all.extend(public_entries(Path::new("/etc")));
    // It is often a link to a file that is elsewhere.
    all.extend(super::files::canonical(Path::new("/etc/resolv.conf")));
    all
}

/// Devices that programs write to, none of which keeps anything.
pub const DEVICES: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];

/// Entries of a directory that everybody may read, so that root does not read what other users may not.
fn public_entries(directory: &Path) -> Vec<PathBuf> {
    const EVERYBODY_READS: u32 = 0o004;
    let names = super::files::names(directory).unwrap_or_default();
    let paths = names.into_iter().map(|name| directory.join(name));
    paths
        .filter(|path| {
            let real = super::files::canonical(path).ok();
            let mode = real.and_then(|real| super::rights::mode(&real).ok().flatten());
            mode.is_some_and(|mode| mode & EVERYBODY_READS != 0)
        })
        .collect()
}

#[cfg(target_os = "linux")]
mod linux {
    use landlock::{
        ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
        RulesetError, RulesetStatus, Scope, path_beneath_rules,
    };
    use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities, set_no_new_privs};

    use super::{Enclosure, Enforced, RestrictionError, refused};

    pub(super) fn enter(enclosure: &Enclosure) -> Enforced {
        let privileges = set_no_new_privs(true).map_err(refused);
        // Directories are opened before the capabilities are gone, which root may need for them.
        let files = restrict_files(enclosure);
        let signals = restrict_signals();
        let none = CapabilitySet::empty();
        let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
        let capabilities = set_capabilities(None, sets).map_err(refused);
        // Its own Landlock domain separates a process from the memory of the others.
        let memory = files.clone();
        Enforced { files, memory, signals, privileges, capabilities }
    }

    fn restrict_files(enclosure: &Enclosure) -> Result<(), RestrictionError> {
        let attempt = || -> Result<RulesetStatus, RulesetError> {
            // Older kernels enforce what they know: version 1 has everything but truncation and devices.
            let all = AccessFs::from_all(ABI::V5);
            let read = AccessFs::from_read(ABI::V5);
            let write = AccessFs::from_write(ABI::V5);
            let ruleset =
                Ruleset::default().set_compatibility(CompatLevel::BestEffort).handle_access(all)?;
            let mut ruleset = ruleset.create()?;
            let readable = path_beneath_rules(&enclosure.readable, read);
            let writable = path_beneath_rules(&enclosure.writable, all);
            let write_only = path_beneath_rules(&enclosure.write_only, write);
            for rule in readable.chain(writable).chain(write_only) {
                // Without a rule, a path cannot be reached, which is safe. The kernel accepts no rule for a pipe, for example.
                let _ = (&mut ruleset).add_rule(rule?);
            }
            Ok(ruleset.restrict_self()?.ruleset)
        };
        match attempt() {
            Ok(RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced) => Ok(()),
            Ok(RulesetStatus::NotEnforced) => Err(RestrictionError::NoLandlock),
            Err(error) => Err(RestrictionError::Landlock(error.to_string())),
        }
    }

    fn restrict_signals() -> Result<(), RestrictionError> {
        let attempt = || -> Result<RulesetStatus, RulesetError> {
            let status = Ruleset::default()
                .set_compatibility(CompatLevel::BestEffort)
                .scope(Scope::Signal | Scope::AbstractUnixSocket)?
                // A domain without this right forbids every move from one directory to another.
                .handle_access(AccessFs::Refer)?
                .create()?
                .add_rules(path_beneath_rules(["/"], AccessFs::Refer))?
                .restrict_self()?;
            Ok(status.ruleset)
        };
        match attempt() {
            Ok(RulesetStatus::FullyEnforced) => Ok(()),
            Ok(_) => Err(RestrictionError::OldLandlock),
            Err(error) => Err(RestrictionError::Landlock(error.to_string())),
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
#[expect(clippy::disallowed_methods, reason = "a test touches files as a program would")]
mod tests {
    use super::*;

    /// Where the system can do it, which the message says otherwise.
    #[test]
    fn an_enclosed_thread_writes_inside_and_reads_nothing_outside() {
        let inside = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let (own, foreign) = (inside.path().join("own"), outside.path().join("foreign"));
        std::fs::write(&foreign, "secret").unwrap();
        let enclosure = Enclosure {
            readable: system_directories(),
            writable: vec![inside.path().to_owned()],
            ..Enclosure::default()
        };
        let (mine, other) = (own.clone(), foreign.clone());
        let enclosed = std::thread::spawn(move || {
            let enforced = enter(&enclosure);
            let environ =
                std::fs::read(format!("/proc/{}/environ", std::os::unix::process::parent_id()));
            (
                enforced,
                std::fs::write(&mine, "x").is_ok(),
                std::fs::read(&other).is_ok(),
                environ.is_ok(),
            )
        });
        let (enforced, writes, reads, sees) = enclosed.join().unwrap();
        assert!(writes);
        assert_eq!(enforced.privileges, Ok(()));
        assert_eq!(enforced.capabilities, Ok(()));
        assert_eq!(reads, enforced.files.is_err(), "{enforced:?}");
        assert!(!sees || enforced.memory.is_err(), "{enforced:?}");
        // This thread is as before.
        assert!(std::fs::read(&foreign).is_ok());
    }
}
