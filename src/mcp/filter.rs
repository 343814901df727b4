//! `--tools`: which tools are offered, by glob of id or name, by tag, by mode.

use super::mode::ToolMode;
use super::tool::McpTool;

/// Most patterns, and longest pattern.
const MAX_PATTERNS: usize = 200;
const MAX_LENGTH: usize = 200;

/// Patterns; a tool matches if one of them matches and none that starts with `!` does.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    wanted: Vec<FilterPattern>,
    unwanted: Vec<FilterPattern>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum FilterPattern {
    Glob(String),
    Tag(String),
    Mode(ToolMode),
}

/// Why a pattern is not one.
#[derive(Debug, thiserror::Error)]
pub enum FilterError {
    #[error("`{0}` is not a valid pattern of tools")]
    Pattern(String),
    #[error("there are more than {MAX_PATTERNS} patterns of tools")]
    Many,
}

impl Filter {
    /// Reads patterns such as `issue.*`, `tag:crm`, `mode:write`, `!issue.delete`.
    ///
    /// # Errors
    /// If a pattern is not valid.
    pub fn parse(patterns: &[String]) -> Result<Self, FilterError> {
        let mut filter = Self::default();
        if patterns.len() > MAX_PATTERNS {
            return Err(FilterError::Many);
        }
        for text in patterns {
            let (list, pattern) = match text.strip_prefix('!') {
                Some(rest) => (&mut filter.unwanted, rest),
                None => (&mut filter.wanted, text.as_str()),
            };
            list.push(
                pattern_of(pattern).ok_or_else(|| {
                    FilterError::Pattern(crate::visible::excerpt(text, MAX_LENGTH))
                })?,
            );
        }
        Ok(filter)
    }

    #[must_use]
    pub fn fits(&self, tool: &McpTool) -> bool {
        let is_wanted = match self.wanted.is_empty() {
            true => !tool.is_meta,
            false => self.wanted.iter().any(|pattern| pattern.fits(tool)),
        };
        is_wanted && !self.unwanted.iter().any(|pattern| pattern.fits(tool))
    }
}

fn pattern_of(text: &str) -> Option<FilterPattern> {
    if text.is_empty() || text.len() > MAX_LENGTH {
        return None;
    }
    match text.split_once(':') {
        Some(("tag", tag)) => (!tag.is_empty()).then(|| FilterPattern::Tag(tag.to_owned())),
        Some(("mode", mode)) => ToolMode::parse(mode).map(FilterPattern::Mode),
        _ => Some(FilterPattern::Glob(text.to_owned())),
    }
}

impl FilterPattern {
    fn fits(&self, tool: &McpTool) -> bool {
        match self {
            Self::Glob(glob) => matches(glob, &tool.id) || matches(glob, &tool.name),
            Self::Tag(tag) => tool.tags.contains(tag),
            Self::Mode(mode) => tool.mode == *mode,
        }
    }
}

/// True if a text matches a glob: `*` is any text, `?` any character. The number of steps is at most the product of the
/// lengths.
fn matches(glob: &str, text: &str) -> bool {
    let (glob, text): (Vec<char>, Vec<char>) = (glob.chars().collect(), text.chars().collect());
    let (mut at, mut seen) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while seen < text.len() {
        match glob.get(at) {
            Some('*') => {
                star = Some((at, seen));
                at += 1;
            }
            Some(symbol) if *symbol == '?' || *symbol == text[seen] => {
                at += 1;
                seen += 1;
            }
            _ => match star {
                Some((place, from)) => {
                    star = Some((place, from + 1));
                    at = place + 1;
                    seen = from + 1;
                }
                None => return false,
            },
        }
    }
    glob[at..].iter().all(|symbol| *symbol == '*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::tool::Hints;

    fn tool(id: &str, mode: ToolMode) -> McpTool {
        McpTool {
            name: super::super::tool::name("acme", id),
            id: id.to_owned(),
            description: String::new(),
            input: serde_json::Map::new(),
            output: None,
            mode,
            tags: vec!["crm".to_owned()],
            is_meta: id == "health",
            hints: Hints::of(mode, None),
        }
    }

    fn fits(patterns: &[&str], id: &str) -> bool {
        let patterns: Vec<_> = patterns.iter().map(|text| (*text).to_owned()).collect();
        Filter::parse(&patterns).unwrap().fits(&tool(id, ToolMode::Write))
    }

    #[test]
    fn a_glob_is_held_against_id_and_name() {
        assert!(fits(&["issue.*"], "issue.list"));
        assert!(fits(&["acme_issue_*"], "issue.list"));
        assert!(fits(&["*.l?st"], "issue.list"));
        assert!(!fits(&["issue.*"], "pr.list"));
        assert!(!fits(&["issue"], "issue.list"));
    }

    #[test]
    fn a_pattern_with_an_exclamation_mark_takes_away() {
        assert!(!fits(&["!issue.*"], "issue.list"));
        assert!(fits(&["!issue.*"], "pr.list"));
        assert!(!fits(&["tag:crm", "!mode:write"], "issue.list"));
    }

    #[test]
    fn commands_that_describe_the_package_are_offered_only_by_name() {
        assert!(!fits(&[], "health"));
        assert!(fits(&["health"], "health"));
    }

    #[test]
    fn an_empty_pattern_is_refused() {
        for text in ["", "!", "tag:", "mode:some"] {
            assert!(Filter::parse(&[text.to_owned()]).is_err(), "{text}");
        }
    }
}
