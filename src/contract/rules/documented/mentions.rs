//! Calls of a tool in a Markdown document: code spans and lines of code that begin with its name.
//!
//! Reading only. Text that may be prose is never a call.

/// Options without a value that may precede a command.
const FLAGS: &[&str] = &["--json", "--verbose", "--quiet", "--compact", "--no-color", "--debug"];
/// Options with a value that may precede a command.
const OPTIONS: &[&str] = &["--mode", "--format", "--fields"];
/// Languages of fenced blocks whose lines are typed into a shell.
const SHELLS: &[&str] = &["", "sh", "bash", "zsh", "shell", "console"];
/// Longest line, and most words of a command, that are looked at.
const MAX_LINE: usize = 2000;
const MAX_WORDS: usize = 8;

/// One call.
#[derive(Debug, Eq, PartialEq)]
pub struct Mention<'a> {
    /// Byte offset in the document.
    pub at: usize,
    /// The words after the name that can be those of a command; never empty.
    pub words: Vec<&'a str>,
}

/// The calls of `tool` in `text`, in order.
pub fn mentions<'a>(text: &'a str, tool: &str) -> Vec<Mention<'a>> {
    let mut found = Vec::new();
    let mut block = CodeBlock::default();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let code = line.trim();
        let offset = start + (line.len() - line.trim_start().len());
        let kind = block.next(line);
        if line.len() > MAX_LINE {
            continue;
        }
        match kind {
            MentionKind::Shell => {
                found.extend(parts(code).filter_map(|(from, part)| call(part, offset + from, tool)))
            }
            MentionKind::Prose => {
                found.extend(spans(line).filter_map(|(from, span)| call(span, start + from, tool)))
            }
            MentionKind::Other => {}
        }
    }
    found
}

/// The kind of a line.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum MentionKind {
    Prose,
    Shell,
    /// A fence, or code of another language.
    Other,
}

/// The code block in which the reader of a document is.
#[derive(Debug, Default)]
struct CodeBlock {
    /// The mark of an open fence, and whether its lines are those of a shell.
    fence: Option<(char, usize, bool)>,
    /// Indented lines belong to an entry of a list.
    in_list: bool,
    /// The line before was empty, or one of an indented block.
    may_indent: bool,
}

impl CodeBlock {
    fn next(&mut self, line: &str) -> MentionKind {
        let text = line.trim();
        let mark = text.chars().next().filter(|mark| ['`', '~'].contains(mark));
        let length = mark.map_or(0, |mark| text.chars().take_while(|next| *next == mark).count());
        if let Some((open, least, is_shell)) = self.fence {
            if mark == Some(open) && length >= least && text.len() == length {
                self.fence = None;
                return MentionKind::Other;
            }
            return if is_shell { MentionKind::Shell } else { MentionKind::Other };
        }
        if let Some(mark) = mark.filter(|_| length >= 3 && !text[length..].contains('`')) {
            let language = text[length..].split_whitespace().next().unwrap_or_default();
            self.fence = Some((mark, length, SHELLS.contains(&language)));
            self.may_indent = false;
            return MentionKind::Other;
        }
        if text.is_empty() {
            self.may_indent = true;
            return MentionKind::Other;
        }
        let is_indented = line.starts_with("    ") || line.starts_with('\t');
        if is_indented && self.may_indent && !self.in_list {
            return MentionKind::Shell;
        }
        if !line.starts_with([' ', '\t']) || is_entry(text) {
            self.in_list = is_entry(text);
        }
        self.may_indent = false;
        MentionKind::Prose
    }
}

/// True if a line begins an entry of a list.
fn is_entry(text: &str) -> bool {
    let number = text.trim_start_matches(|symbol: char| symbol.is_ascii_digit());
    let bullets = ["- ", "* ", "+ "];
    let is_number =
        number.len() < text.len() && [". ", ") "].iter().any(|dot| number.starts_with(dot));
    is_number || bullets.iter().any(|bullet| text.starts_with(bullet))
}

/// The code spans of a line: where each begins and what is in it.
fn spans(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(open) = line[at..].find('`') {
            let start = at + open;
            let length = line[start..].bytes().take_while(|byte| *byte == b'`').count();
            let inner = start + length;
            let close = closing(&line[inner..], length);
            at = close.map_or(inner, |close| inner + close + length);
            if let Some(close) = close {
                return Some((inner, &line[inner..inner + close]));
            }
        }
        None
    })
}

/// Returns the start of the run of exactly `length` backticks that ends a span.
fn closing(text: &str, length: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(next) = text[at..].find('`') {
        let start = at + next;
        let run = text[start..].bytes().take_while(|byte| *byte == b'`').count();
        if run == length {
            return Some(start);
        }
        at = start + run;
    }
    None
}

/// The commands of a line of a shell: what follows an operator or begins a substitution.
fn parts(code: &str) -> impl Iterator<Item = (usize, &str)> {
    const BEFORE: &[&str] = &["| ", "&& ", "; ", "$("];
    let starts = BEFORE.iter().flat_map(|mark| code.match_indices(mark));
    let mut starts: Vec<usize> = starts.map(|(at, mark)| at + mark.len()).chain([0]).collect();
    starts.sort_unstable();
    // In a remark nothing is called.
    let end = code.find(" # ").unwrap_or(code.len());
    starts.into_iter().filter(move |at| *at < end).map(|at| {
        let part = &code[at..];
        // A substitution ends with its bracket.
        let close = if code[..at].ends_with("$(") { part.find(')') } else { None };
        (at, &part[..close.unwrap_or(part.len())])
    })
}

/// The call that `code` is, if it begins with the name of the tool.
fn call<'a>(code: &'a str, at: usize, tool: &str) -> Option<Mention<'a>> {
    let (code, at) = match code.strip_prefix("$ ") {
        Some(rest) => (rest, at + 2),
        None => (code, at),
    };
    let (mut program, mut rest) = code.split_once(' ')?;
    // Variables that are set for the call alone.
    while program.split_once('=').is_some_and(|(name, _)| is_variable(name)) {
        (program, rest) = rest.split_once(' ')?;
    }
    if program.rsplit('/').next() != Some(tool) {
        return None;
    }
    let mut words = Vec::new();
    // Two spaces begin a remark in a column of its own.
    while !rest.starts_with(' ') && words.len() < MAX_WORDS {
        let (token, after) = rest.split_once(' ').unwrap_or((rest, ""));
        rest = after;
        if is_word(token) {
            words.push(token);
        } else if words.is_empty() && OPTIONS.contains(&token) {
            rest = rest.split_once(' ')?.1;
        } else if !(words.is_empty() && is_flag(token)) {
            break;
        }
    }
    (!words.is_empty()).then_some(Mention { at, words })
}

fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

fn is_flag(token: &str) -> bool {
    let name = token.split('=').next().unwrap_or(token);
    FLAGS.contains(&token) || (name != token && OPTIONS.contains(&name))
}

/// True if a token can be the word of a command and not a value.
fn is_word(token: &str) -> bool {
    token.starts_with(|symbol: char| symbol.is_ascii_lowercase())
        && token
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        mentions(text, "acme").iter().map(|mention| mention.words.join(" ")).collect()
    }

    #[test]
    fn calls_are_found_in_spans_fences_and_indented_blocks() {
        assert_eq!(
            words("Run `acme item list --limit 1`, then ``acme doctor``.\n"),
            ["item list", "doctor"]
        );
        assert_eq!(words("```sh\n$ acme item get --id 1\nother acme x\n```\n"), ["item get"]);
        assert_eq!(words("~~~\nbin/acme update\n~~~\n"), ["update"]);
        assert_eq!(
            words("Text:\n\n    acme context      where am I\n    acme item\n"),
            ["context", "item"]
        );
        assert_eq!(
            words(
                "```sh\necho x | acme a b | jq .\nA=1 acme c && x=$(acme d e)\nls # | acme no\n```\n"
            ),
            ["a b", "c", "d e"]
        );
        assert_eq!(words("`acme --json --mode write item create`"), ["item create"]);
        assert_eq!(words("`acme --mode=write item create TITLE`"), ["item create"]);
    }

    #[test]
    fn text_that_may_be_prose_is_not_a_call() {
        for text in [
            "acme item list\n",
            "`acme`, `acme …`, `acme <command>`, `acme --help`, `acme COMMAND`\n",
            "`npx acme item`, `acme-x item`, `~/.acme/item x`\n",
            "```json\nacme item list\n```\n",
            "```text\nacme item list\n```\n",
            "- an entry\n\n    acme is explained here\n",
            "1. an entry\n    acme is explained here\n",
            "a paragraph\n    acme is explained here\n",
            "`acme item",
            "`acme --unknown item`\n",
        ] {
            assert_eq!(words(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn a_call_has_its_place() {
        let text = "x\n\n    acme item list\n`a` `acme y`\n";
        let at: Vec<_> = mentions(text, "acme").iter().map(|mention| mention.at).collect();
        assert_eq!(at, [text.find("acme item").unwrap(), text.find("acme y").unwrap()]);
    }

    #[test]
    fn unusual_text_is_read_without_a_panic() {
        for text in
            ["", "`", "``` `", "````\n```\nacme x\n", "`` ` ``", "\u{e9}`\u{e9}`acme x`", "$ "]
        {
            mentions(text, "acme");
        }
        assert_eq!(words(&format!("`acme {}`", "a ".repeat(50))).len(), 1);
    }
}
