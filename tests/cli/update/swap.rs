//! The swap: places that cannot be written, other file systems, links, leftovers, two updates at once.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::process::Command;
use std::time::Duration;

use super::host::Reply;
use super::setup::{
    LATEST, NEWER, RUNNING, Release, Setup, archive_name, as_version, asset, copy, original, row,
    run, wait_until,
};
use crate::sandbox::{Answer, answer, skipped};

fn version(setup: &Setup) -> String {
    run(&mut setup.command(&["--version"])).stdout.trim().to_owned()
}

/// Runs an update in name spaces of its own, after `prepare`; `None` where the system has none.
fn unshared(test: &str, setup: &Setup, prepare: &str) -> Option<Answer> {
    let works = Command::new("unshare").args(["-rm", "true"]).output();
    if !works.is_ok_and(|output| output.status.success()) {
        skipped(test, "`unshare -rm` does not work here");
        return None;
    }
    let plain = setup.update_command(&[]);
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", &format!("set -e\n{prepare}\nexec \"$@\""), "sh"]);
    command.arg(plain.get_program()).args(plain.get_args()).current_dir(setup.sandbox.work());
    command.env_clear();
    for (name, value) in plain.get_envs().filter_map(|(name, value)| Some((name, value?))) {
        command.env(name, value);
    }
    Some(run(&mut command))
}

#[test]
fn a_directory_that_cannot_be_written_is_found_before_any_download() {
    let setup = Setup::new();
    let bin = setup.place("bin");
    let prepare =
        format!("mount --bind '{0}' '{0}'; mount -o remount,ro,bind '{0}'", bin.display());
    let test = "a_directory_that_cannot_be_written_is_found_before_any_download";
    let Some(answer) = unshared(test, &setup, &prepare) else { return };
    let error = row("replace", "E_FORBIDDEN", 4).check(&setup, &answer);
    assert!(
        error["details"]["path"].as_str().is_some_and(|path| path.ends_with("/bin")),
        "{error}"
    );
    let hint = error["details"]["fix"].as_str().expect("a hint");
    assert!(hint.contains("run `aos update`"), "{hint}");
    assert_eq!(setup.host.paths(), [LATEST], "nothing was downloaded");
}

// The program is immutable, even for root.
#[test]
fn a_program_that_may_not_be_replaced_is_found_before_any_download() {
    let test = "a_program_that_may_not_be_replaced_is_found_before_any_download";
    let setup = Setup::new();
    // A copy of its own: the attribute is one of the file, not of its name.
    copy(&setup.program());
    let attribute = |change: &str| {
        Command::new("chattr")
            .arg(change)
            .arg(setup.program())
            .output()
            .is_ok_and(|output| output.status.success())
    };
    if !attribute("+i") {
        skipped(test, "`chattr +i` does not work here");
        return;
    }
    let answer = setup.update(&[]);
    attribute("-i");
    let error = row("replace", "E_FORBIDDEN", 4).check(&setup, &answer);
    assert!(error["details"]["path"].as_str().is_some_and(|path| path.ends_with("/bin/aos")));
    assert_eq!(setup.host.paths(), [LATEST]);
}

#[test]
fn a_full_disk_is_an_io_fault() {
    let test = "a_full_disk_is_an_io_fault";
    let setup = Setup::empty();
    setup.publish(&Release::of(
        NEWER,
        &[super::setup::program(NEWER), vec![b'#'; 900_000]].concat(),
    ));
    let bin = setup.place("bin");
    let size = std::fs::metadata(original()).expect("a program").len() / 1024 + 300;
    let prepare = format!(
        "cp -a '{0}' '{0}.own'; mount -t tmpfs -o size={size}k tmpfs '{0}'; cp '{0}.own/aos' '{0}/aos'",
        bin.display()
    );
    let Some(answer) = unshared(test, &setup, &prepare) else { return };
    let error = row("replace", "E_IO", 1).check(&setup, &answer);
    assert!(
        error["details"]["path"].as_str().is_some_and(|path| path.ends_with(".new")),
        "{error}"
    );
    assert!(error["details"]["fix"].as_str().is_some_and(|hint| hint.contains("space")), "{error}");
}

#[test]
fn a_full_directory_for_temporary_files_is_an_io_fault() {
    let test = "a_full_directory_for_temporary_files_is_an_io_fault";
    let setup = Setup::empty();
    let mut state = 7_u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        u8::try_from(state >> 56).expect("one byte")
    })
    .take(300_000)
    .collect();
    setup.publish(&Release::of(
        NEWER,
        &[super::setup::program(NEWER), b"exit\n".to_vec(), noise].concat(),
    ));
    let prepare = format!("mount -t tmpfs -o size=64k tmpfs '{}'", setup.place("tmp").display());
    let Some(answer) = unshared(test, &setup, &prepare) else { return };
    let error = row("download", "E_IO", 1).check(&setup, &answer);
    assert!(
        error["details"]["path"].as_str().is_some_and(|path| path.contains("/tmp/")),
        "{error}"
    );
}

// The directory exists, but is not writable.
#[test]
fn a_directory_for_temporary_files_that_cannot_be_written_is_forbidden() {
    let test = "a_directory_for_temporary_files_that_cannot_be_written_is_forbidden";
    let setup = Setup::new();
    let prepare = format!("mount -t tmpfs -o ro tmpfs '{}'", setup.place("tmp").display());
    let Some(answer) = unshared(test, &setup, &prepare) else { return };
    let error = row("download", "E_FORBIDDEN", 4).check(&setup, &answer);
    assert_eq!(error["details"]["path"], setup.place("tmp").display().to_string());
}

// Programs may not run in the staging directory.
#[test]
fn a_directory_where_programs_may_not_run_is_a_configuration_fault() {
    let test = "a_directory_where_programs_may_not_run_is_a_configuration_fault";
    let setup = Setup::new();
    // The running program was started before the directory became so.
    let bin = setup.place("bin");
    let prepare = format!(
        "mount --bind '{0}' '{0}'\n(sleep 1; mount -o remount,noexec,bind '{0}') >&2 &",
        bin.display()
    );
    let described = setup.publish(&Release::new(NEWER));
    setup.host.set(LATEST, Reply::json(&described).after(Duration::from_secs(3)));
    let Some(answer) = unshared(test, &setup, &prepare) else { return };
    let error = row("replace", "E_CONFIG", 4).check(&setup, &answer);
    assert_eq!(error["details"]["cause"], "does_not_start");
}

#[test]
fn two_updates_do_not_meet() {
    let setup = Setup::new();
    setup.good_npx(NEWER);
    let bytes = Release::new(NEWER).archive;
    setup.host.set(
        &asset(NEWER, &archive_name(NEWER)),
        Reply::bytes(&bytes).after(Duration::from_secs(3)),
    );
    let mut first = setup.update_command(&[]);
    first.stdout(std::process::Stdio::piped());
    let first = first.spawn().expect("it starts");
    wait_until(|| setup.host.paths().len() >= 4);
    let second = setup.update(&[]);
    let error = second.error("E_CONFLICT", 6);
    assert_eq!(error["details"]["stage"], "replace");
    assert_eq!(error["details"]["binary_replaced"], false);
    assert_eq!(error["details"]["holder"], first.id().to_string());
    // Looking is always possible.
    assert_eq!(setup.update(&["--check"]).data()["status"], "available");
    let first = answer(first.wait_with_output().expect("it ends"));
    assert_eq!(first.data()["status"], "updated");
}

#[test]
fn temporary_files_may_be_on_another_file_system() {
    let other = std::path::Path::new("/dev/shm");
    let setup = Setup::new();
    let differs = std::fs::metadata(other).is_ok_and(|there| {
        there.dev() != std::fs::metadata(setup.place("bin")).expect("a place").dev()
    });
    if !differs {
        skipped("temporary_files_may_be_on_another_file_system", "there is no other file system");
        return;
    }
    setup.good_npx(NEWER);
    let temporary = tempfile::tempdir_in(other).expect("a directory");
    let mut command = setup.update_command(&[]);
    command.env("TMPDIR", temporary.path());
    assert_eq!(run(&mut command).data()["status"], "updated");
    assert_eq!(std::fs::read_dir(temporary.path()).expect("a directory").count(), 0);
}

#[test]
fn a_link_to_the_program_stays_a_link() {
    let setup = Setup::empty();
    setup.good_npx(NEWER);
    setup.publish(&Release::of(NEWER, &as_version(NEWER)));
    let (first, second) = (setup.place("link"), setup.place("link-to-link"));
    symlink("bin/aos", &first).expect("a link");
    symlink("link", &second).expect("a link");
    let mut command = setup.command_of(&second, &["update", "--trusted-root", "trusted_root.json"]);
    assert_eq!(run(&mut command).data()["status"], "updated");
    assert_eq!(std::fs::read_link(&first).expect("a link"), std::path::Path::new("bin/aos"));
    assert_eq!(std::fs::read_link(&second).expect("a link"), std::path::Path::new("link"));
    assert_eq!(version(&setup), format!("aos {NEWER}"));
    setup.is_clean();
}

// A new file, with the permissions of the old one and without its special bits.
#[test]
fn the_new_program_is_a_new_file_with_the_old_permissions() {
    for (before, after) in
        [(0o755, 0o755), (0o700, 0o700), (0o555, 0o555), (0o4755, 0o755), (0o6711, 0o711)]
    {
        let setup = Setup::new();
        setup.good_npx(NEWER);
        copy(&setup.program());
        std::fs::set_permissions(setup.program(), std::fs::Permissions::from_mode(before))
            .expect("a mode");
        let inode = std::fs::metadata(setup.program()).expect("a program").ino();
        assert_eq!(setup.update(&[]).data()["status"], "updated");
        let now = std::fs::metadata(setup.program()).expect("a program");
        assert_ne!(now.ino(), inode, "written in place");
        assert_eq!(now.permissions().mode() & 0o7777, after, "{before:o}");
    }
}

#[test]
fn leftovers_of_a_killed_update_go_and_are_never_used() {
    let setup = Setup::new();
    setup.good_npx(NEWER);
    let place = |name: &str| setup.place("bin").join(name);
    std::fs::write(place(".aos.0123456789abcdef.new"), "garbage").expect("a leftover");
    std::fs::write(place(".aos.fedcba9876543210.old"), "garbage").expect("a leftover");
    std::fs::write(setup.place("precious"), "precious").expect("a file");
    symlink(setup.place("precious"), place(".aos.1111111111111111.new")).expect("a link");
    std::fs::create_dir(place(".aos.2222222222222222.new")).expect("a directory");
    std::fs::write(place(".aos.other.new"), "not ours").expect("a file");
    assert_eq!(setup.update(&[]).data()["status"], "updated");
    let mut names: Vec<_> = std::fs::read_dir(setup.place("bin"))
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("text"))
        .collect();
    names.sort();
    assert_eq!(
        names,
        [".aos.1111111111111111.new", ".aos.2222222222222222.new", ".aos.other.new", "aos"]
    );
    assert_eq!(std::fs::read_to_string(setup.place("precious")).expect("a file"), "precious");
}

// Without a place for its lock two updates could meet, so there is none.
#[test]
fn an_update_needs_a_home_for_its_state() {
    let setup = Setup::new();
    let mut command = setup.update_command(&[]);
    command.env_remove("HOME");
    row("replace", "E_CONFIG", 4).check(&setup, &run(&mut command));
    let mut command = setup.update_command(&[]);
    command.env("AOS_HOME", "/dev/null/x");
    row("replace", "E_IO", 1).check(&setup, &run(&mut command));
    assert_eq!(version(&setup), format!("aos {RUNNING}"));
}
