//! `aos augmentor`: describes an augmentor, and calls its commands and agents.

pub mod input;
pub mod seam;
mod stream;

use std::time::Duration;

use serde_json::Value;

use crate::reason::Reason;
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::{isolation, keeper, orphans, temporary};

use super::Run;
use seam::{AugmentorRequest, AugmentorRunner, Callee, HOSTS, NamedAugmentor, Network};

/// Longest time that a call may take, in seconds.
const MAX_SECONDS: u64 = 3_600;

/// The settings of a call.
#[derive(Clone, Copy, Debug)]
pub struct CallManner {
    /// Whether each chunk is written as soon as it arrives.
    pub is_streamed: bool,
    /// The time limit in seconds; without one, that of the contract.
    pub seconds: Option<u64>,
}

/// The commands, agents and permissions of an augmentor.
///
/// # Errors
/// Returns an error if there is no such package, or it cannot be loaded.
pub fn describe(named: &NamedAugmentor<'_>) -> Result<Outcome, Failure> {
    let host = host()?;
    let network = contained(host, named)?;
    let _keeper = keeper::start(network.is_ok()).ok();
    let _adopted = orphans::Adopted::start();
    host.describe(named, &network)
}

/// Calls a command or an agent.
///
/// # Errors
/// Returns an error if the package does not exist, cannot be loaded, or returns no result.
pub fn call(
    named: &NamedAugmentor<'_>,
    callee: Callee<'_>,
    manner: CallManner,
    run: &Run,
) -> Result<Outcome, Failure> {
    let limit = match manner.seconds {
        Some(seconds @ 1..=MAX_SECONDS) => Some(Duration::from_secs(seconds)),
        Some(_) => {
            let message = format!("`--timeout` must be from 1 to {MAX_SECONDS}");
            return Err(Failure::new(ErrorCode::Validation, message)
                .hint("use a number of seconds in that range, or omit the option"));
        }
        None => None,
    };
    let host = host()?;
    let network = contained(host, named)?;
    // From here on, whatever is started ends with aos.
    let _keeper = keeper::start(network.is_ok()).ok();
    let _adopted = orphans::Adopted::start();
    let request =
        AugmentorRequest { callee, is_streamed: manner.is_streamed, limit, is_quiet: run.quiet };
    let mut stream = stream::ChunkStream::new(run.format);
    let mut sink = |chunk: &Value| manner.is_streamed && stream.write(chunk);
    host.call(named, &network, &request, &mut sink)
}

fn host() -> Result<&'static dyn AugmentorRunner, Failure> {
    temporary::sweep();
    HOSTS.entries().first().map(|(_, host)| *host).ok_or_else(|| {
        Failure::new(ErrorCode::Unknown, "this build of aos has no host for augmentors")
            .hint("install a release")
    })
}

/// Cuts this process off from the network when the package declares none; before the first thread. The outer result is
/// about the package, the inner one about the network.
fn contained(host: &dyn AugmentorRunner, named: &NamedAugmentor<'_>) -> Result<Network, Failure> {
    match host.needs_network(named)? {
        true => Ok(Err("the package declares that it uses the network".into())),
        false => Ok(isolation::cut_off_network().map_err(Reason::of)),
    }
}
