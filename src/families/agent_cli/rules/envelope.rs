//! Rules about the types that become envelopes, as far as struct tags of Go show them.

use super::sources::{SourceCode, ToolSources};
use crate::contract::rules::collector::{Collector, shown};
use crate::contract::rules::rule::Rule;
use crate::families::agent_cli::contract::FAMILY;

pub(super) const OMITTED: Rule = Rule {
    id: "envelope/omitted",
    summary: "`details`, `meta` and `fix` are present even if they are empty",
    why: "Agents read `error.details.fix` and `checks[].fix` without a check; an optional member breaks them",
    fix: "remove `omitempty`, and write an empty object, or null for `fix`",
    source: "conformance items 2, 3, 47",
    ..Rule::error(&[FAMILY])
};
pub(super) const DATA_OMITTED: Rule = Rule {
    id: "envelope/data-omitted",
    summary: "A success has `data` even if it is empty",
    why: "`omitempty` removes empty `data`, and then the envelope lacks a member of the contract",
    fix: "use separate types for success and failure, without `omitempty`",
    source: "conformance item 2",
    ..Rule::warning(&[FAMILY])
};
pub(super) const CAMEL_CASE: Rule = Rule {
    id: "envelope/camel-case",
    summary: "Members that the tool writes are in snake_case",
    why: "With one convention, an agent can guess the name of a member; members of an upstream API are exempt",
    fix: "rename the member in its tag",
    source: "conformance item 12",
    ..Rule::warning(&[FAMILY])
};

/// Directories whose types are written to the caller, not read from an upstream.
const OUTPUT: &[&str] = &["output", "contract", "report", "envelope", "doctor"];

/// One struct: offset of each tag's name, the name, whether `omitempty` is set.
type Tags<'a> = Vec<(usize, &'a str, bool)>;

pub(super) fn check(sources: &ToolSources<'_>, found: &mut Collector) {
    for code in sources.program.iter().filter(|code| code.language == "go") {
        for tags in structs(code.text) {
            judge(code, &tags, found);
        }
    }
}

fn judge(code: &SourceCode<'_>, tags: &Tags<'_>, found: &mut Collector) {
    let has = |names: &[&str]| names.iter().all(|name| tags.iter().any(|(_, tag, _)| tag == name));
    let kinds: [(&[&str], &str, &Rule); 4] = [
        (&["code", "message", "retryable"], "details", &OMITTED),
        (&["ok", "schema_version"], "meta", &OMITTED),
        (&["check", "status"], "fix", &OMITTED),
        (&["ok", "schema_version"], "data", &DATA_OMITTED),
    ];
    for (others, member, rule) in kinds {
        let omitted = tags.iter().find(|(_, tag, omitempty)| *tag == member && *omitempty);
        if let Some((at, ..)) = omitted.filter(|_| has(others)) {
            let message = format!("`{member}` is omitted if it is empty");
            found.at(rule, &code.source, *at, message);
        }
    }
    if code.source.path.split('/').any(|component| OUTPUT.contains(&component)) {
        let camel = |tag: &str| {
            tag.starts_with(|first: char| first.is_ascii_lowercase())
                && tag.chars().any(|symbol| symbol.is_ascii_uppercase())
        };
        for (at, tag, _) in tags.iter().filter(|(_, tag, _)| camel(tag)) {
            found.at(&CAMEL_CASE, &code.source, *at, format!("{} is in camelCase", shown(tag)));
        }
    }
}

/// The JSON tags of each struct; a struct ends at its closing brace.
fn structs(text: &str) -> Vec<Tags<'_>> {
    let mut all = Vec::new();
    // Structs inside structs have members of their own.
    let mut open: Vec<Tags<'_>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let content = line.trim();
        if content.ends_with("struct {") {
            open.push(Vec::new());
        } else if content.starts_with('}') {
            all.extend(open.pop());
        }
        let Some(mark) = line.find("json:\"") else { continue };
        let from = mark + "json:\"".len();
        let tag = line[from..].split('"').next().unwrap_or_default();
        let (name, options) = tag.split_once(',').unwrap_or((tag, ""));
        if let Some(tags) = open.last_mut() {
            tags.push((start + from, name, options.split(',').any(|option| option == "omitempty")));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_belong_to_the_struct_around_them() {
        let text = "type A struct {\n\tX int `json:\"x,omitempty\"`\n\tB struct {\n\t\tY int `json:\"y\"`\n\t} `json:\"b\"`\n\tZ int `json:\"z\"`\n}\n";
        let names: Vec<Vec<_>> = structs(text)
            .into_iter()
            .map(|tags| tags.into_iter().map(|(_, name, omitted)| (name, omitted)).collect())
            .collect();
        assert_eq!(names, [vec![("y", false)], vec![("x", true), ("b", false), ("z", false)]]);
    }
}
