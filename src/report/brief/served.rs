//! The brief form of `aos mcp serve --list`: what a caller needs to choose tools, for as many as there is room.

use std::collections::BTreeMap;

use serde_json::Value;

/// Only the answer of a server has this member.
pub const MARK: &str = "presented";
pub const MORE: &str =
    "`--fields tools` shows every tool whole, and `--tools` selects some of them";
/// Members of a tool that are omitted first.
const LESSER: [&str; 3] = ["id", "package", "tags"];

/// True if `data` has the tools of a server.
#[must_use]
pub fn applies(data: &Value) -> bool {
    data[MARK].is_string() && data["tools"].is_array()
}

/// Removes the members of each tool that a caller needs least.
pub fn slim(data: &mut Value, omitted: &mut BTreeMap<String, usize>) {
    let Some(Value::Array(tools)) = data.get_mut("tools") else { return };
    for tool in tools.iter_mut().filter_map(Value::as_object_mut) {
        for name in LESSER {
            if tool.remove(name).is_some() {
                *omitted.entry(format!("tools.{name}")).or_default() += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{LIMIT, fit};
    use super::*;

    fn server(tools: usize) -> Value {
        let tool = |number: usize| {
            json!({"name": format!("acme_thing_{number}"), "package": "acme", "id": "thing.get",
                   "mode": "readonly", "tags": ["thing"], "description": "Get one thing"})
        };
        let tools: Vec<_> = (0..tools).map(tool).collect();
        json!({"packages": [], "tools": tools, "withheld": [], "presented": "all"})
    }

    #[test]
    fn a_short_list_is_whole_and_a_long_one_keeps_names_modes_and_purposes() {
        let measure = |value: &Value| value.to_string().len();
        assert_eq!(fit(&server(3), measure), server(3));
        let brief = fit(&server(400), measure);
        assert!(measure(&brief) <= LIMIT);
        let wanted =
            json!({"name": "acme_thing_0", "mode": "readonly", "description": "Get one thing"});
        assert_eq!(brief["tools"][0], wanted);
        let shown = brief["tools"].as_array().unwrap().len();
        let omitted = brief["omitted"].as_array().unwrap();
        assert!(shown > 20 && omitted.contains(&json!({"field": "tools", "count": 400 - shown})));
        assert!(omitted.contains(&json!({"field": "tools.id", "count": 400})));
        assert_eq!(brief["more"], MORE);
    }
}
