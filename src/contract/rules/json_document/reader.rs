//! The reader behind `Document`: recursive descent over the bytes, one pass.

use std::borrow::Cow;

use super::{FaultKind, JsonDocument, JsonFault, JsonMember, JsonNode, JsonValue, MAX_DEPTH};

/// Reading cannot go on; the fault is already recorded.
struct JsonStop;

pub(super) struct JsonReader<'a> {
    text: &'a str,
    at: usize,
    faults: Vec<JsonFault>,
    untidy: Option<usize>,
}

impl<'a> JsonReader<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0, faults: Vec::new(), untidy: None }
    }

    pub fn document(mut self) -> JsonDocument<'a> {
        if self.text.starts_with('\u{feff}') {
            self.fault(0, FaultKind::Encoding("it starts with a byte order mark"));
            self.at = '\u{feff}'.len_utf8();
        }
        let root = self.root();
        JsonDocument { root, faults: self.faults, untidy: self.untidy }
    }

    fn root(&mut self) -> Option<JsonNode<'a>> {
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

    fn value(&mut self, depth: usize) -> Result<JsonNode<'a>, JsonStop> {
        let at = self.at;
        if depth > MAX_DEPTH {
            return Err(self.stop("values are nested more than 96 deep"));
        }
        let value = match self.peek() {
            Some(b'"') => JsonValue::Text(self.string()?),
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'-' | b'0'..=b'9') => JsonValue::Number(self.number()?),
            Some(b't') => self.word("true", JsonValue::Bool(true))?,
            Some(b'f') => self.word("false", JsonValue::Bool(false))?,
            Some(b'n') => self.word("null", JsonValue::Null)?,
            Some(_) => return Err(self.stop("a value is expected")),
            None => return Err(self.stop("the text ends where a value is expected")),
        };
        Ok(JsonNode { at, value })
    }

    fn object(&mut self, depth: usize) -> Result<JsonValue<'a>, JsonStop> {
        let start = self.at;
        self.at += 1;
        let mut members: Vec<JsonMember<'a>> = Vec::new();
        self.blanks(depth + 1);
        if self.take(b'}') {
            return Ok(JsonValue::Object(members));
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
            members.push(JsonMember { at, name, node });
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
        Ok(JsonValue::Object(members))
    }

    fn list(&mut self, depth: usize) -> Result<JsonValue<'a>, JsonStop> {
        self.at += 1;
        let mut items = Vec::new();
        self.blanks(depth + 1);
        if self.take(b']') {
            return Ok(JsonValue::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.blanks(depth + 1);
            if self.take(b',') {
                self.blanks(depth + 1);
            } else if self.take(b']') {
                return Ok(JsonValue::List(items));
            } else {
                return Err(self.stop("`,` or `]` is expected"));
            }
        }
    }

    fn report_duplicates(&mut self, members: &[JsonMember<'a>]) {
        let mut report = |member: &JsonMember<'a>| {
            self.faults.push(JsonFault {
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
        let mut order: Vec<&JsonMember<'a>> = members.iter().collect();
        order.sort_by(|left, right| left.name.cmp(&right.name).then(left.at.cmp(&right.at)));
        for pair in order.windows(2) {
            if let [left, right] = pair
                && left.name == right.name
            {
                report(right);
            }
        }
    }

    fn string(&mut self) -> Result<Cow<'a, str>, JsonStop> {
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

    fn escaped_string(&mut self, start: usize) -> Result<Cow<'a, str>, JsonStop> {
        let mut text = self.text.get(start..self.at).unwrap_or_default().to_owned();
        let mut plain = self.at;
        loop {
            match self.peek() {
                None => return Err(self.stop("the text ends inside a string")),
                Some(byte) if byte < 0x20 => {
                    return Err(self.stop("a string contains an unescaped control character"));
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

    fn escape(&mut self) -> Result<char, JsonStop> {
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
                    let problem = "it contains an unpaired surrogate";
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

    fn four_digits(&mut self) -> Result<u32, JsonStop> {
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

    fn number(&mut self) -> Result<&'a str, JsonStop> {
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

    fn word(&mut self, word: &str, value: JsonValue<'a>) -> Result<JsonValue<'a>, JsonStop> {
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
        self.faults.push(JsonFault { at, kind });
    }

    fn stop(&mut self, problem: &'static str) -> JsonStop {
        self.fault(self.at.min(self.text.len()), FaultKind::Syntax(problem));
        JsonStop
    }
}
