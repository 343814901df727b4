//! The answers of `aos new`.

use crate::visible::counted;
use std::collections::BTreeSet;
use std::path::Path;

use crate::generate::record_origin::ARCHIVE_PATH;
use crate::generate::record_runtime::is_below;
use crate::plan::RelativePath;
use crate::report::answers::new::{CreatedFile, CreatedProject, NewAnswer, NewNotes};
use crate::report::{Outcome, tree};
use crate::visible::{Visible, visible};
use crate::workflows::Run;
use crate::workflows::write_gate::Offer;

use super::described;
use super::first_commit::{self, FirstCommit};
use super::plan::NewProject;

impl NewProject {
    pub fn unchanged(&self, target: &Path, run: &Run) -> Outcome {
        let text = visible!(
            "{} {} is already what `aos new` creates (template {} {}{})",
            run.style.good("unchanged"),
            target.display(),
            self.template.name,
            self.template.version,
            self.tag.as_ref().map(|tag| format!(", spec {tag}")).unwrap_or_default()
        );
        Outcome::new(
            self.data("unchanged", target, &FirstCommit::none("nothing was written")),
            text,
        )
    }

    pub fn created(&self, target: &Path, git: &FirstCommit, run: &Run) -> Outcome {
        Outcome::new(self.data("created", target, git), self.text(target, git, run))
    }

    /// A preview with what there is to say about the place.
    pub fn previewed(&self, mut offer: Offer, run: &Run) -> Outcome {
        for note in &self.notes {
            offer.text.push(&visible!("\n{} {}", run.style.warning("note:"), note));
        }
        if let Some(api) = &self.api {
            offer.text.push(&visible!("\n{}", described::text(api, run.style)));
        }
        let notes = NewNotes { notes: self.notes.clone(), api: self.api.clone() };
        offer.outcome_with(notes, NewAnswer::Preview)
    }

    /// Begins the next steps with the commit that aos leaves to the user.
    pub fn commit_later(&mut self, target: &Path, no_git: bool) {
        if no_git {
            return;
        }
        let message = format!("Create {} with aos", self.tool());
        let mut steps = vec![
            "git add --all".to_owned(),
            format!("git commit --message {}", shell_word(&message)),
        ];
        if !first_commit::inside_repository(target) {
            steps.insert(0, "git init --initial-branch=main".to_owned());
        }
        steps.append(&mut self.next);
        self.next = steps;
    }

    fn data(&self, status: &'static str, target: &Path, git: &FirstCommit) -> NewAnswer {
        // A brief answer is cut at its end: the user's files come first.
        let (managed, yours): (Vec<_>, Vec<_>) =
            self.files.iter().partition(|(path, _)| self.managed.contains(*path));
        let files = yours.into_iter().chain(managed).map(|(path, content)| CreatedFile {
            path: path.to_string(),
            role: self.role(path),
            executable: content.executable,
        });
        NewAnswer::Created(Box::new(CreatedProject {
            status,
            tool: self.tool().to_owned(),
            path: target.display().to_string(),
            template: self.template.name.clone(),
            template_version: self.template.version.clone(),
            preset: self.subject.preset_name().map(str::to_owned),
            spec_tag: self.tag.as_ref().map(ToString::to_string),
            commands: self.subject.commands(),
            files: files.collect(),
            git: git.state(),
            notes: self.notes.clone(),
            api: self.api.clone(),
            next: self.next(target),
            advice: self.advice.clone(),
        }))
    }

    fn role(&self, path: &RelativePath) -> &'static str {
        if self.managed.contains(path) { "managed" } else { "yours" }
    }

    fn next(&self, target: &Path) -> Vec<String> {
        let enter = format!("cd {}", shell_word(&target.display().to_string()));
        std::iter::once(enter).chain(self.next.iter().cloned()).collect()
    }

    /// Says how many files aos manages, and where.
    fn kept(&self) -> String {
        if self.tag.is_none() {
            return format!("{ARCHIVE_PATH}, from which `aos upgrade` merges");
        }
        let runtime = self.runtime.as_ref();
        let place = |path: &RelativePath| match runtime {
            Some(runtime) if is_below(path, runtime) => runtime.to_string(),
            _ => {
                path.as_str().rsplit_once('/').map_or(path.as_str(), |(place, _)| place).to_owned()
            }
        };
        let places: BTreeSet<_> = self.managed.iter().map(place).collect();
        let places: Vec<_> = places.into_iter().collect();
        format!(
            "{} in {} (update with `aos gen` and `aos sync-spec`)",
            counted(self.managed.len(), "file"),
            places.join(", ")
        )
    }

    /// Returns the source of the project, for the first line.
    fn made_from(&self) -> String {
        let mut parts: Vec<_> =
            self.subject.commands().map(|count| format!("{count} commands")).into_iter().collect();
        parts.push(match self.subject.preset_name() {
            // A preset in a file has the name of the file.
            Some(preset) if preset.contains('.') => format!("declared in {preset}"),
            Some(preset) => format!("preset {preset}"),
            None => format!("template {}", self.template.name),
        });
        parts.extend(self.tag.as_ref().map(|tag| format!("spec {tag}")));
        parts.join(", ")
    }

    fn text(&self, target: &Path, git: &FirstCommit, run: &Run) -> Visible {
        let style = run.style;
        let mut lines = vec![visible!(
            "{} {} in {} ({})",
            style.good("created"),
            style.strong(self.tool()),
            target.display(),
            self.made_from()
        )];
        lines.push(visible!("\n{}", style.strong("Yours to edit")));
        let yours = self.files.paths().filter(|path| !self.managed.contains(*path));
        lines.push(tree::text(yours.map(RelativePath::as_str), style));
        lines.push(visible!("\n{} {}", style.strong("Managed by aos:"), self.kept()));
        let repository = match git {
            FirstCommit { committed: true, .. } => {
                "repository created, with a first commit".to_owned()
            }
            FirstCommit { initialised: true, reason, .. } => {
                format!(
                    "repository created, but nothing was committed: {}",
                    reason.as_deref().unwrap_or_default()
                )
            }
            FirstCommit { reason, .. } => {
                format!("no repository was created: {}", reason.as_deref().unwrap_or_default())
            }
        };
        lines.push(visible!("\n{} {}", style.strong("Git:"), repository));
        lines.extend(self.notes.iter().map(|note| visible!("{} {}", style.warning("note:"), note)));
        lines.push(visible!("\n{}", style.strong("Next")));
        lines.extend(self.next(target).iter().map(|step| visible!("  {}", style.accent(step))));
        lines.extend(self.advice.iter().map(|advice| visible!("\n{}", Visible::block(advice))));
        Visible::joined(lines, "\n")
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
