//! Processes that left the session of the program under test, on systems that can make aos their parent.

#[cfg(target_os = "linux")]
use std::collections::BTreeSet;

#[cfg(target_os = "linux")]
use super::{descendants, keeper};

/// From now on, orphaned processes of the programs under test become children of this process.
pub fn adopt() {
    #[cfg(target_os = "linux")]
    {
        // Without it, processes that leave their session cannot be reached, as on other systems.
        let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    }
}

/// Kills every child of this process, that is, processes that left their session. No other child may be running.
/// Returns the names of their programs.
#[must_use]
pub fn end() -> Vec<String> {
    #[cfg(target_os = "linux")]
    {
        linux::end()
    }
    #[cfg(not(target_os = "linux"))]
    {
        Vec::new()
    }
}

/// Orphans are adopted until this is dropped, which kills those that still run.
#[derive(Debug)]
pub struct Adopted(());

impl Adopted {
    #[must_use]
    pub fn start() -> Self {
        adopt();
        Self(())
    }
}

impl Drop for Adopted {
    fn drop(&mut self) {
        // Which programs these were is of no interest here.
        let _ = end();
    }
}

/// Removes ended orphans from the process table while others of our children run.
#[derive(Debug, Default)]
pub struct Reaper {
    /// Processes that had ended at the last look.
    #[cfg(target_os = "linux")]
    ended: BTreeSet<i32>,
}

impl Reaper {
    /// Looks once. What had also ended at the last look has no owner that waits for it.
    pub fn look(&mut self) {
        #[cfg(target_os = "linux")]
        {
            use rustix::process::{Pid, WaitOptions};
            let own = rustix::process::getpid().as_raw_nonzero().get();
            let children = descendants::children(own).into_iter();
            let is_orphan = |id: &i32| !keeper::is_keeper(*id) && !keeper::is_watched(*id);
            let now: BTreeSet<i32> =
                children.filter(|id| is_orphan(id) && descendants::has_ended(*id)).collect();
            for id in now.intersection(&self.ended).copied().filter_map(Pid::from_raw) {
                let _ = rustix::process::waitpid(Some(id), WaitOptions::NOHANG);
            }
            self.ended = now;
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeMap;
    use std::path::Path;
    use std::time::Duration;

    use rustix::process::{Pid, Signal, WaitOptions};

    use super::super::clock::Stopwatch;
    use super::super::{files, keeper};

    /// Time limit for killed processes to end.
    const KILL_LIMIT: Duration = Duration::from_secs(2);
    const POLL: Duration = Duration::from_millis(2);

    pub(super) fn end() -> Vec<String> {
        let clock = Stopwatch::start();
        let mut ended = BTreeMap::new();
        loop {
            let children = children();
            if children.is_empty() || u128::from(clock.elapsed_ms()) > KILL_LIMIT.as_millis() {
                return ended.into_values().collect();
            }
            for (child, program) in children {
                if rustix::process::kill_process(child, Signal::KILL).is_ok() {
                    ended.insert(child.as_raw_nonzero(), program);
                }
                let _ = rustix::process::waitpid(Some(child), WaitOptions::NOHANG);
            }
            std::thread::sleep(POLL);
        }
    }

    /// Running children of this process, with the names of their programs.
    fn children() -> Vec<(Pid, String)> {
        let own = rustix::process::getpid();
        let names = files::names(Path::new("/proc")).unwrap_or_default();
        let process = |name: &std::ffi::OsString| {
            let id: i32 = name.to_str()?.parse().ok()?;
            let stat = files::read(&Path::new("/proc").join(name).join("stat"), 4096).ok()?;
            let stat = String::from_utf8_lossy(&stat.bytes).into_owned();
            // The name in parentheses can contain anything; state and parent follow it.
            let (start, rest) = stat.rsplit_once(')')?;
            let (_, program) = start.split_once('(')?;
            let mut rest = rest.split_whitespace();
            let state = rest.next()?;
            let parent: i32 = rest.next()?.parse().ok()?;
            let child = Pid::from_raw(id)?;
            if Pid::from_raw(parent) != Some(own) || keeper::is_keeper(id) {
                return None;
            }
            if state == "Z" {
                let _ = rustix::process::waitpid(Some(child), WaitOptions::NOHANG);
                return None;
            }
            Some((child, crate::visible::excerpt(program, 200)))
        };
        names.iter().filter_map(process).collect()
    }
}
