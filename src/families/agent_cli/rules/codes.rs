//! Rules about error codes in the code, and about the test that holds them to the contract.

use super::facts::ToolFacts;
use super::sources::{SourceCode, ToolSources, literals};
use crate::contract::rules::collector::{Collector, shown};
use crate::contract::rules::rule::Rule;
use crate::families::agent_cli::contract::FAMILY;

pub(super) const UNKNOWN: Rule = Rule {
    id: "codes/unknown",
    summary: "Every `E_*` literal in the program is a code of the contract or of contract-ext.json",
    why: "Agents look up codes in the table; an unknown code has no exit code and no retry rule",
    fix: "use a code of the contract, or declare this one in contract-ext.json and run `aos gen`",
    source: "conformance item 14",
    ..Rule::error(&[FAMILY])
};
pub(super) const TAUTOLOGY: Rule = Rule {
    id: "codes/tautology",
    summary: "The test of the codes has its own table",
    why: "A table that is compared with itself always passes; two tools were released with wrong exit codes because of that",
    fix: "write exit code and retryable of each code into the test, from the spec text",
    source: "conformance item 73",
    ..Rule::error(&[FAMILY])
};
pub(super) const NO_TABLE: Rule = Rule {
    id: "codes/no-table",
    summary: "A test has the exit code and retryable of every code",
    why: "Nothing else detects that the program uses another exit code than the contract",
    fix: "add a test with a table of codes, written from the spec text",
    source: "conformance item 73",
    ..Rule::warning(&[FAMILY])
};

/// Names by which code refers to the table of a generated module.
const TABLES: &[&str] = &[
    "contract.Codes",
    "contract.ExitFor",
    "contract_gen.CODES",
    "contract_gen import CODES",
    "exit_for(",
    "exitFor(",
    "ErrorCode::ALL",
];
/// Share of the core that a table must state to be one.
const MOST: (usize, usize) = (3, 4);

pub(super) fn check(sources: &ToolSources<'_>, facts: &ToolFacts, found: &mut Collector) {
    for code in &sources.program {
        for (at, literal) in literals(code.text) {
            let known = [&facts.core, &facts.own, &facts.human];
            if is_code(literal) && !known.iter().any(|codes| codes.contains(literal)) {
                let codes = facts.core.iter().chain(&facts.own).map(String::as_str);
                let meant = found.meant(&UNKNOWN, literal, codes);
                let message = format!("{} is not a code of this tool{meant}", shown(literal));
                found.at(&UNKNOWN, &code.source, at, message);
            }
        }
    }
    if sources.program.is_empty() || facts.core.is_empty() {
        return;
    }
    let wanted = facts.core.len() * MOST.0 / MOST.1;
    if sources.tests.iter().any(|test| stated_pairs(test.text) >= wanted) {
        return;
    }
    let compares = sources.tests.iter().find_map(|test| Some((test, table_used(test)?)));
    // A mapping that the program keeps by hand is a second opinion; one that it takes from the table is the table.
    let delegates = sources.program.iter().any(|code| table_used(code).is_some());
    match compares {
        Some(_) if !delegates => {}
        Some((test, at)) => {
            let message =
                "program and test read exit code and retryable from the same table".to_owned();
            found.at(&TAUTOLOGY, &test.source, at, message);
        }
        None => found.whole(&NO_TABLE, ".", "no test states what each code means".to_owned()),
    }
}

/// `E_` and upper-case words; errors of the operating system are called otherwise.
fn is_code(literal: &str) -> bool {
    literal.strip_prefix("E_").is_some_and(|name| {
        !name.is_empty()
            && name.chars().all(|symbol| {
                symbol.is_ascii_uppercase() || symbol.is_ascii_digit() || symbol == '_'
            })
    })
}

fn table_used(code: &SourceCode<'_>) -> Option<usize> {
    TABLES.iter().filter_map(|name| code.text.find(name)).min()
}

/// Returns the number of lines that state an exit code followed by a truth value.
fn stated_pairs(text: &str) -> usize {
    text.lines().filter(|line| states_pair(line)).count()
}

fn states_pair(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let truth = ["true", "false"].iter().filter_map(|word| line.rfind(word)).max();
    let Some(truth) = truth else { return false };
    let mut numbers =
        line[..truth].split(|symbol: char| !symbol.is_ascii_alphanumeric() && symbol != '_');
    numbers.any(|word| {
        word.len() <= 3 && word.parse::<u8>().is_ok_and(|exit| matches!(exit, 1..=9 | 130))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_a_number_and_a_truth_value_in_any_language() {
        for line in [
            "\tErrUsage: {2, false},",
            "    \"E_IO\": (1, False),",
            "E_IO: { exit: 1, retryable: false },",
            "    (\"E_TIMEOUT\", 8, true),",
            "{\"E_INTERRUPTED\", spec{130, true}},",
        ] {
            assert!(states_pair(line), "{line}");
        }
        for line in [
            "return true",
            "x := 42; ok := true",
            "if got != spec.Exit { return false }",
            "a1 true",
        ] {
            assert!(!states_pair(line), "{line}");
        }
    }
}
