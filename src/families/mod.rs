//! The families of contracts, a folder each. Every other layer asks for its part of a family through its own trait and
//! knows none of these folders.

pub mod agent_adapter;
pub mod agent_cli;
pub mod augmentor;
pub mod harness;
pub mod plain;

use std::sync::Once;

/// Every family: what it adds to each layer.
const INSTALL: &[fn()] = &[
    agent_adapter::install,
    agent_cli::install,
    augmentor::install,
    harness::install,
    plain::install,
];

/// Makes every family known to every layer; once is enough, and more does no harm.
pub fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| INSTALL.iter().for_each(|install| install()));
}
