//! A wrong connector fails its own tests and `aos conform`: the edits of `connector_mutations/edits.toml`, each applied
//! to generated projects, must be noticed by both, and the project without an edit by neither.
//!
//! A run takes each edit that is not `rare` to one preset, and two edits to each preset. With `AOS_TEST_FULL=1` it takes all of them to all presets,
//! and every rule of `api.py` besides; that takes about half an hour.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Mutex;

use serde::Deserialize;
use serde_json::Value;

use super::conform::conform;
use super::disk;
use super::sandbox::{Sandbox, connector, is_full_run};
use super::scaffolded_python::Installation;
use super::toolchain;

const TESTS: &str = "agent-harness/tests/test_connector.py";
/// An edit of the runtime is noticed by its digest already; what counts is that its behaviour is.
const BUT: &str =
    "--deselect=agent-harness/tests/test_connector.py::test_the_runtime_is_the_recorded_one";
/// Presets that an edit is tried with, and edits that a preset is tried with, at least.
const PRESETS: usize = 1;
const EDITS: usize = 2;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    mutation: Vec<Mutation>,
}

/// One way to be wrong.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mutation {
    name: String,
    /// The probe that fails, without its family.
    probe: String,
    /// Whether a whole run alone tries it.
    #[serde(default)]
    rare: bool,
    edits: BTreeMap<String, Edit>,
    /// Presets that cannot be wrong in this way, and why.
    #[serde(default)]
    without: BTreeMap<String, String>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    /// Below the package of the connector.
    file: String,
    /// The function that `from` is in.
    #[serde(rename = "in")]
    within: Option<String>,
    from: String,
    to: String,
}

impl Mutation {
    /// The edit of a preset, or why there is none.
    fn edit(&self, preset: &str) -> Result<&Edit, &str> {
        match (self.edits.get(preset), self.without.get(preset)) {
            (Some(edit), None) => return Ok(edit),
            (None, Some(why)) => return Err(why),
            (Some(_), Some(_)) => panic!("`{}` has two entries for {preset}", self.name),
            (None, None) => {}
        }
        match (self.edits.get("any"), self.without.get("any")) {
            (Some(edit), None) => Ok(edit),
            (None, Some(why)) => Err(why),
            _ => panic!("`{}` says nothing of {preset}, or two things", self.name),
        }
    }
}

impl Edit {
    /// The text with the edit, which must have exactly one place in it.
    fn applied(&self, text: &str) -> Result<String, String> {
        let start = match &self.within {
            Some(name) => text.find(&format!("def {name}(")).ok_or(format!("no `{name}`"))?,
            None => 0,
        };
        let end = self.within.as_ref().and_then(|_| text[start..].find("\n@command"));
        let end = end.map_or(text.len(), |length| start + length);
        let (before, rest) = text.split_at(start);
        let (inside, after) = rest.split_at(end - start);
        match inside.matches(&self.from).count() {
            1 => Ok(format!("{before}{}{after}", inside.replacen(&self.from, &self.to, 1))),
            count => Err(format!("`{}` is there {count} times", self.from)),
        }
    }
}

/// Every edit that `preset` is to be tried with.
type Plan = BTreeMap<String, Vec<(Mutation, Edit)>>;

/// Each edit with the presets that have the fewest so far, and more edits for presets that have too few.
fn covering(mutations: &[Mutation], presets: &[String]) -> Plan {
    let mut plan: Plan = presets.iter().map(|preset| (preset.clone(), Vec::new())).collect();
    let mut chosen = BTreeSet::new();
    for round in 0..EDITS {
        for mutation in mutations.iter().filter(|mutation| !mutation.rare) {
            let mut apt: Vec<_> =
                presets.iter().filter(|preset| mutation.edit(preset).is_ok()).collect();
            apt.sort_by_key(|preset| plan[*preset].len());
            apt.retain(|preset| round == 0 || plan[*preset].len() < EDITS);
            for preset in apt.into_iter().take(if round == 0 { PRESETS } else { 1 }) {
                if let (Ok(edit), true) =
                    (mutation.edit(preset), chosen.insert((&mutation.name, preset)))
                {
                    plan.entry(preset.clone()).or_default().push((mutation.clone(), edit.clone()));
                }
            }
        }
    }
    plan
}

fn full(mutations: &[Mutation], presets: &[String]) -> Plan {
    let all = |preset: &String| {
        let edits = mutations.iter().filter_map(|mutation| {
            mutation.edit(preset).ok().map(|edit| (mutation.clone(), edit.clone()))
        });
        (preset.clone(), edits.collect())
    };
    presets.iter().map(all).collect()
}

/// A generated connector that can be broken and repaired.
struct Subject {
    sandbox: Sandbox,
    project: PathBuf,
    package: PathBuf,
}

impl Subject {
    fn new(preset: &str) -> Self {
        let sandbox = Sandbox::new();
        let name = if preset == "example" { "acme" } else { preset };
        let project = sandbox.connector(name);
        let harness = project.join("agent-harness");
        let package = harness.join(format!("aos_{name}"));
        Self { sandbox, project, package }
    }

    /// Whether the connector's own tests fail; anything but tests that pass or fail is a fault of this test.
    fn fails_its_tests(&self) -> Result<bool, String> {
        let place = format!("--basetemp={}", self.sandbox.work().join("temporary").display());
        let words = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", &place, BUT, TESTS];
        let output = toolchain::run(Installation::shared().python(), &words, &self.project);
        match output.status.code() {
            Some(0) => Ok(false),
            Some(1) => Ok(true),
            other => Err(format!(
                "pytest ends with {other:?}: {}",
                String::from_utf8_lossy(&output.stdout)
            )),
        }
    }

    /// The verdicts of probes of `aos conform`.
    fn verdicts<'a>(&self, probes: impl IntoIterator<Item = &'a str>) -> BTreeMap<String, String> {
        let probes: Vec<_> =
            probes.into_iter().map(|probe| format!("--probe=harness.{probe}")).collect();
        let mut arguments: Vec<_> = probes.iter().map(String::as_str).collect();
        arguments.push("--jobs=2");
        let answer = conform(&self.sandbox, &self.project, &arguments).json();
        let results =
            if answer["ok"] == true { &answer["data"] } else { &answer["error"]["details"] };
        let results = results["results"].as_array().cloned().unwrap_or_default();
        let text = |result: &Value, key: &str| result[key].as_str().unwrap_or_default().to_owned();
        results.iter().map(|result| (text(result, "probe"), text(result, "verdict"))).collect()
    }

    /// One edit for each failure rule, each sign of a partial answer and each place of a wait in `api.py`.
    fn rules(&self) -> Vec<(Mutation, Edit)> {
        let text = std::fs::read_to_string(self.package.join("api.py")).expect("api.py");
        let sections = [
            ("FAILURES", "\"is\": \"", "refusals"),
            ("PARTIAL", "\"at\": \"", "partial-answers"),
            ("WAITS", "\"header:", "refusals"),
        ];
        let mut edits = Vec::new();
        for (section, mark, probe) in sections {
            let start = text.find(&format!("\n{section} = ")).expect("the section") + 1;
            let end = text[start..].find("\n#").map_or(text.len(), |length| start + length);
            for (number, (at, _)) in text[start..end].match_indices(mark).enumerate() {
                let at = start + at + mark.len();
                let word = text[at..].split('"').next().unwrap_or_default();
                let other = match (section, word) {
                    ("FAILURES", "validation") => "gone",
                    ("FAILURES", _) => "validation",
                    _ => "elsewhere",
                };
                let mutation = Mutation {
                    name: format!("{section} {}", number + 1),
                    probe: probe.to_owned(),
                    rare: true,
                    edits: BTreeMap::new(),
                    without: BTreeMap::new(),
                };
                let (from, to) =
                    (text.clone(), text[..at].to_owned() + other + &text[at + word.len()..]);
                edits.push((mutation, Edit { file: "api.py".to_owned(), within: None, from, to }));
            }
        }
        edits
    }

    /// The checks that do not notice an edit.
    fn survivors(&self, mutation: &Mutation, edit: &Edit) -> Vec<String> {
        let path = self.package.join(&edit.file);
        let text = std::fs::read_to_string(&path).expect("a file of the connector");
        let broken = match edit.applied(&text) {
            Ok(broken) => broken,
            Err(why) => return vec![format!("the edit misses: {why}")],
        };
        disk::replace(&path, &broken);
        let mut survivors = Vec::new();
        match self.fails_its_tests() {
            Ok(true) => {}
            Ok(false) => survivors.push("its own tests pass".to_owned()),
            Err(why) => survivors.push(why),
        }
        let probe = format!("harness.{}", mutation.probe);
        let verdicts = self.verdicts([mutation.probe.as_str()]);
        if verdicts.get(&probe).map(String::as_str) != Some("fail") {
            survivors.push(format!("`aos conform` says {:?} of {probe}", verdicts.get(&probe)));
        }
        disk::replace(&path, &text);
        survivors
    }
}

/// The faults of one preset: the edits that no test noticed, and the failures of the project without an edit.
fn faults(preset: &str, edits: &[(Mutation, Edit)]) -> Vec<(String, Vec<String>)> {
    let subject = Subject::new(preset);
    let mut faults = Vec::new();
    let probes: BTreeSet<_> = edits.iter().map(|(mutation, _)| mutation.probe.as_str()).collect();
    let verdicts = subject.verdicts(probes);
    // That its own tests pass is shown by `scaffolded_python`.
    let whole: Vec<_> = verdicts
        .iter()
        .filter(|(_, verdict)| *verdict != "pass")
        .map(|(probe, verdict)| format!("{probe}: {verdict}"))
        .collect();
    faults.push(("without an edit".to_owned(), whole));
    for (mutation, edit) in edits {
        let survivors = subject.survivors(mutation, edit);
        println!(
            "{preset}, {}: {}",
            mutation.name,
            if survivors.is_empty() { "noticed" } else { "MISSED" }
        );
        faults.push((mutation.name.clone(), survivors));
    }
    faults
}

#[test]
fn a_wrong_connector_fails_its_own_tests_and_conform() {
    let table: Table =
        toml_edit::de::from_str(include_str!("connector_mutations/edits.toml")).expect("edits");
    let listed = Sandbox::new().aos(&["new", "--list", "--all"]).data();
    let presets = connector(&listed)["presets"].as_array().expect("presets").clone();
    let presets: Vec<_> =
        presets.iter().map(|preset| preset.as_str().expect("a name").to_owned()).collect();
    assert!(presets.len() >= 10, "{presets:?}");
    let is_full = is_full_run();
    let plan = if is_full {
        let mut plan = full(&table.mutation, &presets);
        for (preset, edits) in &mut plan {
            edits.extend(Subject::new(preset).rules());
        }
        plan
    } else {
        covering(&table.mutation, &presets)
    };
    // The largest preset first: it takes longest.
    let mut order: Vec<_> = plan.keys().cloned().collect();
    order.sort_by_key(|preset| preset != "github");
    let next = Mutex::new(order.into_iter());
    let found: Mutex<BTreeMap<String, Vec<_>>> = Mutex::default();
    let work = || {
        while let Some(preset) = { next.lock().expect("no panic").next() } {
            let faults = faults(&preset, &plan[&preset]);
            found.lock().expect("no panic").insert(preset, faults);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    let found = found.into_inner().expect("no panic");
    print_matrix(&table.mutation, &found);
    let mut survivors = String::new();
    for (preset, faults) in &found {
        assert!(faults.len() > EDITS, "{preset}: {} edits", faults.len() - 1);
        for (name, faults) in faults {
            for fault in faults {
                survivors.push_str(&format!("{preset}, {name}: {fault}\n"));
            }
        }
    }
    for mutation in table.mutation.iter().filter(|mutation| is_full || !mutation.rare) {
        let tried = found.values().flatten().filter(|(name, _)| *name == mutation.name).count();
        assert!(tried >= PRESETS, "`{}` is tried {tried} times", mutation.name);
    }
    assert!(survivors.is_empty(), "{survivors}");
}

/// `x` noticed by both, `S` survives, `-` cannot be, `.` not tried in this run.
fn print_matrix(mutations: &[Mutation], found: &BTreeMap<String, Vec<(String, Vec<String>)>>) {
    let presets: Vec<_> = found.keys().map(String::as_str).collect();
    println!("{:40} {}", "", presets.join(" "));
    let mut names: Vec<_> = mutations.iter().map(|mutation| mutation.name.clone()).collect();
    let others = found.values().flatten().map(|(name, _)| name.clone());
    let others: BTreeSet<_> = others.filter(|name| !names.contains(name)).collect();
    names.extend(others);
    for name in &names {
        let stated = mutations.iter().find(|mutation| mutation.name == *name);
        let cells: Vec<_> = found
            .iter()
            .map(|(preset, faults)| {
                let sign = match faults.iter().find(|(other, _)| other == name) {
                    Some((_, faults)) if faults.is_empty() => "x",
                    Some(_) => "S",
                    None if stated.is_some_and(|stated| stated.edit(preset).is_err()) => "-",
                    None => ".",
                };
                format!("{sign:width$}", width = preset.len())
            })
            .collect();
        println!("{name:40} {}", cells.join(" "));
    }
    for mutation in mutations {
        for (preset, why) in &mutation.without {
            println!("- {}, {preset}: {why}", mutation.name);
        }
    }
}

#[test]
fn an_edit_that_misses_its_place_is_noticed() {
    let edit = |from: &str, within: Option<&str>| Edit {
        file: "api.py".to_owned(),
        within: within.map(str::to_owned),
        from: from.to_owned(),
        to: "c".to_owned(),
    };
    let text = "def one(x):\n    a\n\n@command\ndef two(x):\n    a\n    b\n";
    assert!(edit("    a", None).applied(text).is_err());
    assert!(edit("    d", None).applied(text).is_err());
    assert!(edit("    b", Some("one")).applied(text).is_err());
    assert!(edit("    a", Some("three")).applied(text).is_err());
    let applied = edit("    a", Some("two")).applied(text);
    assert_eq!(applied.as_deref(), Ok("def one(x):\n    a\n\n@command\ndef two(x):\nc\n    b\n"));
}
