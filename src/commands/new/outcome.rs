//! What `aos new` answers.

use std::path::Path;

use serde_json::json;

use crate::commands::Run;
use crate::commands::first_commit::FirstCommit;
use crate::inputs::embedded::EXAMPLE_PRESET;
use crate::plan::RelativePath;
use crate::report::{Outcome, tree};

use super::plan::NewProject;

impl NewProject {
    pub fn unchanged(&self, target: &Path, run: &Run) -> Outcome {
        let text = format!(
            "{} {} is already what `aos new` makes (template {} {}, spec {})",
            run.style.good("unchanged"),
            target.display(),
            self.template.name,
            self.template.version,
            self.tag
        );
        Outcome::new(
            self.data("unchanged", target, &FirstCommit::none("nothing was written")),
            text,
        )
    }

    pub fn created(&self, target: &Path, git: &FirstCommit, run: &Run) -> Outcome {
        Outcome::new(self.data("created", target, git), self.text(target, git, run))
    }

    fn data(&self, status: &str, target: &Path, git: &FirstCommit) -> serde_json::Value {
        let files: Vec<_> = self
            .files
            .iter()
            .map(|(path, content)| {
                json!({"path": path.as_str(), "role": self.role(path), "executable": content.executable})
            })
            .collect();
        json!({
            "status": status,
            "tool": self.tool.as_str(),
            "path": target.display().to_string(),
            "template": self.template.name,
            "template_version": self.template.version,
            "preset": self.preset_name,
            "spec_tag": self.tag.as_str(),
            "commands": self.preset.operations.len() + 3,
            "files": files,
            "git": git.json(),
            "notes": self.notes,
            "next": self.next(target),
            "advice": self.advice(),
        })
    }

    fn role(&self, path: &RelativePath) -> &'static str {
        if self.managed.contains(path) { "managed" } else { "yours" }
    }

    fn next(&self, target: &Path) -> Vec<String> {
        vec![
            format!("cd {}", shell_word(&target.display().to_string())),
            "pip install -e \"agent-harness[dev]\" && pytest".to_owned(),
            "aos check".to_owned(),
        ]
    }

    /// What to do with the example resource; `None` for a preset of a real API.
    fn advice(&self) -> Option<String> {
        (self.preset_name == EXAMPLE_PRESET).then(|| {
            format!(
                "The resource `item` is a stand-in for your API: describe your commands in connector.json, write \
                 their requests in agent-harness/{}/commands and tests/test_resource_*.py, look at the address and \
                 the health path in api.py, then run `aos gen`",
                self.tool.package()
            )
        })
    }

    fn text(&self, target: &Path, git: &FirstCommit, run: &Run) -> String {
        let style = run.style;
        let mut lines = vec![format!(
            "{} {} in {} ({} commands, preset {}, spec {})",
            style.good("created"),
            style.strong(self.tool.as_str()),
            target.display(),
            self.preset.operations.len() + 3,
            self.preset_name,
            self.tag
        )];
        for (role, title) in [
            ("yours", "Yours to edit"),
            ("managed", "Kept by aos (renew with `aos gen` and `aos sync-spec`)"),
        ] {
            lines.push(format!("\n{}", style.strong(title)));
            let paths = self.files.paths().filter(|path| self.role(path) == role);
            lines.push(tree::text(paths.map(RelativePath::as_str), style));
        }
        let repository = match git {
            FirstCommit { committed: true, .. } => "repository made, first commit done".to_owned(),
            FirstCommit { initialised: true, reason, .. } => {
                format!("repository made, not committed: {}", reason.as_deref().unwrap_or_default())
            }
            FirstCommit { reason, .. } => {
                format!("no repository: {}", reason.as_deref().unwrap_or_default())
            }
        };
        lines.push(format!("\n{} {repository}", style.strong("Git")));
        lines.extend(self.notes.iter().map(|note| format!("{} {note}", style.warning("note:"))));
        lines.push(format!("\n{}", style.strong("Next")));
        lines.extend(self.next(target).iter().map(|step| format!("  {}", style.accent(step))));
        lines.extend(self.advice().map(|advice| format!("\n{advice}")));
        lines.join("\n")
    }
}

/// A path as one word for a shell; plain words stay as they are.
pub fn shell_word(text: &str) -> String {
    let plain = !text.is_empty()
        && text.chars().all(|symbol| {
            symbol.is_ascii_alphanumeric() || matches!(symbol, '/' | '.' | '_' | '-' | '+')
        });
    if plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
