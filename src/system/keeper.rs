//! A second process of aos that kills everything that aos started if aos itself is killed.
//!
//! It reads the running process groups from a pipe. If the pipe ends without `done`, aos was killed: the keeper kills
//! every group that is still running, everything in the network namespace of the run, and on Linux the processes that
//! it saw below aos, because they can leave their group.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{BufRead as _, Read as _, Write as _};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use process_wrap::std::{ChildWrapper, CommandWrap};

use super::clock::Stopwatch;
use super::descendants::{self, KnownProcess};
use super::temporary;

/// The only argument of a keeper; no command has such a name.
pub const ARGUMENT: &str = "__keeper";
const DONE: &str = "done";
/// Longest line that a keeper reads, and most groups it remembers.
const MAX_LINE: u64 = 1024;
const MAX_GROUPS: usize = 10_000;
/// Time limit for aos, and the processes that it started, to end.
const PATIENCE: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(5);
/// How often the processes below aos are looked for.
const FOLLOW: Duration = Duration::from_secs(1);

static PIPE: Mutex<Option<ChildStdin>> = Mutex::new(None);
static KEEPER: AtomicU32 = AtomicU32::new(0);
/// The groups of this process that run.
static WATCHED: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// A running keeper; it ends when this is dropped.
pub struct Keeper {
    child: Box<dyn ChildWrapper>,
}

/// Starts the keeper of this process. `is_contained`: everything in the network namespace of this process was started
/// by it.
///
/// # Errors
/// If no second process can be started; then a kill of aos may leave processes running.
pub fn start(is_contained: bool) -> std::io::Result<Keeper> {
    let mut command = CommandWrap::with_new(program()?, |command: &mut Command| {
        command.arg(ARGUMENT).current_dir(std::path::Component::RootDir);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    });
    #[cfg(unix)]
    command.wrap(process_wrap::std::ProcessSession);
    let mut child = command.spawn()?;
    KEEPER.store(child.id(), Ordering::SeqCst);
    *PIPE.lock().unwrap_or_else(PoisonError::into_inner) = child.stdin().take();
    if is_contained && let Some(namespace) = namespace("self") {
        send(&format!("namespace {namespace}"));
    }
    Ok(Keeper { child })
}

impl Drop for Keeper {
    fn drop(&mut self) {
        send(DONE);
        drop(PIPE.lock().unwrap_or_else(PoisonError::into_inner).take());
        // It only has to exit.
        let clock = Stopwatch::start();
        while matches!(self.child.inner_mut().try_wait(), Ok(None))
            && u128::from(clock.elapsed_ms()) < PATIENCE.as_millis()
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        KEEPER.store(0, Ordering::SeqCst);
    }
}

/// A group that the keeper would end; until this is dropped.
pub struct Watched(u32);

/// Tells the keeper of a group.
#[must_use]
pub fn watch(group: u32) -> Watched {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner).insert(group);
    send(&format!("group {group}"));
    Watched(group)
}

impl Drop for Watched {
    fn drop(&mut self) {
        WATCHED.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
        send(&format!("ended {}", self.0));
    }
}

/// True if a process is the first one of a running group.
#[must_use]
pub fn is_watched(process: i32) -> bool {
    let watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
    u32::try_from(process).is_ok_and(|id| watched.contains(&id))
}

/// True if a process is the keeper of this one.
#[must_use]
pub fn is_keeper(process: i32) -> bool {
    u32::try_from(process).is_ok_and(|id| id != 0 && id == KEEPER.load(Ordering::SeqCst))
}

fn send(line: &str) {
    if let Some(pipe) = PIPE.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        // If the keeper was killed, the run continues without it.
        let _ = pipe.write_all(format!("{line}\n").as_bytes());
    }
}

/// The program that runs; the file may have been replaced since.
fn program() -> std::io::Result<std::path::PathBuf> {
    if cfg!(target_os = "linux") {
        return Ok("/proc/self/exe".into());
    }
    super::environment::current_executable()
}

/// Runs as a keeper if these are its arguments, and returns the exit code.
#[must_use]
pub fn serve(arguments: &[OsString]) -> Option<u8> {
    if arguments.len() != 2 || arguments.get(1)?.to_str() != Some(ARGUMENT) {
        return None;
    }
    let owner = parent();
    let seen = Arc::new(SeenProcesses::default());
    if let Some(owner) = owner {
        let seen = Arc::clone(&seen);
        // Without it, only the groups are known.
        let _ = std::thread::Builder::new().spawn(move || seen.follow(owner));
    }
    let mut input = std::io::BufReader::new(std::io::stdin().lock());
    let (mut groups, mut own_namespace) = (BTreeSet::new(), None);
    // A server may live for months: each line is bounded, and their number is not.
    while let Some(line) = line(&mut input) {
        match line.split_once(' ') {
            Some(("group", id)) if groups.len() < MAX_GROUPS => {
                groups.extend(id.parse::<i32>().ok().filter(|id| *id > 1));
            }
            Some(("ended", id)) => {
                id.parse().ok().map(|id: i32| groups.remove(&id));
            }
            // Only that of the keeper itself, which it was born in.
            Some(("namespace", name)) if namespace("self").as_deref() == Some(name) => {
                own_namespace = Some(name.to_owned());
            }
            None if line == DONE => return Some(0),
            _ => {}
        }
        seen.has_groups.store(!groups.is_empty(), Ordering::Relaxed);
    }
    // Their parents still run, or have just ended.
    groups.iter().for_each(|group| seen.remember(*group));
    let clock = Stopwatch::start();
    while parent() == owner {
        // The pipe may end a moment before its owner does. An owner that lives looks after its processes.
        if u128::from(clock.elapsed_ms()) > PATIENCE.as_millis() {
            return Some(0);
        }
        std::thread::sleep(POLL);
    }
    end(&groups, own_namespace.as_deref());
    seen.kill();
    temporary::sweep();
    Some(0)
}

/// The processes below aos that the keeper has seen.
#[derive(Default)]
struct SeenProcesses {
    has_groups: AtomicBool,
    running: Mutex<BTreeSet<KnownProcess>>,
}

impl SeenProcesses {
    /// Looks while any group runs.
    fn follow(&self, owner: i32) {
        loop {
            std::thread::sleep(FOLLOW);
            if self.has_groups.load(Ordering::Relaxed) {
                self.remember(owner);
            }
        }
    }

    fn remember(&self, root: i32) {
        let own = std::process::id();
        let is_other =
            |known: &KnownProcess| !i32::try_from(own).is_ok_and(|own| known.has_id(own));
        let below = descendants::of(root);
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|known| known.is_running());
        running.extend(below.into_iter().filter(is_other));
    }

    fn kill(&self) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        descendants::kill(&running.iter().copied().collect::<Vec<_>>());
    }
}

/// The next line; `None` at the end of the pipe, and for one that aos would not write.
fn line(input: &mut impl std::io::BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    input.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes).ok()?;
    let line = String::from_utf8(bytes).ok()?;
    line.strip_suffix('\n').map(str::to_owned)
}

#[cfg(unix)]
fn parent() -> Option<i32> {
    rustix::process::getppid().map(|parent| parent.as_raw_nonzero().get())
}

#[cfg(not(unix))]
fn parent() -> Option<i32> {
    None
}

#[cfg(unix)]
fn end(groups: &BTreeSet<i32>, own_namespace: Option<&str>) {
    use rustix::process::{Pid, Signal, kill_process, kill_process_group};
    for group in groups.iter().copied().filter_map(Pid::from_raw) {
        // It may already have ended.
        let _ = kill_process_group(group, Signal::KILL);
    }
    let Some(own_namespace) = own_namespace else { return };
    let own = rustix::process::getpid();
    let clock = Stopwatch::start();
    while u128::from(clock.elapsed_ms()) < PATIENCE.as_millis() {
        let others = inhabitants(own_namespace).into_iter().filter_map(Pid::from_raw);
        let others: Vec<_> = others.filter(|process| *process != own).collect();
        if others.is_empty() {
            return;
        }
        for process in others {
            let _ = kill_process(process, Signal::KILL);
        }
        std::thread::sleep(POLL);
    }
}

#[cfg(not(unix))]
fn end(_groups: &BTreeSet<i32>, _own_namespace: Option<&str>) {}

/// Every process of a network namespace that the process table shows.
#[cfg(unix)]
fn inhabitants(wanted: &str) -> Vec<i32> {
    let names = super::files::names(std::path::Path::new("/proc")).unwrap_or_default();
    let lives_there = |name: &OsString| {
        let id: i32 = name.to_str()?.parse().ok()?;
        (namespace(name.to_str()?).as_deref() == Some(wanted)).then_some(id)
    };
    names.iter().filter_map(lives_there).collect()
}

/// The network namespace of a process; `None` if the system has none, or the process has ended.
fn namespace(process: &str) -> Option<String> {
    let link = std::fs::read_link(format!("/proc/{process}/ns/net")).ok()?;
    Some(link.to_str()?.to_owned())
}
