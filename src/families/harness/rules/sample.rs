//! A small well-formed connector for the tests of rules, and ways to break it.

use std::fmt::Write as _;

use super::all::check_harness;
use super::facts::HarnessFacts;
use crate::contract::findings::Finding;
use crate::contract::repository::{ProjectFiles, SourceFile};

const V1_0: &str = include_str!("../../../../contract/harness/v1.0.0/contract.json");
const V1_1: &str = include_str!("../../../../contract/harness/v1.1.0/contract.json");

/// The facts of a published contract, read the simple way.
pub(super) fn facts(text: &str) -> HarnessFacts {
    let contract: serde_json::Value = serde_json::from_str(text).unwrap();
    let words = |value: &serde_json::Value| -> Vec<String> {
        let items = value.as_array().unwrap_or_else(|| panic!("not a list: {value}"));
        items.iter().map(|item| item.as_str().unwrap().to_owned()).collect()
    };
    let word = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let manifest = &contract["manifest"];
    HarnessFacts {
        modes: words(&contract["modes"]),
        admin_mode: word(&contract["admin_mode"]),
        bulk_mode: word(&contract["bulk_mode"]),
        global_flags: words(&contract["global_flags"]),
        required_commands: words(&contract["required_commands"]),
        destructive_verbs: words(&contract["destructive_verbs"]),
        bulk_verbs: words(&contract["bulk_verbs"]),
        // At every tag: the first names one of them only.
        permissions_keys: ["permissions", "commands"].map(str::to_owned).to_vec(),
        manifest_schema_version: word(&manifest["schema_version"]),
        manifest_keys: words(&manifest["required_keys"]),
        connector_keys: words(&manifest["connector_keys"]),
        auth_keys: words(&manifest["auth_keys"]),
        command_keys: words(&manifest["command_keys"]),
        auth_kinds: words(&manifest["auth_kinds"]),
        action_classes: words(&manifest["action_classes"]),
        side_effect_levels: words(&manifest["side_effect_levels"]),
    }
}

pub(super) fn facts_v1_1() -> HarnessFacts {
    facts(V1_1)
}

pub(super) fn facts_v1_0() -> HarnessFacts {
    facts(V1_0)
}

/// Ids of the rules that find something under v1.1.0, in the order of the findings.
pub(super) fn only(sample: &Sample) -> Vec<&'static str> {
    check_harness(&sample.repository, &facts_v1_1()).iter().map(|finding| finding.rule).collect()
}

pub(super) fn only_v1_0(sample: &Sample) -> Vec<&'static str> {
    check_harness(&sample.repository, &facts_v1_0()).iter().map(|finding| finding.rule).collect()
}

pub(super) fn findings(sample: &Sample) -> Vec<Finding> {
    check_harness(&sample.repository, &facts_v1_1())
}

#[derive(Clone)]
pub(super) struct Sample {
    pub repository: ProjectFiles,
}

impl Sample {
    pub fn good() -> Self {
        let repository =
            ProjectFiles { directory_name: "aos-demo".to_owned(), ..ProjectFiles::default() };
        let sample = Self { repository };
        let commands = "import os\nfrom ..registry import command\n\n\n@command(\"issue.list\")\ndef list_issues(inputs, api):\n    return api.get(f\"/issues?page={inputs['page']}\")\n\n\n@command(\"issue.get\")\ndef get_issue(inputs, api):\n    return {}\n\n\n@command(\"issue.create\")\ndef create_issue(inputs, api):\n    return {}\n\n\n@command(\"issue.delete\")\ndef delete_issue(inputs, api):\n    return {}\n";
        let client = "from urllib.request import urlopen\n\nPROBE_TIMEOUT = 2\nCALL_TIMEOUT = 10\n\n\ndef send(request, timeout=CALL_TIMEOUT):\n    \"\"\"Send; never `?token={x}` in the URL.\"\"\"\n    with urlopen(request, timeout=timeout) as reply:\n        return reply.read()\n\n\ndef health(fine):\n    return {\"status\": \"healthy\" if fine else \"degraded\", \"canvas\": \"ready\"}\n";
        let tests = "def test_modes():\n    for mode in (\"readonly\", \"write\", \"full\", \"admin\"):\n        assert run(mode).returncode == 3\n\n\ndef test_redaction():\n    assert \"sentinel\" not in output\n";
        let pyproject = "[build-system]\nrequires = [\"setuptools>=68\"]\nbuild-backend = \"setuptools.build_meta\"\n\n[project]\nname = \"aos-demo\"\nversion = \"0.1.0\"\nrequires-python = \">=3.10\"\ndependencies = [\"click>=8.1,<9\"]\ndescription = \"Agent-native Demo connector\"\n\n[project.scripts]\naos-demo = \"aos_demo.cli:main\"\n\n[tool.setuptools]\npackages = [\"aos_demo\", \"aos_demo.commands\"]\n";
        sample
            .file("connector.json", MANIFEST)
            .file("agent-harness/permissions.json", PERMISSIONS)
            .file("agent-harness/pyproject.toml", pyproject)
            .file("agent-harness/aos_demo/__init__.py", "__version__ = \"0.1.0\"\n")
            .file(
                "agent-harness/aos_demo/cli.py",
                "import click\n\n\ndef main():\n    return click.echo(\"\")\n\n\nif __name__ == \"__main__\":\n    print(main())\n",
            )
            .file("agent-harness/aos_demo/registry.py", "HANDLERS = {}\n")
            .file("agent-harness/aos_demo/client.py", client)
            .file("agent-harness/aos_demo/commands/issue.py", commands)
            .file("agent-harness/aos_demo/contract_gen.py", "MANIFEST = {}\n")
            .file("agent-harness/tests/test_contract.py", tests)
            .file("README.md", "# aos-demo\n")
            .file("CHANGELOG.md", "# Changelog\n")
    }

    pub fn file(self, path: &str, text: &str) -> Self {
        self.bytes(path, text.as_bytes().to_vec())
    }

    pub fn bytes(mut self, path: &str, bytes: Vec<u8>) -> Self {
        self.repository
            .files
            .insert(path.to_owned(), SourceFile { bytes: bytes.into(), executable: false });
        self
    }

    pub fn without(mut self, path: &str) -> Self {
        assert!(self.repository.files.remove(path).is_some(), "{path}");
        self
    }

    pub fn text(&self, path: &str) -> String {
        self.repository.text(path).unwrap().to_owned()
    }

    /// Replaces the first occurrence of a text in a file.
    pub fn replaced(self, path: &str, from: &str, to: &str) -> Self {
        let text = self.text(path);
        assert!(text.contains(from), "`{from}` does not stand in {path}");
        self.file(path, &text.replacen(from, to, 1))
    }

    pub fn manifest(self, from: &str, to: &str) -> Self {
        self.replaced("connector.json", from, to)
    }

    /// Replaces a text in both maps of the permissions.
    pub fn permissions(self, from: &str, to: &str) -> Self {
        let path = "agent-harness/permissions.json";
        let text = self.text(path);
        assert!(text.contains(from), "`{from}` does not stand in {path}");
        self.file(path, &text.replace(from, to))
    }

    pub fn pyproject(self, from: &str, to: &str) -> Self {
        self.replaced("agent-harness/pyproject.toml", from, to)
    }

    /// One more module with this code.
    pub fn code(self, code: &str) -> Self {
        self.file("agent-harness/aos_demo/more.py", code)
    }

    /// Renames a command everywhere.
    pub fn renamed(mut self, from: &str, to: &str) -> Self {
        for file in self.repository.files.values_mut() {
            if let Ok(text) = std::str::from_utf8(&file.bytes) {
                file.bytes = text.replace(&format!("\"{from}\""), &format!("\"{to}\"")).into();
            }
        }
        self
    }
}

impl std::fmt::Display for Sample {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = String::new();
        for finding in findings(self) {
            writeln!(
                text,
                "{}:{:?} {} {}",
                finding.path, finding.line, finding.rule, finding.message
            )?;
        }
        formatter.write_str(&text)
    }
}

const PERMISSIONS: &str = r#"{
  "tool": "aos-demo",
  "backend": "demo-api",
  "permissions": {
    "capabilities": "readonly",
    "health": "readonly",
    "config.show": "readonly",
    "issue.list": "readonly",
    "issue.get": "readonly",
    "issue.create": "write",
    "issue.delete": "admin"
  },
  "commands": {
    "capabilities": "readonly",
    "health": "readonly",
    "config.show": "readonly",
    "issue.list": "readonly",
    "issue.get": "readonly",
    "issue.create": "write",
    "issue.delete": "admin"
  }
}
"#;

const MANIFEST: &str = r#"{
  "tool": "aos-demo",
  "backend": "demo-api",
  "manifest_schema_version": "1.0.0",
  "connector": {
    "label": "Demo",
    "category": "developer-tools",
    "categories": ["developer-tools"],
    "resources": ["issue"]
  },
  "auth": {
    "kind": "service-key",
    "required": true,
    "service_keys": ["DEMO_TOKEN"],
    "interactive_setup": ["Create a token", "Add DEMO_TOKEN in API Keys"]
  },
  "scope": {
    "kind": "developer-tools",
    "surface": "issue",
    "scaffold_only": false,
    "live_backend_available": true,
    "live_read_available": true,
    "write_bridge_available": true,
    "worker_visible_actions": [
      "issue.list",
      "issue.get",
      "issue.create",
      "issue.delete"
    ],
    "pickerHints": {
      "issue": { "kind": "issue", "source_command": "issue.list", "source_fields": ["id", "name"] }
    },
    "fields": [
      {
        "id": "owner",
        "label": "Owner",
        "type": "string",
        "required": false,
        "applies_to": ["issue.list", "issue.get", "issue.create", "issue.delete"]
      },
      {
        "id": "issue_number",
        "label": "Issue",
        "type": "number",
        "pickerHint": "issue",
        "applies_to": ["issue.get", "issue.delete"]
      },
      {
        "id": "title",
        "label": "Title",
        "type": "string",
        "applies_to": ["issue.create"]
      },
      {
        "id": "state",
        "label": "State",
        "type": "select",
        "options": [{ "value": "open", "label": "Open" }, { "value": "all", "label": "All" }],
        "default": "open",
        "applies_to": ["issue.list"]
      }
    ]
  },
  "commands": [
    {
      "id": "capabilities",
      "summary": "Describe the connector",
      "required_mode": "readonly",
      "supports_json": true,
      "resource": "connector",
      "action_class": "read",
      "side_effect_level": "none",
      "required_fields": []
    },
    {
      "id": "health",
      "summary": "Report readiness",
      "required_mode": "readonly",
      "supports_json": true,
      "resource": "connector",
      "action_class": "read",
      "side_effect_level": "none",
      "required_fields": []
    },
    {
      "id": "config.show",
      "summary": "Show the configuration",
      "required_mode": "readonly",
      "supports_json": true,
      "resource": "connector",
      "action_class": "read",
      "side_effect_level": "none",
      "required_fields": []
    },
    {
      "id": "issue.list",
      "summary": "List issues",
      "required_mode": "readonly",
      "supports_json": true,
      "resource": "issue",
      "action_class": "read",
      "side_effect_level": "none",
      "required_fields": []
    },
    {
      "id": "issue.get",
      "summary": "Get an issue",
      "required_mode": "readonly",
      "supports_json": true,
      "resource": "issue",
      "action_class": "read",
      "side_effect_level": "none",
      "required_fields": ["owner", "issue_number"]
    },
    {
      "id": "issue.create",
      "summary": "Create an issue",
      "required_mode": "write",
      "supports_json": true,
      "resource": "issue",
      "action_class": "write",
      "side_effect_level": "external_mutation",
      "required_fields": ["owner", "title"]
    },
    {
      "id": "issue.delete",
      "summary": "Delete an issue",
      "required_mode": "admin",
      "supports_json": true,
      "resource": "issue",
      "action_class": "destructive",
      "side_effect_level": "external_mutation",
      "required_fields": ["owner", "issue_number"]
    }
  ]
}
"#;
