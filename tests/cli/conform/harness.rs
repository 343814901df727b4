//! Probes of the family `harness`: a good connector passes all, and each fault fails its own probe alone.

use std::collections::BTreeSet;
use std::sync::Mutex;

use super::super::sandbox::Sandbox;
use super::{conform, connector, with_verdict};

/// Probes that install the connector: slow, and only their own faults can touch them.
const INSTALLS: [&str; 2] = ["harness.install", "harness.install-two"];

/// Faults that are tried together.
const FAULTS_OF_A_RUN: usize = 6;

/// Every probe of the family, by the part of its id that names the fault.
fn probes(sandbox: &Sandbox) -> Vec<String> {
    let data = sandbox.aos(&["conform", "--list", "--family", "harness"]).data();
    let probes = data["probes"].as_array().unwrap();
    probes.iter().map(|probe| probe["probe"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_good_connector_passes_every_probe() {
    let sandbox = Sandbox::new();
    let path = connector(&sandbox, "");
    let data = conform(&sandbox, &path, &[]).data();
    assert_eq!(data["summary"]["pass"], data["summary"]["probes"], "{data:#}");
}

/// Several faults share a run; where such a run shows anything but these faults, each of them has a run of its own.
#[test]
fn each_fault_fails_exactly_its_probe() {
    let probes = probes(&Sandbox::new());
    let (installs, plain): (Vec<_>, Vec<_>) =
        probes.iter().map(String::as_str).partition(|probe| INSTALLS.contains(probe));
    let runs = plain.len().div_ceil(FAULTS_OF_A_RUN);
    let mut groups: Vec<Vec<&str>> =
        (0..runs).map(|run| plain.iter().copied().skip(run).step_by(runs).collect()).collect();
    groups.extend(installs.into_iter().map(|probe| vec![probe]));
    let next = Mutex::new(groups.iter());
    let wrong = Mutex::new(Vec::new());
    let work = || {
        while let Some(group) = { next.lock().unwrap().next() } {
            if group.len() > 1 && broken(&probes, group).is_ok() {
                continue;
            }
            for probe in group {
                if let Err(found) = broken(&probes, &[*probe]) {
                    wrong.lock().unwrap().push(found);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Holds a connector with the faults of `group` against all probes. What fails must be the group, and nothing may be
/// blocked.
fn broken(probes: &[String], group: &[&str]) -> Result<(), String> {
    let sandbox = Sandbox::new();
    let faults: Vec<_> = group.iter().map(|probe| probe.trim_start_matches("harness.")).collect();
    let path = connector(&sandbox, &faults.join(" "));
    let installs = group.iter().any(|probe| INSTALLS.contains(probe));
    let others = probes.iter().filter(|other| installs || !INSTALLS.contains(&other.as_str()));
    let mut arguments = vec!["--jobs", "2"];
    arguments.extend(others.flat_map(|other| ["--probe", other.as_str()]));
    let error = conform(&sandbox, &path, &arguments).json();
    let details = &error["error"]["details"];
    if details["results"].is_null() {
        return Err(format!("{faults:?}: nothing failed"));
    }
    let failed: BTreeSet<_> = with_verdict(details, "fail").into_iter().collect();
    let blocked = with_verdict(details, "blocked");
    if failed == group.iter().copied().collect() && blocked.is_empty() {
        return Ok(());
    }
    let found = format!("{faults:?}: {failed:?}, blocked {blocked:?}");
    eprintln!("{found}");
    Err(found)
}

#[test]
fn a_good_connector_of_the_first_tag_fails_nothing() {
    let sandbox = Sandbox::new();
    let path = connector(&sandbox, "first-tag");
    sandbox.write("aos-good/.agent/SPEC_VERSION", "v1.0.0\n");
    let data = conform(&sandbox, &path, &[]).data();
    assert_eq!(data["tool"]["tag"], "v1.0.0");
    assert_eq!(with_verdict(&data, "fail"), Vec::<&str>::new());
    assert!(with_verdict(&data, "not_applicable").contains(&"harness.gate-first"), "{data:#}");
}

#[test]
fn commands_without_a_sample_are_blocked_and_named() {
    let sandbox = Sandbox::new();
    let path = connector(&sandbox, "");
    sandbox.write("aos-good/conform.toml", "version = 1\nbase_url_env = \"GOOD_URL\"\n");
    let error = conform(&sandbox, &path, &["--probe", "harness.commands-work"]);
    let error = error.error("E_NONCONFORMANT", 6);
    let result = &error["details"]["results"][0];
    assert_eq!(result["verdict"], "blocked");
    assert!(result["message"].as_str().unwrap().contains("`item.create`"), "{result}");
}

#[test]
fn a_generated_connector_passes_everything() {
    let sandbox = Sandbox::new();
    let path = sandbox.connector("acme");
    let data = conform(&sandbox, &path, &[]).data();
    assert_eq!(data["summary"]["ok"], true, "{data:#}");
    assert_eq!(data["summary"]["blocked"], 0);
}

#[test]
fn a_new_connector_has_a_sample_for_each_command_of_its_preset() {
    let sandbox = Sandbox::new();
    for preset in
        ["airtable", "asana", "github", "gitlab", "hubspot", "jira", "notion", "slack", "todoist"]
    {
        let path = sandbox.connector(preset);
        let read = |name: &str| std::fs::read_to_string(path.join(name)).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&read("connector.json")).unwrap();
        let own = manifest["commands"].as_array().unwrap().len() - 4;
        let fixture = read("conform.toml");
        assert_eq!(fixture.matches("[[harness.commands]]").count(), own, "{preset}");
        assert!(fixture.matches("[[harness.commands.requests]]").count() >= own, "{preset}");
    }
}
