//! Random edits of a project and of its template, upgraded by the real program: nothing that the user added is lost, a
//! second upgrade changes nothing, and an abort restores every byte.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::{Scene, lines, texts};
use crate::sandbox::{is_executable, is_full_run, tree};

type Tree = BTreeMap<String, Vec<u8>>;

const FILES: [&str; 6] = ["A.md", "B.md", "dir/C.md", "dir/D.md", "scripts/run", "data.bin"];

/// A small generator of numbers: the same seed gives the same edits.
struct Dice(u64, usize);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % (limit as u64)).unwrap()
    }

    /// A text that no other call returns.
    fn mark(&mut self, side: &str) -> String {
        self.1 += 1;
        format!("<{side} {}>", self.1)
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

fn base() -> Tree {
    let files = FILES.iter().map(|path| {
        let text = match *path {
            "data.bin" => b"\x00\x01base\xff".to_vec(),
            path => lines(path, 12).into_bytes(),
        };
        ((*path).to_owned(), text)
    });
    files.collect()
}

/// Changes one file, and returns it with the texts that it adds, each of which is nowhere else.
fn changed(text: &[u8], side: &str, dice: &mut Dice) -> (Vec<u8>, Vec<String>) {
    let Ok(text) = std::str::from_utf8(text) else {
        let mark = dice.mark(side);
        return ([text, mark.as_bytes()].concat(), vec![mark]);
    };
    let mut added = Vec::new();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..=dice.below(3) {
        let at = dice.below(lines.len());
        let mark = dice.mark(side);
        match dice.below(4) {
            0 => lines.insert(at, mark.clone()),
            1 => lines[at] = mark.clone(),
            2 => lines.push(mark.clone()),
            _ if lines.len() > 4 => drop(lines.remove(at)),
            _ => {}
        }
        added.push(mark);
    }
    // A line that was removed again, or never there, adds nothing.
    added.retain(|mark| lines.contains(mark));
    let ending = if side == "mine" && dice.chance(15) { "\r\n" } else { "\n" };
    let mut text = lines.join(ending);
    if !dice.chance(15) {
        text.push_str(ending);
    }
    (text.into_bytes(), added)
}

/// The files of one side, with the texts that it added.
fn edited(base: &Tree, side: &str, dice: &mut Dice) -> (Tree, Vec<String>) {
    let (mut files, mut all) = (Tree::new(), Vec::new());
    for (path, text) in base {
        let (mut path, mut text) = (path.clone(), text.clone());
        if dice.chance(8) {
            continue;
        }
        if dice.chance(10) && path != "scripts/run" {
            path = format!("{side}/{}", path.replace('/', "-"));
        }
        if dice.chance(50) {
            let (other, added) = changed(&text, side, dice);
            text = other;
            all.extend(added);
        }
        files.insert(path, text);
    }
    if dice.chance(30) {
        let mark = dice.mark(side);
        files.insert("NEW.md".to_owned(), format!("{mark}\n").into_bytes());
        all.push(mark);
    }
    (files, all)
}

fn put(root: &Path, files: &Tree) {
    for (path, text) in files {
        let place = root.join(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, text).unwrap();
    }
}

/// Changes the mode of a file; false where modes are not those of Unix.
fn toggle(place: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = if is_executable(place) { 0o644 } else { 0o755 };
        std::fs::set_permissions(place, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    cfg!(unix)
}

/// Every text that the user added is in a file of the project.
#[track_caller]
fn holds(scene: &Scene, added: &[String], context: &str) {
    let files = tree(&scene.project);
    for mark in added {
        let is_in =
            |bytes: &[u8]| bytes.windows(mark.len()).any(|window| window == mark.as_bytes());
        assert!(files.values().any(|(bytes, _)| is_in(bytes)), "{context}: `{mark}` is lost");
    }
}

/// A second upgrade writes nothing.
#[track_caller]
fn is_settled(scene: &Scene, context: &str) -> Value {
    let before = tree(&scene.project);
    let again = scene.aos(&["upgrade"]);
    assert_eq!(again.json()["data"]["status"], "unchanged", "{context}: {}", again.stdout);
    assert_eq!(tree(&scene.project), before, "{context}");
    again.data()
}

fn play(seed: u64) {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, 0);
    let context = format!("seed {seed}");
    let base = base();
    let scene = Scene::made(&[("README.md.tera", "# {= label =}\n"), ("jobs.txt", "a job\n")], &[]);
    // The files of the template and of the project, byte for byte.
    let template = scene.templates().join("gadget/files");
    put(&template, &base);
    scene.release("1.0.0");
    std::fs::remove_dir_all(&scene.project).unwrap();
    let words = ["new", "acme", "--template", "gadget", "--no-git"];
    scene.aos_at(&scene.sandbox.work(), &words).data();
    let (theirs, _) = edited(&base, "theirs", &mut dice);
    scene.publish("1.1.0", "", &[("README.md.tera", "# {= label =}!\n"), ("jobs.txt", "a job\n")]);
    put(&template, &theirs);
    let (ours, added) = edited(&base, "mine", &mut dice);
    for path in base.keys() {
        scene.remove(path);
    }
    put(&scene.project, &ours);
    for path in ours.keys().filter(|path| base.contains_key(*path)) {
        if path.as_str() == "scripts/run" || dice.chance(10) {
            toggle(&scene.project.join(path));
        }
    }
    let before = tree(&scene.project);
    let mut words: Vec<&str> = Vec::new();
    if dice.chance(40) {
        words.extend(["--set", "jobs=yes", "--set", "label=Other"]);
    }
    if dice.chance(40) {
        words.extend(["--conflicts", "reject"]);
    }
    let preview = [&["upgrade", "--dry-run"], &words[..]].concat();
    scene.aos(&preview);
    assert_eq!(tree(&scene.project), before, "{context}: a preview wrote");
    let answer = scene.confirmed(&words);
    holds(&scene, &added, &context);
    if answer.json()["ok"] == false {
        let error = answer.error("E_MERGE_CONFLICT", 6);
        assert_eq!(error["details"]["status"], "conflicted", "{context}: {error}");
        scene.confirmed(&["--abort"]).data();
        assert_eq!(tree(&scene.project), before, "{context}: an abort restores every byte");
        return;
    }
    let settled = is_settled(&scene, &context);
    // Healing and restoring one file each leave every other file alone.
    for (list, option) in [("differs", "--heal"), ("deleted", "--restore")] {
        let Some(path) = texts(&settled[list]).first().map(|path| (*path).to_owned()) else {
            continue;
        };
        let mut others = tree(&scene.project);
        scene.upgrade(&[option, &path]);
        let mut after = tree(&scene.project);
        assert!(after.contains_key(&path), "{context} {option} {path}");
        others.remove(&path);
        after.remove(&path);
        assert_eq!(after, others, "{context} {option} {path}");
        let settled = is_settled(&scene, &context);
        assert!(!texts(&settled[list]).contains(&path.as_str()), "{context} {option}: {settled}");
    }
}

#[test]
fn random_edits_are_never_lost_and_an_abort_restores_them() {
    for seed in 1..=if is_full_run() { 400 } else { 24 } {
        play(seed);
    }
}
