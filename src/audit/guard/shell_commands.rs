//! The commands of a shell script, with the operator that follows each.

/// The separator between a command and the next one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CallEnd {
    Line,
    And,
    Or,
    Pipe,
    Background,
}

#[derive(Clone, Debug)]
pub struct ShellCommand {
    pub words: Vec<String>,
    pub end: CallEnd,
    pub line: u32,
    /// In `$(…)` or backticks, and no assignment takes its exit code.
    pub is_substituted: bool,
}

impl ShellCommand {
    /// True if it ends the script, or its list, with a failure.
    pub fn fails(&self) -> bool {
        let mut words = self.words.iter().map(String::as_str);
        words.any(|word| word == "false")
            || self.words.iter().enumerate().any(|(at, word)| {
                let code = self.words.get(at + 1).map(String::as_str);
                matches!(word.as_str(), "exit" | "return")
                    && code.is_none_or(|code| !code.trim_matches(['"', ';']).starts_with('0'))
            })
    }

    pub fn is_closing(&self) -> bool {
        self.words.iter().all(|word| matches!(word.as_str(), "}" | ")" | "fi" | "done" | "esac"))
    }
}

/// The commands of a script in order, without comments and here-documents.
pub fn commands(script: &str) -> Vec<ShellCommand> {
    let mut reader = ShellReader { line: 0, ..ShellReader::default() };
    let mut document: Option<String> = None;
    for (number, line) in script.lines().enumerate() {
        if let Some(end) = &document {
            if line.trim() == end {
                document = None;
            }
            continue;
        }
        if reader.commands.is_empty() && reader.words.is_empty() || !reader.is_continued {
            reader.line = u32::try_from(number).unwrap_or(u32::MAX);
        }
        document = here_document(line);
        reader.read(line);
    }
    reader.finish(CallEnd::Line);
    reader.commands
}

/// The word that ends a here-document which begins in `line`.
fn here_document(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("<<")?;
    let rest = rest.strip_prefix('-').unwrap_or(rest).trim_start();
    let word: String = rest
        .trim_matches(['"', '\''])
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect();
    (!word.is_empty()).then_some(word)
}

#[derive(Default)]
struct ShellReader {
    commands: Vec<ShellCommand>,
    words: Vec<String>,
    word: String,
    line: u32,
    is_continued: bool,
    quote: Option<char>,
    /// Open substitutions, each with whether an assignment takes its exit code.
    substitutions: Vec<bool>,
}

impl ShellReader {
    fn read(&mut self, line: &str) {
        let letters: Vec<char> = line.chars().collect();
        let mut at = 0;
        self.is_continued = false;
        while let Some(&letter) = letters.get(at) {
            let next = letters.get(at + 1).copied();
            let before = at.checked_sub(1).and_then(|at| letters.get(at)).copied();
            at += 1;
            if letter == '\\' && next.is_none() {
                self.is_continued = true;
                break;
            }
            if self.quote == Some('\'') {
                if letter == '\'' {
                    self.quote = None;
                }
                self.word.push(letter);
                continue;
            }
            match letter {
                '\\' => {
                    self.word.extend(next);
                    at += 1;
                }
                '$' if next == Some('(') => {
                    let is_assigned = self.words.is_empty() && self.word.contains('=');
                    self.finish(CallEnd::Line);
                    self.substitutions.push(is_assigned);
                    at += 1;
                }
                '`' => {
                    let is_assigned = self.words.is_empty() && self.word.contains('=');
                    self.finish(CallEnd::Line);
                    match self.substitutions.is_empty() {
                        true => self.substitutions.push(is_assigned),
                        false => drop(self.substitutions.pop()),
                    }
                }
                ')' if !self.substitutions.is_empty() => {
                    self.finish(CallEnd::Line);
                    self.substitutions.pop();
                }
                '"' => {
                    self.quote = if self.quote.is_some() { None } else { Some('"') };
                    self.word.push(letter);
                }
                _ if self.quote.is_some() && self.substitutions.is_empty() => {
                    self.word.push(letter)
                }
                '\'' => {
                    self.quote = Some('\'');
                    self.word.push(letter);
                }
                '#' if before.is_none_or(char::is_whitespace) => break,
                ' ' | '\t' => self.end_word(),
                ';' => self.finish(CallEnd::Line),
                '|' if next == Some('|') => {
                    at += 1;
                    self.finish(CallEnd::Or);
                }
                '|' => self.finish(CallEnd::Pipe),
                '&' if next == Some('&') => {
                    at += 1;
                    self.finish(CallEnd::And);
                }
                '&' if before == Some('>') || before == Some('<') || next == Some('>') => {
                    self.word.push(letter)
                }
                '&' => self.finish(CallEnd::Background),
                '(' | ')' if self.word.is_empty() => {
                    self.word.push(letter);
                    self.end_word();
                }
                _ => self.word.push(letter),
            }
        }
        self.end_word();
        // A line that ends with an operator or inside a quote continues in the next one.
        if !self.is_continued && self.quote.is_none() && !self.words.is_empty() {
            self.finish(CallEnd::Line);
        }
    }

    fn end_word(&mut self) {
        if !self.word.is_empty() {
            self.words.push(std::mem::take(&mut self.word));
        }
    }

    fn finish(&mut self, end: CallEnd) {
        self.end_word();
        if self.words.is_empty() {
            return;
        }
        let words = std::mem::take(&mut self.words);
        let is_substituted = self.substitutions.last().is_some_and(|assigned| !assigned);
        self.commands.push(ShellCommand { words, end, line: self.line, is_substituted });
    }
}
