//! A release of a program of a given size, signed by the Sigstore of the tests and served on loopback.
//!
//! `release DIR MEGABYTES` writes `trusted_root.json` and the assets to DIR, prints the address of the API, and serves
//! until it is killed.

#![expect(clippy::disallowed_methods, reason = "a server for figures, not part of the product")]
#![expect(clippy::expect_used, reason = "a server that cannot go on ends")]

#[path = "../../tests/sigstore/mod.rs"]
#[expect(dead_code, reason = "shared with the tests, which use all of it")]
mod sigstore;

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

use sigstore::{Signing, Sigstore, hex};

const REPOSITORY: &str = "ArgentAIOS/aos";
const VERSION: &str = "9.9.9";

fn main() {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().expect("a directory");
    let directory = Path::new(&directory);
    let megabytes: usize = arguments.next().expect("a size").parse().expect("a number");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    publish(directory, megabytes, &base);
    println!("{base}");
    for stream in listener.incoming().flatten() {
        // A client that left early is its own business.
        let _ = answer(stream, directory);
    }
}

fn publish(directory: &Path, megabytes: usize, base: &str) {
    let top = format!("aos-v{VERSION}-{}", env!("AOS_TARGET"));
    let archive = format!("{top}.tar.gz");
    let bytes = packed(&top, megabytes * 1024 * 1024);
    let list = format!("{}  {archive}\n", hex(sigstore_crypto::sha256(&bytes).as_bytes()));
    let sigstore = Sigstore::new();
    let tag = format!("v{VERSION}");
    let bundle = sigstore.sign(list.as_bytes(), &Signing::release(REPOSITORY, &tag));
    let assets = [
        (archive.as_str(), bytes),
        ("checksums.txt", list.into_bytes()),
        ("checksums.txt.sigstore.json", bundle.to_string().into_bytes()),
    ];
    let listed: Vec<_> = assets
        .iter()
        .map(|(name, bytes)| {
            json!({"name": name, "size": bytes.len(), "browser_download_url": format!("{base}/{name}")})
        })
        .collect();
    let release = json!({"tag_name": tag, "assets": listed});
    for (name, bytes) in assets {
        fs::write(directory.join(name), bytes).expect("an asset");
    }
    fs::write(directory.join("latest"), release.to_string()).expect("a release");
    fs::write(directory.join("trusted_root.json"), sigstore.trust_root().to_string())
        .expect("a trust root");
}

/// An archive of a program that says its version and is as large as asked for, hardly compressible like a real one.
fn packed(top: &str, size: usize) -> Vec<u8> {
    let mut program = format!("#!/bin/sh\necho 'aos {VERSION}'\nexit\n").into_bytes();
    let mut state = 1_u64;
    while program.len() < size {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        program.extend_from_slice(&state.to_le_bytes()[4..]);
    }
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for (path, bytes) in
        [("aos", program.as_slice()), ("skills/aos/SKILL.md", b"---\nname: aos\n---\n")]
    {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o755);
        header.set_cksum();
        builder.append_data(&mut header, format!("{top}/{path}"), bytes).expect("an entry");
    }
    builder.into_inner().expect("a tree").finish().expect("an archive")
}

/// Answers one request; the last part of its path is a file.
fn answer(mut stream: TcpStream, directory: &Path) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let path = request.split(' ').nth(1).unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    let body = fs::read(directory.join(name))?;
    let head =
        format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    stream.write_all(head.as_bytes())?;
    stream.write_all(&body)
}
