//! Files that Python imports in place of a module of its standard library, or of a library, that generated and vendored
//! code uses: `types.py` or `json/__init__.py` in a directory that comes first on the import path.
//!
//! A file of such a name inside a package is imported under the name of the package, so it replaces nothing.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::contract::Finding;
use crate::contract::repository::is_below;
use crate::inputs::import_path;

use super::super::pattern::regex;
use super::super::scripts::is_script;
use super::loaded::{PythonText, is_test};
use crate::audit::shadow::module::{GeneratedModule, join, line};

/// Modules that are part of the interpreter, so no file replaces them, are not in the list; nor are those that no
/// module of a tool leads to.
const LIBRARY: &str = "\
    __future__ _android_support _apple_support _asyncio _bisect _blake2 _bz2 _codecs_cn _codecs_hk _codecs_iso2022 \
    _codecs_jp _codecs_kr _codecs_tw _collections_abc _colorize _compat_pickle _compression _contextvars _csv \
    _ctypes _datetime _decimal _elementtree _hashlib _heapq _interpreters _ios_support _json _lzma _markupbase _md5 \
    _multibytecodec _multiprocessing _opcode _opcode_metadata _osx_support _pickle _posixshmem _posixsubprocess \
    _py_abc _pydatetime _pydecimal _pyio _pylong _pyrepl _queue _random _sha1 _sha2 _sha256 _sha3 _sha512 \
    _sitebuiltins _socket _ssl _statistics _strptime _struct _sysconfig _threading_local _typing _uuid _weakrefset \
    _zoneinfo abc annotationlib argparse array ast asyncio base64 bdb binascii bisect bz2 calendar cgi codecs \
    collections compression concurrent configparser contextlib contextvars copy copyreg csv ctypes dataclasses \
    datetime decimal difflib dis distutils doctest email encodings enum fcntl fnmatch fractions ftplib functools \
    genericpath getopt getpass gettext glob grp gzip hashlib heapq hmac html http imp importlib inspect io ipaddress \
    json keyword linecache locale logging lzma math mimetypes mmap msvcrt multiprocessing netrc ntpath nturl2path \
    numbers opcode operator optparse os pathlib pdb pickle pkgutil platform plistlib posixpath pprint py_compile \
    pydoc pyexpat queue quopri random re readline reprlib runpy secrets select selectors shlex shutil signal site \
    smtplib socket socketserver sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct \
    subprocess sysconfig tarfile tempfile termios textwrap threading token tokenize tomllib traceback tracemalloc \
    tty types typing unicodedata unittest urllib uuid warnings weakref webbrowser xml xmlrpc zipfile zipimport zlib \
    zoneinfo";
/// Endings of the files that Python imports as a module.
const ENDINGS: [&str; 7] = ["py", "pyw", "pyc", "so", "pyd", "dll", "dylib"];

/// Whether the standard library has a module `name` that a tool can need.
#[must_use]
pub fn is_library(name: &str) -> bool {
    static NAMES: LazyLock<BTreeSet<&str>> = LazyLock::new(|| LIBRARY.split(' ').collect());
    NAMES.contains(name)
}

/// Every file in a place before the standard library that has the name of a module which the tool needs.
pub fn replaced(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    let repository = module.repository;
    let mentioned = mentioned(module);
    let paths = repository.files.keys().chain(repository.ignored.keys());
    let unreadable = repository.unreadable.iter().map(|(path, _)| path);
    let candidates: Vec<_> = paths
        .chain(unreadable)
        .filter(|path| path.rsplit('/').next().is_some_and(|name| name.contains('.')))
        .chain(&repository.symlinks)
        .filter_map(|path| Some((path.as_str(), module_at(path)?)))
        .filter(|(_, (_, name))| {
            is_library(name) || mentioned.contains(name) && !is_own_package(module, name)
        })
        .collect();
    if candidates.is_empty() {
        return;
    }
    let is_exact = candidates.iter().all(|(_, (_, name))| is_library(name));
    let libraries = if is_exact { BTreeSet::new() } else { libraries(module) };
    let search = SearchPath::of(module);
    for (path, (directory, name)) in candidates {
        if !is_library(name) && !libraries.contains(name) {
            continue;
        }
        // The package itself is imported by its name.
        if name != search.name && search.has(module, directory) {
            let why = format!(
                "Python imports this file instead of the module `{name}`, which is used by"
            );
            found.push(module.shadowed(path, &why));
        }
    }
}

/// Names that files of aos may import, read from lines; a text or a comment can add a name, and no import is missing.
///
/// Lines are much cheaper than tokens, which are only needed if a file has such a name.
fn mentioned<'a>(module: &GeneratedModule<'a>) -> BTreeSet<&'a str> {
    let ours = module.ours.iter().filter(|path| path.ends_with(".py"));
    let mut names = BTreeSet::new();
    for text in ours.filter_map(|path| module.repository.text(path)) {
        for at in memchr::memmem::find_iter(text.as_bytes(), "import") {
            let mut start = text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
            while text[..start].trim_end_matches(['\n', '\r']).ends_with('\\') {
                start = text[..start - 1].rfind(['\n', '\r']).map_or(0, |end| end + 1);
            }
            let end = text[at..].find(['\n', '\r']).map_or(text.len(), |end| at + end);
            names_of(text[start..end].trim_start(), &mut names);
        }
    }
    names
}

/// The first names that a line with `import` imports, in each of its statements.
fn names_of<'t>(line: &'t str, names: &mut BTreeSet<&'t str>) {
    let is_outside = |symbol: char| !symbol.is_alphanumeric() && symbol != '_';
    // The other half of a joined line is on another line.
    if line.contains('\\') {
        names.extend(line.split(is_outside));
        return;
    }
    for statement in line.split([';', ':']).map(str::trim_start) {
        if let Some(origin) = statement.strip_prefix("from ") {
            names.extend(origin.trim_start().split(is_outside).next());
        } else if let Some(modules) = statement.strip_prefix("import ") {
            let first = |module: &'t str| module.trim_start().split(is_outside).next();
            names.extend(modules.split(',').filter_map(first));
        }
    }
}

/// First names of the modules that files of aos import.
fn libraries<'a>(module: &GeneratedModule<'a>) -> BTreeSet<&'a str> {
    let mut libraries = BTreeSet::new();
    for path in module.ours.iter().filter(|path| path.ends_with(".py")) {
        let Some(text) = module.repository.text(path) else { continue };
        for import in &PythonText::of(path, text).imports {
            let whole = if import.origin.is_empty() { &import.name } else { &import.origin };
            let first = whole.split('.').next().unwrap_or_default();
            let is_own = is_own_package(module, first);
            libraries.extend(
                text.find(first)
                    .filter(|_| !first.is_empty() && !is_own)
                    .map(|at| &text[at..at + first.len()]),
            );
        }
    }
    libraries
}

/// Whether `name` is a package that the project has on purpose: the one of the module, or one beside it.
fn is_own_package(module: &GeneratedModule<'_>, name: &str) -> bool {
    module.directory.split('/').any(|part| part == name) || name == module.stem
}

/// Settings that give Python another standard library.
pub fn homes(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    let Ok(home) =
        regex(r#"\bPYTHONHOME["'\]]*[ \t]*(?:\??=|:=|:|,|[ \t])[ \t]*["'(]*([^\s"'`;&|#]+)"#)
    else {
        return;
    };
    for (path, text) in module.others(&[""]) {
        if !text.contains("PYTHONHOME") || !is_script(module, path) || is_test(path) {
            continue;
        }
        // An installed Python has a path of the machine.
        let own = home.captures_iter(text).find(|captures| {
            let value = &captures[1];
            let is_installed = value.starts_with('/') || value.starts_with("$(") || value == "None";
            !is_installed
        });
        if let Some(at) = own.and_then(|captures| captures.get(0)) {
            let mut finding =
                module.shadowed(path, "it gives Python another standard library, which is used by");
            finding.line = Some(line(text, at.start()));
            found.push(finding);
        }
    }
}

/// The directory of the import path in which a file is a module, and the name of that module.
fn module_at(path: &str) -> Option<(&str, &str)> {
    let (directory, file) = path.rsplit_once('/').unwrap_or(("", path));
    let mut parts = file.split('.');
    let stem = parts.next()?;
    match parts.next_back() {
        // A link without an ending can be a package.
        None => Some((directory, stem)),
        Some(ending) if !ENDINGS.contains(&ending) => None,
        Some(_) if stem == "__init__" => {
            Some(directory.rsplit_once('/').unwrap_or(("", directory)))
        }
        Some(_) => Some((directory, stem)),
    }
}

/// Where Python looks before it takes its own modules.
struct SearchPath<'a> {
    /// The directory of the outermost package that contains the module.
    start: &'a str,
    /// The name of that package; the one of the module when it is in no package.
    name: &'a str,
    /// Directories that settings and scripts name.
    named: BTreeSet<String>,
    beside: Vec<&'a str>,
}

impl<'a> SearchPath<'a> {
    fn of(module: &GeneratedModule<'a>) -> Self {
        let is_package = |directory: &str| is_package(module, directory);
        let mut start = module.directory;
        let mut name = module.stem;
        while is_package(start) && !start.is_empty() {
            (start, name) = start.rsplit_once('/').unwrap_or(("", start));
        }
        let named = import_path::directories(module.root, module.repository);
        Self { start, name, named, beside: module.projects_beside() }
    }

    /// Whether a module in `directory` is found by its own name, before the one of Python.
    fn has(&self, module: &GeneratedModule<'_>, directory: &str) -> bool {
        if self.beside.iter().any(|project| *project == directory || is_below(directory, project)) {
            return false;
        }
        let is_above =
            directory.is_empty() || directory == self.start || is_below(self.start, directory);
        if is_above && !is_package(module, directory) || self.named.contains(directory) {
            return true;
        }
        match is_package(module, directory) {
            false => self.starts_here(module, directory),
            true => is_started(module, directory),
        }
    }

    /// Whether Python is started with a file of `directory` that uses the package: a script, or tests.
    fn starts_here(&self, module: &GeneratedModule<'_>, directory: &str) -> bool {
        let names = format!(r"\b(?:{}|{})\b", regex::escape(self.name), regex::escape(module.stem));
        let Ok(names) = regex(&names) else { return true };
        module.others(&[""]).any(|(path, text)| {
            let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
            let is_python = name.ends_with(".py") || !name.contains('.') && text.starts_with("#!");
            above == directory && is_python && (is_test(path) || names.is_match(text))
        })
    }
}

fn is_package(module: &GeneratedModule<'_>, directory: &str) -> bool {
    module.repository.holds(&join(directory, "__init__.py"))
}

/// Whether a file of the package in `directory` is started as a script: then the directory itself comes first.
fn is_started(module: &GeneratedModule<'_>, directory: &str) -> bool {
    let inside: Vec<(&str, &str)> = module
        .others(&[".py", ".pyw"])
        .filter(|(path, _)| path.rsplit_once('/').map_or("", |(above, _)| above) == directory)
        .collect();
    if inside.iter().any(|(_, text)| text.starts_with("#!")) {
        return true;
    }
    let last = directory.rsplit('/').next().unwrap_or_default();
    let Ok(started) = regex(&format!(
        r#"(?m)\bpython[\w.]*["',]*[ \t]+(?:["']?-[A-Zabd-ln-z]+["',]*[ \t]+)*["']?[^\s"';&|]*\b{}(?:/[\w-]+\.pyw?\b|/?["']?(?:[ \t;&|)]|$))"#,
        regex::escape(last)
    )) else {
        return false;
    };
    module.others(&[""]).any(|(path, text)| {
        text.contains("python") && is_script(module, path) && started.is_match(text)
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::audit::shadow::module::project;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let own = [
            ("h/p/__init__.py", ""),
            ("h/p/contract_gen.py", "from types import MappingProxyType\n"),
            ("h/p/_runtime/cli.py", "import click\nfrom p.a import b\n"),
        ];
        let repository = project(own.iter().chain(files).copied());
        let ours = BTreeSet::from(["h/p/contract_gen.py", "h/p/_runtime/cli.py"]);
        let path = "h/p/contract_gen.py";
        let module = GeneratedModule::at(Path::new("/nowhere"), &repository, path, &ours);
        let mut found = Vec::new();
        replaced(&module, &mut found);
        found.into_iter().map(|finding| finding.path).collect()
    }

    #[test]
    fn a_module_in_place_of_the_standard_library_is_found_where_python_looks_first() {
        for (path, more) in [
            ("h/types.py", None),
            ("h/json/__init__.py", None),
            ("h/enum.pyc", None),
            ("h/_json.cpython-311-x86_64-linux-gnu.so", None),
            ("dataclasses.py", None),
            ("h/click.py", None),
            ("h/click/__init__.py", None),
            ("tools/types.py", Some(("tools/run.py", "from p import main\n"))),
            ("h/tests/types.py", Some(("h/tests/conftest.py", ""))),
            ("h/p/types.py", Some(("run.sh", "exec python3 -B h/p/start.py \"$@\"\n"))),
            ("h/p/types.py", Some(("run.sh", "exec python3 h/p \"$@\"\n"))),
            ("h/p/types.py", Some(("h/p/start.py", "#!/usr/bin/env python3\n"))),
        ] {
            let mut files = vec![(path, "")];
            files.extend(more);
            assert_eq!(found(&files), [path], "{path}");
        }
    }

    #[test]
    fn a_home_of_python_in_the_project_is_found() {
        let found = |text: &str| {
            let repository = project([("run.sh", text)]);
            let none = BTreeSet::new();
            let module =
                GeneratedModule::at(Path::new("/nowhere"), &repository, "p/contract_gen.py", &none);
            let mut found = Vec::new();
            homes(&module, &mut found);
            found.len()
        };
        for text in ["PYTHONHOME=./py python3 -m p\n", "export PYTHONHOME=\"$PWD/py\"\n"] {
            assert_eq!(found(text), 1, "{text}");
        }
        for text in ["PYTHONHOME=/usr/lib python3\n", "unset PYTHONHOME\n", "x=1\n"] {
            assert_eq!(found(text), 0, "{text}");
        }
    }

    #[test]
    fn modules_of_a_package_and_other_names_replace_nothing() {
        for (path, more) in [
            ("h/p/types.py", None),
            ("h/p/types.py", Some(("run.sh", "exec python3 -m p\n"))),
            ("h/p/types.py", Some(("run.sh", "python3 -m compileall h/p\n"))),
            ("h/p/json/__init__.py", None),
            ("h/types/notes.md", None),
            ("h/json/data.json", None),
            ("h/code.py", None),
            ("h/p.py", None),
            ("h/config.py", None),
            ("h/types.pyi", None),
            ("docs/types.py", Some(("docs/conf.py", "project = 1\n"))),
        ] {
            let mut files = vec![(path, "")];
            files.extend(more);
            assert_eq!(found(&files), [""; 0], "{path}");
        }
    }
}
