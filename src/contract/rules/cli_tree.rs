//! The command line that the Python sources show: click groups, commands, options, and handlers registered by id.
//!
//! Reading only. Where the sources build commands at run time the tree says that it is not complete.

use std::collections::BTreeMap;

use super::super::python_source::{Decorated, Decorator};
use super::collector::Source;
use super::subject::Subject;

/// A command found in the sources.
#[derive(Debug)]
pub(super) struct CliCommand<'a> {
    /// Words of the command line, joined by dots.
    pub path: String,
    pub options: Vec<&'a str>,
    /// It takes positional arguments.
    pub takes_arguments: bool,
    pub source: &'a Source<'a>,
    pub at: usize,
}

#[derive(Debug, Default)]
pub(super) struct CliTree<'a> {
    /// Commands made by click decorators.
    pub commands: Vec<CliCommand<'a>>,
    /// Handlers registered with `@command("issue.list")`, by id.
    pub handlers: Vec<CliCommand<'a>>,
    /// Everything that can be run was found.
    pub is_complete: bool,
    /// Index into `commands` by path, with `_` for `-`.
    by_words: BTreeMap<String, Vec<usize>>,
}

struct Group<'a> {
    /// Names it may go by: the stated one, or what click derives from the function.
    names: Vec<String>,
    parent: &'a str,
    is_root: bool,
}

impl<'a> CliTree<'a> {
    pub fn read(subject: &'a Subject<'_>) -> Self {
        let mut groups: BTreeMap<&str, Group<'_>> = BTreeMap::new();
        let mut commands: Vec<(&Source<'_>, &Decorated<'_>, &Decorator<'_>)> = Vec::new();
        let mut tree = Self { is_complete: true, ..Self::default() };
        for file in &subject.python {
            tree.is_complete &= !file.content.adds_commands;
            for decorated in &file.content.decorated {
                for decorator in &decorated.decorators {
                    match (decorator.target, decorator.method) {
                        ("click", "group") | ("", "group") => {
                            let names = names(decorator, decorated.function);
                            let group = Group { names, parent: "", is_root: true };
                            tree.is_complete &= groups.insert(decorated.function, group).is_none();
                        }
                        ("click", "command") => tree.is_complete = false,
                        ("", "command") => tree.handlers.extend(handler(&file.source, decorator)),
                        (target, "group") => {
                            let names = names(decorator, decorated.function);
                            let group = Group { names, parent: target, is_root: false };
                            tree.is_complete &= groups.insert(decorated.function, group).is_none();
                        }
                        (_, "command") => commands.push((&file.source, decorated, decorator)),
                        _ => {}
                    }
                }
            }
        }
        for (source, decorated, decorator) in commands {
            let Some(prefixes) = prefixes(&groups, decorator.target, 0) else {
                tree.is_complete = false;
                continue;
            };
            // Names that click derives depend on its version: any of them may be meant.
            for name in names(decorator, decorated.function) {
                for prefix in &prefixes {
                    tree.commands.push(CliCommand {
                        path: format!("{prefix}{name}"),
                        options: options(decorated),
                        takes_arguments: decorated
                            .decorators
                            .iter()
                            .any(|d| d.method == "argument"),
                        source,
                        at: decorator.at,
                    });
                }
            }
        }
        for (index, command) in tree.commands.iter().enumerate() {
            tree.by_words.entry(command.path.replace('-', "_")).or_default().push(index);
        }
        tree
    }

    /// The command that a manifest id runs: by its exact words, else by words that differ in `-` and `_`.
    pub fn find(&self, id: &str) -> Option<&CliCommand<'a>> {
        let alike = self.by_words.get(&id.replace('-', "_"))?;
        let commands = || alike.iter().filter_map(|index| self.commands.get(*index));
        commands().find(|command| command.path == id).or_else(|| commands().next())
    }
}

fn handler<'a>(source: &'a Source<'a>, decorator: &Decorator<'a>) -> Option<CliCommand<'a>> {
    let path = (*decorator.strings.first()?).to_owned();
    Some(CliCommand { path, options: Vec::new(), takes_arguments: false, source, at: decorator.at })
}

/// Dotted prefixes of a group's commands; `None` when the group is not known.
fn prefixes(groups: &BTreeMap<&str, Group<'_>>, target: &str, depth: usize) -> Option<Vec<String>> {
    let name = target.rsplit('.').next().unwrap_or(target);
    let group = groups.get(name)?;
    if group.is_root {
        return Some(vec![String::new()]);
    }
    if depth > 8 {
        return None;
    }
    let parents = prefixes(groups, group.parent, depth + 1)?;
    let joined = |parent: &String| {
        group.names.iter().map(move |name| format!("{parent}{name}.")).collect::<Vec<_>>()
    };
    Some(parents.iter().flat_map(joined).take(16).collect())
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
