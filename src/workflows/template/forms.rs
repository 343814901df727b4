//! The forms of a name in the files of a project: found, and replaced by the variables of a template.

use serde_json::{Map, Value};

/// Start marks of the template language.
const MARKS: [&str; 3] = ["{=", "{%", "{#"];

/// The name of a project in every form, each with its variable.
#[derive(Clone, Debug)]
pub struct Forms(Vec<(&'static str, String)>);

/// Text of a template, and whether it has to be rendered.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Replaced {
    pub text: String,
    pub has_names: bool,
}

impl Forms {
    /// The forms among the variables of a project, longest first.
    #[must_use]
    pub fn of(variables: &Map<String, Value>) -> Self {
        let known = ["type_name", "env_prefix", "title", "package", "tool"];
        let mut forms: Vec<_> = known
            .into_iter()
            .filter_map(|key| Some((key, variables.get(key)?.as_str()?.to_owned())))
            .filter(|(_, form)| form.len() > 1)
            .collect();
        forms.sort_by_key(|(_, form)| std::cmp::Reverse(form.len()));
        Self(forms)
    }

    /// True if two forms are the same text, so that only the text around them distinguishes them.
    #[must_use]
    pub fn are_ambiguous(&self) -> bool {
        self.0
            .iter()
            .enumerate()
            .any(|(at, (_, form))| self.0.iter().skip(at + 1).any(|(_, other)| other == form))
    }

    /// The text as a template: marks of the language escaped, names replaced.
    #[must_use]
    pub fn in_text(&self, path: &str, text: &str) -> Replaced {
        let is_prose = [".md", ".txt", ".rst", ".html"].iter().any(|ending| path.ends_with(ending));
        let (mut out, mut has_names, mut at) = (String::with_capacity(text.len()), false, 0);
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
                out.push_str(&format!("{{= \"{mark}\" =}}"));
                at += mark.len();
                continue;
            }
            if let Some((key, length)) = self.at(text, at, is_prose) {
                out.push_str(&format!("{{= {key} =}}"));
                has_names = true;
                at += length;
                continue;
            }
            let Some(symbol) = rest.chars().next() else { break };
            out.push(symbol);
            at += symbol.len_utf8();
        }
        Replaced { text: out, has_names }
    }

    /// A path with the marks of names.
    #[must_use]
    pub fn in_path(&self, path: &str) -> String {
        let mut out = String::with_capacity(path.len());
        let mut at = 0;
        while let Some(rest) = path.get(at..).filter(|rest| !rest.is_empty()) {
            if let Some((key, length)) =
                self.at(path, at, false).filter(|(key, _)| ["tool", "package"].contains(key))
            {
                out.push_str(&format!("@{key}@"));
                at += length;
                continue;
            }
            let Some(symbol) = rest.chars().next() else { break };
            out.push(symbol);
            at += symbol.len_utf8();
        }
        out
    }

    /// The variable whose form begins at a place, and its length.
    fn at(&self, text: &str, at: usize, is_prose: bool) -> Option<(&'static str, usize)> {
        let rest = text.get(at..)?;
        let before = text[..at].chars().next_back();
        let (_, form) = self.0.iter().find(|(key, form)| {
            let after = rest.strip_prefix(form.as_str()).map(|rest| rest.chars().next());
            after.is_some_and(|after| is_whole(key, before, after))
        })?;
        let after = rest[form.len()..].chars().next();
        let same: Vec<_> =
            self.0.iter().filter(|(_, other)| other == form).map(|(key, _)| *key).collect();
        let has = |key: &str| same.contains(&key);
        let touches_word = |symbol: Option<char>| symbol.is_some_and(|symbol| symbol == '_');
        let key = if has("tool") && has("package") {
            if touches_word(before) || touches_word(after) { "package" } else { "tool" }
        } else if has("title") && has("type_name") {
            let in_word = after.is_some_and(|symbol| symbol.is_ascii_alphanumeric());
            if in_word || !is_prose { "type_name" } else { "title" }
        } else {
            same.first().copied()?
        };
        Some((key, form.len()))
    }
}

/// True if a form between two symbols is a word of its own, or the start of one in the same style.
fn is_whole(key: &str, before: Option<char>, after: Option<char>) -> bool {
    let is_word = |symbol: Option<char>| symbol.is_some_and(|symbol| symbol.is_alphanumeric());
    match key {
        // `AcmeShopClient`, `newAcmeShop`.
        "type_name" => {
            !before.is_some_and(|symbol| symbol.is_uppercase() || symbol.is_numeric())
                && !after.is_some_and(|symbol| symbol.is_lowercase() || symbol.is_numeric())
        }
        _ => !is_word(before) && !is_word(after),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(tool: &str, package: &str, prefix: &str, title: &str, type_name: &str) -> Forms {
        let names = [
            ("tool", tool),
            ("package", package),
            ("env_prefix", prefix),
            ("title", title),
            ("type_name", type_name),
        ];
        let variables = names.map(|(name, value)| (name.to_owned(), Value::from(value)));
        let variables = Map::from_iter(variables);
        Forms::of(&variables)
    }

    #[test]
    fn every_form_becomes_its_variable_and_other_words_stay() {
        let forms = forms("acme-shop", "acme_shop", "ACME_SHOP", "Acme Shop", "AcmeShop");
        let text =
            "acme-shop acme_shop ACME_SHOP_KEY Acme Shop newAcmeShopClient acme-shopping {% x {= y";
        let replaced = forms.in_text("a.go", text);
        assert_eq!(
            replaced.text,
            "{= tool =} {= package =} {= env_prefix =}_KEY {= title =} new{= type_name =}Client acme-shopping \
             {= \"{%\" =} x {= \"{=\" =} y"
        );
        assert!(replaced.has_names && !forms.are_ambiguous());
        assert_eq!(forms.in_path("src/acme_shop/acme-shop.toml"), "src/@package@/@tool@.toml");
        assert!(!forms.in_text("a", "nothing here").has_names);
    }

    #[test]
    fn a_name_of_one_word_is_told_apart_by_what_is_around_it() {
        let forms = forms("acme", "acme", "ACME", "Acme", "Acme");
        assert!(forms.are_ambiguous());
        assert_eq!(forms.in_text("a.md", "# Acme").text, "# {= title =}");
        assert_eq!(forms.in_text("a.rs", "struct Acme;").text, "struct {= type_name =};");
        assert_eq!(forms.in_text("a.py", "acme acme_x").text, "{= tool =} {= package =}_x");
    }
}
