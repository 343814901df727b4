//! The tools that a server offers: those of its packages that match the filter and the mode, with unique names.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::filter::Filter;
use super::finder;
use super::mode::ToolMode;
use super::provider::{Provider, ToolIdentity};
use super::tool::McpTool;

/// With more tools than this, a client gets search tools instead of the whole list.
pub const MAX_LISTED: usize = 40;
/// Most tools of a server.
const MAX_TOOLS: usize = 2_000;

/// The presentation of tools.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Presentation {
    /// Every tool up to forty, else search.
    Automatic,
    Every,
    Search,
}

/// The limits that the user sets.
#[derive(Clone, Debug)]
pub struct OfferPolicy {
    pub filter: Filter,
    pub mode: ToolMode,
    pub presentation: Presentation,
}

/// The packages of a server and what it offers of them.
pub struct Catalogue {
    pub providers: Vec<Arc<dyn Provider>>,
    /// Name to package and place in its list.
    offered: BTreeMap<String, (usize, usize)>,
    /// Names of tools that need a higher mode.
    withheld: BTreeMap<String, ToolMode>,
    pub is_searched: bool,
}

/// Why packages cannot be served together.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    #[error("two tools have the name `{name}`: one of {first}, one of {second}")]
    Twice { name: String, first: String, second: String },
    #[error("there are more than {MAX_TOOLS} tools")]
    Many,
}

/// A tool with its package.
#[derive(Clone, Copy)]
pub struct Offered<'a> {
    pub tool: &'a McpTool,
    pub provider: &'a Arc<dyn Provider>,
}

/// Why a name does not select a tool.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Refusal {
    Unknown,
    /// It needs this mode.
    Withheld(ToolMode),
}

impl Catalogue {
    /// Puts packages together.
    ///
    /// # Errors
    /// If two tools have the same name.
    pub fn of(
        providers: Vec<Arc<dyn Provider>>,
        policy: &OfferPolicy,
    ) -> Result<Self, CatalogueError> {
        let mut owners: BTreeMap<&str, &ToolIdentity> = BTreeMap::new();
        let (mut offered, mut withheld) = (BTreeMap::new(), BTreeMap::new());
        for (package, provider) in providers.iter().enumerate() {
            let fitting = provider.tools().iter().enumerate();
            for (place, tool) in fitting.filter(|(_, tool)| policy.filter.fits(tool)) {
                if let Some(other) = owners.insert(&tool.name, provider.identity()) {
                    return Err(CatalogueError::Twice {
                        name: tool.name.clone(),
                        first: other.place.clone(),
                        second: provider.identity().place.clone(),
                    });
                }
                match tool.mode <= policy.mode {
                    true => drop(offered.insert(tool.name.clone(), (package, place))),
                    false => drop(withheld.insert(tool.name.clone(), tool.mode)),
                }
                if owners.len() > MAX_TOOLS {
                    return Err(CatalogueError::Many);
                }
            }
        }
        let is_searched = match policy.presentation {
            Presentation::Automatic => offered.len() > MAX_LISTED,
            Presentation::Every => false,
            Presentation::Search => true,
        };
        Ok(Self { providers, offered, withheld, is_searched })
    }

    /// True if no tool matches the filter, in any mode.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.offered.is_empty() && self.withheld.is_empty()
    }

    /// Every tool that may be called, by name.
    pub fn tools(&self) -> impl Iterator<Item = Offered<'_>> {
        self.offered.values().filter_map(|(package, place)| {
            let provider = self.providers.get(*package)?;
            Some(Offered { tool: provider.tools().get(*place)?, provider })
        })
    }

    /// The tool of this name.
    ///
    /// # Errors
    /// Returns an error if there is none that may be called.
    pub fn find(&self, name: &str) -> Result<Offered<'_>, Refusal> {
        let found = self.offered.get(name).and_then(|(package, place)| {
            let provider = self.providers.get(*package)?;
            Some(Offered { tool: provider.tools().get(*place)?, provider })
        });
        let mode = self.withheld.get(name).copied();
        found.ok_or_else(|| mode.map_or(Refusal::Unknown, Refusal::Withheld))
    }

    /// Returns the number of tools that need each mode above that of the session.
    #[must_use]
    pub fn withheld(&self) -> BTreeMap<ToolMode, usize> {
        let mut counts = BTreeMap::new();
        for mode in self.withheld.values() {
            *counts.entry(*mode).or_default() += 1;
        }
        counts
    }

    /// The tools that a client sees: every tool, or the search tools.
    #[must_use]
    pub fn listed(&self) -> Vec<McpTool> {
        match self.is_searched {
            true => finder::tools(self),
            false => self.tools().map(|offered| offered.tool.clone()).collect(),
        }
    }

    /// The list as it goes to a client, to compare two catalogues.
    #[must_use]
    pub fn signature(&self) -> Vec<(String, String, Map<String, Value>)> {
        let seen = |tool: McpTool| (tool.name, tool.description, tool.input);
        self.listed().into_iter().map(seen).collect()
    }
}
