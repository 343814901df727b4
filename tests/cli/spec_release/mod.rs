//! A source of contracts on a host, for the tests of `[spec] source = "github:OWNER/REPO"`.

pub mod scene;
pub mod server;
