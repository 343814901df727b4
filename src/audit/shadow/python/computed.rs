//! Changes of a module that is imported by a computed name, so that it is unknown which module that is.

use crate::audit::shadow::mutation::Mutation;
use crate::audit::shadow::pattern::regex;

/// Replaces each such import in the code, so that one set of patterns finds its changes.
const COMPUTED: &str = "_aosc";

/// Returns the position at which `code`, without the content of its strings, changes such a module.
pub fn change(code: &str) -> Option<usize> {
    if !["import_module", "__import__"].iter().any(|name| code.contains(name)) {
        return None;
    }
    let call =
        regex(r"\b[\w.]*(?:import_module|__import__)\s*\((?:[^()\n]|\([^()\n]*\))*\)").ok()?;
    let literal = regex(r#"\(\s*[rbu]*(?:"[^"\n]*"|'[^'\n]*')\s*[,)]"#).ok()?;
    let mut bytes = code.as_bytes().to_vec();
    let mut is_found = false;
    for found in call.find_iter(code).filter(|found| !literal.is_match(found.as_str())) {
        let name = found.end().checked_sub(COMPUTED.len()).filter(|name| *name >= found.start())?;
        bytes[found.start()..name].fill(b' ');
        bytes[name..found.end()].copy_from_slice(COMPUTED.as_bytes());
        is_found = true;
    }
    if !is_found {
        return None;
    }
    let code = String::from_utf8_lossy(&bytes).into_owned();
    let named = format!(r"(?m)^[ \t]*(\w+)[ \t]*(?::[^=\n]*)?=[ \t]*(?:vars\()?[ \t]*{COMPUTED}\b");
    let mut names = vec![COMPUTED.to_owned()];
    for captures in regex(&named).ok()?.captures_iter(&code) {
        names.extend(captures.get(1).map(|name| regex::escape(name.as_str())));
    }
    // A call directly after the name of a module calls a function of the module, not a method of a collection.
    let called = regex(r"^\w+\.\w+\s*\(").ok()?;
    let is_called = |at: &usize| code.get(*at..).is_some_and(|rest| called.is_match(rest));
    Mutation::of(&names, false).every(&code).into_iter().filter(|at| !is_called(at)).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_a_module_with_a_computed_name_is_found() {
        for code in [
            "m = importlib.import_module('  ' + '  ', __package__)\nm.__dict__.update(a=1)",
            "m = import_module(name)\nsetattr(m, 'X', 1)",
            "m = import_module(f'   ')\nm.X = 1",
            "setattr(__import__(name), 'X', 1)",
            "import_module(name).__dict__['X'] = 1",
            "vars(import_module(' '.join(parts)))['X'] = 1",
            "v = vars(import_module(name))\nv['X'] = 1",
            "m = import_module(name)\nm.X.update(a=1)",
        ] {
            assert!(change(code).is_some(), "{code}");
        }
        for code in [
            "m = importlib.import_module('    ')\nm.X = 1",
            "m = import_module(name)\nm.run()",
            "m = import_module(name)\nm.add(x)",
            "importlib.import_module(module.name).add(upstream)",
            "m = import_module(name)\nprint(m.X == 1)",
            "x = 1",
        ] {
            assert!(change(code).is_none(), "{code}");
        }
    }
}
