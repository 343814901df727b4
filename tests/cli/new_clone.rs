//! `aos new` into a directory that was there before: a new clone, a directory with files, one that must not be used.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::disk::{self, Entry};
use super::sandbox::{Sandbox, run, skipped, tree};

/// One call for each template.
const TEMPLATES: [(&str, &str); 3] =
    [("connector-python", "aos-acme"), ("cli-go", "acme"), ("cli-python", "acme")];

fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.com"])
        .args(arguments)
        .current_dir(directory)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", directory)
        .output()
        .expect("git is needed for this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A clone of an empty repository called `name`.
fn clone(sandbox: &Sandbox, name: &str) -> std::path::PathBuf {
    let place = sandbox.work().join(name);
    std::fs::create_dir_all(&place).unwrap();
    git(&place, &["init", "--quiet"]);
    place
}

fn files(root: &Path) -> BTreeMap<String, Entry> {
    let state = disk::state(root);
    state.into_iter().filter(|(path, _)| !path.starts_with(".git/") && path != ".git").collect()
}

#[test]
fn a_new_clone_gets_the_same_project_as_no_directory_for_every_template() {
    for (template, tool) in TEMPLATES {
        let sandbox = Sandbox::new();
        let made = ["new", "acme", "--template", template];
        sandbox.aos(&[&made[..], &["--no-git", "--dir", "elsewhere"]].concat()).data();
        let wanted = files(&sandbox.work().join("elsewhere").join(tool));
        let place = clone(&sandbox, tool);
        let data = sandbox.aos(&made).data();
        assert_eq!(data["status"], "created");
        assert!(files(&place) == wanted, "{template}");
        assert_eq!(data["git"]["initialised"], false);
        let next = data["next"].to_string();
        assert!(next.contains("git add --all") && !next.contains("git init"), "{next}");
        assert_eq!(git(&place, &["diff", "--cached", "--name-only"]), "", "nothing is staged");
        sandbox.aos_in(&place, &["check"]).data();
        assert_eq!(sandbox.aos(&made).data()["status"], "unchanged");
        git(&place, &["add", "--all"]);
        git(&place, &["commit", "--quiet", "--message", "x"]);
        let committed = git(&place, &["ls-tree", "-r", "--name-only", "HEAD"]);
        assert_eq!(committed.lines().count(), tree(&place).len(), "{template}");
        // The same into the directory itself, under any name.
        let other = clone(&sandbox, "checkout");
        let data = sandbox.aos_in(&other, &[&made[..], &["--here"]].concat()).data();
        assert_eq!(data["path"].as_str(), other.canonicalize().unwrap().to_str());
        assert!(files(&other) == wanted, "{template}");
        let third = clone(&sandbox, "third");
        sandbox.aos(&[&made[..], &["--here", "--dir", "third"]].concat()).data();
        assert!(files(&third) == wanted, "{template}");
    }
}

#[test]
fn a_directory_that_is_called_like_the_tool_holds_the_project_itself() {
    let sandbox = Sandbox::new();
    let place = clone(&sandbox, "clones/aos-acme");
    let data = sandbox.aos(&["new", "acme", "--dir", "clones/aos-acme"]).data();
    assert!(place.join("connector.json").exists() && !place.join("aos-acme").exists());
    assert!(data["notes"].to_string().contains("has the name of the tool"), "{data}");
    sandbox.aos(&["new", "acme", "--no-git", "--dir", "new/aos-acme"]).data();
    assert!(sandbox.work().join("new/aos-acme/connector.json").exists());
    // A directory with other files belongs to the user, whatever its name is.
    sandbox.write("full/aos-acme/main.py", "mine");
    sandbox.aos(&["new", "acme", "--no-git", "--dir", "full/aos-acme"]).data();
    assert!(sandbox.work().join("full/aos-acme/aos-acme/connector.json").exists());
    let named_otherwise = clone(&sandbox, "checkout");
    let data = sandbox.aos(&["new", "acme", "--dir", "checkout"]).data();
    assert!(named_otherwise.join("aos-acme/connector.json").exists());
    assert!(data["notes"].to_string().contains("--here"), "{data}");
}

#[test]
fn the_files_of_a_host_stay_and_a_file_that_would_be_replaced_needs_the_token() {
    for (template, tool) in TEMPLATES {
        let sandbox = Sandbox::new();
        let place = clone(&sandbox, tool);
        let ours = [
            ("LICENSE", "My licence\n"),
            (".gitignore", "*.log\n!.env\n"),
            (".gitattributes", "*.bin binary\n"),
            ("docs/mine.md", "mine\n"),
            ("notes.txt", "mine\n"),
        ];
        for (path, text) in ours {
            sandbox.write(&format!("{tool}/{path}"), text);
        }
        let made = ["new", "acme", "--template", template];
        sandbox.write(&format!("{tool}/README.md"), "# acme\n");
        let before = files(&place);
        let error = sandbox.aos(&made).error("E_CONFIRMATION_REQUIRED", 5);
        assert_eq!(error["details"]["would_lose"], json!(["README.md"]), "{error}");
        assert!(files(&place) == before, "{template}");
        let dry = sandbox.aos(&[&made[..], &["--dry-run"]].concat()).data();
        assert_eq!(dry["would_lose"], json!(["README.md"]));
        assert_eq!(dry["preview"]["changes"][0]["action"], "replace", "{dry}");
        assert!(files(&place) == before, "{template}");
        let token = error["details"]["confirm_token"].as_str().unwrap();
        sandbox.write(&format!("{tool}/README.md"), "# changed since\n");
        sandbox.aos(&[&made[..], &["--confirm", token]].concat()).error("E_CONFLICT", 6);
        sandbox.write(&format!("{tool}/README.md"), "# acme\n");
        let data = sandbox.aos(&[&made[..], &["--confirm", token]].concat()).data();
        assert_eq!(data["status"], "created");
        let notes = data["notes"].to_string();
        assert!(notes.contains("LICENSE") && notes.contains(".gitignore"), "{notes}");
        let after = tree(&place);
        for (path, text) in ours {
            let now = std::str::from_utf8(&after[path].0).unwrap();
            assert!(now.starts_with(text), "{path}: {now}");
        }
        assert_eq!(after["LICENSE"].0, b"My licence\n");
        assert_ne!(after["README.md"].0, b"# acme\n");
        for secret in [".env", ".env.local"] {
            let ignored = git(&place, &["check-ignore", secret]);
            assert_eq!(ignored.trim(), secret, "{template}: secrets stay ignored");
        }
        sandbox.aos_in(&place, &["check"]).data();
        assert_eq!(sandbox.aos(&made).data()["status"], "unchanged", "{template}");
    }
}

#[test]
fn files_with_the_wanted_bytes_are_not_a_collision() {
    let sandbox = Sandbox::new();
    let whole = sandbox.connector("acme");
    let place = clone(&sandbox, "copy/aos-acme");
    for path in ["README.md", "connector.json", "contract/contract.json"] {
        std::fs::create_dir_all(place.join(path).parent().unwrap()).unwrap();
        std::fs::copy(whole.join(path), place.join(path)).unwrap();
    }
    let identities = disk::identities(&place);
    sandbox.aos(&["new", "acme", "--dir", "copy"]).data();
    assert!(files(&place) == files(&whole));
    let now = disk::identities(&place);
    for path in ["README.md", "connector.json", "contract/contract.json"] {
        assert_eq!(now.get(path), identities.get(path), "{path} was written again");
    }
}

#[test]
fn a_repository_is_recognised_in_every_form_and_nothing_of_it_is_touched() {
    let sandbox = Sandbox::new();
    let main = clone(&sandbox, "main");
    sandbox.write("main/a.txt", "a\n");
    git(&main, &["add", "a.txt"]);
    git(&main, &["commit", "--quiet", "--message", "first"]);
    sandbox.write("main/a.txt", "changed\n");
    sandbox.write("main/b.txt", "staged\n");
    git(&main, &["add", "b.txt"]);
    let index = std::fs::read(main.join(".git/index")).unwrap();
    let head = git(&main, &["rev-parse", "HEAD"]);
    sandbox.aos_in(&main, &["new", "acme", "--here"]).data();
    assert_eq!(std::fs::read(main.join(".git/index")).unwrap(), index);
    assert_eq!(git(&main, &["rev-parse", "HEAD"]), head);
    assert_eq!(disk::read(&main.join("a.txt")), "changed\n");
    // A worktree has a file called .git.
    git(&main, &["worktree", "add", "--quiet", "../tree", "HEAD"]);
    let file = disk::read(&sandbox.work().join("tree/.git"));
    let data = sandbox.aos(&["new", "acme", "--here", "--dir", "tree"]).data();
    assert!(data["git"]["reason"].as_str().unwrap().contains("git repository"), "{data}");
    assert_eq!(disk::read(&sandbox.work().join("tree/.git")), file);
    // Without a repository none is made beside files that are not of aos, and the steps say how.
    sandbox.write("plain/mine.txt", "mine\n");
    let data = sandbox.aos(&["new", "acme", "--here", "--dir", "plain"]).data();
    assert!(data["next"].to_string().contains("git init"), "{data}");
    assert!(!sandbox.work().join("plain/.git").exists());
    let data = sandbox.aos(&["new", "acme", "--here", "--no-git", "--dir", "quiet"]).data();
    assert!(!data["next"].to_string().contains("git "), "{data}");
}

#[test]
fn files_in_the_way_are_named_and_nothing_is_written() {
    let cases: [(&str, &str, &str); 6] = [
        ("agent-harness", "a file\n", "not a directory"),
        ("Readme.MD", "x\n", "upper and lower case"),
        ("CONTRACT/own.txt", "x\n", "upper and lower case"),
        ("README.md/inner", "x\n", "it is a directory"),
        ("aos.toml", "[project]\nname = \"other\"\n", "is already a project"),
        (".agent/SPEC_VERSION", "v1.0.0\n", "is already a project"),
    ];
    for (path, text, reason) in cases {
        let sandbox = Sandbox::new();
        let place = clone(&sandbox, "aos-acme");
        sandbox.write(&format!("aos-acme/{path}"), text);
        let before = files(&place);
        for more in [&[][..], &["--dry-run"]] {
            let call = [&["new", "acme"][..], more].concat();
            let error = sandbox.aos(&call).error("E_VALIDATION", 2);
            assert!(error["message"].as_str().unwrap().contains(reason), "{path}: {error}");
            assert!(error["details"]["fix"].is_string());
            assert!(files(&place) == before, "{path}");
        }
    }
    let sandbox = Sandbox::new();
    let place = clone(&sandbox, "aos-acme");
    std::os::unix::fs::symlink("/etc", place.join("contract")).unwrap();
    let error = sandbox.aos(&["new", "acme"]).error("E_VALIDATION", 2);
    assert!(error["message"].as_str().unwrap().contains("symbolic link"), "{error}");
}

#[test]
fn a_bare_repository_takes_no_project() {
    let sandbox = Sandbox::new();
    let place = sandbox.work().join("aos-acme");
    std::fs::create_dir_all(&place).unwrap();
    git(&place, &["init", "--quiet", "--bare"]);
    let before = disk::state(&place);
    let error = sandbox.aos(&["new", "acme"]).error("E_VALIDATION", 2);
    assert!(error["message"].as_str().unwrap().contains("bare repository"), "{error}");
    assert!(disk::state(&place) == before);
}

#[test]
fn a_directory_that_cannot_be_written_is_an_error_and_stays() {
    let sandbox = Sandbox::new();
    let place = clone(&sandbox, "aos-acme");
    disk::set_mode(&place, 0o555);
    if std::fs::write(place.join("probe"), "").is_ok() {
        std::fs::remove_file(place.join("probe")).unwrap();
        disk::set_mode(&place, 0o755);
        skipped("a_directory_that_cannot_be_written", "this user may write everywhere");
        return;
    }
    let before = files(&place);
    let answer = sandbox.aos(&["new", "acme"]);
    assert_eq!(answer.json()["ok"], false, "{answer:?}");
    assert!(files(&place) == before);
    disk::set_mode(&place, 0o755);
}

#[test]
fn a_kill_at_any_point_leaves_the_clone_as_it_was_or_complete_after_the_next_run() {
    let wanted = {
        let sandbox = Sandbox::new();
        files(&sandbox.connector("acme"))
    };
    for point in ["apply:staged", "apply:before-edit-0", "apply:before-edit-17", "apply:edited"] {
        let sandbox = Sandbox::new();
        let place = clone(&sandbox, "aos-acme");
        sandbox.write("aos-acme/mine.txt", "mine\n");
        let killed = run(sandbox.command(&["new", "acme"]).env("AOS_TEST_KILL_AT", point));
        assert_eq!(killed.exit, None, "{point}: {killed:?}");
        assert_eq!(disk::read(&place.join("mine.txt")), "mine\n");
        sandbox.aos(&["new", "acme", "--dry-run"]).error("E_CONFLICT", 6);
        let data = sandbox.aos(&["new", "acme"]).data();
        assert_eq!(data["status"], "created", "{point}");
        assert!(data["notes"].to_string().contains("interrupted"), "{point}: {data}");
        let mut now = files(&place);
        assert!(now.remove("mine.txt").is_some());
        assert!(now == wanted, "{point}");
        sandbox.aos_in(&place, &["check"]).data();
    }
}
