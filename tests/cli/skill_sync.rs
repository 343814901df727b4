//! The Skill sync with the real `npx skills` and a local repository: what its exit code and its words do not tell.

use std::collections::BTreeMap;
use std::path::Path;

use super::sandbox::skipped;
use super::skill_bench::{Bench, NEW, OLD, as_map, installed, installer_is_there, which, write};

const CANONICAL: &str = ".agents/skills/aos";
const MINE: [(&str, &str); 2] = [("SKILL.md", "mine\n"), ("notes/own.md", "own\n")];

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(directory)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_home_without_agents_gets_the_skill_of_the_release_and_nothing_else() {
    if !installer_is_there("a_home_without_agents_gets_the_skill_of_the_release_and_nothing_else") {
        return;
    }
    let bench = Bench::new();
    let synced = bench.sync();
    synced.is("synced", None);
    assert_eq!(installed(&bench.home().join(CANONICAL)), as_map(&NEW));
    assert_eq!(synced.report["places"][0]["digest"], synced.report["digest"]);
    assert_eq!(names(&bench.home().join(".agents/skills")), ["aos"]);
    if !Path::new("/etc/codex").exists() {
        assert_eq!(names(&bench.home()), [".agents", ".aos"]);
        assert_eq!(names(&bench.home().join(".aos")), [""; 0]);
    }
    assert_eq!(synced.text("planned"), synced.text("command"));
    assert_eq!(synced.report["exit"], 0);
}

#[test]
fn a_second_sync_runs_nothing() {
    if !installer_is_there("a_second_sync_runs_nothing") {
        return;
    }
    let mut bench = Bench::new();
    bench.make(".claude");
    bench.sync().is("synced", None);
    bench.shim("npx", "touch ~/npx-ran");
    let second = bench.sync();
    second.is("current", None);
    assert_eq!(second.report["exit"], serde_json::Value::Null);
    assert!(!bench.home().join("npx-ran").exists());
}

#[test]
fn every_agent_that_is_there_gets_the_skill() {
    if !installer_is_there("every_agent_that_is_there_gets_the_skill") {
        return;
    }
    let mut bench = Bench::new();
    let agents = [
        ".adal",
        ".aider-desk",
        ".astrbot",
        ".augment",
        ".bob",
        ".codeartsdoer",
        ".codebuddy",
        ".codemaker",
        ".codestudio",
        ".commandcode",
        ".continue",
        ".snowflake/cortex",
        ".config/crush",
        ".forge",
        ".hermes",
        ".iflow",
        ".inferencesh",
        ".jazz",
        ".junie",
        ".kiro",
        ".kode",
        ".lingma",
        ".mcpjam",
        ".vibe",
        ".moxby",
        ".mux",
        ".neovate",
        ".ona",
        ".openclaw",
        ".openhands",
        ".pochi",
        ".qoder",
        ".qoder-cn",
        ".qwen",
        ".reasonix",
        ".roo",
        ".rovodev",
        ".tabnine",
        ".terramind",
        ".tinycloud",
        ".trae",
        ".trae-cn",
        ".codeium/windsurf",
        ".zcode",
        ".zencoder",
    ];
    for agent in agents {
        bench.make(agent);
    }
    for shared in [".cursor", ".gemini", ".codex", ".cline", ".config/opencode"] {
        bench.make(shared);
    }
    let moved = bench.home().join("moved");
    bench.set("CLAUDE_CONFIG_DIR", moved.join("claude"));
    bench.set("AUTOHAND_HOME", moved.join("autohand"));
    bench.set("XDG_CONFIG_HOME", moved.join("config"));
    for agent in ["moved/claude", "moved/autohand", "moved/config/goose", "moved/config/devin"] {
        bench.make(agent);
    }
    let synced = bench.sync();
    synced.is("synced", None);
    // All of them are links to the one directory, so there is one place.
    assert_eq!(synced.places(), BTreeMap::from([(CANONICAL.to_owned(), "current".to_owned())]));
    let roots = agents.iter().map(|agent| match *agent {
        ".astrbot" => ".astrbot/data",
        ".tabnine" => ".tabnine/agent",
        agent => agent,
    });
    let moved = ["moved/claude", "moved/autohand", "moved/config/goose", "moved/config/devin"];
    for root in roots.chain(moved) {
        let place = bench.home().join(root).join("skills/aos");
        assert_eq!(installed(&place), as_map(&NEW), "{root}");
        // The library looks at the same places: one that is wrong is found.
        std::fs::remove_file(&place).expect("a link");
        write(&place, &OLD);
    }
    bench.shim("npx", "exit 0");
    let replaced = bench.sync();
    replaced.is("synced", None);
    assert_eq!(replaced.places().len(), 1 + agents.len() + moved.len());
}

#[test]
fn an_older_release_and_copies_of_it_are_replaced() {
    if !installer_is_there("an_older_release_and_copies_of_it_are_replaced") {
        return;
    }
    let bench = Bench::new();
    for place in [CANONICAL, ".claude/skills/aos", ".config/goose/skills/aos", ".roo/skills/aos"] {
        bench.install(place, &OLD);
    }
    let synced = bench.sync();
    synced.is("synced", None);
    assert_eq!(synced.report["backups"].as_array().map(Vec::len), Some(0));
    for place in [CANONICAL, ".claude/skills/aos", ".config/goose/skills/aos", ".roo/skills/aos"] {
        assert_eq!(installed(&bench.home().join(place)), as_map(&NEW), "{place}");
    }
}

#[test]
fn inside_an_agent_the_copies_of_others_are_replaced_too() {
    if !installer_is_there("inside_an_agent_the_copies_of_others_are_replaced_too") {
        return;
    }
    let mut bench = Bench::new();
    for place in [".claude/skills/aos", ".config/goose/skills/aos", ".roo/skills/aos"] {
        bench.install(place, &OLD);
    }
    for (name, value) in [("CLAUDECODE", "1"), ("AI_AGENT", "claude"), ("CURSOR_AGENT", "1")] {
        bench.set(name, value);
    }
    let synced = bench.sync();
    synced.is("synced", None);
    for place in [".claude/skills/aos", ".config/goose/skills/aos", ".roo/skills/aos"] {
        assert_eq!(installed(&bench.home().join(place)), as_map(&NEW), "{place}");
    }
}

#[test]
fn copies_that_the_first_run_leaves_get_a_run_of_their_own() {
    if !installer_is_there("copies_that_the_first_run_leaves_get_a_run_of_their_own") {
        return;
    }
    let mut bench = Bench::new();
    for place in [".claude/skills/aos", ".config/goose/skills/aos", ".roo/skills/aos"] {
        bench.install(place, &OLD);
    }
    let npx = which("npx").expect("npx");
    // An agent that no variable of ours can hide.
    bench.shim(
        "npx",
        &format!("echo \"$@\" >>~/calls; CLAUDECODE=1 exec '{}' \"$@\"", npx.display()),
    );
    let synced = bench.sync();
    synced.is("synced", None);
    let calls = std::fs::read_to_string(bench.home().join("calls")).expect("calls");
    let calls: Vec<_> = calls.lines().collect();
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert!(calls[0].ends_with(" -y -g -s aos"), "{calls:?}");
    assert!(calls[1].ends_with(" -y -g -s aos -a universal goose roo"), "{calls:?}");
    for place in [".claude/skills/aos", ".config/goose/skills/aos", ".roo/skills/aos"] {
        assert_eq!(installed(&bench.home().join(place)), as_map(&NEW), "{place}");
    }
}

#[test]
fn somebodys_work_is_kept_before_it_is_replaced() {
    if !installer_is_there("somebodys_work_is_kept_before_it_is_replaced") {
        return;
    }
    let mut bench = Bench::new();
    bench.set("AOS_HOME", bench.home().join("state"));
    bench.install(CANONICAL, &MINE);
    bench.install(".claude/skills/aos", &OLD);
    bench.install(".roo/skills/aos", &[("SKILL.md", "other\n"), ("metadata.json", "{}")]);
    let synced = bench.sync();
    synced.is("synced", None);
    assert_eq!(installed(&bench.home().join(CANONICAL)), as_map(&NEW));
    let backups = synced.report["backups"].as_array().expect("backups");
    let kept: Vec<_> = backups
        .iter()
        .map(|kept| installed(Path::new(kept["backup"].as_str().expect("a path"))))
        .collect();
    assert_eq!(kept, [as_map(&MINE), as_map(&[("SKILL.md", "other\n"), ("metadata.json", "{}")])]);
}

#[test]
fn exit_code_1_is_not_a_failure_if_every_file_is_right() {
    if !installer_is_there("exit_code_1_is_not_a_failure_if_every_file_is_right") {
        return;
    }
    let mut bench = Bench::new();
    bench.make(".claude");
    let npx = which("npx").expect("npx");
    bench.shim("npx", &format!("'{}' \"$@\"; exit 1", npx.display()));
    let synced = bench.sync();
    synced.is("synced", None);
    assert_eq!(synced.report["exit"], 1);
    assert!(synced.notes().contains("ended with 1"), "{}", synced.notes());
}

#[test]
fn exit_code_0_is_not_a_success_if_nothing_was_written() {
    const TEST: &str = "exit_code_0_is_not_a_success_if_nothing_was_written";
    if !installer_is_there(TEST) {
        return;
    }
    let bench = Bench::new();
    bench.make(".claude");
    let place = bench.install(CANONICAL, &OLD);
    let Some(_lock) = Immutable::new(&bench.home().join(".agents")) else {
        skipped(TEST, "the file system cannot protect files from root");
        return;
    };
    let synced = bench.sync();
    assert_eq!(installed(&place), as_map(&OLD));
    synced.is("failed", Some("not_written"));
    assert!(synced.stale_paths().contains(&CANONICAL.to_owned()));
}

/// A tree that not even root may write; released when dropped.
struct Immutable(std::path::PathBuf);

impl Immutable {
    fn new(root: &Path) -> Option<Self> {
        let lock = Self(root.to_owned());
        let probe = root.join("probe");
        (lock.change("+i", "a-w") && std::fs::write(probe, "").is_err()).then_some(lock)
    }

    fn change(&self, attribute: &str, mode: &str) -> bool {
        let run = |program: &str, argument: &str| {
            std::process::Command::new(program)
                .args(["-R", argument])
                .arg(&self.0)
                .output()
                .is_ok_and(|output| output.status.success())
        };
        let is_root = rustix::process::geteuid().is_root();
        if is_root { run("chattr", attribute) } else { run("chmod", mode) }
    }
}

impl Drop for Immutable {
    fn drop(&mut self) {
        self.change("-i", "u+w");
    }
}

#[test]
fn settings_and_hooks_of_git_do_not_reach_the_installed_files() {
    if !installer_is_there("settings_and_hooks_of_git_do_not_reach_the_installed_files") {
        return;
    }
    let mut bench = Bench::new();
    let hook = bench.home().join("hooks/post-checkout");
    write(&bench.home(), &[("hooks/post-checkout", "#!/bin/sh\nexit 1\n")]);
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("an executable");
    let settings = "[core]\n\tautocrlf = true\n\thooksPath = ~/hooks\n";
    write(&bench.home(), &[(".gitconfig", settings)]);
    // As inside a hook of another repository.
    bench.set("GIT_DIR", bench.home().join("elsewhere/.git"));
    bench.set("GIT_WORK_TREE", bench.home().join("elsewhere"));
    bench.set("GIT_INDEX_FILE", bench.home().join("elsewhere/index"));
    bench.set("GIT_CONFIG_PARAMETERS", "'core.autocrlf'='true'");
    let synced = bench.sync();
    synced.is("synced", None);
    assert_eq!(installed(&bench.home().join(CANONICAL)), as_map(&NEW));
}

#[test]
fn a_package_of_a_project_above_does_not_run() {
    if !installer_is_there("a_package_of_a_project_above_does_not_run") {
        return;
    }
    let mut bench = Bench::new();
    let project = bench.sandbox.work().join("project");
    let script = "#!/bin/sh\ntouch ~/local-skills-ran\n";
    write(
        &project,
        &[
            // Looks like an Eve project, for which nothing would be installed.
            (
                "package.json",
                "{\"private\":true,\"dependencies\":{\"eve\":\"1\",\"skills\":\"1\"}}",
            ),
            ("agent/x", ""),
            (".npmrc", "registry=http://127.0.0.1:9/\nyes=false\n"),
            ("node_modules/.bin/skills", script),
            ("node_modules/skills/package.json", "{\"name\":\"skills\",\"version\":\"1.5.16\"}"),
            ("node_modules/.bin/npx", script),
            ("tmp/x", ""),
        ],
    );
    for program in ["skills", "npx"] {
        let path = project.join("node_modules/.bin").join(program);
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .expect("an executable");
    }
    bench.set("TMPDIR", project.join("tmp"));
    let path = std::env::var("PATH").unwrap_or_default();
    bench.set("PATH", format!("node_modules/.bin:.:{path}"));
    let synced = bench.sync_in(&project);
    synced.is("synced", None);
    assert!(!bench.home().join("local-skills-ran").exists());
    assert_eq!(installed(&bench.home().join(CANONICAL)), as_map(&NEW));
    assert_eq!(names(&project.join("tmp")), ["x"]);
}

#[test]
fn the_npm_settings_of_an_outer_npx_are_ignored() {
    if !installer_is_there("the_npm_settings_of_an_outer_npx_are_ignored") {
        return;
    }
    let mut bench = Bench::new();
    bench.set("npm_config_package", "aos");
    bench.set("NPM_CONFIG_YES", "false");
    bench.set("npm_config_workspaces", "true");
    bench.sync().is("synced", None);
}

#[test]
fn a_release_that_is_not_there_is_a_failure_with_the_command() {
    if !installer_is_there("a_release_that_is_not_there_is_a_failure_with_the_command") {
        return;
    }
    let mut bench = Bench::new();
    bench.ask_for("9.9.9");
    let synced = bench.sync();
    synced.is("failed", Some("network"));
    assert_eq!(synced.text("command"), "aos update --target-version 9.9.9");
    assert!(synced.text("output_tail").contains("v9.9.9"), "{}", synced.report);
    assert!(!synced.text("output_tail").contains('\u{1b}'));
}

#[test]
fn a_link_out_of_the_home_is_replaced_and_what_it_led_to_stays() {
    if !installer_is_there("a_link_out_of_the_home_is_replaced_and_what_it_led_to_stays") {
        return;
    }
    let mut bench = Bench::new();
    bench.set("AOS_HOME", bench.home().join("state"));
    let elsewhere = bench.install("elsewhere", &MINE);
    bench.make(".agents/skills");
    std::os::unix::fs::symlink(&elsewhere, bench.home().join(CANONICAL)).expect("a link");
    let synced = bench.sync();
    synced.is("synced", None);
    assert!(synced.notes().contains("was a link to"), "{}", synced.notes());
    assert_eq!(installed(&elsewhere), as_map(&MINE));
    assert_eq!(installed(&bench.home().join(CANONICAL)), as_map(&NEW));
}

#[test]
fn a_registry_that_is_dead_is_a_failure_within_its_limit() {
    if !installer_is_there("a_registry_that_is_dead_is_a_failure_within_its_limit") {
        return;
    }
    let mut bench = Bench::new();
    bench.set("npm_config_registry", "http://127.0.0.1:9/");
    bench.set("npm_config_cache", bench.home().with_file_name("empty-cache"));
    bench.set("AOS_TEST_SKILL_LIMIT_MS", "120000");
    bench.sync().is("failed", Some("network"));
}
