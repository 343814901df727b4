//! Paths in a git index of version 2, 3 or 4. An index that refers to another file or to whole directories is refused.

use std::collections::BTreeSet;

use self::GitIndexError::Damaged;

/// Most bytes of all paths together; prefix compression could make them far longer than the file.
const MAX_PATHS: usize = 64 * 1024 * 1024;
/// Longest path, in bytes.
const MAX_PATH: usize = 4096;
/// Bytes of an entry before its object name.
const STATUS: usize = 40;
/// Sizes of object names: SHA-1, SHA-256.
const OBJECT_NAMES: [usize; 2] = [20, 32];

/// Why not all paths of an index can be known.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum GitIndexError {
    #[error("it is damaged or has an unknown format")]
    Damaged,
    #[error("its version is unknown")]
    Version,
    #[error("it is sparse")]
    Sparse,
    #[error("it is split")]
    Split,
    #[error("its paths are too long")]
    TooLong,
}

/// Every path below `prefix`, relative to it.
///
/// # Errors
/// Returns an error if not all paths can be known, with the reason.
pub fn paths(bytes: &[u8], prefix: &str) -> Result<BTreeSet<String>, GitIndexError> {
    // The file does not state the size of its object names; with the wrong one it makes no sense.
    let [sha1, sha256] = OBJECT_NAMES.map(|size| read(bytes, prefix, size, false));
    match (sha1, sha256) {
        (Ok(paths), _) | (_, Ok(paths)) => Ok(paths),
        (Err(reason), Err(Damaged)) => Err(reason),
        (Err(_), Err(reason)) => Err(reason),
    }
}

/// The paths of one part of a split index, below `prefix` and relative to it. A part may have paths that another one
/// removes.
#[must_use]
pub fn part(bytes: &[u8], prefix: &str) -> Option<BTreeSet<String>> {
    let mut read = OBJECT_NAMES.into_iter().filter_map(|size| read(bytes, prefix, size, true).ok());
    let mut paths = read.next()?;
    // An entry without a path replaces one of the other part.
    paths.remove("");
    Some(paths)
}

/// Says whether an index, or a part of a split or sparse one, has `path` or something below it; `None` if it cannot be
/// read.
#[must_use]
pub fn has(bytes: &[u8], path: &str) -> Option<bool> {
    let mut read = OBJECT_NAMES.into_iter().filter_map(|size| read(bytes, "", size, true).ok());
    let inside = format!("{path}/");
    read.next().map(|paths| {
        paths.iter().any(|known| {
            // A sparse index has whole directories, with a slash at the end.
            known == path
                || known.starts_with(&inside)
                || known.ends_with('/') && inside.starts_with(known.as_str())
        })
    })
}

/// `is_part`: entries may be elsewhere.
fn read(
    bytes: &[u8],
    prefix: &str,
    object_name: usize,
    is_part: bool,
) -> Result<BTreeSet<String>, GitIndexError> {
    let body = bytes.len().checked_sub(object_name).and_then(|end| bytes.get(..end));
    let mut input = IndexInput { rest: body.ok_or(Damaged)? };
    if input.take(4)? != b"DIRC" {
        return Err(Damaged);
    }
    let version = input.number()?;
    if !(2..=4).contains(&version) {
        return Err(GitIndexError::Version);
    }
    let entries = input.number()?;
    let mut found = BTreeSet::new();
    let mut path = Vec::new();
    let mut total = 0;
    let mut is_nameless = false;
    for _ in 0..entries {
        let before = input.rest.len();
        let status = input.take(STATUS)?;
        let mode = u32::from_be_bytes([status[24], status[25], status[26], status[27]]);
        input.take(object_name)?;
        let flags = input.take(2)?;
        let is_extended = flags[0] & 0x40 != 0;
        if is_extended {
            if version == 2 {
                return Err(Damaged);
            }
            input.take(2)?;
        }
        let previous = path.clone();
        if version == 4 {
            let stripped = input.offset()?;
            path.truncate(path.len().checked_sub(stripped).ok_or(Damaged)?);
        } else {
            path.clear();
        }
        path.extend_from_slice(input.until_nul()?);
        // A split index has entries without a path; only its extension says that it is one.
        is_nameless |= path.is_empty();
        if path.len() > MAX_PATH || path < previous && !is_part {
            return Err(Damaged);
        }
        let length = (usize::from(flags[0] & 0x0f) << 8) | usize::from(flags[1]);
        if length != path.len().min(0xfff) {
            return Err(Damaged);
        }
        if version != 4 {
            // The entry is filled up to a multiple of eight; one zero was read already.
            let used = before - input.rest.len();
            let padding = input.take(used.next_multiple_of(8) - used)?;
            if padding.iter().any(|byte| *byte != 0) {
                return Err(Damaged);
            }
        }
        if mode >> 12 == 0o4 && !is_part {
            return Err(GitIndexError::Sparse);
        }
        total += path.len();
        if total > MAX_PATHS {
            return Err(GitIndexError::TooLong);
        }
        found.extend(below(&path, prefix));
    }
    if is_part {
        return Ok(found);
    }
    extensions(&mut input)?;
    if is_nameless { Err(Damaged) } else { Ok(found) }
}

/// The extensions must end at the end of the file.
fn extensions(input: &mut IndexInput<'_>) -> Result<(), GitIndexError> {
    while !input.rest.is_empty() {
        let name = input.take(4)?;
        let length = input.number()?;
        match name {
            b"link" => return Err(GitIndexError::Split),
            b"sdir" => return Err(GitIndexError::Sparse),
            // A small letter marks an extension that changes the meaning of the entries.
            [first, ..] if !first.is_ascii_uppercase() => return Err(Damaged),
            _ => {}
        }
        input.take(usize::try_from(length).map_err(|_| Damaged)?)?;
    }
    Ok(())
}

fn below(path: &[u8], prefix: &str) -> Option<String> {
    let inside = match prefix.is_empty() {
        true => path,
        false => path.strip_prefix(prefix.as_bytes())?.strip_prefix(b"/")?,
    };
    Some(String::from_utf8_lossy(inside).into_owned())
}

struct IndexInput<'a> {
    rest: &'a [u8],
}

impl<'a> IndexInput<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], GitIndexError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Damaged)?;
        self.rest = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, GitIndexError> {
        let bytes = self.take(4)?;
        Ok(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// A number in groups of seven bits, each group after the first one more than it says.
    fn offset(&mut self) -> Result<usize, GitIndexError> {
        let mut value = 0;
        for _ in 0..4 {
            let byte = self.take(1)?[0];
            value = (value << 7) | usize::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
            value += 1;
        }
        Err(Damaged)
    }

    fn until_nul(&mut self) -> Result<&'a [u8], GitIndexError> {
        // No valid path is longer, so a missing zero costs no search through the whole file.
        let window = &self.rest[..self.rest.len().min(MAX_PATH + 1)];
        let end = window.iter().position(|byte| *byte == 0).ok_or(Damaged)?;
        let text = self.take(end)?;
        self.take(1)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn git(directory: &Path, arguments: &[&str]) {
        #[expect(clippy::disallowed_methods, reason = "the test makes real indexes")]
        let mut command = std::process::Command::new("git");
        command.args(arguments).current_dir(directory);
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", directory);
        let output = command.output().expect("git is needed for this test");
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    #[expect(clippy::disallowed_methods, reason = "the test makes real indexes")]
    fn index(format: &str, version: &str, more: &[&[&str]]) -> Vec<u8> {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        git(root, &["init", "-q", &format!("--object-format={format}")]);
        for name in ["a", "deep/er/file.txt", "deep/er/file.txt.x", "deep/z", "über", "same-length"]
        {
            let place = root.join(name);
            std::fs::create_dir_all(place.parent().unwrap()).unwrap();
            std::fs::write(place, name).unwrap();
        }
        let version = format!("index.version={version}");
        git(root, &["-c", &version, "add", "-A"]);
        for arguments in more {
            let mut all = vec!["-c", version.as_str()];
            all.extend(*arguments);
            git(root, &all);
        }
        std::fs::read(root.join(".git/index")).unwrap()
    }

    const SKIP: &[&str] = &["update-index", "--skip-worktree", "deep/z"];

    #[test]
    fn every_version_and_object_format_gives_its_paths() {
        for format in ["sha1", "sha256"] {
            for version in ["2", "3", "4"] {
                for more in [&[][..], &[SKIP]] {
                    let bytes = index(format, version, more);
                    let all = paths(&bytes, "").unwrap();
                    let expected = [
                        "a",
                        "deep/er/file.txt",
                        "deep/er/file.txt.x",
                        "deep/z",
                        "same-length",
                        "über",
                    ];
                    assert!(all.iter().eq(expected.iter()), "{format} {version}: {all:?}");
                    let below = paths(&bytes, "deep").unwrap();
                    assert!(
                        below.iter().eq(["er/file.txt", "er/file.txt.x", "z"].iter()),
                        "{below:?}"
                    );
                    assert!(paths(&bytes, "dee").unwrap().is_empty());
                }
            }
        }
    }

    #[test]
    fn an_index_that_does_not_hold_all_paths_is_refused() {
        let split = index("sha1", "2", &[&["update-index", "--split-index"]]);
        assert_eq!(paths(&split, ""), Err(GitIndexError::Split));
        assert!(part(&split, "").unwrap().is_empty());
        assert_eq!(part(b"", ""), None);
        assert_eq!(has(&split, "deep/z"), Some(false), "the entries are in the other part");
        let whole = index("sha256", "4", &[]);
        for (path, expected) in
            [("deep/er", true), ("deep/z", true), ("deep/e", false), ("same-lengt", false)]
        {
            assert_eq!(has(&whole, path), Some(expected), "{path}");
        }
        assert_eq!(has(b"", "a"), None);
        let mut sparse = index("sha1", "2", &[]);
        sparse[12 + 24..12 + 28].copy_from_slice(&0o040_000_u32.to_be_bytes());
        assert_eq!(paths(&sparse, ""), Err(GitIndexError::Sparse));
        let mut newer = index("sha256", "2", &[]);
        newer[7] = 5;
        assert_eq!(paths(&newer, ""), Err(GitIndexError::Version));
        assert_eq!(paths(b"", ""), Err(Damaged));
    }

    #[test]
    fn mutated_indexes_never_panic_and_a_cut_one_is_refused() {
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state >> 33).unwrap()
        };
        let mut refused = 0;
        for (format, version) in [("sha1", "2"), ("sha1", "4"), ("sha256", "3"), ("sha256", "4")] {
            let good = index(format, version, &[SKIP]);
            for length in 0..good.len() {
                // Without its last entry complete, or with an extension cut, it cannot be whole.
                let _ = paths(&good[..length], "");
            }
            assert_eq!(paths(&good[..good.len() / 2], ""), Err(Damaged));
            for _ in 0..5_000 {
                let mut bytes = good.clone();
                for _ in 0..1 + random() % 4 {
                    let at = random() % bytes.len();
                    bytes[at] = u8::try_from(random() % 256).unwrap();
                }
                refused += usize::from(paths(&bytes, "deep").is_err());
            }
        }
        assert!(refused > 1_000, "{refused}: the mutations reached no check");
    }
}
