//! Templates of one's own: projects, upgrades, hosts, checks, and templates made of something else.

mod bounds;
mod checked;
mod fleet;
mod hosts;
mod imported;
mod made;
mod marks;
mod projects;

use std::path::PathBuf;

use crate::sandbox::Sandbox;

/// `template.toml` of the sample: a question of each kind, a condition, a program.
const INFO: &str = r#"name = "web"
version = "1.0.0"
executables = ["bin/@tool@"]
next = ["make test"]

[[questions]]
key = "owner"
help = "Who owns it"
default = "platform"
pattern = "slug"

[[questions]]
key = "jobs"
help = "Background jobs"
default = "no"
choices = ["no", "yes"]

[[only]]
path = "jobs"
when = ["jobs=yes"]
"#;
const README: &str = "# {= title =}\n\nOwned by {= owner =}.\n\none\n\ntwo\n\nthree\n";

/// The sample by path.
fn sample() -> Vec<(&'static str, String)> {
    vec![
        ("template.toml", INFO.to_owned()),
        ("files/README.md.tera", README.to_owned()),
        ("files/dot_github/ci.yml", "x: ${{ github.ref }}\n".to_owned()),
        ("files/bin/@tool@.tera", "#!/bin/sh\necho {= tool =}\n".to_owned()),
        ("files/jobs/run.txt", "loop\n".to_owned()),
    ]
}

/// Writes the sample below `web` of the work directory.
fn template(sandbox: &Sandbox) -> PathBuf {
    for (path, text) in sample() {
        sandbox.write(&format!("web/{path}"), &text);
    }
    sandbox.work().join("web")
}

/// A project of the sample.
fn project(sandbox: &Sandbox) -> PathBuf {
    template(sandbox);
    let answer = sandbox.aos(&["new", "shop", "--template", "./web", "--no-git"]);
    PathBuf::from(answer.data()["path"].as_str().expect("a path"))
}
