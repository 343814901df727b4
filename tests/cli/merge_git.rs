//! The merge of trees held against `git merge-tree` on random edits, and the promise that no added line is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use aos::merge::tree::Ours;
use aos::merge::{Labels, MergeStyle, Merged, Trees, moves};
use aos::plan::{Content, RelativePath};

use super::sandbox::{is_full_run, skipped};

type Files = BTreeMap<RelativePath, Content>;

/// A small generator of numbers: the same seed gives the same edits.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % (limit as u64)).unwrap()
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

fn path(text: &str) -> RelativePath {
    RelativePath::parse(text).unwrap()
}

fn base(random: &mut Random, alphabet: Option<usize>) -> Files {
    let file = |name: usize, random: &mut Random| {
        let text: String = (0..16 + random.below(10))
            .map(|line| match alphabet {
                Some(size) => format!("{}\n", ["}", "{", "", "end", "x = 1"][random.below(size)]),
                None => format!("file {name} has a line {line} of its own\n"),
            })
            .collect();
        (path(&format!("file{name}.txt")), Content::plain(text))
    };
    (0..4).map(|name| file(name, random)).collect()
}

/// One side: lines changed, added and removed, files renamed, removed and added, modes changed.
fn edited(base: &Files, side: &str, random: &mut Random, removes: bool) -> Files {
    let mut files = Files::new();
    for (place, content) in base {
        let mut lines: Vec<String> = String::from_utf8(content.bytes.to_vec())
            .unwrap()
            .split_inclusive('\n')
            .map(str::to_owned)
            .collect();
        for edit in 0..random.below(3) {
            let at = random.below(lines.len());
            match random.below(3) {
                0 => lines[at] = format!("{side} changed this {edit}\n"),
                1 => lines.insert(at, format!("{side} added this {edit} to {place}\n")),
                _ => drop(lines.remove(at)),
            }
        }
        let mut content = Content::plain(lines.concat());
        content.executable = random.chance(10);
        if removes && random.chance(8) {
            continue;
        }
        let target = match random.below(12) {
            0 => path(&format!("{side}-{place}")),
            1 => path(&format!("both-{place}")),
            _ => place.clone(),
        };
        files.insert(target, content);
    }
    if random.chance(20) {
        let text = format!("a new file\nof {}\n", if random.chance(50) { side } else { "both" });
        files.insert(path("new.txt"), Content::plain(text));
    }
    files
}

/// Merges as `aos upgrade` does.
fn merged(base: &Files, ours: &Files, theirs: &Files, style: MergeStyle) -> Merged {
    fn gone<'a>(base: &'a Files, side: &Files) -> BTreeMap<&'a RelativePath, &'a Content> {
        base.iter().filter(|(path, _)| !side.contains_key(*path)).collect()
    }
    let added: BTreeMap<_, _> =
        theirs.iter().filter(|(path, _)| !base.contains_key(*path)).collect();
    let their_moves = moves::detect(&gone(base, theirs), &added);
    let mine: BTreeMap<_, _> = ours
        .iter()
        .filter(|(path, _)| !base.contains_key(*path) && !theirs.contains_key(*path))
        .collect();
    let our_moves = moves::detect(&gone(base, ours), &mine);
    let ours = ours.iter().map(|(path, content)| (path.clone(), Ours::File(content.clone())));
    Trees {
        base,
        theirs,
        ours: &ours.collect(),
        their_moves: &their_moves,
        our_moves: &our_moves,
        unwanted: &BTreeSet::new(),
        parsed: &BTreeSet::new(),
        style,
        labels: Labels { base: "1.0.0", theirs: "1.1.0" },
    }
    .merge()
}

/// The user's tree after the merge.
fn applied(ours: &Files, merged: &Merged) -> Files {
    let mut files = ours.clone();
    files.retain(|path, _| !merged.removed.contains(path));
    files.extend(merged.wanted.iter().map(|(path, content)| (path.clone(), content.clone())));
    files
}

fn git(directory: &Path, arguments: &[&str], input: &str) -> (bool, String) {
    let mut child = Command::new("git")
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .envs(["AUTHOR", "COMMITTER"].iter().flat_map(|who| {
            [(format!("GIT_{who}_NAME"), "test"), (format!("GIT_{who}_EMAIL"), "test@localhost")]
        }))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("git");
    child.stdin.take().expect("stdin").write_all(input.as_bytes()).expect("input");
    let output = child.wait_with_output().expect("git");
    (output.status.success(), String::from_utf8(output.stdout).expect("text"))
}

/// The tree of `files` in the repository.
fn tree(directory: &Path, files: &Files) -> String {
    let mut entries = String::new();
    for (path, content) in files {
        let text = String::from_utf8(content.bytes.to_vec()).unwrap();
        let (_, blob) = git(directory, &["hash-object", "-w", "--stdin"], &text);
        let mode = if content.executable { "100755" } else { "100644" };
        entries.push_str(&format!("{mode} blob {}\t{path}\n", blob.trim()));
    }
    git(directory, &["mktree"], &entries).1.trim().to_owned()
}

/// The listing of the tree into which git merges the three trees; `None` if there is a conflict.
fn merged_by_git(directory: &Path, trees: [&str; 3]) -> Option<String> {
    let commit = |tree: &str, parent: &[&str]| {
        let words = [&["commit-tree", tree, "-m", "x"][..], parent].concat();
        git(directory, &words, "").1.trim().to_owned()
    };
    let base = commit(trees[0], &[]);
    let [ours, theirs] = [trees[1], trees[2]].map(|tree| commit(tree, &["-p", &base]));
    let (clean, output) = git(directory, &["merge-tree", "--write-tree", &ours, &theirs], "");
    let tree = output.lines().next().unwrap_or_default().to_owned();
    clean.then(|| git(directory, &["ls-tree", "-r", &tree], "").1)
}

#[test]
fn a_clean_merge_is_that_of_git_and_a_conflict_is_one_for_both() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    git(directory, &["init", "--quiet"], "");
    let probe = tree(directory, &base(&mut Random(1), None));
    if merged_by_git(directory, [&probe, &probe, &probe]).is_none() {
        return skipped("merge_git", "this git has no `merge-tree --write-tree`");
    }
    let (mut clean, mut conflicts) = (0, 0);
    let seeds: u64 = if is_full_run() { 300 } else { 40 };
    for seed in 1..=seeds {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let base = base(&mut random, None);
        // A file that the user deleted stays deleted, which git calls a conflict when the other side changed it.
        let ours = edited(&base, "ours", &mut random, false);
        let theirs = edited(&base, "theirs", &mut random, true);
        let merged = merged(&base, &ours, &theirs, MergeStyle::Inline);
        let trees = [&base, &ours, &theirs].map(|files| tree(directory, files));
        let by_git = merged_by_git(directory, [&trees[0], &trees[1], &trees[2]]);
        let seen = merged.conflicts.iter().map(|conflict| (conflict.path.as_str(), conflict.kind));
        let seen: Vec<_> = seen.collect();
        match by_git {
            Some(listing) => {
                assert!(seen.is_empty(), "seed {seed}: git is clean, aos has {seen:?}");
                let result = tree(directory, &applied(&ours, &merged));
                assert_eq!(
                    git(directory, &["ls-tree", "-r", &result], "").1,
                    listing,
                    "seed {seed}"
                );
                clean += 1;
            }
            None => {
                assert!(!seen.is_empty(), "seed {seed}: git has a conflict, aos has none");
                conflicts += 1;
            }
        }
    }
    assert!(clean > 5 && conflicts > 5, "{clean} clean, {conflicts} conflicts");
}

#[test]
fn every_line_that_the_user_added_is_in_the_tree() {
    for seed in 1..=2000_u64 {
        let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
        // Lines that occur many times are where a merge goes wrong.
        let base = base(&mut random, Some(5));
        let ours = edited(&base, "ours", &mut random, true);
        let theirs = edited(&base, "theirs", &mut random, true);
        for style in [MergeStyle::Inline, MergeStyle::Reject] {
            let merged = merged(&base, &ours, &theirs, style);
            let text = |files: &Files| -> Vec<String> {
                let all = files.values().map(|content| String::from_utf8_lossy(&content.bytes));
                all.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
            };
            let after: BTreeSet<_> = text(&applied(&ours, &merged)).into_iter().collect();
            for line in text(&ours).iter().filter(|line| line.starts_with("ours ")) {
                assert!(after.contains(line), "seed {seed}: `{line}` is lost");
            }
        }
    }
}
