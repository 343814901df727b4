//! `--report`: a place that is checked before the run, a file that is whole, a verdict that no full disk hides.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::super::sandbox::{Answer, Sandbox};
use super::{connector, executable};

/// A run over a connector with one fault, with these reports.
fn report(sandbox: &Sandbox, path: &Path, reports: &[&str]) -> Answer {
    let mut arguments = vec!["conform", "--probe", "harness.meta"];
    arguments.extend(reports.iter().flat_map(|report| ["--report", *report]));
    sandbox.aos_in(path, &arguments)
}

#[test]
fn a_place_that_cannot_be_written_is_refused_before_the_run() {
    let sandbox = Sandbox::new();
    let path = connector(&sandbox, "");
    // Every start of the tool leaves a file.
    let tool = path.join("agent-harness/bin/aos-good");
    std::fs::write(&tool, "#!/bin/sh\ntouch \"$0.was-run\"\n").expect("a tool");
    std::fs::create_dir(path.join("directory")).expect("a directory");
    std::fs::write(path.join("file"), "x").expect("a file");
    std::os::unix::fs::symlink("file", path.join("link")).expect("a link");
    for (reports, code, exit, wanted) in [
        (["junit=nowhere/r.xml"].as_slice(), "E_IO", 1, "its directory does not exist"),
        (&["junit=file/r.xml"], "E_IO", 1, "cannot be written"),
        (&["junit=directory"], "E_IO", 1, "it is a directory"),
        (&["junit=directory/"], "E_IO", 1, "it names no file"),
        (&["sarif=link"], "E_IO", 1, "it is a link"),
        (&["sarif=-"], "E_VALIDATION", 2, "stdout has the response"),
        (&["junit=r", "sarif=r"], "E_VALIDATION", 2, "two reports would be written to the file"),
        (
            &["junit=r", "junit=directory/../r"],
            "E_VALIDATION",
            2,
            "two reports would be written to the file",
        ),
    ] {
        let answer = report(&sandbox, &path, reports);
        let document = answer.json();
        assert_eq!(document["error"]["code"], code, "{reports:?}: {document}");
        assert!(answer.exit.is_some_and(|code| code == exit || exit == 1), "{answer:?}");
        let message = document["error"]["message"].as_str().expect("a message");
        assert!(message.contains(wanted), "{reports:?}: {message}");
    }
    assert!(!path.join("agent-harness/bin/aos-good.was-run").exists());
    let names: Vec<_> = std::fs::read_dir(&path).expect("a directory").flatten().collect();
    assert!(names.iter().all(|entry| !entry.file_name().to_string_lossy().starts_with(".r")));
}

#[test]
fn a_report_that_is_there_keeps_its_mode_and_a_read_only_one_is_refused() {
    let sandbox = Sandbox::new();
    let path = connector(&sandbox, "meta");
    let file = path.join("r.xml");
    let old = "<?xml version=\"1.0\"?>\n<testsuites/>\n";
    std::fs::write(&file, old).expect("a file");
    let set = |mode| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode));
    set(0o640).expect("a mode");
    report(&sandbox, &path, &["junit=r.xml"]).error("E_NONCONFORMANT", 6);
    let metadata = std::fs::metadata(&file).expect("a file");
    assert_eq!(metadata.permissions().mode() & 0o777, 0o640);
    assert!(std::fs::read_to_string(&file).expect("text").contains("<failure"));
    std::fs::write(&file, old).expect("a file");
    set(0o400).expect("a mode");
    let document = report(&sandbox, &path, &["junit=r.xml"]).json();
    assert_eq!(document["error"]["code"], "E_FORBIDDEN", "{document}");
    assert_eq!(std::fs::read_to_string(&file).expect("text"), old);
    // A wrong path must not overwrite a file that is not a report.
    for (written, kept) in
        [("junit=connector.json", "connector.json"), ("sarif=conform.toml", "conform.toml")]
    {
        let before = std::fs::read(path.join(kept)).expect("a file");
        report(&sandbox, &path, &[written]).error("E_CONFLICT", 6);
        assert_eq!(std::fs::read(path.join(kept)).expect("a file"), before);
    }
}

/// Whether a process runs the script `program`.
fn is_running(program: &str) -> bool {
    let script = format!("/bin/sh\0{program}\0");
    std::fs::read_dir("/proc").expect("processes").flatten().any(|entry| {
        std::fs::read_to_string(entry.path().join("cmdline"))
            .is_ok_and(|line| line.starts_with(&script))
    })
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_written_after_the_run_hides_no_verdict() {
    for (fault, code) in [("", "E_IO"), ("meta", "E_NONCONFORMANT")] {
        let sandbox = Sandbox::new();
        let path = connector(&sandbox, fault);
        std::fs::create_dir(path.join("out")).expect("a directory");
        // The directory goes while the tool runs, which waits for it: aos has tried the place by then.
        let tool = path.join("agent-harness/bin/aos-good");
        std::fs::rename(&tool, tool.with_file_name("real")).expect("a rename");
        let text = "#!/bin/sh\nplace=$(dirname \"$0\")\nwhile [ -d \"$place/../../out\" ]; do sleep 0.05; done\nexec \"$place/real\" \"$@\"\n";
        std::fs::write(&tool, text).expect("a tool");
        executable(&tool);
        let out = path.join("out");
        let program = tool.display().to_string();
        let gone = std::thread::spawn(move || {
            for _ in 0..600 {
                std::thread::sleep(std::time::Duration::from_millis(50));
                if is_running(&program) {
                    return std::fs::remove_dir_all(&out).is_ok();
                }
            }
            false
        });
        let answer = report(&sandbox, &path, &["junit=out/r.xml"]);
        assert!(gone.join().expect("no panic"), "the tool was never seen: {answer:?}");
        let document = answer.json();
        let error = &document["error"];
        assert_eq!(error["code"], code, "{document:#}");
        assert_eq!(error["details"]["summary"]["ok"], fault.is_empty(), "{document:#}");
        let faults = error["details"]["report_faults"].as_array().expect("faults");
        assert!(faults[0].as_str().is_some_and(|text| text.contains("out/r.xml")), "{faults:?}");
        assert_ne!(answer.exit, Some(0));
    }
}
