//! A run without faults installs exactly the program, with every shell and with few programs.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::process::Stdio;

use crate::release::{Release, VERSION, program};
use crate::scene::{SCRIPT, Scene, answer, missing_shells, names, script, shells, skipped, which};

#[test]
fn every_shell_installs_the_newest_release() {
    for shell in missing_shells() {
        skipped("every_shell_installs_the_newest_release", &format!("there is no `{shell}`"));
    }
    for shell in shells() {
        let (mut scene, release) = Scene::with_release();
        scene.shell = shell;
        let answer = scene.install(&[]);
        assert_eq!(answer.exit, Some(0), "{:?} {answer:?}", scene.shell);
        let metadata = std::fs::metadata(scene.target()).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o777, 0o755);
        assert_eq!(std::fs::read_to_string(scene.target()).unwrap(), program(VERSION));
        assert_eq!(names(scene.target().parent().unwrap()), ["aos"]);
        assert!(answer.stdout.contains(&crate::release::sha256(&release.archive)), "{answer:?}");
        assert!(answer.stdout.contains(&format!("installed aos {VERSION}")), "{answer:?}");
        // One line says that the signature was not checked.
        assert_eq!(answer.stderr.matches("signature: NOT checked").count(), 1, "{answer:?}");
        assert!(answer.stderr.contains("cannot verify itself"), "{answer:?}");
        assert_eq!(
            scene.server.asked(),
            [
                "/latest/download/checksums.txt".to_owned(),
                release.path("checksums.txt"),
                release.path("checksums.txt.sigstore.json"),
                release.path(&release.archive_name()),
            ]
        );
    }
}

#[test]
fn a_script_that_arrives_through_a_pipe_installs_a_version_by_name() {
    let (scene, _) = Scene::with_release();
    for (count, version) in [VERSION, "v9.8.7"].iter().enumerate() {
        let directory = scene.home().join(format!("bin{count}"));
        let mut command = std::process::Command::new(&scene.shell[0]);
        command.arg("-s").arg("--").arg("--version").arg(version);
        command.arg(format!("--dir={}", directory.display()));
        command
            .env_clear()
            .env("PATH", scene.path_directory())
            .env("AOS_RELEASE_URL", &scene.server.url)
            .stdin(Stdio::from(std::fs::File::open(SCRIPT).unwrap()));
        let answer = answer(command.output().unwrap());
        assert_eq!(answer.exit, Some(0), "{answer:?}");
        assert_eq!(names(&directory), ["aos"]);
    }
    assert!(!scene.server.asked().iter().any(|path| path.starts_with("/latest")));
}

#[test]
fn a_second_run_changes_nothing_and_another_version_replaces_the_file_by_a_new_one() {
    let (scene, _) = Scene::with_release();
    assert_eq!(scene.install(&[]).exit, Some(0));
    let first = std::fs::metadata(scene.target()).unwrap().ino();
    let again = scene.install(&[]);
    assert_eq!(again.exit, Some(0), "{again:?}");
    assert!(again.stdout.contains("nothing changed"), "{again:?}");
    assert_eq!(std::fs::metadata(scene.target()).unwrap().ino(), first);
    // A program that runs goes on with the bytes that it was started with.
    let running = std::fs::File::open(scene.target()).unwrap();
    Release::new("9.9.0-rc.1").publish(&scene.server);
    // The installed program is a fake aos whose verification always succeeds.
    assert_eq!(scene.install(&[]).exit, Some(0));
    assert_ne!(std::fs::metadata(scene.target()).unwrap().ino(), first);
    assert_eq!(running.metadata().unwrap().ino(), first);
    assert_eq!(std::fs::read_to_string(scene.target()).unwrap(), program("9.9.0-rc.1"));
}

#[test]
fn a_newest_release_that_is_older_is_installed_only_when_that_is_wanted() {
    let scene = Scene::new();
    script(&scene.target(), &program("9.9.0"));
    Release::new("9.8.7").publish(&scene.server);
    scene.refused(&[], 4, "the newest release is 9.8.7, but");
    assert_eq!(std::fs::read_to_string(scene.target()).unwrap(), program("9.9.0"));
    for arguments in [&["--allow-downgrade"][..], &["--version", "9.8.7"]] {
        script(&scene.target(), &program("9.9.0"));
        let answer = scene.install(arguments);
        assert_eq!(answer.exit, Some(0), "{answer:?}");
        assert_eq!(std::fs::read_to_string(scene.target()).unwrap(), program("9.8.7"));
    }
}

#[test]
fn relative_directories_and_tildes_in_quotes_are_understood() {
    let (mut scene, _) = Scene::with_release();
    assert_eq!(scene.install(&["--dir", "here/bin"]).exit, Some(0));
    scene.set("AOS_INSTALL_DIR", "~/there");
    assert_eq!(scene.install(&[]).exit, Some(0));
    let space = scene.home().join("with space/bin");
    assert_eq!(scene.install(&["--dir", space.to_str().unwrap()]).exit, Some(0));
    for directory in ["here/bin", "there", "with space/bin"] {
        assert_eq!(names(&scene.home().join(directory)), ["aos"], "{directory}");
    }
}

#[test]
fn any_one_program_that_computes_digests_is_enough() {
    for tool in ["sha256sum", "shasum", "openssl"] {
        let (scene, _) = Scene::with_release();
        for other in ["sha256sum", "shasum"] {
            scene.without(other);
        }
        let Some(found) = which(tool) else {
            skipped("any_one_program_that_computes_digests_is_enough", &format!("no `{tool}`"));
            continue;
        };
        // A program of Perl needs Perl, so it is called where it is.
        script(
            &scene.path_directory().join(tool),
            &format!("PATH=/usr/bin:/bin exec '{}' \"$@\"", found.display()),
        );
        let answer = scene.install(&[]);
        assert_eq!(answer.exit, Some(0), "{tool} {answer:?}");
    }
    let (scene, _) = Scene::with_release();
    scene.without("sha256sum");
    scene.without("shasum");
    scene.refused(&[], 4, "SHA-256");
}

#[test]
fn the_programs_of_busybox_and_of_bsd_are_enough() {
    let test = "the_programs_of_busybox_and_of_bsd_are_enough";
    match which("busybox") {
        None => skipped(test, "there is no busybox"),
        Some(busybox) => {
            let (mut scene, _) = Scene::with_release();
            for name in names(&scene.path_directory()) {
                if !["curl", "uname", "getconf"].contains(&name.as_str()) {
                    scene.without(&name);
                    symlink(&busybox, scene.path_directory().join(&name)).unwrap();
                }
            }
            scene.without("shasum");
            scene.shell = vec![scene.path_directory().join("sh")];
            let answer = scene.install(&[]);
            assert_eq!(answer.exit, Some(0), "{answer:?}");
        }
    }
    match which("bsdtar") {
        None => skipped(test, "there is no bsdtar"),
        Some(bsdtar) => {
            let (scene, _) = Scene::with_release();
            scene.without("tar");
            scene.without("timeout");
            symlink(bsdtar, scene.path_directory().join("tar")).unwrap();
            let answer = scene.install(&[]);
            assert_eq!(answer.exit, Some(0), "{answer:?}");
        }
    }
}

#[test]
fn a_shell_whose_path_lacks_the_directory_is_told_how_to_add_it() {
    let rows = [
        ("/bin/bash", "~/.bashrc"),
        ("/usr/bin/zsh", "~/.zshrc"),
        ("/usr/bin/fish", "fish_add_path"),
        ("/bin/ksh", "~/.profile"),
    ];
    for (shell, words) in rows {
        let (mut scene, _) = Scene::with_release();
        scene.set("SHELL", shell);
        let answer = scene.install(&[]);
        assert!(answer.stderr.contains(words), "{answer:?}");
        // A name that a shell would take for more than a name is not offered for pasting.
        let odd = scene.install(&["--dir", "odd $(name)"]);
        assert!(odd.stderr.contains("in the start file of your shell"), "{odd:?}");
        assert!(!odd.stderr.contains("export"), "{odd:?}");
    }
}

#[test]
fn an_aos_that_comes_first_on_path_is_named() {
    let (mut scene, _) = Scene::with_release();
    script(&scene.path_directory().join("aos"), &program("1.0.0"));
    let path = format!(
        "{}:{}",
        scene.path_directory().display(),
        scene.home().join(".local/bin").display()
    );
    scene.set("PATH", &path);
    let answer = scene.install(&[]);
    assert_eq!(answer.exit, Some(0), "{answer:?}");
    assert!(answer.stderr.contains("comes first on PATH"), "{answer:?}");
}

#[test]
fn half_of_the_script_does_nothing() {
    let (scene, _) = Scene::with_release();
    let whole = std::fs::read(SCRIPT).unwrap();
    let last = whole.len() - "main \"$@\"\n".len();
    let cuts = (0..last).step_by(whole.len() / 60).chain([last, last + 3]);
    for cut in cuts {
        let half = scene.home().join("half.sh");
        std::fs::write(&half, &whole[..cut]).unwrap();
        let mut command = std::process::Command::new(&scene.shell[0]);
        command
            .arg(&half)
            .env_clear()
            .env("PATH", scene.path_directory())
            .env("HOME", scene.home());
        command.env("AOS_RELEASE_URL", &scene.server.url).stdin(Stdio::null());
        command.output().unwrap();
        assert_eq!(names(&scene.home()), ["half.sh"], "cut at {cut}");
    }
    assert!(scene.server.asked().is_empty(), "{:?}", scene.server.asked());
}

#[test]
fn help_names_every_option_and_variable() {
    let scene = Scene::new();
    let answer = scene.install(&["--help"]);
    assert_eq!(answer.exit, Some(0));
    for word in [
        "--version",
        "--dir",
        "--release-url",
        "--allow-downgrade",
        "--require-signature",
        "AOS_VERSION",
        "AOS_INSTALL_DIR",
        "AOS_RELEASE_URL",
        "AOS_REQUIRE_SIGNATURE",
    ] {
        assert!(answer.stdout.contains(word), "{word}");
    }
    assert!(scene.server.asked().is_empty());
}
