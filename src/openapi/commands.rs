//! From a description and a selection to the commands of a project: ids, modes, options, address, credentials.
//!
//! Decides everything and writes nothing; what is left out is named with its reason.

use std::collections::BTreeSet;

use super::auth::{self, ApiCredentials};
use super::fields::{ApiField, FieldNames, KeptOptions};
use super::ids;
use super::model::{ApiDescription, Endpoint, InputPlace};
use super::modes::{self, ModeDecision};
use super::secrets::without_secrets;
use super::selection::Selection;
use super::servers;
use super::wishes::{ApiWishes, WishFault, check_wishes, renamed, wished_mode};
use crate::visible::excerpt;

/// Most operations that are taken without a selection.
pub const MAX_UNASKED: usize = 60;

/// A command.
#[derive(Clone, Debug)]
pub struct ApiCommand {
    pub id: String,
    /// Why the id is not the plain one.
    pub id_reason: Option<String>,
    pub decision: ModeDecision,
    pub endpoint: Endpoint,
    /// The option of each input, in their order.
    pub options: Vec<String>,
    /// The text before the path, if the operation has a separate server.
    pub prefix: String,
    /// It is called without credentials.
    pub is_public: bool,
}

/// An operation that does not become a command.
#[derive(Clone, Debug)]
pub struct LeftOut {
    pub request: String,
    pub id: String,
    pub reason: String,
}

/// Everything that is decided.
#[derive(Clone, Debug)]
pub struct ApiPlan {
    pub commands: Vec<ApiCommand>,
    pub fields: Vec<ApiField>,
    pub left_out: Vec<LeftOut>,
    /// The number of operations that the selection does not include.
    pub unselected: usize,
    pub base_url: String,
    pub credentials: ApiCredentials,
    pub health: Option<String>,
    pub notes: Vec<String>,
}

/// Decides on everything.
///
/// # Errors
/// Returns an error if a wish cannot be met, or nothing is left.
pub fn plan(
    api: &ApiDescription,
    wishes: &ApiWishes,
    (name, room): (&str, usize),
) -> Result<ApiPlan, WishFault> {
    let ids = ids::assign(&api.endpoints, &wishes.kept, room);
    let selection = Selection::parse(&wishes.select);
    let all = api.endpoints.iter().zip(ids.iter().map(|id| id.id.as_str()));
    if let Some(at) = selection.unused(all).first() {
        return Err(WishFault::Select(excerpt(&wishes.select[*at], 80)));
    }
    let (mut chosen, mut left_out, mut unselected) = (Vec::new(), Vec::new(), 0);
    for (endpoint, id) in api.endpoints.iter().zip(ids) {
        let key = (endpoint.method.clone(), endpoint.path.clone());
        let is_wanted = match &wishes.only {
            Some(only) => only.contains(&key),
            None => selection.includes(endpoint, &id.id),
        };
        let takes_deprecated =
            wishes.include_deprecated || wishes.only.is_some() || wishes.kept.contains_key(&key);
        if !is_wanted {
            unselected += 1;
        } else if endpoint.is_deprecated && !takes_deprecated {
            left_out.push(left(endpoint, id.id, "it is deprecated"));
        } else if let Some(obstacle) = &endpoint.obstacle {
            left_out.push(left(endpoint, id.id, obstacle));
        } else {
            chosen.push((endpoint, id));
        }
    }
    let base = servers::usual(&api.servers).map_or("", |server| server.url.as_str());
    let credentials = auth::choose(api, chosen.iter().map(|(endpoint, _)| *endpoint), name);
    let mut plan = ApiPlan {
        commands: Vec::new(),
        fields: Vec::new(),
        left_out,
        unselected,
        base_url: base.to_owned(),
        health: None,
        notes: [api.notes.as_slice(), credentials.notes.as_slice()].concat(),
        credentials,
    };
    let known: Vec<String> = chosen.iter().map(|(_, id)| id.id.clone()).collect();
    check_wishes(wishes, &known)?;
    let mut taken: BTreeSet<String> =
        known.iter().filter(|id| !wishes.renames.contains_key(*id)).cloned().collect();
    let mut fields = FieldNames::default();
    let without = KeptOptions::new();
    let kept = |endpoint: &Endpoint| {
        let key = (endpoint.method.clone(), endpoint.path.clone());
        wishes.options.get(&key).unwrap_or(&without)
    };
    for (endpoint, _) in &chosen {
        fields.reserve(endpoint, kept(endpoint));
    }
    for (endpoint, assigned) in chosen {
        let Some(prefix) = servers::prefix(base, &endpoint.servers) else {
            let url = endpoint.servers.first().map_or("", |server| server.url.as_str());
            let reason = format!("it is on another server, {}", excerpt(url, 80));
            plan.left_out.push(left(endpoint, assigned.id, &reason));
            continue;
        };
        let is_public = match plan.credentials.needs(endpoint) {
            Ok(needs) => !needs,
            Err(reason) => {
                plan.left_out.push(left(endpoint, assigned.id, reason.as_str()));
                continue;
            }
        };
        let decision = modes::decide(endpoint, &assigned.id);
        let decision = match wishes.modes.get(&assigned.id) {
            None => decision,
            Some(mode) => wished_mode(mode, endpoint, &assigned.id, wishes, &decision)?,
        };
        let (id, id_reason) = match wishes.renames.get(&assigned.id) {
            None => (assigned.id, assigned.reason),
            Some(new) => {
                renamed(&assigned.id, new, room, &taken)?;
                taken.insert(new.clone());
                (new.clone(), Some("--rename".to_owned()))
            }
        };
        let mut endpoint = endpoint.clone();
        if let Err(reason) = without_secrets(&mut endpoint, is_public) {
            plan.left_out.push(left(&endpoint, id, reason.as_str()));
            continue;
        }
        let options = fields.assign(&endpoint, &id, kept(&endpoint));
        plan.commands.push(ApiCommand {
            id,
            id_reason,
            decision,
            endpoint,
            options,
            prefix,
            is_public,
        });
    }
    if plan.commands.is_empty() {
        return Err(WishFault::Nothing(main_reasons(&plan.left_out)));
    }
    plan.fields = fields.fields;
    plan.health = health(&plan.commands);
    if base.is_empty() {
        plan.notes.push(
            "it names no https server, so each operator sets the address of the API".to_owned(),
        );
    }
    Ok(plan)
}

/// The reasons that most operations have, each with its count and an example.
fn main_reasons(left_out: &[LeftOut]) -> String {
    let mut found: Vec<(&str, &str, usize)> = Vec::new();
    for left in left_out {
        match found.iter_mut().find(|(reason, ..)| *reason == left.reason) {
            Some((.., count)) => *count += 1,
            None => found.push((&left.reason, &left.request, 1)),
        }
    }
    if found.is_empty() {
        return "the selection excludes all".to_owned();
    }
    found.sort_by_key(|(.., count)| std::cmp::Reverse(*count));
    let shown = found.iter().take(3).map(|(reason, request, count)| match count {
        1 => format!("{request}: {reason}"),
        count => format!("{request} and {} others: {reason}", count - 1),
    });
    shown.collect::<Vec<_>>().join("; ")
}

fn left(endpoint: &Endpoint, id: String, reason: &str) -> LeftOut {
    LeftOut { request: endpoint.request(), id, reason: reason.to_owned() }
}

/// A cheap read that works with any key: the own account, otherwise a list or an object that needs no input.
fn health(commands: &[ApiCommand]) -> Option<String> {
    const ABOUT_ME: [&str; 11] = [
        "me",
        "user",
        "self",
        "account",
        "whoami",
        "profile",
        "viewer",
        "current",
        "current_user",
        "session",
        "ping",
    ];
    let free = commands.iter().filter(|command| {
        let needs = command.endpoint.inputs.iter().any(|input| input.is_required);
        command.endpoint.method == "GET" && command.decision.mode == "readonly" && !needs
    });
    let rank = |command: &&ApiCommand| {
        let last = command.endpoint.path.rsplit('/').next().unwrap_or_default().to_lowercase();
        let is_about_me = ABOUT_ME.contains(&last.replace('-', "_").as_str());
        (
            command.is_public,
            !is_about_me,
            command.endpoint.reply.list.is_some(),
            command.endpoint.path.len(),
        )
    };
    let best = free.min_by_key(rank)?;
    let paging = best.endpoint.reply.list.as_ref().and_then(|list| list.paging.as_ref());
    let limit = paging.map_or("", |paging| paging.limit.as_str());
    let is_plain = |name: &str| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
    };
    let path = format!("{}{}", best.prefix, best.endpoint.sent_path());
    Some(if is_plain(limit) { format!("{path}?{limit}=1") } else { path })
}

impl ApiCommand {
    /// The inputs of one place with their options.
    pub fn inputs(
        &self,
        place: InputPlace,
    ) -> impl Iterator<Item = (&super::model::ApiInput, &str)> {
        let inputs = self.endpoint.inputs.iter().zip(self.options.iter().map(String::as_str));
        inputs.filter(move |(input, _)| input.place == place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::{InputKind, read};

    fn planned(text: &str) -> ApiPlan {
        let nothing = |_: &str| Err("no files".into());
        let api = read("api.yaml", text.as_bytes().to_vec(), &nothing).unwrap();
        plan(&api, &ApiWishes::default(), ("ACME", 54)).unwrap()
    }

    fn with(paths: &str, components: &str) -> String {
        format!(
            "openapi: 3.1.0\ninfo: {{title: A, version: '1'}}\nservers: [{{url: 'https://a.example'}}]\npaths:\n{paths}\ncomponents:\n{components}"
        )
    }

    #[test]
    fn a_schema_that_contains_itself_is_one_json_option() {
        let plan = planned(&with(
            "  /a: {post: {requestBody: {required: true, content: {application/json: {schema: {type: object, properties: {node: {$ref: '#/components/schemas/N'}, pair: {type: [string, 'null']}, only: {const: x}, any: {anyOf: [{type: string}, {type: 'null'}]}, two: {oneOf: [{type: string}, {type: integer}]}, only_values: {oneOf: [{const: 60, title: Hour}, {const: 1440}]}, open: {anyOf: [{type: string, format: date}, {type: string, enum: [now]}]}, size: {type: integer, enum: [1, 2, null]}}}}}}, responses: {'204': {description: ''}}}}",
            "  schemas: {N: {allOf: [{$ref: '#/components/schemas/N'}], type: object, properties: {next: {$ref: '#/components/schemas/N'}}}}",
        ));
        let kinds: Vec<_> =
            plan.fields.iter().map(|field| (field.id.as_str(), &field.kind)).collect();
        assert_eq!(kinds[0], ("node", &InputKind::Json));
        assert_eq!(kinds[1], ("pair", &InputKind::Text));
        assert_eq!(kinds[2], ("only", &InputKind::Choice(vec!["x".into()])));
        assert_eq!(kinds[3], ("any", &InputKind::Text));
        assert_eq!(kinds[4], ("two", &InputKind::Json));
        assert!(plan.fields[4].help.contains("string or integer"), "{}", plan.fields[4].help);
        let hours = InputKind::Choice(vec![60.into(), 1440.into()]);
        assert_eq!(kinds[5], ("only_values", &hours));
        assert_eq!(kinds[6], ("open", &InputKind::Text));
        assert_eq!(plan.fields[6].sample, Some("2026-01-31".into()));
        assert_eq!(kinds[7], ("size", &InputKind::Choice(vec![1.into(), 2.into()])));
    }

    #[test]
    fn credentials_are_those_of_most_operations_and_others_are_named() {
        let plan = planned(
            "openapi: 3.0.0\ninfo: {title: A, version: '1'}\nservers: [{url: /v1}]\nsecurity: [{key: []}, {}]\npaths:\n  \
             /a: {get: {responses: {}}}\n  /b: {get: {security: [], responses: {}}}\n  \
             /c: {get: {security: [{key: [], other: []}], responses: {}}}\n  \
             /d: {get: {security: [{other: []}], responses: {}}}\n\
             components: {securitySchemes: {key: {type: apiKey, in: query, name: k}, other: {type: apiKey, in: cookie, name: s}}}",
        );
        assert_eq!(plan.credentials.form, crate::openapi::CredentialForm::Query("k".to_owned()));
        assert_eq!(plan.credentials.secret, "ACME_API_KEY");
        let public: Vec<_> =
            plan.commands.iter().map(|one| (one.id.as_str(), one.is_public)).collect();
        assert_eq!(public, [("a.get", false), ("b.get", true)]);
        let reasons: Vec<_> = plan.left_out.iter().map(|left| left.reason.as_str()).collect();
        assert!(reasons[0].contains("`key` (a key in the query, k) and `other`"), "{reasons:?}");
        assert!(reasons[1].contains("a key in the cookie s"), "{reasons:?}");
        assert_eq!(plan.base_url, "");
    }

    #[test]
    fn keys_that_most_operations_want_at_once_are_all_sent() {
        let text = |alternatives: &str| {
            format!(
                "openapi: 3.0.0\ninfo: {{title: A, version: '1'}}\nservers: [{{url: 'https://a.example'}}]\nsecurity: {alternatives}\npaths:\n  \
                 /a: {{get: {{responses: {{}}}}}}\n  /b: {{get: {{responses: {{}}}}}}\n  \
                 /c: {{get: {{security: [{{app: []}}], responses: {{}}}}}}\n\
                 components: {{securitySchemes: {{app: {{type: apiKey, in: header, name: X-App-Id}}, \
                 sign: {{type: apiKey, in: query, name: acme-sign}}, user: {{type: http, scheme: basic}}, \
                 again: {{type: http, scheme: bearer}}, taste: {{type: apiKey, in: cookie, name: t}}}}}}"
            )
        };
        let credentials = |alternatives: &str| planned(&text(alternatives)).credentials;
        let both = planned(&text("[{sign: [], app: []}]"));
        assert_eq!(both.commands.len(), 3);
        let found = both.credentials;
        assert_eq!(found.form, crate::openapi::CredentialForm::Header("X-App-Id".to_owned()));
        assert_eq!(found.secret, "ACME_APP_ID");
        let [more] = &found.more[..] else { panic!("{found:?}") };
        assert_eq!((more.in_query, more.name.as_str()), (true, "acme-sign"));
        assert_eq!(more.variable, "ACME_SIGN");
        let basic = credentials("[{app: [], user: []}]");
        assert_eq!((basic.user.as_str(), basic.more.len()), ("ACME_USERNAME", 1));
        // One scheme is enough; two of `Authorization`, and cookies, cannot be sent.
        for alternatives in [
            "[{app: [], sign: []}, {again: []}]",
            "[{user: [], again: []}]",
            "[{app: [], taste: []}]",
        ] {
            assert_eq!(credentials(alternatives).more, [], "{alternatives}");
        }
    }

    #[test]
    fn paging_is_recognised_and_its_inputs_are_not_options() {
        let list = |parameters: &str, reply: &str, headers: &str| {
            with(
                &format!(
                    "  /a: {{get: {{parameters: [{parameters}], responses: {{'200': {{headers: {{{headers}}}, content: {{application/json: {{schema: {reply}}}}}}}}}}}}}"
                ),
                "  schemas: {E: {type: object, properties: {id: {type: string}}}}",
            )
        };
        let number = |name: &str| {
            format!("{{name: {name}, in: query, schema: {{type: integer, maximum: 40}}}}")
        };
        let array = "{type: array, items: {$ref: '#/components/schemas/E'}}";
        let wrapped =
            |more: &str| format!("{{type: object, properties: {{data: {array}, {more}}}}}");
        for (text, wanted) in [
            (
                list(&format!("{}, {}", number("page"), number("per_page")), array, ""),
                "page per_page 40 page ",
            ),
            (
                list(&format!("{}, {}", number("offset"), number("limit")), array, ""),
                "offset limit 40 offset ",
            ),
            (
                list(&number("per_page"), array, "Link: {schema: {type: string}}"),
                "link per_page 40  ",
            ),
            (
                list(
                    "{name: pageToken, in: query, schema: {type: string}}",
                    &wrapped("nextPageToken: {type: string}"),
                    "",
                ),
                "cursor  100 pageToken nextPageToken",
            ),
            (
                list(
                    "{name: cursor, in: query, schema: {type: string}}",
                    &wrapped(
                        "paging: {type: object, properties: {next: {type: string, format: uri}}}",
                    ),
                    "",
                ),
                "link  100  paging.next",
            ),
            (
                list(
                    "{name: marker, in: query, schema: {type: string}}",
                    &wrapped("next_marker: {type: string}"),
                    "",
                ),
                "cursor  100 marker next_marker",
            ),
            (
                list(
                    "{name: iterator, in: query, schema: {type: string}}",
                    &wrapped("iterator: {type: string, nullable: true}, done: {type: boolean}"),
                    "",
                ),
                "cursor  100 iterator iterator",
            ),
            (
                list(
                    "{name: PageToken, in: query, schema: {type: string}}",
                    &wrapped("NextPageToken: {type: string}"),
                    "",
                ),
                "cursor  100 PageToken NextPageToken",
            ),
            (
                list(
                    "{name: after, in: query, schema: {type: string}}",
                    &wrapped("has_more: {type: boolean}"),
                    "",
                ),
                "cursor  100 after data.-1.id",
            ),
        ] {
            let plan = planned(&text);
            let list = plan.commands[0].endpoint.reply.list.as_ref().unwrap();
            let paging = list.paging.as_ref().unwrap_or_else(|| panic!("{text}"));
            let said = format!(
                "{} {} {} {} {}",
                paging.style, paging.limit, paging.max_limit, paging.position, paging.next
            );
            assert_eq!(said, wanted);
            assert!(plan.commands[0].options.is_empty(), "{:?}", plan.commands[0].options);
        }
        for (members, reply, wanted) in [
            (
                "page_size: {type: integer}, start_cursor: {type: string}",
                "next_cursor: {type: string}",
                "cursor page_size start_cursor []",
            ),
            (
                "limit: {type: integer}, after: {type: string}",
                "paging: {type: object, properties: {next: {type: object, properties: {after: {type: string}}}}}",
                "cursor limit after []",
            ),
            (
                "size: {type: integer}, from: {type: integer}",
                "total: {type: integer}",
                "offset size from []",
            ),
            (
                "page: {type: integer}, limit: {type: integer}, words: {type: string}",
                "total: {type: integer}",
                "page limit page [\"words\"]",
            ),
        ] {
            let body = format!(
                "content: {{application/json: {{schema: {{type: object, properties: {{{members}}}}}}}}}"
            );
            let text = list("", &wrapped(reply), "")
                .replace("/a:", "/a/search:")
                .replace("get: {", &format!("post: {{requestBody: {{{body}}}, "));
            let plan = planned(&text);
            let found = plan.commands[0].endpoint.reply.list.as_ref().unwrap().paging.as_ref();
            let paging = found.unwrap_or_else(|| panic!("{text}"));
            assert!(paging.is_in_body);
            let options = &plan.commands[0].options;
            assert_eq!(
                format!("{} {} {} {options:?}", paging.style, paging.limit, paging.position),
                wanted
            );
        }
        let of_contacts = planned(&list(
            "",
            "{type: object, properties: {Contacts: {type: array, items: {type: object, properties: {GroupID: {type: string}, ContactID: {type: string}}}}, Warnings: {type: array, items: {type: object, properties: {Message: {type: string}}}}}}",
            "",
        ));
        let list_of = of_contacts.commands[0].endpoint.reply.list.as_ref().unwrap();
        assert_eq!((list_of.items.as_str(), list_of.item_id.as_str()), ("Contacts", "ContactID"));
        let of_time = planned(&list(
            "{name: after, in: query, schema: {type: string, format: date-time}}",
            &wrapped("has_more: {type: boolean}"),
            "",
        ));
        assert_eq!(of_time.commands[0].options, ["after"]);
        let two = planned(&list(
            "",
            &format!("{{type: object, properties: {{a: {array}, b: {array}}}}}"),
            "",
        ));
        assert!(two.commands[0].endpoint.reply.list.is_none());
        assert!(two.commands[0].endpoint.notes[0].contains("2 lists (`a`, `b`)"));
    }
}
