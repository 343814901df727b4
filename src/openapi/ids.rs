//! Ids of commands from paths: `RESOURCE.ACTION`, unique and the same for the same description.
//!
//! Equal ids get the next word of the path that distinguishes the two operations, never a number.

use std::collections::{BTreeMap, BTreeSet};

use super::actions::{collection_action, is_prefix, is_verb, item_action, verb_action};
use super::called::called_by_name;
use super::model::Endpoint;
use super::words::{folded, identifier, is_plural, singular};

/// First words that are commands of every connector, or that Python cannot import.
const TAKEN: [&str; 42] = [
    "capabilities",
    "config",
    "doctor",
    "health",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "class",
    "continue",
    "def",
    "del",
    "elif",
    "else",
    "except",
    "false",
    "finally",
    "for",
    "from",
    "global",
    "if",
    "import",
    "in",
    "is",
    "lambda",
    "none",
    "nonlocal",
    "not",
    "or",
    "pass",
    "raise",
    "return",
    "true",
    "try",
    "while",
    "with",
    "yield",
    "match",
    "case",
    "type",
];

/// The id of an operation, and why it is not the plain one.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AssignedId {
    pub id: String,
    pub reason: Option<String>,
}

/// Method and path.
pub type RequestKey = (String, String);

/// The words of one operation.
struct IdCandidate {
    action: String,
    /// The last parameter of the path, else the first one.
    parameter: Option<String>,
    /// The resources that it may have, the plainest first.
    resources: Vec<String>,
    /// The index of the chosen one.
    chosen: usize,
    suffix: String,
}

impl IdCandidate {
    fn resource(&self) -> &str {
        self.resources.get(self.chosen).map_or("root", String::as_str)
    }

    fn id(&self) -> String {
        format!("{}.{}{}", self.resource(), self.action, self.suffix)
    }
}

/// The ids of all operations, in their order; `kept` are those that are given, `room` is their longest length.
#[must_use]
pub fn assign(
    endpoints: &[Endpoint],
    kept: &BTreeMap<RequestKey, String>,
    room: usize,
) -> Vec<AssignedId> {
    let mut methods: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for endpoint in endpoints {
        methods.entry(&endpoint.path).or_default().insert(&endpoint.method);
    }
    // Paths with other paths below them, such as `/splits/{id}`.
    let mut collections: BTreeSet<&str> = BTreeSet::new();
    for path in methods.keys() {
        collections.extend(path.match_indices("/{").map(|(at, _)| &path[..at]));
    }
    let mut candidates: Vec<IdCandidate> = endpoints
        .iter()
        .map(|endpoint| {
            let is_collection = collections.contains(endpoint.path.as_str());
            candidate(endpoint, methods.get(endpoint.path.as_str()), is_collection, room)
        })
        .collect();
    let plain: Vec<String> = candidates.iter().map(IdCandidate::id).collect();
    let fixed: Vec<Option<&String>> = endpoints
        .iter()
        .map(|endpoint| kept.get(&(endpoint.method.clone(), endpoint.path.clone())))
        .collect();
    extend(&mut candidates, &fixed);
    for step in [by_parameter, by_operation, by_digest] {
        for at in later(clashes(&candidates, &fixed), &candidates, endpoints) {
            let suffix = step(&candidates[at], &endpoints[at]);
            candidates[at].suffix.push_str(&suffix);
        }
    }
    let mut ids: Vec<String> = Vec::with_capacity(endpoints.len());
    let mut taken: BTreeSet<String> = fixed.iter().flatten().map(|id| (*id).clone()).collect();
    for (at, candidate) in candidates.iter().enumerate() {
        let id = match fixed[at] {
            Some(kept) => kept.clone(),
            None => fitting(candidate.id(), room, &endpoints[at], &taken),
        };
        taken.insert(id.clone());
        ids.push(id);
    }
    let reasons = ids.into_iter().zip(plain).enumerate();
    reasons
        .map(|(at, (id, plain))| {
            let reason = match fixed[at] {
                _ if id == plain => None,
                Some(_) => Some(format!("kept; from the path alone it would be `{plain}`")),
                None => Some(format!("`{plain}` names other operations too")),
            };
            AssignedId { id, reason }
        })
        .collect()
}

/// The resources of these words within `most` characters: the last word, then more of those before it, also without
/// the ones between the first and the last.
fn resources(words: &[String], most: usize) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let has_more = words.iter().any(|word| !TAKEN.contains(&word.as_str()));
    let mut add = |words: &[&String]| {
        let mut words: Vec<&str> = words.iter().map(|word| word.as_str()).collect();
        words.dedup();
        let name = words.join("_");
        let is_taken = TAKEN.contains(&name.as_str());
        // The word before it makes a better name than one that is made up.
        if is_taken && has_more {
            return;
        }
        let name = if is_taken { format!("{name}_entry") } else { name };
        if !all.contains(&name) && (name.len() <= most || all.is_empty()) {
            all.push(name);
        }
    };
    for count in 1..=words.len() {
        let last: Vec<&String> = words[words.len() - count..].iter().collect();
        add(&last);
        if count >= 2 && count + 1 < words.len() {
            let mut with_first = vec![&words[0]];
            with_first.extend(last);
            add(&with_first);
        }
    }
    all
}

/// Makes ids longer by words of their paths, as long as two are equal and one of them has such a word.
fn extend(candidates: &mut [IdCandidate], fixed: &[Option<&String>]) {
    for _ in 0..20 {
        let mut is_changed = false;
        for at in clashes(candidates, fixed) {
            let candidate = &mut candidates[at];
            if candidate.chosen + 1 < candidate.resources.len() {
                candidate.chosen += 1;
                is_changed = true;
            }
        }
        if !is_changed {
            return;
        }
    }
}

/// The places whose id is that of another place too.
fn clashes(candidates: &[IdCandidate], fixed: &[Option<&String>]) -> Vec<usize> {
    let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, candidate) in candidates.iter().enumerate() {
        let id = fixed[at].cloned().unwrap_or_else(|| candidate.id());
        places.entry(id).or_default().push(at);
    }
    let several = places.into_values().filter(|places| places.len() > 1).flatten();
    several.filter(|at| fixed[*at].is_none()).collect()
}

/// All of these places but the shortest path of each id, which keeps the plain one.
fn later(places: Vec<usize>, candidates: &[IdCandidate], endpoints: &[Endpoint]) -> Vec<usize> {
    let mut first: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for at in &places {
        let length = endpoints[*at].path.matches('/').count();
        let entry = first.entry(candidates[*at].id()).or_insert((length, *at));
        *entry = (*entry).min((length, *at));
    }
    let is_first = |at: &usize| first.values().any(|(_, place)| place == at);
    places.into_iter().filter(|at| !is_first(at)).collect()
}

fn by_parameter(candidate: &IdCandidate, _: &Endpoint) -> String {
    candidate.parameter.as_ref().map_or_else(String::new, |name| format!("_by_{name}"))
}

fn by_operation(_: &IdCandidate, endpoint: &Endpoint) -> String {
    let words = folded(&endpoint.operation_id);
    if words.is_empty() { String::new() } else { format!("_{words}") }
}

fn by_digest(_: &IdCandidate, endpoint: &Endpoint) -> String {
    format!("_{}", letters(endpoint))
}

/// Returns six letters that identify method and path.
fn letters(endpoint: &Endpoint) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in endpoint.request().bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    (0..6).map(|at| char::from(b'a' + u8::try_from((hash >> (at * 8)) % 26).unwrap_or(0))).collect()
}

/// Shortens the id to its maximum length: whole words are removed from the middle, then letters distinguish it.
fn fitting(id: String, room: usize, endpoint: &Endpoint, taken: &BTreeSet<String>) -> String {
    if id.len() <= room && !taken.contains(&id) {
        return id;
    }
    let (resource, action) = id.split_once('.').unwrap_or((id.as_str(), "call"));
    let shorter = shortened(resource, action, room);
    if !taken.contains(&shorter) {
        return shorter;
    }
    let tail = format!("_{}", letters(endpoint));
    shortened(resource, action, room.saturating_sub(tail.len())) + &tail
}

/// Both parts in whole words, of which the first and the last stay; a word that is too long by itself is cut.
fn shortened(resource: &str, action: &str, room: usize) -> String {
    let mut parts = [resource, action].map(|part| part.split('_').collect::<Vec<_>>());
    let length = |parts: &[Vec<&str>; 2]| {
        parts.iter().flatten().map(|word| word.len() + 1).sum::<usize>().saturating_sub(1)
    };
    while length(&parts) > room {
        let wide = |part: &Vec<&str>| (part.len() > 2).then(|| part.iter().map(|w| w.len()).sum());
        let widest = (0..2).max_by_key(|at| wide(&parts[*at]).unwrap_or(0usize)).unwrap_or(0);
        if parts[widest].len() <= 2 {
            break;
        }
        let middle = parts[widest].len() / 2;
        parts[widest].remove(middle);
    }
    let [resource, action] = parts.map(|words| words.join("_"));
    let half = room.saturating_sub(1) / 2;
    let cut =
        |text: &str, most: usize| text[..text.len().min(most)].trim_end_matches('_').to_owned();
    if resource.len() + 1 + action.len() <= room {
        return format!("{resource}.{action}");
    }
    let action = cut(&action, half.max(8));
    let rest = room.saturating_sub(1 + action.len());
    format!("{}.{action}", cut(&resource, rest.max(4)))
}

fn candidate(
    endpoint: &Endpoint,
    methods: Option<&BTreeSet<&str>>,
    is_collection: bool,
    room: usize,
) -> IdCandidate {
    let called = called_by_name(&endpoint.path);
    let mut words: Vec<String> = Vec::new();
    let mut parameters: Vec<String> = Vec::new();
    let mut ends_in_parameter = false;
    let mut verb = None;
    let segments: Vec<&str> = endpoint.path.split('/').filter(|part| !part.is_empty()).collect();
    let has = |method: &str| methods.is_some_and(|methods| methods.contains(method));
    for (at, segment) in segments.iter().enumerate() {
        let (segment, custom) = match segment.rsplit_once(':') {
            Some((before, action)) if !action.is_empty() && !action.contains('}') => {
                (before, Some(action))
            }
            _ => (*segment, None),
        };
        let mut rest = segment;
        let mut fixed = String::new();
        let mut has_parameter = false;
        while let Some((before, after)) = rest.split_once('{') {
            fixed.push_str(before);
            fixed.push('_');
            let (name, behind) = after.split_once('}').unwrap_or((after, ""));
            parameters.push(identifier(name, "value"));
            has_parameter = true;
            rest = behind;
        }
        fixed.push_str(rest);
        let word = folded(fixed.trim_end_matches(".json").trim_end_matches(".xml"));
        if has_parameter {
            ends_in_parameter = word.is_empty() || segments.len() == at + 1 && !is_verb(&word);
        }
        let is_version = words.is_empty() && is_prefix(&word);
        if let Some((resources, _)) = called.as_ref().filter(|_| segments.len() == at + 1) {
            words.extend(resources.iter().map(|word| identifier(word, "call")));
            ends_in_parameter = false;
            continue;
        }
        if !word.is_empty() && !is_version {
            if !has_parameter {
                ends_in_parameter = false;
            }
            words.push(identifier(&word, "call"));
        } else if word.is_empty() && !has_parameter {
            ends_in_parameter = false;
        }
        if let Some(action) = custom.filter(|_| segments.len() == at + 1) {
            verb = Some(folded(action));
        }
    }
    if words.is_empty() {
        words.push("root".to_owned());
    }
    let last = words.last().cloned().unwrap_or_default();
    let is_list = endpoint.reply.list.is_some();
    let method = endpoint.method.as_str();
    // `/splitConfigurations` with an `/{id}` below is a collection, though `split` is a verb.
    let is_noun = is_collection && last.contains('_') && is_plural(&last);
    let action = if let Some((_, action)) = called {
        identifier(&action, "call")
    } else if let Some(verb) = verb.filter(|verb| !verb.is_empty()) {
        verb_action(method, &identifier(&verb, "call"))
    } else if !ends_in_parameter && is_verb(&last) && !is_noun && words.len() > 1 {
        words.pop();
        verb_action(method, &last)
    } else if words.len() > 1 && words[0] == "search" && matches!(method, "GET" | "POST") {
        words.remove(0);
        "search".to_owned()
    } else if ends_in_parameter {
        let is_bare = !endpoint.inputs.iter().any(|input| input.place.is_in_body());
        item_action(method, (is_list, is_bare), &has)
    } else {
        let is_many = is_list || is_plural(&last) || is_collection && method == "GET";
        collection_action(method, is_many, is_list, &has)
    };
    let action = if is_list { action } else { without_list(action) };
    let words: Vec<String> = words.iter().map(|word| singular(word)).collect();
    let parameter = parameters.pop();
    let resources = resources(&words, room.saturating_sub(action.len() + 1));
    IdCandidate { action, parameter, resources, chosen: 0, suffix: String::new() }
}

/// `list` promises entries and pages, so a reply that is passed on whole has another word.
fn without_list(action: String) -> String {
    match action.strip_prefix("list") {
        Some("") => "get_all".to_owned(),
        Some(rest) if rest.starts_with('_') => format!("get{rest}"),
        _ => action,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::model::{ListForm, ReplyForm};

    fn endpoint(request: &str) -> Endpoint {
        let (method, path) = request.split_once(' ').unwrap();
        let last = folded(path.rsplit('/').next().unwrap().trim_end_matches(".json"));
        let is_list = method == "GET" && (is_plural(&last) || last.ends_with("_list"));
        let list = is_list.then(ListForm::default);
        Endpoint {
            method: method.to_owned(),
            path: path.to_owned(),
            operation_id: "op".to_owned(),
            summary: String::new(),
            tags: Vec::new(),
            is_deprecated: false,
            is_marked_unsafe: false,
            inputs: Vec::new(),
            content_type: String::new(),
            reply: ReplyForm { list, ..ReplyForm::default() },
            security: None,
            servers: Vec::new(),
            credential: None,
            obstacle: None,
            notes: Vec::new(),
        }
    }

    fn ids(requests: &[&str], room: usize) -> Vec<String> {
        let endpoints: Vec<_> = requests.iter().map(|request| endpoint(request)).collect();
        assign(&endpoints, &BTreeMap::new(), room).into_iter().map(|id| id.id).collect()
    }

    #[test]
    fn ids_come_from_the_words_of_the_path_and_the_method() {
        let requests = [
            ("GET /v1/pets", "pet.list"),
            ("POST /v1/pets", "pet.create"),
            ("GET /v1/pets/{petId}", "pet.get"),
            ("PUT /v1/pets/{petId}", "pet.replace"),
            ("PATCH /v1/pets/{petId}", "pet.update"),
            ("DELETE /v1/pets/{petId}", "pet.delete"),
            ("DELETE /v1/pets", "pet.delete_all"),
            ("POST /v1/pets/{petId}/archive", "pet.archive"),
            ("GET /v1/pets/findByStatus", "pet.find_by_status"),
            ("POST /v1/projects/{id}:cancel", "project.cancel"),
            ("GET /v1/health", "health_entry.get"),
            ("HEAD /v1/health/ping", "health_entry.check_ping"),
            ("GET /v1/health/ping", "health_entry.get_ping"),
            ("GET /v1/class", "class_entry.get"),
            ("GET /v1/contacts/imports", "contact_import.list"),
            ("GET /v1/role/{key}", "role.get"),
            ("PUT /v1/pets/{id}/tags/{tag}", "tag.add"),
            ("DELETE /v1/pets/{id}/tags/{tag}", "tag.delete"),
            ("GET /", "root.get"),
            ("GET /v1/2fa", "n2fa.get"),
            ("GET /api/v2/user-profiles.json", "user_profile.list"),
            ("POST /api/chat.postMessage", "chat.post_message"),
            ("GET /channels.list", "channel.list"),
            ("GET /shops/{id}/splitRules", "split_rule.list"),
            ("GET /shops/{id}/splitRules/{ruleId}", "split_rule.get"),
        ];
        let found = ids(&requests.map(|(request, _)| request), 54);
        assert_eq!(found, requests.map(|(_, id)| id));
    }

    #[test]
    fn a_reply_that_is_not_a_list_has_no_list_command() {
        let plain = |request: &str| Endpoint { reply: ReplyForm::default(), ..endpoint(request) };
        let all = [
            plain("GET /pets"),
            plain("GET /pets/{id}"),
            plain("GET /rooms.list"),
            plain("GET /rooms.listPeople"),
            plain("GET /role"),
            plain("GET /role/{key}"),
        ];
        let found: Vec<_> =
            assign(&all, &BTreeMap::new(), 54).into_iter().map(|found| found.id).collect();
        let wanted = ["pet.get_all", "pet.get", "room.get_all", "room.get_people"];
        assert_eq!(found[..4], wanted);
        assert_eq!(found[4..], ["role.get_all", "role.get"]);
        let mut of_one = endpoint("GET /attempts/by/{id}");
        of_one.reply.list = Some(ListForm::default());
        let found = assign(&[of_one], &BTreeMap::new(), 54);
        assert_eq!(found[0].id, "by.list");
    }

    #[test]
    fn a_clash_is_resolved_by_words_and_never_by_a_number() {
        let found = ids(
            &[
                "GET /issues",
                "GET /repos/{o}/issues",
                "GET /orgs/{org}/issues",
                "GET /users/{name}",
                "GET /users/{id}/{other}",
                "GET /a/{x}",
                "GET /a/{y}",
                "GET /a/{X}",
            ],
            54,
        );
        assert_eq!(
            found[..5],
            ["issue.list", "repo_issue.list", "org_issue.list", "user.get", "user.get_by_other"]
        );
        let unique: BTreeSet<_> = found.iter().collect();
        assert_eq!(unique.len(), found.len(), "{found:?}");
        let last = |id: &String| id.ends_with(|end: char| end.is_ascii_digit());
        assert!(!found.iter().any(last), "{found:?}");
    }

    #[test]
    fn an_id_fits_and_stays_what_it_was() {
        let long = "GET /enterprises/{e}/code-security/configurations/very-long-words-in-this-path/{id}/details";
        let found = ids(&[long, "GET /x/very-long-words-in-this-path/{id}/details"], 30);
        assert!(found.iter().all(|id| id.len() <= 30), "{found:?}");
        let endpoints = [endpoint("GET /pets"), endpoint("GET /animals/pets")];
        let kept = [(("GET".to_owned(), "/animals/pets".to_owned()), "pet.list".to_owned())].into();
        let found = assign(&endpoints, &kept, 54);
        assert_eq!(found[1].id, "pet.list");
        assert_ne!(found[0].id, "pet.list");
    }
}
