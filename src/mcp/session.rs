//! One session with a client: packages are opened, tools served until stdin ends, packages closed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rmcp::service::ServiceExt as _;
use tokio::sync::{Semaphore, SemaphorePermit, watch};

use crate::inputs::project::Project;
use crate::report::Failure;
use crate::system::interrupt;
use crate::system::stdio::{self, End};

use super::catalogue::{Catalogue, CatalogueError, OfferPolicy};
use super::finder;
use super::mode::ToolMode;
use super::provider::{Opener, Options, Provider, ServedSubject};
use super::server::Server;
use super::transport::LineTransport;
use super::watch as watching;

/// Most calls that run at once, and most that wait.
const MAX_RUNNING: usize = 16;
const MAX_WAITING: usize = 64;
/// Threads for calls, stdin and stdout.
const MAX_THREADS: usize = MAX_RUNNING + 8;
/// How long calls may go on after stdin ended.
const GRACE: Duration = Duration::from_secs(1);
/// How often a wait looks for a signal.
const LOOK: Duration = Duration::from_millis(25);

/// A package by what a person called it.
#[derive(Clone)]
pub struct Source {
    pub kind: SourceKind,
    pub opener: &'static dyn Opener,
}

/// The source of a package.
#[derive(Clone, Debug)]
pub enum SourceKind {
    /// The root of a project.
    Project(PathBuf),
    Named(String),
}

impl Source {
    /// Opens the current version of the package.
    ///
    /// # Errors
    /// Returns an error if it cannot be used.
    pub fn open(&self, options: &Options) -> Result<Arc<dyn Provider>, Failure> {
        let opened = match &self.kind {
            SourceKind::Project(root) => {
                self.opener.open(&ServedSubject::Project(&Project::open(root)?), options)
            }
            SourceKind::Named(name) => self.opener.open(&ServedSubject::Named(name), options),
        };
        opened.map(Arc::from)
    }
}

/// The served packages, and how they change.
pub struct McpSession {
    catalogue: RwLock<Arc<Catalogue>>,
    pub policy: OfferPolicy,
    pub options: Options,
    pub sources: Vec<Source>,
    changed: watch::Sender<u64>,
    turns: Semaphore,
    waiting: Semaphore,
    end: RwLock<Option<Arc<End>>>,
    is_closed: AtomicBool,
}

/// The end of a session.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Ended {
    /// Stdin ended before anything came.
    Unused,
    Served,
}

/// Opens every package on a separate thread.
///
/// # Errors
/// The first error, in the order of the packages.
pub fn open(sources: &[Source], options: &Options) -> Result<Vec<Arc<dyn Provider>>, Failure> {
    let opened: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            sources.iter().map(|source| scope.spawn(|| source.open(options))).collect();
        threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
    });
    opened
        .into_iter()
        .map(|one| one.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        .collect()
}

impl McpSession {
    /// A session that offers these packages.
    ///
    /// # Errors
    /// Returns an error if they cannot be served together.
    pub fn new(
        providers: Vec<Arc<dyn Provider>>,
        policy: OfferPolicy,
        options: Options,
        sources: Vec<Source>,
    ) -> Result<Self, CatalogueError> {
        let catalogue = Catalogue::of(providers, &policy)?;
        Ok(Self {
            catalogue: RwLock::new(Arc::new(catalogue)),
            policy,
            options,
            sources,
            changed: watch::Sender::new(0),
            turns: Semaphore::new(MAX_RUNNING),
            waiting: Semaphore::new(MAX_WAITING),
            end: RwLock::new(None),
            is_closed: AtomicBool::new(false),
        })
    }

    /// The current tools.
    #[must_use]
    pub fn catalogue(&self) -> Arc<Catalogue> {
        Arc::clone(&self.catalogue.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the offered tools, and notifies clients if their list changes.
    pub(super) fn replace(&self, catalogue: Catalogue) {
        let catalogue = Arc::new(catalogue);
        let mut current = self.catalogue.write().unwrap_or_else(PoisonError::into_inner);
        let differs = current.signature() != catalogue.signature();
        *current = catalogue;
        drop(current);
        if differs {
            self.changed.send_modify(|count| *count += 1);
        }
    }

    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// The turn of a call; `None` when too many wait already.
    pub(super) async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        let _place = self.waiting.try_acquire().ok()?;
        self.turns.acquire().await.ok()
    }

    /// True if no client waits for responses.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let end = self.end.read().unwrap_or_else(PoisonError::into_inner);
        self.is_closed() || end.as_ref().is_some_and(|end| end.is_over(GRACE))
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// The instructions for a model.
    #[must_use]
    pub fn instructions(&self) -> String {
        let catalogue = self.catalogue();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for offered in catalogue.tools() {
            *counts.entry(offered.provider.identity().name.as_str()).or_default() += 1;
        }
        let packages: Vec<_> =
            counts.iter().map(|(name, count)| format!("{name} ({count} tools)")).collect();
        let mut text = match packages.is_empty() {
            true => "No tool is offered.".to_owned(),
            false => format!("Tools of {}.", packages.join(", ")),
        };
        if catalogue.is_searched {
            text.push_str(&format!(
                " Search with `{}`, read the arguments with `{}`, and call a tool with `{}`.",
                finder::SEARCH,
                finder::DESCRIBE,
                finder::CALL
            ));
        }
        let withheld: Vec<_> = catalogue
            .withheld()
            .into_iter()
            .map(|(mode, count)| format!("{count} need the mode {}", mode.as_str()))
            .collect();
        if !withheld.is_empty() {
            text.push_str(&format!(
                " Not offered: {}; a person can allow a mode with `--allow-mode`.",
                withheld.join(", ")
            ));
        }
        if self.policy.mode > ToolMode::Readonly {
            text.push_str(
                " A tool that returns `confirm_token` has changed nothing yet: ask the person, then call it again with the same arguments and `confirm`.",
            );
        }
        text
    }
}

/// Serves until stdin ends or a signal comes, then closes every package.
///
/// # Errors
/// Returns an error if the streams cannot be used.
pub fn serve(session: &Arc<McpSession>) -> std::io::Result<Ended> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .max_blocking_threads(MAX_THREADS)
        .build()?;
    let watcher = watching::start(Arc::clone(session))?;
    let ended = runtime.block_on(converse(session));
    session.is_closed.store(true, Ordering::Relaxed);
    // A blocking read of stdin does not delay the end.
    runtime.shutdown_background();
    // It may be opening a package, which must not outlive the session.
    let _ = watcher.join();
    let catalogue = session.catalogue();
    std::thread::scope(|scope| {
        for provider in &catalogue.providers {
            scope.spawn(|| provider.close());
        }
    });
    Ok(ended)
}

async fn converse(session: &Arc<McpSession>) -> Ended {
    let (input, output, end) = stdio::connection();
    *session.end.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&end));
    let transport = LineTransport::new(input, output);
    let service = tokio::select! {
        service = Server::new(Arc::clone(session)).serve(transport) => service,
        () = interrupted() => return Ended::Served,
    };
    // A client that goes before it has introduced itself leaves nothing to do.
    if let Ok(service) = service {
        let token = service.cancellation_token();
        let interrupt = tokio::spawn(async move {
            interrupted().await;
            token.cancel();
        });
        // Every way in which a session ends is an end.
        let _ = service.waiting().await;
        interrupt.abort();
    }
    if end.has_spoken() { Ended::Served } else { Ended::Unused }
}

async fn interrupted() {
    while !interrupt::requested() {
        tokio::time::sleep(LOOK).await;
    }
}
