//! A small well-formed tool for the tests of rules, and ways to break it.

use crate::contract::repository::{ProjectFiles, SourceFile};
use crate::contract::tag::SpecTag;
use crate::families::agent_cli::contract::AgentCliContract;
use crate::families::agent_cli::rules::all::check_agent_cli;
use crate::families::agent_cli::rules::facts::ToolFacts;

const CONTRACT: &[u8] = include_bytes!("../../../../../contract/agent-cli/v1.1.0/contract.json");

const TABLE: &str = "package output

var table = map[string]spec{
	\"E_INTEGRITY\": {1, false},
	\"E_IO\": {1, false},
	\"E_UNKNOWN\": {1, false},
	\"E_USAGE\": {2, false},
	\"E_VALIDATION\": {2, false},
	\"E_NOT_FOUND\": {3, false},
	\"E_AUTH\": {4, false},
	\"E_CONFIG\": {4, false},
	\"E_FORBIDDEN\": {4, false},
	\"E_CONFIRMATION_REQUIRED\": {5, false},
	\"E_CONFLICT\": {6, false},
	\"E_NETWORK\": {7, true},
	\"E_RATE_LIMITED\": {7, true},
	\"E_SERVER\": {7, true},
	\"E_TIMEOUT\": {8, true},
	\"E_INTERRUPTED\": {130, true},
}

func TestCodes(t *testing.T) { compare(t, contract.Codes, table) }
";

const PACKAGE: &str = "{
  \"name\": \"acme\",
  \"version\": \"1.2.0\",
  \"bin\": {\"acme\": \"scripts/run.js\"},
  \"scripts\": {\"test\": \"go test ./...\"},
  \"optionalDependencies\": {
    \"acme-darwin-arm64\": \"1.2.0\", \"acme-darwin-x64\": \"1.2.0\",
    \"acme-linux-arm64\": \"1.2.0\", \"acme-linux-x64\": \"1.2.0\",
    \"acme-win32-arm64\": \"1.2.0\", \"acme-win32-x64\": \"1.2.0\", \"other\": \"9.9.9\"
  }
}
";

const LOCK: &str = "{
  \"name\": \"acme\",
  \"version\": \"1.2.0\",
  \"packages\": {\"\": {\"version\": \"1.2.0\", \"optionalDependencies\": {\"acme-linux-x64\": \"1.2.0\"}}}
}
";

const SKILL: &str = "---
name: acme
version: \"1.2.0\"
description: \"Works with items of Acme. Use it when the count is < 5.\"
metadata: {\"requires\": {\"bins\": [\"acme\"], \"min_version\": \"1.2.0\"}}
---

# Acme
";

const PROMPTS: &str = "[
  {\"id\": \"fresh-agent-read\", \"prompt\": \"a\", \"expected\": \"b\"},
  {\"id\": \"write-dry-run-confirm\", \"prompt\": \"a\", \"expected\": \"b\"},
  {\"id\": \"permission-boundary\", \"prompt\": \"a\", \"expected\": \"b\"},
  {\"id\": \"untrusted-content\", \"prompt\": \"a\", \"expected\": \"b\"},
  {\"id\": \"self-update\", \"prompt\": \"a\", \"expected\": \"b\"}
]
";

const OUTPUT: &str = "package output

type envelope struct {
	OK            bool   `json:\"ok\"`
	SchemaVersion string `json:\"schema_version\"`
	Data          any    `json:\"data\"`
	Meta          meta   `json:\"meta\"`
}

type failure struct {
	Code      string         `json:\"code\"`
	Message   string         `json:\"message\"`
	Details   map[string]any `json:\"details\"`
	Retryable bool           `json:\"retryable\"`
}

const code = \"E_HUMAN_REQUIRED\"

var readiness = Readiness{
	FCCStatus:        \"verified\",
	RequiredEvidence: []string{\"docs/E2E.md\", \"mock_tests\"},
}
";

const WORKFLOW: &str = "name: ci
on: [push, pull_request]
permissions:
  contents: read
jobs:
  check:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
      - uses: ./.github/actions/local
      - run: aos check
      - name: release
        env:
          TITLE: ${{ github.event.pull_request.title }}
        run: |
          echo \"$TITLE\" ${{ runner.os }} ${{ github.event.pull_request.number }}
";

/// A tool in memory.
pub(super) struct Sample {
    pub repository: ProjectFiles,
}

impl Sample {
    /// A tool without findings.
    pub fn good() -> Self {
        let files = [
            ("README.md", "# acme\n"),
            ("LICENSE", "MIT\n"),
            (
                "CHANGELOG.md",
                "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-07-01\n\n## [1.1.0] - 2026-06-01\n",
            ),
            ("CONTRIBUTING.md", "# x\n"),
            ("SECURITY.md", "Risk tier: low\n"),
            ("AGENTS.md", "# x\n"),
            ("docs/E2E.md", "# x\n"),
            ("aos.toml", "family = \"agent-cli\"\n"),
            ("go.mod", "module example.com/acme\n\ngo 1.24\n"),
            ("cmd/acme/main.go", "package main\n\nvar version = \"dev\"\n"),
            ("internal/output/output.go", OUTPUT),
            ("internal/output/contract_test.go", TABLE),
            ("internal/contract/contract_gen.go", "package contract\n\nconst x = \"E_OLD\"\n"),
            ("test/guard_test.go", "package test\n"),
            ("package.json", PACKAGE),
            ("package-lock.json", LOCK),
            ("skills/acme/SKILL.md", SKILL),
            ("skills/acme/test-prompts.json", PROMPTS),
            (".github/workflows/ci.yml", WORKFLOW),
        ];
        let mut sample = Self { repository: ProjectFiles::default() };
        for (path, text) in files {
            sample = sample.file(path, text);
        }
        sample
    }

    /// A tool of nothing but these files.
    pub fn of(files: &[(&str, &str)]) -> Self {
        let empty = Self { repository: ProjectFiles::default() };
        files.iter().fold(empty, |sample, (path, text)| sample.file(path, text))
    }

    pub fn file(mut self, path: &str, text: &str) -> Self {
        let file = SourceFile { bytes: text.into(), executable: false };
        self.repository.files.insert(path.to_owned(), file);
        self
    }

    pub fn without(mut self, path: &str) -> Self {
        assert!(self.repository.files.remove(path).is_some(), "{path}");
        self
    }

    /// Replaces a part of a file.
    #[track_caller]
    pub fn edit(self, path: &str, from: &str, to: &str) -> Self {
        let text = self.repository.text(path).unwrap_or_default().to_owned();
        assert!(text.contains(from), "`{from}` is not in {path}");
        self.file(path, &text.replacen(from, to, 1))
    }

    /// Every finding, as `rule path`.
    pub fn findings(&self) -> Vec<String> {
        let findings = check_agent_cli(&self.repository, &facts());
        findings.iter().map(|finding| format!("{} {}", finding.rule, finding.path)).collect()
    }
}

pub(super) fn facts() -> ToolFacts {
    let tag = SpecTag::parse("v1.1.0").unwrap();
    let mut facts = ToolFacts::of(&AgentCliContract::parse(CONTRACT, &tag).unwrap());
    facts.own.insert("E_OWN".to_owned());
    facts
}
