//! A connector that follows a source on a host, the host, and the Sigstore that its releases are signed with.

use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::server::{Reply, Server};
use crate::disk;
use crate::sandbox::{Answer, Sandbox, run};
use crate::sigstore::{Signing, Sigstore};

pub const REPOSITORY: &str = "acme/specs";
pub const SOURCE: &str = "github:acme/specs";

/// The signer of the release `tag`.
pub fn signer(tag: &str) -> String {
    format!("https://github.com/{REPOSITORY}/.github/workflows/release.yml@refs/tags/{tag}")
}

/// The contract of connectors at `tag`: that of v1.1.0, changed.
pub fn contract(tag: &str, change: impl Fn(&mut Value)) -> Vec<u8> {
    let newest =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("contract/harness/v1.1.0/contract.json");
    let mut contract: Value = serde_json::from_str(&disk::read(&newest)).expect("a contract");
    contract["tag"] = tag.into();
    change(&mut contract);
    format!("{contract:#}\n").into_bytes()
}

pub const SPEC_TEXT: &[u8] = b"# A later text\n";

/// One entry of an archive.
#[derive(Clone, Debug)]
pub enum Entry {
    File(String, Vec<u8>),
    Directory(String),
    Link(String, String),
    /// Comments on the whole archive, as git writes them.
    Comment,
}

/// An archive with these entries.
pub fn packed(entries: &[Entry]) -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for entry in entries {
        let mut header = tar::Header::new_gnu();
        header.set_mode(0o644);
        match entry {
            Entry::File(path, bytes) => {
                header.set_size(bytes.len() as u64);
                set_path(&mut header, path);
                header.set_cksum();
                archive.append(&header, bytes.as_slice()).expect("an entry");
            }
            Entry::Directory(path) => {
                header.set_entry_type(tar::EntryType::Directory);
                header.set_size(0);
                set_path(&mut header, path);
                header.set_cksum();
                archive.append(&header, std::io::empty()).expect("an entry");
            }
            Entry::Link(path, target) => {
                header.set_entry_type(tar::EntryType::Symlink);
                header.set_size(0);
                set_path(&mut header, path);
                header.set_link_name_literal(target).expect("a target");
                header.set_cksum();
                archive.append(&header, std::io::empty()).expect("an entry");
            }
            Entry::Comment => {
                let text = b"52 comment=0123456789012345678901234567890123456789\n";
                header.set_entry_type(tar::EntryType::XGlobalHeader);
                header.set_size(text.len() as u64);
                set_path(&mut header, "pax_global_header");
                header.set_cksum();
                archive.append(&header, text.as_slice()).expect("an entry");
            }
        }
    }
    archive.into_inner().expect("an archive").finish().expect("a stream")
}

/// Any path: also one that a well-behaved writer refuses.
fn set_path(header: &mut tar::Header, path: &str) {
    let name = &mut header.as_gnu_mut().expect("a GNU header").name;
    name.fill(0);
    name[..path.len()].copy_from_slice(path.as_bytes());
}

/// One release before it is published; every field may be made wrong.
#[derive(Clone, Debug)]
pub struct Release {
    pub tag: String,
    pub archive: Vec<u8>,
    pub archive_name: String,
    /// Digest line for the archive; right unless a test says otherwise.
    pub list: Vec<u8>,
    pub signing: Signing,
    pub has_list: bool,
    pub has_bundle: bool,
}

impl Release {
    /// As it should be.
    pub fn new(tag: &str) -> Self {
        Self::holding(tag, &contract(tag, |_| {}))
    }

    /// With another contract in it.
    pub fn holding(tag: &str, contract: &[u8]) -> Self {
        let top = format!("contract-{tag}");
        Self::packing(
            tag,
            &[
                Entry::File(format!("{top}/harness/{tag}/contract.json"), contract.to_vec()),
                Entry::File(format!("{top}/harness/{tag}/CONNECTOR-SPEC.md"), SPEC_TEXT.to_vec()),
            ],
        )
    }

    /// With another archive.
    pub fn packing(tag: &str, entries: &[Entry]) -> Self {
        Self::of(tag, packed(entries))
    }

    /// With these bytes as the archive.
    pub fn of(tag: &str, archive: Vec<u8>) -> Self {
        let archive_name = format!("contract-{tag}.tar.gz");
        let digest = aos::verify::Sha256::of(&archive);
        Self {
            tag: tag.to_owned(),
            list: format!("{digest}  {archive_name}\n").into_bytes(),
            archive,
            archive_name,
            signing: Signing::release(REPOSITORY, tag),
            has_list: true,
            has_bundle: true,
        }
    }

    /// Without list and signature.
    pub fn unsigned(mut self) -> Self {
        (self.has_list, self.has_bundle) = (false, false);
        self
    }
}

pub struct Scene {
    pub sandbox: Sandbox,
    pub server: Server,
    pub sigstore: Sigstore,
    pub project: PathBuf,
}

impl Scene {
    /// A connector at the newest embedded tag whose record names the source; no release yet.
    pub fn new() -> Self {
        let scene = Self::without_source();
        scene.record("source = \"embedded\"", &format!("source = \"{SOURCE}\""));
        scene
    }

    pub fn without_source() -> Self {
        let sandbox = Sandbox::new();
        let project = sandbox.connector("acme");
        let sigstore = Sigstore::new();
        sandbox.write("root.json", &sigstore.trust_root().to_string());
        Self { sandbox, server: Server::new(), sigstore, project }
    }

    /// A connector whose record trusts the lock.
    pub fn trusting_the_lock() -> Self {
        let scene = Self::new();
        scene.record(&format!("\"{SOURCE}\""), &format!("\"{SOURCE}\"\ntrust = \"lock\""));
        scene
    }

    /// A connector that follows `v1.2.0` of the source already; nothing of it is kept.
    pub fn at_the_release() -> Self {
        let scene = Self::new();
        scene.publish(&Release::new("v1.2.0"));
        scene.sync(&["--to", "v1.2.0"]).data();
        scene.forget();
        scene.server.asked();
        scene
    }

    /// Changes aos.toml.
    pub fn record(&self, from: &str, to: &str) {
        disk::edit(&self.project.join("aos.toml"), from, to);
    }

    /// The command with the host, without limits that a slow machine would meet.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.command(arguments);
        command
            .current_dir(&self.project)
            .env_remove("AOS_OFFLINE")
            .env("AOS_UPDATE_API_URL", &self.server.url);
        command
    }

    pub fn aos(&self, arguments: &[&str]) -> Answer {
        run(&mut self.command(arguments))
    }

    /// `aos COMMAND` that believes the Sigstore of the scene.
    pub fn trusting(&self, arguments: &[&str]) -> Command {
        let root = self.sandbox.work().join("root.json");
        let mut command = self.command(arguments);
        command.arg("--trusted-root").arg(root);
        command
    }

    pub fn sync(&self, arguments: &[&str]) -> Answer {
        let all: Vec<_> = ["sync-spec"].iter().chain(arguments).copied().collect();
        run(&mut self.trusting(&all))
    }

    pub fn check(&self) -> Answer {
        run(&mut self.trusting(&["check"]))
    }

    /// The same without a network.
    pub fn offline(&self, arguments: &[&str]) -> Answer {
        run(self.trusting(arguments).env("AOS_OFFLINE", "1"))
    }

    /// Where verified releases are kept.
    pub fn cache(&self) -> PathBuf {
        self.sandbox.home().join(".aos/spec-cache")
    }

    /// Throws away what was kept.
    pub fn forget(&self) {
        let _ = std::fs::remove_dir_all(self.cache());
    }

    /// Puts a release on the host, and makes it the newest.
    pub fn publish(&self, release: &Release) {
        let base = format!("/assets/{}", release.tag);
        let mut files = vec![(release.archive_name.clone(), release.archive.clone())];
        if release.has_list {
            files.push(("checksums.txt".to_owned(), release.list.clone()));
        }
        if release.has_bundle {
            let bundle = self.sigstore.sign(&release.list, &release.signing).to_string();
            files.push(("checksums.txt.sigstore.json".to_owned(), bundle.into_bytes()));
        }
        let assets: Vec<_> = files
            .iter()
            .map(|(name, bytes)| {
                let url = format!("{}{base}/{name}", self.server.url);
                json!({"name": name, "size": bytes.len(), "browser_download_url": url})
            })
            .collect();
        for (name, bytes) in &files {
            self.server.set(&format!("{base}/{name}"), Reply::file(bytes));
        }
        let described = Reply::json(&json!({
            "tag_name": release.tag,
            "html_url": page(&release.tag),
            "assets": assets,
        }));
        self.server.set(&tagged(&release.tag), described.clone());
        self.server.set(&latest(), described);
    }

    /// Puts the archive that the host packs itself behind a redirect, as the real one does.
    pub fn pack(&self, tag: &str, entries: &[Entry]) {
        let place = format!("/codeload/{tag}");
        self.server.set(&place, Reply::Unmeasured(packed(entries)));
        let location = format!("{}{place}", self.server.url);
        self.server.set(&tarball(tag), Reply::Redirect(location));
    }
}

pub fn page(tag: &str) -> String {
    format!("https://github.com/{REPOSITORY}/releases/tag/{tag}")
}

pub fn latest() -> String {
    format!("/repos/{REPOSITORY}/releases/latest")
}

pub fn tagged(tag: &str) -> String {
    format!("/repos/{REPOSITORY}/releases/tags/{tag}")
}

pub fn tarball(tag: &str) -> String {
    format!("/repos/{REPOSITORY}/tarball/{tag}")
}

pub fn asset(tag: &str, name: &str) -> String {
    format!("/assets/{tag}/{name}")
}
