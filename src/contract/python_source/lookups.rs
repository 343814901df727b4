//! What a word or a string means, seen from where it stands: local look-ahead and look-behind.

use super::What;
use super::lexical::{self, Kind, argument_list, class, contains, word_end};
use super::scanner::{Block, Scanner};

impl<'a> Scanner<'a> {
    /// `NAME_ENV = "NAME"` declares that an environment variable is read; `__version__ = "…"` a version.
    pub(super) fn assigned_name(&mut self, word: &[u8], end: usize) {
        let equals = self.past_blanks(end);
        if self.bytes.get(equals) != Some(&b'=') {
            return;
        }
        let at = self.past_blanks(equals + 1);
        if let Some((text, _)) = self.literal_at(at) {
            if word == b"__version__" {
                self.note(at, What::Version(text));
            } else {
                self.found.environment.push((at, text));
            }
        }
    }

    /// `environ["X"]`, `environ.get("X")`, `environ.pop("X")`.
    pub(super) fn environment_read(&mut self, end: usize) {
        match self.bytes.get(end) {
            Some(b'[') => self.literal_argument(end),
            Some(b'.') => self.literal_argument(word_end(self.bytes, end + 1)),
            _ => {}
        }
    }

    /// The first argument of a call that reads the environment, when it is a literal.
    pub(super) fn literal_argument(&mut self, open: usize) {
        if matches!(self.bytes.get(open), Some(b'(' | b'[')) {
            let at = self.past_blanks(open + 1);
            if let Some((name, _)) = self.literal_at(at) {
                self.found.environment.push((at, name));
            }
        }
    }

    pub(super) fn follows(&self, start: usize, before: &[u8]) -> bool {
        self.bytes.get(..start).is_some_and(|head| head.ends_with(before))
    }

    /// `word=value`, with or without blanks.
    pub(super) fn keyword_is(&self, end: usize, value: &[u8]) -> bool {
        let equals = self.past_blanks(end);
        let at = self.past_blanks(equals + 1);
        self.bytes.get(equals) == Some(&b'=')
            && self.bytes.get(at..).is_some_and(|rest| rest.starts_with(value))
    }

    /// `Path(__file__).parent.parent` and `dirname(dirname(__file__))`.
    pub(super) fn climbs_from_file(&mut self, start: usize, end: usize) {
        let before = self.before(start);
        let dirnames = lexical::count(before, b"dirname(");
        let rest = self.bytes.get(end..(end + 160).min(self.bytes.len())).unwrap_or_default();
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let parents = lexical::count(line, b".parent") - lexical::count(line, b".parents");
        let levels = dirnames.max(parents);
        if levels > 1 {
            self.note(start, What::Climbs(levels - 1));
        }
    }

    /// `Path(__file__).parents[2]`; far indices count wherever the path comes from.
    pub(super) fn climbs_by_index(&mut self, start: usize, end: usize) {
        let Some((digits, after)) = lexical::digits(self.bytes, end + 1) else { return };
        if self.bytes.get(end) != Some(&b'[') || self.bytes.get(after) != Some(&b']') {
            return;
        }
        let before = self.before(start);
        if digits >= 2 || contains(before, b"__file__") {
            self.note(start, What::Climbs(digits));
        }
    }

    pub(super) fn requests_call(&mut self, start: usize, end: usize) {
        let method_end = word_end(self.bytes, end + 1);
        let method = self.text(end + 1, method_end);
        let methods = ["get", "post", "put", "patch", "delete", "head", "request"];
        if methods.contains(&method) && self.bytes.get(method_end) == Some(&b'(') {
            self.request(start, method_end, usize::MAX);
        }
    }

    /// A call that waits for the network; `position` is the index of a positional time limit.
    pub(super) fn request(&mut self, start: usize, open: usize, position: usize) {
        let arguments = argument_list(self.bytes, open);
        let commas = arguments.iter().filter(|byte| **byte == b',').count();
        if !contains(arguments, b"timeout") && !contains(arguments, b"**") && commas < position {
            self.note(start, What::NoTimeout);
        }
    }

    /// `timeout=20`, `TIMEOUT = 20.5`, `timeout: float = 20`.
    pub(super) fn time_limit(&mut self, end: usize) {
        let mut at = self.past_blanks(end);
        if self.bytes.get(at) == Some(&b':') {
            let type_end = word_end(self.bytes, self.past_blanks(at + 1));
            at = self.past_blanks(type_end);
        }
        if self.bytes.get(at) != Some(&b'=') {
            return;
        }
        let at = self.past_blanks(at + 1);
        if let Some((seconds, after)) = lexical::digits(self.bytes, at) {
            let tenths = match self.bytes.get(after..after + 2) {
                Some([b'.', digit @ b'0'..=b'9']) => usize::from(digit - b'0'),
                _ => 0,
            };
            self.note(at, What::Timeout(seconds.saturating_mul(1000).saturating_add(tenths * 100)));
        }
    }

    pub(super) fn output(&mut self, word: &[u8], start: usize, end: usize) {
        if self.block != Block::Module || self.follows(start, b"def ") {
            return;
        }
        let arguments = argument_list(self.bytes, end);
        let to_stdout = if word == b"print" {
            !contains(arguments, b"stderr")
        } else {
            contains(arguments, b"stdout")
        };
        if to_stdout {
            self.note(start, What::ModuleOutput);
        }
    }

    /// `…?token={…`, `…&api_key=` at the end of a string.
    pub(super) fn query_string(&mut self, at: usize, start: usize, text: &'a [u8]) {
        for (mark, _) in text.iter().enumerate().filter(|(_, b)| matches!(b, b'?' | b'&')) {
            let name_end = word_end(text, mark + 1);
            if text.get(name_end) != Some(&b'=') {
                continue;
            }
            let value = match text.get(name_end + 1) {
                None => "",
                Some(b'{') => {
                    let end = text.iter().skip(name_end).position(|byte| *byte == b'}');
                    self.text(start + name_end + 2, start + name_end + end.unwrap_or(2).max(2))
                }
                Some(_) => continue,
            };
            let name = self.text(start + mark + 1, start + name_end);
            self.note(at, What::Query { name, value });
        }
    }

    /// `params = {"token": token}`, `urlencode({"key": self._key})`.
    pub(super) fn query_pair(&mut self, at: usize, length: usize, end: usize) {
        let next = self.past_blanks(end);
        if !matches!(self.bytes.get(next), Some(b':' | b',')) {
            return;
        }
        let start = self.past_blanks(next + 1);
        let mut value_end = word_end(self.bytes, start);
        while self.bytes.get(value_end) == Some(&b'.') {
            value_end = word_end(self.bytes, value_end + 1);
        }
        let tail = self.before(at);
        // The nearest word tells whether the pair goes into the URL or into the body.
        let nearest =
            |words: &[&[u8]]| words.iter().filter_map(|word| lexical::last(tail, word)).max();
        let url = nearest(&[b"param", b"query", b"urlencode"]);
        if url.is_some() && url > nearest(&[b"body", b"json", b"data", b"headers", b"payload"]) {
            let name = self.text(end - 1 - length, end - 1);
            let value = self.text(start, value_end);
            self.note(at, What::Query { name, value });
        }
    }

    /// `base[:4]` and `base[-4:]`, where `open` is the bracket's place in `text`.
    pub(super) fn slice(&mut self, offset: usize, open: usize, text: &'a [u8]) {
        let (sign, last) = match text.get(open + 1) {
            Some(b':') => (b':', b']'),
            Some(b'-') => (b'-', b':'),
            _ => return,
        };
        let Some((count, after)) = lexical::digits(text, open + 2) else { return };
        let closes = sign == b':' || text.get(after + 1) == Some(&b']');
        if text.get(after) == Some(&last) && closes && (1..=8).contains(&count) {
            let base = text.get(..open).unwrap_or_default();
            let start = base.iter().rposition(|byte| class(*byte) != Kind::Word);
            let start = start.map_or(0, |at| at + 1);
            let name = self.text(offset + start, offset + open);
            self.note(offset + open, What::Slice(name));
        }
    }
}
