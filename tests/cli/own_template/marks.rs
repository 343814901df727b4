//! Answers in names of files, files that include others, and every fault of a template at once.

use super::{project, template};
use crate::disk;
use crate::sandbox::Sandbox;

/// The messages of the faults of the sample, each with its path and line.
fn faults(sandbox: &Sandbox) -> Vec<String> {
    let error = sandbox.aos(&["template", "check", "./web"]).error("E_VALIDATION", 2);
    let faults = error["details"]["faults"].as_array().expect("faults").clone();
    let line = |fault: &serde_json::Value| {
        let text = |key: &str| fault[key].as_str().expect("a text").to_owned();
        format!("{}:{}: {}", text("path"), fault["line"], text("message"))
    };
    faults.iter().map(line).collect()
}

fn has(lines: &[String], part: &str) {
    assert!(lines.iter().any(|line| line.contains(part)), "{part}: {lines:#?}");
}

#[test]
fn an_answer_in_a_name_is_one_part_of_a_path_and_an_upgrade_follows_it() {
    let sandbox = Sandbox::new();
    template(&sandbox);
    sandbox.write("web/files/deploy/@owner@.yaml.tera", "for: {= owner =}\n\none\n\ntwo\n");
    disk::edit(
        &sandbox.work().join("web/template.toml"),
        "\"bin/@tool@\"",
        "\"bin/@tool@\", \"deploy/@owner@.yaml\"",
    );
    disk::edit(&sandbox.work().join("web/template.toml"), "pattern = \"slug\"", "required = true");
    sandbox.aos(&["template", "check", "./web"]).data();
    // A question without a default is tried with a word that can be in a name.
    disk::edit(&sandbox.work().join("web/template.toml"), "default = \"platform\"\n", "");
    sandbox.aos(&["template", "check", "./web"]).data();
    let new = |owner: &str| {
        let owner = format!("owner={owner}");
        sandbox.aos(&["new", "shop", "--template", "./web", "--no-git", "--set", &owner])
    };
    for owner in ["../up", "a/b", ".", "a\\b", "con", "a:b"] {
        let error = new(owner).error("E_VALIDATION", 2);
        let message = error["message"].as_str().expect("a text");
        assert!(message.contains("owner"), "{owner}: {message}");
        assert!(!sandbox.work().join("shop").exists(), "{owner}");
    }
    new("eu-west").data();
    let project = sandbox.work().join("shop");
    assert_eq!(disk::read(&project.join("deploy/eu-west.yaml")), "for: eu-west\n\none\n\ntwo\n");
    assert!(crate::sandbox::is_executable(&project.join("deploy/eu-west.yaml")));
    // The user's edit goes with the file, wherever the new answer puts it.
    disk::edit(&project.join("deploy/eu-west.yaml"), "two", "two, ours");
    disk::edit(&sandbox.work().join("web/template.toml"), "1.0.0", "1.1.0");
    let words = ["upgrade", "--template", "../web", "--set", "owner=us"];
    let error = sandbox.aos_in(&project, &words).error("E_CONFIRMATION_REQUIRED", 5);
    let token = error["details"]["confirm_token"].as_str().expect("a token");
    sandbox.aos_in(&project, &[&words[..], &["--confirm", token]].concat()).data();
    assert_eq!(disk::read(&project.join("deploy/us.yaml")), "for: us\n\none\n\ntwo, ours\n");
    assert!(!project.join("deploy/eu-west.yaml").exists());
}

#[test]
fn every_name_that_is_wrong_is_listed_at_once() {
    let sandbox = Sandbox::new();
    template(&sandbox);
    sandbox.write("web/files/@nosuch@.txt", "x\n");
    sandbox.write("web/files/{= owner =}.yaml.tera", "x\n");
    let lines = faults(&sandbox);
    has(&lines, "files/@nosuch@.txt:null: `@nosuch@` is neither");
    has(&lines, "@owner@");
    for name in ["con.txt", "a:b", "nul", "x.", "AUX"] {
        sandbox.write(&format!("web/files/{name}"), "x\n");
    }
    let lines = faults(&sandbox);
    assert_eq!(lines.iter().filter(|line| line.contains("not allowed")).count(), 5, "{lines:#?}");
}

#[cfg(unix)]
#[test]
fn forbidden_files_of_a_template_are_refused_by_their_path_and_never_read() {
    let sandbox = Sandbox::new();
    let web = template(&sandbox);
    let link = |target: &str, name: &str| {
        std::os::unix::fs::symlink(target, web.join(name)).expect("a link");
    };
    link("/etc", "files/directory");
    link("/dev/zero", "files/device");
    let pipe = web.join("files/pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    sandbox.write("web/files/Notes.md", "a\n");
    sandbox.write("web/files/notes.MD", "b\n");
    sandbox.write("web/files/sub/.git/hooks/pre-commit", "x\n");
    sandbox.write("web/files/dot_GIT/config", "x\n");
    let huge = std::fs::File::create(web.join("files/huge")).expect("a file");
    huge.set_len(10 << 30).expect("a sparse file");
    let lines = faults(&sandbox);
    for wanted in [
        "files/device:null: it is a symbolic link",
        "files/directory:null: it is a symbolic link",
        "files/pipe:null: it is not a regular file",
        "files/notes.MD:null: another file differs from it only in upper and lower case",
        "files/sub/.git/hooks/pre-commit:null: its name is not allowed",
        "files/huge:null: it is larger than",
    ] {
        has(&lines, wanted);
    }
    // The directory of all files can be a link too.
    std::fs::rename(web.join("files"), sandbox.work().join("elsewhere")).expect("a rename");
    link("../elsewhere", "files");
    let lines = faults(&sandbox);
    assert_eq!(lines.len(), 1, "{lines:#?}");
    has(&lines, "files:null: it is a symbolic link");
    sandbox.aos(&["new", "shop", "--template", "./web", "--no-git"]).error("E_VALIDATION", 2);
    assert!(!sandbox.work().join("shop").exists());
}

#[test]
fn files_include_each_other_in_any_order_and_no_fault_shows_a_drawing() {
    let sandbox = Sandbox::new();
    template(&sandbox);
    sandbox.write("web/files/a.txt.tera", "a{% include \"b.txt.tera\" %}");
    sandbox.write("web/files/b.txt.tera", "b\n");
    sandbox.aos(&["template", "check", "./web"]).data();
    sandbox.aos(&["new", "shop", "--template", "./web", "--no-git"]).data();
    assert_eq!(disk::read(&sandbox.work().join("shop/a.txt")), "ab\n");
    sandbox
        .write("web/files/b.txt.tera", "b\n{% include \"none\" %}{% include \"a.txt.tera\" %}\n");
    sandbox.write("web/files/c.txt.tera", "\n{= tool | nosuch =}\n");
    sandbox.write("web/files/d.txt.tera", "\n{= tool }\n");
    let lines = faults(&sandbox);
    has(&lines, "files/c.txt.tera:2: Unknown filter `nosuch`");
    has(&lines, "files/d.txt.tera:2: ");
    has(&lines, "=}");
    assert!(
        lines.iter().all(|line| !line.contains(['\n', '|']) && !line.contains("}}")),
        "{lines:#?}"
    );
}

#[test]
fn words_of_the_language_are_not_questions_and_a_link_is_not_a_description() {
    let sandbox = Sandbox::new();
    let project = project(&sandbox);
    for key in ["if", "loop", "true"] {
        template(&sandbox);
        let info = sandbox.work().join("web/template.toml");
        disk::edit(&info, "key = \"owner\"", &format!("key = \"{key}\""));
        has(&faults(&sandbox), &format!("`{key}` is a word"));
    }
    #[cfg(unix)]
    {
        let info = sandbox.work().join("web/template.toml");
        std::fs::remove_file(&info).expect("a file");
        std::os::unix::fs::symlink(project.join("aos.toml"), info).expect("a link");
        has(&faults(&sandbox), "template.toml:null: it is a symbolic link");
    }
}
