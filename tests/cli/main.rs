//! Promises to users, tested with the real binary in a sandbox: one module per command or promise.

#![expect(clippy::disallowed_methods, reason = "tests look at the disk and start programs")]

mod sandbox;
