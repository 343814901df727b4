//! Completions: the candidates that a shell requests while a line is typed, with the values of this build.

use std::ffi::OsString;

use clap::{Command, CommandFactory as _};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::Shells;

use crate::audit::rules;
use crate::cli::Cli;
use crate::conform::family;
use crate::contract::Family;
use crate::inputs::{embedded, template};
use crate::system::environment;
use crate::visible::Visible;

/// Longest line that is completed, in words.
const MAX_WORDS: usize = 512;

type Values = fn() -> Vec<(String, String)>;

/// Options and the values that they take: the command (empty for all), the name of the argument, and the values with one
/// line of help each.
const VALUES: &[(&str, &str, Values)] = &[
    ("", "template", template_names),
    ("", "preset", presets),
    ("", "set", answers),
    ("", "spec", tags_and_latest),
    ("sync-spec", "to", tags_and_latest),
    ("conform", "tag", tags),
    ("conform", "family", families),
    ("conform", "probe", probes),
    ("conform", "explain", probes),
    ("check", "rule", rules_by_id),
    ("check", "explain", rules_by_id),
    ("", "runtime", runtimes),
];

/// The command line with the values of its options.
#[must_use]
pub fn command() -> Command {
    let names = |command: &Command| -> Vec<String> {
        command.get_subcommands().map(|each| each.get_name().to_owned()).collect()
    };
    let mut whole = Cli::command();
    for name in names(&whole) {
        whole = whole.mut_subcommand(&name, |inner| {
            let deeper = names(&inner);
            let inner = with_values(inner, &name);
            deeper.into_iter().fold(inner, |inner, each| {
                inner.mut_subcommand(each, |deep| with_values(deep, &name))
            })
        });
    }
    whole
}

/// The values that an argument of the command `name` takes; empty if they are free.
#[must_use]
pub fn values(name: &str, id: &str) -> Vec<String> {
    let of = |(of, argument, _): &&(&str, &str, Values)| {
        *argument == id && (of.is_empty() || *of == name)
    };
    let found = VALUES.iter().find(of).map(|(_, _, values)| values());
    found.into_iter().flatten().map(|(value, _)| value).collect()
}

fn with_values(command: Command, name: &str) -> Command {
    let has = |command: &Command, id: &str| {
        command.get_arguments().any(|argument| argument.get_id() == id)
    };
    VALUES.iter().fold(command, |command, (of, id, values)| {
        if !(of.is_empty() || *of == name) || !has(&command, id) {
            return command;
        }
        let values = *values;
        let candidates = move || {
            let new = |(value, help): (String, String)| {
                let help = (!help.is_empty()).then(|| help.into());
                CompletionCandidate::new(value).help(help)
            };
            values().into_iter().map(new).collect::<Vec<_>>()
        };
        command.mut_arg(id, |argument| argument.add(ArgValueCandidates::new(candidates)))
    })
}

/// The script that makes a shell ask aos.
#[must_use]
pub fn script(shell: &str) -> Option<String> {
    let mut script = Vec::new();
    let shells = Shells::builtins();
    let shell = shells.completer(shell)?;
    shell.write_registration(environment::AOS_COMPLETE, "aos", "aos", "aos", &mut script).ok()?;
    String::from_utf8(script).ok()
}

/// Returns the candidates that can follow `arguments` when a shell asks for them; `None` in every other run.
///
/// A candidate that holds a control character, such as the name of a file, is left out: a shell would type it.
#[must_use]
pub fn asked(arguments: &[OsString]) -> Option<Visible> {
    let shell = environment::read(environment::AOS_COMPLETE).filter(|shell| !shell.is_empty())?;
    let words = arguments.iter().skip(1).skip_while(|word| *word != "--").skip(1);
    let words: Vec<_> = words.take(MAX_WORDS).cloned().collect();
    let shells = Shells::builtins();
    let shell = shells.completer(&shell)?;
    let mut answer = Vec::new();
    let here = environment::current_directory().ok();
    if !words.is_empty() {
        // A line that cannot be completed has no candidates.
        let _ = shell.write_complete(&mut command(), words, here.as_deref(), &mut answer);
    }
    let separator = match environment::read(environment::CLAP_IFS).as_deref() {
        Some("\u{b}") => "\u{b}",
        _ => "\n",
    };
    let answer = String::from_utf8_lossy(&answer);
    let clean = answer.split(separator).filter(|line| !line.is_empty()).filter_map(|line| {
        let shown = Visible::content(line);
        (shown.as_str() == line).then_some(shown)
    });
    Some(Visible::joined(clean, separator))
}

fn template_names() -> Vec<(String, String)> {
    let found = template::names().into_iter().filter_map(|name| {
        let summary = template::find(&name).ok()??.info.summary;
        Some((name, template::shown_text(&summary)))
    });
    found.collect()
}

fn presets() -> Vec<(String, String)> {
    let mut names: Vec<_> = template::names()
        .iter()
        .flat_map(|template| embedded::preset_names(template))
        .chain([embedded::EXAMPLE_PRESET])
        .map(|name| (name.to_owned(), String::new()))
        .collect();
    names.sort();
    names.dedup();
    names
}

fn answers() -> Vec<(String, String)> {
    let mut keys: Vec<_> = template::names()
        .into_iter()
        .filter_map(|name| template::find(&name).ok()?)
        .flat_map(|found| found.info.questions)
        .map(|question| (format!("{}=", question.key), template::shown_text(&question.help)))
        .collect();
    keys.sort();
    keys.dedup_by(|left, right| left.0 == right.0);
    keys
}

fn tags() -> Vec<(String, String)> {
    let mut found: Vec<_> = Family::all()
        .iter()
        .flat_map(|family| embedded::tags(*family))
        .map(|tag| (tag.as_str().to_owned(), String::new()))
        .collect();
    found.sort();
    found.dedup();
    found
}

fn tags_and_latest() -> Vec<(String, String)> {
    let newest = ("latest".to_owned(), "the newest tag in this build".to_owned());
    tags().into_iter().chain([newest]).collect()
}

fn families() -> Vec<(String, String)> {
    Family::all().iter().map(|family| (family.name().to_owned(), String::new())).collect()
}

fn probes() -> Vec<(String, String)> {
    family::all().iter().map(|probe| (probe.id.to_owned(), probe.title.to_owned())).collect()
}

fn rules_by_id() -> Vec<(String, String)> {
    rules::all().map(|rule| (rule.id.to_owned(), rule.summary.to_owned())).collect()
}

fn runtimes() -> Vec<(String, String)> {
    let names = ["python", "node"];
    names.iter().map(|name| ((*name).to_owned(), String::new())).collect()
}
