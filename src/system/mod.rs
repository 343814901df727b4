//! All access to the operating system: files, processes, clock, environment, signals, terminal.
//!
//! Everything here is bounded in size and time. This module makes no decisions and uses no other module of aos, except
//! `visible`.

pub mod beneath;
pub mod checkpoint;
pub mod clock;
pub mod conversation;
pub mod descendants;
pub mod directory_lock;
pub mod enclosure;
pub mod environment;
pub mod files;
pub mod git;
pub mod git_index;
pub mod http;
pub mod interrupt;
pub mod isolation;
pub mod keeper;
pub mod loopback;
pub mod machine_secret;
pub mod memory;
pub mod orphans;
pub mod private_file;
pub mod private_log;
pub mod process;
pub mod program;
pub mod progress;
pub mod prompt;
pub mod queued;
pub mod random;
pub mod relay;
pub mod replace;
pub mod restriction;
pub mod rights;
pub mod search_path;
pub mod session;
pub mod stamp;
pub mod stdio;
pub mod subject;
pub mod temporary;
pub mod terminal;
