//! The member `[agent_cli]` of `conform.toml`.

use serde::Deserialize;

/// What a hand-written or generated tool says about its commands, beyond what `reference` says.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct AgentCliFixture {}
