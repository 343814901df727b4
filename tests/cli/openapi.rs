//! `aos new --openapi`: what a description becomes, what is left out, and what is refused.

use std::path::Path;

use serde_json::{Value, json};

use super::disk;
use super::sandbox::Sandbox;
use super::scaffolded_python::Installation;
use super::toolchain::succeed;

const PARCEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/openapi/parcel.yaml");

fn listed(sandbox: &Sandbox, more: &[&str]) -> Value {
    let words = [&["new", "parcel", "--openapi", PARCEL, "--list"], more].concat();
    sandbox.aos(&words).data()
}

fn command<'a>(answer: &'a Value, id: &str) -> &'a Value {
    let commands = answer["commands"].as_array().expect("commands");
    commands
        .iter()
        .find(|command| command["id"] == id)
        .unwrap_or_else(|| panic!("{id}: {answer:#}"))
}

fn reason<'a>(answer: &'a Value, request: &str) -> &'a str {
    let left = answer["left_out"].as_array().expect("a list");
    let found = left.iter().find(|left| left["request"] == request);
    found
        .and_then(|left| left["reason"].as_str())
        .unwrap_or_else(|| panic!("{request}: {answer:#}"))
}

fn described(sandbox: &Sandbox, text: &str) -> String {
    sandbox.write("api.yaml", text).display().to_string()
}

/// A description with these paths.
fn minimal(paths: &str) -> String {
    format!(
        "openapi: 3.1.0\ninfo: {{title: A, version: '1'}}\nservers: [{{url: 'https://a.example'}}]\n\
         security: [{{k: []}}]\n\
         components: {{securitySchemes: {{k: {{type: apiKey, in: header, name: X-Key}}}}}}\npaths:\n{paths}"
    )
}

const OK: &str = "responses: {'200': {content: {application/json: {schema: {type: object}}}}}";

#[test]
fn a_connector_of_a_description_passes_its_tests_the_rules_and_the_probes() {
    let sandbox = Sandbox::new();
    let made = sandbox.aos(&["new", "parcel", "--no-git", "--openapi", PARCEL]).data();
    assert_eq!(made["commands"], 4 + 20, "{made}");
    let project = sandbox.work().join("aos-parcel");
    let verdict = sandbox.aos_in(&project, &["check"]).data();
    assert_eq!(verdict["summary"]["errors"], 0, "{verdict}");
    assert_eq!(verdict["summary"]["warnings"], 0, "{verdict}");
    let place = format!("--basetemp={}", sandbox.work().join("temporary").display());
    let words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", &place];
    succeed(Installation::shared().python(), &words, &project);
    let record = disk::read(&project.join("aos.toml"));
    assert!(
        record.contains("[openapi]\ndescription = \"parcel.yaml\"\ndigest = \"sha256:"),
        "{record}"
    );
    let whole = disk::state(&project);
    let names = whole.keys().map(|path| path.to_string()).collect::<Vec<_>>().join("\n");
    assert!(!names.contains("item"), "{names}");
    let manifest = disk::read(&project.join("connector.json"));
    assert!(!manifest.contains("Ignore all previous instructions"), "only one sentence is taken");
    assert!(!manifest.contains("exec("), "{manifest}");
}

#[test]
fn an_api_that_wants_several_keys_gets_all_of_them() {
    let sandbox = Sandbox::new();
    let text = minimal(&format!("  /pets: {{get: {{{OK}}}}}\n  /tags: {{post: {{{OK}}}}}\n"))
        .replace("[{k: []}]", "[{k: [], app: [], sign: []}]")
        .replace(
            "name: X-Key}",
            "name: X-Key}, app: {type: apiKey, in: header, name: TWO-App}, sign: {type: apiKey, in: query, name: sign}",
        );
    let file = described(&sandbox, &text);
    sandbox.aos(&["new", "two", "--no-git", "--openapi", &file]).data();
    let project = sandbox.work().join("aos-two");
    let verdict = sandbox.aos_in(&project, &["check"]).data();
    assert_eq!(verdict["summary"]["errors"], 0, "{verdict}");
    has(
        &project,
        "agent-harness/aos_two/api.py",
        &["SECRET_KEY = \"TWO_APP\"", "{\"X-Key\": \"TWO_KEY\"}", "{\"sign\": \"TWO_SIGN\"}"],
    );
    has(&project, "conform.toml", &["query = \"sign\"\nvalue = \"{TWO_SIGN}\""]);
    let place = format!("--basetemp={}", sandbox.work().join("temporary").display());
    let words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", &place];
    succeed(Installation::shared().python(), &words, &project);
}

#[test]
fn each_operation_is_a_command_or_is_named_with_its_reason() {
    let answer = listed(&Sandbox::new(), &[]);
    for (id, mode, class, request) in [
        ("me.get", "readonly", "read", "GET /me"),
        ("shipment.list", "readonly", "read", "GET /shipments"),
        ("shipment.create", "write", "write", "POST /shipments"),
        ("shipment.get", "readonly", "read", "GET /shipments/{shipmentId}"),
        ("shipment.update", "write", "write", "PATCH /shipments/{shipmentId}"),
        ("shipment.delete", "admin", "destructive", "DELETE /shipments/{shipmentId}"),
        ("shipment.cancel", "admin", "destructive", "POST /shipments/{shipmentId}/cancel"),
        ("shipment.search", "write", "write", "POST /shipments/search"),
        ("shipment_comment.list", "readonly", "read", "GET /shipments/{shipmentId}/comments"),
        ("box_comment.list", "readonly", "read", "GET /boxes/{boxId}/comments"),
        ("key.get_rotate", "admin", "destructive", "GET /keys/rotate"),
        ("label.create", "write", "write", "POST /labels"),
        // Its description is a reference.
        ("charge.delete", "admin", "destructive", "DELETE /ledger/charges/{chargeId}"),
    ] {
        let found = command(&answer, id);
        assert_eq!(
            (&found["mode"], &found["class"], &found["request"]),
            (&mode.into(), &class.into(), &request.into())
        );
    }
    for (request, wanted) in [
        ("GET /labels/{labelId}/pdf", "its reply is a file"),
        ("GET /events", "its reply is a stream"),
        ("GET /old", "it is deprecated"),
        ("GET /elsewhere", "another server, https://uploads.parcel.example"),
        ("GET /admin", "`signature` (http hmac)"),
    ] {
        assert!(reason(&answer, request).contains(wanted), "{request}: {answer:#}");
    }
    let commands = answer["commands"].as_array().expect("commands").len();
    assert_eq!(commands + answer["left_out"].as_array().expect("a list").len(), 25);
    assert_eq!(answer["base_url"], "https://eu.parcel.example/v2");
    assert_eq!(answer["auth"], "bearer");
    let notes = command(&answer, "shipment.list")["notes"].to_string();
    assert!(notes.contains("the default of `level` breaks its own schema"), "{notes}");
    assert!(notes.contains("`session` in the cookie is left out"), "{notes}");
    for (id, paging) in [
        ("shipment.list", "cursor at meta.next_cursor"),
        ("charge.list", "cursor at data.-1.id"),
        ("book.list", "link at next_page_uri"),
        ("volume.list", "cursor at metadata.continue"),
    ] {
        assert_eq!(command(&answer, id)["paging"], paging, "{id}");
    }
    assert_eq!(command(&answer, "charge.list")["inputs"], json!(["ending_before"]));
    assert_eq!(command(&answer, "book.list")["inputs"], json!([]));
    // A form without fields is not sent, and no note mentions it.
    assert_eq!(command(&answer, "charge.delete")["notes"], json!([]));
}

#[test]
fn inputs_of_one_name_are_three_options_and_read_only_members_are_none() {
    let answer = listed(&Sandbox::new(), &[]);
    let inputs = |id: &str| command(&answer, id)["inputs"].to_string();
    assert_eq!(inputs("shipment.get"), r#"["shipment_id*","shipment_id_query"]"#);
    assert_eq!(inputs("shipment.update"), r#"["shipment_id*","shipment_id_body","note"]"#);
    let create = inputs("shipment.create");
    assert!(create.contains("\"reference*\"") && create.contains("\"contact\""), "{create}");
    assert!(!create.contains("created_at") && !create.contains("secret"), "{create}");
    let node = inputs("node.create");
    for option in ["class*", "import_os_exec_x", "mode_value", "limit_value", "node*"] {
        assert!(node.contains(&format!("\"{option}\"")), "{option}: {node}");
    }
}

#[test]
fn a_selection_is_by_tag_path_method_and_id_and_choices_are_recorded() {
    let sandbox = Sandbox::new();
    let ids = |more: &[&str]| {
        let answer = listed(&sandbox, more);
        let commands = answer["commands"].as_array().expect("commands").clone();
        commands
            .iter()
            .map(|one| one["id"].as_str().expect("an id").to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(ids(&["--select", "labels", "--select", "!token.*"]), "label.create note.update");
    assert_eq!(ids(&["--select", "DELETE"]), "shipment.delete charge.delete");
    assert_eq!(ids(&["--select", "*/comments"]), "shipment_comment.list box_comment.list");
    assert_eq!(ids(&["--select", "GET /shipments"]), "shipment.list");
    assert_eq!(ids(&["--select", "whoami", "--rename", "me.get=account.show"]), "account.show");
    let words = [
        "new",
        "parcel",
        "--no-git",
        "--openapi",
        PARCEL,
        "--select",
        "shipments",
        "--mode",
        "shipment.search=readonly",
    ];
    sandbox.aos(&words).data();
    let record = disk::read(&sandbox.work().join("aos-parcel/aos.toml"));
    assert!(
        record
            .contains("select = [\"shipments\"]\nmodes = { \"shipment.search\" = \"readonly\" }\n"),
        "{record}"
    );
}

#[test]
fn impossible_selections_are_named() {
    let sandbox = Sandbox::new();
    for (words, code, exit, said) in [
        (&["--select", "nothing"][..], "E_NOT_FOUND", 3, "`--select nothing` matches no operation"),
        (&["--mode", "shipment.lst=write"], "E_NOT_FOUND", 3, "did you mean `shipment.list`?"),
        (&["--mode", "shipment.list=god"], "E_VALIDATION", 2, "the modes are readonly"),
        (
            &["--rename", "shipment.list=shipment.get"],
            "E_VALIDATION",
            2,
            "another command has this id",
        ),
        (&["--rename", "shipment.list=Bad Name"], "E_VALIDATION", 2, "an id is `resource.action`"),
        (&["--mode", "x"], "E_USAGE", 2, "not of the form ID=VALUE"),
        (&["--select", "/old"], "E_VALIDATION", 2, "GET /old: it is deprecated"),
    ] {
        let words = [&["new", "parcel", "--openapi", PARCEL], words].concat();
        let error = sandbox.aos(&words).error(code, exit).to_string();
        assert!(error.contains(said), "{said}: {error}");
    }
    assert!(!sandbox.work().join("aos-parcel").exists());
}

#[test]
fn a_mode_below_what_the_request_does_is_refused() {
    let sandbox = Sandbox::new();
    let paths = format!(
        "  /things/{{id}}:\n    delete: {{operationId: deleteThing, {OK}}}\n    put: {{operationId: putThing, {OK}}}\n  \
         /things/search:\n    post: {{operationId: searchThings, {OK}}}\n"
    );
    let path = described(&sandbox, &minimal(&paths));
    let new = ["new", "things", "--openapi", path.as_str()];
    let list = sandbox.aos(&[&new[..], &["--list"]].concat()).data();
    let id = |request: &str| {
        let mut all = list["commands"].as_array().expect("commands").iter();
        let found = all.find(|command| command["request"] == request).expect(request);
        found["id"].as_str().expect("an id").to_owned()
    };
    let (delete, put) = (id("DELETE /things/{id}"), id("PUT /things/{id}"));
    for (command, mode, lowest) in
        [(&delete, "readonly", "admin"), (&delete, "full", "admin"), (&put, "readonly", "write")]
    {
        let wish = format!("{command}={mode}");
        let words = [&new[..], &["--list", "--mode", &wish]].concat();
        let error = sandbox.aos(&words).error("E_VALIDATION", 2);
        assert!(error["message"].as_str().unwrap().contains("is the lowest mode"), "{error}");
        let fix = format!("--mode {command}={lowest}");
        assert!(error["details"]["fix"].as_str().unwrap().contains(&fix), "{error}");
    }
    let wish = format!("{}=readonly", id("POST /things/search"));
    sandbox.aos(&[&new[..], &["--list", "--mode", &wish]].concat()).data();
}

#[test]
fn each_parameter_that_is_left_out_is_named() {
    let sandbox = Sandbox::new();
    let long = "n".repeat(200);
    let parameters = format!(
        "[{{name: {long}, in: query, schema: {{type: string}}}}, {{name: \"a\\u200Bb\", in: query, schema: {{type: string}}}}, \
         {{name: sess, in: cookie, schema: {{type: string}}}}, {{name: Accept, in: header, schema: {{type: string}}}}]"
    );
    let paths = format!(
        "  /things:\n    get: {{operationId: listThings, parameters: {parameters}, {OK}}}\n"
    );
    let path = described(&sandbox, &minimal(&paths));
    let list = sandbox.aos(&["new", "things", "--openapi", &path, "--list"]).data();
    let notes = list["commands"][0]["notes"].to_string();
    for name in ["nnnnn", "200b", "sess", "Accept"] {
        assert!(notes.contains(name), "{name}: {notes}");
    }
}

#[test]
fn too_many_operations_are_a_question_with_a_proposal() {
    let sandbox = Sandbox::new();
    let paths: String = (0..61)
        .map(|at| format!("  /things{at}: {{get: {{tags: [t{}], {OK}}}}}\n", at % 3))
        .collect();
    let file = described(&sandbox, &minimal(&paths));
    let error = sandbox.aos(&["new", "a", "--openapi", &file]).error("E_VALIDATION", 2);
    assert_eq!(error["details"]["operations"], 61);
    assert_eq!(error["details"]["tags"][0]["operations"], 21);
    let proposal = error["details"]["proposal"].as_str().expect("a proposal");
    assert!(proposal.ends_with("--select t0"), "{proposal}");
    assert!(!sandbox.work().join("aos-a").exists());
    let all = sandbox.aos(&["new", "a", "--openapi", &file, "--select", "*", "--list"]).data();
    assert_eq!(all["commands"].as_array().expect("commands").len(), 61);
}

#[test]
fn the_same_description_gives_the_same_bytes() {
    let (one, two) = (Sandbox::new(), Sandbox::new());
    for sandbox in [&one, &two] {
        sandbox.aos(&["new", "parcel", "--no-git", "--openapi", PARCEL]).data();
    }
    assert_eq!(disk::state(&one.work()), disk::state(&two.work()));
}

#[test]
fn hostile_descriptions_are_bounded_and_nothing_is_fetched() {
    let sandbox = Sandbox::new();
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let items = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb += &format!("a{level}: &a{level} [{items}]\n");
    }
    let deep = format!("openapi: 3.0.0\npaths: {}", "[".repeat(5_000));
    for (text, said) in [
        (bomb.as_str(), "times as large as its text"),
        (deep.as_str(), "recursion limit exceeded"),
        ("openapi: 3.0.0\nopenapi: 3.0.0\n", "the key `openapi` is duplicated"),
        ("openapi: 3.0.0\npaths: {}\n", "it has no operations"),
        ("swagger: '1.2'\n", "version `1.2` is not supported"),
        ("hello\n", "it is not an API description"),
    ] {
        let file = described(&sandbox, text);
        let error =
            sandbox.aos(&["new", "a", "--openapi", &file]).error("E_VALIDATION", 2).to_string();
        assert!(error.contains(said), "{said}: {error}");
        let name = Path::new(&file).file_name().and_then(|name| name.to_str()).expect("a name");
        assert_eq!(error.matches(name).count(), 1, "the file is named once: {error}");
    }
    let huge = sandbox.write("huge.json", "");
    std::fs::File::options()
        .write(true)
        .open(&huge)
        .and_then(|file| file.set_len(100 << 20))
        .expect("a file");
    let file = huge.display().to_string();
    sandbox.aos(&["new", "a", "--openapi", &file]).error("E_VALIDATION", 2);
    let paths = format!(
        "  /a: {{get: {{parameters: [{{$ref: 'https://evil.example/p.yaml'}}], {OK}}}}}\n  \
         /b: {{get: {{parameters: [{{$ref: '../../etc/passwd'}}], {OK}}}}}\n  /c: {{get: {{{OK}}}}}\n"
    );
    let file = described(&sandbox, &minimal(&paths));
    let answer = sandbox.aos(&["new", "a", "--openapi", &file, "--list"]).data();
    assert_eq!(answer["left_out"].as_array().expect("a list").len(), 2, "{answer:#}");
    assert!(
        answer["unsupported"].to_string().contains("an address is never fetched"),
        "{answer:#}"
    );
}

#[test]
fn an_older_description_and_one_without_credentials_become_connectors() {
    let sandbox = Sandbox::new();
    let old = sandbox.write(
        "old.json",
        r##"{"swagger": "2.0", "info": {"title": "Old", "version": "1"}, "host": "old.example", "schemes": ["https"],
            "paths": {"/pets": {"get": {"parameters": [{"name": "tags", "in": "query", "type": "array",
                "items": {"type": "string"}, "collectionFormat": "multi"}],
                "responses": {"200": {"description": "", "schema": {"type": "array", "items": {"$ref": "#/definitions/Pet"}}}}}}},
            "definitions": {"Pet": {"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}}}"##,
    );
    let file = old.display().to_string();
    let words = [
        "new",
        "old",
        "--no-git",
        "--openapi",
        &file,
        "--set",
        "auth=header",
        "--set",
        "auth_header=X-Old",
    ];
    sandbox.aos(&words).data();
    let project = sandbox.work().join("aos-old");
    has(
        &project,
        "agent-harness/aos_old/commands/pet.py",
        &["styles={\"tags\": \"repeat\"}", "item_name=\"name\""],
    );
    has(
        &project,
        "agent-harness/aos_old/api.py",
        &["HEADER = \"X-Old\"", "SECRET_KEY = \"OLD_TOKEN\""],
    );
    assert_eq!(sandbox.aos_in(&project, &["check"]).data()["summary"]["errors"], 0);
}

fn has(project: &Path, path: &str, texts: &[&str]) {
    let found = disk::read(&project.join(path));
    for text in texts {
        assert!(found.contains(text), "`{text}` is not in {path}:\n{found}");
    }
}

#[test]
fn operations_that_cannot_be_called_are_named_and_the_others_become_commands() {
    let sandbox = Sandbox::new();
    let get = "{get: {responses: {'200': {description: ok}}}}";
    let text = format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\n\
         servers: [{{url: 'https://t.example:99999'}}, {{url: 'https://t.example/%0a'}}, {{url: 'https://u.example'}}]\n\
         components: {{securitySchemes: {{k: {{type: apiKey, in: header, name: \"X\\r\\nEvil: 1\"}}}}}}\n\
         paths:\n  /../../etc/passwd: {get}\n  '/a/{{}}': {get}\n  /b/%2E%2e/c: {get}\n  //evil.example/d: {get}\n  /p\u{435}ts: {get}\n  /keyed: \
         {{get: {{security: [{{k: []}}], responses: {{'200': {{description: ok}}}}}}}}\n  /plain: {get}\n"
    );
    sandbox.write("t.yaml", &text);
    let answer = sandbox.aos(&["new", "tee", "--no-git", "--openapi", "t.yaml"]).data();
    assert_eq!(answer["status"], "created", "{answer}");
    let project = sandbox.work().join("aos-tee");
    let manifest = disk::read(&project.join("connector.json"));
    assert!(manifest.contains("\"plain.get\""), "{manifest}");
    for wrong in ["passwd", "keyed", "Evil"] {
        assert!(!manifest.contains(wrong), "{wrong}: {manifest}");
    }
    let api = disk::read(&project.join("agent-harness/aos_tee/api.py"));
    assert!(api.contains("BASE_URL = \"https://u.example\""), "{api}");
    assert_eq!(sandbox.aos_in(&project, &["check"]).data()["summary"]["errors"], 0);
    let listed = sandbox.aos(&["new", "tee", "--openapi", "t.yaml", "--list"]).data();
    let left = listed["left_out"].to_string();
    for path in ["/../../etc/passwd", "/keyed", "/b/%2E%2e/c", "//evil.example/d", "/p\u{435}ts"] {
        assert!(left.contains(path), "{path}: {left}");
    }
}

#[test]
fn a_form_is_as_long_as_it_is_and_a_body_may_leave_out_that_it_is_required() {
    let sandbox = Sandbox::new();
    let fields = |count: usize| -> String {
        (0..count).map(|at| format!("f{at}: {{type: string}}, ")).collect()
    };
    let form = |count: usize, more: &str| {
        format!(
            "requestBody: {{content: {{application/x-www-form-urlencoded: {{schema: {{type: object, required: [f0], \
             properties: {{{}}}}}}}}}{more}}}",
            fields(count)
        )
    };
    let paths = format!(
        "  /long: {{post: {{{}, {OK}}}}}\n  /longest: {{post: {{{}, {OK}}}}}\n  /free: {{post: {{{}, {OK}}}}}\n",
        form(203, ""),
        form(251, ""),
        form(2, ", required: false")
    );
    let path = described(&sandbox, &minimal(&paths));
    let list = sandbox.aos(&["new", "things", "--openapi", &path, "--list"]).data();
    assert_eq!(reason(&list, "POST /longest"), "its form has more than 250 fields");
    let long = command(&list, "long.create")["inputs"].clone();
    assert_eq!((long.as_array().expect("inputs").len(), &long[0]), (203, &json!("f0*")));
    assert_eq!(command(&list, "free.create")["inputs"], json!(["f0", "f1"]));
}

#[test]
fn schemas_without_an_end_are_read_in_time() {
    let sandbox = Sandbox::new();
    let reference = |name: String| json!({"$ref": format!("#/components/schemas/{name}")});
    let mut schemas = json!({});
    // Each part is in ten others: to follow every way takes years.
    for at in 0..11 {
        let parts = vec![reference(format!("All{}", at + 1)); 10];
        schemas[format!("All{at}")] = json!({"allOf": parts});
    }
    schemas["All11"] = json!({"type": "object", "properties": {"x": {"type": "string"}}});
    schemas["List"] = json!({"type": "array", "items": reference("List".to_owned())});
    for (name, other) in [("One", "Two"), ("Two", "One")] {
        let names: Vec<_> = (0..50).map(|at| format!("m{at}")).collect();
        let members = names.iter().map(|name| (name.clone(), reference(other.to_owned())));
        let members: serde_json::Map<_, _> = members.collect();
        schemas[name] = json!({"type": "object", "required": names, "properties": members});
    }
    schemas["Turn"] = json!({"allOf": [reference("Back".to_owned())]});
    schemas["Back"] = json!({"allOf": [reference("Turn".to_owned())]});
    let mut paths = json!({});
    // The last path is the name of a file that looks like a test.
    let named = ["/alls", "/lists", "/ones", "/test_turns"];
    for (path, name) in named.into_iter().zip(["All0", "List", "One", "Turn"]) {
        let content = json!({"application/json": {"schema": {"type": "object", "properties": {"in": reference(name.to_owned())}}}});
        let responses = json!({"200": {"description": "ok", "content": content}});
        paths[path] =
            json!({"post": {"requestBody": {"content": content}, "responses": responses}});
    }
    let document = json!({"openapi": "3.1.0", "info": {"title": "A", "version": "1"}, "paths": paths,
        "servers": [{"url": "https://a.example"}], "components": {"schemas": schemas}});
    let path = sandbox.write("endless.json", &document.to_string()).display().to_string();
    let made = sandbox.aos(&["new", "endless", "--no-git", "--openapi", &path]).data();
    assert_eq!(made["commands"], 4 + 4, "{made}");
    let project = sandbox.work().join("aos-endless");
    assert!(project.join("agent-harness/aos_endless/commands/test_turn.py").is_file());
    assert_eq!(sandbox.aos_in(&project, &["check"]).data()["summary"]["errors"], 0);
}

/// Methods by name, as chat services and payment services have them; some of them changed something as a read.
const NAMED: &str = r#"
openapi: 3.1.0
info: {title: Talk, version: '1'}
servers: [{url: 'https://talk.example/api'}]
security: [{oauth: []}]
components:
  securitySchemes: {oauth: {type: oauth2, flows: {}}}
  schemas:
    Room: {type: object, properties: {id: {type: string}, topic: {type: string}}}
    Direct: {type: object, properties: {id: {type: string}, people: {type: integer}}}
paths:
  /rooms.list:
    get:
      parameters:
        - {name: token, in: query, required: true, schema: {type: string}}
        - {name: limit, in: query, schema: {type: integer}}
        - {name: offset, in: query, schema: {type: string}}
      responses: {'200': {content: {application/json: {schema: {type: object, properties: {
        rooms: {type: array, items: {oneOf: [{$ref: '#/components/schemas/Room'}, {$ref: '#/components/schemas/Direct'}]}},
        next_page: {type: object, nullable: true, properties: {offset: {type: string}, uri: {type: string}}}}}}}}}
  /rooms.people:
    get:
      parameters: [{name: after, in: query, schema: {type: string}}, {name: limit, in: query, schema: {type: integer}}]
      responses: {'200': {content: {application/json: {schema: {type: object, properties: {
        data: {type: array, items: {type: object, properties: {call_sid: {type: string}, waited: {type: integer}}}}, first_id: {type: string}, last_id: {type: string},
        has_more: {type: boolean}}}}}}}
  /rooms.words:
    get:
      parameters: [{name: page, in: query, schema: {type: integer}}]
      responses: {'200': {content: {application/json: {schema: {type: object, properties: {
        data: {type: array, items: {$ref: '#/components/schemas/Room'}},
        _links: {type: object, properties: {next: {type: object, properties: {href: {type: string}}}}}}}}}}}
  /photos.remove:
    post:
      requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {token: {type: string, description: Authentication token}}}}}}
      responses: {'204': {description: done}}
  /rooms.delete:
    post:
      parameters: [{name: token, in: header, required: true, schema: {type: string}}]
      responses: {'204': {description: done}}
  /apps.uninstall:
    get: {responses: {'204': {description: done}}}
  /links.share:
    get: {responses: {'204': {description: done}}}
  /rooms.listGuests:
    get: {responses: {'204': {description: done}}}
  /rooms.info:
    get: {responses: {'204': {description: done}}}
  /tokens.check:
    post:
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [token], properties: {token: {type: string}}}}}}
      responses: {'204': {description: done}}
  /shops/{id}/splitRules:
    get: {parameters: [{name: id, in: path, required: true, schema: {type: string}}], responses: {'204': {description: done}}}
  /shops/{id}/splitRules/{rule}:
    get: {parameters: [{name: id, in: path, required: true, schema: {type: string}}, {name: rule, in: path, required: true, schema: {type: string}}], responses: {'204': {description: done}}}
"#;

#[test]
fn methods_that_are_called_by_name_have_the_ids_and_modes_of_their_verbs() {
    let sandbox = Sandbox::new();
    let file = described(&sandbox, NAMED);
    let answer = sandbox.aos(&["new", "talk", "--openapi", &file, "--list"]).data();
    for (id, mode, class, request) in [
        ("room.list", "readonly", "read", "GET /rooms.list"),
        ("room.people", "readonly", "read", "GET /rooms.people"),
        ("room.info", "readonly", "read", "GET /rooms.info"),
        ("room.delete", "admin", "destructive", "POST /rooms.delete"),
        ("app.uninstall", "admin", "destructive", "GET /apps.uninstall"),
        ("link.share", "write", "write", "GET /links.share"),
        // Their replies are not lists.
        ("split_rule.get_all", "readonly", "read", "GET /shops/{id}/splitRules"),
        ("room.get_guests", "readonly", "read", "GET /rooms.listGuests"),
    ] {
        let found = command(&answer, id);
        assert_eq!(
            (&found["mode"], &found["class"], &found["request"]),
            (&mode.into(), &class.into(), &request.into())
        );
    }
}

#[test]
fn an_input_for_the_credential_of_the_call_is_sent_by_the_client_and_other_secrets_stay_out() {
    let sandbox = Sandbox::new();
    let file = described(&sandbox, NAMED);
    let answer = sandbox.aos(&["new", "talk", "--openapi", &file, "--list"]).data();
    let notes = command(&answer, "room.delete")["notes"].to_string();
    assert!(
        notes.contains("`token` is the credential, which is sent without an option"),
        "{notes}"
    );
    assert_eq!(reason(&answer, "POST /tokens.check"), "it needs the secret `token` as an input");
    let words = ["new", "talk", "--openapi", &file, "--list", "--select", "/tokens*"];
    let error = sandbox.aos(&words).error("E_VALIDATION", 2);
    assert!(error["message"].to_string().contains("POST /tokens.check: it needs"), "{error}");
}

#[test]
fn lists_are_followed_by_an_offset_that_is_a_text_by_the_last_id_and_by_a_link_in_an_object() {
    let sandbox = Sandbox::new();
    let file = described(&sandbox, NAMED);
    let answer = sandbox.aos(&["new", "talk", "--openapi", &file, "--list"]).data();
    for (id, paging) in [
        ("room.list", "cursor at next_page.offset"),
        ("room.people", "cursor at last_id"),
        ("room.words", "link at _links.next.href"),
    ] {
        assert_eq!(command(&answer, id)["paging"], paging, "{id}: {answer:#}");
    }
    assert_eq!(command(&answer, "room.list")["inputs"], json!([]));
}

#[test]
fn features_of_real_descriptions_become_commands_that_pass() {
    let sandbox = Sandbox::new();
    let page = "{type: object, properties: {rows: {type: array, items: {type: object, properties: {id: {type: string}, name: {type: string}}}}, links: {type: object, properties: {next: {type: string, format: uri}}}}}";
    let text = minimal(&format!(
        "  /files/{{id}}#add_link: {{put: {{parameters: [{{name: id, in: path, required: true, schema: {{type: string, pattern: '^[A-Z]{{3}}$'}}}}], {OK}}}}}\n  \
         /files: {{get: {{parameters: [{{name: X-Version, in: header, schema: {{type: string}}}}, {{name: range, in: query, schema: {{type: object, properties: {{since: {{type: string}}, until: {{type: string}}}}}}}}], responses: {{'200': {{content: {{application/json: {{schema: {page}}}}}}}}}}}}}\n  \
         /users/{{id}}: {{put: {{requestBody: {{content: {{application/json: {{schema: {{type: object, properties: {{state: {{type: string, enum: [on, 'off']}}, name: {{type: string, maxLength: 5}}}}}}}}}}}}, {OK}}}}}\n  \
         /rooms/{{id}}: {{put: {{requestBody: {{content: {{multipart/form-data: {{schema: {{type: object, properties: {{state: {{type: string, enum: [open]}}, name: {{type: string, maxLength: 3}}, shape: {{type: object, properties: {{a: {{type: string}}}}}}}}}}}}}}}}, {OK}}}}}\n  \
         /rows/search: {{post: {{requestBody: {{content: {{application/json: {{schema: {{type: object, properties: {{words: {{type: string}}, size: {{type: integer}}, from: {{type: integer}}}}}}}}}}}}, responses: {{'200': {{content: {{application/json: {{schema: {page}}}}}}}}}}}}}\n"
    ));
    let file = described(&sandbox, &text);
    let made = sandbox.aos(&["new", "acme", "--no-git", "--openapi", &file, "--list"]).data();
    let requests: Vec<_> = made["commands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{} {}", one["id"].as_str().unwrap(), one["inputs"]))
        .collect();
    assert_eq!(
        requests,
        [
            r#"file.add_link ["id*"]"#,
            r#"file.list ["x_version","since","until"]"#,
            r#"user.update ["id*","state","name"]"#,
            r#"room.update ["id*","room_state","name","shape"]"#,
            r#"row.search ["words"]"#,
        ]
    );
    sandbox.aos(&["new", "acme", "--no-git", "--openapi", &file]).data();
    let project = sandbox.work().join("aos-acme");
    let facts = disk::read(&project.join("conform.toml"));
    assert!(facts.contains("arguments = [\"--id\", \"AAA\"]"), "{facts}");
    assert!(facts.contains("path = \"/files/AAA\""), "{facts}");
    let preset = disk::read(&project.join("preset.toml"));
    assert!(preset.contains("samples = { \"name\" = \"sam\" }"), "{preset}");
    let paging = r#"paging = { style = "offset", limit = "size", max_limit = 100, position = "from", in = "body" }"#;
    assert!(preset.contains(paging), "{preset}");
    let place = format!("--basetemp={}", sandbox.work().join("temporary").display());
    let words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", &place];
    succeed(Installation::shared().python(), &words, &project);
}
