//! Each rewrite with what it changes, what it must not touch, and what it refuses.

use super::{PACKAGE, connector, migrated, of};
use crate::disk;
use crate::sandbox::Sandbox;

#[test]
fn only_the_lines_of_a_rewrite_change() {
    let sandbox = Sandbox::new();
    let project = connector(&sandbox, "aos-parcel");
    let read = |path: &str| disk::read(&project.join(path));
    let before = read(&format!("{PACKAGE}/config.py"));
    migrated(&sandbox, &project, &["--only", "masks"]);
    let after = read(&format!("{PACKAGE}/config.py"));
    assert_eq!(
        after,
        before.replace("f\"{value[:4]}***{value[-4:]}\"   # first", "\"***\"   # first")
    );
    let project_file = read("agent-harness/pyproject.toml");
    migrated(&sandbox, &project, &["--only", "package-name"]);
    assert_eq!(
        read("agent-harness/pyproject.toml"),
        project_file
            .replace("\"cli_aos.", "\"aos_parcel.")
            .replace("\"cli_aos*\"", "\"aos_parcel*\"")
    );
    assert!(
        disk::state(&project)
            .keys()
            .all(|path| !path.ends_with(".py") || !path.contains("cli_aos"))
    );
    let test = read("agent-harness/tests/test_cli.py");
    assert!(test.contains("setattr(\"aos_parcel.parcel.config.token\""), "{test}");
    // The entries of the baseline for a file apply to its new name.
    let compare = ["check", "--recursive", ".", "--baseline", "compare"];
    let error = sandbox.aos_in(&project, &compare).error("E_DRIFT", 6);
    // permissions.json is not generated yet, which no baseline accepts; everything else is known.
    assert!(error["message"].as_str().is_some_and(|said| said.contains(" 1 error")), "{error}");
    // A page is for its author.
    assert!(read("README.md").contains("cli_aos"));
}

#[test]
fn look_ups_become_values_of_the_generated_module() {
    let sandbox = Sandbox::new();
    let project = connector(&sandbox, "aos-parcel");
    migrated(&sandbox, &project, &["--only", "contract-module"]);
    let code = disk::read(&project.join(format!("{PACKAGE}/runtime.py")));
    assert!(
        code.contains(
            "from cli_aos.parcel import config\nfrom cli_aos.parcel import contract_gen\n"
        ),
        "{code}"
    );
    assert!(code.contains("return contract_gen.plain(contract_gen.MANIFEST)\n"), "{code}");
    assert!(code.contains("contract_gen.COMMANDS.items()}}   # id to mode\n"), "{code}");
    assert!(!code.contains("__file__") && !code.contains(".json"), "{code}");
    assert!(project.join(format!("{PACKAGE}/contract_gen.py")).exists());
}

#[test]
fn a_path_that_is_used_for_more_keeps_its_place() {
    let sandbox = Sandbox::new();
    let project = connector(&sandbox, "aos-parcel");
    let runtime = project.join(format!("{PACKAGE}/runtime.py"));
    disk::append(&runtime, "\n\ndef has_manifest():\n    return MANIFEST_PATH.exists()\n");
    let data = migrated(&sandbox, &project, &["--only", "contract-module"]);
    let places = of(&data, "contract-module")["untouched"].to_string();
    assert!(places.contains("the path is still used"), "{places}");
    assert!(disk::read(&runtime).contains("MANIFEST_PATH = ROOT / \"connector.json\""));
}

#[test]
fn modes_that_differ_are_never_taken_from_one_side() {
    let sandbox = Sandbox::new();
    let project = connector(&sandbox, "aos-parcel");
    let permissions = project.join("agent-harness/permissions.json");
    disk::edit(&permissions, "\"parcel.get\": \"readonly\"", "\"parcel.get\": \"write\"");
    let before = disk::read(&permissions);
    let words = ["--only", "permission-keys", "--only", "contract-module"];
    let data = migrated(&sandbox, &project, &words);
    let entry = of(&data, "permission-keys");
    assert_eq!(entry["status"], "untouched");
    assert!(entry["untouched"].to_string().contains("`parcel.get` has the mode"), "{entry}");
    assert_eq!(disk::read(&permissions), before);
    // The manifest is read from the module; modes that disagree are not.
    let code = disk::read(&project.join(format!("{PACKAGE}/runtime.py")));
    assert!(code.contains("PERMISSIONS_PATH.read_text()") && code.contains("plain("), "{code}");
}

#[test]
fn health_is_reworded_where_everybody_who_compares_is_found() {
    let sandbox = Sandbox::new();
    let project = connector(&sandbox, "aos-parcel");
    let data = migrated(&sandbox, &project, &["--only", "health-words"]);
    let code = disk::read(&project.join(format!("{PACKAGE}/runtime.py")));
    assert!(code.contains("\"status\": \"healthy\" if ok else \"needs_setup\","), "{code}");
    assert!(code.contains("state[\"status\"] in (\"ready\", \"healthy\")}"), "{code}");
    assert!(code.contains("# The host asks for this every minute."));
    let test = disk::read(&project.join("agent-harness/tests/test_cli.py"));
    assert!(test.contains("[\"status\"] in (\"ready\", \"healthy\")\n"), "{test}");
    assert_eq!(of(&data, "health-words")["status"], "rewritten");
    // A comparison that is not understood keeps the old word everywhere.
    let other = connector(&sandbox, "other/aos-parcel");
    let runtime = other.join(format!("{PACKAGE}/runtime.py"));
    disk::edit(&runtime, "state[\"status\"] == \"ready\"", "\"ready\" == state[\"status\"]");
    let before = disk::read(&runtime);
    let data = migrated(&sandbox, &other, &["--only", "health-words"]);
    let entry = of(&data, "health-words");
    assert_eq!((&entry["status"], disk::read(&runtime)), (&"untouched".into(), before));
    assert!(entry["untouched"].to_string().contains("on the left"), "{entry}");
}

#[test]
fn a_part_of_a_secret_that_may_be_needed_is_left_alone() {
    let sandbox = Sandbox::new();
    let project = connector(&sandbox, "aos-parcel");
    let config = project.join(format!("{PACKAGE}/config.py"));
    let more = "\n\ndef region(api_key):\n    return api_key[-3:]\n\n\ndef mask_of(name, secret):\n    return f\"{name} {secret[:2]}***\"\n";
    disk::append(&config, more);
    let data = migrated(&sandbox, &project, &["--only", "masks"]);
    let places = of(&data, "masks")["untouched"].to_string();
    assert!(places.contains("may be needed") && places.contains("other values"), "{places}");
    assert!(disk::read(&config).ends_with(more));
}

#[test]
fn a_package_that_is_named_in_an_unknown_way_is_not_renamed_at_all() {
    let sandbox = Sandbox::new();
    for (path, text, reason) in [
        ("agent-harness/run.sh", "exec python -m cli_aos.parcel.cli\n", "does not know what for"),
        (
            "agent-harness/cli_aos/parcel/more.py",
            "import cli_aos as package\nx = cli_aos\n",
            "as a value",
        ),
        ("agent-harness/aos_parcel/__init__.py", "", "already exists"),
    ] {
        let sandbox_name = format!("{}/aos-parcel", path.replace('/', "-"));
        let project = connector(&sandbox, &sandbox_name);
        let file = project.join(path);
        std::fs::create_dir_all(file.parent().expect("a parent")).expect("directories");
        std::fs::write(&file, text).expect("a file");
        let data = migrated(&sandbox, &project, &["--only", "package-name"]);
        let entry = of(&data, "package-name");
        assert_eq!(entry["status"], "untouched", "{path}: {entry}");
        assert!(entry["untouched"].to_string().contains(reason), "{path}: {entry}");
        assert!(project.join("agent-harness/cli_aos/parcel/cli.py").exists());
    }
}

#[test]
fn an_entry_point_that_is_not_a_click_group_keeps_its_flags() {
    let sandbox = Sandbox::new();
    let project = connector(&sandbox, "aos-parcel");
    let file = project.join("agent-harness/pyproject.toml");
    disk::edit(&file, "cli_aos.parcel.cli:cli", "cli_aos.parcel.cli:main");
    disk::append(&project.join(format!("{PACKAGE}/cli.py")), "\n\ndef main():\n    cli()\n");
    let data = migrated(&sandbox, &project, &["--only", "flags"]);
    let entry = of(&data, "flags");
    assert_eq!(entry["status"], "untouched", "{entry}");
    assert!(entry["untouched"].to_string().contains("click group"), "{entry}");
}

#[test]
fn a_manifest_that_generates_nothing_is_still_adopted() {
    let sandbox = Sandbox::new();
    let project = connector(&sandbox, "aos-parcel");
    disk::edit(&project.join("connector.json"), "\"id\": \"number\"", "\"id\": \"Not A Name\"");
    let data = migrated(&sandbox, &project, &[]);
    assert_eq!(data["adopted"], true);
    let entry = of(&data, "permission-keys");
    assert_eq!(entry["status"], "untouched", "{entry}");
    assert!(entry["untouched"].to_string().contains("nothing can be generated"), "{entry}");
    assert_eq!(of(&data, "masks")["status"], "rewritten");
}
