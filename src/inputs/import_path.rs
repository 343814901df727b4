//! Directories that the settings and scripts of a project put on the import path of Python.
//!
//! It reads texts and asks which directories exist; it judges nothing.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use regex::Regex;

use crate::contract::ProjectFiles;
use crate::contract::repository::SourceFile;
use crate::system::files::{self, Kind};

/// Most directories that are named in one project.
const MAX_NAMED: usize = 64;
/// Most files of paths of one virtual environment, and the largest of them in bytes.
const MAX_PATH_FILES: usize = 200;
pub const MAX_PATH_FILE: u64 = 64 * 1024;
/// Usual names of virtual environments; others have a file of settings.
const ENVIRONMENTS: [&str; 3] = [".venv", "venv", "env"];
/// Words of which each setting of the import path has one.
static WORDS: LazyLock<[Finder<'static>; 4]> =
    LazyLock::new(|| ["PYTHONPATH", "pythonpath", "sys.path", "addsitedir"].map(Finder::new));

/// The value of the variable, in a script, in a list of variables or in a call.
static VARIABLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"PYTHONPATH["'\]]*[ \t]*(?:\+?=|:=|\?=|:|,|[ \t])[ \t]*["'(]*([^ \t\r\n"'`#&|]+)"#)
        .ok()
});
/// The setting of pytest: a list, or words on lines that are indented.
static SETTING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m)^[ \t]*pythonpath[ \t]*=[ \t]*(\[[^\]]*\]|[^\n]*(?:\n[ \t]+[^\n]+)*)").ok()
});
/// A statement of Python that changes the list, up to the end of its line.
static STATEMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?m)^([^#\n]*)(?:sys\.path[ \t]*(?:\[[^\]\n]*\][ \t]*=|\+?=[^=]|\.[ \t]*(?:insert|append|extend)[ \t]*\()|addsitedir[ \t]*\()([^\n]*)",
    )
    .ok()
});
static QUOTED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#""([^"\n]*)"|'([^'\n]*)'"#).ok());
static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[A-Za-z_][A-Za-z0-9_]*").ok());

/// Directories below `root` that are on the import path, relative to it, without the root itself.
#[must_use]
pub fn directories(root: &Path, repository: &ProjectFiles) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (path, file) in repository.files.iter().chain(&repository.ignored) {
        for (base, target) in named(path, file) {
            let Some(directory) = normal(&base, &target).filter(|place| !place.is_empty()) else {
                continue;
            };
            let is_directory = files::kind(&root.join(&directory))
                .is_ok_and(|kind| matches!(kind, Kind::Directory));
            if is_directory && found.len() < MAX_NAMED {
                found.insert(directory);
            }
        }
    }
    found.extend(from_environments(root, repository));
    found
}

/// Paths that one file names, with each directory that they can be relative to.
fn named(path: &str, file: &SourceFile) -> Vec<(String, String)> {
    let Some(text) = file.bytes.text() else { return Vec::new() };
    if path.ends_with(".md") || !WORDS.iter().any(|word| word.find(text.as_bytes()).is_some()) {
        return Vec::new();
    }
    let targets = targets(text);
    let mut directory = path.rsplit_once('/').map_or("", |(above, _)| above);
    let mut named = Vec::new();
    loop {
        named.extend(targets.iter().map(|target| (directory.to_owned(), target.clone())));
        if directory.is_empty() {
            return named;
        }
        directory = directory.rsplit_once('/').map_or("", |(above, _)| above);
    }
}

/// Every path that a text puts on the import path.
fn targets(text: &str) -> Vec<String> {
    let mut targets = Vec::new();
    for captures in VARIABLE.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let value = captures.get(1).map_or("", |value| value.as_str());
        targets.extend(value.split([':', ';', ',']).map(plain));
    }
    for captures in SETTING.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let value = captures.get(1).map_or("", |value| value.as_str());
        let words = value.split(|letter: char| letter.is_whitespace() || "[]\"',".contains(letter));
        targets.extend(words.map(plain));
    }
    for captures in STATEMENT.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let value = captures.get(2).map_or("", |value| value.as_str());
        targets.extend(in_python(value, text));
    }
    targets.retain(|target| !target.is_empty());
    targets.into_iter().flat_map(in_image).collect()
}

/// A path, or what an absolute one can be below the directory that an image has the project in.
fn in_image(path: String) -> Vec<String> {
    match path.strip_prefix('/') {
        None => vec![path],
        Some(inner) => {
            let ends = inner.match_indices('/').map(|(at, _)| &inner[at + 1..]);
            std::iter::once(inner).chain(ends).map(str::to_owned).collect()
        }
    }
}

/// Paths in an expression of Python: each string, all of them joined, and those in values of the names.
fn in_python(expression: &str, text: &str) -> Vec<String> {
    let mut paths = strings(expression);
    for name in NAME.iter().flat_map(|pattern| pattern.find_iter(expression)).take(8) {
        let assigned =
            format!(r"(?m)^[ \t]*{}[ \t]*(?::[^=\n]*)?=[ \t]*([^=\n][^\n]*)", name.as_str());
        let Ok(assigned) = Regex::new(&assigned) else { continue };
        for captures in assigned.captures_iter(text).take(4) {
            paths.extend(strings(captures.get(1).map_or("", |value| value.as_str())));
        }
    }
    paths
}

fn strings(expression: &str) -> Vec<String> {
    let quoted = QUOTED.iter().flat_map(|pattern| pattern.captures_iter(expression));
    let mut parts: Vec<String> = quoted
        .filter_map(|captures| captures.get(1).or_else(|| captures.get(2)))
        .map(|part| plain(part.as_str()))
        .collect();
    if parts.len() > 1 {
        parts.push(parts.join("/"));
    }
    parts
}

/// A path without a leading variable, which is a directory of the project.
fn plain(path: &str) -> String {
    let path = path.trim_matches(['"', '\'', '[', ' ']).trim_end_matches([')', '}', ']']);
    let path = path.replace('\\', "/");
    let is_variable = path.starts_with(['$', '%', '{', '~']);
    let inner = match path.split_once('/') {
        Some((_, inner)) if is_variable => inner,
        None if is_variable => "",
        _ => &path,
    };
    inner.trim_end_matches('/').to_owned()
}

/// `target` from `base`, when that is below the root.
fn normal(base: &str, target: &str) -> Option<String> {
    if target.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Directories of the project that the path files of its virtual environments name.
fn from_environments(root: &Path, repository: &ProjectFiles) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let Ok(top) = files::canonical(root) else { return found };
    for place in site_packages(root, repository) {
        found.extend(path_lines(&root.join(place)).iter().filter_map(|line| {
            let place = files::canonical(Path::new(line)).ok()?;
            let inner = place.strip_prefix(&top).ok()?.to_str()?;
            (!inner.is_empty()).then(|| inner.replace(std::path::MAIN_SEPARATOR, "/"))
        }));
    }
    found
}

/// Directories of installed packages in the virtual environments of a project, relative to `root`.
#[must_use]
pub fn site_packages(root: &Path, repository: &ProjectFiles) -> Vec<String> {
    let is_file =
        |path: &Path| files::kind(path).is_ok_and(|kind| matches!(kind, Kind::File { .. }));
    let directories = repository.names.iter().filter(|(above, _)| above.matches('/').count() < 2);
    let mut places = Vec::new();
    for (above, names) in directories {
        let join = |name: &String| match above.as_str() {
            "" => name.clone(),
            above => format!("{above}/{name}"),
        };
        let environments = names.iter().map(join);
        let is_environment = |place: &String| {
            let name = place.rsplit('/').next().unwrap_or(place);
            ENVIRONMENTS.contains(&name) || is_file(&root.join(place).join("pyvenv.cfg"))
        };
        for environment in environments.filter(is_environment) {
            places.push(format!("{environment}/Lib/site-packages"));
            for library in ["lib", "lib64"].map(|name| format!("{environment}/{name}")) {
                let versions = files::names(&root.join(&library)).unwrap_or_default();
                let versions = versions.iter().filter_map(|name| name.to_str()).take(8);
                places.extend(versions.map(|version| format!("{library}/{version}/site-packages")));
            }
        }
    }
    places
}

/// Lines of the path files in a directory of installed packages.
fn path_lines(place: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let of_paths = files::names(place).unwrap_or_default().into_iter().filter(|name| {
        Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pth"))
    });
    for name in of_paths.take(MAX_PATH_FILES) {
        let Ok(loaded) = files::read(&place.join(name), MAX_PATH_FILE) else { continue };
        let text = String::from_utf8_lossy(&loaded.bytes).into_owned();
        let paths = text.lines().map(str::trim).filter(|line| {
            !line.is_empty() && !line.starts_with('#') && !line.starts_with("import ")
        });
        lines.extend(paths.map(|line| place.join(line).to_string_lossy().into_owned()));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_of_the_import_path_is_read() {
        for (text, expected) in [
            ("PYTHONPATH=alt python3 -m x\n", "alt"),
            ("export PYTHONPATH=\"$PWD/alt:$PYTHONPATH\"\n", "alt"),
            ("PYTHONPATH=.:${ROOT}/a/alt\n", "a/alt"),
            ("ENV PYTHONPATH /app/alt\n", "alt"),
            ("env:\n  PYTHONPATH: ./alt\n", "./alt"),
            ("{\"env\": {\"PYTHONPATH\": \"alt\"}}", "alt"),
            ("os.environ[\"PYTHONPATH\"] = \"alt\"\n", "alt"),
            ("setdefault('PYTHONPATH', 'alt')\n", "alt"),
            ("PYTHONPATH := alt\n", "alt"),
            ("[tool.pytest.ini_options]\npythonpath = [\"src\", \"alt\"]\n", "alt"),
            ("[pytest]\npythonpath =\n    src\n    alt\n", "alt"),
            ("[pytest]\npythonpath = src alt\n", "alt"),
            ("import sys\nsys.path.insert(0, 'alt')\n", "alt"),
            ("sys.path.insert(0, os.path.join(here, '..', 'alt'))\n", "../alt"),
            ("sys.path[:0] = [str(ROOT / 'alt')]\n", "alt"),
            ("sys.path = ['alt'] + sys.path\n", "alt"),
            ("alt = ROOT / 'a' / 'alt'\nsys.path.append(str(alt))\n", "a/alt"),
            ("site.addsitedir('alt')\n", "alt"),
        ] {
            let found = targets(text);
            assert!(found.iter().any(|target| target == expected), "{text}: {found:?}");
        }
        for text in [
            "if 'alt' in sys.path: pass\n",
            "# sys.path.insert(0, 'alt')\n",
            "print(sys.path)\n",
            "my_pythonpath_doc = 1\n",
        ] {
            assert_eq!(targets(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_path_is_below_the_root_or_nothing() {
        for (base, target, expected) in [
            ("", "alt", Some("alt")),
            ("a/b", "../alt", Some("a/alt")),
            ("a", "./c//d/", Some("a/c/d")),
            ("", "../alt", None),
            ("", "/alt", None),
        ] {
            assert_eq!(normal(base, target).as_deref(), expected, "{base} {target}");
        }
    }
}
