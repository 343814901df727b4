//! One run: arguments in, one document out, one exit code.

mod audit_log;
mod dispatch;
mod fields;
mod full_paths;
mod help;
mod option_value;
mod output;
mod usage;

use std::ffi::OsString;

use clap::Parser as _;
use clap::error::ErrorKind;
use serde_json::Value;

use crate::cli::{Cli, Command, Format, Global};
use crate::commands::{Run, completions, registry};
use crate::report::answers::reference::ProgramText;
use crate::report::envelope;
use crate::report::{ErrorCode, Failure, Outcome, Style};
use crate::system::clock::Stopwatch;
use crate::system::{environment, interrupt, keeper, program, terminal};
use crate::visible::excerpt;
use crate::visible::{Visible, visible};

use self::output::{RunEnding, STDOUT_CLOSED, emit};

/// Runs the program with `arguments` (the program name first), and returns its exit code.
#[must_use]
pub fn main(arguments: Vec<OsString>) -> u8 {
    crate::families::install();
    crate::generate::render::watch_memory(crate::system::memory::in_use);
    if let Some(candidates) = completions::shell::asked(&arguments) {
        // A shell that no longer reads has changed its mind.
        let _ = terminal::write_stdout(&candidates);
        return 0;
    }
    let clock = Stopwatch::start();
    if let Some(exit) = keeper::serve(&arguments) {
        return exit;
    }
    interrupt::listen();
    interrupt::survive_file_size_limit();
    // A panic is a bug in aos: the caller still gets an envelope, and no backtrace.
    std::panic::set_hook(Box::new(|_| {}));
    let (arguments, help_fault) = match help::as_option(&arguments) {
        Ok(arguments) => (arguments, None),
        Err(fault) => (arguments, Some(fault)),
    };
    let parsed = Cli::try_parse_from(&arguments);
    let global = match &parsed {
        Ok(cli) => cli.global.clone(),
        Err(_) => guess_global(&arguments),
    };
    let (run, format_fault) = settings(&global);
    // Only a selection needs the names.
    let declared = match &parsed {
        Ok(cli) if !global.fields.is_empty() => {
            registry::find(dispatch::path(&cli.command)).map(registry::fields).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    let is_brief =
        matches!(&parsed, Ok(cli) if cli.command.is_brief() && cli.global.fields.is_empty());
    let is_stream = matches!(&parsed, Ok(cli) if cli.command.is_stream());
    let attempt = match &parsed {
        Ok(Cli { command, .. }) if command.is_attempt() => {
            Some(audit_log::Attempt::new(dispatch::path(command), &arguments))
        }
        _ => None,
    };
    let keeps_exit = matches!(&parsed, Ok(Cli { command: Command::Update(_), .. }));
    let answer = match (parsed, help_fault, format_fault) {
        (_, Some(fault), _) => Err(fault),
        (Err(error), ..) if is_display(&error) && global.format != Some(Format::Json) => {
            return display(&error);
        }
        (Err(error), ..) if is_display(&error) => Ok(described(&error)),
        (Err(error), ..) => Err(usage::failure(&error, &arguments)),
        (Ok(_), _, Some(fault)) => Err(fault),
        (Ok(cli), _, None) => match fields::unknown_field(&cli, &global, &declared) {
            Some(fault) => Err(fault),
            None => guarded(&cli, &run).map_err(|failure| in_full(failure, &global, &arguments)),
        },
    };
    if let Some(attempt) = attempt
        && let Err(error) = attempt.ended(&answer, clock.elapsed_ms())
        && answer.is_ok()
        && !run.quiet
    {
        terminal::write_stderr(&visible!("note: the audit log cannot be written: {}\n", error));
    }
    let answer = match answer {
        Ok(outcome) => fields::select(outcome, &global, &run, &declared),
        Err(failure) => Err(fields::narrowed(failure, &global, &declared)),
    };
    emit(answer, &global, &run, RunEnding { clock, keeps_exit, is_brief, is_stream })
}

/// An error of a call with `-C`, whose relative paths a reader could relate to another directory.
fn in_full(failure: Failure, global: &Global, arguments: &[OsString]) -> Failure {
    match (&global.directory, environment::current_directory()) {
        (Some(_), Ok(directory)) => full_paths::named(failure, arguments, &directory),
        _ => failure,
    }
}

fn guarded(cli: &Cli, run: &Run) -> Result<Outcome, Failure> {
    let work = std::panic::AssertUnwindSafe(|| {
        if let Some(directory) = &cli.global.directory {
            environment::enter(directory).map_err(|error| {
                Failure::new(
                    ErrorCode::NotFound,
                    format!("cannot change to the directory `{}`: {error}", directory.display()),
                )
                .hint("pass an existing directory to `-C`")
            })?;
        }
        raw_is_offered(&cli.command, run)?;
        fail_on_demand();
        answered(&cli.command, run)
    });
    std::panic::catch_unwind(work).unwrap_or_else(|_| {
        Err(Failure::new(ErrorCode::Unknown, "aos itself failed; this is a bug in aos").hint(
            concat!("please report the command line at ", env!("CARGO_PKG_REPOSITORY"), "/issues"),
        ))
    })
}

/// Debug builds only: lets a test see what the caller gets when aos itself fails.
#[cfg(debug_assertions)]
#[expect(clippy::panic, reason = "a test hook that release builds do not have")]
fn fail_on_demand() {
    if environment::read("AOS_TEST_PANIC").is_some() {
        panic!("a test asked for it");
    }
}

#[cfg(not(debug_assertions))]
fn fail_on_demand() {}

/// The answer of the command, with its untrusted fields named.
fn answered(command: &Command, run: &Run) -> Result<Outcome, Failure> {
    let answer = dispatch::run(command, run);
    let Some(entry) = registry::find(dispatch::path(command)) else { return answer };
    // A query has no partial state: after a signal, no response is needed.
    if entry.kind == registry::EntryKind::Query
        && !matches!(&answer, Ok(outcome) if outcome.is_silent)
    {
        interrupt::check()?;
    }
    let untrusted = registry::untrusted_fields(entry);
    match answer {
        Ok(mut outcome) => {
            if let Value::Object(data) = &mut outcome.data {
                envelope::mark_untrusted(data, untrusted);
            }
            Ok(outcome)
        }
        Err(mut failure) => {
            envelope::mark_untrusted(&mut failure.details, untrusted);
            Err(failure)
        }
    }
}

fn raw_is_offered(command: &Command, run: &Run) -> Result<(), Failure> {
    let path = dispatch::path(command);
    let offered = registry::find(path).is_some_and(|entry| entry.raw.is_some());
    if run.format == Format::Raw && !offered {
        return Err(Failure::new(ErrorCode::Validation, format!("`aos {path}` has no raw output"))
            .hint("use `--format json` or `--format text`"));
    }
    Ok(())
}

/// Format, colour and verbosity of this run; a faulty `AOS_FORMAT` is an error like any other.
fn settings(global: &Global) -> (Run, Option<Failure>) {
    let named = environment::read(environment::AOS_FORMAT);
    let from_environment = match named.as_deref() {
        Some("json") => Some(Format::Json),
        Some("text") => Some(Format::Text),
        Some("raw") => Some(Format::Raw),
        _ => None,
    };
    let flag = global.json.then_some(Format::Json).or(global.format);
    let (format, format_reason) = match (flag, from_environment) {
        (Some(format), _) => (format, "flag"),
        (None, Some(format)) => (format, "environment"),
        (None, None) if named.is_none() && terminal::stdout_is_terminal() => {
            (Format::Text, "terminal")
        }
        (None, None) => (Format::Json, "default"),
    };
    let contradicts = global.json && global.format.is_some_and(|format| format != Format::Json);
    let fault = match (flag, from_environment, named) {
        _ if contradicts => Some(
            Failure::new(ErrorCode::Usage, "`--json` contradicts `--format`")
                .hint("omit one of them"),
        ),
        (None, None, Some(value)) => {
            let shown: String = value.chars().take(40).collect();
            Some(
                Failure::new(
                    ErrorCode::Config,
                    format!("`{}` in AOS_FORMAT is not a format", excerpt(&shown, 200)),
                )
                .hint("set it to json, text or raw, or unset it"),
            )
        }
        _ => None,
    };
    let color = format == Format::Text && terminal::stdout_has_color();
    let style = Style { color };
    let directory = global.directory.clone();
    (Run { format, format_reason, style, quiet: global.quiet, directory }, fault)
}

/// The global options of a command line that could not be parsed, as far as they can be seen.
fn guess_global(arguments: &[OsString]) -> Global {
    let mut global = Global::default();
    let mut words = arguments.iter().skip(1).filter_map(|word| word.to_str()).peekable();
    while let Some(word) = words.next() {
        let format = match word {
            "--json" => Some("json"),
            "--format" => words.peek().copied(),
            "--compact" => {
                global.compact = true;
                None
            }
            _ => word.strip_prefix("--format="),
        };
        match format {
            Some("json") => global.format = Some(Format::Json),
            Some("text") => global.format = Some(Format::Text),
            _ => {}
        }
    }
    global
}

fn is_display(error: &clap::Error) -> bool {
    matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion)
}

fn display(error: &clap::Error) -> u8 {
    let text = Visible::help(&error.render(), terminal::stdout_has_color());
    if terminal::write_stdout(&text).is_err() { STDOUT_CLOSED } else { 0 }
}

/// Help or version as data, for a caller that asked for JSON.
fn described(error: &clap::Error) -> Outcome {
    let text = error.render().to_string();
    let shown = Visible::block(text.trim_end());
    let data = match error.kind() {
        ErrorKind::DisplayVersion => {
            ProgramText { tool: "aos", version: Some(program::version()), help: None }
        }
        _ => ProgramText { tool: "aos", version: None, help: Some(text) },
    };
    Outcome::new(data, shown)
}
