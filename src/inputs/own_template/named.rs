//! The values of `--template`: a template of aos, a directory, or a repository.

use std::path::PathBuf;

use crate::generate::record_origin::{GIT_PREFIX, GitAddress, HOST_PREFIX, is_tag};
use crate::plan::RelativePath;
use crate::reason::Reason;
use crate::repository::Repository;

use super::fault::TemplateError;

/// The location of a user's own template.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Place {
    Directory(PathBuf),
    Host { repository: Repository, wanted: InRepository },
    Git { address: GitAddress, wanted: InRepository },
}

/// `[@TAG][//SUBDIR]`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct InRepository {
    pub tag: Option<String>,
    pub directory: Option<RelativePath>,
}

/// A template that the user named.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum NamedTemplate<'a> {
    /// A template that is part of aos.
    Embedded(&'a str),
    Own(Place),
}

impl<'a> NamedTemplate<'a> {
    /// Tells the kinds apart: a word is a template of aos, everything with a `/` and `.` and `..` is a directory.
    ///
    /// # Errors
    /// Returns an error if it begins like a repository and is none.
    pub fn of(text: &'a str) -> Result<Self, TemplateError> {
        let fault = |reason: Reason| TemplateError::Name {
            text: without_user(text),
            reason: reason.into(),
        };
        if let Some(rest) = text.strip_prefix(HOST_PREFIX) {
            let (name, wanted) = in_repository(rest).map_err(fault)?;
            let repository = Repository::parse(name).map_err(|error| fault(Reason::of(error)))?;
            return Ok(Self::Own(Place::Host { repository, wanted }));
        }
        if let Some(rest) = text.strip_prefix(GIT_PREFIX) {
            let Some(rest) = rest.strip_prefix("https://") else {
                return Err(fault("only `git+https://…` is supported".into()));
            };
            let (path, wanted) = in_repository(rest).map_err(fault)?;
            let address = GitAddress::parse(&format!("https://{path}"))
                .map_err(|error| fault(Reason::of(error)))?;
            return Ok(Self::Own(Place::Git { address, wanted }));
        }
        if text.contains("://") {
            let reason = "a repository is `github:OWNER/REPOSITORY` or `git+https://…`";
            return Err(fault(reason.into()));
        }
        let is_path = text.contains(['/', '\\']) || [".", ".."].contains(&text);
        Ok(if is_path {
            Self::Own(Place::Directory(PathBuf::from(text)))
        } else {
            Self::Embedded(text)
        })
    }
}

/// The text of an address for messages, without a user and a password before the host.
fn without_user(text: &str) -> String {
    let start = text.find("://").map_or(0, |at| at + 3);
    let (scheme, rest) = text.split_at(start);
    let host = rest.split('/').next().unwrap_or_default();
    let is_port = |text: &str| text.chars().all(|symbol| symbol.is_ascii_digit());
    // A password can have marks of its own, so that the host is not where it should be.
    let has_user = host.contains('@')
        || host.split_once(':').is_some_and(|(_, port)| !is_port(port))
        || rest.matches('@').count() > 1;
    match rest.rsplit_once('@').filter(|_| has_user) {
        Some((_, after)) => format!("{scheme}…@{after}"),
        None => text.to_owned(),
    }
}

/// Splits `NAME[@TAG][//SUBDIR]`.
fn in_repository(text: &str) -> Result<(&str, InRepository), Reason> {
    let (text, directory) = match text.split_once("//") {
        Some((text, directory)) => (text, Some(directory)),
        None => (text, None),
    };
    let directory = directory.map(RelativePath::parse).transpose();
    let directory = directory.map_err(|error| error.to_string())?;
    // A user before the host stays in the name, which refuses it.
    let (name, tag) = match text.rsplit_once('@') {
        Some((name, tag)) if name.contains('/') => (name, Some(tag)),
        _ => (text, None),
    };
    if tag.is_some_and(|tag| !is_tag(tag)) {
        return Err("the text after `@` is not a tag".into());
    }
    Ok((name, InRepository { tag: tag.map(str::to_owned), directory }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_a_template_of_aos_and_a_path_is_a_directory() {
        assert_eq!(NamedTemplate::of("cli-go").unwrap(), NamedTemplate::Embedded("cli-go"));
        for text in ["./web", "../web", "/t/web", "t/web", "."] {
            let place = Place::Directory(PathBuf::from(text));
            assert_eq!(NamedTemplate::of(text).unwrap(), NamedTemplate::Own(place));
        }
    }

    #[test]
    fn a_repository_may_have_a_tag_and_a_directory() {
        let own = |text| match NamedTemplate::of(text).unwrap() {
            NamedTemplate::Own(Place::Host { repository, wanted }) => {
                (repository.to_string(), wanted)
            }
            NamedTemplate::Own(Place::Git { address, wanted }) => {
                (address.as_str().to_owned(), wanted)
            }
            other => panic!("{other:?}"),
        };
        let wanted = |tag: Option<&str>, directory: Option<&'static str>| InRepository {
            tag: tag.map(str::to_owned),
            directory: directory.map(RelativePath::literal),
        };
        assert_eq!(own("github:a/b"), ("a/b".to_owned(), wanted(None, None)));
        assert_eq!(own("github:a/b@v1.0.0"), ("a/b".to_owned(), wanted(Some("v1.0.0"), None)));
        let full = wanted(Some("v1"), Some("x/y"));
        assert_eq!(own("github:a/b@v1//x/y"), ("a/b".to_owned(), full.clone()));
        let address = "https://h.example/a/b.git".to_owned();
        assert_eq!(own("git+https://h.example/a/b.git@v1//x/y"), (address, full));
    }

    #[test]
    fn names_that_could_mean_something_else_are_refused() {
        for text in [
            "github:a",
            "github:a/b@",
            "github:a/b@-x",
            "github:a/b//../x",
            "github:a/b///x",
            "git+https://user:secret@h.example/a",
            "git+ssh://h.example/a",
            "git+file:///a",
            "https://github.com/a/b",
        ] {
            assert!(NamedTemplate::of(text).is_err(), "{text}");
        }
    }
}
