//! The tools that a server offers, as data and as text.

use std::sync::Arc;

use crate::mcp::catalogue::Catalogue;
use crate::report::Outcome;
use crate::report::answers::mcp::{ServedPackage, ServedTool, ServedTools, WithheldTools};
use crate::visible::{Visible, visible};

/// Most modes whose tools are counted as left out.
const MAX_LINES: usize = 20;

/// Returns the list of served tools.
pub fn listed(catalogue: &Catalogue) -> Outcome {
    let packages = catalogue.providers.iter().map(|provider| {
        let identity = provider.identity();
        ServedPackage {
            name: identity.name.clone(),
            version: identity.version.clone(),
            family: identity.family,
            place: identity.place.clone(),
            missing_secrets: identity.missing_secrets.clone(),
            notes: identity.notes.clone(),
        }
    });
    let tools = catalogue.tools().map(|offered| ServedTool {
        name: offered.tool.name.clone(),
        package: offered.provider.identity().name.clone(),
        id: offered.tool.id.clone(),
        mode: offered.tool.mode.as_str(),
        tags: offered.tool.tags.clone(),
        description: offered.tool.description.clone(),
    });
    let withheld = catalogue.withheld().into_iter();
    let data = ServedTools {
        packages: packages.collect(),
        tools: tools.collect(),
        withheld: withheld
            .map(|(mode, count)| WithheldTools { mode: mode.as_str(), count })
            .collect(),
        presented: if catalogue.is_searched { "search" } else { "all" },
    };
    Outcome::new(data, text(catalogue))
}

fn text(catalogue: &Catalogue) -> Visible {
    let mut lines = Vec::new();
    for provider in &catalogue.providers {
        let identity = provider.identity();
        lines.push(visible!("{} {} ({})", identity.name, identity.version, identity.family));
        let own = catalogue.tools().filter(|offered| Arc::ptr_eq(offered.provider, provider));
        lines.extend(own.map(|offered| {
            let tool = offered.tool;
            visible!("  {:9} {:32} {}", tool.mode.as_str(), tool.name, tool.description)
        }));
    }
    if catalogue.is_searched {
        lines.push(Visible::literal("presented as search_tools, describe_tools and call_tool"));
    }
    for (mode, count) in catalogue.withheld().into_iter().take(MAX_LINES) {
        let need = if count == 1 { "needs" } else { "need" };
        lines.push(visible!("{} more {} `--allow-mode {}`", count, need, mode.as_str()));
    }
    Visible::joined(lines, "\n")
}
