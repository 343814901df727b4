//! ArgentOS, the host of connectors: the directories that it searches, the files that it reads, its calls, and its
//! verdicts on the responses.
//!
//! Follows the host's code where that differs from its published document; the verdicts say what the document promises.

mod files;
mod verdict;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::system::environment;
use crate::workflows::discover::seam::{
    Answers, Described, DiscoverSurroundings, Host, Judged, Said, SearchRoot,
};

/// Longest time of one probe.
const LIMIT: Duration = Duration::from_secs(4);
/// Most bytes that a probe may write to one stream.
const MAX_OUTPUT: usize = 1_000_000;

pub struct ArgentOs;

impl Host for ArgentOs {
    fn name(&self) -> &'static str {
        "ArgentOS"
    }

    fn roots(&self, surroundings: &DiscoverSurroundings) -> Vec<SearchRoot> {
        let DiscoverSurroundings { working, home, installation } = surroundings;
        let mut roots = Vec::new();
        let named = environment::read(environment::ARGENT_CONNECTOR_REPOS).unwrap_or_default();
        for path in named.split(',').map(str::trim).filter(|path| !path.is_empty()) {
            roots.push(SearchRoot { path: working.join(path), source: "ARGENT_CONNECTOR_REPOS" });
        }
        let mut add = |path: Option<PathBuf>, source: &'static str| {
            roots.extend(path.map(|path| SearchRoot { path, source }));
        };
        let of_home = |path: &str| home.as_ref().map(|home| home.join(path));
        add(of_home(".argentos/connectors"), "~/.argentos/connectors");
        add(Some(working.join("tools/aos")), "./tools/aos");
        add(installation.as_ref().map(|path| working.join(path).join("tools/aos")), "host");
        add(of_home("code/agent-cli-tools"), "~/code/agent-cli-tools");
        add(Some(working.join("../agent-cli-tools")), "../agent-cli-tools");
        roots
    }

    fn prefix(&self) -> &'static str {
        "aos-"
    }

    fn marker(&self) -> &'static str {
        "connector.json"
    }

    fn programs(&self, name: &str) -> Vec<String> {
        [".venv/bin", "venv/bin", "bin", "shims"]
            .iter()
            .map(|place| format!("agent-harness/{place}/{name}"))
            .collect()
    }

    fn working_directory(&self) -> &'static str {
        "agent-harness"
    }

    fn describe(&self, directory: &Path) -> Described {
        files::describe(directory)
    }

    fn probes(&self) -> [&'static [&'static str]; 2] {
        [&["--json", "capabilities"], &["--json", "health"]]
    }

    fn variables(&self) -> &'static [(&'static str, &'static str)] {
        &[("NO_COLOR", "1")]
    }

    fn limits(&self) -> (Duration, usize) {
        (LIMIT, MAX_OUTPUT)
    }

    fn accepts(&self, said: &Said) -> bool {
        verdict::document(said).is_ok()
    }

    fn judge(&self, answers: &Answers) -> Judged {
        verdict::of(answers)
    }

    fn without_program(&self, described: &Described) -> Judged {
        verdict::without_program(described)
    }
}
