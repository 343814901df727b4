//! Templates of signed releases and of git repositories: verified, recorded, and a moved tag is refused.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::sample;
use crate::disk;
use crate::sandbox::{Answer, Sandbox, run};
use crate::spec_release::scene::{Entry, Release, Scene, packed};

/// A release with the sample at `version` below `web`.
fn release(tag: &str, version: &str) -> Release {
    let top = format!("template-{tag}");
    let entries: Vec<_> = sample()
        .into_iter()
        .map(|(path, text)| {
            let text = text.replace("version = \"1.0.0\"", &format!("version = \"{version}\""));
            let text = text.replace("two", &format!("two of {version}"));
            Entry::File(format!("{top}/web/{path}"), text.into_bytes())
        })
        .collect();
    let archive = packed(&entries);
    let name = format!("{top}.tar.gz");
    let digest = aos::verify::Sha256::of(&archive);
    let mut release = Release::of(tag, archive);
    release.list = format!("{digest}  {name}\n").into_bytes();
    release.archive_name = name;
    release
}

fn trusting(scene: &Scene, directory: &Path, arguments: &[&str]) -> Answer {
    run(scene.trusting(arguments).current_dir(directory))
}

#[test]
fn a_signed_release_is_recorded_upgraded_and_its_tag_may_not_move() {
    let scene = Scene::without_source();
    let work = scene.sandbox.work();
    scene.publish(&release("v1.0.0", "1.0.0"));
    let words = ["new", "shop", "--no-git", "--template", "github:acme/specs@v1.0.0//web"];
    trusting(&scene, &work, &words).data();
    let project = work.join("shop");
    let record = disk::read(&project.join("aos.toml"));
    for line in ["source = \"github:acme/specs\"", "tag = \"v1.0.0\"", "directory = \"web\""] {
        assert!(record.contains(line), "{line}: {record}");
    }
    assert_eq!(trusting(&scene, &project, &["upgrade"]).data()["status"], "unchanged");

    scene.publish(&release("v1.1.0", "1.1.0"));
    assert_eq!(trusting(&scene, &project, &["upgrade"]).data()["version"], "1.1.0");
    assert!(disk::read(&project.join("README.md")).contains("two of 1.1.0"));
    let record = disk::read(&project.join("aos.toml"));
    assert!(record.contains("tag = \"v1.1.0\""), "{record}");
    scene.sandbox.aos_in(&project, &["check"]).data();

    let mut moved = release("v1.1.0", "1.2.0");
    scene.publish(&moved);
    let error = trusting(&scene, &project, &["upgrade"]).error("E_INTEGRITY", 1);
    assert!(error["message"].as_str().expect("a text").contains("was moved"), "{error}");

    moved.has_bundle = false;
    scene.publish(&moved);
    trusting(&scene, &project, &["upgrade"]).error("E_INTEGRITY", 1);
    let words = ["new", "other", "--no-git", "--template", "github:acme/specs//web"];
    trusting(&scene, &work, &words).error("E_INTEGRITY", 1);
    assert!(!work.join("other").exists());
}

struct Repository {
    sandbox: Sandbox,
    place: PathBuf,
}

impl Repository {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let place = sandbox.work().join("templates");
        for (path, text) in sample() {
            sandbox.write(&format!("templates/web/{path}"), &text);
        }
        let repository = Self { sandbox, place };
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository.tag("v1.0.0");
        repository
    }

    fn git(&self, arguments: &[&str]) {
        let mut command = Command::new("git");
        command
            .args(["-c", "user.name=a", "-c", "user.email=a@b.example"])
            .args(arguments)
            .current_dir(&self.place)
            .env("HOME", self.sandbox.home())
            .env("GIT_CONFIG_NOSYSTEM", "1");
        let output = command.output().expect("git");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    }

    /// Commits everything, and puts the tag there.
    fn tag(&self, tag: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", tag]);
        self.git(&["tag", "--force", tag]);
    }

    /// aos, for which the address is the directory.
    fn aos(&self, directory: &Path, arguments: &[&str]) -> Answer {
        let config = self.sandbox.home().join("gitconfig");
        let base = self.place.parent().expect("a parent").display().to_string();
        let text = format!("[url \"file://{base}/\"]\n\tinsteadOf = https://git.example/\n");
        std::fs::write(&config, text).expect("a configuration");
        let mut command = self.sandbox.command(arguments);
        command
            .current_dir(directory)
            .env("GIT_CONFIG_GLOBAL", config)
            .env("AOS_TEST_GIT_FILES", "1");
        run(&mut command)
    }
}

#[test]
fn a_git_repository_is_recorded_with_its_commit_and_a_moved_tag_is_refused() {
    let repository = Repository::new();
    let work = repository.sandbox.work();
    let source = "git+https://git.example/templates//web";
    let words = ["new", "shop", "--no-git", "--template", source];
    let data = repository.aos(&work, &words).data();
    assert!(data["notes"].to_string().contains("is not signed"), "{data}");
    let project = work.join("shop");
    let record = disk::read(&project.join("aos.toml"));
    assert!(record.contains("tag = \"v1.0.0\"\ncommit = \""), "{record}");
    assert_eq!(repository.aos(&project, &["upgrade"]).data()["status"], "unchanged");

    disk::edit(&repository.place.join("web/template.toml"), "1.0.0", "1.1.0");
    repository.tag("v1.1.0");
    assert_eq!(repository.aos(&project, &["upgrade"]).data()["version"], "1.1.0");
    disk::edit(&repository.place.join("web/files/jobs/run.txt"), "loop", "other");
    repository.tag("v1.1.0");
    let error = repository.aos(&project, &["upgrade"]).error("E_INTEGRITY", 1);
    assert!(error["message"].as_str().expect("a text").contains("was moved"), "{error}");
    let words =
        ["new", "x", "--no-git", "--template", "git+https://git.example/templates@v9.9.9//web"];
    repository.aos(&work, &words).error("E_NOT_FOUND", 3);
}

#[test]
fn a_tag_or_an_address_is_never_an_option_of_git() {
    let repository = Repository::new();
    let work = repository.sandbox.work();
    let ran = repository.sandbox.home().join("ran");
    let option = format!("--upload-pack=touch {}", ran.display());
    for source in [
        format!("git+https://git.example/templates@{option}//web"),
        format!("git+https://git.example/{option}//web"),
        format!("git+{option}"),
        "git+https://-oProxyCommand=touch.example/x".to_owned(),
        "git+ext::sh -c touch".to_owned(),
        "github:acme/specs@--output=x".to_owned(),
        "github:-x/specs".to_owned(),
    ] {
        let answer = repository.aos(&work, &["new", "shop", "--no-git", "--template", &source]);
        assert_eq!(answer.json()["ok"], false, "{source}");
        assert!(!ran.exists() && !work.join("shop").exists(), "{source}");
    }
}
