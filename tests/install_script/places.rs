//! Targets that the script must not change: read-only directories, programs of package managers, other programs.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use crate::release::program;
use crate::scene::{Scene, answer, names, script, skipped, which};

#[test]
fn a_directory_that_cannot_be_made_is_found_before_any_download() {
    let (scene, _) = Scene::with_release();
    let file = scene.home().join("file");
    std::fs::write(&file, "mine").unwrap();
    for directory in [file.join("bin"), file.clone()] {
        let answer = scene.refused(&["--dir", directory.to_str().unwrap()], 4, "cannot be created");
        assert!(answer.stderr.contains("never uses sudo"), "{answer:?}");
    }
    assert!(scene.server.asked().is_empty());
    assert_eq!(std::fs::read_to_string(file).unwrap(), "mine");
}

#[test]
fn a_directory_that_cannot_be_written_is_found_before_any_download() {
    let test = "a_directory_that_cannot_be_written_is_found_before_any_download";
    let (scene, _) = Scene::with_release();
    let directory = scene.home().join("bin");
    std::fs::create_dir(&directory).unwrap();
    set_mode(&directory, 0o555);
    let arguments = ["--dir", directory.to_str().unwrap()];
    if std::fs::write(directory.join("probe"), "").is_err() {
        scene.refused(&arguments, 4, "cannot be written");
    } else {
        // Root may write everywhere, so the script runs as another user.
        std::fs::remove_file(directory.join("probe")).unwrap();
        let Some(setpriv) = which("setpriv") else { return skipped(test, "root, and no setpriv") };
        for place in [scene.home().parent().unwrap(), &scene.home()] {
            set_mode(place, 0o755);
        }
        set_mode(&scene.home().join("../tmp"), 0o777);
        let plain = scene.command(&arguments);
        let mut command = std::process::Command::new(setpriv);
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(plain.get_program());
        command.args(plain.get_args()).current_dir("/").env_clear();
        command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let answer = answer(command.output().unwrap());
        if answer.stderr.contains("setpriv:") || answer.stderr.contains("Permission denied") {
            return skipped(test, "another user cannot reach the script here");
        }
        assert_eq!(answer.exit, Some(4), "{answer:?}");
        assert!(answer.stderr.contains("cannot be written"), "{answer:?}");
    }
    assert!(names(&directory).is_empty());
    assert!(scene.server.asked().is_empty());
    set_mode(&directory, 0o755);
}

fn set_mode(place: &Path, mode: u32) {
    std::fs::set_permissions(place, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_program_of_a_package_manager_is_left_to_it() {
    let rows = [
        ("lib/node_modules/@argentaios/aos/bin/aos.js", "belongs to npm"),
        ("Cellar/aos/1.0.0/bin/aos", "belongs to Homebrew"),
        ("linuxbrew/.linuxbrew/opt/aos/bin/aos", "belongs to Homebrew"),
    ];
    for (place, words) in rows {
        let (scene, _) = Scene::with_release();
        let real = scene.home().join(place);
        script(&real, &program("1.0.0"));
        std::fs::create_dir_all(scene.target().parent().unwrap()).unwrap();
        // Two links, one of them relative, as the managers make them.
        symlink(&real, scene.home().join("first")).unwrap();
        symlink("../../first", scene.target()).unwrap();
        scene.refused(&[], 4, words);
        assert!(scene.server.asked().is_empty());
        assert!(scene.target().is_symlink());
    }
}

#[test]
fn the_wrapper_script_of_a_package_manager_is_left_to_it() {
    let (scene, _) = Scene::with_release();
    let shim = "exec node \"$0/../../lib/node_modules/@argentaios/aos/bin/aos.js\" \"$@\"";
    script(&scene.target(), shim);
    scene.refused(&[], 4, "belongs to npm");
}

#[test]
fn a_program_of_cargo_is_left_to_it() {
    let (mut scene, _) = Scene::with_release();
    for custom in [false, true] {
        let cargo = scene.home().join(if custom { "custom" } else { ".cargo" });
        script(&cargo.join("bin/aos"), &program("1.0.0"));
        let installed = "[v1]\n\"aos 1.0.0 (git+https://github.com/ArgentAIOS/aos)\" = [\"aos\"]\n";
        std::fs::write(cargo.join(".crates.toml"), installed).unwrap();
        if custom {
            scene.set("CARGO_HOME", cargo.to_str().unwrap());
        }
        let directory = cargo.join("bin");
        scene.refused(&["--dir", directory.to_str().unwrap()], 4, "belongs to cargo");
        // Another program of cargo says nothing about ours.
        std::fs::write(cargo.join(".crates.toml"), "[v1]\n\"just 1.0.0 (x)\" = [\"just\"]\n")
            .unwrap();
        let answer = scene.install(&["--dir", directory.to_str().unwrap()]);
        assert_eq!(answer.exit, Some(0), "{answer:?}");
    }
}

#[test]
fn a_program_that_is_not_aos_is_not_replaced() {
    let (scene, _) = Scene::with_release();
    for body in
        ["#!/bin/sh\necho other 1.0.0\n", "#!/bin/sh\nexit 3\n", "#!/bin/sh\necho aos of mine\n"]
    {
        script(&scene.target(), body);
        scene.refused(&[], 4, "exists, but is not aos");
    }
    std::fs::remove_file(scene.target()).unwrap();
    std::fs::write(scene.target(), "notes").unwrap();
    scene.refused(&[], 4, "exists, but is not aos");
    std::fs::remove_file(scene.target()).unwrap();
    std::fs::create_dir(scene.target()).unwrap();
    scene.refused(&[], 4, "is a directory");
    assert!(scene.server.asked().is_empty());
}

#[test]
fn a_link_of_a_developer_is_not_replaced() {
    let (scene, _) = Scene::with_release();
    let built = scene.home().join("src/target/release/aos");
    script(&built, &program("1.0.0"));
    std::fs::create_dir_all(scene.target().parent().unwrap()).unwrap();
    symlink(&built, scene.target()).unwrap();
    scene.refused(&[], 4, "is a link to");
    std::fs::remove_file(scene.target()).unwrap();
    symlink("aos", scene.target()).unwrap();
    scene.refused(&[], 4, "is a link to");
    assert!(scene.target().is_symlink());
}

#[test]
fn a_file_in_the_way_of_the_staged_one_is_never_written_through() {
    let (scene, _) = Scene::with_release();
    let directory = scene.target().parent().unwrap().to_owned();
    std::fs::create_dir_all(&directory).unwrap();
    let secret = scene.home().join("secret");
    std::fs::write(&secret, "mine").unwrap();
    // Here the names of temporary directories are known, so an attacker could have put a link there.
    scene.shim(
        "mktemp",
        "mkdir \"$TMPDIR/aos-install.known\" && echo \"$TMPDIR/aos-install.known\"",
    );
    symlink(&secret, directory.join(".aos.known.new")).unwrap();
    let run = answer(scene.command(&[]).output().unwrap());
    assert_eq!(run.exit, Some(1), "{run:?}");
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "mine");
    assert!(!scene.target().exists());
}
