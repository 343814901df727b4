//! `aos migrate`: a connector of the fleet is adopted with a baseline, and each rewrite changes what it understands.

mod rewrites;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::disk;
use crate::sandbox::{Answer, Sandbox, run};
use crate::toolchain::python_of_connectors;

/// A connector as the fleet has them.
const FLEET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/migrate/aos-parcel");
const PACKAGE: &str = "agent-harness/cli_aos/parcel";

/// The connector in the work directory, or below it.
pub fn connector(sandbox: &Sandbox, place: &str) -> PathBuf {
    let to = sandbox.work().join(place);
    for entry in walkdir::WalkDir::new(FLEET) {
        let entry = entry.expect("a readable tree");
        let target = to.join(entry.path().strip_prefix(FLEET).expect("below"));
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(target).expect("a directory");
        } else {
            std::fs::copy(entry.path(), target).expect("a file");
        }
    }
    to
}

/// Runs aos where Python is found at once.
pub fn with_python(sandbox: &Sandbox, project: &Path, words: &[&str]) -> Answer {
    let mut command = sandbox.command(words);
    let path = std::env::var("PATH").expect("a PATH");
    command.env("PATH", format!("{}:{path}", python_of_connectors().display()));
    run(command.current_dir(project))
}

/// Previews without running the tool, and confirms; gives the answer.
#[track_caller]
pub fn migrated(sandbox: &Sandbox, project: &Path, words: &[&str]) -> Value {
    let words = [&["migrate", "--proof", "none"], words].concat();
    let preview = sandbox.aos_in(project, &[&words[..], &["--dry-run", "--diff"]].concat()).data();
    let token = preview["confirm_token"].as_str().expect("a token").to_owned();
    sandbox.aos_in(project, &[&words[..], &["--confirm", &token, "--diff"]].concat()).data()
}

/// The entry of one rewrite in a response.
#[track_caller]
pub fn of<'a>(data: &'a Value, id: &str) -> &'a Value {
    let rewrites = data["rewrites"].as_array().expect("rewrites");
    rewrites.iter().find(|entry| entry["id"] == id).expect("the rewrite")
}

#[test]
fn a_connector_is_adopted_with_a_dated_baseline_and_rewritten_in_one_plan() {
    let sandbox = Sandbox::new();
    let project = connector(&sandbox, "aos-parcel");
    let before = disk::state(&project);
    // Nothing is written without a token, because lines of the author are replaced.
    let words = ["migrate", "--proof", "none"];
    let error = sandbox.aos_in(&project, &words).error("E_CONFIRMATION_REQUIRED", 5);
    assert!(error["details"]["rewrites"].is_array(), "{error}");
    assert!(disk::state(&project) == before);
    let data = migrated(&sandbox, &project, &[]);
    assert_eq!((&data["status"], &data["adopted"]), (&"migrated".into(), &true.into()));
    for id in
        ["package-name", "permission-keys", "contract-module", "health-words", "masks", "flags"]
    {
        assert_eq!(of(&data, id)["status"], "rewritten", "{data}");
    }
    let baseline: Value =
        serde_json::from_str(&disk::read(&project.join("aos-fleet.baseline.json"))).expect("JSON");
    assert_eq!(baseline["recorded_on"], data["baseline"]["recorded_on"]);
    assert!(baseline["recorded_on"].as_str().is_some_and(|day| day.len() == 10), "{baseline}");
    // Everything that is found from now on is new.
    let compare = ["check", "--recursive", ".", "--baseline", "compare"];
    let fleet = sandbox.aos_in(&project, &compare).data();
    assert_eq!(fleet["fleet"]["baseline"]["known"], data["baseline"]["findings"]);
    disk::append(
        &project.join("agent-harness/aos_parcel/parcel/config.py"),
        "\nx = token()[:4]\nimport os; os.system('x')\n",
    );
    sandbox.aos_in(&project, &compare).error("E_DRIFT", 6);
}

#[test]
fn a_second_run_changes_nothing() {
    let sandbox = Sandbox::new();
    let project = connector(&sandbox, "aos-parcel");
    migrated(&sandbox, &project, &[]);
    let after = disk::state(&project);
    let again = sandbox.aos_in(&project, &["migrate", "--proof", "none", "--diff"]).data();
    assert_eq!(again["status"], "unchanged", "{again}");
    let rewritten = again["rewrites"].as_array().expect("rewrites").iter();
    assert!(rewritten.clone().all(|entry| entry["status"] != "rewritten"), "{again}");
    assert!(disk::state(&project) == after);
    // A rewrite that was left out can still follow.
    let other = connector(&sandbox, "other/aos-parcel");
    migrated(&sandbox, &other, &["--only", "package-name"]);
    assert!(!disk::read(&other.join("aos.toml")).contains("permissions"), "not generated yet");
    let data = migrated(&sandbox, &other, &["--skip", "package-name"]);
    assert_eq!(data["adopted"], false);
    assert_eq!(of(&data, "package-name")["status"], "skipped");
    let record = disk::read(&other.join("aos.toml"));
    assert!(record.contains("agent-harness/aos_parcel/parcel/contract_gen.py"), "{record}");
    let sides = [&project, &other].map(|root| {
        let mut files = disk::state(root);
        // The second run of the other one recorded a smaller baseline.
        files.retain(|path, _| !path.contains("baseline") && !path.contains("aos.toml"));
        files
    });
    assert!(sides[0] == sides[1]);
}

#[test]
fn the_tool_is_proved_before_and_after_each_rewrite_in_a_copy() {
    let sandbox = Sandbox::new();
    let project = connector(&sandbox, "aos-parcel");
    let before = disk::state(&project);
    let words = ["migrate", "--only", "flags", "--only", "package-name", "--dry-run", "--diff"];
    let data = with_python(&sandbox, &project, &words).data();
    assert!(disk::state(&project) == before);
    let proof = &of(&data, "flags")["proof"];
    assert_eq!(proof["ran"], true, "{proof}");
    assert_eq!(proof["broken"], serde_json::json!([]), "{proof}");
    let fixed = proof["fixed"].to_string();
    assert!(fixed.contains("harness.flags-after"), "{proof}");
    assert_eq!(of(&data, "package-name")["proof"]["broken"], serde_json::json!([]), "{data}");
}

#[test]
fn a_rewrite_that_breaks_the_tool_is_left_out() {
    let sandbox = Sandbox::new();
    let project = connector(&sandbox, "aos-parcel");
    // The group is used in a way that no text shows: arguments that begin with a global flag are refused.
    let cli = project.join(PACKAGE).join("cli.py");
    disk::edit(
        &cli,
        "@click.group()",
        "class Odd(click.Group):\n    def main(self, args=None, **more):\n        if args is not None:\n            raise SystemExit(9)\n        return super().main(args=args, **more)\n\n\n@click.group(cls=Odd)",
    );
    let words = ["migrate", "--only", "flags", "--dry-run", "--diff"];
    let data = with_python(&sandbox, &project, &words).data();
    let entry = of(&data, "flags");
    assert_eq!(entry["status"], "refused", "{entry}");
    assert_ne!(entry["proof"]["broken"], serde_json::json!([]), "{entry}");
    assert!(!data["preview"]["changes"].to_string().contains("global_flags.py"), "{data}");
}

#[test]
fn a_tool_that_cannot_be_run_is_reported_with_the_reason() {
    let sandbox = Sandbox::new();
    let project = connector(&sandbox, "aos-parcel");
    let mut command = sandbox.command(&["migrate", "--only", "masks", "--dry-run", "--diff"]);
    let data = run(command.env("PATH", "/nowhere").current_dir(&project)).data();
    let proof = &of(&data, "masks")["proof"];
    assert_eq!(proof["ran"], false);
    assert!(proof["reason"].as_str().is_some_and(|why| why.contains("Python")), "{proof}");
}

#[test]
fn an_unknown_rewrite_is_refused_with_the_nearest_name() {
    let sandbox = Sandbox::new();
    let project = connector(&sandbox, "aos-parcel");
    let error = sandbox.aos_in(&project, &["migrate", "--only", "mask"]).error("E_VALIDATION", 2);
    assert_eq!(error["details"]["fix"], "did you mean `masks`?", "{error}");
}

#[test]
fn a_fleet_is_migrated_one_by_one_and_a_failure_does_not_stop_the_others() {
    let sandbox = Sandbox::new();
    connector(&sandbox, "fleet/aos-parcel");
    let other = connector(&sandbox, "fleet/aos-broken");
    std::fs::write(other.join("aos.toml"), "nonsense = [").expect("a file");
    let words = ["migrate", "--recursive", "fleet", "--proof", "none", "--dry-run"];
    let error = sandbox.aos(&words).error("E_CONFIG", 4);
    let summary = &error["details"]["summary"];
    assert_eq!((&summary["failed"], &summary["changed"]), (&1.into(), &1.into()), "{error}");
    // Without a token, lines of an author stay; with it, one project is done and the other fails.
    let words = ["migrate", "--recursive", "fleet", "--proof", "none"];
    sandbox.aos(&words).error("E_CONFIG", 4);
    assert!(!sandbox.work().join("fleet/aos-parcel/aos.toml").exists());
    let token = error["details"]["confirm_token"].as_str().expect("a token").to_owned();
    let confirm = ["migrate", "--recursive", "fleet", "--proof", "none", "--confirm", &token];
    let error = sandbox.aos(&confirm).error("E_CONFIG", 4);
    assert_eq!(error["details"]["summary"]["changed"], 1, "{error}");
    assert!(sandbox.work().join("fleet/aos-parcel/aos.toml").exists());
    sandbox.aos(&confirm).error("E_CONFLICT", 6);
    // The same call does what is left.
    std::fs::remove_file(other.join("aos.toml")).expect("a file");
    let preview = [&words[..], &["--dry-run"]].concat();
    let data = sandbox.aos(&preview).data();
    let summary = &data["summary"];
    assert_eq!((&summary["unchanged"], &summary["changed"]), (&1.into(), &1.into()), "{data}");
    let token = data["confirm_token"].as_str().expect("a token").to_owned();
    sandbox.aos(&[&words[..], &["--confirm", &token]].concat()).data();
    let data = sandbox.aos(&words).data();
    assert_eq!(data["summary"]["unchanged"], 2, "{data}");
}

#[test]
fn a_project_without_rewrites_is_not_a_failure_of_a_fleet() {
    let sandbox = Sandbox::new();
    sandbox.aos(&["new", "ledger", "--template", "cli-go", "--no-git"]).data();
    let data = sandbox.aos(&["migrate", "--recursive", ".", "--dry-run"]).data();
    assert_eq!((&data["summary"]["failed"], &data["summary"]["unchanged"]), (&0.into(), &1.into()));
    assert!(data["projects"][0]["message"].to_string().contains("agent-cli"), "{data}");
    let ledger = sandbox.work().join("ledger");
    sandbox.aos_in(&ledger, &["migrate"]).error("E_VALIDATION", 2);
}
