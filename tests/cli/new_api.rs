//! `aos new` for an API without a preset: its answers, and a preset of one's own.

use std::path::Path;

use super::disk;
use super::sandbox::Sandbox;
use super::scaffolded_python::Installation;
use super::toolchain::succeed;

const GUIDE: &str = include_str!("../../docs/presets.md");
const API: &str = "agent-harness/aos_parcel/api.py";

fn declared() -> &'static str {
    let (_, rest) = GUIDE.split_once("```toml\n").expect("a block");
    rest.split_once("```").expect("its end").0
}

fn has(project: &Path, path: &str, texts: &[&str]) {
    let found = disk::read(&project.join(path));
    for text in texts {
        assert!(found.contains(text), "`{text}` is not in {path}:\n{found}");
    }
}

fn passes(sandbox: &Sandbox, project: &Path) {
    let verdict = sandbox.aos_in(project, &["check"]).data();
    assert_eq!(verdict["summary"]["errors"], 0, "{verdict}");
    let place = format!("--basetemp={}", sandbox.work().join("temporary").display());
    let words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", &place];
    succeed(Installation::shared().python(), &words, project);
}

fn made(sandbox: &Sandbox, pairs: &[&str]) -> std::path::PathBuf {
    let pairs = pairs.iter().flat_map(|pair| ["--set", pair]);
    let words: Vec<_> = ["new", "parcel", "--no-git"].into_iter().chain(pairs).collect();
    sandbox.aos(&words).data();
    sandbox.work().join("aos-parcel")
}

#[test]
fn a_connector_has_no_address_until_it_is_set() {
    let sandbox = Sandbox::new();
    let answer = sandbox.aos(&["new", "parcel", "--no-git"]).data();
    assert!(answer["advice"].as_str().unwrap().contains("has no API address yet"), "{answer}");
    let project = sandbox.work().join("aos-parcel");
    has(&project, API, &["BASE_URL = \"\"\n", "URL_OVERRIDE = \"PARCEL_API_URL\"\n"]);
    has(&project, "README.md", &["has no API address yet: set `PARCEL_API_URL`"]);
    assert!(!disk::read(&project.join("conform.toml")).contains("example.com/"));
}

#[test]
fn answers_describe_an_api_and_the_connector_agrees_with_its_facts() {
    let sandbox = Sandbox::new();
    let project = made(
        &sandbox,
        &[
            "base_url_env=PARCEL_URL",
            "auth=basic",
            "secret_key=PARCEL_TOKEN",
            "health=/account?brief=1",
            "paging=cursor",
            "paging_limit=size",
            "paging_position=after",
            "paging_next=meta.next",
            "error_message=error.text",
        ],
    );
    has(
        &project,
        API,
        &[
            "BASE_URL_KEY = \"PARCEL_URL\"",
            "USER_KEY = \"PARCEL_TOKEN_USER\"",
            "HEALTH_PATH = \"/account?brief=1\"",
            "\"next\": \"meta.next\"",
            "MESSAGES = [\"error.text\"]",
        ],
    );
    has(
        &project,
        "conform.toml",
        &[
            "base_url_env = \"PARCEL_URL\"",
            "Basic {PARCEL_TOKEN_USER:PARCEL_TOKEN}",
            "{\"error\":{\"text\":\"Too many requests\"}}",
            "\"size\" = ",
        ],
    );
    passes(&sandbox, &project);
}

#[test]
fn a_key_has_a_header_of_its_own() {
    let sandbox = Sandbox::new();
    let project = made(
        &sandbox,
        &["base_url=https://api.parcel.example/v2/", "auth=header", "secret_key=PARCEL_PASS"],
    );
    has(&project, API, &["HEADER = \"X-Api-Key\"", "BASE_URL = \"https://api.parcel.example/v2\""]);
    has(&project, "connector.json", &["\"PARCEL_PASS\"", "as PARCEL_PASS in API Keys"]);
    assert!(!disk::read(&project.join("connector.json")).contains("PARCEL_API_KEY"));
}

#[test]
fn answers_that_do_not_fit_are_refused_before_anything_is_written() {
    let sandbox = Sandbox::new();
    for (name, pairs, told) in [
        ("github", &["paging=cursor"][..], "preset `github`"),
        ("parcel", &["base_url=https://a.example", "base_url_env=A_URL"], "exclude each other"),
        ("parcel", &["auth=basic", "auth_header=X-Key"], "always uses the header Authorization"),
        ("parcel", &["user_key=ME"], "HTTP Basic"),
        ("parcel", &["paging=none", "paging_next=next"], "has pages"),
        ("parcel", &["secret_key=lower"], "upper-case"),
        ("parcel", &["health=me"], "begins with `/`"),
        ("parcel", &["paging=pages"], "paging"),
    ] {
        let pairs = pairs.iter().flat_map(|pair| ["--set", pair]);
        let words: Vec<_> = ["new", name, "--no-git"].into_iter().chain(pairs).collect();
        let error = sandbox.aos(&words).error("E_VALIDATION", 2);
        assert!(error["message"].as_str().unwrap().contains(told), "{error}");
    }
    assert!(disk::names(&sandbox.work()).is_empty());
}

#[test]
fn one_file_declares_a_connector_that_passes_its_tests() {
    let sandbox = Sandbox::new();
    sandbox.write("parcel.toml", declared());
    let answer = sandbox.aos(&["new", "parcel", "--no-git", "--preset", "parcel.toml"]).data();
    assert_eq!(answer["preset"], "preset.toml", "{answer}");
    let again =
        ["new", "parcel", "--no-git", "--preset", "parcel.toml", "--dir", "b", "--format", "text"];
    let text = sandbox.aos(&again).stdout;
    assert!(text.contains(" commands, declared in preset.toml, spec "), "{text}");
    let project = sandbox.work().join("aos-parcel");
    assert_eq!(disk::read(&project.join("preset.toml")), declared());
    has(&project, API, &["SLIM = {", "\"carrier.name\""]);
    has(
        &project,
        "AGENTS.md",
        &["Parcel shipments and their labels", "`resource.action` is `resource action`"],
    );
    passes(&sandbox, &project);
    let upgraded = sandbox.aos_in(&project, &["upgrade", "--set", "author=Ann"]).data();
    assert_eq!(upgraded["conflicts"].as_array().map_or(0, Vec::len), 0, "{upgraded}");
    std::fs::remove_file(project.join("preset.toml")).expect("a file");
    let error = sandbox.aos_in(&project, &["upgrade"]).error("E_NOT_FOUND", 3);
    assert!(error["message"].as_str().unwrap().contains("preset.toml"), "{error}");
}

#[test]
fn a_preset_that_cannot_work_is_refused_with_its_place() {
    let sandbox = Sandbox::new();
    for (from, to, told) in [
        ("path = \"/shipments\"", "path = \"shipments\"", "begin with `/`"),
        ("body = [\"note\"]", "body = [\"notes\"]", "uses `notes`"),
        ("id = \"shipment.get\"", "id = \"shipment.list\"", "is declared twice"),
        ("id = \"shipment.get\"", "id = \"shipment\"", "no dot"),
        ("result = \"shipments\"", "", "without `result`"),
        ("id = \"note\"", "id = \"limit\"", "every list already has the field"),
        ("style = \"cursor\"", "style = \"token\"", "token"),
        ("label = \"Parcel\"", "label = \"\"", "one line"),
        ("https://api.parcel", "http://api.parcel", "https://"),
        ("[auth]", "[auth", "column 6: unclosed table"),
        (
            "[auth]",
            "[auth]\nmore = [{ header = \"X-App\", key = \"NOPE\" }]",
            "`NOPE` in `auth.more`",
        ),
        ("[auth]", "[auth]\nmore = [{ key = \"PARCEL_KEY\" }]", "either `header` or `query`"),
        ("service_keys = [\"PARCEL_KEY\"]", "service_keys = []", "`auth.service_keys` must name"),
        ("style = \"cursor\"", "styel = \"cursor\"", "did you mean `style`?"),
    ] {
        sandbox.write("parcel.toml", &declared().replacen(from, to, 1));
        let words = ["new", "parcel", "--no-git", "--preset", "parcel.toml"];
        let error = sandbox.aos(&words).error("E_VALIDATION", 2);
        assert!(error["message"].as_str().unwrap().contains(told), "{told}: {error}");
    }
    let absent = ["new", "parcel", "--preset", "absent.toml"];
    let error = sandbox.aos(&absent).error("E_NOT_FOUND", 3);
    assert!(error["details"]["fix"].as_str().unwrap().contains("check the path"), "{error}");
    let other = ["new", "parcel", "--template", "cli-python", "--preset", "parcel.toml"];
    sandbox.aos(&other).error("E_VALIDATION", 2);
    assert_eq!(disk::names(&sandbox.work()), ["parcel.toml"]);
}

#[test]
fn a_preset_with_failure_rules_and_a_list_beside_its_position_passes_without_refusals() {
    let sandbox = Sandbox::new();
    let guide = declared();
    let (front, _) = guide.split_once("[[refusals]]").expect("refusals");
    let text = front
        .replace("next = \"meta.next\"", "next = \"result.token\"")
        .replace("items = \"data\"", "items = \"result.rows\"");
    assert_ne!(text, front);
    let file = sandbox.write("parcel.toml", &text);
    sandbox.aos(&["new", "parcel", "--no-git", "--preset", &file.display().to_string()]).data();
    let project = sandbox.work().join("aos-parcel");
    has(&project, "conform.toml", &["when = \"credentials\"", "\"token\":null"]);
    passes(&sandbox, &project);
}
