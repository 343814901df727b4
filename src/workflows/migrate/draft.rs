//! The project as it will be: the user's files, the record, and what follows from both.
//!
//! Everything is in memory; a draft is thrown away when a rewrite is not wanted after all.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::contract::ProjectFiles;
use crate::contract::repository::{SourceFile, is_below};
use crate::generate::outputs;
use crate::generate::record::{RECORD_PATH, Record};
use crate::generate::record_edit;
use crate::generate::vendor::SpecRelease;
use crate::inputs::adoption;
use crate::inputs::desired::{Desired, DesiredError, SourceBytes};
use crate::inputs::desired_runtime::WantedRuntime;
use crate::inputs::fleet_file::BASELINE_PATH;
use crate::inputs::project::{Project, Slot};
use crate::plan::{Content, FileSet, Plan, RelativePath};
use crate::report::Failure;

use super::seam::{ProjectRewrite, Rewritten};

/// A project that is being changed.
#[derive(Clone)]
pub struct Draft<'a> {
    project: &'a Project,
    release: Arc<SpecRelease>,
    /// Without what aos writes.
    pub files: ProjectFiles,
    pub record: Record,
    adopting: bool,
    /// Directories that got another name.
    pub renamed: Vec<(String, String)>,
}

/// A complete project.
#[derive(Clone)]
pub struct Complete {
    pub files: ProjectFiles,
    pub desired: Arc<Desired>,
    pub managed: BTreeSet<String>,
}

impl<'a> Draft<'a> {
    /// The project as it is, or as it is adopted; outputs of `withheld` generators wait for their rewrite.
    #[must_use]
    pub fn new(
        project: &'a Project,
        release: Arc<SpecRelease>,
        files: ProjectFiles,
        mut record: Record,
        withheld: &BTreeSet<&str>,
    ) -> Self {
        let adopting = project.record.good().is_none();
        if adopting {
            record.outputs.retain(|generator, _| !withheld.contains(generator.as_str()));
        }
        Self { project, release, files, record, adopting, renamed: Vec::new() }
    }

    #[must_use]
    pub fn is_adopted(&self) -> bool {
        self.adopting
    }

    /// The draft after a rewrite.
    pub fn apply(&mut self, rewrite: &ProjectRewrite, rewritten: &Rewritten) {
        for (path, bytes) in &rewritten.files {
            let was = rewritten.renamed.as_ref().and_then(|(old, new)| {
                let inner = path.strip_prefix(new.as_str())?;
                self.files.files.get(&format!("{old}{inner}"))
            });
            let executable = self.files.files.get(path).or(was).is_some_and(|file| file.executable);
            match bytes {
                Some(bytes) => {
                    let file = SourceFile { bytes: bytes.clone().into(), executable };
                    self.files.files.insert(path.clone(), file);
                }
                None => {
                    // Moved files are still looked at by those that follow.
                }
            }
        }
        let gone = rewritten.files.iter().filter(|(_, bytes)| bytes.is_none());
        for (path, _) in gone {
            self.files.files.remove(path);
        }
        if let Some((old, new)) = &rewritten.renamed {
            self.renamed.push((old.clone(), new.clone()));
            for output in self.record.outputs.values_mut().flatten() {
                let moved = is_below(output.path.as_str(), old)
                    .then(|| format!("{new}{}", &output.path.as_str()[old.len()..]));
                if let Some(path) = moved.and_then(|path| RelativePath::parse(&path).ok()) {
                    output.path = path;
                }
            }
        }
        if rewritten.generates {
            let proposed = adoption::propose(self.record.family, &self.files, None).record.outputs;
            for generator in rewrite.generators {
                if let Some(outputs) = proposed.get(*generator)
                    && !self.record.outputs.contains_key(*generator)
                {
                    self.record.outputs.insert((*generator).to_owned(), outputs.clone());
                }
            }
        }
    }

    /// Everything that aos writes for the draft, and the whole tree with it.
    ///
    /// # Errors
    /// Returns an error if something cannot be generated from the draft.
    pub fn complete(&self) -> Result<Complete, Failure> {
        let source = outputs::source(self.record.family, &self.record.spec.directory);
        let sources = SourceBytes {
            source: source.and_then(|path| self.files.bytes(&path).map(<[u8]>::to_vec)),
            go_mod: self.files.bytes("go.mod").map(<[u8]>::to_vec),
        };
        let lock = self.project.lock.good();
        let wanted = lock.map_or(WantedRuntime::Newest(None), WantedRuntime::Recorded);
        let desired = Desired::compute(&self.record, Arc::clone(&self.release), &sources, wanted)?;
        let mut files = self.files.clone();
        let old = lock.map(crate::generate::lock::Lock::known).unwrap_or_default();
        for path in old.keys() {
            files.files.remove(path.as_str());
        }
        let mut managed = BTreeSet::new();
        for (path, content) in &desired.files()? {
            let file =
                SourceFile { bytes: content.bytes.as_ref().into(), executable: content.executable };
            files.files.insert(path.to_string(), file);
            managed.insert(path.to_string());
        }
        managed.extend(desired.kept.iter().map(ToString::to_string));
        for path in &desired.kept {
            if let Some(file) = self.files.files.get(path.as_str()) {
                files.files.insert(path.to_string(), file.clone());
            }
        }
        if let Some(text) = self.record_text()? {
            let file = SourceFile { bytes: text.into(), executable: false };
            files.files.insert(RECORD_PATH.to_owned(), file);
        }
        managed.extend([RECORD_PATH.to_owned(), BASELINE_PATH.to_owned()]);
        Ok(Complete { files, desired: Arc::new(desired), managed })
    }

    /// The new text of aos.toml; `None` when it stays as it is.
    fn record_text(&self) -> Result<Option<String>, Failure> {
        match &self.project.record {
            Slot::Good(old) if old.outputs == self.record.outputs => Ok(None),
            Slot::Good(_) => {
                let text = self.files.text(RECORD_PATH).unwrap_or_default();
                let text = record_edit::with_outputs(text, &self.record.outputs);
                text.map(Some).map_err(|error| {
                    Failure::new(crate::report::ErrorCode::Config, error.to_string())
                        .hint("fix the named member of aos.toml")
                })
            }
            Slot::Absent | Slot::Faulty { .. } => Ok(Some(self.record.render())),
        }
    }

    /// The change from the project on disk to the draft, with further files.
    ///
    /// # Errors
    /// Returns an error if two wanted files are one.
    pub fn plan(
        &self,
        original: &ProjectFiles,
        complete: &Complete,
        more: &BTreeMap<String, Vec<u8>>,
    ) -> Result<Plan, Failure> {
        let (mut wanted, mut unwanted) = (FileSet::default(), BTreeSet::new());
        let mut own: BTreeMap<&str, Option<(&[u8], bool)>> = BTreeMap::new();
        for (path, file) in &self.files.files {
            let same = original.files.get(path).is_some_and(|old| old.bytes == file.bytes);
            if !same {
                own.insert(path, Some((&file.bytes, file.executable)));
            }
        }
        for path in original.files.keys() {
            if !self.files.files.contains_key(path) && !complete.managed.contains(path) {
                own.insert(path, None);
            }
        }
        if let Some(text) = complete.files.bytes(RECORD_PATH)
            && original.bytes(RECORD_PATH) != Some(text)
        {
            own.insert(RECORD_PATH, Some((text, false)));
        }
        own.extend(more.iter().map(|(path, bytes)| (path.as_str(), Some((&bytes[..], false)))));
        let mut paths = BTreeSet::new();
        for (path, content) in own {
            let path = RelativePath::parse(path).map_err(|error| fault(error.into()))?;
            paths.insert(path.clone());
            match content {
                Some((bytes, executable)) => {
                    let content = Content { bytes: bytes.into(), executable };
                    wanted.insert(path, content).map_err(fault)?;
                }
                None => {
                    unwanted.insert(path);
                }
            }
        }
        let root = &self.project.root;
        let current = crate::inputs::tree::snapshot(root, wanted.paths().chain(&unwanted));
        let plan = Plan::between(&current, &wanted, &unwanted);
        let managed = complete.desired.plan(root, self.project.lock.good())?;
        Ok(managed.only(|path| !paths.contains(path)).and(plan))
    }
}

fn fault(error: crate::plan::FileSetError) -> Failure {
    DesiredError::from(error).into()
}
