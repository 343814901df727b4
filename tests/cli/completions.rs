//! `aos completions`: what a shell offers while a line is typed.

use super::sandbox::Sandbox;

/// The candidates that bash offers for a line, with the generated script.
fn offered(sandbox: &Sandbox, line: &[&str]) -> Vec<String> {
    let script = sandbox.aos(&["completions", "bash", "--format", "raw"]).stdout;
    let aos = sandbox.command(&[]);
    let place = std::path::Path::new(aos.get_program()).parent().expect("a folder");
    let [.., before, word] = line else { panic!("two words") };
    let words: Vec<_> = line.iter().map(|word| format!("'{word}'")).collect();
    let asked = format!(
        "{script}\nCOMP_TYPE=9 COMP_WORDS=({}) COMP_CWORD={}\n_clap_complete_aos aos '{word}' '{before}'\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        words.join(" "),
        line.len() - 1
    );
    let path = std::env::var("PATH").expect("a PATH");
    let mut bash = std::process::Command::new("bash");
    bash.args(["--noprofile", "--norc", "-c", &asked]).env_clear();
    bash.envs(aos.get_envs().filter_map(|(name, value)| Some((name, value?))));
    bash.env("PATH", format!("{}:{path}", place.display())).current_dir(sandbox.work());
    let output = bash.output().expect("bash starts");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn options_complete_to_the_values_that_this_build_knows() {
    let sandbox = Sandbox::new();
    for (line, wanted) in [
        (&["aos", "new", "x", "--template", "cli-"][..], &["cli-go", "cli-python"][..]),
        (&["aos", "new", "x", "--preset", "git"], &["github", "gitlab"]),
        (&["aos", "new", "x", "--set", "lic"], &["license="]),
        (&["aos", "new", "x", "--spec", "la"], &["latest"]),
        (&["aos", "sync-spec", "--to", "v1.0"], &["v1.0.0"]),
        (&["aos", "check", "--rule", "pin/"], &["pin/missing", "pin/moved"]),
        (&["aos", "check", "--explain", "drift/mod"], &["drift/modified", "drift/mode"]),
        (&["aos", "conform", "--probe", "harness.page"], &["harness.pages"]),
        (&["aos", "conform", "--family", "agent-c"], &["agent-cli"]),
        (&["aos", "runtime", "o"], &["own"]),
        (&["aos", "up"], &["upgrade", "update"]),
        (&["aos", "check", "--format", "j"], &["json"]),
    ] {
        let offered = offered(&sandbox, line);
        for value in wanted {
            assert!(offered.iter().any(|each| each.trim_end() == *value), "{line:?}: {offered:?}");
        }
        let word = line.last().expect("a word");
        assert!(offered.iter().all(|each| each.starts_with(word)), "{line:?}: {offered:?}");
    }
}

#[test]
fn a_file_whose_name_would_be_typed_into_the_terminal_is_not_offered() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.work().join("good")).expect("a directory");
    std::fs::create_dir(sandbox.work().join("go\u{1b}]0;x\u{7}")).expect("a directory");
    let offered = offered(&sandbox, &["aos", "check", "go"]);
    assert_eq!(offered.len(), 1, "{offered:?}");
    assert!(offered[0].starts_with("good"), "{offered:?}");
}

#[test]
fn an_unknown_shell_or_an_empty_request_gets_an_ordinary_response() {
    let sandbox = Sandbox::new();
    for shell in ["", "tcsh", "../bash"] {
        let mut command = sandbox.command(&["reference", "--json"]);
        let answer = super::sandbox::run(command.env("AOS_COMPLETE", shell));
        assert_eq!(answer.exit, Some(0), "{shell}: {answer:?}");
        assert!(answer.stdout.contains("\"ok\": true"), "{shell}");
    }
}
