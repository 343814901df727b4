//! `aos upgrade`, with a template of the tests in two versions: the older one is a released archive.

mod answers;
mod conflicts;
mod files;
mod merges;
mod random;
mod released;
mod settled;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use aos::inputs::{template, template_archive};
use aos::plan::Digest;

use super::sandbox::{Answer, Sandbox, run};

const INFO: &str = r#"
name = "gadget"
version = "VERSION"
family = "agent-cli"
summary = "A gadget"
executables = ["scripts/run"]

[outputs]
go = "internal/contract/contract_gen.go"

[[questions]]
key = "label"
help = "What people call it"
default = "Gadget"

[[questions]]
key = "jobs"
help = "Whether it has jobs"
choices = ["no", "yes"]
default = "no"

[[only]]
path = "jobs.txt"
when = ["jobs=yes"]
"#;

/// Lines of a text that differ from each other and from those of other texts.
fn lines(name: &str, count: usize) -> String {
    (1..=count).map(|line| format!("{name}: this is line {line}\n")).collect()
}

/// A project at version 1.0.0 of the template, and an aos with version 1.1.0.
struct Scene {
    sandbox: Sandbox,
    project: PathBuf,
}

impl Scene {
    /// A project made from `files` and `arguments`; aos still has that version.
    fn made(files: &[(&str, &str)], arguments: &[&str]) -> Self {
        aos::families::install();
        let sandbox = Sandbox::new();
        let project = sandbox.work().join("acme");
        let scene = Self { sandbox, project };
        scene.publish("1.0.0", "", files);
        let mut words = vec!["new", "acme", "--template", "gadget", "--no-git"];
        words.extend(arguments);
        scene.aos_at(&scene.sandbox.work(), &words).data();
        scene
    }

    /// The same project, and an aos whose template is version 1.1.0 with other files.
    fn new(old: &[(&str, &str)], new: &[(&str, &str)]) -> Self {
        let scene = Self::made(old, &[]);
        scene.release("1.0.0");
        scene.publish("1.1.0", "", new);
        scene
    }

    /// Puts a version of the template where the binary looks for it.
    fn publish(&self, version: &str, more: &str, files: &[(&str, &str)]) {
        let place = self.templates().join("gadget/files");
        let _ = std::fs::remove_dir_all(&place);
        std::fs::create_dir_all(&place).unwrap();
        let info = INFO.replace("VERSION", version);
        self.sandbox.write("templates/gadget/template.toml", &format!("{info}{more}"));
        for (path, text) in files {
            self.sandbox.write(&format!("templates/gadget/files/{path}"), text);
        }
    }

    /// Freezes the version that is there now.
    fn release(&self, version: &str) -> PathBuf {
        let directory = self.templates().join("gadget");
        let info = std::fs::read_to_string(directory.join("template.toml")).unwrap();
        let template = template::from_directory(&directory).unwrap();
        let archive = template_archive::pack(&template, &info).unwrap();
        let place = directory.join(format!("released/{version}.tar.gz"));
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(&place, &archive).unwrap();
        let list = self.templates().join("releases.toml");
        let known = std::fs::read_to_string(&list).unwrap_or("[gadget]\n".to_owned());
        std::fs::write(list, format!("{known}\"{version}\" = \"{}\"\n", Digest::of(&archive)))
            .unwrap();
        place
    }

    fn templates(&self) -> PathBuf {
        self.sandbox.work().join("templates")
    }

    fn command(&self, directory: &Path, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.command(arguments);
        command.current_dir(directory).env("AOS_TEST_TEMPLATES", self.templates());
        command
    }

    fn aos_at(&self, directory: &Path, arguments: &[&str]) -> Answer {
        run(&mut self.command(directory, arguments))
    }

    fn aos(&self, arguments: &[&str]) -> Answer {
        self.aos_at(&self.project, arguments)
    }

    /// An upgrade with `arguments`, confirmed when it asks for that.
    fn upgrade(&self, arguments: &[&str]) -> Value {
        self.confirmed(arguments).data()
    }

    /// The answer to the token of a preview, or to the bare command when it asks for none.
    fn confirmed(&self, arguments: &[&str]) -> Answer {
        let mut words = vec!["upgrade"];
        words.extend(arguments);
        let first = self.aos(&words);
        let token = first.json()["error"]["details"]["confirm_token"].clone();
        let Some(token) = token.as_str() else { return first };
        words.extend(["--confirm", token]);
        self.aos(&words)
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.project.join(path))
            .unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn has(&self, path: &str) -> bool {
        self.project.join(path).exists()
    }

    fn write(&self, path: &str, text: &str) {
        let place = self.project.join(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, text).unwrap();
    }

    fn remove(&self, path: &str) {
        std::fs::remove_file(self.project.join(path)).unwrap();
    }

    /// Replaces a text of a file.
    fn edit(&self, path: &str, from: &str, to: &str) {
        let text = self.read(path);
        assert!(text.contains(from), "{path} has no `{from}`: {text}");
        self.write(path, &text.replace(from, to));
    }

    /// Rules and paths of the errors of `aos check` that have to do with the template.
    fn findings(&self) -> Vec<(String, String)> {
        let envelope = self.aos(&["check", "--diff"]).json();
        let report = match envelope["ok"].as_bool() {
            Some(true) => envelope["data"].clone(),
            _ => envelope["error"]["details"].clone(),
        };
        let findings = report["projects"][0]["findings"].as_array().expect("findings").clone();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        findings
            .iter()
            .map(|finding| (text(&finding["rule"]), text(&finding["path"])))
            .filter(|(rule, _)| rule.starts_with("template/") || rule.starts_with("drift/"))
            .collect()
    }
}

/// The texts of a list.
fn texts(value: &Value) -> Vec<&str> {
    value.as_array().expect("a list").iter().filter_map(Value::as_str).collect()
}

/// Path and kind of each conflict.
fn conflicts(error: &Value) -> Vec<(String, String)> {
    let list = error["details"]["conflicts"].as_array().expect("conflicts");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    list.iter().map(|conflict| (text(&conflict["path"]), text(&conflict["kind"]))).collect()
}

fn pair(left: &str, right: &str) -> (String, String) {
    (left.to_owned(), right.to_owned())
}
