//! A fleet whose projects follow one source: each release is downloaded once, and no project is OK without it.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::disk;
use crate::sandbox::{Answer, run};
use crate::spec_release::scene::{Release, SOURCE, Scene, asset, tagged};
use crate::spec_release::server::Reply;

const NAMES: [&str; 6] =
    ["aos-alpha", "aos-beta", "aos-delta", "aos-gamma", "aos-omega", "aos-zeta"];

/// Projects that follow `v1.2.0` of the source; nothing is kept.
struct Fleet {
    scene: Scene,
    projects: Vec<PathBuf>,
}

impl Fleet {
    fn new() -> Self {
        let scene = Scene::without_source();
        std::fs::remove_dir_all(&scene.project).unwrap();
        scene.publish(&Release::new("v1.2.0"));
        let projects: Vec<_> = NAMES.iter().map(|name| scene.sandbox.connector(name)).collect();
        for project in &projects {
            let source = format!("source = \"{SOURCE}\"");
            disk::edit(&project.join("aos.toml"), "source = \"embedded\"", &source);
            let mut command = scene.trusting(&["sync-spec", "--to", "v1.2.0"]);
            run(command.current_dir(project)).data();
        }
        scene.forget();
        scene.server.asked();
        Self { scene, projects }
    }

    fn check(&self) -> Answer {
        let work = self.scene.sandbox.work();
        run(self.scene.trusting(&["check", "--recursive", "."]).current_dir(work))
    }

    fn statuses(details: &Value) -> Vec<&str> {
        let projects = details["projects"].as_array().unwrap();
        projects.iter().map(|project| project["status"].as_str().unwrap()).collect()
    }
}

#[test]
fn a_fleet_asks_for_each_release_once() {
    let fleet = Fleet::new();
    let data = fleet.check().data();
    assert_eq!(data["summary"]["ok"], NAMES.len());
    assert_eq!(data["summary"]["uncompared"], 0);
    assert_eq!(fleet.scene.server.asked().len(), 4);
}

#[test]
fn a_fleet_waits_once_for_a_host_that_is_down() {
    let fleet = Fleet::new();
    fleet.scene.server.set(&tagged("v1.2.0"), Reply::Status(503, String::new()));
    let error = fleet.check().error("E_SERVER", 7);
    assert_eq!(error["retryable"], true);
    assert!(
        error["message"].as_str().unwrap().contains("6 of 6 projects were not compared"),
        "{error}"
    );
    // A brief answer lists as many as fit, and counts them all.
    let statuses = Fleet::statuses(&error["details"]);
    assert!(statuses.len() >= 3 && statuses.iter().all(|status| *status == "uncompared"));
    assert_eq!(error["details"]["summary"]["uncompared"], 6);
    assert_eq!(fleet.scene.server.asked().len(), 1);
}

#[test]
fn failures_are_reported_before_projects_that_were_not_compared() {
    let fleet = Fleet::new();
    let drifted = &fleet.projects[0];
    // The first one follows a tag that the program carries, and differs from it.
    disk::edit(&drifted.join("aos.toml"), SOURCE, "embedded");
    run(fleet.scene.command(&["sync-spec", "--to", "v1.1.0"]).current_dir(drifted)).data();
    disk::append(&drifted.join("contract/contract.json"), " ");
    fleet.scene.server.set(&tagged("v1.2.0"), Reply::Status(503, String::new()));
    let error = fleet.check().error("E_DRIFT", 6);
    assert!(error["message"].as_str().unwrap().contains("5 were not compared"), "{error}");
    // A brief answer shows the failures first, and as many of the others as have room.
    let statuses = Fleet::statuses(&error["details"]);
    assert_eq!(statuses[..2], ["failed", "uncompared"]);
    assert_eq!(error["details"]["summary"]["uncompared"], 5);
    assert_eq!(error["details"]["projects"][1]["fault"]["code"], "E_SERVER");
    assert_eq!(error["details"]["projects"][0]["fault"], json!(null));
}

#[test]
fn one_project_of_a_fleet_without_verdict_fails_the_fleet() {
    let fleet = Fleet::new();
    let other = &fleet.projects[3];
    disk::edit(&other.join("aos.toml"), SOURCE, "github:acme/gone");
    let error = fleet.check().error("E_NOT_FOUND", 3);
    assert_eq!(error["details"]["summary"]["ok"], 5);
    assert_eq!(error["details"]["projects"][0]["status"], "uncompared");
    let text = run(fleet
        .scene
        .trusting(&["check", "--recursive", ".", "--format", "text"])
        .current_dir(fleet.scene.sandbox.work()));
    assert!(text.stdout.contains("FAILED 6 projects, 0 failed, 1 not compared"), "{text:?}");
}

#[test]
fn a_forgery_comes_before_a_host_that_is_down() {
    let fleet = Fleet::new();
    disk::edit(&fleet.projects[0].join("aos.toml"), SOURCE, "github:acme/down");
    let down = "/repos/acme/down/releases/tags/v1.2.0";
    fleet.scene.server.set(down, Reply::Status(503, String::new()));
    let archive = asset("v1.2.0", "contract-v1.2.0.tar.gz");
    let mut bytes = Release::new("v1.2.0").archive;
    let last = bytes.len() - 20;
    bytes[last] ^= 1;
    fleet.scene.server.set(&archive, Reply::file(&bytes));
    let error = fleet.check().error("E_INTEGRITY", 1);
    assert_eq!(error["details"]["cause"], "digest_mismatch");
    assert_eq!(error["details"]["projects"][0]["fault"]["code"], "E_SERVER");
}

#[test]
fn a_fleet_without_host_sources_makes_no_request() {
    let scene = Scene::without_source();
    let work = scene.sandbox.work();
    run(scene.trusting(&["check", "--recursive", "."]).current_dir(work)).data();
    assert!(scene.server.asked().is_empty());
}

#[test]
fn selecting_one_rule_does_not_skip_the_comparison() {
    let fleet = Fleet::new();
    fleet.scene.server.set(&tagged("v1.2.0"), Reply::Status(503, String::new()));
    let mut command = fleet.scene.trusting(&["check", "--rule", "manifest/format"]);
    run(command.current_dir(&fleet.projects[0])).error("E_SERVER", 7);
}
