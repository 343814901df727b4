//! Rules about packaging for npm and Go.

use serde_json::Value;

use super::versions::PLATFORMS;
use crate::contract::json;
use crate::contract::repository::ProjectFiles;
use crate::contract::rules::collector::{Collector, SourceText, shown_list};
use crate::contract::rules::rule::Rule;
use crate::families::agent_cli::contract::FAMILY;

pub(super) const INSTALL_SCRIPT: Rule = Rule {
    id: "package/install-script",
    summary: "package.json runs no script on installation",
    why: "A script that downloads a binary bypasses the registry's integrity check, and many hosts forbid scripts",
    fix: "put the binary into platform packages, listed under `optionalDependencies`",
    source: "repository checklist: npm",
    ..Rule::error(&[FAMILY])
};
pub(super) const PLATFORM_MISSING: Rule = Rule {
    id: "package/platform-missing",
    summary: "There is a platform package for Linux, macOS and Windows on x64 and arm64",
    why: "On other platforms the installation succeeds, but the tool does not start",
    fix: "add the platform package, or say in the README that the platform is not supported",
    source: "repository checklist: npm",
    ..Rule::warning(&[FAMILY])
};
pub(super) const GO_TOOLCHAIN: Rule = Rule {
    id: "package/go-toolchain",
    summary: "go.mod has one `go` line and no `toolchain` line",
    why: "CI uses the version in go.mod; with a second line, machines build with different compilers",
    fix: "remove the `toolchain` line, and raise the `go` line instead",
    source: "repository checklist: Go",
    ..Rule::warning(&[FAMILY])
};

pub(super) fn check(repository: &ProjectFiles, found: &mut Collector) {
    let package = repository.bytes("package.json").and_then(|bytes| json::parse(bytes).ok());
    if let Some(package) = &package {
        npm(package, found);
    }
    let Some(text) = repository.text("go.mod") else { return };
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("toolchain ") {
            let message = "there is a `toolchain` line in addition to the version of Go".to_owned();
            found.at(&GO_TOOLCHAIN, &SourceText::new("go.mod", text.as_bytes()), at, message);
        }
        at += line.len();
    }
}

fn npm(package: &Value, found: &mut Collector) {
    let scripts = ["preinstall", "install", "postinstall"];
    let run: Vec<_> =
        scripts.into_iter().filter(|script| !package["scripts"][*script].is_null()).collect();
    if !run.is_empty() {
        let message = format!("{} runs on installation", shown_list(run));
        found.whole(&INSTALL_SCRIPT, "package.json", message);
    }
    let Some(optional) = package["optionalDependencies"].as_object() else { return };
    let missing: Vec<_> = PLATFORMS
        .into_iter()
        .filter(|platform| !optional.keys().any(|name| name.ends_with(platform)))
        .collect();
    if !missing.is_empty() && missing.len() < PLATFORMS.len() {
        let message = format!("there is no package for {}", shown_list(missing));
        found.whole(&PLATFORM_MISSING, "package.json", message);
    }
}
