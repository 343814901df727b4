//! `aos sync-api` and `aos add --openapi`: the API changes, the project follows, and edits stay.

use std::path::PathBuf;

use serde_json::Value;

use super::disk;
use super::sandbox::Sandbox;

const OLD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/openapi/parcel.yaml");
const NEW: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/openapi/parcel-2.yaml");
const HANDLERS: &str = "agent-harness/aos_parcel/commands/shipment.py";

fn made(sandbox: &Sandbox) -> PathBuf {
    let words = ["new", "parcel", "--no-git", "--openapi", OLD, "--select", "shipments"];
    sandbox.aos(&words).data();
    sandbox.work().join("aos-parcel")
}

fn said(changes: &Value, breaking: bool) -> String {
    let changes = changes.as_array().expect("changes").iter();
    let chosen = changes.filter(|change| change["is_breaking"] == breaking);
    chosen
        .map(|change| {
            format!(
                "{}: {}\n",
                change["command"].as_str().unwrap_or(""),
                change["what"].as_str().unwrap_or("")
            )
        })
        .collect()
}

#[test]
fn changes_of_the_api_are_told_apart_and_merged_into_edited_handlers() {
    let sandbox = Sandbox::new();
    let project = made(&sandbox);
    let handlers = project.join(HANDLERS);
    disk::edit(&handlers, "\"Lists all shipments\"", "\"Ours\"");
    let before = disk::state(&project);
    let preview = sandbox.aos_in(&project, &["sync-api", "--openapi", NEW, "--dry-run"]).data();
    assert_eq!(before, disk::state(&project));
    let token = preview["confirm_token"].as_str().expect("a token").to_owned();
    let words = ["sync-api", "--openapi", NEW, "--confirm", &token, "--fields", "api_changes"];
    let done = sandbox.aos_in(&project, &words).data();
    let (breaking, harmless) =
        (said(&done["api_changes"], true), said(&done["api_changes"], false));
    assert!(breaking.contains("shipment.create: `weight` is required now"), "{breaking}");
    assert!(breaking.contains("shipment.cancel: the API no longer has it"), "{breaking}");
    assert!(harmless.contains("shipment.list: `customer` is a new optional input"), "{harmless}");
    assert!(harmless.contains("shipment.hold: the command is new"), "{harmless}");
    let text = disk::read(&handlers);
    assert!(text.contains("\"Ours\"") && text.contains("\"customer\": \"customer\""), "{text}");
    assert!(text.contains("shipment.hold") && !text.contains("shipment.cancel"), "{text}");
    let verdict = sandbox.aos_in(&project, &["check"]).data();
    assert_eq!(verdict["summary"]["errors"], 0, "{verdict}");
    let again = sandbox.aos_in(&project, &["sync-api", "--openapi", NEW]).data();
    assert_eq!(again["status"], "unchanged", "{again}");
}

#[test]
fn a_brief_preview_shows_breaking_changes_first_and_counts_the_rest() {
    let sandbox = Sandbox::new();
    let description = |more: &str| {
        let paths: String = (0..40)
            .map(|index| {
                format!(
                    "  /things{index}:\n    get: {{operationId: listThings{index}, parameters: [{{name: q, in: query, \
                     schema: {{type: string}}}}{more}], responses: {{'200': {{description: fine}}}}}}\n"
                )
            })
            .collect();
        format!(
            "openapi: 3.1.0\ninfo: {{title: A, version: '1'}}\nservers: [{{url: 'https://a.example'}}]\npaths:\n{paths}"
        )
    };
    let old = sandbox.write("old.yaml", &description("")).display().to_string();
    let more = ", {name: z, in: query, schema: {type: string}}, {name: must, in: query, required: true, schema: {type: string}}";
    let new = sandbox.write("new.yaml", &description(more)).display().to_string();
    let words = ["new", "things", "--no-git", "--openapi", &old, "--select", "*"];
    sandbox.aos(&words).data();
    let project = sandbox.work().join("aos-things");
    let answer = sandbox.aos_in(&project, &["sync-api", "--openapi", &new, "--dry-run"]);
    assert!(answer.stdout.len() <= 4096, "{}", answer.stdout.len());
    let preview = answer.data();
    let shown = preview["api_changes"].as_array().expect("changes");
    assert!(shown.len() > 3, "{preview}");
    assert!(shown.iter().all(|change| change["is_breaking"] == true), "{preview}");
    let omitted = preview["omitted"].as_array().expect("what was left out");
    let omitted = omitted.iter().find(|entry| entry["field"] == "api_changes").expect("a count");
    assert_eq!(shown.len() as u64 + omitted["count"].as_u64().unwrap(), 80, "{preview}");
}

#[test]
fn an_operation_is_added_and_the_ids_that_are_there_stay() {
    let sandbox = Sandbox::new();
    let project = made(&sandbox);
    let same = sandbox.aos_in(&project, &["sync-api", "--openapi", OLD]).data();
    assert_eq!(same["status"], "unchanged", "{same}");
    let words = ["add", "--openapi", OLD, "--operation", "whoami"];
    sandbox.aos_in(&project, &words).data();
    let manifest = disk::read(&project.join("connector.json"));
    assert!(
        manifest.contains("\"me.get\"") && manifest.contains("\"shipment.list\""),
        "{manifest}"
    );
    assert!(
        disk::read(&project.join("aos.toml")).contains("select = [\"shipments\", \"GET /me\"]")
    );
    assert_eq!(sandbox.aos_in(&project, &["check"]).data()["summary"]["errors"], 0);
    sandbox.aos_in(&project, &words).error("E_CONFLICT", 6);
    let wrong = ["add", "--openapi", OLD, "--operation", "whoam"];
    let error = sandbox.aos_in(&project, &wrong).error("E_NOT_FOUND", 3);
    assert!(error.to_string().contains("did you mean `whoami`?"), "{error}");
    let other = sandbox.connector("acme");
    sandbox.aos_in(&other, &["sync-api", "--openapi", OLD]).error("E_VALIDATION", 2);
}

#[test]
fn an_operation_is_added_in_spite_of_an_exclusion_and_stays() {
    for (select, recorded) in [
        (&["shipments", "!DELETE"][..], "[\"shipments\", \"!DELETE\", "),
        (&["!DELETE"], "[\"!DELETE\", \"*\", "),
    ] {
        let sandbox = Sandbox::new();
        let mut words = vec!["new", "parcel", "--no-git", "--openapi", OLD];
        words.extend(select.iter().flat_map(|pattern| ["--select", pattern]));
        sandbox.aos(&words).data();
        let project = sandbox.work().join("aos-parcel");
        let delete = "DELETE /shipments/{shipmentId}";
        sandbox.aos_in(&project, &["add", "--openapi", OLD, "--operation", delete]).data();
        let record = disk::read(&project.join("aos.toml"));
        assert!(record.contains(&format!("select = {recorded}\"{delete}\"]")), "{record}");
        let again = sandbox.aos_in(&project, &["sync-api", "--openapi", OLD]).data();
        assert_eq!(again["status"], "unchanged", "{again}");
    }
}

#[test]
fn a_description_that_lost_commands_takes_none_away_without_a_token() {
    let sandbox = Sandbox::new();
    let project = made(&sandbox);
    let before = disk::state(&project);
    let other = "openapi: 3.0.3\ninfo: {title: T, version: '1'}\nservers: [{url: 'https://t.example'}]\n\
                 paths: {/things: {get: {tags: [shipments], operationId: things, responses: {'200': {description: ok}}}}}\n";
    sandbox.write("other.yaml", other);
    let file = sandbox.work().join("other.yaml");
    let file = file.to_str().expect("a path");
    let add = ["add", "--openapi", file, "--operation", "things"];
    let error = sandbox.aos_in(&project, &add).error("E_CONFLICT", 6);
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains("`shipment."), "{error}");
    let sync = ["sync-api", "--openapi", NEW];
    let error = sandbox.aos_in(&project, &sync).error("E_CONFIRMATION_REQUIRED", 5);
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains("`shipment.cancel`") && message.contains("would break"), "{error}");
    // The preview says the same, and does not recommend a call that would be refused.
    let preview = sandbox.aos_in(&project, &["sync-api", "--openapi", NEW, "--dry-run"]).data();
    let next = preview["next"][0].as_str().expect("a next step");
    assert!(next.contains("--confirm") && !next.contains("without"), "{next}");
    let text = ["sync-api", "--openapi", NEW, "--dry-run", "--format", "text"];
    let text = sandbox.aos_in(&project, &text).stdout;
    assert!(text.contains("would break") && !text.contains("Nothing of yours"), "{text}");
    assert_eq!(before, disk::state(&project));
}

/// Descriptions of one API that differ in single points.
fn described(sandbox: &Sandbox, name: &str, paths: &str, scheme: &str) -> String {
    let text = format!(
        "openapi: 3.1.0\ninfo: {{title: A, version: '1'}}\nservers: [{{url: 'https://a.example'}}]\nsecurity: [{{s: []}}]\n\
         components: {{securitySchemes: {{s: {scheme}}}}}\npaths:\n{paths}"
    );
    sandbox.write(name, &text).display().to_string()
}

const BEARER: &str = "{type: http, scheme: bearer}";

/// An operation without inputs but those of its path.
fn operation(request: &str, id: &str, more: &str) -> String {
    let (method, path) = request.split_once(' ').expect("a request");
    format!(
        "  '{path}':\n    {method}: {{operationId: {id}{more}, responses: {{'200': {{description: fine, content: \
         {{application/json: {{schema: {{type: object, properties: {{id: {{type: string}}}}}}}}}}}}}}}}\n"
    )
}

#[test]
fn a_command_keeps_its_id_wherever_its_operation_moves_and_one_that_goes_says_why() {
    for template in ["connector-python", "cli-python"] {
        let sandbox = Sandbox::new();
        let query = |kind: &str| {
            format!(", parameters: [{{name: size, in: query, schema: {{type: {kind}}}}}]")
        };
        let old = [
            operation("get /pets/{id}", "getPet", &query("integer")),
            operation("get /shops/{shop}", "getShop", ""),
            operation("get /vets/{id}", "getVet", ""),
            operation("get /toys/{id}", "getToy", ""),
            operation("get /maps/{id}", "getMap", ""),
        ];
        let new = [
            // Another path and another type, the same operationId.
            operation("get /animals/{id}", "getPet", &query("string")),
            // Another name of a parameter, no operationId that is known.
            operation("get /shops/{shopId}", "readShop", ""),
            // A deprecated operation still works.
            operation("get /vets/{id}", "getVet", ", deprecated: true"),
            // This one needs a key that the tool does not have.
            operation("get /toys/{id}", "getToy", ", security: [{s: [], t: []}]"),
        ];
        let old = described(&sandbox, "old.yaml", &old.concat(), BEARER);
        let schemes = "{type: http, scheme: bearer}, t: {type: apiKey, in: header, name: X-T}";
        let new = described(&sandbox, "new.yaml", &new.concat(), schemes);
        let words = ["new", "acme", "--no-git", "--template", template, "--openapi", &old];
        let project = sandbox.aos(&words).data()["path"].as_str().expect("a path").to_owned();
        let project = PathBuf::from(project);
        let words = [
            "sync-api",
            "--openapi",
            &new,
            "--dry-run",
            "--fields",
            "api_changes,notes,confirm_token",
        ];
        let preview = sandbox.aos_in(&project, &words).data();
        let (breaking, harmless) =
            (said(&preview["api_changes"], true), said(&preview["api_changes"], false));
        assert!(
            harmless.contains(
                "pet.get: its request is `GET /animals/{id}`, no longer `GET /pets/{id}`"
            ),
            "{preview:#}"
        );
        assert!(breaking.contains("pet.get: `size` is of another type"), "{breaking}");
        assert!(breaking.contains("shop.get: its request is `GET /shops/{shopId}`"), "{breaking}");
        assert!(breaking.contains("toy.get: it is now left out: "), "{breaking}");
        assert!(breaking.contains("map.get: the API no longer has it"), "{breaking}");
        assert!(!breaking.contains("vet.get") && !breaking.contains("credentials"), "{breaking}");
        assert!(preview["notes"].to_string().contains("the API calls `vet.get` deprecated"));
        let token = preview["confirm_token"].as_str().expect("a token");
        let words = ["sync-api", "--openapi", &new, "--confirm", token];
        sandbox.aos_in(&project, &words).data();
        let again = sandbox.aos_in(&project, &["sync-api", "--openapi", &new]).data();
        assert_eq!(again["status"], "unchanged", "{again}");
        assert_eq!(sandbox.aos_in(&project, &["check"]).data()["summary"]["errors"], 0);
    }
}

#[test]
fn another_way_of_sending_credentials_is_breaking() {
    let sandbox = Sandbox::new();
    let paths = operation("get /pets/{id}", "getPet", "");
    let old = described(&sandbox, "old.yaml", &paths, BEARER);
    let key = "{type: apiKey, in: header, name: X-Key}";
    let new = described(&sandbox, "new.yaml", &paths, key);
    sandbox.aos(&["new", "acme", "--no-git", "--openapi", &old]).data();
    let project = sandbox.work().join("aos-acme");
    let before = disk::state(&project);
    let words = ["sync-api", "--openapi", &new];
    let error = sandbox.aos_in(&project, &words).error("E_CONFIRMATION_REQUIRED", 5);
    let changes = said(&error["details"]["api_changes"], true);
    assert!(changes.contains("the credentials are sent in another way"), "{error:#}");
    assert_eq!(before, disk::state(&project));
}

#[test]
fn an_option_keeps_its_name_when_its_value_is_described_in_another_way() {
    for template in ["connector-python", "cli-python"] {
        let sandbox = Sandbox::new();
        let body = |members: &str, size: &str| {
            format!(
                ", requestBody: {{required: true, content: {{application/json: {{schema: {{type: object, properties: \
                 {{parent: {{type: object, required: [id], properties: {{{members}}}}}, size: {{type: string, enum: [{size}]}}}}}}}}}}}}"
            )
        };
        let plain = body("id: {type: string}", "s, m");
        let more = body("id: {type: string, minLength: 9}", "s, m, l");
        let files = |more: &str| operation("post /files", "makeFile", more);
        let folders = |more: &str| operation("post /folders", "makeFolder", more);
        // It would be called `parent`, if the option of another command were free.
        let links = operation(
            "get /a/links",
            "links",
            ", parameters: [{name: parent, in: query, schema: {type: integer}}]",
        );
        let old = [files(&plain), folders(&plain)].concat();
        let new = [links, files(&more), folders(&plain)].concat();
        let old = described(&sandbox, "old.yaml", &old, BEARER);
        let new = described(&sandbox, "new.yaml", &new, BEARER);
        let words = ["new", "acme", "--no-git", "--template", template, "--openapi", &old];
        let project = sandbox.aos(&words).data()["path"].as_str().expect("a path").to_owned();
        let words =
            ["sync-api", "--openapi", &new, "--dry-run", "--fields", "api_changes,confirm_token"];
        let preview = sandbox.aos_in(&PathBuf::from(project), &words).data();
        assert_eq!(said(&preview["api_changes"], true), "", "{template}: {preview:#}");
        let harmless = said(&preview["api_changes"], false);
        assert!(harmless.contains("link.get_all: the command is new"), "{harmless}");
        assert!(harmless.contains("`size` may be l"), "{harmless}");
    }
}
