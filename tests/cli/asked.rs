//! `aos new` without a name: questions on a terminal, an error everywhere else.

use serde_json::json;

use super::disk;
use super::sandbox::{Sandbox, connector};
use super::toolchain::python_of_connectors;

const DRIVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/asked/terminal.py");
const ENTER: &str = "\r";

/// The output of the program, and its exit code.
fn talk(sandbox: &Sandbox, arguments: &[&str], steps: &[(&str, &str)]) -> (String, i32) {
    let aos = sandbox.command(&[]);
    let mut command = std::process::Command::new(python_of_connectors().join("python3"));
    let steps: Vec<_> = steps.iter().map(|(wait, kind)| json!([wait, kind])).collect();
    command.arg(DRIVER).arg(json!(steps).to_string()).arg(aos.get_program()).args(arguments);
    command.env_clear().envs(aos.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("TERM", "xterm").env("NO_COLOR", "1").current_dir(sandbox.work());
    let output = command.output().expect("Python starts");
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("\nsteps left: 0\n"), "{said}");
    let code = said.trim_end().lines().last().expect("a code").parse().expect("a number");
    (said, code)
}

#[test]
fn a_person_is_asked_for_template_name_preset_and_answers() {
    let sandbox = Sandbox::new();
    let (said, code) = talk(
        &sandbox,
        &["new", "--no-git"],
        &[
            ("What to create", ENTER),
            ("Name of the tool", "No Name\r"),
            ("Name of the tool", "\u{15}gihub\r"),
            ("API", ENTER),
            ("more questions", "n\r"),
            ("Create it?", "y\r"),
        ],
    );
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains(
            "Equivalent command: aos new gihub --template connector-python --preset example"
        ),
        "{said}"
    );
    let record = disk::read(&sandbox.work().join("aos-gihub/aos.toml"));
    assert!(record.contains("preset = \"example\""), "{record}");
}

#[test]
fn a_name_of_a_preset_proposes_it_and_an_answer_of_the_person_counts() {
    let sandbox = Sandbox::new();
    let listed = sandbox.aos(&["new", "--list", "--all"]).data();
    let questions = connector(&listed)["questions"].as_array().expect("questions").clone();
    let keys = questions.iter().map(|question| question["key"].as_str().expect("a key"));
    let waits: Vec<_> = keys.filter(|key| *key != "author").map(|key| format!("({key})")).collect();
    let mut steps = vec![
        ("What to create", ENTER),
        ("Name of the tool", "github\r"),
        ("API", ENTER),
        ("more questions", "y\r"),
    ];
    // The first choice of a license is MIT.
    let types = |wait: &str| match wait {
        "(license)" => "\u{1b}[B\r",
        "(label)" => "Octo\u{7}\r",
        _ => ENTER,
    };
    steps.extend(waits.iter().map(|wait| (wait.as_str(), types(wait))));
    steps.push(("Create it?", ENTER));
    let (said, code) = talk(&sandbox, &["new", "--no-git", "--set", "author=Ann"], &steps);
    assert_eq!(code, 0, "{said}");
    let project = sandbox.work().join("aos-github");
    let record = disk::read(&project.join("aos.toml"));
    assert!(record.contains("preset = \"github\"") && record.contains("Octo"), "{record}");
    assert!(!record.contains("license = \"MIT\"") && record.contains("Ann"), "{record}");
    sandbox.aos_in(&project, &["check"]).data();
}

#[test]
fn a_declined_or_aborted_question_creates_nothing() {
    let sandbox = Sandbox::new();
    let steps = [
        ("What to create", ENTER),
        ("Name of the tool", "parcel\r"),
        ("API", ENTER),
        ("more questions", "n\r"),
        ("Create it?", "n\r"),
    ];
    let (said, code) = talk(&sandbox, &["new", "--no-git"], &steps);
    assert_eq!(code, 130, "{said}");
    assert!(said.contains("nothing was created"), "{said}");
    for leaves in 0..steps.len() {
        let mut steps = steps[..=leaves].to_vec();
        steps[leaves].1 = "\u{3}";
        let (said, code) = talk(&sandbox, &["new", "--no-git"], &steps);
        assert_eq!(code, 130, "{leaves}: {said}");
        let (hidden, shown) = (said.rfind("\u{1b}[?25l"), said.rfind("\u{1b}[?25h"));
        assert!(hidden.is_none() || shown > hidden, "the cursor is hidden: {said}");
    }
    assert!(disk::names(&sandbox.work()).is_empty());
}

#[test]
fn without_a_terminal_aos_asks_no_question() {
    let sandbox = Sandbox::new();
    let error = sandbox.aos(&["new"]).error("E_USAGE", 2);
    let hint = error["details"]["fix"].as_str().expect("a hint");
    assert!(hint.contains("aos new github") && hint.contains("--list"), "{error}");
    let (said, code) = talk(&sandbox, &["new", "--json"], &[]);
    assert!(code == 2 && said.contains("E_USAGE"), "{said}");
    let (said, code) = talk(&sandbox, &["new", "--dry-run"], &[]);
    assert!(code == 2, "{said}");
}

#[test]
fn the_questions_of_the_template_that_was_named_are_asked() {
    let sandbox = Sandbox::new();
    let info = "name = \"web\"\nversion = \"1.0.0\"\n\n[[questions]]\nkey = \"region\"\nhelp = \"Where\"\nrequired = true\n";
    sandbox.write("web/template.toml", info);
    sandbox.write("web/files/a.txt.tera", "{= region =}\n");
    let steps = [("Name of the tool", "shop\r"), ("(region)", "eu\r"), ("Create it?", ENTER)];
    let (said, code) = talk(&sandbox, &["new", "--no-git", "--template", "./web"], &steps);
    assert_eq!(code, 0, "{said}");
    assert!(!said.contains("What to create"), "{said}");
    assert_eq!(disk::read(&sandbox.work().join("shop/a.txt")), "eu\n");
    // A name does not hide a question that has no default.
    let words = ["new", "two", "--no-git", "--template", "./web"];
    let (said, code) = talk(&sandbox, &words, &[("(region)", "us\r"), ("Create it?", ENTER)]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(disk::read(&sandbox.work().join("two/a.txt")), "us\n");
}
