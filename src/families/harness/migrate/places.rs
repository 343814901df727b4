//! The locations of a connector's files.

pub const HARNESS: &str = "agent-harness/";
pub const MANIFEST: &str = "connector.json";
pub const PERMISSIONS: &str = "agent-harness/permissions.json";
pub const PYPROJECT: &str = "agent-harness/pyproject.toml";
