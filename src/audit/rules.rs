//! Rules about records and managed files; the rules of a family are in its folder.

use crate::contract::Severity;
use crate::contract::rules::rule::Rule;

use super::waivers;

pub use super::all_rules::{FAMILY_RULES, FamilyRules, all, applies, find};

macro_rules! rule {
    ($name:ident, $id:literal, $severity:ident, $summary:literal, $why:literal, $fix:literal, $source:literal) => {
        pub const $name: Rule = Rule {
            id: $id,
            severity: Severity::$severity,
            waivable: false,
            families: &[],
            summary: $summary,
            why: $why,
            fix: $fix,
            source: $source,
        };
    };
}

rule!(
    NOT_ADOPTED,
    "project/not-adopted",
    Error,
    "The project has an aos.toml and a pin",
    "Without them, the contract of the project is unknown, so no managed file can be compared",
    "run `aos sync-spec` to adopt the project",
    "agent-cli §3.1"
);
rule!(
    RECORD,
    "project/record",
    Error,
    "aos.toml can be read",
    "It has the paths of generated files; without a readable record, they would not be checked",
    "fix `aos.toml`; its members are family, [spec], [template], [upgrade], [answers], [outputs], [runtime], [[waivers]], [conform], [added]",
    "aos.toml"
);
rule!(
    INTERRUPTED,
    "project/interrupted-write",
    Error,
    "No write of aos was interrupted",
    "The journal of a killed run still exists, so managed files may be partly old and partly new",
    "run `aos sync-spec`; it first restores the old state",
    "aos"
);
rule!(
    LEFTOVER,
    "project/leftover",
    Warning,
    "No interrupted run of aos left a directory",
    "It contains copies of files that were not written; no managed file depends on it",
    "run `aos gen` or any other command that writes: it removes the files that this machine left",
    "aos"
);
rule!(
    FOREIGN_STATE,
    "project/foreign-state",
    Error,
    "The tree contains no journal or staging directory that this machine did not write",
    "A repository can contain one; completing it would write and delete files that the user did not choose",
    "look at its content, then delete it (`git rm -r` if it is tracked) and restore the managed files from version control",
    "aos"
);
rule!(
    NOTHING_COMPARED,
    "project/nothing-compared",
    Error,
    "At least one managed file is compared",
    "A check that compared nothing would pass for any content",
    "run `aos sync-spec`",
    "aos"
);
rule!(
    NOT_COMPARED,
    "project/not-compared",
    Error,
    "Every file in the lock and in aos.toml is compared",
    "A file that was not compared can have any content",
    "fix the finding that prevents the comparison, then run `aos check` again",
    "aos"
);
rule!(
    NOT_READ,
    "project/not-read",
    Error,
    "The whole project is read",
    "A directory that was not read may contain a file that replaces a managed one",
    "make the directory readable, move it out of the project, or let git ignore it",
    "aos"
);
rule!(
    PIN_MISSING,
    "pin/missing",
    Error,
    ".agent/SPEC_VERSION exists",
    "The pin names the contract with which everything else is compared",
    "run `aos sync-spec`",
    "agent-cli §3.1"
);
rule!(
    PIN_MALFORMED,
    "pin/malformed",
    Error,
    ".agent/SPEC_VERSION contains one version tag and nothing else",
    "The pin becomes part of paths and URLs, so only a valid version is accepted",
    "write one tag, for example `v1.1.0`, on one line",
    "agent-cli §3.1"
);
rule!(
    PIN_UNKNOWN,
    "pin/unknown",
    Error,
    "This aos knows the pinned tag",
    "aos never reports OK for a contract or runtime that it cannot compare",
    "pin a known tag with `aos sync-spec --to TAG`, or update aos",
    "agent-cli §3.1"
);
rule!(
    PIN_MOVED,
    "pin/moved",
    Error,
    "Pin and lock name the same tag",
    "The pin was edited, but the contract that it names was not vendored",
    "run `aos sync-spec` to vendor the pinned contract",
    "agent-cli §3.1"
);
rule!(
    LOCK_MISSING,
    "lock/missing",
    Error,
    ".agent/spec.lock exists",
    "It records what aos wrote, so that aos does not overwrite your work",
    "run `aos sync-spec`",
    "aos"
);
rule!(
    LOCK_MALFORMED,
    "lock/malformed",
    Error,
    ".agent/spec.lock can be read by this aos",
    "A lock that cannot be read, or that a newer aos wrote, cannot be used for the comparison",
    "run `aos sync-spec`, or update aos if a newer one wrote the lock",
    "aos"
);
rule!(
    LOCK_STALE,
    "lock/stale",
    Error,
    ".agent/spec.lock has the digest of every managed file",
    "A wrong digest in the lock hides changes from the next sync",
    "run `aos sync-spec`",
    "aos"
);
rule!(
    SOURCE_UNAVAILABLE,
    "spec/source-unavailable",
    Error,
    "The pinned contract is available, or aos.toml permits trusting the digests in the lock",
    "Without the contract, nothing can be compared",
    "run `aos sync-spec`, with `--from DIR` for a contract from a directory; or set `trust = \"lock\"` under [spec] in aos.toml",
    "aos"
);
rule!(
    FLOOR,
    "spec/floor",
    Error,
    "A contract without a signature has the requirements that all released contracts of its family have",
    "Without these requirements, such as the admin mode for destructive commands, a tool could accept calls that it must refuse",
    "restore the named member in the contract, or pin a released tag and run `aos sync-spec`",
    "aos.toml"
);
rule!(
    MISSING,
    "drift/missing",
    Error,
    "Every managed file exists",
    "The tool would run without a part of its contract",
    "run `aos sync-spec`",
    "agent-cli §3.1"
);
rule!(
    MODIFIED,
    "drift/modified",
    Error,
    "Every managed file has the bytes that follow from the pinned contract and the manifest",
    "A tool with an edited copy no longer does what agents expect",
    "run `aos sync-spec`",
    "agent-cli §3.1"
);
rule!(
    LINE_ENDINGS,
    "drift/line-endings",
    Error,
    "Managed files keep their LF line endings",
    "A checkout that converts line endings changes every digest",
    "keep .gitattributes (`* text eol=lf`), then run `aos sync-spec`",
    "agent-cli §4"
);
rule!(
    MODE,
    "drift/mode",
    Error,
    "Managed files are not executable and have no setuid, setgid or sticky bit",
    "A contract is not a program; such a bit shows that something rewrote the file",
    "run `aos sync-spec`",
    "aos"
);
rule!(
    RUNTIME,
    "drift/runtime",
    Error,
    "Every file of the vendored runtime is unchanged",
    "The runtime contains the write gate, redaction and updates; the next version would silently remove an edit",
    "run `aos sync-spec` to restore it, or hand the part to the project with `aos runtime own PATH`",
    "aos"
);
rule!(
    RUNTIME_UNKNOWN,
    "runtime/unknown",
    Error,
    "This aos knows the runtime in aos.toml and the lock",
    "aos never reports OK for a contract or runtime that it cannot compare",
    "run `aos sync-spec`, or update aos if a newer one wrote the lock",
    "aos.toml"
);
rule!(
    RUNTIME_BEHIND,
    "runtime/behind",
    Warning,
    "The runtime is not older than that of this aos",
    "A newer runtime has fixes that this project does not have yet",
    "run `aos sync-spec`; it replaces the runtime and does not change your files",
    "aos.toml"
);
rule!(
    RUNTIME_OWNED_BEHIND,
    "runtime/owned-behind",
    Warning,
    "The parts of the runtime that the project owns are not older than the runtime of this aos",
    "aos does not apply fixes to a part that the project owns",
    "run `aos runtime return PATH --dry-run`, then apply the fix yourself, or return the part",
    "aos.toml"
);
rule!(
    CONFLICT,
    "template/conflict",
    Error,
    "No conflict of an upgrade is open",
    "A file with markers does not work, and a rejected change is easily forgotten",
    "resolve it, remove its markers or its `.rej` file, then run `aos upgrade`; `aos upgrade --abort` undoes the upgrade",
    "aos.toml"
);
rule!(
    UNFINISHED,
    "template/unfinished",
    Error,
    "An upgrade is completed after its conflicts are resolved",
    "aos.toml still names the old template, so the next upgrade would start from the wrong version",
    "run `aos upgrade`",
    "aos.toml"
);
rule!(
    TEMPLATE_BEHIND,
    "template/behind",
    Warning,
    "The template is not older than that of this aos",
    "A newer template has fixes of workflows, tests and documents that this project does not have yet",
    "run `aos upgrade --dry-run`; it merges the changes into your files and shows them first",
    "aos.toml"
);
rule!(
    TEMPLATE_UNKNOWN,
    "template/unknown",
    Warning,
    "aos.toml names a template and a version that this aos knows",
    "An upgrade starts from the recorded version, so it cannot start from one that never existed",
    "correct `name` and `version` under [template] in aos.toml, or update aos if a newer one wrote them",
    "aos.toml"
);
rule!(
    TEMPLATE_ANSWERS,
    "template/answers",
    Warning,
    "Every answer in aos.toml is one that the template allows",
    "The next upgrade renders the template with these answers, and stops at one that is not allowed",
    "correct the answer under [answers] in aos.toml; `aos new --list --template NAME` shows the questions of a template",
    "aos.toml"
);
rule!(
    NOT_A_FILE,
    "drift/not-a-file",
    Error,
    "Managed files are plain files inside the project",
    "A link would make aos trust or overwrite a file outside the project",
    "remove it, then run `aos sync-spec`",
    "aos"
);
rule!(
    EXTRA,
    "drift/extra",
    Error,
    "Directories that aos manages contain nothing else",
    "An additional spec or contract file looks official, but nothing keeps it current",
    "move the file elsewhere or delete it",
    "aos"
);
rule!(
    CASE,
    "drift/case",
    Error,
    "No path differs from a managed one only in upper and lower case",
    "On macOS and Windows both names are one file, so a checkout keeps only one of the two",
    "rename the file, or delete it",
    "aos"
);
rule!(
    GENERATED_STALE,
    "drift/stale",
    Error,
    "Generated files match their sources",
    "Code that was generated from older data does not behave as the manifest says",
    "run `aos gen`",
    "agent-cli §3.1"
);
rule!(
    GENERATED_MISSING,
    "drift/not-generated",
    Error,
    "Every declared output exists",
    "The tool would not start, or would use data of another version",
    "run `aos gen`",
    "agent-cli §3.1"
);
rule!(
    GENERATOR,
    "drift/cannot-generate",
    Error,
    "Generated files can be computed from their sources",
    "Without a valid manifest or extension, generated files cannot be checked",
    "fix the named member, then run `aos gen`",
    "agent-cli §3.1"
);
rule!(
    STRAY_MODULE,
    "drift/stray-module",
    Error,
    "Only declared files have the name or mark of a generated contract module, and aos.toml names the runtime that is loaded",
    "A second copy can be imported instead, is never updated, and is not compared",
    "delete the file, or declare it under [outputs] in aos.toml",
    "aos"
);
rule!(
    SHADOWED,
    "drift/shadowed",
    Error,
    "Nothing is loaded in place of a generated module",
    "Otherwise the compared file is not the code that runs, and the check proves nothing",
    "remove the replacement; the values of the module come from the manifest or contract-ext.json",
    "aos"
);
rule!(
    AMENDED,
    "drift/amended",
    Error,
    "No code changes the values of a generated module or of the runtime",
    "The tool would run with other modes, codes or checks than those in the compared file",
    "only import the module and read its names; copy a value before you change it, or change the manifest or contract-ext.json and run `aos gen`",
    "aos"
);

/// Rules of every family, in the order of the documentation.
pub const RULES: &[Rule] = &[
    NOT_ADOPTED,
    RECORD,
    INTERRUPTED,
    LEFTOVER,
    FOREIGN_STATE,
    NOTHING_COMPARED,
    NOT_COMPARED,
    NOT_READ,
    PIN_MISSING,
    PIN_MALFORMED,
    PIN_UNKNOWN,
    PIN_MOVED,
    LOCK_MISSING,
    LOCK_MALFORMED,
    LOCK_STALE,
    SOURCE_UNAVAILABLE,
    FLOOR,
    MISSING,
    MODIFIED,
    LINE_ENDINGS,
    MODE,
    RUNTIME,
    RUNTIME_UNKNOWN,
    RUNTIME_BEHIND,
    RUNTIME_OWNED_BEHIND,
    CONFLICT,
    UNFINISHED,
    TEMPLATE_BEHIND,
    super::template::ARCHIVE,
    TEMPLATE_UNKNOWN,
    TEMPLATE_ANSWERS,
    NOT_A_FILE,
    EXTRA,
    CASE,
    GENERATED_STALE,
    GENERATED_MISSING,
    GENERATOR,
    STRAY_MODULE,
    SHADOWED,
    AMENDED,
    waivers::EXPIRED,
    waivers::UNUSED,
    waivers::WITHOUT_PATH,
    waivers::EXCEEDED,
    waivers::UNKNOWN,
];
