//! The items of conformance that a package can fail, in the order of docs/augmentors.md.

use crate::conform::{Need, Probe};
use crate::families::augmentor::contract::FAMILY;

use super::examination::finding;

macro_rules! item {
    ($item:literal, $id:literal, $section:literal, $unit:literal, $title:literal, $why:literal, $fix:literal) => {
        Probe {
            id: concat!("augmentor.", $id),
            section: concat!($section, " (", $item, ")"),
            title: $title,
            why: $why,
            fix: $fix,
            needs: &[Need::Project],
            run: |session| finding(session, $item, $unit),
            ..Probe::of(FAMILY)
        }
    };
}

/// Every probe of the family.
pub const PROBES: &[Probe] = &[
    item!(
        "L1",
        "loads",
        "§6",
        "loads",
        "The entry can be imported and the factory returns in time, with any arguments",
        "Otherwise a host cannot offer any of its commands",
        "import the entry without side effects, and accept any arguments in the factory"
    ),
    item!(
        "L2",
        "returns-a-package",
        "§5.1",
        "loads",
        "The factory returns a package, not a promise, a list or nothing",
        "Hosts in both languages call the factory synchronously",
        "return an object with `commands`, `agents` or `tools`, and make the factory synchronous"
    ),
    item!(
        "L3",
        "loads-its-own-file",
        "§2.1",
        "loads",
        "The loaded file is inside the package",
        "Otherwise another module with the same name would run",
        "name a module of the package in `entry`"
    ),
    item!(
        "L4",
        "names",
        "§5.1",
        "members",
        "Names are valid and unique, functions are callable, agents accept `history`, and each tool is a command",
        "A host offers commands by name, so names must be unique",
        "correct the member that is named"
    ),
    item!(
        "L5",
        "schemas",
        "§5.3",
        "schemas",
        "Each schema is a valid JSON Schema with an object at its root",
        "Hosts validate arguments with the schema, and MCP clients show it",
        "correct the schema that is named"
    ),
    item!(
        "L6",
        "silent-load",
        "§5.1",
        "loads",
        "Loading writes nothing to stdout",
        "Many hosts use stdout for their protocol",
        "write to stderr, or nothing, while the package is loaded"
    ),
    item!(
        "L7",
        "caps",
        "§5.2",
        "caps",
        "The declared caps are exactly those that the package has",
        "Hosts learn from the manifest what a package can do",
        "correct `caps` in augmentor.toml"
    ),
    item!(
        "L8",
        "stable-description",
        "§5.1",
        "descriptions",
        "Loading and describing the package again give the same facts",
        "Hosts cache the description of a package",
        "make names, schemas and descriptions constant"
    ),
    item!(
        "R1",
        "results",
        "§5.4",
        "calls",
        "A valid call returns the result in tests/calls.json, a JSON object",
        "Callers rely on what the package promises",
        "correct the command, or the example"
    ),
    item!(
        "R2",
        "invalid-arguments",
        "§5.3",
        "calls",
        "Invalid arguments are refused with an AugmentorError, even if the host does not validate",
        "A raw exception does not tell the caller what to correct",
        "validate the arguments first, with `check` of the generated module"
    ),
    item!(
        "R3",
        "json-results",
        "§5.4",
        "calls",
        "Results are strictly JSON",
        "Other values are lost or changed before they reach the caller",
        "return only null, booleans, finite numbers, strings, lists and objects"
    ),
    item!(
        "R4",
        "errors",
        "§7",
        "calls",
        "An expected failure is an AugmentorError with its own code",
        "Callers decide by the code",
        "raise AugmentorError with the code, and catch all other exceptions"
    ),
    item!(
        "R5",
        "chunks",
        "§5.6",
        "calls",
        "Chunks are well-formed and come before the result, and the call also works without streaming",
        "A host drops late chunks, and not every host streams",
        "stream before the result, in the format of the contract, and only if the context has `stream`"
    ),
    item!(
        "R6",
        "ends",
        "§6",
        "calls",
        "A call ends",
        "If a call takes too long, a host kills the whole package",
        "use a timeout for everything that the command waits for"
    ),
    item!(
        "R7",
        "process-lives",
        "§6",
        "calls",
        "A call, or a task that it left running, does not end the process",
        "All other calls of the package would fail too",
        "raise AugmentorError instead of exiting, and handle errors of tasks that continue after the result"
    ),
    item!(
        "R8",
        "separate-calls",
        "§5.5",
        "examples",
        "Calls in one process, sequential or concurrent, do not affect each other",
        "Hosts keep a package loaded, and calls can overlap",
        "do not keep the state of a call outside of the call"
    ),
    item!(
        "R11",
        "shutdown",
        "§6",
        "shutdowns",
        "`shutdown` returns, and then the process exits by itself",
        "If a host must kill a package, unsaved data is lost",
        "stop timers, threads and connections in `shutdown`"
    ),
    item!(
        "P1",
        "permissions-observed",
        "§2.3",
        "answers",
        "Every observed action is declared",
        "Users grant only what the manifest declares",
        "declare the permission in augmentor.toml, or avoid the action"
    ),
    item!(
        "P2",
        "permissions-enforced",
        "§2.3",
        "calls",
        "The package works under the permissions that the system can enforce",
        "Otherwise the package fails in a host that enforces its declaration",
        "declare the permission in augmentor.toml, or avoid the action"
    ),
    item!(
        "X1",
        "mcp-names",
        "§8",
        "commands",
        "The MCP name of each command has at most 64 letters, digits, `_` and `-`",
        "Many clients refuse a list with a tool whose name is longer",
        "shorten `tool_prefix` or the name of the command"
    ),
    item!(
        "X2",
        "mcp-arguments",
        "§8",
        "calls",
        "If a tool has its own schema, this schema allows the example calls of its command",
        "Otherwise no MCP client can make calls that other hosts make",
        "correct the `inputSchema` in `tools`, or remove it"
    ),
];
