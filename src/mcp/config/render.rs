//! The text of a configuration.

use serde_json::{Map, Value, json};
use toml_edit::{Array, DocumentMut, Item, Table};

use super::ServerEntry;
use super::client::{Form, McpClient, Secrets};

/// The placeholder for a value that the user must insert.
const PLACEHOLDER: &str = "VALUE OF ";

/// The configuration of a server for a client, ready for its file.
#[must_use]
pub fn text(client: &McpClient, server: &ServerEntry) -> String {
    match client.form {
        Form::Json(member) => json_text(client, server, member, false),
        Form::TypedJson(member) => json_text(client, server, member, true),
        Form::Toml => toml_text(server),
    }
}

fn json_text(client: &McpClient, server: &ServerEntry, member: &str, is_typed: bool) -> String {
    let mut entry = Map::new();
    if is_typed {
        entry.insert("type".to_owned(), "stdio".into());
    }
    entry.insert("command".to_owned(), server.command.as_str().into());
    entry.insert("args".to_owned(), server.arguments.clone().into());
    let variables: Map<String, Value> = server
        .secrets
        .iter()
        .map(|name| (name.clone(), value(client.secrets, name).into()))
        .collect();
    if !variables.is_empty() {
        entry.insert("env".to_owned(), variables.into());
    }
    let mut document = Map::new();
    if client.secrets == Secrets::Asked && !server.secrets.is_empty() {
        let asked = server.secrets.iter().map(|name| {
            json!({"type": "promptString", "id": input(name), "description": name, "password": true})
        });
        document.insert("inputs".to_owned(), asked.collect());
    }
    document.insert(member.to_owned(), json!({ server.name.as_str(): entry }));
    crate::contract::json::pretty(&Value::Object(document))
}

fn value(secrets: Secrets, name: &str) -> String {
    match secrets {
        Secrets::Reference { before, after } => format!("{before}{name}{after}"),
        Secrets::Asked => format!("${{input:{}}}", input(name)),
        Secrets::Named | Secrets::Literal => format!("{PLACEHOLDER}{name}"),
    }
}

/// The id of a question.
fn input(name: &str) -> String {
    name.to_lowercase().replace('_', "-")
}

fn toml_text(server: &ServerEntry) -> String {
    let list = |items: &[String]| Item::from(items.iter().map(String::as_str).collect::<Array>());
    let mut entry = Table::new();
    entry.insert("command", server.command.as_str().into());
    entry.insert("args", list(&server.arguments));
    if !server.secrets.is_empty() {
        entry.insert("env_vars", list(&server.secrets));
    }
    let mut servers = Table::new();
    servers.set_implicit(true);
    servers.insert(&server.name, Item::Table(entry));
    let mut document = DocumentMut::new();
    document.insert("mcp_servers", Item::Table(servers));
    document.to_string()
}

#[cfg(test)]
mod tests {
    use super::super::CLIENTS;
    use super::*;

    fn server() -> ServerEntry {
        ServerEntry {
            name: "aos-github".to_owned(),
            command: "aos".to_owned(),
            arguments: vec!["mcp".to_owned(), "serve".to_owned(), "/a \"b\"\\c".to_owned()],
            secrets: vec!["GITHUB_TOKEN".to_owned()],
        }
    }

    #[test]
    fn every_configuration_can_be_read_back() {
        for client in CLIENTS {
            let text = text(client, &server());
            let (command, arguments) = match client.form {
                Form::Toml => {
                    let document: DocumentMut = text.parse().unwrap();
                    let entry = &document["mcp_servers"]["aos-github"];
                    assert_eq!(entry["env_vars"][0].as_str(), Some("GITHUB_TOKEN"));
                    (
                        entry["command"].as_str().unwrap().to_owned(),
                        entry["args"][2].as_str().unwrap().to_owned(),
                    )
                }
                Form::Json(member) | Form::TypedJson(member) => {
                    let document: Value = serde_json::from_str(&text).unwrap();
                    let entry = &document[member]["aos-github"];
                    assert_eq!(
                        entry.get("type").is_some(),
                        matches!(client.form, Form::TypedJson(_))
                    );
                    (
                        entry["command"].as_str().unwrap().to_owned(),
                        entry["args"][2].as_str().unwrap().to_owned(),
                    )
                }
            };
            assert_eq!(
                (command.as_str(), arguments.as_str()),
                ("aos", "/a \"b\"\\c"),
                "{}",
                client.id
            );
        }
    }

    #[test]
    fn a_secret_is_named_in_the_way_of_its_client() {
        let of = |id: &str| {
            let client = super::super::McpClient::find(id).unwrap();
            text(client, &server())
        };
        assert!(of("claude-code").contains(r#""GITHUB_TOKEN": "${GITHUB_TOKEN}""#));
        assert!(of("cursor").contains(r#""${env:GITHUB_TOKEN}""#));
        assert!(of("gemini-cli").contains(r#""$GITHUB_TOKEN""#));
        assert!(of("vscode").contains(r#""${input:github-token}""#));
        assert!(of("codex").contains(r#"env_vars = ["GITHUB_TOKEN"]"#));
        assert!(of("claude-desktop").contains("VALUE OF GITHUB_TOKEN"));
    }
}
