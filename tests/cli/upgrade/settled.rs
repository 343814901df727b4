//! An upgrade with nothing to do remembers what the project is to contain; it never hides what changed since then.

use std::path::Path;

use serde_json::Value;

use super::super::sandbox::{Answer, Sandbox, run, tree};

/// A project in which an upgrade has nothing to do, and which aos remembers.
struct Settled {
    sandbox: Sandbox,
    root: std::path::PathBuf,
}

impl Settled {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        sandbox
            .aos(&[
                "new",
                "notes",
                "--template",
                "augmentor-python",
                "--no-git",
                "--set",
                "year=2026",
            ])
            .data();
        let settled = Self { root: sandbox.work().join("notes"), sandbox };
        assert_eq!(settled.upgrade(&[]).data()["status"], "unchanged");
        assert_eq!(settled.remembered(), 1);
        settled
    }

    fn remembered(&self) -> usize {
        std::fs::read_dir(self.sandbox.home().join(".aos/settled"))
            .map_or(0, std::iter::Iterator::count)
    }

    fn upgrade(&self, arguments: &[&str]) -> Answer {
        let words = [&["upgrade"][..], arguments].concat();
        run(self.sandbox.command(&words).current_dir(&self.root))
    }

    /// The report of `aos context` on the template.
    fn context(&self, is_anew: bool) -> Value {
        let home = self.sandbox.home().join(if is_anew { "other" } else { ".aos" });
        let mut command = self.sandbox.command(&["context"]);
        run(command.current_dir(&self.root).env("AOS_HOME", home)).json()["data"]["project"]["template"].clone()
    }

    /// The same call by an aos that remembers nothing.
    fn anew(&self, arguments: &[&str]) -> Answer {
        let words = [&["upgrade"][..], arguments].concat();
        let other = self.sandbox.home().join("other");
        let _ = std::fs::remove_dir_all(&other);
        run(self.sandbox.command(&words).current_dir(&self.root).env("AOS_HOME", other))
    }
}

/// An answer without what differs between two calls: its time, and the tokens in it.
fn comparable(answer: &Answer) -> (Option<i32>, Value) {
    let mut pieces = answer.stdout.split("ct_");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let is_of_token = |symbol: char| symbol.is_ascii_hexdigit() || symbol == '_';
        text.push_str(piece.trim_start_matches(is_of_token));
    }
    let mut value: Value = serde_json::from_str(&text).expect("JSON");
    value["meta"] = Value::Null;
    for place in ["/data/expires_at", "/error/details/expires_at"] {
        if let Some(place) = value.pointer_mut(place) {
            *place = Value::Null;
        }
    }
    (answer.exit, value)
}

fn put_back(root: &Path, files: &std::collections::BTreeMap<String, (Vec<u8>, bool)>) {
    std::fs::remove_dir_all(root).unwrap();
    for (path, (bytes, executable)) in files {
        let place = root.join(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(&place, bytes).unwrap();
        set_executable(&place, *executable);
    }
}

#[cfg(unix)]
fn set_executable(place: &Path, executable: bool) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = if executable { 0o755 } else { 0o644 };
    std::fs::set_permissions(place, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(not(unix))]
fn set_executable(_place: &Path, _executable: bool) {}

type Change = (&'static str, fn(&Path));

fn append(place: &Path, text: &str) {
    let mut bytes = std::fs::read(place).unwrap();
    bytes.extend_from_slice(text.as_bytes());
    std::fs::write(place, bytes).unwrap();
}

fn replace(place: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(place).unwrap();
    assert!(text.contains(from), "{} has no {from}", place.display());
    std::fs::write(place, text.replace(from, to)).unwrap();
}

/// Changes of a project between two upgrades.
const CHANGES: &[Change] = &[
    ("nothing", |_| {}),
    ("an edited file of the user", |root| append(&root.join("README.md"), "mine\n")),
    ("a deleted file of the user", |root| std::fs::remove_file(root.join("README.md")).unwrap()),
    ("a file with other line ends", |root| replace(&root.join("README.md"), "\n", "\r\n")),
    ("a file with mixed line ends", |root| {
        replace(&root.join("README.md"), "\n## ", "\r\n## ");
    }),
    ("a file without its last line end", |root| {
        let text = std::fs::read_to_string(root.join("README.md")).unwrap();
        std::fs::write(root.join("README.md"), text.trim_end()).unwrap();
    }),
    ("another mode", |root| set_executable(&root.join("README.md"), true)),
    ("a directory in place of a file", |root| {
        std::fs::remove_file(root.join("README.md")).unwrap();
        std::fs::create_dir(root.join("README.md")).unwrap();
    }),
    ("a file that is nobody's", |root| std::fs::write(root.join("mine.txt"), "mine").unwrap()),
    ("an edited file of aos", |root| append(&root.join(".agent/AUGMENTOR-SPEC.md"), "mine\n")),
    ("a deleted file of aos", |root| {
        std::fs::remove_file(root.join("src/notes/contract_gen.py")).unwrap();
    }),
    ("another mode of a file of aos", |root| {
        set_executable(&root.join("contract/contract.json"), true);
    }),
    ("another answer", |root| {
        replace(&root.join("aos.toml"), "year = \"2026\"", "year = \"2025\"")
    }),
    ("another aos", |root| replace(&root.join("aos.toml"), "aos = \"", "aos = \"0.0.1-")),
    ("another version of the template", |root| {
        replace(&root.join("aos.toml"), "version = \"1.0.0\"", "version = \"9.0.0\"");
    }),
    ("a comment in the record", |root| append(&root.join("aos.toml"), "# mine\n")),
    ("a record that cannot be read", |root| append(&root.join("aos.toml"), "[[")),
    ("another pin", |root| replace(&root.join(".agent/SPEC_VERSION"), "v1.1.0", "v1.0.0")),
    ("another lock", |root| append(&root.join(".agent/spec.lock"), "# mine\n")),
    ("no lock", |root| std::fs::remove_file(root.join(".agent/spec.lock")).unwrap()),
];

#[test]
fn every_change_since_the_last_upgrade_is_noticed() {
    let settled = Settled::new();
    let files = tree(&settled.root);
    for (name, change) in CHANGES {
        change(&settled.root);
        let context = [false, true].map(|is_anew| settled.context(is_anew));
        assert_eq!(context[0], context[1], "{name}");
        let remembering = comparable(&settled.upgrade(&[]));
        let after = tree(&settled.root);
        put_back(&settled.root, &files);
        change(&settled.root);
        let anew = comparable(&settled.anew(&[]));
        assert_eq!(remembering, anew, "{name}");
        assert_eq!(after, tree(&settled.root), "{name}");
        put_back(&settled.root, &files);
        // Whatever the call above did, the next one remembers this project again.
        assert_eq!(settled.upgrade(&[]).data()["status"], "unchanged", "{name}");
    }
}

#[test]
fn options_never_use_remembered_results() {
    let settled = Settled::new();
    append(&settled.root.join("README.md"), "mine\n");
    std::fs::remove_file(settled.root.join("LICENSE")).unwrap();
    for arguments in [
        &["--set", "year=2020"][..],
        &["--heal", "README.md"],
        &["--restore", "LICENSE"],
        &["--restore", "README.md"],
        &["--spec", "v1.0.0"],
        &["--dry-run"],
        &["--abort"],
        &["--diff"],
        &["--confirm", "x"],
    ] {
        let files = tree(&settled.root);
        let remembering = comparable(&settled.upgrade(arguments));
        put_back(&settled.root, &files);
        let anew = comparable(&settled.anew(arguments));
        put_back(&settled.root, &files);
        assert_eq!(remembering, anew, "{arguments:?}");
    }
}

#[test]
fn remembered_digests_can_be_damaged_or_missing() {
    let settled = Settled::new();
    let directory = settled.sandbox.home().join(".aos/settled");
    let place = std::fs::read_dir(&directory).unwrap().next().unwrap().unwrap().path();
    let good = std::fs::read(&place).unwrap();
    let text = String::from_utf8(good.clone()).unwrap();
    append(&settled.root.join("README.md"), "mine\n");
    let expected = comparable(&settled.anew(&[]));
    for bytes in [
        Vec::new(),
        b"aos settled 2\n".to_vec(),
        good[..good.len() / 2].to_vec(),
        good[..good.len() - 1].to_vec(),
        text.replace("README.md", "../README.md").into_bytes(),
        vec![0xff; 100],
        good,
    ] {
        std::fs::write(&place, &bytes).unwrap();
        assert_eq!(comparable(&settled.upgrade(&[])), expected);
    }
    std::fs::remove_dir_all(&directory).unwrap();
    std::fs::write(&directory, "a file").unwrap();
    assert_eq!(comparable(&settled.upgrade(&[])), expected);
}
