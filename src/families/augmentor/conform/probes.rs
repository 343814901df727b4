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
        "The entry is imported and the factory returns in time, whatever arguments it gets",
        "A host that cannot load a package offers none of its commands",
        "let the entry import without side effects, and let the factory accept any arguments"
    ),
    item!(
        "L2",
        "returns-a-package",
        "§5.1",
        "loads",
        "The factory returns a package, not a promise, a list or nothing",
        "Hosts of both languages call the factory without waiting for it",
        "return an object with `commands`, `agents` or `tools`, and make the factory synchronous"
    ),
    item!(
        "L3",
        "loads-its-own-file",
        "§2.1",
        "loads",
        "The loaded file is inside the package",
        "Another module of the same name would run in its place",
        "name a module of the package in `entry`"
    ),
    item!(
        "L4",
        "names",
        "§5.1",
        "members",
        "Names are valid and unique, functions can be called, an agent takes `history`, each tool is a command",
        "A host offers commands by name and cannot tell two of one name apart",
        "correct the member that is named"
    ),
    item!(
        "L5",
        "schemas",
        "§5.3",
        "schemas",
        "Each schema is a valid JSON Schema with an object at its root",
        "Hosts validate arguments and MCP clients show them by the schema",
        "correct the schema that is named"
    ),
    item!(
        "L6",
        "silent-load",
        "§5.1",
        "loads",
        "Loading writes nothing to stdout",
        "Many hosts speak over stdout",
        "write to stderr, or not at all, while the package is loaded"
    ),
    item!(
        "L7",
        "caps",
        "§5.2",
        "caps",
        "Caps are declared exactly when they hold",
        "Hosts decide by the manifest what a package can do",
        "correct `caps` in augmentor.toml"
    ),
    item!(
        "L8",
        "stable-description",
        "§5.1",
        "descriptions",
        "Loading again and describing again give the same",
        "Hosts keep what they learned about a package",
        "make names, schemas and descriptions constant"
    ),
    item!(
        "R1",
        "results",
        "§5.4",
        "calls",
        "A valid call has the result that tests/calls.json says, a JSON object",
        "A caller gets what the package promises",
        "correct the command, or the example"
    ),
    item!(
        "R2",
        "invalid-arguments",
        "§5.3",
        "calls",
        "Arguments that do not fit are refused with an AugmentorError, also without the validation of a host",
        "A raw exception tells the caller nothing that it could correct",
        "check the arguments first: `check` of the generated module does it"
    ),
    item!(
        "R3",
        "json-results",
        "§5.4",
        "calls",
        "Results are strictly JSON",
        "Other values are lost or changed on the way to the caller",
        "return null, booleans, finite numbers, texts, lists and objects only"
    ),
    item!(
        "R4",
        "errors",
        "§7",
        "calls",
        "An expected failure is an AugmentorError with its own code",
        "Callers decide by the code",
        "raise AugmentorError with the code, and let nothing else escape"
    ),
    item!(
        "R5",
        "chunks",
        "§5.6",
        "calls",
        "Chunks are well-formed and come before the result, and the call works without a stream",
        "A host drops what comes late, and not every host streams",
        "stream before the result, in the form of the contract, and only when the context has `stream`"
    ),
    item!(
        "R6",
        "ends",
        "§6",
        "calls",
        "A call ends",
        "A host ends the whole package when a call takes too long",
        "bound every wait of the command"
    ),
    item!(
        "R7",
        "process-lives",
        "§6",
        "calls",
        "A call does not end the process, nor does anything that it left behind",
        "All other calls of the package end with it",
        "raise AugmentorError in place of exiting, and handle errors of tasks that go on after the result"
    ),
    item!(
        "R8",
        "separate-calls",
        "§5.5",
        "examples",
        "Calls in one process, one after the other or at once, do not see each other",
        "Hosts keep a package loaded and let calls overlap",
        "keep no state of a call outside of it"
    ),
    item!(
        "R11",
        "shutdown",
        "§6",
        "shutdowns",
        "`shutdown` returns, and the process then ends by itself",
        "A host that has to kill a package loses what it was about to save",
        "stop timers, threads and connections in `shutdown`"
    ),
    item!(
        "P1",
        "permissions-observed",
        "§2.3",
        "answers",
        "What was observed was declared",
        "Users grant what the manifest declares, and nothing else",
        "declare the permission in augmentor.toml, or do without"
    ),
    item!(
        "P2",
        "permissions-enforced",
        "§2.3",
        "calls",
        "Where the system can enforce the declaration, the package works under it",
        "A host that enforces the declaration would break the package",
        "declare the permission in augmentor.toml, or do without"
    ),
];
