//! A release that was verified is kept, needs no network, and is verified again on every use.

use std::path::PathBuf;

use crate::disk;
use crate::spec_release::scene::{Release, Scene, signer};

/// The one release that is kept.
fn kept(scene: &Scene) -> PathBuf {
    let names = disk::names(&scene.cache());
    assert_eq!(names.len(), 1, "{names:?}");
    scene.cache().join(&names[0])
}

#[test]
fn a_release_is_fetched_once_and_then_needs_no_network() {
    let scene = Scene::new();
    scene.publish(&Release::new("v1.2.0"));
    scene.sync(&["--to", "v1.2.0"]).data();
    let asked: Vec<_> = scene.server.asked().into_iter().map(|asked| asked.path).collect();
    assert_eq!(asked.len(), 4, "description, list, signature, archive: {asked:?}");
    let verdict = scene.offline(&["check"]).data();
    assert_eq!(verdict["projects"][0]["trust"], "signed");
    assert_eq!(verdict["projects"][0]["signer"], signer("v1.2.0"));
    let data = scene.offline(&["sync-spec"]).data();
    assert_eq!((&data["status"], &data["trust"]), (&"unchanged".into(), &"signed".into()));
    assert_eq!(data["release_url"], crate::spec_release::scene::page("v1.2.0"));
    scene.offline(&["gen"]).data();
    assert!(scene.server.asked().is_empty());
}

#[test]
fn a_project_that_differs_is_found_without_network_too() {
    let scene = Scene::new();
    scene.publish(&Release::new("v1.2.0"));
    scene.sync(&["--to", "v1.2.0"]).data();
    let lock = scene.project.join(".agent/spec.lock");
    let drifts = |words: &str| {
        let error = scene.offline(&["check"]).error("E_DRIFT", 6);
        assert!(error.to_string().contains(words), "{words}: {error}");
    };
    // Changing the digests in the lock as well does not help.
    for (path, from, to) in [
        (".agent/CONNECTOR-SPEC.md", "later", "weaker"),
        ("contract/contract.json", "\"retryable\": true", "\"retryable\": false"),
    ] {
        let path = scene.project.join(path);
        let digest = || aos::verify::Sha256::of(disk::read(&path).as_bytes()).to_string();
        let before = digest();
        disk::edit(&path, from, to);
        disk::edit(&lock, &before, &digest());
        drifts("drift/modified");
        // The lock decides whether work of the user would be lost; here it would not.
        scene.offline(&["sync-spec"]).data();
        scene.offline(&["check"]).data();
    }
    std::fs::remove_file(scene.project.join(".agent/CONNECTOR-SPEC.md")).unwrap();
    drifts("drift/missing");
    scene.offline(&["sync-spec"]).data();
    scene.sandbox.write("aos-acme/.agent/REPO-SPEC.md", "# Mine\n");
    drifts("drift/extra");
}

#[test]
fn a_damaged_copy_is_as_good_as_none() {
    let scene = Scene::new();
    scene.publish(&Release::new("v1.2.0"));
    scene.sync(&["--to", "v1.2.0"]).data();
    let path = kept(&scene);
    let whole = std::fs::read(&path).unwrap();
    let mut changes: Vec<Vec<u8>> = vec![Vec::new(), b"aos spec release 1\n0 0 0\n".to_vec()];
    for at in [0, 20, 40, 100, whole.len() / 2, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x20;
        changes.push(bytes);
    }
    changes.push(whole[..whole.len() - 1].to_vec());
    changes.push([whole.as_slice(), b"x"].concat());
    for (number, bytes) in changes.iter().enumerate() {
        std::fs::write(&path, bytes).unwrap();
        let error = scene.offline(&["check"]).error("E_NETWORK", 7);
        assert_eq!(error["details"]["cause"], "offline", "change {number}");
        scene.offline(&["sync-spec"]).error("E_NETWORK", 7);
        // With a network it is fetched again, and whole again.
        scene.check().data();
        assert_eq!(std::fs::read(&path).unwrap(), whole, "change {number}");
    }
}

#[test]
fn a_copy_of_another_release_is_not_used_for_this_one() {
    let scene = Scene::new();
    scene.publish(&Release::new("v1.3.0"));
    scene.sync(&["--to", "v1.3.0"]).data();
    let other = kept(&scene);
    let bytes = std::fs::read(&other).unwrap();
    std::fs::remove_file(&other).unwrap();
    scene.publish(&Release::new("v1.2.0"));
    scene.sync(&["--to", "v1.2.0"]).data();
    std::fs::write(kept(&scene), bytes).unwrap();
    scene.offline(&["check"]).error("E_NETWORK", 7);
    scene.check().data();
}

#[test]
fn a_release_kept_under_another_trust_root_is_not_trusted() {
    let scene = Scene::new();
    scene.publish(&Release::new("v1.2.0"));
    scene.sync(&["--to", "v1.2.0"]).data();
    let error = scene.aos(&["check"]).error("E_INTEGRITY", 1);
    assert_eq!(error["details"]["cause"], "bad_signature");
}

#[test]
fn a_link_or_a_directory_in_place_of_a_copy_is_not_used() {
    let scene = Scene::new();
    scene.publish(&Release::new("v1.2.0"));
    scene.sync(&["--to", "v1.2.0"]).data();
    let path = kept(&scene);
    let elsewhere = scene.sandbox.work().join("elsewhere");
    std::fs::rename(&path, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    scene.offline(&["check"]).error("E_NETWORK", 7);
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    // If a release cannot be kept, there is still a verdict, and a note says so.
    let verdict = scene.check().data();
    let note = verdict["projects"][0]["notes"][0].as_str().unwrap();
    assert!(note.contains("could not be cached"), "{note}");
}

#[test]
fn kept_releases_are_private_and_bounded_and_leave_no_temporary_files() {
    let scene = Scene::new();
    scene.publish(&Release::new("v1.2.0"));
    scene.sync(&["--to", "v1.2.0"]).data();
    let path = kept(&scene);
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    std::fs::remove_file(&path).unwrap();
    for number in 0..40 {
        std::fs::write(scene.cache().join(format!("{number:064}")), b"old").unwrap();
    }
    std::fs::write(scene.cache().join(format!("{:064}.left", 0)), b"by a killed run").unwrap();
    scene.check().data();
    let names = disk::names(&scene.cache());
    assert_eq!(names.len(), 32);
    assert!(path.exists() && !names.iter().any(|name| name.contains('.')), "{names:?}");
}

#[test]
fn without_a_home_nothing_is_kept_and_everything_works() {
    let scene = Scene::new();
    scene.publish(&Release::new("v1.2.0"));
    let mut command = scene.trusting(&["sync-spec", "--to", "v1.2.0"]);
    crate::sandbox::run(command.env_remove("HOME")).data();
    let mut command = scene.trusting(&["check"]);
    crate::sandbox::run(command.env_remove("HOME")).data();
    assert_eq!(scene.server.asked().len(), 8);
    assert!(!scene.cache().exists());
}
