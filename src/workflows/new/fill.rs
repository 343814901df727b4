//! A directory that was there before: which of its files stay, which are added to, and which would be replaced.

use std::collections::BTreeMap;
use std::path::Path;

use crate::generate::lock::LOCK_PATH;
use crate::generate::record::{PIN_PATH, RECORD_PATH};
use crate::inputs::tree;
use crate::plan::{Content, Digest, FileSet, Obstacle, Plan, RelativePath, TreeEntry};
use crate::report::{ErrorCode, Failure};
use crate::system::files::{self, Kind};

use super::plan::NewProject;

/// Files of patterns: lines that are missing are appended, and the last line decides.
const PATTERNS: [&str; 2] = [".gitignore", ".gitattributes"];
/// The owner's decision, never replaced by that of a template.
const LICENSE: &str = "LICENSE";
/// First line of what is appended.
const HEADING: &str = "# Added by aos.";

/// How the project fits into its directory.
pub struct Fill {
    pub plan: Plan,
    /// Digests of files that are added to, so that nothing of them is lost.
    pub known: BTreeMap<RelativePath, Digest>,
}

/// Holds the files of `project` against what is in `target`; notes what is kept and what is added to.
///
/// # Errors
/// Returns an error if the files contradict each other, which a template rules out.
pub fn fill(target: &Path, project: &mut NewProject) -> Result<Fill, Failure> {
    let current = tree::snapshot(target, project.files.paths());
    let mut wanted = FileSet::default();
    let mut known = BTreeMap::new();
    let mut notes = Vec::new();
    for (path, content) in &project.files {
        let mut content = content.clone();
        if let Some(TreeEntry::File(now)) = current.entries.get(path) {
            if path.as_str() == LICENSE && now.bytes != content.bytes {
                notes.push(format!(
                    "your `{LICENSE}` was kept; check that other files name the same license"
                ));
                content = now.clone();
            } else if PATTERNS.contains(&path.as_str())
                && let Some(merged) = merged(now, &content)
            {
                if merged != *now {
                    notes.push(format!("lines were added to your `{path}`"));
                }
                known.insert(path.clone(), now.digest());
                content = merged;
            }
        }
        wanted
            .insert(path.clone(), content)
            .map_err(|error| Failure::new(ErrorCode::Unknown, error.to_string()))?;
    }
    let plan = Plan::between(&current, &wanted, &Default::default())
        .with_obstacles(other_spellings(target, &wanted));
    project.notes.extend(notes);
    project.files = wanted;
    Ok(Fill { plan, known })
}

/// The record that makes `target` a project of its own, if it has one.
pub fn record(target: &Path) -> Option<&'static str> {
    let is_there =
        |path: &&str| !matches!(files::kind(&target.join(path)), Ok(Kind::Absent) | Err(_));
    [RECORD_PATH, PIN_PATH, LOCK_PATH].into_iter().find(is_there)
}

/// The lines of `now`, then all of `content`, so that no line of `now` takes back what it says; `None` when `now` is
/// not text.
fn merged(now: &Content, content: &Content) -> Option<Content> {
    let (old, new) =
        (std::str::from_utf8(&now.bytes).ok()?, std::str::from_utf8(&content.bytes).ok()?);
    if now == content || old.contains(&block(old, new)) {
        return Some(now.clone());
    }
    let ending = if old.contains("\r\n") { "\r\n" } else { "\n" };
    let mut text = old.to_owned();
    if !text.is_empty() {
        text.push_str(if text.ends_with('\n') { ending } else { "\n\n" });
    }
    text.push_str(&block(old, new));
    Some(Content { bytes: text.as_bytes().into(), executable: now.executable })
}

/// All of `new` below a heading, in the line ending of `old`: what comes last decides.
fn block(old: &str, new: &str) -> String {
    let block = format!("{HEADING}\n{new}");
    if old.contains("\r\n") { block.replace('\n', "\r\n") } else { block }
}

/// Names that differ from wanted ones in case only: two files here, one file on macOS and Windows.
fn other_spellings(target: &Path, wanted: &FileSet) -> Vec<Obstacle> {
    let mut listings: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut found: BTreeMap<String, RelativePath> = BTreeMap::new();
    for path in wanted.paths() {
        let steps = path.ancestors().chain(std::iter::once(path.as_str()));
        for step in steps {
            let (directory, name) = step.rsplit_once('/').unwrap_or(("", step));
            let names = listings.entry(directory.to_owned()).or_insert_with(|| {
                let names = files::names(&target.join(directory)).unwrap_or_default();
                names.iter().map(|name| name.to_string_lossy().into_owned()).collect()
            });
            let key = name.to_lowercase();
            let other = names.iter().find(|other| **other != name && other.to_lowercase() == key);
            if let Some(other) = other.filter(|_| !names.iter().any(|exact| exact == name)) {
                let other = if directory.is_empty() {
                    other.clone()
                } else {
                    format!("{directory}/{other}")
                };
                found.entry(other).or_insert_with(|| path.clone());
            }
        }
    }
    found
        .into_iter()
        .map(|(other, path)| Obstacle {
            path,
            reason: format!("`{other}` differs from it only in upper and lower case"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(content: &Content) -> &str {
        std::str::from_utf8(&content.bytes).unwrap()
    }

    #[test]
    fn patterns_are_appended_once_and_have_the_last_word() {
        let ours = Content::plain(".env\n");
        let first = merged(&Content::plain("*.log\n!.env"), &ours).unwrap();
        assert_eq!(text(&first), "*.log\n!.env\n\n# Added by aos.\n.env\n");
        assert_eq!(merged(&first, &ours).unwrap(), first);
        let windows = merged(&Content::plain("a\r\n"), &ours).unwrap();
        assert_eq!(text(&windows), "a\r\n\r\n# Added by aos.\r\n.env\r\n");
        assert_eq!(merged(&windows, &ours).unwrap(), windows);
        assert_eq!(text(&merged(&Content::plain(""), &ours).unwrap()), "# Added by aos.\n.env\n");
        assert_eq!(merged(&Content::plain(b"\xff"), &ours), None);
    }
}
