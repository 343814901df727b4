//! JSON with positions: what `serde_json` does not keep and findings need.
//!
//! Every value knows its byte offset; duplicate members, lone surrogates, a byte order mark and hand formatting are recorded, not lost.
//! Bounded in size and depth; never panics. Uses nothing of ours.

use std::borrow::Cow;

/// Documents larger than this are not read: the host's own files are some kilobytes.
pub const MAX_BYTES: usize = 4 << 20;
/// Deeper nesting is refused, so that reading and dropping a value cannot exhaust the stack.
pub const MAX_DEPTH: usize = 96;

#[derive(Debug)]
pub struct Node<'a> {
    pub at: usize,
    pub value: Value<'a>,
}

#[derive(Debug)]
pub enum Value<'a> {
    Null,
    Bool(bool),
    /// As written: a number may be larger than any type of ours.
    Number(&'a str),
    Text(Cow<'a, str>),
    List(Vec<Node<'a>>),
    Object(Vec<Member<'a>>),
}

#[derive(Debug)]
pub struct Member<'a> {
    pub at: usize,
    pub name: Cow<'a, str>,
    pub node: Node<'a>,
}

impl<'a> Node<'a> {
    /// The member that counts when names repeat: the last, as in every JSON reader of the host.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Member<'a>> {
        self.members().iter().rev().find(|member| member.name == name)
    }

    #[must_use]
    pub fn members(&self) -> &[Member<'a>] {
        match &self.value {
            Value::Object(members) => members,
            _ => &[],
        }
    }

    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// What it is, with its article, for messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::Text(text) if text.is_empty() => "an empty string",
            Value::Text(_) => "a string",
            Value::List(_) => "an array",
            Value::Object(_) => "an object",
        }
    }
}

#[derive(Debug)]
pub struct Fault {
    pub at: usize,
    pub kind: FaultKind,
}

#[derive(Debug, Eq, PartialEq)]
pub enum FaultKind {
    /// Reading stopped: what stood where something else was expected.
    Syntax(&'static str),
    /// The same member name twice in one object.
    Duplicate(String),
    /// Text that no UTF-8 file or reader of ours can hold.
    Encoding(&'static str),
}

/// What reading gave; `root` is absent when the text stopped being JSON.
#[derive(Debug)]
pub struct Document<'a> {
    pub root: Option<Node<'a>>,
    pub faults: Vec<Fault>,
    /// First place that is not formatted with two spaces per level and one newline at the end.
    pub untidy: Option<usize>,
}

impl<'a> Document<'a> {
    #[must_use]
    pub fn read(text: &'a str) -> Self {
        let mut reader = Reader { text, at: 0, faults: Vec::new(), untidy: None };
        if text.len() > MAX_BYTES {
            reader.fault(0, FaultKind::Syntax("it is larger than 4 MiB"));
            return Self { root: None, faults: reader.faults, untidy: None };
        }
        if text.starts_with('\u{feff}') {
            reader.fault(0, FaultKind::Encoding("it starts with a byte order mark"));
            reader.at = '\u{feff}'.len_utf8();
        }
        let root = reader.document();
        Self { root, faults: reader.faults, untidy: reader.untidy }
    }
}

/// Reading cannot go on; the fault is already recorded.
struct Stop;

struct Reader<'a> {
    text: &'a str,
    at: usize,
    faults: Vec<Fault>,
    untidy: Option<usize>,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Option<Node<'a>> {
        let start = self.at;
        self.blanks(0);
        if self.at != start {
            self.untidy.get_or_insert(start);
        }
        let root = self.value(0).ok()?;
        let end = self.at;
        if self.text.get(end..) == Some("\n") {
            return Some(root);
        }
        self.untidy.get_or_insert(end.min(self.text.len().saturating_sub(1)));
        self.blanks(0);
        if self.peek().is_some() {
            self.fault(self.at, FaultKind::Syntax("more text follows the end of the document"));
        }
        Some(root)
    }

    fn value(&mut self, depth: usize) -> Result<Node<'a>, Stop> {
        let at = self.at;
        if depth > MAX_DEPTH {
            return Err(self.stop("values are nested more than 96 deep"));
        }
        let value = match self.peek() {
            Some(b'"') => Value::Text(self.string()?),
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'-' | b'0'..=b'9') => Value::Number(self.number()?),
            Some(b't') => self.word("true", Value::Bool(true))?,
            Some(b'f') => self.word("false", Value::Bool(false))?,
            Some(b'n') => self.word("null", Value::Null)?,
            Some(_) => return Err(self.stop("a value is expected")),
            None => return Err(self.stop("the text ends where a value is expected")),
        };
        Ok(Node { at, value })
    }

    fn object(&mut self, depth: usize) -> Result<Value<'a>, Stop> {
        let start = self.at;
        self.at += 1;
        let mut members: Vec<Member<'a>> = Vec::new();
        self.blanks(depth + 1);
        if self.take(b'}') {
            return Ok(Value::Object(members));
        }
        members.reserve(8);
        loop {
            let at = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.stop("a member name in double quotes is expected"));
            }
            let name = self.string()?;
            self.blanks(depth + 1);
            if !self.take(b':') {
                return Err(self.stop("`:` is expected"));
            }
            self.blanks(depth + 1);
            let node = self.value(depth + 1)?;
            members.push(Member { at, name, node });
            self.blanks(depth + 1);
            if self.take(b',') {
                self.blanks(depth + 1);
            } else if self.take(b'}') {
                break;
            } else {
                return Err(self.stop("`,` or `}` is expected"));
            }
        }
        if depth == 0 && !self.text.get(start..self.at).is_some_and(|body| body.contains('\n')) {
            self.untidy.get_or_insert(start);
        }
        self.report_duplicates(&members);
        Ok(Value::Object(members))
    }

    fn list(&mut self, depth: usize) -> Result<Value<'a>, Stop> {
        self.at += 1;
        let mut items = Vec::new();
        self.blanks(depth + 1);
        if self.take(b']') {
            return Ok(Value::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.blanks(depth + 1);
            if self.take(b',') {
                self.blanks(depth + 1);
            } else if self.take(b']') {
                return Ok(Value::List(items));
            } else {
                return Err(self.stop("`,` or `]` is expected"));
            }
        }
    }

    fn report_duplicates(&mut self, members: &[Member<'a>]) {
        let mut report = |member: &Member<'a>| {
            self.faults.push(Fault {
                at: member.at,
                kind: FaultKind::Duplicate(member.name.clone().into_owned()),
            });
        };
        if members.len() <= 12 {
            for (index, member) in members.iter().enumerate() {
                if members.iter().take(index).any(|earlier| earlier.name == member.name) {
                    report(member);
                }
            }
            return;
        }
        let mut order: Vec<&Member<'a>> = members.iter().collect();
        order.sort_by(|left, right| left.name.cmp(&right.name).then(left.at.cmp(&right.at)));
        for pair in order.windows(2) {
            if let [left, right] = pair
                && left.name == right.name
            {
                report(right);
            }
        }
    }

    fn string(&mut self) -> Result<Cow<'a, str>, Stop> {
        self.at += 1;
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut end = start;
        while let Some(&byte) = bytes.get(end) {
            if byte == b'"' || byte == b'\\' || byte < 0x20 {
                break;
            }
            end += 1;
        }
        self.at = end;
        if bytes.get(end) == Some(&b'"') {
            self.at += 1;
            return Ok(Cow::Borrowed(self.text.get(start..end).unwrap_or_default()));
        }
        self.escaped_string(start)
    }

    fn escaped_string(&mut self, start: usize) -> Result<Cow<'a, str>, Stop> {
        let mut text = self.text.get(start..self.at).unwrap_or_default().to_owned();
        let mut plain = self.at;
        loop {
            match self.peek() {
                None => return Err(self.stop("the text ends inside a string")),
                Some(byte) if byte < 0x20 => {
                    return Err(self.stop("a control character stands in a string unescaped"));
                }
                Some(b'"') => {
                    text.push_str(self.text.get(plain..self.at).unwrap_or_default());
                    self.at += 1;
                    return Ok(Cow::Owned(text));
                }
                Some(b'\\') => {
                    text.push_str(self.text.get(plain..self.at).unwrap_or_default());
                    text.push(self.escape()?);
                    plain = self.at;
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<char, Stop> {
        let at = self.at;
        self.at += 1;
        let letter = self.peek();
        self.at += 1;
        Ok(match letter {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.four_digits()?;
                let code = if (0xd800..0xdc00).contains(&first) {
                    self.low_surrogate()
                        .map_or(first, |low| 0x10000 + ((first - 0xd800) << 10) + (low - 0xdc00))
                } else {
                    first
                };
                char::from_u32(code).unwrap_or_else(|| {
                    let problem = "it holds half of a surrogate pair, which is no character";
                    self.fault(at, FaultKind::Encoding(problem));
                    char::REPLACEMENT_CHARACTER
                })
            }
            _ => {
                self.at = at;
                return Err(self.stop("this escape does not exist in JSON"));
            }
        })
    }

    fn four_digits(&mut self) -> Result<u32, Stop> {
        let digits = self.text.get(self.at..self.at + 4);
        let code = digits
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let Some(code) = code else {
            return Err(self.stop("four hexadecimal digits are expected"));
        };
        self.at += 4;
        Ok(code)
    }

    /// The second half of a pair; nothing is taken when something else follows.
    fn low_surrogate(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 6)?.strip_prefix("\\u")?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let low = u32::from_str_radix(digits, 16).ok()?;
        (0xdc00..0xe000).contains(&low).then(|| {
            self.at += 6;
            low
        })
    }

    fn number(&mut self) -> Result<&'a str, Stop> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') && self.digits() == 0 {
            return Err(self.stop("a digit is expected"));
        }
        if self.take(b'.') && self.digits() == 0 {
            return Err(self.stop("a digit is expected"));
        }
        if self.take(b'e') || self.take(b'E') {
            let _signed = self.take(b'+') || self.take(b'-');
            if self.digits() == 0 {
                return Err(self.stop("a digit is expected"));
            }
        }
        Ok(self.text.get(start..self.at).unwrap_or_default())
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    fn word(&mut self, word: &str, value: Value<'a>) -> Result<Value<'a>, Stop> {
        if self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            self.at += word.len();
            return Ok(value);
        }
        Err(self.stop("a value is expected"))
    }

    /// Skips white space; a line break must be followed by two spaces per level.
    #[inline]
    fn blanks(&mut self, depth: usize) {
        if self.peek().is_some_and(|byte| byte > b' ') {
            return;
        }
        let start = self.at;
        let mut breaks = 0;
        let mut last_break = start;
        let mut plain = true;
        while let Some(byte @ (b' ' | b'\n' | b'\r' | b'\t')) = self.peek() {
            if byte == b'\n' {
                breaks += 1;
                last_break = self.at;
            } else if byte != b' ' {
                plain = false;
            }
            self.at += 1;
        }
        if breaks == 0 {
            return;
        }
        let closes = matches!(self.peek(), Some(b'}' | b']'));
        let indent = 2 * depth.saturating_sub(usize::from(closes));
        let tidy = plain && breaks == 1 && last_break == start && self.at - start == indent + 1;
        if !tidy && self.untidy.is_none() {
            self.untidy = Some((last_break + 1).min(self.at));
        }
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn take(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn fault(&mut self, at: usize, kind: FaultKind) {
        self.faults.push(Fault { at, kind });
    }

    fn stop(&mut self, problem: &'static str) -> Stop {
        self.fault(self.at.min(self.text.len()), FaultKind::Syntax(problem));
        Stop
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<FaultKind> {
        Document::read(text).faults.into_iter().map(|fault| fault.kind).collect()
    }

    /// The same value for `serde_json`, to compare with its own reading.
    fn plain(node: &Node<'_>) -> serde_json::Value {
        match &node.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(truth) => (*truth).into(),
            Value::Number(digits) => serde_json::from_str(digits).unwrap_or_default(),
            Value::Text(text) => text.as_ref().into(),
            Value::List(items) => items.iter().map(plain).collect::<Vec<_>>().into(),
            Value::Object(members) => serde_json::Value::Object(
                members.iter().map(|m| (m.name.clone().into_owned(), plain(&m.node))).collect(),
            ),
        }
    }

    #[test]
    fn it_reads_what_serde_json_reads_and_refuses_what_it_refuses() {
        for text in [
            "{}",
            "[]",
            " [1, -0, 0.5, 1e9, 12E-3] ",
            r#"{"a":{"b":[true,false,null]},"é":"\u00e9\ud83d\ude00\n"}"#,
            r#"["\"\\\/\b\f\n\r\t"]"#,
            "\"text\"",
            "01",
            "[1,]",
            "{\"a\":1,}",
            "{a:1}",
            "[1 2]",
            "\"\u{1}\"",
            "\"\\x\"",
            "tru",
            "1.",
            "-",
            "1e",
            "{\"a\" 1}",
            "[",
            "",
            "nullx",
            "\"\\u12\"",
        ] {
            let document = Document::read(text);
            match serde_json::from_str::<serde_json::Value>(text) {
                Ok(value) => {
                    assert!(document.faults.is_empty(), "{text}: {:?}", document.faults);
                    assert_eq!(document.root.as_ref().map(plain), Some(value), "{text}");
                }
                Err(_) => assert!(!document.faults.is_empty(), "{text} was accepted"),
            }
        }
    }

    #[test]
    fn duplicate_members_are_reported_in_small_and_large_objects() {
        assert_eq!(kinds(r#"{"a":1,"b":2,"a":3}"#), [FaultKind::Duplicate("a".into())]);
        let many: String = (0..40).map(|index| format!("\"k{index}\":1,")).collect();
        let text = format!("{{{many}\"k7\":2}}");
        assert_eq!(kinds(&text), [FaultKind::Duplicate("k7".into())]);
        assert_eq!(
            Document::read(&text).root.as_ref().and_then(|root| root.member("k7")).map(|m| m.at),
            Some(text.len() - 7)
        );
    }

    #[test]
    fn a_lone_surrogate_and_a_byte_order_mark_are_faults_that_do_not_stop_reading() {
        let document = Document::read("\u{feff}{\"a\":\"\\ud800x\"}");
        assert_eq!(document.faults.len(), 2);
        let root = document.root.unwrap();
        assert_eq!(root.member("a").unwrap().node.text(), Some("\u{fffd}x"));
    }

    #[test]
    fn deep_nesting_stops_without_exhausting_the_stack() {
        let text = "[".repeat(3_000_000);
        assert!(matches!(kinds(&text)[..], [FaultKind::Syntax(_)]));
        let large = " ".repeat(MAX_BYTES + 1);
        assert!(matches!(kinds(&large)[..], [FaultKind::Syntax(_)]));
    }

    #[test]
    fn two_spaces_per_level_and_one_newline_are_tidy() {
        for tidy in ["{}\n", "{\n  \"a\": [\n    1,\n    2\n  ]\n}\n", "{\n  \"a\": [1, 2]\n}\n"] {
            assert_eq!(Document::read(tidy).untidy, None, "{tidy}");
        }
        for untidy in [
            "{\n  \"a\": 1\n}",
            "{\n  \"a\": 1\n}\n\n",
            "{\n    \"a\": 1\n}\n",
            "{\r\n  \"a\": 1\r\n}\r\n",
            "{\n\t\"a\": 1\n}\n",
            "{\"a\":1}\n",
            "{\n  \"a\": 1 \n}\n",
        ] {
            assert!(Document::read(untidy).untidy.is_some(), "{untidy:?}");
        }
    }
}
