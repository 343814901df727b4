//! From what a person says to a whole command: mode and shape from the verb, a request from both, inputs from texts.

use crate::contract::rules::{Effect, effect, is_about_many};

use super::name::{self, CommandName, NameError};
use super::seam::{AddedKind, Blueprint, CommandMode, Input, InputShape, Segment};

/// Longest summary, most inputs, longest path.
const MAX_SUMMARY: usize = 60;
const MAX_INPUTS: usize = 20;
const MAX_PATH: usize = 200;
/// Methods of requests.
const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/// Verbs that take something away for good; every contract reserves them for admin.
const DESTROYING: [&str; 7] = ["delete", "destroy", "purge", "wipe", "erase", "drop", "revoke"];

/// The user's choices.
#[derive(Clone, Debug, Default)]
pub struct Wish<'a> {
    pub mode: Option<CommandMode>,
    pub summary: Option<&'a str>,
    /// `POST /v1/items/{id}/archive`.
    pub request: Option<&'a str>,
    /// `title`, `title?`, `count:number`.
    pub inputs: &'a [String],
}

/// Why it is not a command.
#[derive(Debug, thiserror::Error)]
pub enum WishError {
    #[error(transparent)]
    Name(#[from] NameError),
    #[error("the verb `{verb}` does not determine the mode of the command")]
    UnknownVerb { verb: String },
    #[error("`{verb}` needs the mode {wanted}, not {given}")]
    Mode { verb: String, wanted: &'static str, given: &'static str },
    #[error("the request must be a method and a path, as in `POST /v1/items/{{id}}/archive`: {0}")]
    Request(String),
    #[error("the input `{0}` must be NAME, NAME? or NAME:TYPE with text, number, boolean or list")]
    Input(String),
    #[error("a command can have at most {MAX_INPUTS} inputs")]
    Inputs,
    #[error(
        "the summary must be one line of at most {MAX_SUMMARY} characters, without quotes, bars or backslashes"
    )]
    Summary,
}

/// The whole command.
///
/// # Errors
/// Returns an error if the mode does not fit the verb, or a text is not in its form.
pub fn of(name: CommandName, wish: &Wish<'_>) -> Result<Blueprint, WishError> {
    let id = name.id();
    let verb = name.verb.clone();
    let mode = mode(&id, &verb, wish.mode)?;
    let mut inputs = inputs(wish.inputs)?;
    let request = wish.request.map(request).transpose()?;
    let many = mode != CommandMode::Readonly && is_about_many(&id);
    let (method, path) = request.clone().unwrap_or_else(|| proposed(&name, mode, many));
    let shape = shape(&verb, mode, many, &method, &path);
    if wish.inputs.is_empty() && request.is_none() && matches!(shape, InputShape::Create) {
        inputs.push(Input { name: "name".to_owned(), kind: AddedKind::Text, required: true });
    }
    let is_update = matches!(verb.as_str(), "update" | "edit" | "rename" | "patch");
    if wish.inputs.is_empty() && request.is_none() && is_update {
        inputs.push(Input { name: "name".to_owned(), kind: AddedKind::Text, required: true });
    }
    let summary = match wish.summary {
        Some(text) => text.trim().to_owned(),
        None => proposed_summary(&name, shape),
    };
    let is_plain = |symbol: char| !symbol.is_control() && !"\"'`|\\".contains(symbol);
    if summary.is_empty() || summary.chars().count() > MAX_SUMMARY || !summary.chars().all(is_plain)
    {
        return Err(WishError::Summary);
    }
    let is_chosen = request.is_some();
    Ok(Blueprint { name, mode, shape, summary, method, path, is_chosen, inputs })
}

/// The mode that was given, if the verb allows it, or the one that the verb says.
fn mode(id: &str, verb: &str, given: Option<CommandMode>) -> Result<CommandMode, WishError> {
    let effect = effect(id);
    let destroys =
        verb.split('_').any(|word| DESTROYING.contains(&word)) && effect != Effect::Reads;
    let wanted = match effect {
        Effect::Reads => Some(CommandMode::Readonly),
        _ if destroys => Some(CommandMode::Admin),
        _ if is_about_many(id) => Some(CommandMode::Full),
        Effect::Irreversible => Some(CommandMode::Admin),
        Effect::Changes => Some(CommandMode::Write),
        Effect::Unknown => None,
    };
    let Some(given) = given else {
        return wanted.ok_or_else(|| WishError::UnknownVerb { verb: verb.to_owned() });
    };
    let refused = |wanted: &'static str| WishError::Mode {
        verb: verb.to_owned(),
        wanted,
        given: given.name(),
    };
    match effect {
        Effect::Reads if given != CommandMode::Readonly => Err(refused("readonly")),
        _ if destroys && given != CommandMode::Admin => Err(refused("admin")),
        _ if given == CommandMode::Readonly && is_about_many(id) && effect != Effect::Unknown => {
            Err(refused("full or higher"))
        }
        Effect::Changes | Effect::Irreversible if given == CommandMode::Readonly => {
            Err(refused("write or higher"))
        }
        _ if given != CommandMode::Readonly && is_about_many(id) && given < CommandMode::Full => {
            Err(refused("full or higher"))
        }
        _ => Ok(given),
    }
}

fn inputs(texts: &[String]) -> Result<Vec<Input>, WishError> {
    if texts.len() > MAX_INPUTS {
        return Err(WishError::Inputs);
    }
    texts.iter().map(|text| input(text)).collect()
}

fn input(text: &str) -> Result<Input, WishError> {
    let fault = || WishError::Input(crate::visible::excerpt(text, 60));
    let (name, kind) = text.split_once(':').unwrap_or((text, "text"));
    let (name, required) = match name.strip_suffix('?') {
        Some(name) => (name, false),
        None => (name, true),
    };
    let kind = match kind {
        "text" => AddedKind::Text,
        "number" => AddedKind::Number,
        "boolean" => AddedKind::Boolean,
        "list" => AddedKind::List,
        _ => return Err(fault()),
    };
    const RESERVED: [&str; 14] = [
        "id",
        "ids",
        "json",
        "mode",
        "verbose",
        "version",
        "help",
        "format",
        "compact",
        "quiet",
        "fields",
        "dry_run",
        "confirm",
        "dangerous",
    ];
    let name = name::part(name).map_err(|_| fault())?;
    if RESERVED.contains(&name.as_str()) {
        return Err(fault());
    }
    Ok(Input { name, kind, required: required && kind != AddedKind::Boolean })
}

fn request(text: &str) -> Result<(String, String), WishError> {
    let fault = |reason: &str| WishError::Request(reason.to_owned());
    let (method, path) =
        text.trim().split_once(' ').ok_or_else(|| fault("one of them is missing"))?;
    let (method, path) = (method.to_uppercase(), path.trim());
    if !METHODS.contains(&method.as_str()) {
        return Err(fault("the method is not GET, POST, PUT, PATCH or DELETE"));
    }
    let segments: Vec<_> = path.split('/').skip(1).collect();
    let is_fine = |segment: &&str| match segment.strip_prefix('{') {
        Some(rest) => rest.strip_suffix('}').is_some_and(|name| name::part(name).is_ok()),
        None => {
            let plain = |symbol: char| symbol.is_ascii_alphanumeric() || "-_.~:".contains(symbol);
            !segment.is_empty() && !matches!(*segment, "." | "..") && segment.chars().all(plain)
        }
    };
    if !path.starts_with('/') || path.len() > MAX_PATH || !segments.iter().all(is_fine) {
        return Err(fault("the path must be `/` and parts of letters, digits or `{names}`"));
    }
    Ok((method, path.to_owned()))
}

/// A request as most APIs have it.
fn proposed(name: &CommandName, mode: CommandMode, many: bool) -> (String, String) {
    let things = format!("/v1/{}", plural(&name.group));
    let one = format!("{things}/{{id}}");
    let verb = name::dashed(&name.verb);
    let single = verb.trim_start_matches("bulk-").trim_start_matches("batch-").to_owned();
    let (method, path) = match name.verb.as_str() {
        "list" | "search" | "find" | "query" | "browse" => ("GET", things),
        "get" | "show" | "read" | "view" | "fetch" | "describe" => ("GET", one),
        "create" | "add" | "insert" => ("POST", things),
        "update" | "edit" | "rename" | "patch" => ("PATCH", one),
        "delete" | "remove" | "destroy" => ("DELETE", one),
        _ if mode == CommandMode::Readonly => ("GET", format!("{one}/{verb}")),
        _ if many && single == "delete" => ("DELETE", one),
        _ if many => ("POST", format!("{one}/{single}")),
        _ => ("POST", format!("{one}/{verb}")),
    };
    (method.to_owned(), path)
}

#[must_use]
pub fn plural(name: &str) -> String {
    let name = name::dashed(name);
    match name.as_str() {
        name if name.ends_with('s') => name.to_owned(),
        name if name.ends_with('y') && !name.ends_with("ey") && !name.ends_with("ay") => {
            format!("{}ies", &name[..name.len() - 1])
        }
        name => format!("{name}s"),
    }
}

fn shape(verb: &str, mode: CommandMode, many: bool, method: &str, path: &str) -> InputShape {
    let has_target = path.split('/').any(|part| part == "{id}");
    let lists = matches!(verb, "list" | "search" | "find" | "query" | "browse")
        || verb.starts_with("list_");
    match mode {
        CommandMode::Readonly if lists => InputShape::List,
        CommandMode::Readonly => InputShape::Get,
        _ if many && has_target => InputShape::Many,
        _ if method == "DELETE" => InputShape::Delete,
        _ if !has_target && matches!(verb, "create" | "add" | "insert") => InputShape::Create,
        _ => InputShape::Change,
    }
}

/// Verbs of queries of one thing; other last words name what a query shows, such as `stats`.
const QUERIES: [&str; 18] = [
    "get", "show", "read", "view", "fetch", "describe", "check", "validate", "verify", "preview",
    "compare", "download", "export", "resolve", "look_up", "watch", "find", "count",
];

fn proposed_summary(name: &CommandName, shape: InputShape) -> String {
    let thing = name.group.replace('_', " ");
    let verb = name::capitalised(&name.verb.replace('_', " "));
    let article = if thing.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    let summary = match shape {
        InputShape::List => format!("{verb} {}", plural(&name.group).replace('-', " ")),
        InputShape::Many => format!("{verb} several {}", plural(&name.group).replace('-', " ")),
        InputShape::Get if !QUERIES.contains(&name.verb.as_str()) => {
            format!("Show the {} of {article} {thing}", name.verb.replace('_', " "))
        }
        _ => format!("{verb} {article} {thing}"),
    };
    summary.chars().take(MAX_SUMMARY).collect()
}

/// Names of the values in a path.
#[must_use]
pub fn values(blueprint: &Blueprint) -> Vec<String> {
    let values = blueprint.segments().filter_map(|segment| match segment {
        Segment::Value(name) => Some(name.to_owned()),
        Segment::Text(_) => None,
    });
    values.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blueprint(text: &str, wish: &Wish<'_>) -> Result<Blueprint, WishError> {
        of(CommandName::parse(text)?, wish)
    }

    #[test]
    fn mode_shape_and_request_follow_from_the_verb() {
        for (text, mode, shape, request) in [
            ("item list", CommandMode::Readonly, InputShape::List, "GET /v1/items"),
            ("item get", CommandMode::Readonly, InputShape::Get, "GET /v1/items/{id}"),
            ("item create", CommandMode::Write, InputShape::Create, "POST /v1/items"),
            ("item rename", CommandMode::Write, InputShape::Change, "PATCH /v1/items/{id}"),
            ("item archive", CommandMode::Admin, InputShape::Change, "POST /v1/items/{id}/archive"),
            (
                "category delete",
                CommandMode::Admin,
                InputShape::Delete,
                "DELETE /v1/categories/{id}",
            ),
            ("item bulk-close", CommandMode::Full, InputShape::Many, "POST /v1/items/{id}/close"),
        ] {
            let made = blueprint(text, &Wish::default()).unwrap();
            assert_eq!((made.mode, made.shape), (mode, shape), "{text}");
            assert_eq!(format!("{} {}", made.method, made.path), request, "{text}");
        }
    }

    #[test]
    fn a_summary_says_what_the_command_does() {
        for (text, summary) in [
            ("item list", "List items"),
            ("item get", "Get an item"),
            ("item rename", "Rename an item"),
            ("repo stats", "Show the stats of a repo"),
            ("build last-status", "Show the last status of a build"),
        ] {
            let readonly = text.contains("stat").then_some(CommandMode::Readonly);
            let made = blueprint(text, &Wish { mode: readonly, ..Wish::default() }).unwrap();
            assert_eq!(made.summary, summary);
        }
    }

    #[test]
    fn a_mode_that_contradicts_the_verb_is_refused() {
        for (text, mode) in [
            ("item list", CommandMode::Write),
            ("item create", CommandMode::Readonly),
            ("item delete", CommandMode::Write),
            ("item bulk-close", CommandMode::Write),
        ] {
            let wish = Wish { mode: Some(mode), ..Wish::default() };
            assert!(matches!(blueprint(text, &wish), Err(WishError::Mode { .. })), "{text}");
        }
        for (text, needed) in [("item delete", "admin"), ("item bulk-close", "full or higher")] {
            let wish = Wish { mode: Some(CommandMode::Readonly), ..Wish::default() };
            let error = blueprint(text, &wish).unwrap_err().to_string();
            assert!(error.ends_with(&format!("needs the mode {needed}, not readonly")), "{error}");
        }
        let unknown = blueprint("item frobnicate", &Wish::default());
        assert!(matches!(unknown, Err(WishError::UnknownVerb { .. })));
        let wish = Wish { mode: Some(CommandMode::Write), ..Wish::default() };
        assert_eq!(blueprint("item archive", &wish).unwrap().mode, CommandMode::Write);
    }

    #[test]
    fn requests_and_inputs_are_read_or_refused() {
        let inputs = ["title".to_owned(), "count?:number".to_owned()];
        let wish = Wish { request: Some("put /a/{owner}/b"), inputs: &inputs, ..Wish::default() };
        let made = blueprint("item update", &wish).unwrap();
        assert_eq!((made.method.as_str(), made.path.as_str()), ("PUT", "/a/{owner}/b"));
        assert_eq!(values(&made), ["owner"]);
        assert!(made.inputs[0].required && !made.inputs[1].required);
        for request in
            ["GET", "GET a", "TRACE /a", "GET /a/../b", "GET /a//b", "GET /{a b}", "GET /a?x=1"]
        {
            let wish = Wish { request: Some(request), ..Wish::default() };
            assert!(blueprint("item get", &wish).is_err(), "{request}");
        }
        for text in ["", "json", "a:b", "A", "x y"] {
            let inputs = [text.to_owned()];
            let wish = Wish { inputs: &inputs, ..Wish::default() };
            assert!(blueprint("item get", &wish).is_err(), "{text}");
        }
    }
}
