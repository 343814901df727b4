//! `aos wire` for adapters: what one more harness changes in a checkout of the orchestrator. Plans only; writes nothing.

mod adapter;
mod anchor;
pub mod checkout;
mod migration;
mod places;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::json;

use crate::inputs::project::Project;
use crate::inputs::tree;
use crate::plan::{Content, FileSet, RelativePath};
use crate::report::{ErrorCode, Failure};
use crate::system::files;
use crate::workflows::wire::seam::{Instruction, Wirer, Wiring, WiringRequest};

use adapter::Adapter;
use anchor::LostAnchor;
use checkout::OrchestratorCheckout;
use migration::{MIGRATIONS, Migration};
use places::{HARNESSES, WiringPlace};

/// Largest go.work that is read, in bytes.
const MAX_GO_WORK: u64 = 64 * 1024;
/// Most lost anchors that one answer names.
const MAX_LOST: usize = 20;

pub struct AdapterWirer;

impl Wirer for AdapterWirer {
    fn wiring(&self, request: &WiringRequest<'_>) -> Result<Wiring, Failure> {
        let adapter = Adapter::read(request.project)?;
        let checkout = OrchestratorCheckout::open(request.checkout)?;
        let inside = request.checkout.join(adapter.directory());
        if request.project.root.starts_with(inside) {
            let message = "the adapter is already in its directory in the checkout";
            return Err(Failure::new(ErrorCode::Validation, message).hint(
                "move the project out of the checkout; `aos wire` copies its files into the checkout",
            ));
        }
        if request.undo {
            return undone(&adapter, &checkout);
        }
        let mut wiring = wired(&adapter, &checkout)?;
        if builds_against(request.project, request.checkout) {
            wiring.notes.push(
                "`go.work` of the adapter names this checkout, so Go now finds the package twice: remove go.work, or test in the checkout"
                    .to_owned(),
            );
        }
        Ok(wiring)
    }
}

/// True if go.work of the project replaces the orchestrator by this checkout.
fn builds_against(project: &Project, checkout: &Path) -> bool {
    let loaded = files::read(&project.root.join("go.work"), MAX_GO_WORK);
    let text = loaded.ok().and_then(|loaded| String::from_utf8(loaded.bytes).ok());
    let backend = checkout.join("backend").display().to_string();
    text.is_some_and(|text| text.lines().any(|line| line.trim_end().ends_with(&backend)))
}

/// Texts of the checkout with some of the edits in them.
struct WiringTexts<'a> {
    checkout: &'a OrchestratorCheckout<'a>,
    texts: BTreeMap<&'static str, WiringText>,
}

struct WiringText {
    old: String,
    new: String,
    /// Whether lines end with CRLF.
    is_crlf: bool,
}

impl WiringTexts<'_> {
    fn get(&mut self, path: &'static str) -> Result<Option<&mut WiringText>, Failure> {
        if !self.texts.contains_key(path) {
            let Some(old) = self.checkout.text(path)? else { return Ok(None) };
            let new = old.replace("\r\n", "\n");
            let is_crlf = old.contains("\r\n");
            self.texts.insert(path, WiringText { old, new, is_crlf });
        }
        Ok(self.texts.get_mut(path))
    }

    /// The files that are different now.
    fn into_files(self) -> Result<FileSet, Failure> {
        let mut files = FileSet::default();
        for (path, text) in self.texts {
            let new = if text.is_crlf { text.new.replace('\n', "\r\n") } else { text.new };
            if new != text.old {
                insert(&mut files, path, new)?;
            }
        }
        Ok(files)
    }
}

fn insert(files: &mut FileSet, path: &str, text: String) -> Result<(), Failure> {
    let failed =
        |error: &dyn std::fmt::Display| Failure::new(ErrorCode::Validation, error.to_string());
    let place = RelativePath::parse(path).map_err(|error| failed(&error))?;
    files.insert(place, Content::plain(text)).map_err(|error| failed(&error))
}

fn wired(adapter: &Adapter, checkout: &OrchestratorCheckout<'_>) -> Result<Wiring, Failure> {
    let known = checkout.harnesses()?;
    let mut places = places::all(adapter, &known);
    let mut lost = Vec::new();
    let existing = Migration::existing(&adapter.id, &checkout.migrations);
    let burned = checkout.text(places::ledger("", 0, "").path)?.unwrap_or_default();
    let migration = existing.clone().unwrap_or_else(|| {
        Migration::next(&adapter.id, &checkout.migrations, &migration::burned(&burned))
    });
    places.push(places::ledger(&adapter.id, migration.version, &migration.name));
    let mut texts = WiringTexts { checkout, texts: BTreeMap::new() };
    is_free(adapter, &known, &places, &mut texts)?;
    let mut instructions = Vec::new();
    for place in places {
        let text = texts.get(place.path)?;
        let put = match &text {
            Some(text) => place.change.put(&text.new),
            None => Err(LostAnchor { looked_for: "the file".to_owned() }),
        };
        match (put, text) {
            (Ok(Some(new)), Some(text)) => text.new = new,
            (Ok(_), _) => {}
            (Err(LostAnchor { looked_for }), _) if place.is_needed => {
                lost.push((place.path.to_owned(), looked_for));
            }
            (Err(_), None) => {}
            (Err(_), Some(_)) => instructions.push(Instruction::of(place.path, place.what)),
        }
    }
    let mut wanted = texts.into_files()?;
    if existing.is_none() {
        match checkout.list(&migration.name, &known)? {
            Ok(list) => {
                let path = format!("{MIGRATIONS}/{}", migration.name);
                insert(&mut wanted, &path, migration::text(&adapter.id, &list))?;
            }
            Err(LostAnchor { looked_for }) => lost.push((MIGRATIONS.to_owned(), looked_for)),
        }
    }
    if !lost.is_empty() {
        return Err(refused(&lost));
    }
    let extended = wanted.extend(adapter.files.clone());
    extended.map_err(|error| Failure::new(ErrorCode::Validation, error.to_string()))?;
    instructions.extend(by_hand(adapter));
    let notes = strangers(adapter, checkout);
    Ok(Wiring { wanted, unwanted: BTreeSet::new(), instructions, notes, ..names(adapter) })
}

fn undone(adapter: &Adapter, checkout: &OrchestratorCheckout<'_>) -> Result<Wiring, Failure> {
    let known = checkout.harnesses()?;
    let mut places = places::all(adapter, &known);
    let mut texts = WiringTexts { checkout, texts: BTreeMap::new() };
    // The lists of a harness that is the orchestrator's own have the same lines.
    is_free(adapter, &known, &places, &mut texts)?;
    let mut unwanted: BTreeSet<_> = adapter.files.paths().cloned().collect();
    let mut notes = Vec::new();
    if let Some(found) = Migration::existing(&adapter.id, &checkout.migrations) {
        let path = format!("{MIGRATIONS}/{}", found.name);
        let list = checkout.list(&found.name, &known)?;
        let ours = list.map(|list| migration::text(&adapter.id, &list)).ok();
        let text = checkout.text(&path)?.map(|text| text.replace("\r\n", "\n"));
        match (RelativePath::parse(&path), text == ours) {
            (Ok(path), true) => {
                unwanted.insert(path);
                places.push(places::ledger(&adapter.id, found.version, &found.name));
            }
            _ => notes.push(format!("`{path}` differs from what `aos wire` writes and was kept")),
        }
    }
    for place in places {
        if let Some(text) = texts.get(place.path)?
            && let Some(new) = place.change.taken(&text.new)
        {
            text.new = new;
        }
    }
    let names_it = [format!("\"{}\"", adapter.id), format!("{}\"", adapter.directory())];
    for (path, text) in &texts.texts {
        if let Some(line) =
            text.new.lines().position(|line| names_it.iter().any(|name| line.contains(name)))
        {
            notes.push(format!(
                "line {} of `{path}` names the adapter, but differs from what `aos wire` writes; it was kept",
                line + 1
            ));
        }
    }
    let wanted = texts.into_files()?;
    notes.extend(strangers(adapter, checkout));
    Ok(Wiring { wanted, unwanted, instructions: Vec::new(), notes, ..names(adapter) })
}

/// The names of the adapter, what aos itself wrote of it, and the directory that it has in the checkout.
fn names(adapter: &Adapter) -> Wiring {
    Wiring {
        harness: adapter.id.clone(),
        package: adapter.package.clone(),
        directory: adapter.directory(),
        written: adapter
            .files
            .iter()
            .map(|(path, content)| (path.clone(), content.digest()))
            .collect(),
        ..Wiring::default()
    }
}

/// Refuses an id or a constant that is there already, unless `aos wire` put it there.
fn is_free(
    adapter: &Adapter,
    known: &BTreeSet<String>,
    places: &[WiringPlace],
    texts: &mut WiringTexts<'_>,
) -> Result<(), Failure> {
    let constant = adapter.constant();
    let Some(text) = texts.get(HARNESSES)? else { return Ok(()) };
    // The first position is the constant, with a comment that only aos writes.
    let is_ours = places.first().is_some_and(|place| place.change.taken(&text.new).is_some());
    let mut words = text.new.split(|symbol: char| !symbol.is_ascii_alphanumeric() && symbol != '_');
    if is_ours || !known.contains(&adapter.id) && !words.any(|word| word == constant) {
        return Ok(());
    }
    let id = &adapter.id;
    Err(Failure::new(
        ErrorCode::Conflict,
        format!("the orchestrator already has a harness `{id}`, which `aos wire` did not add"),
    )
    .hint("use another id: create the adapter again with `aos new` under another name; remove lines that were edited yourself")
    .detail("path", HARNESSES))
}

/// Files of the package's directory that are not the adapter's.
fn strangers(adapter: &Adapter, checkout: &OrchestratorCheckout<'_>) -> Vec<String> {
    let found = tree::listing(checkout.root, &adapter.directory()).unwrap_or_default();
    let is_strange = |path: &&String| {
        RelativePath::parse(path).map_or(true, |path| adapter.files.get(&path).is_none())
    };
    let paths = found.iter().filter(is_strange);
    paths.map(|path| format!("`{path}` is not a file of the adapter and was kept")).collect()
}

fn refused(lost: &[(String, String)]) -> Failure {
    let (path, looked_for) =
        lost.first().map_or(("", ""), |(path, looked_for)| (path.as_str(), looked_for.as_str()));
    let more = match lost.len() {
        0 | 1 => String::new(),
        count => format!(", and {} more positions were not found", count - 1),
    };
    let all: Vec<_> = lost
        .iter()
        .take(MAX_LOST)
        .map(|(path, looked_for)| json!({"path": path, "looked_for": looked_for}))
        .collect();
    Failure::new(
        ErrorCode::Conflict,
        format!("the position for the adapter was not found in `{path}`: looked for `{looked_for}`{more}"),
    )
    .hint("edit the file yourself as docs/WIRING.md of the adapter describes, or use an aos that supports this orchestrator")
    .detail("lost", all)
}

/// Places that no anchor can find.
fn by_hand(adapter: &Adapter) -> Vec<Instruction> {
    let id = &adapter.id;
    vec![
        Instruction::of(
            "frontend",
            format!("add `{id}` to the options of agents, and a picture if it has one"),
        ),
        Instruction::of("docs/STATUS.md", "count the adapter in the list of adapters".to_owned()),
    ]
}
