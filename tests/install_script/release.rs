//! Releases as the release workflow makes them, and archives that it would never make.

use std::io::Write as _;

use sha2::Digest as _;

use crate::server::{Reply, Server};
use crate::sigstore::hex;

pub const VERSION: &str = "9.8.7";

/// The platform of a release, and of a machine that says so.
pub const PLATFORM: &str = "x86_64-unknown-linux-musl";

/// The files on the server for one version.
pub struct Release {
    pub version: String,
    pub platform: String,
    pub archive: Vec<u8>,
    pub checksums: Vec<u8>,
    pub bundle: Vec<u8>,
}

impl Release {
    pub fn new(version: &str) -> Self {
        Self::of_archive(version, Archive::good(version).bytes())
    }

    /// A release whose list is right for `archive`, whatever that is.
    pub fn of_archive(version: &str, archive: Vec<u8>) -> Self {
        let mut release = Self {
            version: version.to_owned(),
            platform: PLATFORM.to_owned(),
            archive,
            checksums: Vec::new(),
            bundle: b"{}\n".to_vec(),
        };
        release.checksums = release.list();
        release
    }

    pub fn archive_name(&self) -> String {
        format!("aos-v{}-{}.tar.gz", self.version, self.platform)
    }

    /// The list of digests, with other files of a release around the archive.
    pub fn list(&self) -> Vec<u8> {
        let line = |bytes: &[u8], name: &str| format!("{}  {name}\n", sha256(bytes));
        let mut list = line(b"changes", "CHANGELOG.md");
        list += &line(&self.archive, &self.archive_name());
        list += &line(b"other", &format!("aos-v{}-aarch64-pc-windows-msvc.tar.gz", self.version));
        list.into_bytes()
    }

    pub fn path(&self, asset: &str) -> String {
        format!("/download/v{}/{asset}", self.version)
    }

    /// Puts everything on the server, as the newest release too.
    pub fn publish(&self, server: &Server) {
        server.set(&self.path(&self.archive_name()), Reply::Bytes(self.archive.clone()));
        server.set(&self.path("checksums.txt"), Reply::Bytes(self.checksums.clone()));
        server.set(&self.path("checksums.txt.sigstore.json"), Reply::Bytes(self.bundle.clone()));
        server.set("/latest/download/checksums.txt", Reply::Bytes(self.checksums.clone()));
    }
}

pub fn sha256(bytes: &[u8]) -> String {
    hex(&sha2::Sha256::digest(bytes))
}

/// A program that says its version, and what it is asked beyond that.
pub fn program(version: &str) -> String {
    format!("#!/bin/sh\n# A stand-in for aos.\necho 'aos {version}'\n")
}

/// An archive, entry by entry.
pub struct Archive {
    top: String,
    builder: tar::Builder<flate2::write::GzEncoder<Vec<u8>>>,
}

impl Archive {
    pub fn new(version: &str) -> Self {
        let encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        Self { top: format!("aos-v{version}-{PLATFORM}"), builder: tar::Builder::new(encoder) }
    }

    /// A release with the files that every release has.
    pub fn good(version: &str) -> Self {
        Self::new(version).file("aos", &program(version)).documents()
    }

    pub fn documents(self) -> Self {
        self.file("README.md", "read me\n")
            .file("LICENSE", "license\n")
            .file("CHANGELOG.md", "changes\n")
            .file("skills/aos/SKILL.md", "skill\n")
            .file("skills/aos/test-prompts.json", "[]\n")
    }

    /// A file below the top directory.
    pub fn file(self, path: &str, text: &str) -> Self {
        let whole = format!("{}/{path}", self.top);
        self.entry(&whole, tar::EntryType::Regular, text, "")
    }

    /// A link or another entry that is not a file, below the top directory.
    pub fn special(self, path: &str, kind: tar::EntryType, target: &str) -> Self {
        let whole = format!("{}/{path}", self.top);
        self.entry(&whole, kind, "", target)
    }

    /// Anything, under a name that a well-behaved writer would refuse.
    pub fn entry(mut self, name: &str, kind: tar::EntryType, text: &str, target: &str) -> Self {
        let mut header = tar::Header::new_ustar();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.as_old_mut().linkname[..target.len()].copy_from_slice(target.as_bytes());
        header.set_entry_type(kind);
        header.set_mode(0o755);
        header.set_size(text.len() as u64);
        header.set_cksum();
        self.builder.append(&header, text.as_bytes()).expect("an entry");
        self
    }

    pub fn bytes(self) -> Vec<u8> {
        let mut encoder = self.builder.into_inner().expect("an archive");
        encoder.flush().expect("an archive");
        encoder.finish().expect("an archive")
    }
}
