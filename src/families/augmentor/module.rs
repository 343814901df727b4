//! The interface as a module: fixed code with the tables of the pinned contract in it.

use crate::contract::name::Key;
use crate::generate::literal::{javascript, python};

use super::contract::AugmentorContract;

const PYTHON: &str = include_str!("module/contract_gen.py");
const JAVASCRIPT: &str = include_str!("module/contract_gen.mjs");

/// Marks around the tables.
const START: &str = " --- tables ---\n";
const END: &str = " --- end of tables ---\n";

/// One language of the tables.
trait Language {
    fn text(&self, value: &str) -> String;
    fn texts(&self, values: &[&str]) -> String;
    /// A table of literals.
    fn table(&self, rows: &[(&str, String)], lines: bool) -> String;
    fn flag(&self, value: bool) -> &'static str;
    /// One constant; `kind` is its type in Python.
    fn constant(&self, about: &str, name: &str, kind: &str, value: &str) -> String;
}

struct Python;

impl Language for Python {
    fn text(&self, value: &str) -> String {
        python::string(value)
    }

    fn texts(&self, values: &[&str]) -> String {
        python::tuple(values)
    }

    fn table(&self, rows: &[(&str, String)], lines: bool) -> String {
        format!("MappingProxyType({})", braces(rows, lines, python::string))
    }

    fn flag(&self, value: bool) -> &'static str {
        if value { "True" } else { "False" }
    }

    fn constant(&self, about: &str, name: &str, kind: &str, value: &str) -> String {
        let kind = if kind.is_empty() { "Final".to_owned() } else { format!("Final[{kind}]") };
        let about = if about.is_empty() { String::new() } else { format!("# {about}\n") };
        format!("{about}{name}: {kind} = {value}\n")
    }
}

struct JavaScript;

impl Language for JavaScript {
    fn text(&self, value: &str) -> String {
        javascript::string(value)
    }

    fn texts(&self, values: &[&str]) -> String {
        format!("Object.freeze({})", javascript::strings(values))
    }

    fn table(&self, rows: &[(&str, String)], lines: bool) -> String {
        let rows = if lines || rows.is_empty() {
            braces(rows, lines, javascript::string)
        } else {
            braces(rows, lines, javascript::string).replacen('{', "{ ", 1).replacen('}', " }", 1)
        };
        format!("Object.freeze({rows})")
    }

    fn flag(&self, value: bool) -> &'static str {
        if value { "true" } else { "false" }
    }

    fn constant(&self, about: &str, name: &str, _kind: &str, value: &str) -> String {
        format!("/** {about} */\n// prettier-ignore\nexport const {name} = {value};\n")
    }
}

fn braces(rows: &[(&str, String)], lines: bool, quote: impl Fn(&str) -> String) -> String {
    let rows = rows.iter().map(|(key, value)| format!("{}: {value}", quote(key)));
    if lines {
        let rows: String = rows.map(|row| format!("    {row},\n")).collect();
        if rows.is_empty() { "{}".to_owned() } else { format!("{{\n{rows}}}") }
    } else {
        format!("{{{}}}", rows.collect::<Vec<_>>().join(", "))
    }
}

/// The module for Python.
#[must_use]
pub fn python(contract: &AugmentorContract) -> String {
    let constants = constants(contract, &Python);
    filled(PYTHON, &format!("#{START}"), &format!("#{END}"), &constants.concat())
}

/// The module for Node.
#[must_use]
pub fn javascript(contract: &AugmentorContract) -> String {
    let constants = constants(contract, &JavaScript).join("\n").replace("\n    \"", "\n  \"");
    filled(JAVASCRIPT, &format!("//{START}"), &format!("//{END}"), &constants)
}

fn filled(text: &str, start: &str, end: &str, tables: &str) -> String {
    let (head, rest) = text.split_once(start).unwrap_or((text, ""));
    let (_, tail) = rest.split_once(end).unwrap_or(("", rest));
    format!("{head}{start}{tables}{end}{tail}")
}

fn constants<L: Language>(contract: &AugmentorContract, language: &L) -> Vec<String> {
    let keys = |keys: &[Key]| {
        let keys: Vec<_> = keys.iter().map(Key::as_str).collect();
        language.texts(&keys)
    };
    let text = |text: Option<&String>| language.text(text.map_or("", String::as_str));
    let caps = contract.package.cap_members.iter();
    let caps: Vec<_> =
        caps.map(|(cap, member)| (cap.as_str(), language.text(member.as_str()))).collect();
    let codes: Vec<_> = contract
        .error
        .codes
        .iter()
        .map(|(code, entry)| (code.as_str(), language.flag(entry.retryable).to_owned()))
        .collect();
    let limits: Vec<_> =
        contract.limits.iter().map(|(name, value)| (name.as_str(), value.to_string())).collect();
    let patterns = &contract.patterns;
    let strings = "Tuple[str, ...]";
    let one = |about: &str, name: &str, kind: &str, value: String| {
        language.constant(about, name, kind, &value)
    };
    vec![
        one(
            "The contract that this file was generated from.",
            "SPEC_TAG",
            "",
            language.text(&contract.tag),
        ),
        one(
            "The version of the interface; the value of `abi` in augmentor.toml.",
            "ABI",
            "",
            text(contract.abi.default.as_ref()),
        ),
        one("What a package can declare.", "CAPS", strings, keys(&contract.caps)),
        one(
            "The member of the package that a cap needs.",
            "CAP_MEMBERS",
            "Mapping[str, str]",
            language.table(&caps, false),
        ),
        one(
            "Values of `filesystem` in augmentor.toml.",
            "FILESYSTEM_PERMISSIONS",
            strings,
            keys(&contract.permissions.filesystem),
        ),
        one(
            "Values of `network` in augmentor.toml.",
            "NETWORK_PERMISSIONS",
            strings,
            keys(&contract.permissions.network),
        ),
        one(
            "Codes of the host, and whether the same call may succeed later.",
            "ERROR_CODES",
            "Mapping[str, bool]",
            language.table(&codes, true),
        ),
        one(
            "The form of names of commands.",
            "COMMAND_NAME",
            "",
            text(patterns.command_name.as_ref()),
        ),
        one("The form of ids of agents.", "AGENT_ID", "", text(patterns.agent_id.as_ref())),
        one("The form of names of MCP tools.", "TOOL_NAME", "", text(patterns.tool_name.as_ref())),
        one(
            "Joins the prefix and the name of a command.",
            "TOOL_SEPARATOR",
            "",
            // A tag that leaves it open means what hosts have always done.
            language.text(contract.mcp.separator.as_deref().unwrap_or("_")),
        ),
        one(
            "Limits of a host that sets no others.",
            "LIMITS",
            "Mapping[str, int]",
            language.table(&limits, true),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::SpecTag;

    fn contract(tag: &str) -> AugmentorContract {
        let bytes = match tag {
            "v1.0.0" => {
                include_bytes!("../../../contract/augmentor/v1.0.0/contract.json").as_slice()
            }
            _ => include_bytes!("../../../contract/augmentor/v1.1.0/contract.json").as_slice(),
        };
        AugmentorContract::parse(bytes, &SpecTag::parse(tag).unwrap()).unwrap()
    }

    /// Both modules in the tree are those of the newest tag, so the tests of their languages test what projects get.
    #[test]
    fn the_modules_of_the_newest_tag_are_the_ones_that_are_tested() {
        assert_eq!(python(&contract("v1.1.0")), PYTHON);
        assert_eq!(javascript(&contract("v1.1.0")), JAVASCRIPT);
    }

    #[test]
    fn an_older_tag_gives_its_own_tables() {
        let contract = contract("v1.0.0");
        for text in [python(&contract), javascript(&contract)] {
            assert!(text.contains("SPEC_TAG") && text.contains("\"v1.0.0\""), "{text}");
            assert!(!text.contains("load_failed"), "{text}");
        }
    }
}
