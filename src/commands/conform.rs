//! `aos conform`: runs a tool and tests its behaviour against its contract.

use std::path::PathBuf;

use clap::Args;

use crate::report::{Failure, Outcome};
use crate::workflows::conform::{self, ConformRequest};

use super::Run;

/// Run a tool and test its behaviour against its contract
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  aos conform\n  aos conform ../aos-github --probe harness.one-document\n  aos conform --family harness -- ./aos-github\n  aos conform --report junit=conform.xml\n  aos conform --recursive ~/connectors"
)]
pub struct ConformArgs {
    /// Project directory; the default is the current directory
    #[arg(value_name = "PATH", conflicts_with_all = ["list", "explain", "command"])]
    pub path: Option<PathBuf>,
    /// Run the tool of every project below this directory, one after the other
    #[arg(long, value_name = "ROOT", conflicts_with_all = ["path", "list", "explain", "command", "report", "fixture"])]
    pub recursive: Option<PathBuf>,
    /// With `--recursive`, begin with this project: those before it are not run
    #[arg(long, value_name = "PATH", requires = "recursive")]
    pub from: Option<PathBuf>,
    /// Run only this probe; can be repeated. With `--list`: the probes that begin with PROBE
    #[arg(long, value_name = "PROBE")]
    pub probe: Vec<String>,
    /// List the families with the number of their probes, without running any; with `--family` or `--probe`, list
    /// probes, in at most 10 kB; with `--all`, list every probe
    #[arg(long, conflicts_with_all = ["explain", "command"])]
    pub list: bool,
    /// Describe a probe without running it; `fixture` describes conform.toml; `all` lists the probes as `--list` does,
    /// or with `--all` describes every probe
    #[arg(long, value_name = "PROBE", conflicts_with_all = ["probe", "command"])]
    pub explain: Option<String>,
    /// Print every result in full; the default is the results that failed or were blocked, in at most 10 kB. With `--list`:
    /// every probe with its title
    #[arg(long)]
    pub all: bool,
    /// Also write a report to a file: `junit=FILE` or `sarif=FILE`; can be repeated
    #[arg(long, value_name = "FORMAT=FILE", value_hint = clap::ValueHint::FilePath)]
    pub report: Vec<String>,
    /// Number of probes that run at the same time; the default is one per core
    #[arg(long, value_name = "COUNT")]
    pub jobs: Option<usize>,
    /// Contract family of the command after `--`
    #[arg(long, value_name = "FAMILY")]
    pub family: Option<String>,
    /// Contract tag of the command after `--`; the default is the newest tag
    #[arg(long, value_name = "TAG")]
    pub tag: Option<String>,
    /// File that describes upstream and commands; the default is conform.toml of the project
    #[arg(long, value_name = "FILE", conflicts_with_all = ["list", "explain"])]
    pub fixture: Option<PathBuf>,
    /// Directory or file that the tool may read, in addition to its project and its programs; can be repeated
    #[arg(long, value_name = "PATH", conflicts_with_all = ["list", "explain"])]
    pub readable: Vec<PathBuf>,
    /// Program and first arguments of the tool, instead of a project
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// Runs the command.
///
/// # Errors
/// `E_NONCONFORMANT` when a probe failed or could not be carried out.
pub fn run(args: &ConformArgs, run: &Run) -> Result<Outcome, Failure> {
    let family = args.family.as_deref().map(conform::known_family).transpose()?;
    if args.list {
        return conform::list(family, &args.probe, args.all, run);
    }
    if let Some(id) = &args.explain {
        return conform::explain(id, family, args.all, run);
    }
    let request = ConformRequest {
        path: args.path.clone(),
        probes: args.probe.clone(),
        reports: args.report.clone(),
        jobs: args.jobs,
        family: args.family.clone(),
        tag: args.tag.clone(),
        fixture: args.fixture.clone(),
        readable: args.readable.clone(),
        command: args.command.clone(),
        is_whole: args.all,
    };
    match &args.recursive {
        Some(root) => conform::over_projects(root, args.from.as_deref(), &request, run),
        None => conform::examine(&request, run),
    }
}
