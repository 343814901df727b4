//! The commands of a package as MCP clients see them (X1, X2). Judged from the description; nothing is called.

use crate::contract::json_schema;
use crate::families::augmentor::host::facts::PackageFacts;
use crate::visible::excerpt;

use super::examination::ExaminedPackage;
use super::examples::{Example, ExampleTarget, ExpectedAnswer};
use super::findings::evidence;

/// The error of arguments that do not fit.
const INVALID: &str = "invalid_input";

/// X1: prefix, separator and name make a name that every client accepts.
pub fn names(subject: &mut ExaminedPackage<'_>, facts: &PackageFacts) {
    if facts.commands.is_empty() {
        subject.findings.excuse("X1", "the package has no commands");
    }
    let separator = subject.contract.mcp.separator.clone().unwrap_or_else(|| "_".to_owned());
    let prefix = match subject.place.manifest.tool_prefix.as_deref() {
        Some(prefix) if !prefix.is_empty() => format!("{prefix}{separator}"),
        _ => String::new(),
    };
    let pattern = subject.contract.patterns.tool_name.as_deref();
    let Some(pattern) = pattern.and_then(|pattern| regex::Regex::new(pattern).ok()) else {
        subject.findings.excuse("X1", "the contract has no form of names");
        return;
    };
    for command in facts.command_names() {
        let name = format!("{prefix}{command}");
        subject.findings.looked("X1", 1);
        if !pattern.is_match(&name) {
            let message = format!(
                "the MCP name `{}` of {} characters does not match `{pattern}`",
                excerpt(&name, 120),
                name.chars().count()
            );
            subject.findings.fail("X1", message, None);
        }
    }
}

/// X2: the schema that a tool shows in place of its command's allows the example calls of the command.
pub fn arguments(subject: &mut ExaminedPackage<'_>, facts: &PackageFacts, examples: &[Example]) {
    subject.findings.excuse(
        "X2",
        "no entry of `tools` replaces the schema of a command that has an example call",
    );
    for example in examples {
        let ExampleTarget::Command { name, args } = &example.what else { continue };
        let is_refused =
            matches!(&example.expected, ExpectedAnswer::Error(code) if code == INVALID);
        let tool = facts.tools.iter().find(|tool| tool.name == name.as_str());
        let Some(tool) = tool.filter(|tool| !is_refused && tool.input_schema.is_object()) else {
            continue;
        };
        subject.findings.looked("X2", 1);
        if let Ok(faults) = json_schema::faults(&tool.input_schema, args)
            && let Some(first) = faults.first()
        {
            let message = format!(
                "the `inputSchema` of the tool `{}` refuses an example call of its command",
                excerpt(name, 80)
            );
            let shown = evidence(&example.words(), first, "refused", &message);
            subject.findings.fail("X2", message, Some(shown));
        }
    }
}
