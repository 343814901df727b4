//! Paths of other tools' templates: expressions become the marks of names, conditions become `[[only]]`.

use super::conditions::condition;
use super::jinja::JinjaNames;
use crate::reason::Reason;

/// A path in `files/`, and the conditions on it and its directories, by the path in a project.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct PlacedFile {
    pub path: String,
    pub only: Vec<(String, String)>,
}

/// The place of a file.
///
/// # Errors
/// The reason why aos has no such place.
pub fn place(path: &str, names: &JinjaNames<'_>) -> Result<PlacedFile, Reason> {
    let (mut placed, mut project) = (PlacedFile::default(), String::new());
    for component in path.split('/') {
        let (component, only) = match conditional(component) {
            Some((code, name)) => {
                let only = condition(code, names).ok_or_else(|| {
                    format!("the condition `{code}` of its name is not supported")
                })?;
                (name, Some(only))
            }
            None => (component, None),
        };
        let name = named(component, names)?;
        if name.is_empty() {
            return Err("a part of its name is empty".into());
        }
        if name.starts_with("dot_") {
            return Err("a name that begins with `dot_` would begin with a dot".into());
        }
        let separator = if project.is_empty() { "" } else { "/" };
        project.push_str(separator);
        project.push_str(&name);
        placed.path.push_str(separator);
        match name.strip_prefix('.') {
            Some(rest) => placed.path.push_str(&format!("dot_{rest}")),
            None => placed.path.push_str(&name),
        }
        placed.only.extend(only.map(|only| (project.clone(), only)));
    }
    Ok(placed)
}

/// `{% if CODE %}NAME{% endif %}`.
fn conditional(component: &str) -> Option<(&str, &str)> {
    let rest = component.strip_prefix("{%")?.trim_start_matches('-').trim_start();
    let (code, rest) = rest.strip_prefix("if ")?.split_once("%}")?;
    let (name, end) = rest.rsplit_once("{%")?;
    let end = end.strip_suffix("%}")?.trim_matches('-').trim();
    (end == "endif").then_some((code.trim_end_matches('-').trim(), name))
}

/// A name without expressions, with `@tool@` and `@package@`.
fn named(component: &str, names: &JinjaNames<'_>) -> Result<String, Reason> {
    let (mut name, mut rest) = (String::new(), component);
    while let Some((before, after)) = rest.split_once("{{") {
        let (code, after) = after.split_once("}}").ok_or("an expression in its name has no end")?;
        let code = code.trim();
        let key = code.strip_prefix(names.prefix).unwrap_or(code);
        let question = names.question(code).filter(|asked| !asked.is_yes_no);
        let variable = names.renamed.get(key).copied();
        let variable = variable.or(question.map(|asked| asked.key.as_str())).ok_or_else(|| {
            format!("its name depends on `{code}`, which is neither a name nor a free answer")
        })?;
        name.push_str(before);
        name.push_str(&format!("@{variable}@"));
        rest = after;
    }
    name.push_str(rest);
    if name.contains("{%") || name.contains("{#") {
        return Err("a part of its name is conditional".into());
    }
    Ok(name)
}

/// The keys that paths use, most used first.
#[must_use]
pub fn used_keys<'a>(paths: impl Iterator<Item = &'a str>, prefix: &str) -> Vec<String> {
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    for path in paths {
        for code in path.split("{{").skip(1).filter_map(|rest| rest.split_once("}}")) {
            if let Some(key) = code.0.trim().strip_prefix(prefix) {
                *counts.entry(key.to_owned()).or_default() += 1;
            }
        }
    }
    let mut keys: Vec<_> = counts.into_iter().collect();
    keys.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    keys.into_iter().map(|(key, _)| key).collect()
}

/// True if a path fits a pattern with `*` and `?`, as a whole or one of its directories or its name does.
#[must_use]
pub fn fits(pattern: &str, path: &str) -> bool {
    let pattern = pattern.trim_end_matches('/');
    let parts = path.match_indices('/').map(|(end, _)| &path[..end]).chain([path]);
    let names = path.split('/');
    parts.chain(names).any(|part| is_like(pattern.as_bytes(), part.as_bytes()))
}

/// Linear in the product of both lengths.
fn is_like(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut from, mut star) = (0, 0, None);
    while at < text.len() {
        match pattern.get(from) {
            Some(b'*') => {
                star = Some((from, at));
                from += 1;
            }
            Some(symbol) if *symbol == b'?' || *symbol == text[at] => {
                at += 1;
                from += 1;
            }
            _ => match star {
                Some((place, began)) => {
                    star = Some((place, began + 1));
                    from = place + 1;
                    at = began + 1;
                }
                None => return false,
            },
        }
    }
    pattern[from..].iter().all(|symbol| *symbol == b'*')
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::question::Asked;
    use super::*;

    #[test]
    fn names_become_marks_and_conditions_become_only() {
        let jobs = Asked {
            source: "jobs".to_owned(),
            key: "jobs".to_owned(),
            help: String::new(),
            default: "no".to_owned(),
            choices: vec!["no".to_owned(), "yes".to_owned()],
            is_yes_no: true,
        };
        let renamed = BTreeMap::from([("slug".to_owned(), "tool"), ("pkg".to_owned(), "package")]);
        let questions = [jobs];
        let names = JinjaNames { prefix: "", questions: &questions, renamed: &renamed };
        let placed = place("src/{{ pkg }}/.{{slug}}rc", &names).unwrap();
        assert_eq!(placed.path, "src/@package@/dot_@tool@rc");
        let placed = place("{% if jobs %}jobs{% endif %}/run.py", &names).unwrap();
        assert_eq!(placed.path, "jobs/run.py");
        assert_eq!(placed.only, [("jobs".to_owned(), "jobs=yes".to_owned())]);
        for path in
            ["{{ other }}/x", "{% if x() %}a{% endif %}", "a{% if jobs %}b{% endif %}", "dot_x"]
        {
            assert!(place(path, &names).is_err(), "{path}");
        }
    }

    #[test]
    fn patterns_fit_names_directories_and_whole_paths() {
        assert!(fits("*.html", "a/b.html") && fits("docs", "docs/x.md") && fits("a/*/c", "a/b/c"));
        assert!(!fits("*.html", "a/b.htm") && !fits("doc", "docs/x"));
    }
}
