//! Probes of the family `harness`: a good connector passes all, and each fault fails its own probe alone.

use std::collections::BTreeSet;
use std::sync::Mutex;

use super::super::sandbox::Sandbox;
use super::{connector, with_verdict};

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
    let data = sandbox.aos_in(&path, &["conform"]).data();
    assert_eq!(data["summary"]["pass"], data["summary"]["probes"], "{data:#}");
}

#[test]
fn each_fault_fails_exactly_its_probe() {
    let wanted = probes(&Sandbox::new());
    let next = Mutex::new(wanted.iter());
    let wrong = Mutex::new(Vec::new());
    let work = || {
        while let Some(probe) = { next.lock().unwrap().next() } {
            let sandbox = Sandbox::new();
            let fault = probe.strip_prefix("harness.").unwrap();
            let path = connector(&sandbox, fault);
            let error = sandbox.aos_in(&path, &["conform", "--jobs", "2"]).json();
            let details = &error["error"]["details"];
            if details["results"].is_null() {
                wrong.lock().unwrap().push(format!("{fault}: nothing failed"));
                continue;
            }
            eprintln!("{fault}: {:?}", with_verdict(details, "fail"));
            let failed: BTreeSet<_> = with_verdict(details, "fail").into_iter().collect();
            let blocked = with_verdict(details, "blocked");
            if failed != BTreeSet::from([probe.as_str()]) || !blocked.is_empty() {
                wrong.lock().unwrap().push(format!("{fault}: {failed:?}, blocked {blocked:?}"));
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

#[test]
fn a_generated_connector_passes_everything() {
    let sandbox = Sandbox::new();
    let path = sandbox.connector("acme");
    let data = sandbox.aos_in(&path, &["conform"]).data();
    assert_eq!(data["summary"]["ok"], true, "{data:#}");
    assert_eq!(data["summary"]["blocked"], 0);
}
