//! The pass over the bytes: tokens, logical lines, blocks, decorators.

use super::lexical::{self, ByteKind, Holds, class, contains, word_end};
use super::{Decorated, Decorator, Note, NoteKind, PythonSource};

/// The effect of the code of a top-level block when the module is imported.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum SourceBlock {
    /// It runs.
    Module,
    /// It waits for a call.
    Body,
    /// It runs only as a program: `if __name__ == "__main__"`.
    Program,
}

pub(super) struct Scanner<'a> {
    pub(super) bytes: &'a [u8],
    at: usize,
    depth: usize,
    /// Start and indentation of the current logical line, and whether its first token is still to come.
    pub(super) statement: usize,
    indent: usize,
    fresh: bool,
    pub(super) block: SourceBlock,
    pub(super) function: &'a str,
    decorators: Vec<Decorator<'a>>,
    pub(super) found: PythonSource<'a>,
}

impl<'a> Scanner<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            depth: 0,
            statement: 0,
            indent: 0,
            fresh: true,
            block: SourceBlock::Module,
            function: "",
            decorators: Vec::new(),
            found: PythonSource::default(),
        }
    }

    pub fn scan(mut self) -> PythonSource<'a> {
        self.measure_indent();
        while let Some(&byte) = self.bytes.get(self.at) {
            let kind = class(byte);
            // The two most frequent kinds come first, outside the jump table.
            if kind == ByteKind::Word {
                self.words();
                continue;
            }
            if kind == ByteKind::Blank {
                self.at += 1;
                continue;
            }
            match kind {
                ByteKind::Newline => self.newline(),
                ByteKind::Quote => self.string(false),
                ByteKind::Hash => self.skip_comment(),
                ByteKind::Open => {
                    if byte == b'[' {
                        self.slice(0, self.at, self.bytes);
                    }
                    self.depth += 1;
                    self.step();
                }
                ByteKind::Close => {
                    self.depth = self.depth.saturating_sub(1);
                    self.step();
                }
                ByteKind::At if self.fresh => self.decorator(),
                ByteKind::Backslash if self.bytes.get(self.at + 1) == Some(&b'\n') => self.at += 2,
                _ => self.step(),
            }
        }
        self.found.unclosed |= self.depth > 0;
        self.found
    }

    fn step(&mut self) {
        self.at += 1;
        self.fresh = false;
    }

    fn newline(&mut self) {
        self.at += 1;
        if self.depth > 0 {
            // A bracket that is never closed must not swallow the rest of the file.
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let restarts = [b"def ".as_slice(), b"class ", b"@", b"import ", b"from "];
            if !restarts.iter().any(|start| rest.starts_with(start)) {
                return;
            }
            self.depth = 0;
            self.found.unclosed = true;
        }
        self.measure_indent();
    }

    fn measure_indent(&mut self) {
        self.statement = self.at;
        self.fresh = true;
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        self.indent = self.at - self.statement;
    }

    fn skip_comment(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    }

    pub(super) fn note(&mut self, at: usize, what: NoteKind<'a>) {
        let assigned = self.assigned();
        self.found.notes.push(Note { at, function: self.function, assigned, what });
    }

    /// The variable that the current statement assigns: `ROOT = …`, `ROOT: Path = …`.
    fn assigned(&self) -> &'a str {
        let start = self.past_blanks(self.statement);
        let end = word_end(self.bytes, start);
        let mut next = self.past_blanks(end);
        if self.bytes.get(next) == Some(&b':') {
            next = self.past_blanks(word_end(self.bytes, self.past_blanks(next + 1)));
        }
        let is_assignment =
            self.bytes.get(next) == Some(&b'=') && self.bytes.get(next + 1) != Some(&b'=');
        if is_assignment { self.text(start, end) } else { "" }
    }

    pub(super) fn text(&self, start: usize, end: usize) -> &'a str {
        let bytes: &'a [u8] = self.bytes;
        bytes.get(start..end).and_then(|part| std::str::from_utf8(part).ok()).unwrap_or("")
    }

    /// The logical line up to here, or its last part: bounded, because it is looked at again and again.
    pub(super) fn before(&self, at: usize) -> &'a [u8] {
        let bytes: &'a [u8] = self.bytes;
        bytes.get(self.statement.max(at.saturating_sub(300))..at).unwrap_or_default()
    }

    /// First byte at or after `at` that is not blank.
    pub(super) fn past_blanks(&self, mut at: usize) -> usize {
        while matches!(self.bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            at += 1;
        }
        at
    }

    /// The string literal that starts at `at`, prefix included.
    pub(super) fn literal_at(&self, at: usize) -> Option<(&'a str, usize)> {
        let start = word_end(self.bytes, at);
        if start > at + 2 {
            return None;
        }
        let (content, end, _) = lexical::string(self.bytes, start)?;
        Some((self.text(content.start, content.end), end))
    }

    fn decorator(&mut self) {
        let at = self.at;
        let start = self.past_blanks(at + 1);
        let mut end = word_end(self.bytes, start);
        while self.bytes.get(end) == Some(&b'.') {
            end = word_end(self.bytes, end + 1);
        }
        let name = self.text(start, end);
        let (target, method) = name.rsplit_once('.').unwrap_or(("", name));
        let mut strings = Vec::new();
        if self.bytes.get(end) == Some(&b'(') {
            let mut next = self.past_blanks(end + 1);
            if self.bytes.get(next..).is_some_and(|rest| rest.starts_with(b"name=")) {
                next += "name=".len();
            }
            while let Some((text, after)) = self.literal_at(next) {
                strings.push(text);
                next = self.past_blanks(after);
                if self.bytes.get(next) != Some(&b',') {
                    break;
                }
                next = self.past_blanks(next + 1);
            }
        }
        self.decorators.push(Decorator { at, target, method, strings });
        self.at = end.max(at + 1);
        self.fresh = false;
    }

    /// Words, as long as only a blank or a dot is between them.
    fn words(&mut self) {
        let bytes: &'a [u8] = self.bytes;
        loop {
            let start = self.at;
            let end = word_end(bytes, start);
            self.at = end;
            let next = bytes.get(end).copied().unwrap_or(b'\n');
            let word = bytes.get(start..end).unwrap_or_default();
            if matches!(next, b'"' | b'\'') && word.len() <= 2 && lexical::is_prefix(word) {
                self.string(word.iter().any(|letter| matches!(letter, b'f' | b'F')));
                return;
            }
            if self.fresh {
                self.fresh = word == b"async";
                self.first_word(word, end);
                if matches!(next, b' ' | b':')
                    && (word == b"__version__" || lexical::holds_variables(word))
                {
                    self.assigned_name(word, end);
                }
            }
            if word.len() >= 5 {
                self.long_word(word, start, next);
            }
            let follows = bytes.get(end + 1).is_some_and(|byte| class(*byte) == ByteKind::Word);
            if !follows || !matches!(next, b' ' | b'.') {
                return;
            }
            self.at = end + 1;
        }
    }

    /// A word that may mean something, told apart first by what follows it.
    fn long_word(&mut self, word: &'a [u8], start: usize, next: u8) {
        let end = start + word.len();
        match next {
            b'(' => self.called(word, start, end),
            b'[' | b'.' => match word {
                b"environ" => self.environment_read(end),
                b"parents" => self.climbs_by_index(start, end),
                b"requests" => self.requests_call(start, end),
                _ => {}
            },
            b'=' | b' ' | b':' => match word.last() {
                Some(b't' | b'T') if word.ends_with(b"timeout") || word.ends_with(b"TIMEOUT") => {
                    self.time_limit(end);
                }
                Some(b'l') if word == b"shell" && self.keyword_is(end, b"True") => {
                    self.note(start, NoteKind::Shell);
                }
                _ if next == b'=' && self.depth > 0 && lexical::carries_secret(word) => {
                    self.query_keyword(start, end);
                }
                _ => {}
            },
            _ if word == b"__file__" => self.climbs_from_file(start, end),
            _ => {}
        }
    }

    fn called(&mut self, word: &'a [u8], start: usize, open: usize) {
        match word {
            b"getenv" => self.literal_argument(open),
            b"system" | b"popen" if self.follows(start, b"os.") => {
                self.note(start, NoteKind::Shell)
            }
            b"urlopen" if !self.follows(start, b"def ") => self.request(start, open, 2),
            b"print" | b"StreamHandler" | b"basicConfig" => self.output(word, start, open),
            b"add_command" if !self.follows(start, b"def ") => self.adds_command(start, open),
            b"command" | b"group" if self.follows(start, b".") => self.found.adds_commands = true,
            _ if matches!(self.bytes.get(self.past_blanks(open + 1)), Some(b'"' | b'\''))
                && lexical::names_environment(word) =>
            {
                self.literal_arguments(open);
            }
            _ => {}
        }
    }

    fn first_word(&mut self, word: &'a [u8], end: usize) {
        let top = self.indent == 0;
        match word {
            b"def" => {
                let start = self.past_blanks(end);
                self.function = self.text(start, word_end(self.bytes, start));
                if top || self.block == SourceBlock::Module {
                    self.block = SourceBlock::Body;
                }
                let decorators = std::mem::take(&mut self.decorators);
                if !decorators.is_empty() {
                    let function = self.function;
                    self.found.decorated.push(Decorated { function, decorators });
                }
                return;
            }
            b"async" => return,
            b"class" if top => self.block = SourceBlock::Body,
            b"else" | b"elif" | b"except" | b"finally" => {}
            b"if" if top => {
                let line = self.bytes.get(end..(end + 40).min(self.bytes.len()));
                let program = line.is_some_and(|line| contains(line, b"__name__"));
                self.block = if program { SourceBlock::Program } else { SourceBlock::Module };
            }
            _ if top => self.block = SourceBlock::Module,
            _ => {}
        }
        if top {
            self.function = "";
        }
        self.decorators.clear();
    }

    fn string(&mut self, formatted: bool) {
        let at = self.at;
        let Some((content, end, seen)) = lexical::string(self.bytes, at) else {
            self.at = at + 1;
            return;
        };
        self.at = end;
        if std::mem::take(&mut self.fresh) {
            return;
        }
        let bytes: &'a [u8] = self.bytes;
        let text = bytes.get(content.clone()).unwrap_or_default();
        match text {
            b"tsx" if contains(self.before(at), b"--import") => {
                self.note(at, NoteKind::NodeHelper);
            }
            b"ready" | b"healthy" if bytes.get(end) != Some(&b':') && !self.is_compared(at) => {
                self.note(at, NoteKind::HealthWord(self.text(content.start, content.end)));
            }
            b"key" => self.query_pair(at, text.len(), end),
            _ if lexical::carries_secret(text) => self.query_pair(at, text.len(), end),
            _ if text.len() > 4 => self.long_string(at, content.start, text, seen),
            _ => {}
        }
        let url = Holds::SLASH | Holds::BRACE;
        if formatted && seen & url == url {
            self.url_parts(at, content.start, text);
        }
        if formatted && seen & Holds::BRACKET != 0 {
            for (open, _) in text.iter().enumerate().filter(|(_, byte)| **byte == b'[') {
                self.slice(content.start, open, text);
            }
        }
    }

    fn long_string(&mut self, at: usize, start: usize, text: &'a [u8], seen: u8) {
        if text.starts_with(b"AOS_") {
            self.found.environment.push((at, self.text(start, start + text.len())));
        }
        if text.ends_with(b".json") {
            let name = text.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            if matches!(name, b"connector.json" | b"permissions.json") {
                let end = start + text.len();
                self.note(at, NoteKind::NamesFile(self.text(end - name.len(), end)));
            }
        }
        if seen & Holds::DOT != 0 && contains(text, b"../..") {
            self.note(at, NoteKind::Climbs(lexical::count(text, b"..")));
        }
        if seen & Holds::DASH != 0 && contains(text, b"--import tsx") {
            self.note(at, NoteKind::NodeHelper);
        }
        if seen & Holds::QUERY != 0 {
            self.query_string(at, start, text);
        }
    }
}
