//! Python: packages, extension modules and bytecode that are imported first, and code that changes the module.

mod altered;
mod bytecode;
mod changes;
mod commands;
mod computed;
mod environments;
mod executed;
mod hooks;
pub mod imports;
mod known;
mod library;
mod listed;
pub(super) mod loaded;
mod packaging;
mod patched;
mod rebinding;
mod scope;
pub mod statements;
mod targets;
pub mod tokens;
mod uses;

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::Finding;
use crate::contract::remembered::Remembered;
use crate::contract::repository::is_below;
use crate::generate::record::Record;
use crate::plan::RelativePath;
use crate::system::files::Kind;

use self::loaded::PythonText;
use self::uses::{Guarded, ModuleNames};

use super::module::{GeneratedModule, join, line};

/// Modules that Python runs or reads before any module of the tool.
const AT_START: &[&str] = &["sitecustomize", "usercustomize"];

/// Everything that Python would load in place of the module, and every source that changes it.
pub(super) fn check(module: &GeneratedModule<'_>, record: &Record, found: &mut Vec<Finding>) {
    places(module, found);
    library::replaced(module, found);
    library::homes(module, found);
    packaging::mapped(module, found);
    commands::check(module, found);
    environments::check(module, found);
    let texts = loaded::texts(module);
    let used = loaded::loaded(module, &texts);
    changes::sources(module, &texts, &used, found);
    let sources = sources_of(&texts, &used);
    executed::check(module, &sources, &texts, found);
    uses(module, record, &sources, &texts, found);
    runtime_uses(module, record, &sources, &texts, found);
}

/// Files that the import system prefers to the module.
pub(super) fn places(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    for name in module.siblings() {
        let path = module.beside(&name);
        let is_binary =
            matches!(ending(&name), "so" | "pyd" | "dll" | "dylib" | "sl" | "pyc" | "pyo");
        if name.starts_with("__init__.") && is_binary {
            found.push(module.shadowed(&path, "Python loads this file for the package of"));
        }
        if name == module.stem && module.kind(&path) != Kind::Absent {
            found.push(module.shadowed(&path, "Python imports this package instead of"));
        }
        let ending = name.strip_prefix(module.stem).and_then(|rest| rest.strip_prefix('.'));
        let Some(ending) = ending.filter(|_| name != module.file_name) else { continue };
        let kind = ending.rsplit('.').next().unwrap_or(ending);
        if matches!(kind, "so" | "pyd" | "dll" | "dylib" | "sl") {
            found.push(module.shadowed(&path, "Python imports this extension instead of"));
        } else if matches!(kind, "pyc" | "pyo" | "pyw" | "pyx") {
            found.push(module.shadowed(&path, "this file may be imported instead of"));
        }
    }
    bytecode::check(module, found);
    elsewhere(module, found);
}

/// The package under another directory, and files that Python runs at its start.
fn elsewhere(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    let package = module.directory.rsplit('/').next().unwrap_or_default();
    let repository = module.repository;
    let links = repository.symlinks.iter().map(String::as_str);
    let unreadable = repository.unreadable.iter().map(|(path, _)| path.as_str());
    let files = repository.files.keys().chain(repository.ignored.keys()).map(String::as_str);
    let beside = module.projects_beside();
    let is_beside = |path: &str| beside.iter().any(|project| is_below(path, project));
    for path in files.chain(links).chain(unreadable).filter(|path| !is_beside(path)) {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.split('.').next().unwrap_or(name);
        let is_code = [".py", ".pyc", ".so", ".pyd"].iter().any(|ending| name.ends_with(ending));
        let start_package = stem == "__init__"
            && AT_START.contains(&directory.rsplit('/').next().unwrap_or_default());
        let at_start =
            AT_START.contains(&stem) && (is_code || name == stem) || is_code && start_package;
        if at_start || name.ends_with(".pth") || name.ends_with("._pth") {
            found.push(
                module.shadowed(path, "Python reads this file at startup, and it can replace"),
            );
        }
        let is_package = !package.is_empty()
            && directory != module.directory
            && directory.rsplit('/').next() == Some(package)
            && module.repository.files.contains_key(&module.beside("__init__.py"));
        if is_module_of_that_name(module, package, directory, stem) && is_code {
            found.push(
                module.shadowed(path, "this module has the name of the package that contains"),
            );
        }
        if is_package && is_code && (stem == "__init__" || stem == module.stem) {
            found.push(
                module.shadowed(path, "this package has the name of the package that contains"),
            );
        }
    }
}

/// True if a file in a directory that Python is usually started from, or installed from, has the name of the package.
/// In the directory of the package itself the package comes first.
fn is_module_of_that_name(
    module: &GeneratedModule<'_>,
    package: &str,
    directory: &str,
    stem: &str,
) -> bool {
    if package.is_empty() || stem != package {
        return false;
    }
    let parent = module.directory.rsplit_once('/').map_or("", |(above, _)| above);
    let above = ["src", "lib"].iter().find_map(|name| directory.strip_suffix(name));
    let start = above.map_or(directory, |above| above.trim_end_matches('/'));
    let is_above = start.is_empty() || is_below(module.directory, start);
    directory != parent
        && is_above
        && module.repository.files.contains_key(&module.beside("__init__.py"))
}

/// Code that does more with the module than to read its names, and code that changes how modules are found.
fn uses<'a>(
    module: &GeneratedModule<'a>,
    record: &Record,
    sources: &[PythonText<'a>],
    texts: &BTreeMap<&'a str, &'a str>,
    found: &mut Vec<Finding>,
) {
    let guarded = Guarded { package: None, stems: BTreeSet::from([module.stem.to_owned()]) };
    let every: Vec<_> = sources.iter().collect();
    for (path, at) in changes(&guarded, &every, &|path| !module.ours.contains(path)) {
        found.push(module.amended(path, texts[path], at));
    }
    let runtime = record.runtime.as_ref();
    for source in sources.iter().filter(|source| !module.ours.contains(source.path)) {
        // Those files are compared, and look at the modules of the tool.
        let is_compared = runtime
            .is_some_and(|runtime| is_below(source.path, runtime.path.as_str()))
            && !is_owned(record, source.path);
        if is_compared {
            continue;
        }
        let text = texts[source.path];
        let lasting = of_text(text, &ALTERED, || {
            altered::altered(source).or_else(|| patched::patched(source))
        });
        // A test may change what it likes until it ends.
        let passing = || of_text(text, &PATCHED, || patched::patched_for_a_while(source));
        if let Some(at) = lasting.or_else(|| passing().filter(|_| !loaded::is_test(source.path))) {
            let why = "it changes parts of Python, and with them values of";
            found.push(module.amended_by(source.path, text, at, why));
        }
        if let Some(at) = of_text(text, &HOOKED, || hooks::hook(source)) {
            let mut finding =
                module.shadowed(source.path, "it changes how modules are found, which can replace");
            finding.line = Some(line(texts[source.path], at));
            found.push(finding);
        }
    }
}

static ALTERED: Remembered<Option<usize>> = Remembered::new();
static PATCHED: Remembered<Option<usize>> = Remembered::new();
static HOOKED: Remembered<Option<usize>> = Remembered::new();

/// Returns the findings of `find`, or the remembered findings of a text that was judged before.
fn of_text(
    text: &str,
    known: &'static Remembered<Option<usize>>,
    find: impl Fn() -> Option<usize>,
) -> Option<usize> {
    known.of(text, |_| find()).unwrap_or_else(find)
}

/// Code outside the runtime that gives its modules other values.
fn runtime_uses<'a>(
    module: &GeneratedModule<'a>,
    record: &Record,
    sources: &[PythonText<'a>],
    texts: &BTreeMap<&'a str, &'a str>,
    found: &mut Vec<Finding>,
) {
    let Some(runtime) = &record.runtime else { return };
    let directory = runtime.path.as_str();
    let files = module.repository.files.keys().filter(|path| is_below(path, directory));
    let stems = files.filter_map(|path| {
        let inner = path.strip_prefix(directory)?.strip_prefix('/')?.strip_suffix(".py")?;
        let inner = inner.strip_suffix("/__init__").unwrap_or(inner);
        (inner != "__init__").then(|| inner.replace('/', "."))
    });
    let package = directory.rsplit('/').next();
    let guarded = Guarded { package, stems: stems.collect() };
    let is_judged = |path: &str| !is_below(path, directory) && !module.ours.contains(path);
    let outside: Vec<_> =
        sources.iter().filter(|source| !is_below(source.path, directory)).collect();
    for (path, at) in changes(&guarded, &outside, &is_judged) {
        let mut finding = module.amended(path, texts[path], at);
        finding.message = format!("it changes the runtime in `{directory}` while the tool runs");
        finding.fix =
            "do not change the runtime, or hand the part to the project with `aos runtime own PATH`"
                .to_owned();
        found.push(finding);
    }
    replaced(module, record, directory, found);
}

/// Files that Python imports in place of a module of the runtime; those that are committed are extra files already.
fn replaced(
    module: &GeneratedModule<'_>,
    record: &Record,
    directory: &str,
    found: &mut Vec<Finding>,
) {
    let files = module.repository.files.keys().filter(|path| is_below(path, directory));
    let mut stems: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for path in files.filter(|path| path.ends_with(".py")) {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        stems.entry(above).or_default().insert(name.trim_end_matches(".py"));
    }
    for (above, stems) in stems {
        for name in module.names(above) {
            let path = join(above, &name);
            let stem = name.split('.').next().unwrap_or(&name);
            let is_package = name == stem && !module.repository.files.contains_key(&path);
            let is_binary = matches!(ending(&name), "so" | "pyd" | "dll" | "dylib" | "sl");
            if stems.contains(stem) && (is_package || is_binary) && !is_owned(record, &path) {
                let mut finding = module.shadowed(&path, "Python imports it instead of");
                finding.message = format!("Python imports it instead of `{above}/{stem}.py`");
                found.push(finding);
            }
        }
    }
}

fn ending(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn is_owned(record: &Record, path: &str) -> bool {
    let section = record.runtime.as_ref();
    RelativePath::parse(path)
        .is_ok_and(|path| section.is_some_and(|section| section.owner(&path).is_some()))
}

fn sources_of<'a>(
    texts: &BTreeMap<&'a str, &'a str>,
    used: &BTreeSet<&'a str>,
) -> Vec<PythonText<'a>> {
    used.iter().filter_map(|path| Some(PythonText::of(path, texts.get(path)?))).collect()
}

/// Every place where a source that `is_judged` does more with a guarded module than to read it.
fn changes<'a>(
    guarded: &Guarded<'_>,
    sources: &[&PythonText<'a>],
    is_judged: &dyn Fn(&str) -> bool,
) -> Vec<(&'a str, usize)> {
    let mut names: Vec<ModuleNames> = sources.iter().map(|source| guarded.names(source)).collect();
    // A name can go from file to file.
    for _ in 0..8 {
        let mut all: BTreeMap<String, ModuleNames> = BTreeMap::new();
        for (source, own) in sources.iter().zip(&names) {
            let there = all.entry(source.module().to_owned()).or_default();
            there.modules.extend(own.modules.iter().cloned());
        }
        let mut is_new = false;
        for (source, own) in sources.iter().zip(&mut names) {
            is_new |= guarded.spread(source, &all, own);
        }
        if !is_new {
            break;
        }
    }
    let mut found = Vec::new();
    let judged = sources.iter().zip(&names).filter(|(source, _)| is_judged(source.path));
    for (source, own) in judged {
        // One for each file is enough to look at it.
        found.extend(guarded.changes(source, own).into_iter().min().map(|at| (source.path, at)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(package: Option<&str>, files: &[(&str, &str)]) -> Vec<String> {
        let stems: &[&str] =
            if package.is_some() { &["cli", "client", "run", "text"] } else { &["contract_gen"] };
        let stems = stems.iter().map(|stem| (*stem).to_owned());
        let guarded = Guarded { package, stems: stems.collect() };
        let sources: Vec<_> = files.iter().map(|(path, text)| PythonText::of(path, text)).collect();
        let every: Vec<_> = sources.iter().collect();
        let changes = changes(&guarded, &every, &|_| true);
        changes.into_iter().map(|(path, _)| path.to_owned()).collect()
    }

    #[test]
    fn a_module_may_be_imported_and_its_names_read_and_nothing_else() {
        for code in [
            "from . import contract_gen\ncontract_gen . COMMANDS = x",
            "from . import contract_gen\ncontract_gen \\\n  .COMMANDS \\\n  = x",
            "from . import contract_gen\n(contract_gen\n ).COMMANDS = x",
            "from . import contract_gen\n(contract_gen if contract_gen else None).COMMANDS = x",
            "import os; import p.contract_gen as c; c.COMMANDS = x",
            "import os; from . import contract_gen as c; c.COMMANDS = x",
            "if True: from . import contract_gen as c\nif True: c.COMMANDS = x",
            "from . import contract_gen\nclass S: c = contract_gen\nS.c.COMMANDS = x",
            "from . import contract_gen\nt = [contract_gen]\nt[0].COMMANDS = x",
            "from . import contract_gen as c\ndef s(m): m.__dict__.update(a=1)\ns(c)",
            "from . import contract_gen as c\ndef f(c=c): c.COMMANDS = x",
            "from . import contract_gen as c\ndef f(c: object = c): c.COMMANDS = x",
            "def f():\n    from . import contract_gen\n    for contract_gen.COMMANDS in [x]: pass",
            "def f():\n    from . import contract_gen as c\n    c.COMMANDS = x",
            "def f():\n    from . import (\n        contract_gen as c,\n    )\n    c.COMMANDS = x",
            "from . import contract_gen\nx = f\"{contract_gen.__dict__.update(a=1)}\"",
            "# note\rfrom . import contract_gen\rcontract_gen.COMMANDS = x",
            "from . import contract_gen\noperator.methodcaller('update', a=1)(vars(contract_gen))",
            "import p.contract_gen\np.contract_gen.COMMANDS = x",
            "from . import contract_gen\ncontract_gen.\u{ff23}OMMANDS = x",
            "from . import \u{ff43}ontract_gen\n\u{ff43}ontract_gen.COMMANDS = x",
            "from . import contract_gen\nwith f() as contract_gen.COMMANDS: pass",
            "from . import contract_gen\ndel contract_gen.COMMANDS",
            "from . import contract_gen\nd = contract_gen.__dict__",
            "from . import contract_gen\nx = lambda: contract_gen\nx().COMMANDS = 1",
            "from . import contract_gen\nreturn_(contract_gen)",
            "from . import contract_gen\ngetattr(contract_gen, '__dict__')['A'] = 1",
            "from . import contract_gen\nvars(contract_gen)['A'] = 1",
            "from .contract_gen import plain\nplain.__globals__['COMMANDS'] = x",
            "exec('contract_gen.COMMANDS = {}')",
        ] {
            let found = changed(None, &[("p/__init__.py", code)]);
            let is_plain = code.starts_with("from .contract_gen import plain");
            assert_eq!(found.len(), usize::from(!is_plain), "{code}");
        }
        for code in [
            "from . import contract_gen\nx = contract_gen.COMMANDS",
            "from . import contract_gen as c\nx = {**c.COMMANDS}\nx['a'] = c.MODES[0]",
            "from . import contract_gen\nx[contract_gen.TOOL] = 1",
            "from . import contract_gen\n__all__ = ['contract_gen']",
            "from . import contract_gen\nf(contract_gen=1)",
            "def f(contract_gen, c=None): contract_gen.x = c",
            "from . import contract_gen\ndef f(contract_gen): contract_gen.x = 1",
            "from . import contract_gen\ndef f():\n    with open('x') as contract_gen:\n        g(contract_gen)",
            "from . import contract_gen\nx = f'{contract_gen.TOOL=} {contract_gen.TOOL:>{contract_gen.WIDTH}}'",
            "from . import contract_gen\nassert hasattr(contract_gen, 'X')",
            "from . import contract_gen\nx = getattr(contract_gen, 'X', None)",
            "from . import contract_gen\nx = sorted(vars(contract_gen))",
            "from . import contract_gen\nfor k, v in vars(contract_gen).items(): pass",
            "from . import contract_gen\nif contract_gen is None: pass",
            "from . import contract_gen\nprint(contract_gen.__name__)",
            "from .contract_gen import COMMANDS, plain\nx = plain(COMMANDS)",
            "import p.contract_gen\nx = p.contract_gen.TOOL",
            "try:\n    from . import contract_gen\nexcept ImportError:\n    contract_gen = None\n",
            "class A:\n    def __init__(self, contract_gen):\n        self.contract_gen = contract_gen",
            "# contract_gen.X = 1\ntext = 'contract_gen.X = 1'",
        ] {
            assert_eq!(changed(None, &[("p/a.py", code)]), [""; 0], "{code}");
        }
    }

    #[test]
    fn a_module_is_followed_from_file_to_file() {
        for other in [
            "from .a import c\nc.COMMANDS = x",
            "from .a import *\nc.COMMANDS = x",
            "from . import a\na.c.COMMANDS = x",
            "from . import a as b\nb.c.COMMANDS = x",
            "from .a import c as d\nd.COMMANDS = x",
        ] {
            let files = [("p/a.py", "from . import contract_gen as c\n"), ("p/b.py", other)];
            assert_eq!(changed(None, &files), ["p/b.py"], "{other}");
        }
        let files = [
            ("p/a.py", "from . import contract_gen as c\n"),
            ("p/b.py", "from .x import c\nc.y = 1"),
        ];
        assert_eq!(changed(None, &files), [""; 0]);
    }

    #[test]
    fn modules_of_the_runtime_may_be_used_and_not_changed() {
        for code in [
            "from ._runtime import cli\ncli.check_permission = f",
            "from . import _runtime\n_runtime.cli.check_permission = f",
            "import p._runtime.cli as c\nc.check_permission = f",
            "import p._runtime.cli\np._runtime.cli.check_permission = f",
            "from ._runtime import cli\nsetattr(cli, 'check_permission', f)",
            "from ._runtime.client import Client\nClient.request = f",
            "from ._runtime import cli\ncli.COMMANDS['x'] = 1",
        ] {
            assert_eq!(changed(Some("_runtime"), &[("p/a.py", code)]), ["p/a.py"], "{code}");
        }
        for code in [
            "from ._runtime.cli import main\nmain()",
            "from ._runtime import cli\ncli.main(cli.X)",
            "from ._runtime.client import Client\nclass Own(Client):\n    request = 1",
            "from ._runtime.client import Client\nc = Client()\nc.request = 1",
            "import cli\ncli.x = 1",
            "from ._runtime.cli import run\nx = f(run, run.x)",
            "from ._runtime import cli\nx = f(cli.text(1), cli.text)",
            "from other import client\nclient.x = 1",
        ] {
            assert_eq!(changed(Some("_runtime"), &[("p/a.py", code)]), [""; 0], "{code}");
        }
    }
}
