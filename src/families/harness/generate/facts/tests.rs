//! Tests of the facts of small presets.

use super::*;

fn preset(operation: &str) -> Preset {
    let text = format!(
        r#"{{"label": "", "summary": "", "backend": "", "category": "", "categories": [], "documentation": "",
        "auth": {{"kind": "", "service_keys": [], "interactive_setup": [], "scheme": "basic", "header": "",
            "user_key": "ME", "secret_key": "KEY"}},
        "api": {{"error_style": "ok_field", "health": {{"method": "GET", "path": "/me?x=1"}},
            "paging": {{"style": "cursor", "limit": "size", "max_limit": 9, "position": "at", "next": "meta.next", "more": "", "in": "query"}}}},
        "fields": [{{"id": "ids", "label": "", "type": "list", "help": ""}}],
        "operations": [{operation}]}}"#
    );
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_list_has_two_pages_and_an_end() {
    let facts = facts(&preset(
        r#"{"id": "a.list", "summary": "s", "method": "GET", "path": "/a", "list": true, "query": ["q"],
            "items": "data.list", "item_id": "gid", "item_name": "properties.name"}"#,
    ));
    assert_eq!(facts["auth"]["value"], "Basic {ME:KEY}");
    let requests = &facts["commands"][0]["requests"];
    assert_eq!(
        requests[1]["reply"],
        r#"{"data":{"list":[{"properties":{"name":"three"},"gid":9007199254740997}]},"meta":null,"ok":true}"#
    );
    let query = json!([
        {"name": "q", "value": ["q /1"]},
        {"name": "size", "value": ["9"]},
        {"name": "at", "value": ["next+2/="]},
    ]);
    assert_eq!(requests[1]["query"], query);
    assert_eq!(facts["commands"][0]["arguments"], json!(["--q", "q /1", "--limit", "10"]));
}

#[test]
fn a_bulk_command_makes_a_request_for_each_value() {
    let facts = facts(&preset(
        r#"{"id": "a.close", "summary": "s", "method": "POST", "path": "/o/{owner}/{+path}/{each_item}", "each": "ids",
            "constants": {"state": "closed", "a.b": 1}}"#,
    ));
    let requests = &facts["commands"][0]["requests"];
    assert_eq!(requests[1]["path"], "/o/owner%20%2F1/path%20/1/ids%202");
    assert_eq!(requests[0]["body"], r#"{"state":"closed","a":{"b":1}}"#);
}
