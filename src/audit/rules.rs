//! Rules about records and managed files; the rules of a family are in its folder.

use crate::contract::family::FamilyParts;
use crate::contract::rules::rule::Rule;
use crate::contract::{Family, Finding, ProjectFiles, Severity};
use crate::generate::record::Record;
use crate::generate::vendor::Contract;

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
    "Without them nothing says which contract the project follows, so no managed file can be compared",
    "run `aos sync-spec` to adopt the project",
    "agent-cli §3.1"
);
rule!(
    RECORD,
    "project/record",
    Error,
    "aos.toml can be read",
    "It says where generated files go; a record that cannot be read would leave them unchecked",
    "fix `aos.toml`; its members are family, [spec], [template], [upgrade], [answers], [outputs], [runtime], [[waivers]]",
    "aos.toml"
);
rule!(
    INTERRUPTED,
    "project/interrupted-write",
    Error,
    "No write of aos is cut off half-way",
    "The journal of a killed run is still there, so managed files may be of two states",
    "run `aos sync-spec`; it puts the old state back first",
    "aos"
);
rule!(
    FOREIGN_STATE,
    "project/foreign-state",
    Error,
    "The tree holds no journal or staging directory that this machine did not write",
    "A repository can bring one along; carried out, it would write and delete files that nobody asked for",
    "look at what it holds, then delete it (`git rm -r` where it is tracked) and restore the managed files from version control",
    "aos"
);
rule!(
    NOTHING_COMPARED,
    "project/nothing-compared",
    Error,
    "At least one managed file is compared",
    "A check that compared nothing would be green for any content",
    "run `aos sync-spec`",
    "aos"
);
rule!(
    NOT_COMPARED,
    "project/not-compared",
    Error,
    "Every file that the lock and aos.toml name is compared",
    "A file that was not compared may hold anything, whatever the other files say",
    "correct the finding that prevents the comparison, then run `aos check` again",
    "aos"
);
rule!(
    NOT_READ,
    "project/not-read",
    Error,
    "The whole project is read",
    "A directory that was not read may hold a file that replaces a managed one",
    "make the directory readable, move it out of the project, or let git ignore it",
    "aos"
);
rule!(
    PIN_MISSING,
    "pin/missing",
    Error,
    ".agent/SPEC_VERSION exists",
    "The pin names the contract that everything else is compared with",
    "run `aos sync-spec`",
    "agent-cli §3.1"
);
rule!(
    PIN_MALFORMED,
    "pin/malformed",
    Error,
    ".agent/SPEC_VERSION holds one version tag and nothing else",
    "The pin is parsed and never pasted into a path or URL, so anything but a version is refused",
    "write one tag, for example `v1.1.0`, on one line",
    "agent-cli §3.1"
);
rule!(
    PIN_UNKNOWN,
    "pin/unknown",
    Error,
    "The pinned tag is one that this aos can compare with",
    "What cannot be compared is never called in order",
    "pin a known tag with `aos sync-spec --to TAG`, or update aos",
    "agent-cli §3.1"
);
rule!(
    PIN_MOVED,
    "pin/moved",
    Error,
    "Pin and lock name the same tag",
    "The pin was edited without vendoring the contract it names",
    "run `aos sync-spec` to follow the pin",
    "agent-cli §3.1"
);
rule!(
    LOCK_MISSING,
    "lock/missing",
    Error,
    ".agent/spec.lock exists",
    "It records what aos wrote, so that nobody's work is overwritten",
    "run `aos sync-spec`",
    "aos"
);
rule!(
    LOCK_MALFORMED,
    "lock/malformed",
    Error,
    ".agent/spec.lock can be read by this aos",
    "An unreadable lock, or one of a newer version, proves nothing",
    "run `aos sync-spec`, or update aos when a newer one wrote the lock",
    "aos"
);
rule!(
    LOCK_STALE,
    "lock/stale",
    Error,
    ".agent/spec.lock has the digest of every managed file",
    "A lock that says something else hides changes from the next sync",
    "run `aos sync-spec`",
    "aos"
);
rule!(
    SOURCE_UNAVAILABLE,
    "spec/source-unavailable",
    Error,
    "The pinned contract is at hand, or its digests in the lock are trusted by the record",
    "A check that cannot see the source compares nothing",
    "run `aos sync-spec`, with `--from DIR` for a contract from a directory; or set `trust = \"lock\"` under [spec] in aos.toml",
    "aos"
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
    "Every managed file has the bytes that the pinned contract and the manifest give",
    "Edited copies are how tools stop agreeing with what agents expect",
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
    "Nobody runs a contract; such a bit shows that something rewrote the file",
    "run `aos sync-spec`",
    "aos"
);
rule!(
    RUNTIME,
    "drift/runtime",
    Error,
    "Every file of the vendored runtime is that of its version",
    "The runtime holds the write gate, redaction and updates; an edit there is lost with the next version and is seen by nobody",
    "run `aos sync-spec` to restore it, or take the part over with `aos runtime own PATH`",
    "aos"
);
rule!(
    RUNTIME_UNKNOWN,
    "runtime/unknown",
    Error,
    "The runtime that aos.toml and the lock name is one that this aos knows",
    "What cannot be compared is never called in order",
    "run `aos sync-spec`, or update aos when a newer one wrote the lock",
    "aos.toml"
);
rule!(
    RUNTIME_BEHIND,
    "runtime/behind",
    Warning,
    "The runtime is as new as that of this aos",
    "A newer runtime has repairs that this project does not have yet",
    "run `aos sync-spec`; it replaces the runtime and touches none of your files",
    "aos.toml"
);
rule!(
    RUNTIME_OWNED_BEHIND,
    "runtime/owned-behind",
    Warning,
    "Parts of the runtime that the project owns are as new as the runtime of this aos",
    "Repairs of a part that a project owns reach it only by hand",
    "look at `aos runtime return PATH --dry-run`; then take the repair over, or give the part back",
    "aos.toml"
);
rule!(
    CONFLICT,
    "template/conflict",
    Error,
    "No conflict of an upgrade is open",
    "A file with markers does not run, and a change that was left out is forgotten",
    "resolve it and remove its markers or its `.rej` file, then run `aos upgrade`; `aos upgrade --abort` undoes the upgrade",
    "aos.toml"
);
rule!(
    UNFINISHED,
    "template/unfinished",
    Error,
    "An upgrade whose conflicts are resolved is finished",
    "The record still names the old template, so the next upgrade would begin from the wrong version",
    "run `aos upgrade`",
    "aos.toml"
);
rule!(
    TEMPLATE_BEHIND,
    "template/behind",
    Warning,
    "The template is as new as that of this aos",
    "A newer template has repairs of workflows, tests and documents that this project does not have yet",
    "run `aos upgrade --dry-run`; it merges the changes into your files and shows them first",
    "aos.toml"
);
rule!(
    NOT_A_FILE,
    "drift/not-a-file",
    Error,
    "Managed files are plain files inside the project",
    "Through a link, a file outside the project would be trusted or overwritten",
    "remove what is in the way, then run `aos sync-spec`",
    "aos"
);
rule!(
    EXTRA,
    "drift/extra",
    Error,
    "Directories that aos owns hold nothing else",
    "A stray spec or contract file looks official and is kept true by nobody",
    "move the file elsewhere or delete it",
    "aos"
);
rule!(
    GENERATED_STALE,
    "drift/stale",
    Error,
    "Generated files match their sources",
    "Code that was generated from older data gives other answers than the manifest promises",
    "run `aos gen`",
    "agent-cli §3.1"
);
rule!(
    GENERATED_MISSING,
    "drift/not-generated",
    Error,
    "Every declared output exists",
    "The tool would not start, or would start with data of another version",
    "run `aos gen`",
    "agent-cli §3.1"
);
rule!(
    GENERATOR,
    "drift/cannot-generate",
    Error,
    "Generated files can be computed from their sources",
    "A manifest or extension that is refused leaves generated files unchecked",
    "fix the named member, then run `aos gen`",
    "agent-cli §3.1"
);
rule!(
    STRAY_MODULE,
    "drift/stray-module",
    Error,
    "Only declared files carry the name or the mark of a generated contract module, and aos.toml names the runtime that is loaded",
    "A second copy is imported by accident or on purpose, is never renewed, and nothing compares it",
    "delete the file, or declare it under [outputs] in aos.toml",
    "aos"
);
rule!(
    SHADOWED,
    "drift/shadowed",
    Error,
    "Nothing is loaded in place of a generated module",
    "The file that is compared would not be the code that runs, so the check would prove nothing",
    "remove what stands in for the module; its values come from the manifest or from contract-ext.json",
    "aos"
);
rule!(
    AMENDED,
    "drift/amended",
    Error,
    "No code changes the values of a generated module or of the runtime",
    "The tool would run with other modes, codes or checks than the ones that are compared",
    "import the module and read its names, and do nothing else with it; copy a value before changing it, or change the manifest or contract-ext.json and run `aos gen`",
    "aos"
);
rule!(
    WAIVER_EXPIRED,
    "waiver/expired",
    Error,
    "No waiver is past its last day",
    "A date on a waiver is a promise to fix the finding",
    "fix the finding, or give the waiver a new date and reason",
    "aos"
);
rule!(
    WAIVER_UNUSED,
    "waiver/unused",
    Warning,
    "Every waiver waives something",
    "A waiver without a finding would hide the next one",
    "remove the waiver from `aos.toml`",
    "aos"
);
rule!(
    WAIVER_UNKNOWN,
    "waiver/unknown-rule",
    Error,
    "Waivers name rules that exist and may be waived",
    "A waiver for a misspelt rule waives nothing; drift and the pin cannot be waived",
    "correct the rule; `aos check --explain RULE` describes one",
    "aos"
);

/// Rules of every family, in the order of the documentation.
pub const RULES: &[Rule] = &[
    NOT_ADOPTED,
    RECORD,
    INTERRUPTED,
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
    NOT_A_FILE,
    EXTRA,
    GENERATED_STALE,
    GENERATED_MISSING,
    GENERATOR,
    STRAY_MODULE,
    SHADOWED,
    AMENDED,
    WAIVER_EXPIRED,
    WAIVER_UNUSED,
    WAIVER_UNKNOWN,
];

/// The static rules of a family.
pub trait FamilyRules: Sync {
    /// Every rule, in the order of the reference.
    fn rules(&self) -> &'static [Rule];

    /// Judges a project by `contract`; the record is `None` when there is none that can be read.
    fn check(
        &self,
        repository: &ProjectFiles,
        contract: &Contract,
        record: Option<&Record>,
    ) -> Vec<Finding>;

    /// Rules that fail when the file that generators read is no document.
    fn unreadable_source(&self) -> &'static [&'static str] {
        &[]
    }

    /// What the rules could not judge, and why.
    fn notes(&self, _: &ProjectFiles, _: &Contract, _: Option<&Record>) -> Vec<String> {
        Vec::new()
    }
}

/// The rules of each family.
pub static FAMILY_RULES: FamilyParts<dyn FamilyRules> = FamilyParts::new();

/// Every rule of aos: its own, then those of each family.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    let of_families = FAMILY_RULES.entries().into_iter().flat_map(|(_, part)| part.rules());
    RULES.iter().chain(of_families)
}

/// The rule called `id`.
#[must_use]
pub fn find(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}

/// Whether the rule judges projects of `family`.
#[must_use]
pub fn applies(rule: &Rule, family: Family) -> bool {
    rule.families.is_empty() || rule.families.contains(&family)
}
