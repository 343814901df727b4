//! What an adapter can fail, in the order of the report. The names are those of the driver.

use crate::conform::{Need, Probe};
use crate::families::agent_adapter::contract::FAMILY;

use super::driver::finding;

macro_rules! probe {
    ($name:literal, $section:literal, $unit:literal, $title:literal, $why:literal, $fix:literal) => {
        Probe {
            id: concat!("adapter.", $name),
            section: $section,
            title: $title,
            why: $why,
            fix: $fix,
            needs: &[Need::Project, Need::Fixture],
            run: |session| finding(session, $name, $unit),
            ..Probe::of(FAMILY)
        }
    };
}

/// Every probe of the family.
pub const PROBES: &[Probe] = &[
    probe!(
        "described",
        "manifest",
        "adapters",
        "The manifest has the id and the name of the agent, and the configuration has its one field",
        "The registry, the hooks and the database know the adapter by its id",
        "correct `Manifest` or `GetConfigSpec`, or the facts in conform.toml"
    ),
    probe!(
        "program",
        "launch",
        "adapters",
        "The program is found on PATH, and a missing one is ErrAgentBinaryNotFound",
        "The orchestrator tells a person what to install by that error alone",
        "find the program with the runtime, and return its error as it is"
    ),
    probe!(
        "sign-in",
        "optional methods",
        "adapters",
        "A variable that signs the agent in is noticed, and nothing is claimed without one",
        "A wrong answer hides an agent that works, or offers one that does not",
        "correct `AuthStatus`"
    ),
    probe!(
        "signals",
        "optional methods",
        "adapters",
        "The adapter says which activity its hooks report",
        "The orchestrator waits for a report that never comes, or types over a prompt",
        "correct `EmitsSubmitActivity` and `EmitsBlockedActivity`"
    ),
    probe!(
        "cancelled-calls",
        "port",
        "adapters",
        "Every call with a cancelled context returns its error and writes nothing",
        "A session that was given up would still change files",
        "begin each method with `ctx.Err()`"
    ),
    probe!(
        "command-lines",
        "launch",
        "sessions",
        "Permissions, model, system prompt and prompt of a new session reach the agent",
        "A setting that is not passed on is a setting that a person only believes in",
        "pass the setting on in `GetLaunchCommand`, or correct conform.toml"
    ),
    probe!(
        "prompts",
        "launch",
        "adapters",
        "A prompt that looks like an option arrives as a prompt",
        "A list or a dash at its start would change how the agent runs",
        "put `--` or an option with `=` before the prompt, or type it after the start"
    ),
    probe!(
        "configuration",
        "launch",
        "adapters",
        "A mode or a permission that does not exist starts nothing",
        "An agent that was meant to ask would run without asking",
        "return an error for values that are not in the contract"
    ),
    probe!(
        "restore",
        "restore",
        "sessions",
        "A known session is continued with its permissions, model and system prompt, and no other one is",
        "A continued session without them behaves unlike the one that was started",
        "build both command lines with one function, and refuse ids that are not plain words"
    ),
    probe!(
        "session-info",
        "session information",
        "adapters",
        "What a session is comes from its metadata alone",
        "Files of the agent belong to any session, and reading them is slow",
        "return what the metadata has"
    ),
    probe!(
        "install",
        "hooks",
        "adapters",
        "Hooks are the files of conform.toml, ignored by git, written once, and gone after the removal",
        "A worktree with a file that git sees cannot be removed",
        "install and remove hooks with the runtime"
    ),
    probe!(
        "workspace",
        "hooks",
        "adapters",
        "Without a workspace hooks are neither written, removed nor looked for",
        "They would end up in the working directory of the orchestrator",
        "refuse an empty workspace"
    ),
    probe!(
        "merge",
        "hooks",
        "documents",
        "Files of the user keep every byte, or are refused",
        "A setting that is lost is noticed long after the session",
        "merge with the runtime, and return its error as it is"
    ),
    probe!(
        "links",
        "hooks",
        "adapters",
        "Hooks are not written through a symbolic link",
        "A repository could make the orchestrator write anywhere",
        "write with the runtime"
    ),
    probe!(
        "delivery",
        "hook command",
        "events",
        "Each event of the agent arrives at the daemon once, in silence, whatever `ao` does",
        "Activity that is not reported looks like a session that hangs, and output of a hook disturbs the agent",
        "correct the events in hooks.go, and their names in conform.toml"
    ),
];
