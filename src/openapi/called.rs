//! Paths that call a method by its name: `/chat.postMessage` is `post_message` of `chat`.
//!
//! Only the words of a path are read here; what they mean for ids and modes is decided there.

use super::actions::is_prefix;
use super::words::folded;

/// Endings of files, which name no method.
const FILES: [&str; 16] = [
    "json", "xml", "txt", "yaml", "yml", "csv", "html", "htm", "js", "php", "aspx", "asp", "atom",
    "rss", "png", "pdf",
];
/// Verbs that only say something about what is called: everything else that looks like a verb may change it.
const LOOKING: [&str; 8] =
    ["verify", "validate", "ping", "test", "render", "compare", "evaluate", "wait"];
/// Verbs that are nouns too often to be verbs at the end of other paths.
const CHANGING: [&str; 10] = [
    "share",
    "unshare",
    "kick",
    "post",
    "push",
    "request",
    "install",
    "uninstall",
    "mark",
    "schedule",
];

/// The resources and the action of a path that ends in `.` and a name, as folded words.
#[must_use]
pub fn called_by_name(path: &str) -> Option<(Vec<String>, String)> {
    let last = path.rsplit('/').next()?;
    let is_name = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_alphabetic())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    let (before, action) = last.rsplit_once('.')?;
    if !before.split('.').chain([action]).all(is_name)
        || FILES.contains(&action.to_ascii_lowercase().as_str())
    {
        return None;
    }
    let mut resources: Vec<String> = Vec::new();
    for word in before.split('.').map(folded) {
        match resources.last_mut() {
            // A version belongs to the word before it: `oauth.v2.access`.
            Some(outer) if is_prefix(&word) => *outer = format!("{outer}_{word}"),
            _ => resources.push(word),
        }
    }
    Some((resources, folded(action)))
}

/// Whether a method of this name may change something, however it is requested.
#[must_use]
pub fn may_change(action: &str, is_verb: impl Fn(&str) -> bool) -> bool {
    use crate::contract::rules::{Effect, effect};
    let first = action.split('_').next().unwrap_or_default();
    match effect(action) {
        Effect::Reads => false,
        Effect::Changes | Effect::Irreversible => true,
        Effect::Unknown => CHANGING.contains(&first) || is_verb(first) && !LOOKING.contains(&first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_after_a_dot_is_a_method_and_a_file_ending_is_not() {
        let found = |path: &str| {
            called_by_name(path).map(|(words, action)| format!("{} {action}", words.join("/")))
        };
        assert_eq!(found("/chat.postMessage").as_deref(), Some("chat post_message"));
        assert_eq!(found("/api/files.comments.add").as_deref(), Some("files/comments add"));
        assert_eq!(found("/oauth.v2.access").as_deref(), Some("oauth_v2 access"));
        for path in [
            "/pets.json",
            "/v2.1",
            "/pets",
            "/a.b/c",
            "/{id}.x",
            "/.well-known",
            "/a..b",
            "/robots.TXT",
        ] {
            assert_eq!(found(path), None, "{path}");
        }
    }
}
