//! Three tools instead of many: search, describe, call. A list of hundreds of schemas would fill the context of a
//! model.

use serde_json::{Map, Value, json};

use super::answer::ToolFault;
use super::catalogue::{Catalogue, Offered};
use super::mode::ToolMode;
use super::tool::{Hints, McpTool};

pub const SEARCH: &str = "search_tools";
pub const DESCRIBE: &str = "describe_tools";
pub const CALL: &str = "call_tool";

/// Most hits of a search, and most tools of one description.
const MAX_HITS: u64 = 50;
const USUAL_HITS: u64 = 10;
const MAX_DESCRIBED: usize = 20;
/// Most words of a query that count, and longest description of a hit.
const MAX_WORDS: usize = 20;
const MAX_DESCRIPTION: usize = 160;

/// The three tools.
#[must_use]
pub fn tools(catalogue: &Catalogue) -> Vec<McpTool> {
    let count = catalogue.tools().count();
    let modes: Vec<_> = catalogue.tools().map(|offered| offered.tool.mode).collect();
    let highest = modes.into_iter().max().unwrap_or(ToolMode::Readonly);
    let names: Vec<_> =
        catalogue.providers.iter().map(|provider| provider.identity().name.as_str()).collect();
    let own = |name: &str, description: String, input: Value, mode: ToolMode| McpTool {
        name: name.to_owned(),
        id: name.to_owned(),
        description,
        input: input.as_object().cloned().unwrap_or_default(),
        output: None,
        mode,
        tags: Vec::new(),
        is_meta: false,
        hints: Hints::of(mode, None),
    };
    let object = |properties: Value, required: &[&str]| {
        json!({"type": "object", "properties": properties, "required": required,
            "additionalProperties": false})
    };
    let text = |description: &str| json!({"type": "string", "description": description});
    vec![
        own(
            SEARCH,
            format!("Find tools by words; there are {count} of {}", names.join(", ")),
            object(
                json!({
                    "query": text("Words of the task, such as `list issues`; empty lists tools by name"),
                    "limit": {"type": "integer", "minimum": 1, "maximum": MAX_HITS, "default": USUAL_HITS},
                }),
                &["query"],
            ),
            ToolMode::Readonly,
        ),
        own(
            DESCRIBE,
            format!("Show the arguments of tools that `{SEARCH}` found"),
            object(
                json!({"names": {"type": "array", "items": {"type": "string"}, "minItems": 1,
                    "maxItems": MAX_DESCRIBED}}),
                &["names"],
            ),
            ToolMode::Readonly,
        ),
        own(
            CALL,
            format!(
                "Call a tool that `{SEARCH}` found, with the arguments that `{DESCRIBE}` shows"
            ),
            object(
                json!({"name": text("Name of the tool"), "arguments": {"type": "object"}}),
                &["name"],
            ),
            highest,
        ),
    ]
}

/// Tools that have words of the query in their name, tags or description, the best first.
#[must_use]
pub fn search(catalogue: &Catalogue, arguments: &Map<String, Value>) -> Value {
    let query = arguments.get("query").and_then(Value::as_str).unwrap_or_default().to_lowercase();
    let limit = arguments.get("limit").and_then(Value::as_u64).unwrap_or(USUAL_HITS).min(MAX_HITS);
    let words: Vec<_> = query
        .split(|symbol: char| !symbol.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(MAX_WORDS)
        .collect();
    let mut hits: Vec<(u32, Offered<'_>)> = catalogue
        .tools()
        .map(|offered| (score(offered.tool, &words), offered))
        .filter(|(score, _)| words.is_empty() || *score > 0)
        .collect();
    // Stable: equal scores stay in the order of names.
    hits.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let found = hits.len();
    let shown: Vec<_> = hits
        .into_iter()
        .take(usize::try_from(limit).unwrap_or(usize::MAX))
        .map(|(_, Offered { tool, .. })| {
            let description = crate::visible::excerpt(&tool.description, MAX_DESCRIPTION);
            json!({"name": tool.name, "description": description, "mode": tool.mode})
        })
        .collect();
    json!({"tools": shown, "found": found})
}

fn score(tool: &McpTool, words: &[&str]) -> u32 {
    let name = format!("{} {}", tool.name, tool.id).to_lowercase();
    let parts: Vec<_> = name.split(|symbol: char| !symbol.is_alphanumeric()).collect();
    let description = tool.description.to_lowercase();
    words
        .iter()
        .map(|word| {
            // `issues` finds `issue`, and the other way round.
            let stem = word.strip_suffix('s').filter(|stem| stem.len() > 2).unwrap_or(word);
            match () {
                () if parts.contains(word) || parts.contains(&stem) => 5,
                () if name.contains(stem) => 3,
                () if tool.tags.iter().any(|tag| tag.eq_ignore_ascii_case(word)) => 3,
                () if description.contains(stem) => 1,
                () => 0,
            }
        })
        .sum()
}

/// The whole descriptions of tools.
///
/// # Errors
/// Returns an error if a name is not that of a tool.
pub fn describe(catalogue: &Catalogue, arguments: &Map<String, Value>) -> Result<Value, ToolFault> {
    let names = arguments.get("names").and_then(Value::as_array).into_iter().flatten();
    let described = names.take(MAX_DESCRIBED).filter_map(Value::as_str).map(|name| {
        let found = catalogue.find(name).map_err(|refusal| unknown(name, refusal))?;
        let tool = found.tool;
        Ok(json!({
            "name": tool.name,
            "description": tool.description,
            "mode": tool.mode,
            "inputSchema": tool.input,
        }))
    });
    Ok(json!({"tools": described.collect::<Result<Vec<_>, ToolFault>>()?}))
}

/// Returns the error for a name that does not select a tool.
#[must_use]
pub fn unknown(name: &str, refusal: super::catalogue::Refusal) -> ToolFault {
    use super::catalogue::Refusal;
    let name = crate::visible::excerpt(name, 80);
    match refusal {
        Refusal::Unknown => {
            ToolFault::new("E_NOT_FOUND", format!("the tool `{name}` does not exist"))
                .data(json!({"fix": format!("`{SEARCH}` finds tools")}))
        }
        Refusal::Withheld(mode) => {
            let mode = mode.as_str();
            ToolFault::new(
                "E_FORBIDDEN",
                format!("`{name}` needs the mode {mode}, which is not allowed"),
            )
            .data(json!({
                "required_mode": mode,
                "fix": format!("a person can start the server with `--allow-mode {mode}`"),
            }))
        }
    }
}

/// The tool and the arguments that `call_tool` names.
#[must_use]
pub fn called(arguments: &mut Map<String, Value>) -> (String, Map<String, Value>) {
    let name = arguments.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let inner = match arguments.remove("arguments") {
        Some(Value::Object(inner)) => inner,
        _ => Map::new(),
    };
    (name, inner)
}
