//! The meaning of a word or a string at its position: local look-ahead and look-behind.

use super::lexical::{self, ByteKind, argument_list, class, contains, word_end};
use super::scanner::{Scanner, SourceBlock};
use super::{Added, NoteKind};

impl<'a> Scanner<'a> {
    /// `NAME_ENV = "NAME"` and `ENV_KEYS = ("A", "B")` declare that variables are read; `__version__ = "…"` a version.
    pub(super) fn assigned_name(&mut self, word: &[u8], end: usize) {
        let mut equals = self.past_blanks(end);
        if self.bytes.get(equals) == Some(&b':') {
            equals = self.past_blanks(word_end(self.bytes, self.past_blanks(equals + 1)));
        }
        if self.bytes.get(equals) != Some(&b'=') {
            return;
        }
        let at = self.past_blanks(equals + 1);
        if self.bytes.get(at).is_some_and(|byte| class(*byte) == ByteKind::Open) {
            self.literal_arguments(at);
        } else if let Some((text, _)) = self.literal_at(at) {
            if word == b"__version__" {
                self.note(at, NoteKind::Version(text));
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

    /// Notes the first argument of a call that reads the environment, if it is a literal, and whether an address is its
    /// default.
    pub(super) fn literal_argument(&mut self, open: usize) {
        if matches!(self.bytes.get(open), Some(b'(' | b'[')) {
            let at = self.past_blanks(open + 1);
            if let Some((name, end)) = self.literal_at(at) {
                self.found.environment.push((at, name));
                let mut next = self.past_blanks(end);
                if self.bytes.get(next) == Some(&b')') {
                    next = self.past_blanks(next + 1);
                    next += usize::from(self.bytes.get(next..next + 2) == Some(b"or"));
                }
                let default = self.literal_at(self.past_blanks(next + 1));
                if default.is_some_and(|(text, _)| text.starts_with("http")) {
                    self.found.defaulted.push(name);
                }
            }
        }
    }

    /// Every literal among the arguments of a call, or in a list, that names variables.
    pub(super) fn literal_arguments(&mut self, open: usize) {
        let length = argument_list(self.bytes, open).len();
        let mut at = open + 1;
        while at < open + 1 + length {
            match self.literal_at(at) {
                Some((name, end)) => {
                    self.found.environment.push((at, name));
                    at = end.max(at + 1);
                }
                None => at = word_end(self.bytes, at).max(at + 1),
            }
        }
    }

    /// `cli.add_command(health)`, `cli.add_command(issue_rm, "delete")`.
    pub(super) fn adds_command(&mut self, start: usize, open: usize) {
        let head = self.bytes.get(..start).unwrap_or_default();
        let target = lexical::last_word(head.strip_suffix(b".").unwrap_or_default()).len();
        let target = self.text(start.saturating_sub(target + 1), start.saturating_sub(1));
        let first = self.past_blanks(open + 1);
        let end = lexical::dotted_end(self.bytes, first);
        let command = self.text(first, end).rsplit('.').next().unwrap_or_default();
        let mut next = self.past_blanks(end);
        let mut name = None;
        if self.bytes.get(next) == Some(&b',') {
            next = self.past_blanks(next + 1);
            if self.bytes.get(next..).is_some_and(|rest| rest.starts_with(b"name=")) {
                next += "name=".len();
            }
            if let Some((text, after)) = self.literal_at(next) {
                name = Some(text);
                next = self.past_blanks(after);
            }
            if self.bytes.get(next) == Some(&b',') {
                next = self.past_blanks(next + 1);
            }
        }
        if self.bytes.get(next) == Some(&b')') && !target.is_empty() && !command.is_empty() {
            self.found.added.push(Added { target, command, name });
        } else {
            self.found.adds_commands = true;
        }
    }

    /// The literal at `at` is compared with something, not given.
    pub(super) fn is_compared(&self, at: usize) -> bool {
        let before = self.before(at).trim_ascii_end();
        [b"==".as_slice(), b"!=", b" in (", b" in {", b" in ["]
            .iter()
            .any(|sign| before.ends_with(sign))
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
            self.note(start, NoteKind::Climbs(levels - 1));
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
            self.note(start, NoteKind::Climbs(digits));
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
            self.note(start, NoteKind::NoTimeout);
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
            let limit = seconds.saturating_mul(1000).saturating_add(tenths * 100);
            let before = self.before(at);
            let starts = [b"subprocess.".as_slice(), b"Popen", b".communicate(", b"process.wait("];
            let of_program = starts.iter().any(|word| contains(before, word));
            self.note(
                at,
                if of_program { NoteKind::ProgramTimeout(limit) } else { NoteKind::Timeout(limit) },
            );
        }
    }

    pub(super) fn output(&mut self, word: &[u8], start: usize, end: usize) {
        if self.block != SourceBlock::Module || self.follows(start, b"def ") {
            return;
        }
        let arguments = argument_list(self.bytes, end);
        let to_stdout = if word == b"print" {
            !contains(arguments, b"stderr")
        } else {
            contains(arguments, b"stdout")
        };
        if to_stdout {
            self.note(start, NoteKind::ModuleOutput);
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
                // `%s` of an old template.
                Some(b'%') if matches!(text.get(name_end + 2), Some(b's' | b'r' | b'(')) => "",
                Some(_) => continue,
            };
            let name = self.text(start + mark + 1, start + name_end);
            self.note(at, NoteKind::Query { name, value });
        }
    }

    /// `params = {"token": token}`, `urlencode({"key": self._key})`, `params["token"] = token`.
    pub(super) fn query_pair(&mut self, at: usize, length: usize, end: usize) {
        let mut next = self.past_blanks(end);
        let after = self.past_blanks(next + 1);
        if self.bytes.get(next) == Some(&b']')
            && self.bytes.get(after) == Some(&b'=')
            && self.bytes.get(after + 1) != Some(&b'=')
        {
            next = after;
        } else if !matches!(self.bytes.get(next), Some(b':' | b',')) {
            return;
        }
        if self.goes_into_query(at) {
            let name = self.text(end - 1 - length, end - 1);
            let value = self.value_at(next + 1);
            self.note(at, NoteKind::Query { name, value });
        }
    }

    /// `params=dict(token=token)`, `params.update(token=token)`.
    pub(super) fn query_keyword(&mut self, start: usize, end: usize) {
        let tail = self.before(start);
        let Some(open) = lexical::innermost_open(tail) else { return };
        let callee = lexical::last_word(tail.get(..open).unwrap_or_default());
        if matches!(callee, b"dict" | b"update") && self.goes_into_query(start) {
            let name = self.text(start, end);
            let value = self.value_at(end + 1);
            self.note(start, NoteKind::Query { name, value });
        }
    }

    /// True if the code that opens the brackets around a position puts the value into the URL and not into the body.
    /// The names beside it do not decide that: a table of settings may have its own `query`.
    fn goes_into_query(&self, at: usize) -> bool {
        let mut tail = self.before(at);
        for _ in 0..MAX_BRACKETS {
            let Some(open) = lexical::innermost_open(tail) else { return false };
            tail = tail.get(..open).unwrap_or_default();
            let line = tail.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
            let nearest =
                |words: &[&[u8]]| words.iter().filter_map(|word| lexical::last(line, word)).max();
            let url = nearest(&[b"param", b"query", b"urlencode"]);
            let body = nearest(&[b"body", b"json", b"data", b"form", b"headers", b"payload"]);
            if url.is_some() || body.is_some() {
                return url > body && !is_form(line);
            }
        }
        false
    }

    fn value_at(&self, at: usize) -> &'a str {
        let start = self.past_blanks(at);
        self.text(start, lexical::dotted_end(self.bytes, start))
    }

    /// `f"https://host/bot{token}/{method}"`: values in a URL; its query is read by `query_string`.
    pub(super) fn url_parts(&mut self, at: usize, start: usize, text: &'a [u8]) {
        let schemes = [b"http://".as_slice(), b"https://", b"ws://", b"wss://"];
        let base = text.get(1..lexical::dotted_end(text, 1)).unwrap_or_default();
        let base = lexical::last_word(base).to_ascii_lowercase();
        let from_base = text.first() == Some(&b'{')
            && [b"url".as_slice(), b"base", b"host", b"endpoint"]
                .iter()
                .any(|word| contains(&base, word));
        if !from_base && !schemes.iter().any(|scheme| contains(text, scheme)) {
            return;
        }
        let mut open = 0;
        while let Some(next) = text.iter().skip(open).position(|byte| *byte == b'{') {
            open += next + 1;
            if text.get(open) == Some(&b'{') {
                open += 1;
                continue;
            }
            let is_query = open >= 2 && text.get(open - 2) == Some(&b'=');
            let mut value = open;
            let mut end = lexical::dotted_end(text, value);
            let called = text.get(value..end).unwrap_or_default();
            if text.get(end) == Some(&b'(') && contains(called, b"quote") {
                value = end + 1;
                end = lexical::dotted_end(text, value);
            }
            let closes = matches!(text.get(end), Some(b'}' | b'!' | b':' | b')' | b','));
            // `/secrets/{secret}` names one of them.
            let head = text.get(..open - 1).unwrap_or_default();
            let lists = [b"secrets/".as_slice(), b"tokens/", b"keys/", b"credentials/"];
            let is_name = lists.iter().any(|list| head.ends_with(list));
            if closes && !is_query && !is_name && end > value {
                self.note(at, NoteKind::InUrl(self.text(start + value, start + end)));
            }
        }
    }

    /// `base[:4]`, `base[0:4]`, `base[-4:]` and the same with a name, where `open` is the bracket's place in `text`.
    pub(super) fn slice(&mut self, offset: usize, open: usize, text: &'a [u8]) {
        let first = open + 1;
        let (at, last) = match text.get(first..first + 2) {
            Some([b':', _]) => (first + 1, b']'),
            Some([b'0', b':']) => (first + 2, b']'),
            Some([b'-', _]) => (first + 1, b':'),
            _ => return,
        };
        let (length, after) = match lexical::digits(text, at) {
            Some((1..=8, after)) => ("", after),
            Some(_) => return,
            None => {
                let end = word_end(text, at);
                (self.text(offset + at, offset + end), end)
            }
        };
        let closes = last == b']' || text.get(after + 1) == Some(&b']');
        if after > at && text.get(after) == Some(&last) && closes {
            let base = lexical::last_word(text.get(..open).unwrap_or_default()).len();
            let base = self.text(offset + open - base, offset + open);
            self.note(offset + open, NoteKind::Slice { base, length });
        }
    }
}

/// Brackets around a pair of a query that are looked at, innermost first.
const MAX_BRACKETS: usize = 3;

/// `payload = parse.urlencode`: the same encoding, sent as the body of a form.
fn is_form(line: &[u8]) -> bool {
    let Some(at) = lexical::last(line, b"urlencode") else { return false };
    let before = line.get(..at).unwrap_or_default().trim_ascii_end();
    let module = before
        .strip_suffix(b".")
        .map_or(before, |name| name.strip_suffix(lexical::last_word(name)).unwrap_or_default());
    let assigned = module.trim_ascii_end().strip_suffix(b"=").unwrap_or_default().trim_ascii_end();
    let name = lexical::last_word(assigned).to_ascii_lowercase();
    [b"body".as_slice(), b"data", b"form", b"payload"].iter().any(|word| contains(&name, word))
}
