//! Writes, interrupted writes and recoveries in real directories. A kill is a transaction that is dropped.

use std::collections::BTreeMap;
use std::path::Path;

use tempfile::TempDir;

use super::edits::Transaction;
use super::journal::{self, Restored};
use super::{ApplyError, apply, ledger, new_tree, recover, undo};
use crate::plan::{Content, FileSet, Obstacle, Plan, RelativePath, Tree, TreeEntry};
use crate::system::directory_lock::DirectoryLock;
use crate::system::files::{self, Kind, Mode};

/// Bytes and execute bit of each file of a directory.
type Snapshot = BTreeMap<String, (String, bool)>;

fn path(text: &str) -> RelativePath {
    RelativePath::parse(text).unwrap()
}

fn content(text: &str, executable: bool) -> Content {
    Content { bytes: text.as_bytes().into(), executable }
}

fn write(root: &Path, name: &str, text: &str, mode: Mode) {
    for (end, _) in name.match_indices('/') {
        let _ = files::create_directory(&root.join(&name[..end]));
    }
    let place = root.join(name);
    let _ = files::remove_file(&place);
    files::write_new(&place, text.as_bytes(), mode).unwrap();
}

fn snapshot(root: &Path) -> Snapshot {
    let mut found = Snapshot::new();
    let mut waiting = vec![String::new()];
    while let Some(directory) = waiting.pop() {
        for name in files::names(&root.join(&directory)).unwrap() {
            let name = format!("{directory}{}", name.to_str().unwrap());
            match files::kind(&root.join(&name)).unwrap() {
                Kind::Directory => waiting.push(format!("{name}/")),
                _ => {
                    let loaded = files::read(&root.join(&name), 1 << 20).unwrap();
                    let text = String::from_utf8(loaded.bytes).unwrap();
                    found.insert(name, (text, loaded.executable));
                }
            }
        }
    }
    found
}

/// A tree with a file for each action.
fn before() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "kept.txt", "kept", Mode::Plain);
    write(root.path(), "changed.txt", "old", Mode::Plain);
    write(root.path(), "docs/gone.txt", "gone", Mode::Executable);
    write(root.path(), "run", "#!/bin/sh\n", Mode::Plain);
    root
}

/// Creates, replaces, deletes and makes executable; `root` is the tree that the plan sees.
fn plan(root: &Path) -> Plan {
    let mut tree = Tree::default();
    for (name, (text, executable)) in snapshot(root) {
        tree.entries.insert(path(&name), TreeEntry::File(content(&text, executable)));
    }
    let mut wanted = FileSet::default();
    for (name, text, executable) in [
        ("changed.txt", "new", false),
        ("made/deep/new.txt", "made", true),
        ("run", "#!/bin/sh\n", true),
    ] {
        wanted.insert(path(name), content(text, executable)).unwrap();
    }
    Plan::between(&tree, &wanted, &[path("docs/gone.txt")].into())
}

fn after() -> Snapshot {
    let file = |text: &str, executable| (text.to_owned(), executable);
    Snapshot::from([
        ("changed.txt".to_owned(), file("new", false)),
        ("kept.txt".to_owned(), file("kept", false)),
        ("made/deep/new.txt".to_owned(), file("made", true)),
        ("run".to_owned(), file("#!/bin/sh\n", true)),
    ])
}

/// A write that ends after `commit`, or before it.
fn killed(root: &Path, plan: &Plan, committed: bool) {
    let edits = plan.edits().iter().collect();
    let directories = vec!["made".to_owned(), "made/deep".to_owned()];
    let transaction = Transaction::stage(root, edits, directories).unwrap();
    if committed {
        transaction.commit().unwrap();
    }
}

fn names_of_aos(root: &Path) -> Vec<String> {
    let names = files::names(root).unwrap().into_iter();
    names
        .filter_map(|name| name.into_string().ok())
        .filter(|name| name.starts_with(".aos"))
        .collect()
}

#[test]
fn a_plan_is_written_and_nothing_of_aos_stays() {
    let root = before();
    apply(root.path(), &plan(root.path()), "changed.txt").unwrap();
    assert_eq!(snapshot(root.path()), after());
    assert_eq!(recover(root.path()).unwrap().map(|recovery| recovery.restored), None);
    // An empty plan needs no writable state and no lock.
    apply(root.path(), &Plan::default(), "").unwrap();
}

#[test]
fn a_killed_write_is_undone_with_every_byte_bit_and_directory() {
    for committed in [false, true] {
        let root = before();
        let old = snapshot(root.path());
        killed(root.path(), &plan(root.path()), committed);
        let announced = journal::preview(root.path()).unwrap().unwrap();
        let recovery = recover(root.path()).unwrap().unwrap();
        assert_eq!(announced.restored, recovery.restored);
        let restored = |path: &str, action| Restored { path: path.to_owned(), action };
        let all = [
            restored("changed.txt", "restore"),
            restored("docs/gone.txt", "restore"),
            restored("made/deep/new.txt", "remove"),
            restored("run", "restore"),
        ];
        // Before the commit, only the copy of `run` shows that its bit may have been set.
        let some: Vec<_> = all.iter().filter(|each| committed || each.path == "run").collect();
        assert_eq!(recovery.restored.iter().collect::<Vec<_>>(), some);
        assert_eq!(recovery.skipped, <[String; 0]>::default());
        assert_eq!(snapshot(root.path()), old);
        assert_eq!(files::kind(&root.path().join("made")).unwrap(), Kind::Absent);
        assert_eq!(names_of_aos(root.path()), <[String; 0]>::default());
        assert!(recover(root.path()).unwrap().is_none());
    }
}

#[test]
fn what_was_changed_after_the_kill_is_kept() {
    let root = before();
    killed(root.path(), &plan(root.path()), true);
    write(root.path(), "changed.txt", "mine", Mode::Plain);
    write(root.path(), "docs/gone.txt", "mine", Mode::Plain);
    write(root.path(), "made/mine.txt", "mine", Mode::Plain);
    let recovery = recover(root.path()).unwrap().unwrap();
    assert_eq!(recovery.skipped, ["changed.txt", "docs/gone.txt"]);
    let now = snapshot(root.path());
    for name in ["changed.txt", "docs/gone.txt", "made/mine.txt"] {
        assert_eq!(now[name].0, "mine");
    }
    assert!(!now["run"].1 && !now.contains_key("made/deep/new.txt"));
}

#[test]
fn a_journal_is_believed_only_as_this_machine_wrote_it_for_this_directory() {
    let reason = |root: &Path| match recover(root).unwrap_err() {
        ApplyError::Journal { reason, .. } => reason,
        other => other.to_string(),
    };
    let interrupted = || {
        let root = before();
        killed(root.path(), &plan(root.path()), true);
        root
    };
    let file = |root: &Path, name: &str| root.join(journal::DIRECTORY).join(name);
    let edit = |root: &Path, name: &str, from: &str, to: &str| {
        let place = file(root, name);
        let text = String::from_utf8(files::read(&place, 1 << 20).unwrap().bytes).unwrap();
        assert!(text.contains(from), "{text}");
        files::remove_file(&place).unwrap();
        files::write_new(&place, text.replacen(from, to, 1).as_bytes(), Mode::Plain).unwrap();
    };

    let root = interrupted();
    edit(root.path(), "journal.json", "docs/gone.txt", "docs/else.txt");
    assert!(reason(root.path()).contains("this machine did not write it"));

    let root = interrupted();
    edit(root.path(), "journal.json", "{", "[");
    assert!(reason(root.path()).starts_with("it is damaged"));

    let root = interrupted();
    edit(root.path(), "old/0", "old", "evil");
    assert_eq!(reason(root.path()), "`old/0` in it is damaged or was changed");

    for name in ["old/9", "old/00", "old/x"] {
        let root = interrupted();
        files::write_new(&file(root.path(), name), b"old", Mode::Plain).unwrap();
        assert_eq!(reason(root.path()), format!("`{name}` in it is damaged or was changed"));
    }

    let root = interrupted();
    files::write_new(&file(root.path(), "notes"), b"mine", Mode::Plain).unwrap();
    assert_eq!(reason(root.path()), "`notes` in it is not part of a journal");

    let (root, other) = (interrupted(), before());
    let state = snapshot(other.path());
    files::rename(&root.path().join(journal::DIRECTORY), &other.path().join(journal::DIRECTORY))
        .unwrap();
    assert_eq!(reason(other.path()), "it was written for another directory");
    files::remove_tree(&other.path().join(journal::DIRECTORY)).unwrap();
    assert_eq!(snapshot(other.path()), state);

    let root = before();
    let text = journal::render("0123456789abcdef", &[], &[]);
    files::create_directory(&root.path().join(journal::DIRECTORY)).unwrap();
    files::write_new(&file(root.path(), "journal.json"), text.as_bytes(), Mode::Plain).unwrap();
    assert!(reason(root.path()).starts_with("this machine did not write it"));

    let root = before();
    write(root.path(), journal::DIRECTORY, "a file", Mode::Plain);
    assert_eq!(reason(root.path()), "it is not a directory");
}

#[test]
fn one_process_at_a_time_writes_or_recovers() {
    let root = before();
    let change = plan(root.path());
    let old = snapshot(root.path());
    let lock = DirectoryLock::acquire(root.path()).unwrap();
    assert!(matches!(apply(root.path(), &change, ""), Err(ApplyError::Busy { .. })));
    assert_eq!(snapshot(root.path()), old);
    drop(lock);
    killed(root.path(), &change, true);
    let _lock = DirectoryLock::acquire(root.path()).unwrap();
    assert!(matches!(recover(root.path()), Err(ApplyError::Busy { .. })));
}

#[test]
fn a_tree_that_is_not_as_the_plan_saw_it_is_left_alone() {
    let refused = |spoil: &dyn Fn(&Path)| {
        let root = before();
        let change = plan(root.path());
        spoil(root.path());
        let old = snapshot(root.path());
        let error = apply(root.path(), &change, "").unwrap_err();
        assert_eq!(snapshot(root.path()), old);
        error
    };
    let stale = refused(&|root| write(root, "changed.txt", "mine", Mode::Plain));
    assert!(matches!(stale, ApplyError::Stale { path } if path.as_str() == "changed.txt"));
    let bit = refused(&|root| write(root, "run", "#!/bin/sh\n", Mode::Executable));
    assert!(matches!(bit, ApplyError::Stale { path } if path.as_str() == "run"));
    let there = refused(&|root| write(root, "made/deep/new.txt", "made", Mode::Executable));
    assert!(matches!(there, ApplyError::Stale { .. }));
    let blocked = refused(&|root| write(root, "made", "a file", Mode::Plain));
    assert!(matches!(blocked, ApplyError::Obstacle { path, .. } if path == "made"));

    let root = before();
    let obstacle = Obstacle { path: path("kept.txt"), reason: "it is a link".to_owned() };
    let change = plan(root.path()).with_obstacles([obstacle]);
    assert!(matches!(apply(root.path(), &change, ""), Err(ApplyError::Obstacle { .. })));
}

#[test]
fn a_failure_in_the_middle_undoes_what_was_done() {
    let root = before();
    let old = snapshot(root.path());
    let change = plan(root.path());
    let directories = vec!["made".to_owned(), "made/deep".to_owned()];
    let transaction =
        Transaction::stage(root.path(), change.edits().iter().collect(), directories).unwrap();
    // After the preflight, a directory takes the place of the last file; the other edits are done by then.
    files::remove_file(&root.path().join("run")).unwrap();
    files::create_directory(&root.path().join("run")).unwrap();
    assert!(transaction.commit().is_err());
    transaction.undo().unwrap();
    let mut wanted = old;
    wanted.remove("run");
    assert_eq!(snapshot(root.path()), wanted);
    assert_eq!(names_of_aos(root.path()), <[String; 0]>::default());
}

#[test]
fn a_draft_of_a_killed_run_is_removed_and_a_foreign_one_is_named() {
    let root = before();
    let old = snapshot(root.path());
    killed(root.path(), &plan(root.path()), false);
    let id = journal::look(root.path()).unwrap().unwrap().entry.id;
    let draft = format!("{}{id}", journal::DRAFT_PREFIX);
    files::rename(&root.path().join(journal::DIRECTORY), &root.path().join(&draft)).unwrap();
    let foreign = format!("{}0123456789abcdef", journal::DRAFT_PREFIX);
    files::create_directory(&root.path().join(&foreign)).unwrap();

    assert_eq!(journal::pending(root.path()), std::slice::from_ref(&draft));
    let left = journal::left(root.path());
    assert_eq!(left.iter().map(|left| &left.name).collect::<Vec<_>>(), [&foreign]);
    let cleared = journal::clear(root.path());
    assert_eq!(cleared.left, left);
    let [removed] = cleared.removed.as_slice() else { panic!("{cleared:?}") };
    assert_eq!(removed.name, draft);
    let staged = ["new/0", "old/0", "old/1", "new/2", "new/3", "old/3", "journal.json"];
    assert_eq!(removed.files, staged);
    assert_eq!(names_of_aos(root.path()), [foreign]);
    assert_eq!(snapshot(root.path()), old);
    assert!(ledger::LedgerEntry::find(&id).is_none());
}

#[test]
fn a_draft_with_a_file_of_somebody_else_stays() {
    let root = before();
    killed(root.path(), &plan(root.path()), false);
    let id = journal::look(root.path()).unwrap().unwrap().entry.id;
    let draft = root.path().join(format!("{}{id}", journal::DRAFT_PREFIX));
    files::rename(&root.path().join(journal::DIRECTORY), &draft).unwrap();
    files::write_new(&draft.join("mine"), b"mine", Mode::Plain).unwrap();
    assert_eq!(journal::pending(root.path()), <[String; 0]>::default());
    let cleared = journal::clear(root.path());
    assert!(cleared.removed.is_empty() && cleared.left.len() == 1, "{cleared:?}");
    assert!(cleared.left[0].reason.contains("`mine` in it is not part of a journal"));
    assert!(files::kind(&draft.join("old/0")).is_ok_and(|kind| kind != Kind::Absent));
}

#[test]
fn the_ledger_has_a_directory_for_its_place_only() {
    let (root, other) = (before(), before());
    let mut entry = ledger::LedgerEntry::open(root.path()).unwrap();
    entry.seal("seal".to_owned()).unwrap();
    let found = ledger::LedgerEntry::find(&entry.id).unwrap();
    assert!(found.is_of(root.path()) && !found.is_of(other.path()));
    assert_eq!(found.seal.as_deref(), Some("seal"));
    entry.close();
    assert!(ledger::LedgerEntry::find(&entry.id).is_none());
    for text in ["", "0123456789abcde", "0123456789abcdeg", "0123456789ABCDEF", "../456789abcdef0"]
    {
        assert!(!ledger::is_id(text) && ledger::LedgerEntry::find(text).is_none(), "{text}");
    }
}

#[test]
fn a_new_tree_appears_whole_or_not_at_all() {
    let parent = tempfile::tempdir().unwrap();
    let mut files_of_tree = FileSet::default();
    for (name, executable) in [("a/b/run", true), ("a/text", false)] {
        files_of_tree.insert(path(name), content(name, executable)).unwrap();
    }
    let create = |target: &Path| new_tree::create(target, &files_of_tree, snapshot);
    let target = parent.path().join("new");
    let staged = create(&target).unwrap();
    assert_eq!(staged, snapshot(&target));
    assert!(staged["a/b/run"].1 && !staged["a/text"].1 && staged.len() == 2);

    let empty = parent.path().join("empty");
    files::create_directory(&empty).unwrap();
    create(&empty).unwrap();
    assert_eq!(snapshot(&empty), staged);

    // A directory with a file, and a file.
    let mine = parent.path().join("mine");
    write(parent.path(), "mine/text", "mine", Mode::Plain);
    for taken in [&mine, &mine.join("text")] {
        assert!(matches!(create(taken), Err(ApplyError::TargetExists { .. })));
    }
    assert_eq!(snapshot(&mine).len(), 1);
    assert_eq!(names_of_aos(parent.path()), <[String; 0]>::default());
}

#[test]
fn a_stage_of_a_killed_run_is_removed_unless_it_runs_or_is_foreign() {
    let parent = tempfile::tempdir().unwrap();
    let stage = || {
        let entry = ledger::LedgerEntry::open(parent.path()).unwrap();
        let name = format!("{}{}", new_tree::PREFIX, entry.id);
        write(parent.path(), &format!("{name}/tree/file"), "", Mode::Plain);
        name
    };
    let (killed, running) = (stage(), stage());
    let _lock = DirectoryLock::acquire(&parent.path().join(&running)).unwrap();
    let foreign = format!("{}0123456789abcdef", new_tree::PREFIX);
    files::create_directory(&parent.path().join(&foreign)).unwrap();
    assert_eq!(journal::pending(parent.path()), std::slice::from_ref(&killed));
    assert_eq!(new_tree::remove_leftovers(parent.path()), [killed]);
    let mut left = names_of_aos(parent.path());
    left.sort();
    let mut wanted = [running, foreign.clone()];
    wanted.sort();
    assert_eq!(left, wanted);
    assert_eq!(journal::left(parent.path()).len(), 1);
    assert_eq!(journal::left(parent.path())[0].name, foreign);
}

#[test]
fn the_state_before_a_change_is_found_for_this_change_in_this_place_only() {
    let (root, other) = (before(), before());
    let change = plan(root.path());
    undo::keep(root.path(), &change, "change").unwrap();
    assert!(undo::find(root.path(), "another").unwrap().is_none());
    assert!(undo::find(other.path(), "change").unwrap().is_none());
    let kept = undo::find(root.path(), "change").unwrap().unwrap();
    assert_eq!(kept.directories, ["made", "made/deep"]);
    for (former, edit) in kept.files.iter().zip(change.edits()) {
        assert_eq!((&former.path, &former.before), (&edit.path, &edit.before));
        assert_eq!(former.after, edit.after.as_ref().map(Content::digest));
    }
    assert_eq!(kept.files.len(), 4);
    apply(root.path(), &change, "").unwrap();
    files::remove_file(&root.path().join("made/deep/new.txt")).unwrap();
    undo::remove_directories(root.path(), &kept);
    assert_eq!(files::kind(&root.path().join("made")).unwrap(), Kind::Absent);
    undo::forget(root.path());
    assert!(undo::find(root.path(), "change").unwrap().is_none());
}

#[test]
fn directories_are_created_together_or_not_at_all() {
    let root = tempfile::tempdir().unwrap();
    let below = |name: &str| root.path().join(name);
    new_tree::create_directories(&[below("a"), below("a/b")]).unwrap();
    assert_eq!(files::kind(&below("a/b")).unwrap(), Kind::Directory);
    // A directory that exists is none of ours, and what it has stays.
    new_tree::create_directories(&[below("a"), below("a/c")]).unwrap();
    write(root.path(), "file", "", Mode::Plain);
    let failed = new_tree::create_directories(&[below("x"), below("file/y")]).unwrap_err();
    assert_eq!(failed.0, below("file/y"));
    assert_eq!(files::kind(&below("x")).unwrap(), Kind::Absent);
    new_tree::remove_empty_directories(&[below("a"), below("a/b"), below("a/c")]);
    assert_eq!(files::kind(&below("a")).unwrap(), Kind::Absent);
}
