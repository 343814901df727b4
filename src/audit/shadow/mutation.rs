//! Changes of a value that a source received under some name: one set of patterns for all languages.

use std::sync::Arc;

use regex::Regex;

use super::pattern::regex;

/// Steps from a value into it: a member, an index, a call that returns a part.
pub const STEPS: &str = r"(?:\??\.\w+(?:\([^()\n]*\))?|!|\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\])";
/// Methods that change the collection they are called on.
const METHODS: &str = "update|clear|pop|popitem|setdefault|append|extend|insert|remove|sort|reverse|add|discard|\
    __setitem__|__delitem__|__ior__|__iadd__|__setattr__|push|splice|shift|unshift|fill|copyWithin|set|delete";
/// Functions that change their first argument.
const FUNCTIONS: &str = r"setattr|delattr|setitem|delitem|vars|patch\.object|patch\.dict|\w+\.setattr|\w+\.setitem|\w+\.delattr|\
    \w+\.delitem|\w+\.__(?:set|del)(?:attr|item)__|\w+\.__i(?:or|add)__|operator\.i\w+|ior|iadd|\
    (?:dict|list|set|OrderedDict)\.(?:update|clear|pop|popitem|setdefault|append|extend|insert|remove|sort|reverse|add|discard)|\
    unsafe\.\w+|reflect\.ValueOf|delete|clear|copy|Object\.assign|Object\.defineProperty|Object\.defineProperties|\
    Object\.setPrototypeOf|Reflect\.\w+|sort\.\w+|slices\.(?:Sort\w*|Reverse)|maps\.(?:Copy|DeleteFunc|Insert)";

/// The patterns for values that go by `names`.
pub struct Mutation {
    patterns: Vec<Arc<Regex>>,
}

impl Mutation {
    /// `names` are regular expressions. With `whole`, assigning another value to a name is a change too.
    #[must_use]
    pub fn of(names: &[String], whole: bool) -> Self {
        if names.is_empty() {
            return Self { patterns: Vec::new() };
        }
        let names = format!("(?:{})", names.join("|"));
        let cast = r"(?:\s+as\s+[\w<>, .\[\]]+\)+)?";
        let inner = format!(r"(?:{STEPS}|\))*");
        let steps = if whole { inner } else { format!("{STEPS}{inner}") };
        let operator = r"(?:[-+*/|&^%@]|//|\*\*|<<|>>|\?\?|\|\||&&|&\^)?=(?:[^=>]|$)";
        let functions = FUNCTIONS.replace("\\\n    ", "");
        let patterns = [
            format!(r"(?m)(?:^|[^\w.])({names}){cast}\)*{steps}\s*{operator}"),
            format!(r"(?m)(?:^|[^\w.])({names}){cast}{STEPS}*\??\.(?:{METHODS})\s*\("),
            format!(r"(?m)\b(?:{functions})\s*\(\s*\(?\s*&?({names})\b"),
            format!(r"(?m)\b(?:del|delete)\s+\(?({names})\b"),
            format!(r"(?m)(?:^|[^\w.])({names}){cast}{STEPS}*(?:\+\+|--)"),
        ];
        Self { patterns: patterns.iter().filter_map(|pattern| regex(pattern).ok()).collect() }
    }

    /// Every place where `code`, without its comments and strings, changes one of the values.
    #[must_use]
    pub fn every(&self, code: &str) -> Vec<usize> {
        let places = self.patterns.iter().flat_map(|pattern| pattern.captures_iter(code));
        places.filter_map(|captures| Some(captures.get(1)?.start())).collect()
    }

    /// The first of them.
    #[must_use]
    pub fn first(&self, code: &str) -> Option<usize> {
        self.every(code).into_iter().min()
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
            "(X[a])[b] = 1",
            "operator.setitem(X, a, b)",
            "dict.update(X, a)",
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
            "f(X)\ny = 1",
            "dict.get(X, a)",
            "f(a=X[b], c=1)",
        ] {
            assert!(mutation.first(read).is_none(), "{read}");
        }
        assert!(Mutation::of(&["X".to_owned()], true).first("X = 1").is_some());
        assert!(Mutation::of(&[], true).first("X = 1").is_none());
    }
}
