//! Properties of every generated tree: the same input gives the same bytes, and none depends on this machine.

use super::disk;
use super::sandbox::{Sandbox, connector, tree};

fn presets(sandbox: &Sandbox) -> Vec<String> {
    let list = sandbox.aos(&["new", "--list", "--all"]).data();
    serde_json::from_value(connector(&list)["presets"].clone()).unwrap()
}

fn every_tree(inspect: impl Fn(&str, &str, &[u8])) {
    let sandbox = Sandbox::new();
    for preset in presets(&sandbox) {
        for tag in ["v1.0.0", "v1.1.0"] {
            let dir = format!("{preset}-{tag}");
            std::fs::create_dir(sandbox.work().join(&dir)).unwrap();
            sandbox
                .aos(&[
                    "new", "acme", "--preset", &preset, "--spec", tag, "--no-git", "--dir", &dir,
                ])
                .data();
            let files = tree(&sandbox.work().join(&dir).join("aos-acme"));
            assert!(files.len() > 40, "{dir}: {} files", files.len());
            for (path, (bytes, _)) in &files {
                inspect(&dir, path, bytes);
            }
        }
    }
}

#[test]
fn no_mark_of_the_template_language_is_left_in_any_file() {
    every_tree(|dir, path, bytes| {
        let text = std::str::from_utf8(bytes).unwrap_or_else(|_| panic!("{dir}/{path}: not UTF-8"));
        for mark in
            ["{=", "=}", "{%", "%}", "{#", "#}", "@tool@", "@package@", "@resource@", "{NAME}"]
        {
            assert!(!text.contains(mark), "{dir}/{path} holds `{mark}`");
        }
        assert!(
            !path.contains('@') && !path.ends_with(".tera") && !path.contains("dot_"),
            "{path}"
        );
    });
}

#[test]
fn every_file_is_plain_text_with_line_feeds_and_one_final_newline() {
    every_tree(|dir, path, bytes| {
        let text = std::str::from_utf8(bytes).unwrap();
        assert!(!text.contains('\r'), "{dir}/{path} holds a carriage return");
        assert!(!text.starts_with('\u{feff}'), "{dir}/{path} starts with a byte order mark");
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{dir}/{path}: its end");
        for (number, line) in text.lines().enumerate() {
            assert_eq!(line.trim_end(), line, "{dir}/{path}:{}: trailing white space", number + 1);
        }
    });
}

#[test]
fn every_path_fits_an_archive_and_every_system() {
    every_tree(|_, path, _| {
        assert!("aos-acme/".len() + path.len() <= 100, "{path}");
        aos::plan::RelativePath::parse(path).unwrap();
    });
}

#[test]
fn no_generated_file_depends_on_this_machine() {
    let clock = std::process::Command::new("date").arg("+%Y-%m-%d").output().expect("date");
    let today = String::from_utf8(clock.stdout).unwrap().trim().to_owned();
    let user = std::env::var("USER").unwrap_or_else(|_| "nobody-at-all".to_owned());
    let words = ["/tmp/", "/home/", "/root/", "aos-test-", env!("CARGO_MANIFEST_DIR"), &today];
    every_tree(|dir, path, bytes| {
        let text = std::str::from_utf8(bytes).unwrap();
        for word in words {
            assert!(!text.contains(word), "{dir}/{path} holds `{word}`");
        }
        assert!(user.len() < 5 || !text.contains(&user), "{dir}/{path} holds `{user}`");
    });
}

#[test]
fn the_same_input_gives_the_same_bytes_in_another_place_home_and_locale() {
    let here = Sandbox::new();
    let there = Sandbox::new();
    for preset in presets(&here) {
        let arguments = ["new", "acme", "--preset", &preset, "--no-git", "--dir", &preset];
        for sandbox in [&here, &there] {
            std::fs::create_dir(sandbox.work().join(&preset)).unwrap();
        }
        here.aos(&arguments).data();
        let mut command = there.command(&arguments);
        command.env("LC_ALL", "tr_TR.UTF-8").env("TZ", "Asia/Tokyo").env("USER", "someone");
        super::sandbox::run(&mut command).data();
    }
    assert_eq!(tree(&here.work()), tree(&there.work()));
}

#[test]
fn no_capital_that_ends_the_alphabet_is_in_the_project_table() {
    let sandbox = Sandbox::new();
    for preset in presets(&sandbox) {
        sandbox.aos(&["new", &preset, "--preset", &preset, "--no-git"]).data();
        let pyproject =
            disk::read(&sandbox.work().join(format!("aos-{preset}/agent-harness/pyproject.toml")));
        let (_, table) = pyproject.split_once("\n[project]\n").expect("a project table");
        let table = table.split("\n[").next().unwrap();
        assert!(!table.contains('Z'), "{preset}: {table}");
        assert!(!table.contains('\''), "{preset}: single quotes: {table}");
    }
}

#[test]
fn modes_follow_the_umask_and_only_the_shim_is_executable() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    for (path, entry) in disk::state(&project) {
        if let disk::Entry::File { mode, .. } = entry {
            let executable = path == "agent-harness/shims/aos-acme";
            assert_eq!(mode & 0o100 != 0, executable, "{path} {mode:o}");
            assert_eq!(mode & 0o7000, 0, "{path} {mode:o}");
        }
    }
}
