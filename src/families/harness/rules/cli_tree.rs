//! The command line that the Python sources show: click groups, commands, options, and handlers registered by id.
//!
//! Reading only. Where the sources build commands at run time the tree says that it is not complete.

use std::collections::BTreeMap;

use super::super::python_source::{Decorated, Decorator};
use super::subject::{ConnectorSubject, HARNESS};
use crate::contract::rules::collector::SourceText;
use crate::contract::rules::documented::alike;

/// A command found in the sources.
#[derive(Debug)]
pub(super) struct CliCommand<'a> {
    /// The arguments of the command line: a dot in one of them does not separate groups.
    pub words: Vec<String>,
    pub options: Vec<&'a str>,
    /// It takes positional arguments.
    pub takes_arguments: bool,
    /// It fails without an option or an argument.
    pub needs_input: bool,
    pub source: &'a SourceText<'a>,
    pub at: usize,
}

/// A function registered with `@command("issue.list")`.
#[derive(Debug)]
pub(super) struct Handler<'a> {
    pub id: &'a str,
    pub source: &'a SourceText<'a>,
    pub at: usize,
}

#[derive(Debug, Default)]
pub(super) struct CliTree<'a> {
    /// Commands made by click decorators.
    pub commands: Vec<CliCommand<'a>>,
    pub handlers: Vec<Handler<'a>>,
    /// Everything that can be run was found.
    pub is_complete: bool,
    /// Index into `commands` by words that are alike.
    by_words: BTreeMap<String, Vec<usize>>,
}

impl<'a> CliTree<'a> {
    pub fn read(subject: &'a ConnectorSubject<'_>) -> Self {
        let parts = PathParts::read(subject);
        let paths = parts.paths(subject);
        let mut tree = Self { is_complete: parts.is_complete, ..Self::default() };
        tree.handlers = parts.handlers.iter().filter_map(|part| part.handler()).collect();
        tree.is_complete &= paths.iter().all(|paths| !paths.is_empty());
        for command in &parts.commands {
            tree.is_complete &= !command.hangs.is_empty();
            for hang in &command.hangs {
                let Some(paths) = hang.group.and_then(|group| paths.get(group)) else {
                    tree.is_complete = false;
                    continue;
                };
                // Names that click derives depend on its version: any of them may be the name.
                for name in hang.names(&command.part) {
                    for path in paths {
                        tree.commands.push(command.part.command(path, &name));
                    }
                }
            }
        }
        for (index, command) in tree.commands.iter().enumerate() {
            tree.by_words.entry(alike(&command.words.join("."))).or_default().push(index);
        }
        tree
    }

    /// The command that a manifest id runs: by its exact words, else by words that differ in `-`, `_` and dots.
    pub fn find(&self, id: &str) -> Option<&CliCommand<'a>> {
        let places = self.by_words.get(&alike(id))?;
        let commands = || places.iter().filter_map(|index| self.commands.get(*index));
        commands().find(|command| command.answers_to(id)).or_else(|| commands().next())
    }
}

impl CliCommand<'_> {
    /// The host sends the segments of the id, and they are the words of this command.
    pub fn answers_to(&self, id: &str) -> bool {
        id.split('.').eq(self.words.iter().map(String::as_str))
    }
}

/// Deeper groups, and groups that hang in more places, are not followed.
const MAX_DEPTH: usize = 8;
const MAX_PATHS: usize = 16;

/// A decorated function.
#[derive(Clone, Copy)]
struct TreePart<'a> {
    source: &'a SourceText<'a>,
    decorated: &'a Decorated<'a>,
    decorator: &'a Decorator<'a>,
}

impl<'a> TreePart<'a> {
    fn handler(&self) -> Option<Handler<'a>> {
        let id = *self.decorator.strings.first()?;
        Some(Handler { id, source: self.source, at: self.decorator.at })
    }

    fn command(&self, path: &[String], name: &str) -> CliCommand<'a> {
        let words = path.iter().cloned().chain([name.to_owned()]).collect();
        CliCommand {
            words,
            options: options(self.decorated),
            needs_input: self.needs_input(),
            takes_arguments: self.decorated.decorators.iter().any(|d| d.method == "argument"),
            source: self.source,
            at: self.decorator.at,
        }
    }
}

impl TreePart<'_> {
    /// Judged by the text of each decorator, which ends where the next one begins.
    fn needs_input(&self) -> bool {
        let decorators = &self.decorated.decorators;
        decorators.iter().any(|decorator| {
            let end = decorators.iter().map(|other| other.at).filter(|at| *at > decorator.at).min();
            let end = end.unwrap_or(decorator.at.saturating_add(MAX_DECORATOR));
            let bytes = self.source.bytes;
            let text = bytes.get(decorator.at..end.min(bytes.len())).unwrap_or_default();
            let text =
                text.split(|byte| *byte == b'\n').take_while(|line| !line.starts_with(b"def "));
            let text: Vec<u8> = text.flatten().copied().filter(|byte| *byte != b' ').collect();
            let has = |word: &[u8]| text.windows(word.len()).any(|window| window == word);
            match decorator.method {
                "option" => has(b"required=True"),
                "argument" => !has(b"required=False") && !has(b"default=") && !has(b"nargs=-1"),
                _ => false,
            }
        })
    }
}

/// Longest text of a decorator that is looked at.
const MAX_DECORATOR: usize = 2_000;

/// The place at which a group or command is added to another group; the group is absent if it is unknown.
struct Hang<'a> {
    group: Option<usize>,
    /// The name given there, before any of its own.
    name: Option<&'a str>,
}

impl Hang<'_> {
    fn names(&self, part: &TreePart<'_>) -> Vec<String> {
        match self.name {
            Some(name) => vec![name.to_owned()],
            None => names(part.decorator, part.decorated.function),
        }
    }
}

struct Hung<'a> {
    part: TreePart<'a>,
    hangs: Vec<Hang<'a>>,
}

/// The decorated functions of the sources, before they are put together.
#[derive(Default)]
struct PathParts<'a> {
    groups: Vec<Hung<'a>>,
    commands: Vec<Hung<'a>>,
    handlers: Vec<TreePart<'a>>,
    is_complete: bool,
}

impl<'a> PathParts<'a> {
    fn read(subject: &'a ConnectorSubject<'_>) -> Self {
        let mut parts = Self { is_complete: true, ..Self::default() };
        for file in &subject.python {
            parts.is_complete &= !file.content.adds_commands;
            for decorated in &file.content.decorated {
                for decorator in &decorated.decorators {
                    let part = TreePart { source: &file.source, decorated, decorator };
                    match (decorator.target, decorator.method) {
                        ("", "command") => parts.handlers.push(part),
                        (_, "group") => parts.groups.push(Hung { part, hangs: Vec::new() }),
                        (_, "command") => parts.commands.push(Hung { part, hangs: Vec::new() }),
                        _ => {}
                    }
                }
            }
        }
        parts.hang_decorated();
        parts.hang_added(subject);
        parts
    }

    /// `@issue.command("list")`: the decorator says where.
    fn hang_decorated(&mut self) {
        let index = Index::of(&self.groups);
        let hang = |part: &TreePart<'a>| {
            let target = part.decorator.target;
            let group = index.find(last(target), part.source.path);
            (!matches!(target, "" | "click")).then_some(Hang { group, name: None })
        };
        let groups: Vec<_> = self.groups.iter().map(|group| hang(&group.part)).collect();
        let commands: Vec<_> = self.commands.iter().map(|command| hang(&command.part)).collect();
        for (hung, hang) in self.groups.iter_mut().zip(groups) {
            hung.hangs.extend(hang);
        }
        for (hung, hang) in self.commands.iter_mut().zip(commands) {
            hung.hangs.extend(hang);
        }
    }

    /// `issue.add_command(list_issues)`: a statement elsewhere says where.
    fn hang_added(&mut self, subject: &'a ConnectorSubject<'_>) {
        let groups = Index::of(&self.groups);
        let commands = Index::of(&self.commands);
        for file in &subject.python {
            for added in &file.content.added {
                let path = file.source.path;
                let hang = Hang { group: groups.find(added.target, path), name: added.name };
                let hung = match groups.find(added.command, path) {
                    Some(group) => self.groups.get_mut(group),
                    None => commands
                        .find(added.command, path)
                        .and_then(|command| self.commands.get_mut(command)),
                };
                match hung {
                    Some(hung) => hung.hangs.push(hang),
                    None => self.is_complete = false,
                }
            }
        }
    }

    /// The words that lead to each group; none when it hangs nowhere that is known.
    fn paths(&self, subject: &ConnectorSubject<'_>) -> Vec<Vec<Vec<String>>> {
        let mut paths: Vec<Vec<Vec<String>>> = vec![Vec::new(); self.groups.len()];
        let mut below: Vec<Vec<(usize, &Hang<'_>)>> = self.groups.iter().map(|_| vec![]).collect();
        for (child, group) in self.groups.iter().enumerate() {
            for hang in &group.hangs {
                if let Some(children) = hang.group.and_then(|parent| below.get_mut(parent)) {
                    children.push((child, hang));
                }
            }
        }
        let Some(root) = self.root(subject) else { return paths };
        let mut level = vec![(root, Vec::new())];
        paths[root].push(Vec::new());
        for _ in 0..MAX_DEPTH {
            let mut next = Vec::new();
            for (parent, path) in &level {
                for (child, hang) in &below[*parent] {
                    for name in hang.names(&self.groups[*child].part) {
                        let path: Vec<String> = path.iter().cloned().chain([name]).collect();
                        if *child != root && paths[*child].len() < MAX_PATHS {
                            paths[*child].push(path.clone());
                            next.push((*child, path));
                        }
                    }
                }
            }
            level = next;
        }
        paths
    }

    /// The group that the script runs: named by it, else the only one that is not added to another group.
    fn root(&self, subject: &ConnectorSubject<'_>) -> Option<usize> {
        let project = subject.pyproject.as_ref().and_then(|file| file.project.as_ref().ok());
        let entry = project.and_then(|project| project.scripts.first());
        let entry = entry.and_then(|(_, entry)| entry.value.split_once(':'));
        let (module, function) = entry.unwrap_or_default();
        let module = module.trim().replace('.', "/");
        let is_entry = |group: &Hung<'_>| {
            let path = group.part.source.path.strip_prefix(HARNESS).unwrap_or_default();
            let path = path.strip_prefix("src/").unwrap_or(path).strip_suffix(".py");
            path.is_some_and(|path| path.strip_suffix("/__init__").unwrap_or(path) == module)
        };
        let is_named = |group: &Hung<'_>| group.part.decorated.function == function.trim();
        let is_free = |group: &Hung<'_>| group.hangs.is_empty();
        let only = |wanted: &dyn Fn(&Hung<'_>) -> bool| {
            let mut found = self.groups.iter().enumerate().filter(|(_, group)| wanted(group));
            found.next().map(|(index, _)| index).filter(|_| found.next().is_none())
        };
        only(&|group| is_named(group) && is_entry(group))
            .or_else(|| only(&|group| is_named(group) && is_free(group)))
            .or_else(|| only(&is_free))
            .or_else(|| only(&|group| is_free(group) && is_entry(group)))
    }
}

/// Functions by name; the same name in two files is told apart only by the file that uses it.
struct Index<'a> {
    places: BTreeMap<&'a str, Vec<(&'a str, usize)>>,
}

impl<'a> Index<'a> {
    fn of(hung: &[Hung<'a>]) -> Self {
        let mut places: BTreeMap<&str, Vec<(&str, usize)>> = BTreeMap::new();
        for (index, hung) in hung.iter().enumerate() {
            let place = (hung.part.source.path, index);
            places.entry(hung.part.decorated.function).or_default().push(place);
        }
        Self { places }
    }

    fn find(&self, name: &str, path: &str) -> Option<usize> {
        let places = self.places.get(name)?;
        let mut here = places.iter().filter(|(place, _)| *place == path);
        match (here.next(), here.next(), places.as_slice()) {
            (Some((_, index)), None, _) | (None, _, [(_, index)]) => Some(*index),
            _ => None,
        }
    }
}

fn last(dotted: &str) -> &str {
    dotted.rsplit('.').next().unwrap_or(dotted)
}

/// The stated name, or the names click derives: dashes for underscores, since 8.2 without a kind at the end.
fn names(decorator: &Decorator<'_>, function: &str) -> Vec<String> {
    if let Some(name) = decorator.strings.first() {
        return vec![(*name).to_owned()];
    }
    let dashed = function.to_lowercase().replace('_', "-");
    let kinds = ["-command", "-cmd", "-group", "-grp"];
    let short = kinds.iter().find_map(|kind| dashed.strip_suffix(kind)).map(str::to_owned);
    std::iter::once(dashed.clone()).chain(short).collect()
}

fn options<'a>(decorated: &Decorated<'a>) -> Vec<&'a str> {
    let options = decorated.decorators.iter().filter(|decorator| decorator.method == "option");
    let names = options.flat_map(|option| option.strings.iter().copied());
    // `--force/--no-force` declares both.
    names
        .flat_map(|name| name.split('/'))
        .map(str::trim)
        .filter(|name| name.starts_with('-'))
        .collect()
}
