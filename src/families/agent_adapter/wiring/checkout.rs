//! A checkout of the orchestrator. This module reads it; no module in this folder writes it.

use std::collections::BTreeSet;
use std::path::Path;

use regex::Regex;

use crate::inputs::tree;
use crate::plan::{RelativePath, Tree, TreeEntry};
use crate::report::{ErrorCode, Failure};
use crate::system::files;

use super::anchor::LostAnchor;
use super::migration::{MIGRATIONS, MigrationList};
use super::places::HARNESSES;

const GO_MOD: &str = "backend/go.mod";
const ORCHESTRATOR: &str = "module github.com/aoagents/agent-orchestrator/backend";

/// A checkout of the orchestrator.
pub struct OrchestratorCheckout<'a> {
    pub root: &'a Path,
    /// Names of the migrations.
    pub migrations: Vec<String>,
}

impl<'a> OrchestratorCheckout<'a> {
    /// The checkout at `root`.
    ///
    /// # Errors
    /// Returns an error if `root` is something else.
    pub fn open(root: &'a Path) -> Result<Self, Failure> {
        let checkout = Self { root, migrations: Vec::new() };
        let is_it = |text: &str| text.lines().any(|line| line.trim() == ORCHESTRATOR);
        if !checkout.text(GO_MOD).is_ok_and(|text| text.is_some_and(|text| is_it(&text))) {
            let message = format!("`{}` is not a checkout of Agent Orchestrator", root.display());
            return Err(Failure::new(ErrorCode::Validation, message).hint(format!(
                "pass the directory whose `{GO_MOD}` declares `{ORCHESTRATOR}` to `--ao`"
            )));
        }
        // A missing directory has no migrations, and the anchor in them is lost then.
        let names = files::names(&root.join(MIGRATIONS)).unwrap_or_default();
        let migrations = names.into_iter().filter_map(|name| name.into_string().ok()).collect();
        Ok(Self { root, migrations })
    }

    /// The text of a file; `None` when there is none.
    ///
    /// # Errors
    /// Returns an error if a file that is there cannot be read as text.
    pub fn text(&self, path: &str) -> Result<Option<String>, Failure> {
        let faulty = |reason: &str| {
            Failure::new(ErrorCode::Conflict, format!("`{path}` of the checkout: {reason}"))
                .hint("restore the file from version control")
        };
        let path = RelativePath::parse(path).map_err(|error| faulty(&error.to_string()))?;
        let Tree { entries } = tree::snapshot(self.root, [&path]);
        match entries.get(&path) {
            None => Ok(None),
            Some(TreeEntry::File(content)) => match std::str::from_utf8(&content.bytes) {
                Ok(text) => Ok(Some(text.to_owned())),
                Err(_) => Err(faulty("it is not UTF-8 text")),
            },
            Some(TreeEntry::Symlink) => Err(faulty("it is a symbolic link")),
            Some(TreeEntry::Directory) => Err(faulty("it is a directory")),
            Some(TreeEntry::Other(reason)) => Err(faulty(reason)),
        }
    }

    /// The ids of the harnesses.
    ///
    /// # Errors
    /// Returns an error if a file that is there cannot be read as text.
    pub fn harnesses(&self) -> Result<BTreeSet<String>, Failure> {
        let text = self.text(HARNESSES)?.unwrap_or_default();
        let form = Regex::new(r#"(?m)^\s*Harness\w+\s+AgentHarness\s*=\s*"([^"\n]+)""#);
        let ids = form.iter().flat_map(|form| form.captures_iter(&text));
        Ok(ids.filter_map(|hit| Some(hit.get(1)?.as_str().to_owned())).collect())
    }

    /// The list of harnesses in the migrations before one of this name.
    ///
    /// # Errors
    /// Returns an error if a file that is there cannot be read as text.
    pub fn list(
        &self,
        name: &str,
        known: &BTreeSet<String>,
    ) -> Result<Result<MigrationList, LostAnchor>, Failure> {
        let older = self.migrations.iter().rev().filter(|older| older.as_str() < name);
        let texts = older
            .filter(|older| older.contains("harness"))
            .map(|older| self.text(&format!("{MIGRATIONS}/{older}")));
        let texts: Vec<_> = texts.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
        Ok(MigrationList::find(texts.iter().map(String::as_str), known))
    }
}
