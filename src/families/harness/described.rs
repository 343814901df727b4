//! The preset of a description: what was decided about its commands, in the format of docs/presets.md.
//!
//! Every text is quoted; names are the folded ones of `openapi`. The text is read again as any user's preset is.

use std::collections::BTreeMap;

use serde_json::Value;

use super::connector::ToolName;
use crate::generate::record_text::quote;
use crate::openapi::{
    ApiCommand, ApiDescription, ApiField, ApiPaging, ApiPlan, CredentialForm, InputKind,
    InputPlace, ReplyKind, plural,
};

/// Names in the response of a list that are not the result.
const TAKEN: [&str; 8] = [
    "count",
    "next_cursor",
    "has_more",
    "complete",
    "doubts",
    "incomplete_reason",
    "cut",
    "missing",
];

/// The prefix of environment variables of a tool.
#[must_use]
pub fn variable_prefix(tool: &ToolName) -> String {
    let upper = tool.short().to_uppercase().replace('-', "_");
    if upper.starts_with(|first: char| first.is_ascii_digit()) {
        format!("AOS_{upper}")
    } else {
        upper
    }
}

/// The text of the preset.
#[must_use]
pub fn preset(tool: &ToolName, api: &ApiDescription, plan: &ApiPlan) -> String {
    let mut text = DescribedWriter::default();
    let title = if api.title.is_empty() { tool.short() } else { &api.title };
    let summary = if api.summary.is_empty() { title } else { &api.summary };
    text.line("# Made from a description of the API; its texts are those of its author.\n");
    text.text("label", title);
    text.text("summary", summary);
    text.text("backend", &format!("{}-api", tool.short()));
    text.text("category", "general");
    text.line("categories = [\"general\"]");
    text.text("documentation", &api.documentation);
    auth(&mut text, tool, api, plan);
    let common = common_paging(plan);
    address(&mut text, tool, plan, common.as_ref());
    for field in &plan.fields {
        write_field(&mut text, field);
    }
    for command in &plan.commands {
        operation(&mut text, plan, command, common.as_ref());
    }
    text.0
}

#[derive(Default)]
struct DescribedWriter(String);

impl DescribedWriter {
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn text(&mut self, name: &str, value: &str) {
        self.line(&format!("{name} = {}", quote(value)));
    }

    fn texts<'a>(&mut self, name: &str, values: impl IntoIterator<Item = &'a str>) {
        let quoted: Vec<_> = values.into_iter().map(quote).collect();
        if !quoted.is_empty() {
            self.line(&format!("{name} = [{}]", quoted.join(", ")));
        }
    }

    fn pairs<'a>(&mut self, name: &str, pairs: impl Iterator<Item = (&'a str, &'a str)>) {
        let pairs: Vec<_> =
            pairs.map(|(wire, field)| format!("{} = {}", quote(wire), quote(field))).collect();
        if !pairs.is_empty() {
            self.line(&format!("{name} = {{ {} }}", pairs.join(", ")));
        }
    }
}

fn auth(text: &mut DescribedWriter, tool: &ToolName, api: &ApiDescription, plan: &ApiPlan) {
    let credentials = &plan.credentials;
    let mut keys = Vec::new();
    let mut setup = Vec::new();
    if plan.base_url.is_empty() {
        let name = address_key(tool);
        setup.push(format!("Store the address of the API as {name} in API Keys."));
        keys.push(name);
    }
    let title = if api.title.is_empty() { tool.short() } else { &api.title };
    if !credentials.user.is_empty() {
        keys.push(credentials.user.clone());
        setup.push(format!("Store the name of the user as {} in API Keys.", credentials.user));
    }
    if !credentials.secret.is_empty() {
        keys.push(credentials.secret.clone());
        setup.push(if credentials.is_ready_token {
            format!("Obtain an access token of {title} by OAuth; it is sent as it is.")
        } else {
            format!("Create a key in the settings of {title}.")
        });
        setup.push(format!("Store it as {} in API Keys.", credentials.secret));
    }
    for more in &credentials.more {
        keys.push(more.variable.clone());
        setup.push(format!("Store the key for {} as {} in API Keys.", more.name, more.variable));
    }
    let (scheme, header) = match &credentials.form {
        CredentialForm::None => ("none", ""),
        CredentialForm::Bearer => ("bearer", "Authorization"),
        CredentialForm::Basic => ("basic", ""),
        CredentialForm::Header(name) => ("header", name.as_str()),
        CredentialForm::Query(name) => ("query", name.as_str()),
    };
    text.line("\n[auth]");
    text.text("kind", "service-key");
    let quoted: Vec<_> = keys.iter().map(|key| quote(key)).collect();
    text.line(&format!("service_keys = [{}]", quoted.join(", ")));
    let quoted: Vec<_> = setup.iter().map(|step| quote(step)).collect();
    text.line(&format!("interactive_setup = [{}]", quoted.join(", ")));
    text.text("scheme", scheme);
    text.text("header", header);
    text.text("user_key", &credentials.user);
    text.text("secret_key", &credentials.secret);
    let more: Vec<_> = credentials
        .more
        .iter()
        .map(|more| {
            let place = if more.in_query { "query" } else { "header" };
            format!("{{ {place} = {}, key = {} }}", quote(&more.name), quote(&more.variable))
        })
        .collect();
    if !more.is_empty() {
        text.line(&format!("more = [{}]", more.join(", ")));
    }
}

fn address_key(tool: &ToolName) -> String {
    format!("{}_API_URL", variable_prefix(tool))
}

fn address(
    text: &mut DescribedWriter,
    tool: &ToolName,
    plan: &ApiPlan,
    paging: Option<&ApiPaging>,
) {
    text.line("\n[api]");
    text.text("base_url", &plan.base_url);
    if plan.base_url.is_empty() {
        text.text("base_url_key", &address_key(tool));
    } else {
        text.text("url_override", &address_key(tool));
    }
    let has_text =
        plan.commands.iter().any(|command| command.endpoint.reply.kind == ReplyKind::Text);
    let accept = if has_text { "application/json, text/plain, */*" } else { "application/json" };
    text.line(&format!("headers = {{ Accept = {} }}", quote(accept)));
    text.text("error_style", "status");
    let path = plan.health.as_deref().unwrap_or("/");
    text.line(&format!("health = {{ method = \"GET\", path = {} }}", quote(path)));
    if let Some(paging) = paging {
        text.line(&format!("paging = {}", paging_table(paging)));
    }
}

/// The way of paging that most lists have.
fn common_paging(plan: &ApiPlan) -> Option<ApiPaging> {
    let mut found: Vec<(ApiPaging, usize)> = Vec::new();
    let lists = plan.commands.iter().filter_map(|command| command.endpoint.reply.list.as_ref());
    for paging in lists.filter_map(|list| list.paging.as_ref()) {
        match found.iter_mut().find(|(known, _)| known == paging) {
            Some((_, count)) => *count += 1,
            None => found.push((paging.clone(), 1)),
        }
    }
    let most = found.iter().map(|(_, count)| *count).max()?;
    found.into_iter().find(|(_, count)| *count == most).map(|(paging, _)| paging)
}

fn paging_table(paging: &ApiPaging) -> String {
    let is_numbered = matches!(paging.style, "page" | "offset");
    let mut members = vec![
        format!("style = {}", quote(paging.style)),
        format!("limit = {}", quote(&paging.limit)),
        format!("max_limit = {}", paging.max_limit),
    ];
    for (name, value) in [
        ("position", &paging.position),
        ("next", &paging.next),
        ("more", &paging.more),
        ("total", &paging.total),
    ] {
        let is_number = is_numbered && name == "next";
        if !value.is_empty() && !is_number {
            members.push(format!("{name} = {}", quote(value)));
        }
    }
    if paging.empty_ends && !is_numbered {
        members.push("empty_ends = true".to_owned());
    }
    if paging.is_in_body {
        members.push("in = \"body\"".to_owned());
    }
    format!("{{ {} }}", members.join(", "))
}

fn write_field(text: &mut DescribedWriter, field: &ApiField) {
    let kind = match &field.kind {
        InputKind::Text | InputKind::Decimal => "string",
        InputKind::LongText | InputKind::File => "richtext",
        InputKind::Integer => "number",
        InputKind::Flag => "boolean",
        InputKind::Choice(_) => "select",
        InputKind::List { .. } => "list",
        InputKind::Json => "json",
    };
    text.line("\n[[fields]]");
    text.text("id", &field.id);
    text.text("label", &field.label);
    text.text("type", kind);
    text.text("help", &field.help);
    if let InputKind::Choice(choices) = &field.kind {
        let shown: Vec<String> = choices.iter().map(plain).collect();
        text.texts("options", shown.iter().map(String::as_str));
    }
    if let Some(sample) = &field.sample {
        text.line(&format!("sample = {}", toml(sample)));
    }
    if field.kind == InputKind::File {
        text.line("binary = true");
    }
}

fn operation(
    text: &mut DescribedWriter,
    plan: &ApiPlan,
    command: &ApiCommand,
    common: Option<&ApiPaging>,
) {
    let endpoint = &command.endpoint;
    let resource = command.id.split('.').next().unwrap_or_default();
    let summary =
        if endpoint.summary.is_empty() { endpoint.request() } else { endpoint.summary.clone() };
    text.line("\n[[operations]]");
    text.text("id", &command.id);
    text.text("summary", &summary);
    text.text("method", &endpoint.method);
    text.text("path", &path(command));
    text.text("x_request", &endpoint.request());
    if !endpoint.operation_id.is_empty() {
        text.text("x_operation_id", &endpoint.operation_id);
    }
    let wires = |place: InputPlace| {
        command.inputs(place).map(|(input, option)| (input.name.as_str(), option))
    };
    text.pairs("query", wires(InputPlace::Query));
    text.pairs("headers", wires(InputPlace::Header));
    let whole = command.inputs(InputPlace::WholeBody).map(|(_, option)| ("", option));
    text.pairs("body", wires(InputPlace::Body).chain(whole));
    let mut styles: BTreeMap<String, &str> = BTreeMap::new();
    let (mut typed, mut required) = (Vec::new(), Vec::new());
    for (input, option) in endpoint.inputs.iter().zip(&command.options) {
        if !input.style.is_empty() {
            let name = if input.place == InputPlace::Path {
                format!("{{{option}}}")
            } else {
                input.name.clone()
            };
            styles.insert(name, &input.style);
        }
        let is_typed = match &input.kind {
            InputKind::Decimal => true,
            InputKind::List { is_typed } => *is_typed,
            InputKind::Choice(choices) => !choices.iter().all(Value::is_string),
            _ => false,
        };
        let is_json = endpoint.content_type.is_empty() || endpoint.content_type.ends_with("json");
        if is_typed && is_json && input.place == InputPlace::Body {
            typed.push(input.name.as_str());
        }
        if input.is_required && input.place != InputPlace::Path {
            required.push(option.as_str());
        }
    }
    let samples = own_samples(plan, command);
    if !samples.is_empty() {
        text.line(&format!("samples = {{ {} }}", samples.join(", ")));
    }
    text.pairs("styles", styles.iter().map(|(name, style)| (name.as_str(), *style)));
    text.texts("typed", typed);
    text.texts("required", required);
    let is_json = endpoint.content_type.is_empty() || endpoint.content_type == "application/json";
    if !is_json {
        text.text("content_type", &endpoint.content_type);
    }
    if endpoint.reply.kind == ReplyKind::Text {
        text.line("text = true");
    }
    if command.is_public && plan.credentials.form != CredentialForm::None {
        text.line("public = true");
    }
    text.text("mode", command.decision.mode);
    text.text("action_class", command.decision.class);
    match &endpoint.reply.list {
        None => text.text("result", &safe(resource)),
        Some(list) => {
            text.text("result", &safe(&plural(resource)));
            text.line("list = true");
            text.text("items", &list.items);
            text.text("item_id", &list.item_id);
            text.text("item_name", &list.item_name);
            text.texts("slim", list.slim.iter().map(String::as_str));
            match (&list.paging, common) {
                (Some(own), Some(common)) if own == common => {}
                (Some(own), _) => text.line(&format!("paging = {}", paging_table(own))),
                (None, Some(_)) => text.line("paging = { style = \"none\" }"),
                (None, None) => {}
            }
        }
    }
}

/// The samples of inputs that the sample of their shared option does not fit.
fn own_samples(plan: &ApiPlan, command: &ApiCommand) -> Vec<String> {
    let inputs = command.endpoint.inputs.iter().zip(&command.options);
    let own = inputs.filter_map(|(input, option)| {
        let sample = input.sample.as_ref()?;
        let field = plan.fields.iter().find(|field| field.id == *option)?;
        let is_other = field.sample.as_ref() != Some(sample);
        is_other.then(|| format!("{} = {}", quote(option), toml(sample)))
    });
    own.collect()
}

/// The path with the options in the place of its parameters.
fn path(command: &ApiCommand) -> String {
    let mut path = format!("{}{}", command.prefix, command.endpoint.sent_path());
    // Names first become marks, so that an option never meets a parameter of the same name.
    let inputs: Vec<_> = command.inputs(InputPlace::Path).collect();
    for (at, (input, _)) in inputs.iter().enumerate() {
        path = path.replace(&format!("{{{}}}", input.name), &format!("{{\u{0}{at}}}"));
    }
    for (at, (_, option)) in inputs.iter().enumerate() {
        path = path.replace(&format!("{{\u{0}{at}}}"), &format!("{{{option}}}"));
    }
    path
}

fn safe(name: &str) -> String {
    if TAKEN.contains(&name) { format!("{name}_value") } else { name.to_owned() }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A value as TOML; what is null is left out.
fn toml(value: &Value) -> String {
    match value {
        Value::String(text) => quote(text),
        Value::Array(values) => {
            let values: Vec<_> = values.iter().filter(|value| !value.is_null()).map(toml).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Object(members) => {
            let members: Vec<_> = members
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| format!("{} = {}", quote(name), toml(value)))
                .collect();
            format!("{{ {} }}", members.join(", "))
        }
        Value::Number(number) if number.is_u64() && !number.is_i64() => "1".to_owned(),
        other => other.to_string(),
    }
}
