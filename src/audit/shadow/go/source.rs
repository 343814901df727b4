//! One Go source: its imports, where it names a table, and what its statements and functions do with a name.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::tokens::{GoKind, GoToken, closing, opening, tokens};

/// One Go source.
pub struct GoSource<'t> {
    pub path: &'t str,
    pub tokens: Vec<GoToken<'t>>,
    /// Names of imported packages here, with the last part of their paths.
    pub imports: BTreeMap<&'t str, &'t str>,
    /// How the package of the module is named here; empty for its own files and dot imports.
    qualifiers: BTreeSet<&'t str>,
    /// Names of another package are used without its name.
    pub has_dot_import: bool,
}

impl<'t> GoSource<'t> {
    #[must_use]
    pub fn of(directory: &'t str, package: &'t str, path: &'t str, text: &'t str) -> Self {
        let tokens = tokens(text);
        let last = directory.rsplit('/').next().unwrap_or_default();
        let own = path.rsplit_once('/').map_or("", |(above, _)| above);
        let mut qualifiers = BTreeSet::new();
        if own == directory {
            qualifiers.insert("");
        }
        let mut imports = BTreeMap::new();
        let mut has_dot_import = false;
        for (alias, import) in imported(&tokens) {
            has_dot_import |= alias == Some(".");
            let name = import.rsplit('/').next().unwrap_or(import);
            let is_module = name == last && !last.is_empty();
            let usual = if is_module { package } else { name };
            match alias {
                Some(".") if is_module => {
                    qualifiers.insert("");
                }
                alias => {
                    let alias = alias.unwrap_or(usual);
                    imports.insert(alias, name);
                    if is_module {
                        qualifiers.insert(alias);
                    }
                }
            }
        }
        Self { path, tokens, imports, qualifiers, has_dot_import }
    }

    /// The tokens of a table that starts at `at`.
    #[must_use]
    pub fn table(&self, names: &BTreeSet<&str>, at: usize) -> Option<Range<usize>> {
        let token = &self.tokens[at];
        let text = |at: usize| self.tokens.get(at).map_or("", |token| token.text);
        if token.kind != GoKind::Name || at.checked_sub(1).is_some_and(|before| text(before) == ".")
        {
            return None;
        }
        if self.qualifiers.contains(token.text)
            && text(at + 1) == "."
            && names.contains(text(at + 2))
        {
            return Some(at..at + 3);
        }
        let is_key = text(at + 1) == ":" && matches!(at.checked_sub(1).map_or("", text), "{" | ",");
        let is_plain = self.qualifiers.contains("") && names.contains(token.text);
        (is_plain && !is_key && !self.declares(token.text, at)).then_some(at..at + 1)
    }

    /// True if the function around `at` has a variable or parameter called `name`.
    #[must_use]
    pub fn declares(&self, name: &str, at: usize) -> bool {
        let Some(body) = self.function_around(at) else { return false };
        (body.start..=at).any(|place| {
            let token = &self.tokens[place];
            if !token.is(name) {
                return false;
            }
            let text = |at: usize| self.tokens.get(at).map_or("", |token| token.text);
            let before = place.checked_sub(1).map_or("", text);
            let statement = self.statement(place);
            let is_new = self.tokens[place..statement.end]
                .iter()
                .find(|token| !matches!(token.kind, GoKind::Name) && !token.is(","))
                .is_some_and(|token| token.is(":="));
            let next = self.tokens.get(place + 1);
            let is_parameter = matches!(before, "(" | ",")
                && next.is_some_and(|next| {
                    next.kind == GoKind::Name || matches!(next.text, "[" | "*" | "...")
                })
                && self.tokens[place].depth == self.tokens[body.start].depth + 1;
            before == "var" || is_new || is_parameter
        })
    }

    /// The statement around a token, at the depth of that token.
    fn statement(&self, at: usize) -> Range<usize> {
        let depth = self.tokens[at].depth;
        let ends = |token: &GoToken<'_>| {
            token.depth < depth
                || token.depth == depth
                    && (token.kind == GoKind::End || token.is("{") || token.is("}"))
        };
        let start = (0..at).rev().find(|at| ends(&self.tokens[*at])).map_or(0, |start| start + 1);
        let end = (at..self.tokens.len()).find(|at| ends(&self.tokens[*at]));
        start..end.unwrap_or(self.tokens.len())
    }

    /// True if `part` is assigned a value.
    #[must_use]
    pub fn is_target(&self, part: &Range<usize>) -> bool {
        let statement = self.statement(part.start);
        let depth = self.tokens[part.start].depth;
        // In brackets, a part is an index or an argument.
        let rest = self.tokens.get(part.end..statement.end).unwrap_or_default();
        let before = &self.tokens[statement.start..part.start];
        let is_left = !before
            .iter()
            .any(|token| token.depth == depth && (token.is_assignment() || token.is("return")));
        let assigned = rest.iter().find(|token| token.depth == depth && !token.is(","));
        let is_list =
            rest.iter().take_while(|token| !(token.depth == depth && token.is_assignment()));
        let is_list = is_list.clone().count() < rest.len()
            && is_list.filter(|token| token.depth == depth && token.is(",")).count() > 0;
        let opens = statement.start.checked_sub(1).map_or("", |open| self.tokens[open].text);
        let in_brackets = matches!(opens, "(" | "[") && !self.is_block(statement.start - 1);
        is_left
            && !in_brackets
            && (assigned.is_some_and(GoToken::is_assignment)
                && !rest.first().is_some_and(|next| next.is(","))
                || is_list && rest.first().is_some_and(|next| next.is(",")))
    }

    /// True if the bracket at `open` holds declarations: `var (`.
    fn is_block(&self, open: usize) -> bool {
        open.checked_sub(1).is_some_and(|before| {
            matches!(self.tokens[before].text, "var" | "const") && self.tokens[open].is("(")
        })
    }

    /// The name that gets `part` and nothing else.
    #[must_use]
    pub fn named(&self, part: &Range<usize>) -> Option<&'t str> {
        let statement = self.statement(part.start);
        let depth = self.tokens[part.start].depth;
        let opens = statement.start.checked_sub(1).map_or("", |open| self.tokens[open].text);
        if matches!(opens, "(" | "[") && !self.is_block(statement.start - 1) {
            return None;
        }
        if opens == "{" && self.is_literal(statement.start - 1) {
            return None;
        }
        let own = |token: &GoToken<'_>| token.depth == depth;
        let tokens = &self.tokens[statement.clone()];
        let equals =
            tokens.iter().position(|token| own(token) && matches!(token.text, "=" | ":="))?;
        let equals = statement.start + equals;
        let before = &self.tokens[part.start - 1];
        let after = self.tokens.get(part.end);
        let is_whole = after.is_none_or(|after| {
            after.kind == GoKind::End
                || after.is(",")
                || after.is("{")
                || after.is("}")
                || after.is(")")
        });
        if part.start <= equals || !is_whole || !(before.is(",") || part.start - 1 == equals) {
            return None;
        }
        let count = |tokens: &[GoToken<'_>]| {
            tokens.iter().filter(|token| own(token) && token.is(",")).count()
        };
        let position = count(&self.tokens[equals..part.start]);
        let left = &self.tokens[statement.start..equals];
        let skipped =
            left.iter().position(|token| !matches!(token.text, "var" | "if" | "for" | "switch"));
        let left = left.get(skipped?..)?;
        let target = left.split(|token| own(token) && token.is(",")).nth(position)?;
        // After the name of a variable comes its type.
        let is_variable = skipped != Some(0) || opens == "(";
        match target {
            [name] if name.kind == GoKind::Name => Some(name.text),
            [name, ..] if is_variable && name.kind == GoKind::Name && !target[1].is(".") => {
                Some(name.text)
            }
            _ => None,
        }
    }

    /// True if the brace at `open` starts the values of a composite literal and not a block.
    fn is_literal(&self, open: usize) -> bool {
        let Some(before) = open.checked_sub(1).map(|before| &self.tokens[before]) else {
            return false;
        };
        let statement = self.statement(open);
        let first = self.tokens.get(statement.start).map_or("", |token| token.text);
        let is_block = matches!(
            first,
            "if" | "for"
                | "switch"
                | "select"
                | "func"
                | "else"
                | "case"
                | "default"
                | "go"
                | "defer"
        ) || matches!(before.text, "else" | "{" | ":");
        let holds_function =
            self.tokens[statement.start..open].iter().any(|token| token.is("func"));
        before.is_value() && !is_block && !holds_function && before.kind != GoKind::End
    }

    /// The body of the function around a token, with its header.
    #[must_use]
    pub fn function_around(&self, at: usize) -> Option<Range<usize>> {
        let start = (0..=at).rev().find(|start| {
            let token = &self.tokens[*start];
            token.depth == 0 && token.is("func")
        })?;
        let body = (start..self.tokens.len()).find(|open| {
            self.tokens[*open].depth == 0 && self.tokens[*open].is("{") && !self.is_type(*open)
        })?;
        let end = closing(&self.tokens, body);
        (at <= end).then_some(start..end)
    }

    /// True if the function around a token has a parameter or a variable with this name, or passes on the function of
    /// this name.
    #[must_use]
    pub fn has_local(&self, name: &str, at: usize) -> bool {
        let range = self.function_around(at).unwrap_or(at..at);
        range.into_iter().any(|at| {
            let before = at.checked_sub(1).map_or("", |before| self.tokens[before].text);
            let after = self.tokens.get(at + 1).map_or("", |after| after.text);
            self.tokens[at].is(name) && before != "." && !matches!(after, "(" | "[")
        })
    }

    fn is_type(&self, open: usize) -> bool {
        open.checked_sub(1)
            .is_some_and(|before| matches!(self.tokens[before].text, "interface" | "struct"))
    }

    /// Returns the receiver or package, and the name, of the function called by the bracket at `open`. The inner option
    /// is `None` if the callee has no name.
    #[must_use]
    pub fn function_before(&self, open: usize) -> Option<Option<(Option<&'t str>, &'t str)>> {
        let mut at = open.checked_sub(1)?;
        if self.tokens[at].is("]") {
            at = opening(&self.tokens, at.checked_sub(1)?)?.checked_sub(1)?;
        }
        let name = &self.tokens[at];
        if name.kind != GoKind::Name {
            return Some(None);
        }
        let receiver = at.checked_sub(1).filter(|dot| self.tokens[*dot].is("."));
        let receiver = receiver.map(|dot| dot.checked_sub(1).map_or("", |at| self.tokens[at].text));
        Some(Some((receiver, name.text)))
    }

    /// The directory of the file, which is its package.
    #[must_use]
    pub fn directory(&self) -> &'t str {
        self.path.rsplit_once('/').map_or("", |(above, _)| above)
    }

    /// Positions of the names of functions and methods called `name`.
    #[must_use]
    pub fn functions(&self, name: &str) -> Vec<usize> {
        let declared = (1..self.tokens.len()).filter(|at| {
            let token = &self.tokens[*at];
            let before = &self.tokens[at - 1];
            let next = self.tokens.get(at + 1).map_or("", |next| next.text);
            let is_header = token.depth == 0 && token.is(name) && matches!(next, "(" | "[");
            is_header
                && (before.is("func")
                    || before.is(")")
                        && opening(&self.tokens, at - 2).is_some_and(|open| {
                            open.checked_sub(1).is_some_and(|before| self.tokens[before].is("func"))
                        }))
        });
        declared.collect()
    }

    /// The parameter at `position` of the function whose name is at `at`: its name, whether it takes any number of
    /// values, and the body.
    #[must_use]
    pub fn parameter(&self, at: usize, position: usize) -> Option<(&'t str, bool, Range<usize>)> {
        let mut open = at + 1;
        if self.tokens.get(open)?.is("[") {
            open = closing(&self.tokens, open) + 1;
        }
        let close = closing(&self.tokens, open);
        let depth = self.tokens.get(open)?.depth + 1;
        let list = self.tokens.get(open + 1..close)?;
        let parts: Vec<_> = list.split(|token| token.depth == depth && token.is(",")).collect();
        let part = parts
            .get(position)
            .or_else(|| parts.iter().rev().find(|part| part.iter().any(|token| token.is("..."))))?;
        let name = part.first().filter(|name| name.kind == GoKind::Name)?;
        let is_variadic = part.iter().any(|token| token.depth == depth && token.is("..."));
        let body = (close..self.tokens.len()).find(|open| {
            self.tokens[*open].depth == 0 && self.tokens[*open].is("{") && !self.is_type(*open)
        })?;
        Some((name.text, is_variadic, body..closing(&self.tokens, body)))
    }
}

/// Every import with its own name.
fn imported<'t>(tokens: &[GoToken<'t>]) -> Vec<(Option<&'t str>, &'t str)> {
    let mut imports = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if !(tokens[at].depth == 0 && tokens[at].is("import")) {
            at += 1;
            continue;
        }
        let end = match tokens.get(at + 1) {
            Some(open) if open.is("(") => closing(tokens, at + 1),
            _ => (at..tokens.len())
                .find(|end| tokens[*end].kind == GoKind::End)
                .unwrap_or(tokens.len()),
        };
        for place in at + 1..end.min(tokens.len()) {
            let token = &tokens[place];
            if token.kind != GoKind::Value {
                continue;
            }
            let before = &tokens[place - 1];
            let is_alias = before.kind == GoKind::Name && !before.is("import") || before.is(".");
            imports.push((is_alias.then_some(before.text), token.text.trim_matches(['"', '`'])));
        }
        at = end.max(at + 1);
    }
    imports
}
