//! The floor under the figures: programs that do only the input and output, and a timer for whole processes.
//!
//! `pack TREE FILE` stores a tree in one file; `write FILE TARGET` writes it again, staged and renamed;
//! `hash ROOT` reads and hashes every file on all cores; `time RUNS -- COMMAND…` prints minimum and median.

#![expect(clippy::disallowed_methods, reason = "a benchmark measures the operating system itself")]
#![expect(clippy::unwrap_used, reason = "a benchmark stops on the first surprise")]
#![expect(clippy::panic, reason = "a benchmark stops on the first surprise")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use sha2::Digest as _;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["pack", tree, file] => pack(Path::new(tree), Path::new(file)),
        ["write", file, target] => write(Path::new(file), Path::new(target)),
        ["hash", root] => hash(Path::new(root)),
        ["time", runs, "--", command @ ..] => time(runs.parse().unwrap(), command),
        _ => panic!("pack TREE FILE | write FILE TARGET | hash ROOT | time RUNS -- COMMAND…"),
    }
}

fn files(root: &Path) -> Vec<PathBuf> {
    let walk = walkdir::WalkDir::new(root).sort_by_file_name().into_iter().map(Result::unwrap);
    walk.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path).collect()
}

/// Path length, path, size, bytes; all numbers little-endian u64.
fn pack(tree: &Path, file: &Path) {
    let mut packed = Vec::new();
    for path in files(tree) {
        let name = path.strip_prefix(tree).unwrap().to_str().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        packed.extend((name.len() as u64).to_le_bytes());
        packed.extend(name.as_bytes());
        packed.extend((bytes.len() as u64).to_le_bytes());
        packed.extend(bytes);
    }
    std::fs::write(file, packed).unwrap();
}

fn write(file: &Path, target: &Path) {
    let packed = std::fs::read(file).unwrap();
    let stage = target.with_extension("stage");
    std::fs::create_dir(&stage).unwrap();
    let mut made = std::collections::BTreeSet::new();
    let mut rest = packed.as_slice();
    let mut take = |count: Option<usize>| {
        let count = count.unwrap_or_else(|| {
            let (head, tail) = rest.split_at(8);
            rest = tail;
            usize::try_from(u64::from_le_bytes(head.try_into().unwrap())).unwrap()
        });
        let (head, tail) = rest.split_at(count);
        rest = tail;
        (head, rest.is_empty())
    };
    loop {
        let name = std::str::from_utf8(take(None).0).unwrap();
        let (bytes, last) = take(None);
        for (end, _) in name.match_indices('/') {
            if made.insert(&name[..end]) {
                std::fs::create_dir(stage.join(&name[..end])).unwrap();
            }
        }
        std::fs::write(stage.join(name), bytes).unwrap();
        if last {
            break;
        }
    }
    std::fs::rename(stage, target).unwrap();
}

fn hash(root: &Path) {
    let files = files(root);
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().unwrap().get();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    std::hint::black_box(sha2::Sha256::digest(std::fs::read(path).unwrap()));
                }
            });
        }
    });
    println!("{} files", files.len());
}

/// `{}` in an argument becomes the number of the run, so that no run meets the tree of another.
fn time(runs: usize, command: &[&str]) {
    let mut times: Vec<f64> = (0..runs)
        .map(|run| {
            let words: Vec<String> =
                command.iter().map(|word| word.replace("{}", &run.to_string())).collect();
            let (program, arguments) = words.split_first().unwrap();
            let start = Instant::now();
            let status =
                Command::new(program).args(arguments).stdout(Stdio::null()).status().unwrap();
            let elapsed = start.elapsed().as_secs_f64() * 1000.0;
            assert!(status.success(), "{command:?} failed");
            elapsed
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{:.2} {:.2}", times[0], times[times.len() / 2]);
}
