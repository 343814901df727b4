//! The text of a contract module: every value of it, one line each and sorted (agent-cli §3.1).
//!
//! A generated module builds the same text from the values that it really has, and a tool publishes its SHA-256. So
//! a tool that was built from another contract, or that changes its values, is noticed from outside.

use crate::plan::digest::Digest;

use super::ContractModel;

impl ContractModel<'_> {
    /// `sha256:` and the digest of the text, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> String {
        Digest::of(self.text().as_bytes()).to_string()
    }

    fn text(&self) -> String {
        let mut lines = vec![
            format!("tag {}", self.tag),
            format!("schema_version {}", self.schema_version),
            format!("human_action_exit {}", self.human_exit),
        ];
        lines.extend(self.codes.iter().map(|code| {
            let spec = code.spec;
            format!("code {} {} {} {}", code.name, spec.exit, spec.retryable, code.core)
        }));
        lines.extend(self.statuses.iter().map(|(status, code)| format!("status {status} {code}")));
        let words = self.words.iter();
        lines.extend(words.map(|word| format!("word {} {}", word.name.upper(), word.value)));
        let lists = self.lists.iter();
        lines.extend(
            lists.map(|list| format!("list {} {}", list.name.upper(), list.items.join(","))),
        );
        lines.sort_unstable();
        lines.join("\n") + "\n"
    }
}
