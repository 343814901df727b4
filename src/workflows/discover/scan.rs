//! The tools that the host sees: the children of its roots and the programs on PATH, and everything that it passes
//! over.
//!
//! Reads names and kinds of entries only. Links are never followed to directories, and every list is bounded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::system::files::{self, Kind};
use crate::system::search_path;

use super::seam::{Host, SearchRoot};

/// Most tools of one run, and most entries that are explained.
const MAX_TOOLS: usize = 2_000;
const MAX_EXPLAINED: usize = 200;

/// A tool that the host sees.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Name of its directory, or of its program on PATH.
    pub name: String,
    /// `None` when only a program on PATH is there.
    pub directory: Option<PathBuf>,
    /// The source in which it was found.
    pub source: &'static str,
    pub program: Option<PathBuf>,
    pub warnings: Vec<String>,
}

/// Something that looks like a tool and is none for the host.
#[derive(Clone, Debug)]
pub struct PassedOverPath {
    pub path: PathBuf,
    pub reason: &'static str,
    pub fix: String,
}

/// One root and its result.
#[derive(Clone, Debug)]
pub struct Looked {
    pub root: SearchRoot,
    pub tools: usize,
    /// Why it could not be listed; `None` for one that does not exist.
    pub fault: Option<String>,
    pub exists: bool,
}

/// All that was found.
#[derive(Debug, Default)]
pub struct Scan {
    pub candidates: Vec<Candidate>,
    pub passed_over: Vec<PassedOverPath>,
    pub roots: Vec<Looked>,
    pub notes: Vec<String>,
}

/// The programs on PATH that count as tools.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Programs {
    /// Every one, as for the host.
    AreTools,
    /// The programs run only the tools of the roots.
    RunTools,
}

impl Scan {
    /// Looks at `roots` and at PATH.
    pub fn of(host: &dyn Host, roots: Vec<SearchRoot>, programs: Programs) -> Self {
        let mut scan = Self::default();
        let mut seen: BTreeMap<String, PathBuf> = BTreeMap::new();
        for root in roots {
            scan.root(host, root, &mut seen);
        }
        let on_path = on_path(host.prefix());
        for candidate in &mut scan.candidates {
            choose_program(host, candidate, on_path.get(&candidate.name));
        }
        if programs == Programs::AreTools {
            let alone = on_path.iter().filter(|(name, _)| !seen.contains_key(*name));
            for (name, program) in alone {
                scan.candidates.push(Candidate {
                    name: name.clone(),
                    directory: None,
                    source: "PATH",
                    program: Some(program.clone()),
                    warnings: Vec::new(),
                });
            }
        }
        if scan.candidates.len() > MAX_TOOLS {
            let left_out = scan.candidates.len() - MAX_TOOLS;
            scan.candidates.truncate(MAX_TOOLS);
            scan.notes
                .push(format!("{left_out} tools are left out: aos examines at most {MAX_TOOLS}"));
        }
        if scan.passed_over.len() > MAX_EXPLAINED {
            let left_out = scan.passed_over.len() - MAX_EXPLAINED;
            scan.passed_over.truncate(MAX_EXPLAINED);
            scan.notes.push(format!("{left_out} more entries are passed over"));
        }
        scan.candidates.sort_by(|left, right| left.name.cmp(&right.name));
        scan
    }

    fn root(&mut self, host: &dyn Host, root: SearchRoot, seen: &mut BTreeMap<String, PathBuf>) {
        let names = match files::names(&root.path) {
            Ok(names) => names,
            Err(error) => {
                let exists = error.kind() != std::io::ErrorKind::NotFound;
                let fault = exists.then(|| error.to_string());
                self.roots.push(Looked { root, tools: 0, fault, exists });
                return;
            }
        };
        let mut tools = 0;
        for name in names {
            let path = root.path.join(&name);
            let name = name.to_string_lossy().into_owned();
            match files::kind(&path) {
                Ok(Kind::Directory) if name.starts_with(host.prefix()) => match seen.get(&name) {
                    Some(winner) if *winner == path => {}
                    Some(winner) => self.passed_over.push(PassedOverPath {
                        path,
                        reason: "shadowed",
                        fix: format!("`{}` comes first; remove one of them", winner.display()),
                    }),
                    None => {
                        tools += 1;
                        seen.insert(name.clone(), path.clone());
                        self.candidates.push(Candidate {
                            name,
                            directory: Some(path),
                            source: root.source,
                            program: None,
                            warnings: Vec::new(),
                        });
                    }
                },
                Ok(Kind::Directory) if is_tool(host, &path) => {
                    self.passed_over.push(misnamed(host, path));
                }
                Ok(Kind::Symlink) if name.starts_with(host.prefix()) || is_tool(host, &path) => {
                    self.passed_over.push(PassedOverPath {
                        path,
                        reason: "link",
                        fix: "put the directory itself there, because the host skips links"
                            .to_owned(),
                    });
                }
                _ => {}
            }
        }
        self.roots.push(Looked { root, tools, fault: None, exists: true });
    }
}

fn is_tool(host: &dyn Host, directory: &Path) -> bool {
    matches!(files::kind(&directory.join(host.marker())), Ok(Kind::File { .. } | Kind::Symlink))
}

/// A tool whose directory has another name than the host expects.
fn misnamed(host: &dyn Host, path: PathBuf) -> PassedOverPath {
    let fix = format!("rename it: the name of its directory must start with `{}`", host.prefix());
    PassedOverPath { path, reason: "misnamed", fix }
}

/// Programs of the host's tools on PATH; the first directory that has one wins.
fn on_path(prefix: &str) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    for directory in search_path::directories() {
        for name in files::names(&directory).unwrap_or_default() {
            let path = directory.join(&name);
            let name = name.to_string_lossy().into_owned();
            let counts = name.starts_with(prefix)
                && matches!(files::kind(&path), Ok(Kind::File { .. } | Kind::Symlink));
            if counts && found.len() < MAX_TOOLS {
                found.entry(name).or_insert(path);
            }
        }
    }
    found
}

/// The program that the host runs for a tool with a directory.
fn choose_program(host: &dyn Host, candidate: &mut Candidate, on_path: Option<&PathBuf>) {
    let Some(directory) = &candidate.directory else { return };
    let mut own = None;
    for place in host.programs(&candidate.name) {
        let path = directory.join(&place);
        match files::kind(&path) {
            // A link counts only when it leads somewhere.
            Ok(Kind::Symlink) if files::canonical(&path).is_err() => {
                candidate.warnings.push(format!("`{place}` is a link to nothing"));
            }
            Ok(Kind::Absent) | Err(_) => {}
            Ok(_) => {
                own.get_or_insert((place, path));
            }
        }
    }
    match (on_path, own) {
        (Some(program), Some((place, path))) => {
            if !same_file(program, &path) {
                candidate.warnings.push(format!(
                    "the host looks on PATH first: it runs `{}`, not `{place}` in the directory",
                    program.display()
                ));
            }
            candidate.program = Some(program.clone());
        }
        (Some(program), None) => candidate.program = Some(program.clone()),
        (None, Some((_, path))) => candidate.program = Some(path),
        (None, None) => {}
    }
}

fn same_file(one: &Path, other: &Path) -> bool {
    matches!((files::canonical(one), files::canonical(other)), (Ok(one), Ok(other)) if one == other)
}
