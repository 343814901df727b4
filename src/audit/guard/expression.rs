//! The expressions of GitHub workflows, as far as the event that started the run decides them.

/// The value of an expression for a run of which only the event is known.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Truth {
    Yes,
    No,
    Unknown,
}

impl Truth {
    fn of(is_true: bool) -> Self {
        if is_true { Self::Yes } else { Self::No }
    }

    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Yes, _) | (_, Self::Yes) => Self::Yes,
            (Self::No, Self::No) => Self::No,
            _ => Self::Unknown,
        }
    }

    fn and(self, other: Self) -> Self {
        self.not().or(other.not()).not()
    }

    fn not(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            Self::Unknown => Self::Unknown,
        }
    }
}

/// Longest expression that is read, in bytes.
const MAX_EXPRESSION: usize = 4096;
/// Most parentheses inside each other.
const MAX_DEPTH: usize = 32;
/// Values that differ between the jobs of a matrix, or that every run of the repository shares.
const GIVEN: &[&str] = &["matrix.", "runner.", "github.repository", "github.server_url"];

/// Returns the value of `condition` for an event.
pub fn holds(condition: &str, event: &str) -> Truth {
    let text = condition.trim();
    let text = text.strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}")).unwrap_or(text);
    if text.len() > MAX_EXPRESSION || text.contains("${{") {
        return Truth::Unknown;
    }
    let mut reader = ExpressionReader { words: words(text), at: 0, event };
    let truth = reader.either(0).unwrap_or(Truth::Unknown);
    if reader.at == reader.words.len() { truth } else { Truth::Unknown }
}

/// The words of an expression: operators, literals, names and parentheses.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' => rest[1..].find('\'').map_or(rest.len(), |end| end + 2),
            _ if ["&&", "||", "==", "!=", "<=", ">="].iter().any(|word| rest.starts_with(word)) => {
                2
            }
            '!' | '(' | ')' | '<' | '>' | ',' => 1,
            _ => {
                let end = |letter: char| letter.is_whitespace() || "()!=<>&|,'".contains(letter);
                rest.find(end).unwrap_or(rest.len()).max(first.len_utf8())
            }
        };
        let (word, after) = rest.split_at(length);
        words.push(word);
        rest = after.trim_start();
    }
    words
}

struct ExpressionReader<'a> {
    words: Vec<&'a str>,
    at: usize,
    event: &'a str,
}

impl<'a> ExpressionReader<'a> {
    fn next(&self) -> Option<&'a str> {
        self.words.get(self.at).copied()
    }

    fn takes(&mut self, word: &str) -> bool {
        let is_next = self.next() == Some(word);
        self.at += usize::from(is_next);
        is_next
    }

    fn either(&mut self, depth: usize) -> Option<Truth> {
        let mut truth = self.both(depth)?;
        while self.takes("||") {
            truth = truth.or(self.both(depth)?);
        }
        Some(truth)
    }

    fn both(&mut self, depth: usize) -> Option<Truth> {
        let mut truth = self.compared(depth)?;
        while self.takes("&&") {
            truth = truth.and(self.compared(depth)?);
        }
        Some(truth)
    }

    fn compared(&mut self, depth: usize) -> Option<Truth> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.takes("!") {
            return Some(self.compared(depth + 1)?.not());
        }
        if self.takes("(") {
            let inner = self.either(depth + 1)?;
            return self.takes(")").then_some(inner);
        }
        let left = self.next()?;
        self.at += 1;
        if self.takes("(") {
            self.arguments()?;
            return Some(match left {
                "always" | "success" => Truth::Yes,
                "failure" | "cancelled" => Truth::No,
                _ => Truth::Unknown,
            });
        }
        for operator in ["==", "!="] {
            if self.takes(operator) {
                let right = self.next()?;
                self.at += 1;
                return Some(self.equal(left, right, operator == "=="));
            }
        }
        Some(match left {
            "true" => Truth::Yes,
            "false" | "null" | "0" | "''" => Truth::No,
            _ => Truth::Unknown,
        })
    }

    /// Skips what a function is called with.
    fn arguments(&mut self) -> Option<()> {
        let mut open = 1;
        while open > 0 {
            match self.next()? {
                "(" => open += 1,
                ")" => open -= 1,
                _ => {}
            }
            self.at += 1;
        }
        Some(())
    }

    fn equal(&self, left: &str, right: &str, wanted: bool) -> Truth {
        let is_literal = |word: &str| {
            word.starts_with('\'')
                || matches!(word, "true" | "false" | "null")
                || word.parse::<f64>().is_ok()
        };
        let (name, value) = if is_literal(left) { (right, left) } else { (left, right) };
        let value = value.trim_matches('\'');
        if name == "github.event_name" {
            return Truth::of(value.eq_ignore_ascii_case(self.event) == wanted);
        }
        if is_literal(name) {
            return Truth::of(name.trim_matches('\'').eq_ignore_ascii_case(value) == wanted);
        }
        // One of many values is left out, or the usual one is asked for.
        let is_usual = !wanted || value == "false" || value == "success";
        let is_given = GIVEN.iter().any(|start| name.starts_with(start));
        // The branch that everybody works on.
        let is_branch = matches!(name, "github.ref" | "github.ref_name" | "github.base_ref")
            && ["main", "master"].contains(&value.trim_start_matches("refs/heads/"));
        if is_usual || is_given || is_branch { Truth::Yes } else { Truth::Unknown }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_hold_for_the_events_that_they_name() {
        use Truth::{No, Unknown, Yes};
        for (text, push, request) in [
            ("true", Yes, Yes),
            ("${{ false }}", No, No),
            ("github.event_name == 'push'", Yes, No),
            ("'push' != github.event_name", No, Yes),
            ("github.event_name == 'push' || github.event_name == 'pull_request'", Yes, Yes),
            ("github.event_name == 'push' && github.event_name == 'pull_request'", No, No),
            ("!(github.event_name == 'push')", No, Yes),
            ("always() && !cancelled()", Yes, Yes),
            ("failure()", No, No),
            ("contains(github.event.head_commit.message, 'check')", Unknown, Unknown),
            ("startsWith(github.ref, 'refs/tags/') || github.event_name == 'push'", Yes, Unknown),
            ("github.repository == 'a/b'", Yes, Yes),
            ("github.event.pull_request.draft == false", Yes, Yes),
            ("needs.gate.outputs.run == 'true'", Unknown, Unknown),
            ("1 == 2", No, No),
            ("'a' == 'A'", Yes, Yes),
            ("a b", Unknown, Unknown),
            ("((((", Unknown, Unknown),
            ("'", Unknown, Unknown),
            ("", Unknown, Unknown),
        ] {
            assert_eq!(
                [holds(text, "push"), holds(text, "pull_request")],
                [push, request],
                "{text}"
            );
        }
        let deep = format!("{}true{}", "(".repeat(1000), ")".repeat(1000));
        assert_eq!(holds(&deep, "push"), Unknown);
    }
}
