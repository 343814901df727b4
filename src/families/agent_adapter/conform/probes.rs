//! The probes of an adapter, in the order of the report. The names are those of the driver.

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
        "Each new adapter searches for the program again, on PATH and in `~/.local/bin`; without it, every call returns ErrAgentBinaryNotFound",
        "The orchestrator tells people what to install only for that error; desktop programs often have a short PATH",
        "find the program with the runtime, and return its error unchanged"
    ),
    probe!(
        "sign-in",
        "optional methods",
        "adapters",
        "The adapter detects a variable with the agent's credentials, and claims nothing without one",
        "A wrong result hides an agent that works, or offers one that does not",
        "correct `AuthStatus`"
    ),
    probe!(
        "signals",
        "optional methods",
        "adapters",
        "The adapter declares which activity its hooks report",
        "Otherwise the orchestrator waits for a report that never comes, or types into a prompt",
        "correct `EmitsSubmitActivity` and `EmitsBlockedActivity`"
    ),
    probe!(
        "cancelled-calls",
        "port",
        "adapters",
        "Every call with a cancelled context returns its error and writes nothing",
        "Otherwise a cancelled session would still change files",
        "begin each method with `ctx.Err()`"
    ),
    probe!(
        "command-lines",
        "launch",
        "sessions",
        "Permissions, model, system prompt and prompt of a new session reach the agent",
        "A setting that is not passed on silently has no effect",
        "pass the setting on in `GetLaunchCommand`, or correct conform.toml"
    ),
    probe!(
        "prompts",
        "launch",
        "adapters",
        "A prompt that looks like an option arrives as a prompt",
        "A prompt that starts with a dash could otherwise change how the agent runs",
        "put `--` or an option with `=` before the prompt, or type it after the start"
    ),
    probe!(
        "configuration",
        "launch",
        "adapters",
        "No session starts or continues with an unknown mode or permission, or with a system prompt that cannot be read",
        "Otherwise an agent that must ask for permission could run without asking, or work without its instructions",
        "return an error for values that are not in the contract, and the error of reading the system prompt"
    ),
    probe!(
        "restore",
        "restore",
        "sessions",
        "A known session is continued with its permissions, model and system prompt; an unknown one is refused",
        "Without them, a continued session behaves differently from the original one",
        "build both command lines with one function, and refuse ids that are not plain words"
    ),
    probe!(
        "session-info",
        "session information",
        "adapters",
        "Information about a session comes only from its metadata",
        "Files of the agent can belong to any session, and reading them is slow",
        "return only what the metadata contains"
    ),
    probe!(
        "install",
        "hooks",
        "adapters",
        "Hooks are the files in conform.toml; git ignores them, they are written once, and their removal leaves nothing",
        "A worktree with a file that git does not ignore cannot be removed",
        "install and remove hooks with the runtime"
    ),
    probe!(
        "workspace",
        "hooks",
        "adapters",
        "Without a workspace, hooks are neither written, removed nor looked for",
        "Otherwise they are written to the working directory of the orchestrator",
        "refuse an empty workspace"
    ),
    probe!(
        "merge",
        "hooks",
        "documents",
        "The user's files keep every byte, or the merge is refused",
        "A lost setting is noticed only long after the session",
        "merge with the runtime, and return its error unchanged"
    ),
    probe!(
        "links",
        "hooks",
        "adapters",
        "Hooks are not written through a symbolic link",
        "Otherwise a repository could make the orchestrator write anywhere",
        "write with the runtime"
    ),
    probe!(
        "delivery",
        "hook command",
        "events",
        "Each event of the agent reaches the daemon exactly once and prints nothing, even if `ao` fails",
        "Without reported activity a session seems to hang, and output of a hook disturbs the agent",
        "correct the events in hooks.go, and their names in conform.toml"
    ),
];
