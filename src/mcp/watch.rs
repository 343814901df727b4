//! Opens a package again when its manifest changes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::report::Style;
use crate::system::orphans::Reaper;
use crate::system::stamp::{self, Stamp};
use crate::system::{interrupt, terminal};
use crate::visible::{Visible, visible};

use super::catalogue::Catalogue;
use super::session::McpSession;

/// Intervals for checking manifests, and for checking the end of the session.
const PAUSE: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_millis(50);

/// Watches until the session is closed.
///
/// # Errors
/// If no thread can be started.
pub fn start(session: Arc<McpSession>) -> std::io::Result<JoinHandle<()>> {
    let mut known = stamps(&session);
    std::thread::Builder::new().spawn(move || {
        let mut reaper = Reaper::default();
        while pause(&session) {
            reaper.look();
            let now = stamps(&session);
            let changed: Vec<_> =
                (0..known.len()).filter(|at| known.get(*at) != now.get(*at)).collect();
            known = now;
            for package in changed {
                reopen(&session, package);
            }
        }
    })
}

/// Waits for the next look; false at the end of the session.
fn pause(session: &McpSession) -> bool {
    let mut left = PAUSE;
    while !left.is_zero() {
        if session.is_closed() || interrupt::requested() {
            return false;
        }
        std::thread::sleep(LOOK);
        left = left.saturating_sub(LOOK);
    }
    true
}

/// The manifests of every package.
fn stamps(session: &McpSession) -> Vec<BTreeMap<PathBuf, Stamp>> {
    let catalogue = session.catalogue();
    let manifests = catalogue.providers.iter().map(|provider| provider.manifests());
    manifests
        .map(|paths| paths.into_iter().map(|path| (path.clone(), stamp::of(&path))).collect())
        .collect()
}

/// Replaces the old state of a package with a new one. An invalid state changes nothing.
fn reopen(session: &McpSession, package: usize) {
    let catalogue = session.catalogue();
    let (Some(source), Some(old)) =
        (session.sources.get(package), catalogue.providers.get(package))
    else {
        return;
    };
    let name = old.identity().name.clone();
    let kept = |why: Visible| {
        terminal::write_stderr(&visible!(
            "{}: changed, but the old state is kept: {}\n",
            name,
            why
        ));
    };
    let new = match source.open(&session.options) {
        Ok(new) => new,
        Err(failure) => return kept(failure.text(Style { color: false })),
    };
    let mut providers = catalogue.providers.clone();
    let Some(place) = providers.get_mut(package) else { return };
    let old = std::mem::replace(place, Arc::clone(&new));
    match Catalogue::of(providers, &session.policy) {
        Ok(catalogue) => {
            session.replace(catalogue);
            // Waits for calls of the old state that still run.
            if let Some(fault) = old.close() {
                terminal::write_stderr(&visible!("{}: {}\n", name, fault));
            }
        }
        Err(error) => {
            kept(visible!("{}", error));
            new.close();
        }
    }
}
