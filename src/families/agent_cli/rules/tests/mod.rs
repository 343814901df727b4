//! Each rule with a tool that keeps it and tools that break it.

mod sample;

use super::all::{RULES, check_agent_cli};
use sample::{Sample, facts};

#[track_caller]
fn breaks(sample: Sample, expected: &[&str]) {
    assert_eq!(sample.findings(), expected);
}

#[track_caller]
fn keeps(sample: Sample) {
    assert_eq!(sample.findings(), Vec::<String>::new());
}

#[test]
fn a_well_formed_tool_has_no_findings() {
    keeps(Sample::good());
}

#[test]
fn every_document_is_looked_for_by_its_names() {
    breaks(Sample::good().without("CONTRIBUTING.md"), &["documents/missing CONTRIBUTING.md"]);
    let sample =
        Sample::good().without("SECURITY.md").file(".github/SECURITY.md", "risk_tier: low\n");
    keeps(sample);
    keeps(Sample::good().without("LICENSE").file("COPYING", ""));
    breaks(Sample::good().file("SECURITY.md", "# x\n"), &["documents/risk-tier SECURITY.md"]);
    let sample = Sample::good().file("scripts/check-spec.js", "");
    breaks(sample, &["documents/other-guard scripts/check-spec.js"]);
}

#[test]
fn every_version_is_compared_with_that_of_the_package() {
    let other = |path: &str, from: &str, to: &str| Sample::good().edit(path, from, to);
    for (path, from, to) in [
        ("package-lock.json", "\"version\": \"1.2.0\",", "\"version\": \"1.1.0\","),
        ("package-lock.json", "\"\": {\"version\": \"1.2.0\"", "\"\": {\"version\": \"1.1.0\""),
        ("skills/acme/SKILL.md", "version: \"1.2.0\"", "version: \"1.1.0\""),
        ("skills/acme/SKILL.md", "min_version\": \"1.2.0\"", "min_version\": \"1.1.0\""),
        ("CHANGELOG.md", "## [1.2.0]", "## [1.3.0]"),
        ("cmd/acme/main.go", "\"dev\"", "\"1.1.0\""),
    ] {
        breaks(other(path, from, to), &[&format!("version/differs {path}")]);
    }
    for (path, text) in [
        ("pyproject.toml", "[project]\nname = \"acme\"\nversion = \"1.1.0\"\n"),
        ("pyproject.toml", "[tool.poetry]\nversion = \"1.1.0\"\n"),
        ("Cargo.toml", "[package]\nversion = \"1.1.0\"\n"),
        ("acme/__init__.py", "__version__ = \"1.1.0\"\n"),
    ] {
        breaks(Sample::good().file(path, text), &[&format!("version/differs {path}")]);
        keeps(Sample::good().file(path, &text.replace("1.1.0", "1.2.0")));
    }
}

#[test]
fn a_heading_without_a_version_or_a_date_is_found() {
    let heading = |to: &str| Sample::good().edit("CHANGELOG.md", "## [1.2.0] - 2026-07-01", to);
    breaks(heading("## Next\n"), &["version/heading CHANGELOG.md"]);
    breaks(heading("## [1.2.0]\n"), &["version/day CHANGELOG.md"]);
    breaks(heading("## [1.2.0] - soon\n"), &["version/day CHANGELOG.md"]);
    let first = "# Changelog\n\n## [Unreleased]\n\n## [1.2.0]\n";
    keeps(Sample::good().file("CHANGELOG.md", first));
    breaks(
        Sample::good().file("CHANGELOG.md", &first.replace("1.2.0]", "1.2.0] - soon")),
        &["version/day CHANGELOG.md"],
    );
    keeps(heading("## 1.2.0 \u{2014} 2026-07-01\n"));
    keeps(heading("<!--\n## [9.0.0] - 2026-09-01\n-->\n## [1.2.0] - 2026-07-01\n"));
}

#[test]
fn a_platform_package_that_is_left_behind_or_missing_is_found() {
    let package = |from: &str, to: &str| Sample::good().edit("package.json", from, to);
    breaks(
        package("\"acme-linux-x64\": \"1.2.0\"", "\"acme-linux-x64\": \"1.1.0\""),
        &["version/platform-pin package.json"],
    );
    breaks(
        Sample::good().edit(
            "package-lock.json",
            "{\"acme-linux-x64\": \"1.2.0\"}",
            "{\"acme-linux-x64\": \"^1\"}",
        ),
        &["version/platform-pin package-lock.json"],
    );
    breaks(
        package("\"acme-win32-arm64\": \"1.2.0\", ", ""),
        &["package/platform-missing package.json"],
    );
}

#[test]
fn an_install_script_and_a_go_toolchain_line_are_refused() {
    let sample = Sample::good().edit(
        "package.json",
        "\"test\":",
        "\"postinstall\": \"node get.js\", \"test\":",
    );
    breaks(sample, &["package/install-script package.json"]);
    let sample = Sample::good().edit("go.mod", "go 1.24\n", "go 1.24\n\ntoolchain go1.24.1\n");
    breaks(sample, &["package/go-toolchain go.mod"]);
}

#[test]
fn a_skill_is_judged_by_its_front_matter() {
    const SKILL: &str = "skills/acme/SKILL.md";
    let skill = |from: &str, to: &str| Sample::good().edit(SKILL, from, to);
    breaks(
        Sample::good().without(SKILL).without("skills/acme/test-prompts.json"),
        &["skill/missing skills"],
    );
    breaks(skill("---\nname", "name"), &["skill/front-matter skills/acme/SKILL.md"]);
    breaks(skill("description:", "about:"), &["skill/front-matter skills/acme/SKILL.md"]);
    breaks(skill("name: acme", "name: other"), &["skill/name skills/acme/SKILL.md"]);
    breaks(
        skill("when the count", "when <b>the count"),
        &["skill/description skills/acme/SKILL.md"],
    );
    breaks(skill("Works with", &"x".repeat(1100)), &["skill/description skills/acme/SKILL.md"]);
    breaks(skill("[\"acme\"]", "[]"), &["skill/requirements skills/acme/SKILL.md"]);
    breaks(
        skill("version: \"1.2.0\"", "version: 1.2.0"),
        &["skill/requirements skills/acme/SKILL.md"],
    );
    breaks(skill("# Acme\n", &"x\n".repeat(501)), &["skill/length skills/acme/SKILL.md"]);
    let block = "metadata:\n  requires:\n    bins:\n      - acme\n    min_version: \"1.2.0\"";
    let json = "metadata: {\"requires\": {\"bins\": [\"acme\"], \"min_version\": \"1.2.0\"}}";
    keeps(skill(json, block));
    let claude = Sample::good()
        .without(SKILL)
        .without("skills/acme/test-prompts.json")
        .file("skills/my-claude/SKILL.md", "---\nname: my-claude\nversion: \"1.2.0\"\ndescription: x\nrequires:\n  bins: [\"a\"]\n  min_version: \"1.2.0\"\n---\n")
        .file("skills/my-claude/test-prompts.json", Sample::good().repository.text("skills/acme/test-prompts.json").unwrap());
    breaks(claude, &["skill/name skills/my-claude/SKILL.md"]);
}

#[test]
fn the_scenarios_of_a_skill_are_complete() {
    const PROMPTS: &str = "skills/acme/test-prompts.json";
    breaks(Sample::good().without(PROMPTS), &["skill/prompts skills/acme/test-prompts.json"]);
    for (from, to) in [("self-update", "other"), ("\"expected\"", "\"wanted\""), ("[\n", "{\n")] {
        breaks(
            Sample::good().edit(PROMPTS, from, to),
            &["skill/prompts skills/acme/test-prompts.json"],
        );
    }
}

#[test]
fn a_command_that_installs_the_skill_is_found_in_the_program_only() {
    let command = concat!("package cli\n\nvar c = command{Use: \"install", "-skill\"}\n");
    breaks(
        Sample::good().file("internal/cli/skill.go", command),
        &["skill/install-command internal/cli/skill.go"],
    );
    keeps(Sample::good().file("internal/cli/skill_test.go", command));
}

#[test]
fn codes_outside_the_table_are_found_in_the_program_only() {
    let code = "package cli\n\nvar codes = []string{\"E_NOPE\", \"E_IO\", \"E_OWN\", \"E_2FA_REQUIRED\", \"E_ is\", \"EACCES\"}\n";
    breaks(Sample::good().file("internal/cli/x.go", code), &["codes/unknown internal/cli/x.go"]);
    keeps(Sample::good().file("internal/cli/x_test.go", code));
    keeps(Sample::good().file("templates/x.go", code));
    let rust = "fn f() {}\n#[cfg(test)]\nmod tests { const X: &str = \"E_NOPE\"; }\n";
    keeps(Sample::good().file("src/x.rs", rust));
}

#[test]
fn a_table_that_is_compared_with_itself_proves_nothing() {
    const TEST: &str = "internal/output/contract_test.go";
    let circular = "package output\n\nfunc TestCodes(t *testing.T) {\n\tfor code, spec := range contract.Codes {\n\t\tif ExitFor(code) != spec.Exit { t.Fatal(code) }\n\t}\n}\n";
    let delegating =
        "package output\n\nfunc ExitFor(code string) int { return contract.ExitFor(code) }\n";
    let tool = || Sample::good().file("internal/output/exit.go", delegating);
    keeps(tool());
    breaks(tool().file(TEST, circular), &["codes/tautology internal/output/contract_test.go"]);
    breaks(tool().without(TEST), &["codes/no-table ."]);
    let python = "CORE = {\n".to_owned() + &"    \"E_X\": (7, True),\n".repeat(16) + "}\n";
    keeps(tool().file(TEST, circular).file("tests/test_codes.py", &python));
    let short = "import contract_gen\n\nCORE = {\n    \"E_X\": (7, True),\n}\nassert exit_for(\"E_X\") == 7\n";
    breaks(
        tool().without(TEST).file("tests/test_codes.py", short),
        &["codes/tautology tests/test_codes.py"],
    );
    // A table of the program's own, compared with the generated one, is not a circle.
    keeps(Sample::good().file(TEST, circular));
}

#[test]
fn members_that_come_and_go_are_found_by_their_tags() {
    const OUTPUT: &str = "internal/output/output.go";
    let tag = |from: &str, to: &str| Sample::good().edit(OUTPUT, from, to);
    breaks(
        tag("\"details\"", "\"details,omitempty\""),
        &["envelope/omitted internal/output/output.go"],
    );
    breaks(tag("\"meta\"", "\"meta,omitempty\""), &["envelope/omitted internal/output/output.go"]);
    breaks(
        tag("\"data\"", "\"data,omitempty\""),
        &["envelope/data-omitted internal/output/output.go"],
    );
    let doctor = "package cli\n\ntype check struct {\n\tCheck string `json:\"check\"`\n\tStatus string `json:\"status\"`\n\tFix *string `json:\"fix,omitempty\"`\n}\n";
    breaks(
        Sample::good().file("internal/cli/d.go", doctor),
        &["envelope/omitted internal/cli/d.go"],
    );
    let camel = "package output\n\ntype x struct {\n\tA int `json:\"agentType\"`\n}\n";
    breaks(
        Sample::good().file("internal/output/x.go", camel),
        &["envelope/camel-case internal/output/x.go"],
    );
    keeps(Sample::good().file("internal/client/x.go", camel));
}

#[test]
fn claims_of_readiness_are_held_to_what_is_there() {
    breaks(
        Sample::good().without("test/guard_test.go"),
        &["readiness/no-guard internal/output/output.go"],
    );
    breaks(
        Sample::good().without("docs/E2E.md"),
        &["readiness/evidence internal/output/output.go"],
    );
    let modest = Sample::good().without("test/guard_test.go");
    keeps(modest.edit("internal/output/output.go", "\"verified\"", "\"missing\""));
    let python = "READINESS = {\n    \"fcc_status\": \"verified\",\n    \"required_evidence\": [\"docs/NOPE.md\"],\n}\n";
    breaks(Sample::good().file("acme/ready.py", python), &["readiness/evidence acme/ready.py"]);
}

#[test]
fn actions_are_pinned_and_nothing_from_outside_is_pasted_into_a_script() {
    const WORKFLOW: &str = ".github/workflows/ci.yml";
    let workflow = |from: &str, to: &str| Sample::good().edit(WORKFLOW, from, to);
    let found = |rule: &str| vec![format!("{rule} {WORKFLOW}")];
    for version in ["v5", "main", "08c6903cd8c0fde910a37f88322edcfb5dd907a", "", "08c6903"] {
        let sample = workflow("08c6903cd8c0fde910a37f88322edcfb5dd907a8", version);
        assert_eq!(sample.findings(), found("workflow/unpinned-action"), "{version}");
    }
    for (image, fixed) in [("docker://alpine:3", false), ("docker://alpine@sha256:abc", true)] {
        let sample = workflow("./.github/actions/local", image);
        assert_eq!(sample.findings().is_empty(), fixed, "{image}");
    }
    for expression in [
        "github.event.pull_request.title",
        "github.head_ref",
        "inputs.name",
        "format('{0}', github.event.issue.body)",
        "github.event.pull_request.head.ref",
    ] {
        let sample = workflow("${{ runner.os }}", &format!("${{{{ {expression} }}}}"));
        assert_eq!(sample.findings(), found("workflow/untrusted-input"), "{expression}");
        let sample = workflow("run: aos check", &format!("run: aos check ${{{{ {expression} }}}}"));
        assert_eq!(sample.findings(), found("workflow/untrusted-input"), "{expression}");
    }
    for expression in ["matrix.inputs.os", "github.event_name", "github.event.number", "github.sha"]
    {
        keeps(workflow("${{ runner.os }}", &format!("${{{{ {expression} }}}}")));
    }
    breaks(
        workflow("permissions:\n  contents: read\n", ""),
        &["workflow/permissions .github/workflows/ci.yml"],
    );
    breaks(Sample::good().without(WORKFLOW), &["workflow/none .github/workflows"]);
}

#[test]
fn committed_secrets_are_found_in_a_tool_too() {
    let token = format!("token = \"ghp_{}\"\n", "a1B2c3D4e5F6".repeat(3));
    breaks(Sample::good().file("notes.txt", &token), &["secrets/committed notes.txt"]);
}

#[test]
fn a_directory_that_holds_nothing_has_warnings_only() {
    let repository = Sample::of(&[("aos.toml", "")]).repository;
    let findings = check_agent_cli(&repository, &facts());
    let warning = crate::contract::findings::Severity::Warning;
    assert!(findings.len() >= 8 && findings.iter().all(|finding| finding.severity == warning));
}

#[test]
fn no_mutation_of_any_file_makes_a_rule_panic() {
    let paths: Vec<String> = Sample::good().repository.files.keys().cloned().collect();
    let pieces: [&[u8]; 14] = [
        b"null",
        b"[]",
        b"{}",
        b"\"",
        b"'",
        b"`",
        b"\\",
        b"${{",
        b"---\n",
        b"\xff",
        b"\n",
        b"<!--",
        b"\xc3\xa9",
        b":",
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    let facts = facts();
    for _ in 0..1500 {
        let mut repository = Sample::good().repository;
        let path = &paths[random(paths.len())];
        let file = repository.files.get_mut(path).unwrap();
        let bytes = &mut file.bytes.to_vec();
        for _ in 0..=random(5) {
            let at = random(bytes.len());
            let end = (at + random(24)).min(bytes.len());
            match random(4) {
                0 => drop(bytes.splice(at..end, pieces[random(pieces.len())].iter().copied())),
                1 => drop(bytes.splice(at..end, [])),
                2 => bytes.truncate(at),
                _ => {
                    let copy = bytes[at..end].to_vec();
                    bytes.splice(at..at, copy);
                }
            }
        }
        file.bytes = bytes.as_slice().into();
        let known: Vec<_> = crate::audit::rules::all().map(|rule| rule.id).collect();
        let findings = check_agent_cli(&repository, &facts);
        assert!(findings.iter().all(|finding| known.contains(&finding.rule)));
        assert!(findings.iter().all(|finding| finding.message.len() < 1000));
    }
}

#[test]
fn every_rule_is_complete_and_its_id_is_unique() {
    let topics =
        ["documents", "version", "skill", "codes", "envelope", "readiness", "package", "workflow"];
    let others =
        || crate::audit::rules::all().filter(|rule| !RULES.iter().any(|own| own.id == rule.id));
    let mut ids: std::collections::BTreeSet<_> = others().map(|rule| rule.id).collect();
    for rule in RULES {
        assert!(ids.insert(rule.id), "`{}` stands twice", rule.id);
        assert!(topics.contains(&rule.id.split('/').next().unwrap()), "{}", rule.id);
        for text in [rule.summary, rule.why, rule.fix, rule.source] {
            assert!(!text.is_empty() && !text.ends_with('.'), "{}: `{text}`", rule.id);
        }
    }
}

/// Commands as the Go runtime of aos declares them.
const COMMANDS: &str = "package cli

var commands = []Command{
	{Path: \"reference\", Summary: \"x\"},
	{Path: \"context\", Summary: \"x\"},
	{
		Path:    \"item list\",
		Summary: \"List items\",
	},
}

var request = Request{Path: []string{\"v1\"}}
";

#[test]
fn documents_name_commands_that_the_sources_declare() {
    let tool = || Sample::good().file("internal/cli/commands.go", COMMANDS);
    let right = "`acme item list --limit 1`, `acme item`, `acme context`, acme nothing\n";
    let wrong = "Run\n\n    acme item lst\n";
    for path in ["README.md", "AGENTS.md", "docs/USE.md", "skills/acme/reference/x.md"] {
        keeps(tool().file(path, right));
        breaks(tool().file(path, wrong), &[&format!("documents/unknown-command {path}")]);
    }
    let fixture = |path: &str| format!("[[agent_cli.command]]\npath = \"{path}\"\n");
    keeps(tool().file("conform.toml", &fixture("item list")));
    breaks(
        tool().file("conform.toml", &fixture("item")),
        &["documents/unknown-command conform.toml"],
    );
    let python = "COMMANDS = (\n    Command(path=\"reference\", summary=\"x\"),\n    Command(path=\"context\", summary=\"x\"),\n)\n";
    let python = || Sample::good().file("acme/commands.py", python);
    keeps(python().file("README.md", "`acme context`\n"));
    breaks(
        python().file("README.md", "`acme item list`\n"),
        &["documents/unknown-command README.md"],
    );
}

#[test]
fn unknown_commands_are_not_judged_and_a_note_says_so() {
    let notes = |sample: Sample| super::all::notes(&sample.repository, &facts());
    let named = || Sample::good().file("README.md", "`acme item lst`\n");
    keeps(named());
    assert_eq!(notes(named()).len(), 1);
    let computed = COMMANDS.replace("\"item list\",", "name + \" list\",");
    let tool = || named().file("internal/cli/commands.go", &computed);
    keeps(tool());
    assert_eq!(notes(tool()).len(), 1);
    assert!(notes(Sample::good()).is_empty());
    assert!(notes(named().file("internal/cli/commands.go", COMMANDS)).is_empty());
}
