//! Where a source changes a value that it got under some name: one set of patterns for all languages.

use regex::Regex;

/// Steps from a value into it: a member, an index, a call that returns a part.
pub const STEPS: &str = r"(?:\??\.\w+(?:\([^()\n]*\))?|!|\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\])";
/// Methods that change the collection they are called on.
const METHODS: &str = "update|clear|pop|popitem|setdefault|append|extend|insert|remove|sort|reverse|add|discard|\
    __setitem__|__delitem__|__ior__|__iadd__|__setattr__|push|splice|shift|unshift|fill|copyWithin|set|delete";
/// Functions that change their first argument.
const FUNCTIONS: &str = r"setattr|delattr|vars|patch\.object|patch\.dict|\w+\.setattr|\w+\.setitem|\w+\.delattr|\
    \w+\.delitem|object\.__setattr__|delete|clear|copy|Object\.assign|Object\.defineProperty|Object\.defineProperties|\
    Object\.setPrototypeOf|Reflect\.\w+|sort\.\w+|slices\.(?:Sort\w*|Reverse)|maps\.(?:Copy|DeleteFunc)";

/// The patterns for values that go by `names`.
pub struct Mutation {
    patterns: Vec<Regex>,
}

impl Mutation {
    /// `names` are expressions for regular expressions; `whole` says that giving a name another value counts, too.
    #[must_use]
    pub fn of(names: &[String], whole: bool) -> Self {
        if names.is_empty() {
            return Self { patterns: Vec::new() };
        }
        let names = format!("(?:{})", names.join("|"));
        let cast = r"(?:\s+as\s+[\w<>, .\[\]]+\)+)?";
        let least = if whole { "*" } else { "+" };
        let operator = r"(?:[-+*/|&^%@]|//|\*\*|<<|>>|\?\?|\|\||&&|&\^)?=(?:[^=>]|$)";
        let functions = FUNCTIONS.replace("\\\n    ", "");
        let patterns = [
            format!(r"(?m)(?:^|[^\w.])({names}){cast}{STEPS}{least}\s*{operator}"),
            format!(r"(?m)(?:^|[^\w.])({names}){cast}{STEPS}*\??\.(?:{METHODS})\s*\("),
            format!(r"(?m)\b(?:{functions})\s*\(\s*\(?\s*&?({names})\b"),
            format!(r"(?m)\b(?:del|delete)\s+\(?({names})\b"),
            format!(r"(?m)(?:^|[^\w.])({names}){cast}{STEPS}*(?:\+\+|--)"),
        ];
        Self { patterns: patterns.iter().filter_map(|pattern| Regex::new(pattern).ok()).collect() }
    }

    /// Where `code`, without its comments and strings, changes one of the values first.
    #[must_use]
    pub fn first(&self, code: &str) -> Option<usize> {
        let starts = self
            .patterns
            .iter()
            .filter_map(|pattern| Some(pattern.captures(code)?.get(1)?.start()));
        starts.min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_told_from_reads() {
        let mutation = Mutation::of(&["X".to_owned()], false);
        assert_eq!(mutation.patterns.len(), 5);
        for change in [
            "X[a] = 1",
            "X[a[0]][b] = 1",
            "X.y = 1",
            "X[a] += 1",
            "X.update(z)",
            "X.get(a).update(z)",
            "setattr(X, a)",
            "delete(X, a)",
            "del X[a]",
            "(X as any).y = 1",
            "Object.assign(X, y)",
            "X[a]++",
        ] {
            assert!(mutation.first(change).is_some(), "{change}");
        }
        for read in [
            "a = X[b]",
            "if X[a] == 1:",
            "X[a] <= 1",
            "self.X[a] = 1",
            "Y[X] = 1",
            "f(X[a])",
            "X = 1",
            "x => X.y",
        ] {
            assert!(mutation.first(read).is_none(), "{read}");
        }
        assert!(Mutation::of(&["X".to_owned()], true).first("X = 1").is_some());
        assert!(Mutation::of(&[], true).first("X = 1").is_none());
    }
}
