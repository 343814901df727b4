//! The repository that `aos new` makes, and when it makes none.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::disk;
use super::sandbox::{Sandbox, run};

const IDENTITY: &str = "[user]\n\tname = Ann\n\temail = ann@example.com\n";
/// Without this, git makes up an address on hosts whose name has a dot.
const NO_IDENTITY: &str = "[user]\n\tuseConfigOnly = true\n";

fn configure(sandbox: &Sandbox, text: &str) {
    std::fs::write(sandbox.home().join(".gitconfig"), text).unwrap();
}

fn git(sandbox: &Sandbox, directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(directory)
        .env_clear()
        .env("HOME", sandbox.home())
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .output()
        .expect("git is needed for this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn project(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.work().join("aos-acme")
}

#[test]
fn the_repository_has_one_commit_with_every_file_and_a_clean_tree() {
    let sandbox = Sandbox::new();
    configure(&sandbox, IDENTITY);
    let data = sandbox.aos(&["new", "acme", "--diff"]).data();
    assert_eq!(
        data["git"],
        serde_json::json!({"initialised": true, "committed": true, "reason": null})
    );
    let project = project(&sandbox);
    let log = git(&sandbox, &project, &["log", "--format=%s|%an|%ae"]);
    assert_eq!(log, "Create aos-acme with aos|Ann|ann@example.com\n");
    assert_eq!(git(&sandbox, &project, &["status", "--porcelain", "--ignored"]), "");
    let tracked = git(&sandbox, &project, &["ls-files"]);
    assert_eq!(tracked.lines().count(), data["files"].as_array().unwrap().len());
    assert_eq!(git(&sandbox, &project, &["symbolic-ref", "HEAD"]), "refs/heads/main\n");
    let shim = git(&sandbox, &project, &["ls-files", "-s", "agent-harness/shims/aos-acme"]);
    assert!(shim.starts_with("100755 "), "{shim}");
    git(&sandbox, &project, &["fsck", "--strict"]);
}

#[test]
fn a_fresh_clone_passes_check() {
    let sandbox = Sandbox::new();
    configure(&sandbox, &format!("{IDENTITY}[core]\n\tautocrlf = true\n"));
    sandbox.aos(&["new", "acme", "--diff"]).data();
    std::fs::create_dir(sandbox.work().join("elsewhere")).unwrap();
    git(&sandbox, &sandbox.work(), &["clone", "-q", "aos-acme", "elsewhere/aos-acme"]);
    sandbox.aos(&["check", "elsewhere/aos-acme"]).data();
}

#[test]
fn without_an_identity_the_repository_stays_uncommitted_and_the_reason_is_reported() {
    let sandbox = Sandbox::new();
    configure(&sandbox, NO_IDENTITY);
    let data = sandbox.aos(&["new", "acme", "--diff"]).data();
    assert_eq!(data["git"]["initialised"], true);
    assert_eq!(data["git"]["committed"], false);
    let reason = data["git"]["reason"].as_str().unwrap();
    assert!(reason.contains("user.name"), "{reason}");
    sandbox.aos(&["check", "aos-acme"]).data();
    let staged = git(&sandbox, &project(&sandbox), &["diff", "--cached", "--name-only"]);
    assert_eq!(staged.lines().count(), data["files"].as_array().unwrap().len());
}

#[test]
fn inside_a_repository_none_is_made() {
    let sandbox = Sandbox::new();
    configure(&sandbox, IDENTITY);
    git(&sandbox, &sandbox.work(), &["init", "-q"]);
    std::fs::create_dir_all(sandbox.work().join("deep/er")).unwrap();
    let data = sandbox.aos(&["new", "acme", "--dir", "deep/er"]).data();
    assert_eq!(data["git"]["initialised"], false);
    assert!(data["git"]["reason"].as_str().unwrap().contains("inside a git repository"));
    assert!(!sandbox.work().join("deep/er/aos-acme/.git").exists());
}

#[test]
fn no_git_and_a_missing_git_are_reported() {
    let sandbox = Sandbox::new();
    let data = sandbox.aos(&["new", "acme", "--no-git"]).data();
    assert_eq!(data["git"]["reason"], "--no-git was given");
    let data = run(sandbox.command(&["new", "other"]).env("PATH", sandbox.home())).data();
    assert_eq!(data["git"]["reason"], "git is not installed");
    assert_eq!(data["git"]["initialised"], false);
    let data = run(sandbox.command(&["new", "third"]).env_remove("PATH").env_remove("HOME")).data();
    assert_eq!(data["status"], "created", "a bare container");
}

#[test]
fn a_git_that_fails_leaves_the_project_and_says_what_git_said() {
    let sandbox = Sandbox::new();
    let bin = sandbox.work().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let git = sandbox.write("bin/git", "#!/bin/sh\necho 'fatal: the moon is full' >&2\nexit 128\n");
    disk::set_mode(&git, 0o755);
    let data = run(sandbox.command(&["new", "acme"]).env("PATH", &bin)).data();
    assert_eq!(data["git"]["reason"], "git failed: fatal: the moon is full");
    sandbox.aos(&["check", "aos-acme"]).data();
}

#[test]
fn no_hook_template_or_monitor_of_the_users_configuration_runs() {
    let sandbox = Sandbox::new();
    let ran = sandbox.work().join("ran");
    let hook = format!("#!/bin/sh\necho \"$0\" >> {}\n", ran.display());
    let hooks = [
        "post-index-change",
        "pre-commit",
        "prepare-commit-msg",
        "commit-msg",
        "post-commit",
        "reference-transaction",
        "post-checkout",
        "fsmonitor",
    ];
    for name in hooks {
        for place in ["hooks", "template/hooks"] {
            disk::set_mode(&sandbox.write(&format!("{place}/{name}"), &hook), 0o755);
        }
    }
    let work = sandbox.work();
    configure(
        &sandbox,
        &format!(
            "{IDENTITY}[core]\n\thooksPath = {0}/hooks\n\tfsmonitor = {0}/hooks/fsmonitor\n[init]\n\ttemplateDir = {0}/template\n[commit]\n\tgpgSign = true\n",
            work.display()
        ),
    );
    let data = sandbox.aos(&["new", "acme", "--diff"]).data();
    assert_eq!(data["git"]["committed"], true, "{data}");
    let account = std::fs::read_to_string(&ran).unwrap_or_default();
    assert_eq!(account, "", "these hooks ran");
    assert!(!project(&sandbox).join(".git/hooks/pre-commit").exists());
}

#[test]
fn variables_that_point_git_elsewhere_are_not_followed() {
    let sandbox = Sandbox::new();
    configure(&sandbox, IDENTITY);
    std::fs::create_dir(sandbox.work().join("victim")).unwrap();
    git(&sandbox, &sandbox.work().join("victim"), &["init", "-q"]);
    let before = disk::state(&sandbox.work().join("victim/.git"));
    assert!(before.contains_key("HEAD"));
    let victim = sandbox.work().join("victim/.git");
    let data = run(sandbox
        .command(&["new", "acme"])
        .env("GIT_DIR", &victim)
        .env("GIT_WORK_TREE", sandbox.work())
        .env("GIT_INDEX_FILE", victim.join("index"))
        .env("GIT_OBJECT_DIRECTORY", victim.join("objects")))
    .data();
    assert_eq!(data["git"]["committed"], true, "{data}");
    assert_eq!(disk::state(&victim), before);
    assert_eq!(git(&sandbox, &project(&sandbox), &["rev-list", "--count", "HEAD"]), "1\n");
}

#[test]
fn no_git_process_is_started_without_a_commit() {
    let sandbox = Sandbox::new();
    let trap = sandbox.work().join("git-was-started");
    let git = sandbox.write("bin/git", &format!("#!/bin/sh\ntouch {}\nexit 1\n", trap.display()));
    disk::set_mode(&git, 0o755);
    let bin = sandbox.work().join("bin");
    let data: Value = run(sandbox.command(&["new", "acme", "--no-git"]).env("PATH", &bin)).data();
    assert_eq!(data["status"], "created");
    for arguments in [
        &["new", "acme"][..],
        &["check", "aos-acme"],
        &["check", "--recursive", "."],
        &["sync-spec", "aos-acme"],
        &["gen", "aos-acme", "--check"],
    ] {
        run(sandbox.command(arguments).env("PATH", &bin)).data();
    }
    assert!(!trap.exists());
}

#[test]
fn files_that_the_global_gitignore_names_are_committed() {
    let sandbox = Sandbox::new();
    let ignored = sandbox.home().join("ignored");
    std::fs::write(&ignored, ".agent/\naos.toml\n*.md\n").expect("a file");
    configure(
        &sandbox,
        &format!(
            "[user]\n\tname = Tester\n\temail = tester@localhost\n[core]\n\texcludesFile = {}\n",
            ignored.display()
        ),
    );
    let data = sandbox.aos(&["new", "acme", "--diff"]).data();
    let directory = project(&sandbox);
    let committed = git(&sandbox, &directory, &["ls-tree", "-r", "--name-only", "HEAD"]);
    let files = data["files"].as_array().expect("files");
    assert_eq!(committed.lines().count(), files.len(), "{committed}");
}

#[cfg(unix)]
#[test]
fn a_directory_whose_name_is_not_utf8_gets_its_project_and_an_envelope() {
    use std::os::unix::ffi::OsStrExt as _;
    let sandbox = Sandbox::new();
    let odd = sandbox.work().join(std::ffi::OsStr::from_bytes(b"odd-\xff"));
    std::fs::create_dir(&odd).expect("a directory");
    assert_eq!(sandbox.aos_in(&odd, &["new", "acme", "--no-git"]).data()["status"], "created");
    assert_eq!(sandbox.aos_in(&odd.join("aos-acme"), &["check"]).data()["summary"]["failed"], 0);
    sandbox.aos_in(&odd.join("aos-acme"), &["context"]).data();
}

#[cfg(unix)]
#[test]
fn a_git_whose_child_keeps_the_streams_open_does_not_hold_the_run() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new();
    let bin = sandbox.home().join("bin");
    std::fs::create_dir(&bin).expect("a directory");
    std::fs::write(bin.join("git"), "#!/bin/sh\nsleep 60 &\nexit 0\n").expect("a script");
    std::fs::set_permissions(bin.join("git"), std::fs::Permissions::from_mode(0o755))
        .expect("a mode");
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let started = std::time::Instant::now();
    run(sandbox.command(&["new", "acme"]).env("PATH", path)).data();
    assert!(started.elapsed().as_secs() < 20);
}

#[cfg(unix)]
#[test]
fn a_limit_on_file_sizes_is_an_error_and_leaves_nothing() {
    let sandbox = Sandbox::new();
    let script = format!("ulimit -f 4; exec {} new acme --no-git", env!("CARGO_BIN_EXE_aos"));
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(sandbox.work()).env("HOME", sandbox.home());
    run(&mut shell).error("E_IO", 1);
    assert_eq!(std::fs::read_dir(sandbox.work()).expect("a directory").count(), 0);
}
