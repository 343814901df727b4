//! The scripts of the release workflow: version check, archives, list of digests, formula, npm packages.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::json;

use crate::release::{VERSION, program, sha256};
use crate::scene::{Answer, Scene, answer, names, script, skipped, which};
use crate::server::Reply;
use crate::sigstore::{Signing, Sigstore};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

const TARGETS: [&str; 7] = [
    "aarch64-apple-darwin",
    "aarch64-unknown-linux-gnu",
    "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
    "x86_64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
];

fn python(script: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new("python3");
    command.arg(Path::new(ROOT).join("scripts/release").join(script)).args(arguments);
    command.env_remove("SOURCE_DATE_EPOCH").output().expect("python3")
}

#[track_caller]
fn done(output: Output) -> Answer {
    let answer = answer(output);
    assert_eq!(answer.exit, Some(0), "{answer:?}");
    answer
}

/// Archives of all targets in a directory of `scene`.
fn packed(scene: &Scene, directory: &str, mtime: &str) -> PathBuf {
    let dist = scene.home().join(directory);
    let built = scene.home().join("built");
    std::fs::write(&built, program(VERSION)).unwrap();
    let (built, out) = (built.to_str().unwrap(), dist.to_str().unwrap());
    for target in TARGETS {
        let options = ["--target", target, "--program", built, "--mtime", mtime, "--out", out];
        done(python("pack.py", &[&["--version", VERSION], options.as_slice()].concat()));
    }
    dist
}

/// A whole release, without its signature.
fn assembled(scene: &Scene) -> PathBuf {
    let dist = packed(scene, "dist", "1790000000");
    std::fs::write(dist.join(format!("aos-v{VERSION}.cdx.json")), "{}").unwrap();
    done(python("assemble.py", &["--version", VERSION, dist.to_str().unwrap()]));
    dist
}

/// The target that the program under test was built for, if there are releases for it.
fn own_target() -> Option<String> {
    let machine = std::env::consts::ARCH;
    let libc = if cfg!(target_env = "musl") { "musl" } else { "gnu" };
    match std::env::consts::OS {
        "linux" => Some(format!("{machine}-unknown-linux-{libc}")),
        "macos" => Some(format!("{machine}-apple-darwin")),
        _ => None,
    }
}

fn list(archive: &Path, option: &str) -> String {
    let mut tar = Command::new("tar");
    done(tar.arg(option).arg(archive).env("LC_ALL", "C").env("TZ", "UTC").output().unwrap()).stdout
}

#[test]
fn the_same_program_packs_to_the_same_bytes_and_another_time_to_others() {
    let scene = Scene::new();
    let first = packed(&scene, "first", "1790000000");
    let again = packed(&scene, "again", "1790000000");
    let later = packed(&scene, "later", "1790000001");
    for name in names(&first) {
        let bytes = std::fs::read(first.join(&name)).unwrap();
        assert!(bytes == std::fs::read(again.join(&name)).unwrap(), "{name}");
        assert!(bytes != std::fs::read(later.join(&name)).unwrap(), "{name}");
    }
}

#[test]
fn an_archive_has_one_directory_with_program_documents_and_skill() {
    let scene = Scene::new();
    let dist = packed(&scene, "dist", "1790000000");
    for target in TARGETS {
        let top = format!("aos-v{VERSION}-{target}");
        let archive = dist.join(format!("{top}.tar.gz"));
        let program = if target.contains("windows") { "aos.exe" } else { "aos" };
        let inside =
            ["", "CHANGELOG.md", "LICENSE", "README.md", program, "skills/", "skills/aos/"]
                .map(|name| format!("{top}/{name}\n"))
                .concat();
        let mut manuals: Vec<_> =
            std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/man"))
                .expect("the pages")
                .map(|entry| entry.expect("a page").file_name().into_string().expect("a name"))
                .collect();
        manuals.sort();
        assert!(manuals.len() > 30, "{manuals:?}");
        let skill = ["SKILL.md", "test-prompts.json"]
            .map(|name| format!("{top}/skills/aos/{name}\n"))
            .concat();
        let listed = list(&archive, "-tzf");
        let (pages, others): (Vec<&str>, Vec<&str>) =
            listed.lines().partition(|line| line.contains("/man/"));
        assert_eq!(others.join("\n") + "\n", inside + &skill);
        let wanted = manuals.iter().map(|page| format!("{top}/man/{page}"));
        let wanted: Vec<_> = std::iter::once(format!("{top}/man/")).chain(wanted).collect();
        assert_eq!(pages, wanted);
        for line in list(&archive, "-tvzf").lines() {
            let mode = match line.ends_with('/') || line.ends_with(&format!("/{program}")) {
                true => "rwxr-xr-x",
                false => "rw-r--r--",
            };
            assert!(line[1..].starts_with(mode), "{line}");
            assert!(line.contains(" 0/0 ") || line.contains(" 0      0 "), "{line}");
        }
    }
}

#[test]
fn a_packed_release_is_one_that_the_install_script_takes() {
    let scene = Scene::new();
    let dist = assembled(&scene);
    for name in names(&dist) {
        let bytes = Reply::Bytes(std::fs::read(dist.join(&name)).unwrap());
        scene.server.set(&format!("/download/v{VERSION}/{name}"), bytes.clone());
        scene.server.set(&format!("/latest/download/{name}"), bytes);
    }
    let bundle = format!("/download/v{VERSION}/checksums.txt.sigstore.json");
    scene.server.set(&bundle, Reply::Bytes(b"{}".to_vec()));
    let answer = scene.install(&[]);
    assert_eq!(answer.exit, Some(0), "{answer:?}");
    assert_eq!(std::fs::read_to_string(scene.target()).unwrap(), program(VERSION));
}

#[test]
fn a_packed_release_is_one_that_aos_update_takes() {
    let test = "a_packed_release_is_one_that_aos_update_takes";
    let Some(target) = own_target() else {
        return skipped(test, "there is no release for this system");
    };
    let scene = Scene::new();
    let dist = assembled(&scene);
    let sigstore = Sigstore::new();
    let checksums = std::fs::read(dist.join("checksums.txt")).unwrap();
    let signing = Signing::release("ArgentAIOS/aos", &format!("v{VERSION}"));
    let bundle = sigstore.sign(&checksums, &signing).to_string();
    std::fs::write(dist.join("checksums.txt.sigstore.json"), bundle).unwrap();
    let root = scene.home().join("trusted_root.json");
    std::fs::write(&root, sigstore.trust_root().to_string()).unwrap();
    let mut assets = Vec::new();
    for name in names(&dist) {
        let bytes = std::fs::read(dist.join(&name)).unwrap();
        let url = format!("{}/{name}", scene.server.url);
        assets.push(json!({"name": name, "size": bytes.len(), "browser_download_url": url}));
        scene.server.set(&format!("/{name}"), Reply::Bytes(bytes));
    }
    let release = json!({"tag_name": format!("v{VERSION}"), "assets": assets}).to_string();
    let path = "/repos/ArgentAIOS/aos/releases/latest";
    scene.server.set(path, Reply::Bytes(release.into_bytes()));

    let installed = scene.home().join("bin/aos");
    std::fs::create_dir(installed.parent().unwrap()).unwrap();
    std::fs::copy(env!("CARGO_BIN_EXE_aos"), &installed).unwrap();
    let mut update = Command::new(&installed);
    update.args(["update", "--trusted-root"]).arg(&root).env_clear();
    update.env("HOME", scene.home()).env("PATH", scene.path_directory());
    let ran = answer(update.env("AOS_UPDATE_API_URL", &scene.server.url).output().unwrap());
    let envelope: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let data = &envelope["data"];
    assert_eq!(ran.exit, Some(0), "{envelope}");
    assert_eq!((&envelope["ok"], &data["status"]), (&true.into(), &"updated".into()), "{envelope}");
    assert_eq!(
        (&data["binary_replaced"], &data["current_version"], &data["signature_status"]),
        (&true.into(), &VERSION.into(), &"verified".into())
    );
    // This machine never had the Skill and has no npx to install it: the update succeeds without it.
    assert_eq!(
        (&data["skill_sync_status"], &data["skill_sync_command"]),
        (&"not_installed".into(), &format!("aos update --target-version {VERSION}").into()),
        "{envelope}"
    );
    assert_eq!(std::fs::read_to_string(&installed).unwrap(), program(VERSION));
    assert!(scene.server.asked().contains(&format!("/aos-v{VERSION}-{target}.tar.gz")));
}

#[test]
fn the_list_names_every_asset_with_its_digest() {
    let scene = Scene::new();
    let dist = assembled(&scene);
    let listed = std::fs::read_to_string(dist.join("checksums.txt")).unwrap();
    let mut wanted: Vec<_> = names(&dist);
    wanted.retain(|name| name != "checksums.txt");
    assert_eq!(wanted.len(), TARGETS.len() + 4);
    let lines: Vec<_> = wanted
        .iter()
        .map(|name| format!("{}  {name}", sha256(&std::fs::read(dist.join(name)).unwrap())))
        .collect();
    assert_eq!(listed.lines().collect::<Vec<_>>(), lines);
    for name in ["install.sh", "CHANGELOG.md"] {
        let source = if name == "install.sh" { "scripts/install.sh" } else { name };
        let ours = std::fs::read(Path::new(ROOT).join(source)).unwrap();
        assert!(std::fs::read(dist.join(name)).unwrap() == ours, "{name}");
    }
}

#[test]
fn the_formula_has_the_digest_of_every_archive_that_it_names() {
    let scene = Scene::new();
    let dist = assembled(&scene);
    let formula = std::fs::read_to_string(dist.join("aos.rb")).unwrap();
    assert!(!formula.contains('@'), "{formula}");
    for target in
        TARGETS.iter().filter(|target| target.contains("darwin") || target.contains("musl"))
    {
        let name = format!("aos-v{VERSION}-{target}.tar.gz");
        let digest = sha256(&std::fs::read(dist.join(&name)).unwrap());
        let url = formula.find(&format!("/download/v{VERSION}/{name}\"\n")).unwrap();
        let next = formula[url..].lines().nth(1).unwrap();
        assert_eq!(next.trim(), format!("sha256 \"{digest}\""));
    }
    match which("ruby") {
        None => skipped("the_formula_has_the_digest_of_every_archive_that_it_names", "no ruby"),
        Some(ruby) => {
            done(Command::new(ruby).arg("-c").arg(dist.join("aos.rb")).output().unwrap());
        }
    }
}

#[test]
fn only_exactly_a_release_passes_for_one() {
    let scene = Scene::new();
    let dist = assembled(&scene);
    let bundle = dist.join("checksums.txt.sigstore.json");
    let check = || {
        answer(python("assemble.py", &["--version", VERSION, "--check", dist.to_str().unwrap()]))
    };
    assert!(check().stderr.contains("missing: checksums.txt.sigstore.json"));
    std::fs::write(&bundle, "{}").unwrap();
    assert_eq!(check().exit, Some(0));
    std::fs::write(dist.join("extra.txt"), "").unwrap();
    assert!(check().stderr.contains("not part of a release: extra.txt"));
    std::fs::remove_file(dist.join("extra.txt")).unwrap();
    std::fs::write(dist.join("install.sh"), "other").unwrap();
    let refused = check();
    assert_eq!(refused.exit, Some(1));
    assert!(refused.stderr.contains("checksums.txt is not the list of these files"), "{refused:?}");
}

#[test]
fn a_release_that_lacks_a_target_is_not_assembled() {
    let scene = Scene::new();
    let dist = packed(&scene, "dist", "1790000000");
    std::fs::write(dist.join(format!("aos-v{VERSION}.cdx.json")), "{}").unwrap();
    std::fs::remove_file(dist.join(format!("aos-v{VERSION}-{}.tar.gz", TARGETS[1]))).unwrap();
    let refused = answer(python("assemble.py", &["--version", VERSION, dist.to_str().unwrap()]));
    assert_eq!(refused.exit, Some(1));
    assert!(refused.stderr.contains(TARGETS[1]), "{refused:?}");
    assert!(!dist.join("checksums.txt").exists());
}

/// The files that name the version, copied; `change` edits one of them.
fn version_check(tag: &str, path: &str, from: &str, to: &str) -> Answer {
    let directory = tempfile::tempdir().unwrap();
    let files = [
        "Cargo.toml",
        "Cargo.lock",
        "CHANGELOG.md",
        "README.md",
        "skills/aos/SKILL.md",
        "skills/aos/test-prompts.json",
    ];
    for file in files {
        let place = directory.path().join(file);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        let mut text = std::fs::read_to_string(Path::new(ROOT).join(file)).unwrap();
        if file == path {
            assert!(text.contains(from), "{file} has no {from}");
            text = text.replacen(from, to, 1);
        }
        std::fs::write(place, text).unwrap();
    }
    let notes = directory.path().join("notes.md");
    let root = directory.path().to_str().unwrap();
    let result = answer(python(
        "check_version.py",
        &[tag, "--root", root, "--notes", notes.to_str().unwrap()],
    ));
    assert_eq!(notes.exists(), result.exit == Some(0), "{result:?}");
    result
}

#[test]
fn a_tag_is_released_when_every_place_names_its_version() {
    let version = env!("CARGO_PKG_VERSION");
    let tag = format!("v{version}");
    let good = version_check(&tag, "", "", "");
    assert_eq!((good.exit, good.stdout.trim()), (Some(0), version), "{good:?}");
    let heading = format!("## [{version}] - 20");
    let rows = [
        ("Cargo.toml", format!("version = \"{version}\""), "version = \"99.0.0\"", "Cargo.toml"),
        (
            "Cargo.lock",
            format!("name = \"aos\"\nversion = \"{version}\""),
            "name = \"aos\"\nversion = \"99.0.0\"",
            "Cargo.lock",
        ),
        ("CHANGELOG.md", heading.clone(), "## [99.0.0] - 20", "CHANGELOG.md"),
        ("CHANGELOG.md", heading, "## [Unreleased] - 20", "CHANGELOG.md"),
        (
            "skills/aos/SKILL.md",
            format!("min_version: \"{version}\""),
            "min_version: \"99.0.0\"",
            "SKILL.md",
        ),
        ("skills/aos/test-prompts.json", "[".to_owned(), "", "test-prompts.json"),
    ];
    for (path, from, to, words) in rows {
        let refused = version_check(&tag, path, &from, to);
        assert_eq!(refused.exit, Some(1), "{path}: {refused:?}");
        assert!(refused.stderr.contains(words), "{path}: {refused:?}");
    }
}

#[test]
fn a_text_that_is_not_a_release_tag_is_refused() {
    for tag in
        ["0.1.0", "v1", "v01.2.3", "v1.2.3;id", "v1.2.3\n", "v1.2.3-", "refs/tags/v1.2.3", ""]
    {
        let refused = answer(python("check_version.py", &["--", tag]));
        assert_eq!(refused.exit, Some(1), "{tag:?}: {refused:?}");
        assert!(refused.stderr.contains("not a tag of a release"), "{tag:?}: {refused:?}");
    }
}

#[test]
fn every_target_is_built_and_run_before_a_release_is_published() {
    let workflow = workflow("release.yml");
    let python = python("targets.py", &[]);
    assert_eq!(String::from_utf8(python.stdout).unwrap().lines().collect::<Vec<_>>(), TARGETS);
    for target in TARGETS {
        let rows = workflow.matches(&format!("- {{ target: {target}, ")).count();
        assert_eq!(rows, 2, "{target}");
    }
}

#[test]
fn workflows_use_actions_by_commit_and_keep_values_from_outside_out_of_shell_text() {
    for name in ["ci.yml", "release.yml"] {
        for line in workflow(name).lines().map(str::trim) {
            let line = line.strip_prefix("- ").unwrap_or(line);
            if let Some(action) = line.strip_prefix("uses: ") {
                let (_, version) = action.split_once('@').unwrap();
                let (commit, comment) = version.split_once(" # v").unwrap_or((version, ""));
                let is_commit =
                    commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
                assert!(is_commit && !comment.is_empty(), "{name}: {line}");
            }
            // In a script, a value would be pasted before the shell reads it; as the value of a key it is not.
            if line.contains("${{") {
                let key = line.split_once(": ").map(|(key, _)| key).unwrap_or_default();
                let is_key = !key.is_empty()
                    && key
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
                let is_path = line.starts_with("target/${{ matrix.target }}/");
                assert!((is_key && key != "run") || is_path, "{name}: {line}");
            }
        }
    }
}

fn workflow(name: &str) -> String {
    std::fs::read_to_string(Path::new(ROOT).join(".github/workflows").join(name)).unwrap()
}

#[test]
fn a_program_that_needs_more_than_its_users_have_is_not_released() {
    let test = "a_program_that_needs_more_than_its_users_have_is_not_released";
    let Some(bash) = which("bash") else { return skipped(test, "there is no bash") };
    if which("readelf").is_none() || cfg!(not(all(target_os = "linux", target_env = "gnu"))) {
        return skipped(test, "there is no readelf, or no program of glibc to look at");
    }
    let script = Path::new(ROOT).join("scripts/release/check_elf.sh");
    let check = |target: &str| {
        let mut command = Command::new(&bash);
        let ours = env!("CARGO_BIN_EXE_aos");
        answer(command.arg(&script).args([ours, target]).output().unwrap())
    };
    let (ours, other) = match cfg!(target_arch = "x86_64") {
        true => ("x86_64", "aarch64"),
        false => ("aarch64", "x86_64"),
    };
    let refused = check(&format!("{ours}-unknown-linux-musl"));
    assert!(refused.exit == Some(1) && refused.stderr.contains("is not static"), "{refused:?}");
    let refused = check(&format!("{other}-unknown-linux-gnu"));
    assert!(refused.exit == Some(1) && refused.stderr.contains("is for"), "{refused:?}");
    // The glibc of this machine decides which glibc the program under test needs.
    let gnu = check(&format!("{ours}-unknown-linux-gnu"));
    assert!(gnu.stderr.contains("needs GLIBC_2.") || gnu.stdout.contains("GLIBC_2."), "{gnu:?}");
}

#[test]
fn a_release_is_run_as_its_users_will() {
    let test = "a_release_is_run_as_its_users_will";
    let Some(target) = own_target() else {
        return skipped(test, "there is no release for this system");
    };
    let Some(bash) = which("bash") else { return skipped(test, "there is no bash") };
    let scene = Scene::new();
    let dist = scene.home().join("dist");
    let version = env!("CARGO_PKG_VERSION");
    // The program under test is large in this build, so the archives have one that starts it.
    let starter = scene.home().join("starter");
    let body = format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_aos"));
    std::fs::write(&starter, body).unwrap();
    let options = ["--program", starter.to_str().unwrap(), "--out", dist.to_str().unwrap()];
    for packed in TARGETS {
        let named = ["--version", version, "--mtime", "1", "--target", packed];
        done(python("pack.py", &[&named[..], &options[..]].concat()));
    }
    std::fs::write(dist.join(format!("aos-v{version}.cdx.json")), "{}").unwrap();
    done(python("assemble.py", &["--version", version, dist.to_str().unwrap()]));
    std::fs::write(dist.join("checksums.txt.sigstore.json"), "{}").unwrap();
    let mut smoke = Command::new(bash);
    smoke.arg(Path::new(ROOT).join("scripts/release/smoke.sh")).args([version, &target]).arg(&dist);
    // Neither a cosign nor an aos of this machine: the signature of this release is none.
    let first = scene.home().join("first");
    script(&first.join("cosign"), "exit 0");
    script(&first.join("aos"), "exit 0");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([first].into_iter().chain(std::env::split_paths(&path)));
    smoke.env("PATH", path.unwrap()).env("HOME", scene.home()).env("TMPDIR", scene.home());
    let ran = answer(smoke.output().unwrap());
    assert_eq!(ran.exit, Some(0), "{ran:?}");
    assert!(ran.stdout.contains(&format!("smoke: aos-v{version}-{target} runs")), "{ran:?}");
}

#[test]
fn the_npm_packages_pass_their_own_tests() {
    let test = "the_npm_packages_pass_their_own_tests";
    let Some(node) = which("node") else { return skipped(test, "there is no node") };
    let directory = Path::new(ROOT).join("packaging/npm");
    let tests = names(&directory.join("test"));
    let tests = tests.iter().filter(|name| name.ends_with(".test.mjs"));
    let mut command = Command::new(node);
    // A run inside a run of node's tests would report to that one.
    command
        .arg("--test")
        .args(tests.map(|name| format!("test/{name}")))
        .env_remove("NODE_TEST_CONTEXT");
    let ran = answer(command.current_dir(directory).output().unwrap());
    assert_eq!(ran.exit, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    for line in ran.stdout.lines().filter(|line| line.contains("# SKIP")) {
        skipped(test, line);
    }
}
