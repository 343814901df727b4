//! The request of `aos migrate`.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::report::{ErrorCode, Failure};
use crate::visible::excerpt;
use crate::workflows::write_gate::WriteOptions;

use super::seam::ProjectRewrite;

/// How often the tool is run to prove that a rewrite breaks nothing.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub enum ProofDepth {
    /// Before and after each rewrite
    #[default]
    Each,
    /// Before and after all of them together
    Whole,
    /// Not at all
    None,
}

/// A migration.
#[derive(Clone, Debug, Default)]
pub struct MigrateRequest {
    pub path: PathBuf,
    /// Only these rewrites; all when empty.
    pub only: Vec<String>,
    pub skip: Vec<String>,
    pub proof: ProofDepth,
    pub write: WriteOptions,
}

impl MigrateRequest {
    /// Whether each of `all` is wanted.
    ///
    /// # Errors
    /// Returns an error if a name is none of them.
    pub fn wanted(&self, all: &'static [ProjectRewrite]) -> Result<Vec<bool>, Failure> {
        for id in self.only.iter().chain(&self.skip) {
            if !all.iter().any(|rewrite| rewrite.id == id) {
                return Err(unknown(id, all));
            }
        }
        let is_wanted = |id: &str| {
            (self.only.is_empty() || self.only.iter().any(|only| only == id))
                && !self.skip.iter().any(|skip| skip == id)
        };
        Ok(all.iter().map(|rewrite| is_wanted(rewrite.id)).collect())
    }
}

fn unknown(id: &str, all: &[ProjectRewrite]) -> Failure {
    let known: Vec<_> = all.iter().map(|rewrite| rewrite.id).collect();
    let near = crate::contract::suggestion::nearest(id, known.iter().copied());
    let hint = near.map_or_else(
        || format!("use {}", known.join(", ")),
        |near| format!("did you mean `{near}`?"),
    );
    Failure::new(ErrorCode::Validation, format!("the rewrite `{}` does not exist", excerpt(id, 60)))
        .hint(hint)
        .detail("known_rewrites", known)
}
