//! Lists fit an agent without a filter: names and titles by default, everything on request.

use super::sandbox::Sandbox;

const LIMIT: usize = 5_000;

#[test]
fn lists_are_a_few_kilobytes_and_say_how_to_see_the_rest() {
    let sandbox = Sandbox::new();
    for (call, rest) in [
        (&["check", "--explain", "all"][..], "--all"),
        (&["conform", "--explain", "all"], "--all"),
        (&["conform", "--list"], "--all"),
        (&["new", "--list"], "--all"),
    ] {
        let compact = sandbox.aos(&[call, &["--compact"]].concat());
        let text = sandbox.aos(&[call, &["--format", "text"]].concat());
        let more = compact.data()["more"].as_str().expect("how to see the rest").to_owned();
        assert!(more.contains(rest), "{more}");
        assert!(text.stdout.contains(rest), "{}", text.stdout);
        for (form, answer) in [("compact", compact), ("text", text)] {
            let size = answer.stdout.len();
            assert!(size <= LIMIT, "{call:?} has {size} bytes as {form}");
        }
    }
}

#[test]
fn a_list_in_full_has_what_the_short_one_names() {
    let sandbox = Sandbox::new();
    let short = sandbox.aos(&["check", "--explain", "all"]).data();
    let whole = sandbox.aos(&["check", "--explain", "all", "--all"]).data();
    let topics = short["topics"].as_array().expect("topics").iter();
    let ids: Vec<String> = topics
        .flat_map(|topic| {
            let rules = topic["rules"].as_array().expect("rules").iter();
            rules.map(|rule| format!("{}/{}", text(&topic["topic"]), text(rule)))
        })
        .collect();
    let mut rules: Vec<_> = whole["rules"].as_array().expect("rules").iter().collect();
    rules.sort_by_key(|rule| text(&rule["rule"]).to_owned());
    let mut sorted = ids.clone();
    sorted.sort();
    assert_eq!(sorted, rules.iter().map(|rule| text(&rule["rule"])).collect::<Vec<_>>());
    let templates = sandbox.aos(&["new", "--list"]).data();
    let first = &templates["templates"][0];
    assert!(first["summary"].is_string() && first.get("questions").is_none(), "{first}");
    let call = ["new", "--list", "--template", text(&first["name"])];
    let one = sandbox.aos(&call).data();
    assert_eq!(one["templates"].as_array().map(Vec::len), Some(1));
    assert!(one["templates"][0]["questions"].as_array().is_some_and(|all| !all.is_empty()));
    let every = sandbox.aos(&["new", "--list", "--all"]).data();
    assert_eq!(every["templates"][0], one["templates"][0]);
}

fn text(value: &serde_json::Value) -> &str {
    value.as_str().expect("a text")
}
