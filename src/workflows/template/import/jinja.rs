//! Jinja to the language of aos templates: names, conditions, a few filters. Whatever could run code is refused.

use crate::reason::Reason;
use std::collections::{BTreeMap, BTreeSet};

use super::question::Asked;

/// Why a text cannot be translated: its line, and the reason.
pub type Refused = (usize, String);

/// The meaning of the names in a text.
pub struct JinjaNames<'a> {
    /// `cookiecutter.`, or nothing.
    pub prefix: &'a str,
    pub questions: &'a [Asked],
    /// Keys that are a variable of aos.
    pub renamed: &'a BTreeMap<String, &'static str>,
}

impl JinjaNames<'_> {
    /// The question whose answer this name gives in the other system.
    #[must_use]
    pub fn question(&self, name: &str) -> Option<&Asked> {
        let source = name.trim().strip_prefix(self.prefix)?;
        self.questions.iter().find(|asked| asked.source == source)
    }
}

/// Start marks of the language of aos that are plain text in Jinja.
const OURS: &str = "{=";
/// Filters that are the same here.
const FILTERS: [&str; 6] = ["lower", "upper", "title", "trim", "capitalize", "length"];
/// Words of expressions.
const WORDS: [&str; 9] = ["and", "or", "not", "in", "is", "if", "else", "defined", "none"];

/// True if a text contains anything to render.
#[must_use]
pub fn is_template(text: &str) -> bool {
    ["{{", "{%", "{#"].iter().any(|mark| text.contains(mark))
}

/// Translates a whole text.
///
/// # Errors
/// The first construct that is not supported.
pub fn translate(text: &str, names: &JinjaNames<'_>) -> Result<String, Refused> {
    let mut translation = Translation { names, locals: BTreeSet::new(), out: String::new() };
    let mut rest = text;
    loop {
        let line = text[..text.len() - rest.len()].matches('\n').count() + 1;
        let Some(at) = ["{{", "{%", "{#"].iter().filter_map(|mark| rest.find(mark)).min() else {
            translation.plain(rest);
            return Ok(translation.out);
        };
        translation.plain(&rest[..at]);
        let open = &rest[at..];
        let line = line + rest[..at].matches('\n').count();
        let (mark, end) = match &open[..2] {
            "{{" => ("{{", "}}"),
            "{%" => ("{%", "%}"),
            _ => ("{#", "#}"),
        };
        let Some(length) = end_of(&open[2..], end) else {
            return Err((line, format!("`{mark}` has no end")));
        };
        let inside = &open[2..2 + length];
        rest = &open[2 + length + 2..];
        let fault = |reason: Reason| (line, reason.into());
        match mark {
            "{{" => translation.print(inside).map_err(fault)?,
            "{#" => {}
            _ => {
                if words(inside).first().is_some_and(|word| *word == "raw") {
                    let (raw, after) = raw(rest).ok_or_else(|| fault("`raw` has no end".into()))?;
                    translation.verbatim(raw);
                    rest = after;
                } else {
                    translation.statement(inside).map_err(fault)?;
                }
            }
        }
    }
}

/// One expression, such as the default of a question.
///
/// # Errors
/// The reason why it is not supported.
pub fn expression(text: &str, names: &JinjaNames<'_>) -> Result<String, Reason> {
    Translation { names, locals: BTreeSet::new(), out: String::new() }.expression(text)
}

/// An expression whose texts contain no mark of aos, which would end it: such a text is put together.
fn split_marks(code: &str) -> String {
    let marks = ["=}", "%}", "#}", "{=", "{%", "{#"];
    if !marks.iter().any(|mark| code.contains(mark)) {
        return code.to_owned();
    }
    let (mut out, mut quote) = (String::new(), None);
    for (at, symbol) in code.char_indices() {
        out.push(symbol);
        match quote {
            Some(open) if symbol == open => quote = None,
            Some(open) if marks.iter().any(|mark| code[at..].starts_with(mark)) => {
                out.push_str(&format!("{open} ~ {open}"));
            }
            None if ['"', '\''].contains(&symbol) => quote = Some(symbol),
            _ => {}
        }
    }
    out
}

/// Returns the end of the code before the mark `end`; a mark inside a text is part of the text.
pub fn end_of(text: &str, end: &str) -> Option<usize> {
    if end == "#}" {
        return text.find(end);
    }
    let mut quote = None;
    let mut symbols = text.char_indices();
    while let Some((at, symbol)) = symbols.next() {
        match quote {
            Some(_) if symbol == '\\' => {
                symbols.next();
            }
            Some(open) if symbol == open => quote = None,
            Some(_) => {}
            None if text[at..].starts_with(end) => return Some(at),
            None if ['"', '\''].contains(&symbol) => quote = Some(symbol),
            None => {}
        }
    }
    None
}

fn words(inside: &str) -> Vec<&str> {
    inside.trim_matches('-').split_whitespace().collect()
}

/// The text up to `{% endraw %}`, and the rest.
fn raw(text: &str) -> Option<(&str, &str)> {
    let mut from = 0;
    loop {
        let at = from + text.get(from..)?.find("{%")?;
        let length = text[at + 2..].find("%}")?;
        if words(&text[at + 2..at + 2 + length]) == ["endraw"] {
            return Some((&text[..at], &text[at + 2 + length + 2..]));
        }
        from = at + 2;
    }
}

struct Translation<'a> {
    names: &'a JinjaNames<'a>,
    /// JinjaNames that the text sets itself.
    locals: BTreeSet<String>,
    out: String,
}

impl Translation<'_> {
    fn plain(&mut self, text: &str) {
        self.out.push_str(&text.replace(OURS, "{= \"{=\" =}"));
    }

    fn verbatim(&mut self, text: &str) {
        let mut rest = text;
        while let Some(at) = [OURS, "{%", "{#"].iter().filter_map(|mark| rest.find(mark)).min() {
            self.out.push_str(&rest[..at]);
            self.out.push_str(&format!("{{= \"{}\" =}}", &rest[at..at + 2]));
            rest = &rest[at + 2..];
        }
        self.out.push_str(rest);
    }

    fn print(&mut self, inside: &str) -> Result<(), Reason> {
        let (before, code, after) = trimmed(inside);
        let named = self.names.question(code.trim());
        if let Some(asked) = named.filter(|asked| asked.is_yes_no) {
            let key = &asked.key;
            self.out.push_str(&format!(
                "{{%{before} if {key} == \"yes\" %}}True{{% else %}}False{{% endif {after}%}}"
            ));
            return Ok(());
        }
        let code = self.expression(code)?;
        self.out.push_str(&format!("{{={before} {} {after}=}}", split_marks(&code)));
        Ok(())
    }

    fn statement(&mut self, inside: &str) -> Result<(), Reason> {
        let (before, code, after) = trimmed(inside);
        let code = code.trim();
        let (word, rest) = code.split_once(char::is_whitespace).unwrap_or((code, ""));
        let code = match word {
            "if" | "elif" => format!("{word} {}", self.expression(rest)?),
            "else" | "endif" if rest.trim().is_empty() => word.to_owned(),
            "set" => {
                let (name, value) = rest.split_once('=').ok_or("`set` without a value")?;
                let name = name.trim();
                if !is_name(name) {
                    return Err(format!("`set {name}` is not supported").into());
                }
                let value = self.expression(value)?;
                self.locals.insert(name.to_owned());
                format!("set {name} = {value}")
            }
            word => return Err(format!("`{{% {word} %}}` is not supported").into()),
        };
        self.out.push_str(&format!("{{%{before} {code} {after}%}}"));
        Ok(())
    }

    fn expression(&self, text: &str) -> Result<String, Reason> {
        let mut out: Vec<String> = Vec::new();
        let mut rest = text.trim();
        while let Some(first) = rest.chars().next() {
            if first == '"' || first == '\'' {
                let end = rest[1..].find(first).ok_or("a text has no end")? + 2;
                let literal = &rest[..end];
                if literal.contains(['\\', '\n']) {
                    return Err("a text with `\\` is not supported".into());
                }
                out.push(literal.to_owned());
                rest = rest[end..].trim_start();
            } else if first.is_ascii_alphabetic() || first == '_' {
                let length = rest
                    .find(|symbol: char| !(symbol.is_ascii_alphanumeric() || "_.".contains(symbol)))
                    .unwrap_or(rest.len());
                let name = &rest[..length];
                rest = rest[length..].trim_start();
                if rest.starts_with('(') {
                    return Err(format!("it calls `{name}`").into());
                }
                out.push(self.name(name)?);
            } else if first.is_ascii_digit() {
                let length =
                    rest.find(|symbol: char| !symbol.is_ascii_digit()).unwrap_or(rest.len());
                out.push(rest[..length].to_owned());
                rest = rest[length..].trim_start();
            } else if let Some(after) = rest.strip_prefix('|') {
                let (filter, after) = self.filter(after.trim_start())?;
                out.push(filter);
                rest = after.trim_start();
            } else {
                let operator =
                    ["==", "!=", "(", ")", "~", ","].into_iter().find(|o| rest.starts_with(o));
                let operator = operator.ok_or_else(|| format!("`{first}` is not supported"))?;
                out.push(operator.to_owned());
                rest = rest[operator.len()..].trim_start();
            }
        }
        if out.is_empty() { Err("an expression is empty".into()) } else { Ok(out.join(" ")) }
    }

    fn name(&self, name: &str) -> Result<String, Reason> {
        match name {
            "True" | "true" => return Ok("true".to_owned()),
            "False" | "false" => return Ok("false".to_owned()),
            "None" => return Ok("none".to_owned()),
            word if WORDS.contains(&word) || self.locals.contains(word) => {
                return Ok(word.to_owned());
            }
            _ => {}
        }
        let key = name.strip_prefix(self.names.prefix).unwrap_or(name);
        if let Some(variable) =
            self.names.renamed.get(key).filter(|_| name.starts_with(self.names.prefix))
        {
            return Ok((*variable).to_owned());
        }
        match self.names.question(name) {
            Some(asked) if asked.is_yes_no => Ok(format!("({} == \"yes\")", asked.key)),
            Some(asked) => Ok(asked.key.clone()),
            None if key.contains('.') => Err(format!("it uses `{name}`, which is code").into()),
            None => Err(format!("it uses `{name}`, which is not a question").into()),
        }
    }

    /// A filter with its arguments; the text after it.
    fn filter<'t>(&self, text: &'t str) -> Result<(String, &'t str), Reason> {
        let length = text
            .find(|symbol: char| !(symbol.is_ascii_alphanumeric() || symbol == '_'))
            .unwrap_or(text.len());
        let (name, rest) = text.split_at(length);
        let (arguments, rest) = match rest.strip_prefix('(') {
            Some(inside) => {
                let end = inside.find(')').ok_or("a filter has no end")?;
                (strings(&inside[..end]), &inside[end + 1..])
            }
            None => (Some(Vec::new()), rest),
        };
        let unsupported = || format!("the filter `{name}` is not supported");
        let filter = match (name, arguments.as_deref().ok_or_else(unsupported)?) {
            (name, []) if FILTERS.contains(&name) => format!("| {name}"),
            ("tojson" | "jsonify", []) => "| json".to_owned(),
            ("replace", [from, to]) => format!("| replace(from={from}, to={to})"),
            ("default" | "d", [value]) => format!("| default(value={value})"),
            _ => return Err(unsupported().into()),
        };
        Ok((filter, rest))
    }
}

/// The texts of a list of arguments; `None` when one is something else.
fn strings(text: &str) -> Option<Vec<String>> {
    let (mut found, mut rest) = (Vec::new(), text.trim());
    while let Some(quote) = rest.chars().next() {
        if !['"', '\''].contains(&quote) {
            return None;
        }
        let end = rest[1..].find(quote)? + 2;
        found.push(rest[..end].to_owned());
        rest = rest[end..].trim_start();
        rest = match rest.strip_prefix(',') {
            Some(after) => after.trim_start(),
            None if rest.is_empty() => rest,
            None => return None,
        };
    }
    Some(found)
}

/// The signs of white-space control around the code, in the form of aos.
fn trimmed(inside: &str) -> (&'static str, &str, &'static str) {
    let (before, inside) = match inside.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", inside.strip_prefix('+').unwrap_or(inside)),
    };
    let (after, inside) = match inside.strip_suffix('-') {
        Some(rest) => ("-", rest),
        None => ("", inside.strip_suffix('+').unwrap_or(inside)),
    };
    (before, inside, after)
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase() || first == '_')
        && text.chars().all(|symbol| symbol.is_ascii_alphanumeric() || symbol == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(key: &str, is_yes_no: bool) -> Asked {
        Asked {
            source: key.to_owned(),
            key: key.to_owned(),
            help: String::new(),
            default: String::new(),
            choices: Vec::new(),
            is_yes_no,
        }
    }

    fn translated(text: &str) -> Result<String, Refused> {
        let questions = [asked("owner", false), asked("jobs", true)];
        let renamed = BTreeMap::from([("slug".to_owned(), "tool")]);
        translate(
            text,
            &JinjaNames { prefix: "cookiecutter.", questions: &questions, renamed: &renamed },
        )
    }

    #[test]
    fn names_conditions_filters_and_raw_text_are_translated() {
        for (jinja, ours) in [
            ("{{ cookiecutter.slug }}", "{= tool =}"),
            ("{{cookiecutter.owner|lower}}", "{= owner | lower =}"),
            (
                "{{ cookiecutter.owner | replace(' ', '-') }}",
                "{= owner | replace(from=' ', to='-') =}",
            ),
            (
                "{%- if cookiecutter.owner == 'x' -%}a{% else %}b{% endif %}",
                "{%- if owner == 'x' -%}a{% else %}b{% endif %}",
            ),
            (
                "{% if not cookiecutter.jobs %}a{% endif %}",
                "{% if not (jobs == \"yes\") %}a{% endif %}",
            ),
            ("{{ cookiecutter.jobs }}", "{% if jobs == \"yes\" %}True{% else %}False{% endif %}"),
            ("{% raw %}${{ x }} {% y %}{% endraw %}", "${{ x }} {= \"{%\" =} y %}"),
            ("a {= b {# gone #}", "a {= \"{=\" =} b "),
        ] {
            assert_eq!(translated(jinja).as_deref(), Ok(ours), "{jinja}");
        }
    }

    #[test]
    fn code_is_refused_with_its_line() {
        for text in [
            "\n{{ cookiecutter.owner.lower() }}",
            "\n{% for x in y %}",
            "\n{% include 'x' %}",
            "\n{{ cookiecutter.other }}",
            "\n{{ now() }}",
            "\n{{ cookiecutter.owner[0] }}",
            "\n{{ cookiecutter.owner | attr('x') }}",
            "\n{{ x",
        ] {
            assert_eq!(translated(text).unwrap_err().0, 2, "{text}");
        }
    }
}
