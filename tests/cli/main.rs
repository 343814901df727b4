//! Promises to users, tested with the real binary in a sandbox: one module per command or promise.

#![expect(clippy::disallowed_methods, reason = "tests look at the disk and start programs")]

mod cases;
mod citizen;
mod disk;
mod envelope;
mod fcc;
mod formats;
mod help;
mod new;
mod new_answers;
mod new_atomic;
mod new_git;
mod new_names;
mod new_output;
mod sandbox;
mod self_description;
mod sync_confirm;
mod sync_crash;
mod sync_obstacles;
mod sync_pins;
mod sync_spec;
