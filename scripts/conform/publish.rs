//! The publisher of conform.toml: releases of aos for `aos conform`, the good one and those with a fault, signed by the
//! Sigstore of the tests, which a program trusts only when `--trusted-root` tells it to.
//!
//! `publish --out DIR --version VERSION --kinds KIND,KIND`, started where the sources are.

#![expect(
    clippy::disallowed_methods,
    reason = "a program for `aos conform`, not part of the product"
)]
#![expect(clippy::expect_used, reason = "a publisher that cannot go on ends")]

#[path = "../../tests/sigstore/mod.rs"]
#[expect(dead_code, reason = "shared with the tests, which use all of it")]
mod sigstore;

use std::fs;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

use sigstore::{Fault, Name, Signing, Sigstore, hex};

const REPOSITORY: &str = "ArgentAIOS/aos";
const ESCAPED: &str = "aos-conform-escaped";
const MEBIBYTE: usize = 1024 * 1024;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| {
        let at = words.iter().position(|word| word == name).expect("--out, --version and --kinds");
        words.get(at + 1).expect("a value").clone()
    };
    let (out, version) = (option("--out"), option("--version"));
    let release = Release { version: &version, sigstore: Sigstore::new(), program: script(&out) };
    let out = Path::new(&out);
    fs::create_dir_all(out.join("trust")).expect("a directory");
    let root = release.sigstore.trust_root().to_string();
    fs::write(out.join("trust/trusted_root.json"), root).expect("a trust root");
    fs::write(out.join("newer"), newer(&version)).expect("a program");
    executable(&out.join("newer"));
    fs::write(out.join("program"), &release.program).expect("a program");
    fs::create_dir_all(out.join("skills/aos")).expect("a directory");
    for (name, bytes) in skill() {
        fs::write(out.join("skills/aos").join(name), bytes).expect("a Skill");
    }
    for kind in option("--kinds").split(',') {
        if let Some(files) = release.of_kind(kind) {
            let directory = out.join(kind);
            fs::create_dir_all(&directory).expect("a directory");
            for (name, bytes) in files {
                fs::write(directory.join(name), bytes).expect("an asset");
            }
        }
    }
}

/// The program of all releases: a small one that starts the real one, so that no archive is large.
fn script(out: &str) -> Vec<u8> {
    let path = format!("{out}/newer").replace('\'', "'\\''");
    format!("#!/bin/sh\nexec '{path}' \"$@\"\n").into_bytes()
}

/// The aos that PATH finds first, as another version: a debug build reads it from the end of its file.
fn newer(version: &str) -> Vec<u8> {
    let path = std::env::var_os("PATH").expect("a PATH");
    let found =
        std::env::split_paths(&path).map(|place| place.join("aos")).find(|path| path.is_file());
    let mut bytes = fs::read(found.expect("`aos` on PATH")).expect("a program");
    bytes.extend_from_slice(format!("\nAOS_TEST_VERSION={version}\n").as_bytes());
    bytes
}

/// The files of the Skill in the sources.
fn skill() -> Vec<(String, Vec<u8>)> {
    let names = ["SKILL.md", "test-prompts.json"];
    let file = |name: &str| fs::read(Path::new("skills/aos").join(name)).expect("the Skill of aos");
    names.iter().map(|name| ((*name).to_owned(), file(name))).collect()
}

struct Release<'a> {
    version: &'a str,
    sigstore: Sigstore,
    program: Vec<u8>,
}

/// An entry of an archive: its path, its bytes, and where it leads when it is a link.
type Entry = (String, Vec<u8>, Option<&'static str>);

impl Release<'_> {
    /// The files of a release of this kind; `None` for an unknown one.
    fn of_kind(&self, kind: &str) -> Option<Vec<(String, Vec<u8>)>> {
        let mut signing = Signing::release(REPOSITORY, &format!("v{}", self.version));
        let mut archive = None;
        let identity = format!(
            "https://github.com/{REPOSITORY}/.github/workflows/release.yml@refs/tags/v{}",
            self.version
        );
        let named = |name: String| Name::Uri(name);
        let mut legacy = false;
        match kind {
            "good" | "checksum-mismatch" | "checksum-missing" | "checksum-duplicate" => {}
            "wrong-repository" => {
                signing.name = named(identity.replace(REPOSITORY, "somebody/else"));
                signing.repository = "somebody/else".to_owned();
            }
            "wrong-workflow" => signing.name = named(identity.replace("release.yml", "ci.yml")),
            "wrong-ref" => {
                let (workflow, _) = identity.split_once('@').expect("a reference");
                signing.name = named(format!("{workflow}@refs/heads/main"));
            }
            "wrong-tag" => {
                let (workflow, _) = identity.split_once('@').expect("a reference");
                signing.name = named(format!("{workflow}@refs/tags/v0.0.1"));
            }
            "identity-prefix" => signing.name = named(format!("https://example.com/{identity}")),
            "identity-suffix" => signing.name = named(format!("{identity}-rc.1")),
            "wrong-issuer" => signing.issuer = "https://accounts.example.com".to_owned(),
            "bad-signature" => signing.fault = Some(Fault::BadSignature),
            "legacy-bundle" => legacy = true,
            "archive-too-large" => archive = Some(self.bomb()),
            _ => archive = Some(packed(&self.entries(kind)?)),
        }
        let archive = archive.unwrap_or_else(|| packed(&self.good()));
        let name = format!("{}.tar.gz", self.top());
        let changelog =
            format!("# Changelog\n\n## [{}] - 2001-01-01\n\n### Added\n\n- More.\n", self.version);
        let line = listed(&name, &archive);
        let wrong = format!("{}{}", "0".repeat(64), &line[64..]);
        let lines = match kind {
            "checksum-mismatch" => wrong,
            "checksum-missing" => line.replace(".tar.gz", ".zip"),
            "checksum-duplicate" => line + &wrong,
            _ => line,
        };
        let list = (lines + &listed("CHANGELOG.md", changelog.as_bytes())).into_bytes();
        let bundle = match legacy {
            true => json!({"base64Signature": "AAAA", "cert": "AAAA"}),
            false => self.sigstore.sign(&list, &signing),
        };
        Some(vec![
            (name, archive),
            ("CHANGELOG.md".to_owned(), changelog.into_bytes()),
            ("checksums.txt".to_owned(), list),
            ("checksums.txt.sigstore.json".to_owned(), bundle.to_string().into_bytes()),
        ])
    }

    /// The directory in an archive.
    fn top(&self) -> String {
        format!("aos-v{}-{}", self.version, env!("AOS_TARGET"))
    }

    fn good(&self) -> Vec<Entry> {
        let top = self.top();
        let mut entries = vec![(format!("{top}/aos"), self.program.clone(), None)];
        for (name, bytes) in skill() {
            entries.push((format!("{top}/skills/aos/{name}"), bytes, None));
        }
        entries
    }

    /// The entries of an archive that no release has.
    fn entries(&self, kind: &str) -> Option<Vec<Entry>> {
        let (top, mut entries) = (self.top(), self.good());
        match kind {
            "archive-traversal" => {
                entries.push((format!("{top}/../../{ESCAPED}"), b"escaped".to_vec(), None));
            }
            "archive-symlink" => entries[0] = (format!("{top}/aos"), Vec::new(), Some("/bin/sh")),
            "archive-wrong-member" => entries[0].0 = format!("{top}/other/aos"),
            "archive-no-program" => drop(entries.remove(0)),
            _ => return None,
        }
        Some(entries)
    }

    /// A small archive of a program that is larger than any.
    fn bomb(&self) -> Vec<u8> {
        const SIZE: usize = 600;
        let header = header(&format!("{}/aos", self.top()), SIZE * MEBIBYTE, None);
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(header.as_bytes()).expect("memory");
        let zeroes = vec![0; MEBIBYTE];
        for _ in 0..SIZE {
            packed.write_all(&zeroes).expect("memory");
        }
        packed.finish().expect("memory")
    }
}

/// Digest and name, as `sha256sum` writes them.
fn listed(name: &str, bytes: &[u8]) -> String {
    format!("{}  {name}\n", hex(sigstore_crypto::sha256(bytes).as_bytes()))
}

/// A header that takes a name as it is, also one that no archiver would write.
fn header(path: &str, size: usize, link: Option<&str>) -> tar::Header {
    let mut header = tar::Header::new_ustar();
    let name = &mut header.as_ustar_mut().expect("a header of this kind").name;
    name[..path.len()].copy_from_slice(path.as_bytes());
    header.set_mode(0o755);
    header.set_size(size as u64);
    if let Some(link) = link {
        header.set_entry_type(tar::EntryType::Symlink);
        header.set_link_name(link).expect("a link");
    }
    header.set_cksum();
    header
}

fn packed(entries: &[Entry]) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, bytes, link) in entries {
        let header = header(path, bytes.len(), *link);
        builder.append(&header, bytes.as_slice()).expect("an entry");
    }
    builder.into_inner().expect("a tree").finish().expect("an archive")
}

#[cfg(unix)]
fn executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a mode");
}

#[cfg(not(unix))]
fn executable(_path: &Path) {}
