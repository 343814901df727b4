//! Forms of free answers: each is safe where templates write it without quotes.

use crate::contract::name::Constant;

use super::template::Pattern;

/// Returns the reason why a value does not have the form; the empty answer was handled before.
#[must_use]
pub fn fault(pattern: Pattern, value: &str) -> Option<String> {
    let (holds, form) = match pattern {
        Pattern::Slug => (is_slug(value), "lower-case words joined by single dashes"),
        Pattern::HttpsUrl => (is_https_url(value), "an https URL without user, query or fragment"),
        Pattern::Owner => (
            is_owner(value),
            "the name of an account: letters, digits and single dashes, at most 39",
        ),
        Pattern::GoModule => {
            (is_go_module(value), "a Go module path such as `github.com/acme/acme`")
        }
        Pattern::NpmPackage => {
            (is_npm_package(value), "the name of an npm package, `name` or `@scope/name`")
        }
        Pattern::Contact => {
            (is_mail(value) || is_https_url(value), "an e-mail address or an https URL")
        }
        Pattern::Year => (is_year(value), "a year of four digits"),
        Pattern::Variable => (
            Constant::parse(value).is_some(),
            "the name of a variable: upper-case letters, digits and `_`, such as `ACME_API_KEY`",
        ),
        Pattern::UrlPath => (is_url_path(value), "a path that begins with `/`, such as `/v1/me`"),
        Pattern::Words => (is_words(value), "words of letters, digits and `-_./:=@+{}`"),
    };
    (!holds).then(|| format!("it must be {form}"))
}

/// Words of a command line or a path: nothing that ends a text in any language.
fn is_words(text: &str) -> bool {
    let plain = |symbol: char| symbol.is_ascii_alphanumeric() || " -_./:=@+{}".contains(symbol);
    text.chars().all(plain)
}

fn is_url_path(text: &str) -> bool {
    let plain = |symbol: char| symbol.is_ascii_alphanumeric() || "-_./:=@+?&~%".contains(symbol);
    text.starts_with('/') && text.chars().all(plain)
}

fn is_slug(text: &str) -> bool {
    text.len() <= 60
        && text.split('-').all(|word| {
            !word.is_empty()
                && word.chars().all(|symbol| symbol.is_ascii_lowercase() || symbol.is_ascii_digit())
        })
}

fn is_https_url(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://") else { return false };
    let host = rest.split('/').next().unwrap_or_default();
    let (name, port) = host.split_once(':').unwrap_or((host, "443"));
    !name.is_empty()
        && !name.starts_with('.')
        && name.chars().all(|symbol| symbol.is_ascii_alphanumeric() || matches!(symbol, '.' | '-'))
        && port.parse::<u16>().is_ok()
        && rest.chars().all(|symbol| {
            symbol.is_ascii_alphanumeric()
                || matches!(symbol, '.' | '-' | '_' | '/' | ':' | '~' | '%')
        })
}

fn is_owner(text: &str) -> bool {
    text.len() <= 39
        && text.split('-').all(|word| {
            !word.is_empty() && word.chars().all(|symbol| symbol.is_ascii_alphanumeric())
        })
}

/// A path that the go command takes for a remote module: a host with a dot, then plain elements.
fn is_go_module(text: &str) -> bool {
    let element = |element: &str| {
        !element.is_empty()
            && !element.starts_with('.')
            && !element.ends_with('.')
            && element.chars().all(|symbol| {
                symbol.is_ascii_alphanumeric() || matches!(symbol, '.' | '-' | '_' | '~')
            })
    };
    let mut elements = text.split('/');
    let host = elements.next().unwrap_or_default();
    let is_host = host.contains('.')
        && !host.starts_with('-')
        && host.chars().all(|symbol| {
            symbol.is_ascii_lowercase() || symbol.is_ascii_digit() || matches!(symbol, '.' | '-')
        });
    text.len() <= 120 && is_host && text.contains('/') && text.split('/').all(element)
}

fn is_npm_package(text: &str) -> bool {
    let word = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_lowercase() || first.is_ascii_digit())
            && word.chars().all(|symbol| {
                symbol.is_ascii_lowercase()
                    || symbol.is_ascii_digit()
                    || matches!(symbol, '-' | '_' | '.')
            })
    };
    let parts = match text.strip_prefix('@') {
        Some(scoped) => scoped.split_once('/'),
        None => Some(("scope", text)),
    };
    text.len() <= 120 && parts.is_some_and(|(scope, name)| word(scope) && word(name))
}

fn is_mail(text: &str) -> bool {
    let Some((name, host)) = text.split_once('@') else { return false };
    let dotted = |text: &str, more: &[char]| {
        text.split('.').all(|word| {
            !word.is_empty()
                && word
                    .chars()
                    .all(|symbol| symbol.is_ascii_alphanumeric() || more.contains(&symbol))
        })
    };
    text.len() <= 120
        && dotted(name, &['-', '_', '+'])
        && host.contains('.')
        && dotted(host, &['-'])
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && text.bytes().all(|digit| digit.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_accepts_what_it_is_for_and_nothing_that_would_need_quotes() {
        let table: [(Pattern, &[&str], &[&str]); 9] = [
            (Pattern::Slug, &["a", "a-b2"], &["A", "a_b", "a--b", "-a", ""]),
            (
                Pattern::HttpsUrl,
                &["https://api.acme.example", "https://api.acme.example:8443/v2"],
                &[
                    "http://a.b",
                    "https://u:p@a.b",
                    "https://",
                    "https://a.b?x=1",
                    "https://a b",
                    "https://a.b\"+x",
                ],
            ),
            (Pattern::Owner, &["Acme", "a-b1"], &["a_b", "-a", "a--b", "a/b", "a\"", ""]),
            (
                Pattern::GoModule,
                &["github.com/acme/acme", "example.com/x", "go.acme.dev/Tool/v2"],
                &[
                    "acme",
                    "acme/acme",
                    "github.com",
                    "github.com/",
                    "github.com/../x",
                    "https://github.com/a",
                    "github.com/a b",
                    "github.com/a\"",
                    "GitHub.com/a",
                ],
            ),
            (
                Pattern::NpmPackage,
                &["acme", "@acme/tool", "a.b_c-d"],
                &["@acme", "Acme", "a/b", "@a/b/c", "_a", "a b", "a\"", "@/a", "../a"],
            ),
            (
                Pattern::Contact,
                &["me@acme.example", "a.b+c@x.y.z", "https://acme.example/security"],
                &["me", "me@acme", "a b@c.d", "<a@b.c>", "a@b.c\"", "a@@b.c", "mailto:a@b.c"],
            ),
            (Pattern::Variable, &["ACME_API_KEY", "A1"], &["acme", "1A", "A-B", "A B", "A\"", "Ä"]),
            (Pattern::UrlPath, &["/", "/v1/me?x=1"], &["v1", "/a b", "/a\"", "/ä", "/a\\b"]),
            (Pattern::Year, &["2026"], &["26", "20266", "year", "２０２６"]),
        ];
        for (pattern, good, bad) in table {
            for value in good {
                assert_eq!(fault(pattern, value), None, "{pattern:?} {value}");
            }
            for value in bad {
                assert!(fault(pattern, value).is_some(), "{pattern:?} {value}");
            }
        }
    }
}
