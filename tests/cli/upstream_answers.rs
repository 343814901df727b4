//! Generated connectors of every preset, given the answers of their real APIs as `upstream/answers.toml` records them.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::sandbox::{Sandbox, connector};
use super::scaffolded_python::Installation;
use super::toolchain::compiled;

type Table = BTreeMap<String, Vec<serde_json::Value>>;

fn table() -> Table {
    toml_edit::de::from_str(include_str!("upstream/answers.toml")).expect("lists of rows")
}

/// The faults that the driver found in a connector, and the number of rows that it tested.
fn drive(path: &Path, rows: &[serde_json::Value]) -> (String, usize) {
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/upstream/drive.py");
    let mut child = Command::new(Installation::shared().python())
        .arg(driver)
        .arg(path)
        .env_clear()
        .envs(compiled())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("Python starts");
    let input = serde_json::to_vec(rows).expect("JSON");
    child.stdin.take().expect("a pipe").write_all(&input).expect("the rows are read");
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{stderr}");
    let stdout = String::from_utf8(output.stdout).expect("text");
    let (faults, count) = stdout.trim_end().rsplit_once('\n').unwrap_or(("", stdout.trim_end()));
    (faults.to_owned(), count.parse().expect("the number of rows"))
}

#[test]
fn every_preset_reads_the_answers_of_its_api_rightly() {
    let table = table();
    let sandbox = Sandbox::new();
    let listed = sandbox.aos(&["new", "--list", "--all"]).data();
    let presets = connector(&listed)["presets"].as_array().expect("presets").clone();
    let presets: Vec<_> = presets.iter().map(|name| name.as_str().expect("a name")).collect();
    assert!(presets.len() >= 9, "{presets:?}");
    let mut wrong = String::new();
    for preset in presets {
        let rows = table.get(preset).unwrap_or_else(|| panic!("{preset} has no rows"));
        let has = |key: &str, value: &str| rows.iter().any(|row| row[key] == value);
        assert!(has("reason", "rate_limited"), "{preset} has no rate limit");
        assert!(rows.iter().any(|row| row["pages"].is_array()), "{preset} has no list");
        let (faults, count) = drive(&sandbox.connector(preset), rows);
        assert_eq!(count, rows.len(), "{preset}");
        if !faults.is_empty() {
            wrong.push_str(&format!("{preset}:\n{faults}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_wrong_expectation_is_noticed() {
    let mut rows = table().remove("notion").expect("rows");
    rows.retain(|row| row["reason"] == "rate_limited");
    assert!(!rows.is_empty());
    for row in &mut rows {
        row["wait"] = serde_json::json!([1, 2]);
    }
    let sandbox = Sandbox::new();
    let (faults, count) = drive(&sandbox.connector("notion"), &rows);
    assert_eq!((faults.lines().count(), count), (rows.len(), rows.len()), "{faults}");
}
