//! The selection of operations: `--select` by tag, path, operationId, id or method, with `*` and `!`.

use super::model::Endpoint;

/// One `--select`.
#[derive(Clone, Debug)]
struct SelectionPattern {
    excludes: bool,
    method: Option<String>,
    glob: Option<String>,
    is_path: bool,
}

/// All of them: what one includes and none excludes; with exclusions alone, everything else. A pattern
/// for one operation, `METHOD /path` without `*`, wins over an exclusion of several.
#[derive(Clone, Debug)]
pub struct Selection {
    patterns: Vec<SelectionPattern>,
}

const METHODS: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

impl Selection {
    #[must_use]
    pub fn parse(texts: &[String]) -> Self {
        Self { patterns: texts.iter().map(|text| pattern(text)).collect() }
    }

    #[must_use]
    pub fn includes(&self, endpoint: &Endpoint, id: &str) -> bool {
        let fits = |pattern: &&SelectionPattern| pattern.fits(endpoint, id);
        let mut included = self.patterns.iter().filter(|pattern| !pattern.excludes).peekable();
        let is_included = included.peek().is_none() || included.any(|pattern| fits(&pattern));
        let of_one = |excludes: bool| {
            let mut patterns = self.patterns.iter().filter(move |one| one.excludes == excludes);
            patterns.any(|pattern| pattern.is_request() && fits(&pattern))
        };
        if of_one(false) && !of_one(true) {
            return true;
        }
        is_included && !self.patterns.iter().filter(|pattern| pattern.excludes).any(|p| fits(&p))
    }

    /// The texts that no operation fits, by their place.
    #[must_use]
    pub fn unused<'a>(
        &self,
        all: impl Iterator<Item = (&'a Endpoint, &'a str)> + Clone,
    ) -> Vec<usize> {
        let is_unused = |pattern: &SelectionPattern| {
            !all.clone().any(|(endpoint, id)| pattern.fits(endpoint, id))
        };
        let patterns = self.patterns.iter().enumerate();
        patterns.filter(|(_, pattern)| is_unused(pattern)).map(|(at, _)| at).collect()
    }
}

impl SelectionPattern {
    /// True for a method and a path without `*`: one operation.
    fn is_request(&self) -> bool {
        let path = self.glob.as_ref().filter(|glob| !glob.contains('*'));
        self.method.is_some() && self.is_path && path.is_some()
    }

    fn fits(&self, endpoint: &Endpoint, id: &str) -> bool {
        if self.method.as_ref().is_some_and(|method| *method != endpoint.method) {
            return false;
        }
        let Some(glob) = &self.glob else { return true };
        if self.is_path {
            return matches(glob, &endpoint.path.to_lowercase());
        }
        let tags = endpoint.tags.iter().map(String::as_str);
        tags.chain([endpoint.operation_id.as_str(), id])
            .any(|name| matches(glob, &name.to_lowercase()))
    }
}

fn pattern(text: &str) -> SelectionPattern {
    let text = text.trim();
    let (excludes, text) = match text.strip_prefix('!') {
        Some(rest) => (true, rest.trim()),
        None => (false, text),
    };
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    let (method, text) = match METHODS.iter().find(|method| **method == first) {
        Some(method) => (Some((*method).to_owned()), rest.trim()),
        None => (None, text),
    };
    let glob = (!text.is_empty()).then(|| text.to_lowercase());
    SelectionPattern {
        excludes,
        method,
        glob,
        is_path: text.starts_with('/') || text.starts_with("*/"),
    }
}

/// True if `text` fits `glob`, in which `*` is any text; linear in their product.
fn matches(glob: &str, text: &str) -> bool {
    let mut parts = glob.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complete_request_is_stronger_than_an_exclusion_of_many() {
        let selected = |texts: &[&str], path: &str| {
            let texts: Vec<_> = texts.iter().map(|text| (*text).to_owned()).collect();
            let endpoint = Endpoint {
                method: "DELETE".to_owned(),
                path: path.to_owned(),
                ..Endpoint::default()
            };
            Selection::parse(&texts).includes(&endpoint, "pet.delete")
        };
        let request = "DELETE /pets/{id}";
        assert!(selected(&["!DELETE", "*", request], "/pets/{id}"));
        assert!(!selected(&["!DELETE", "*", request], "/toys/{id}"));
        assert!(!selected(&["!DELETE", "DELETE /pets*"], "/pets/{id}"));
        assert!(!selected(&["!DELETE /pets/{id}", request], "/pets/{id}"));
    }

    #[test]
    fn a_star_is_any_text() {
        for (glob, text, wanted) in [
            ("/pets*", "/pets/{id}", true),
            ("/pets", "/pets/{id}", false),
            ("*/comments", "/issues/{id}/comments", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxcyyb", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(glob, text), wanted, "{glob} {text}");
        }
    }
}
