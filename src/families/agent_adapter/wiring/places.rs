//! The places of the orchestrator that name each harness, and what one more harness adds to each.

use std::collections::BTreeSet;

use super::adapter::Adapter;
use super::anchor::{AnchorChange, AnchorLines, Element};

pub const HARNESSES: &str = "backend/internal/domain/harness.go";
const REGISTRY: &str = "backend/internal/adapters/agent/registry/registry.go";
const DISPATCH: &str = "backend/internal/adapters/agent/activitydispatch/dispatch.go";
const IMPORTS: &str = "\"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/";
/// A harness that the orchestrator's own tests use; it is last in each list.
const FAKE: &str = "fake";

/// One edit of one file.
#[derive(Debug)]
pub struct WiringPlace {
    pub path: &'static str,
    /// Whether the orchestrator does not work without it. Otherwise a lost anchor becomes an instruction.
    pub is_needed: bool,
    pub change: AnchorChange,
    /// The edit in words, for those who make it by hand.
    pub what: String,
}

/// Every edit of a file that exists, `ledger` left out; `known` has the ids of the harnesses that are there.
#[must_use]
pub fn all(adapter: &Adapter, known: &BTreeSet<String>) -> Vec<WiringPlace> {
    let (id, package, constant) = (&adapter.id, &adapter.package, adapter.constant());
    let import = format!("\t{IMPORTS}{package}\"\n");
    let mut places = vec![
        needed(HARNESSES, &["const ("], ")", harness(id, &constant)),
        needed(HARNESSES, &["var AllHarnesses = "], "}", format!("\t{constant},\n")),
        sorted(REGISTRY, import.clone()),
        needed(
            REGISTRY,
            &["func Constructors()", "return []adapters.Adapter{"],
            "\t}",
            format!("\t\t{package}.New(),\n"),
        ),
    ];
    if adapter.has_deriver {
        places.push(sorted(DISPATCH, import));
    }
    if adapter.has_hooks || adapter.has_deriver {
        let deriver = if adapter.has_deriver { package } else { "activitystate" };
        let function = if adapter.has_deriver { "Derive" } else { "StandardDerive" };
        // A comment above keeps gofmt from aligning the line with the others.
        let lines = format!(
            "\t// The events of {id}'s hooks.\n\t\"{id}\": {deriver}.{function}ActivityState,\n"
        );
        places.push(needed(DISPATCH, &["var Derivers = "], "}", lines));
    }
    places.extend(lists(id, known));
    places.extend(tests(id, &constant));
    places
}

/// The line of the ledger of migrations.
#[must_use]
pub fn ledger(id: &str, version: u64, name: &str) -> WiringPlace {
    needed(
        "backend/internal/storage/sqlite/migrate_burned_versions_test.go",
        &["var shippedMigrations = "],
        "}",
        format!("\t// Allows the harness {id}.\n\t{version}: \"{name}\",\n"),
    )
}

fn harness(id: &str, constant: &str) -> String {
    format!(
        "\t// {constant} is the harness of the adapter {id}.\n\t{constant} AgentHarness = \"{id}\"\n"
    )
}

fn needed(
    path: &'static str,
    opens: &'static [&'static str],
    closes: &'static str,
    lines: String,
) -> WiringPlace {
    let what = format!("add `{}` to `{}`", added(&lines), opens.join(" … "));
    let change = AnchorChange::Lines(AnchorLines { opens, closes, lines, sorted: None });
    WiringPlace { path, is_needed: true, change, what }
}

fn sorted(path: &'static str, lines: String) -> WiringPlace {
    let mut place = needed(path, &["import ("], ")", lines);
    if let AnchorChange::Lines(lines) = &mut place.change {
        lines.sorted = Some(IMPORTS);
    }
    place
}

/// The line that counts of an edit.
fn added(lines: &str) -> &str {
    lines.lines().last().unwrap_or_default().trim()
}

/// Lists of the ids of all harnesses.
fn lists(id: &str, known: &BTreeSet<String>) -> Vec<WiringPlace> {
    const YAML: &str = "\n          - ";
    let list = |path, is_needed, element: Element| WiringPlace {
        path,
        is_needed,
        change: AnchorChange::Element(element),
        what: format!("add `{id}` to the lists of harnesses"),
    };
    let element = |prefixes, separator, count| Element {
        prefixes,
        on_line: "",
        separator,
        quote: "",
        count,
        last: FAKE,
        id: id.to_owned(),
        known: known.clone(),
        is_complete: true,
    };
    vec![
        list(
            "backend/internal/httpd/controllers/dto.go",
            true,
            Element { on_line: "domain.AgentHarness", ..element(&["enum:\""], ",", 2) },
        ),
        list(
            "backend/internal/httpd/apispec/openapi.yaml",
            true,
            element(
                &[
                    " agent:\n          enum:\n          - ",
                    " harness:\n          enum:\n          - ",
                ],
                YAML,
                2,
            ),
        ),
        list(
            "backend/internal/cli/spawn.go",
            true,
            element(&["\"Agent harness / --agent: "], ", ", 1),
        ),
        list(
            "frontend/src/api/schema.ts",
            false,
            Element { quote: "\"", ..element(&[" agent?: ", " harness?: "], " | ", 2) },
        ),
        list(
            "backend/internal/skillassets/using-ao/commands/spawn.md",
            false,
            Element {
                quote: "`",
                is_complete: false,
                ..element(&["Available harnesses: "], ", ", 1)
            },
        ),
    ]
}

/// Lists of harnesses in tests, so that the tests cover the new one too.
fn tests(id: &str, constant: &str) -> [WiringPlace; 2] {
    let test = |path, opens, closes, lines| WiringPlace {
        is_needed: false,
        ..needed(path, opens, closes, lines)
    };
    [
        test(
            "backend/internal/storage/sqlite/migrate_test.go",
            &["func TestMigrateAllowsEveryShippedHarness(", "harnesses := []domain.AgentHarness{"],
            "\t}",
            format!("\t\tdomain.{constant},\n"),
        ),
        test(
            "backend/internal/daemon/wiring_test.go",
            &["func TestWiring_AgentResolverResolvesRealAdapters(", "}{"],
            "\t} {",
            format!("\t\t{{domain.{constant}, \"{id}\"}},\n"),
        ),
    ]
}
