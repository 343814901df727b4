//! What rules need to know about a Python file, found without running or fully parsing it.
//!
//! One pass over the bytes that knows strings, comments, brackets and logical lines; everything else is local look-ahead.
//! Never fails and never panics: on text that is not Python it finds little. Judging what it found is the rules' business.

mod lexical;

use lexical::{Kind, STRING, argument_list, class, contains, word_end};

/// One file's worth of facts, each with its byte offset.
#[derive(Debug, Default)]
pub struct PythonSource<'a> {
    /// Names of environment variables that are read, as far as they are literals.
    pub environment: Vec<(usize, &'a str)>,
    /// Functions that carry decorators.
    pub decorated: Vec<Decorated<'a>>,
    pub notes: Vec<Note<'a>>,
    /// Commands are put together at run time (`add_command`), out of our sight.
    pub adds_commands: bool,
}

#[derive(Debug)]
pub struct Decorated<'a> {
    pub at: usize,
    pub function: &'a str,
    pub decorators: Vec<Decorator<'a>>,
}

/// `@target.method("first", "second", …)`; target is empty for a bare name.
#[derive(Debug)]
pub struct Decorator<'a> {
    pub at: usize,
    pub target: &'a str,
    pub method: &'a str,
    /// Leading string arguments.
    pub strings: Vec<&'a str>,
}

#[derive(Clone, Copy, Debug)]
pub struct Note<'a> {
    pub at: usize,
    /// Function it stands in; empty at module level.
    pub function: &'a str,
    pub what: What<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What<'a> {
    /// A string that is, or ends in, this file name.
    NamesFile(&'a str),
    /// Climbs this many directories above the one that holds the file.
    Climbs(usize),
    /// `node --import tsx`, in one string or as arguments.
    NodeHelper,
    /// `shell=True`, `os.system`, `os.popen`.
    Shell,
    /// A request that may wait for ever.
    NoTimeout,
    /// A time limit, in milliseconds.
    Timeout(usize),
    /// The literal `ready` or `healthy` as a value.
    HealthWord(&'a str),
    /// `__version__ = "…"`.
    Version(&'a str),
    /// Something is written to stdout while the module is imported.
    ModuleOutput,
    /// `base[:4]` or `base[-4:]`.
    Slice(&'a str),
    /// `?name={value` in a URL, or `"name": value` among query parameters.
    Query { name: &'a str, value: &'a str },
}

impl<'a> PythonSource<'a> {
    #[must_use]
    pub fn read(bytes: &'a [u8]) -> Self {
        let scanner = Scanner {
            bytes,
            at: 0,
            depth: 0,
            statement: 0,
            indent: 0,
            fresh: true,
            block: Block::Module,
            function: "",
            decorators: Vec::new(),
            found: PythonSource::default(),
        };
        scanner.scan()
    }
}

/// What the code of a top-level block does when the module is imported.
#[derive(Clone, Copy, PartialEq)]
enum Block {
    /// It runs.
    Module,
    /// It waits for a call.
    Body,
    /// It runs only as a program: `if __name__ == "__main__"`.
    Program,
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    /// Start and indentation of the current logical line, and whether its first token is still to come.
    statement: usize,
    indent: usize,
    fresh: bool,
    block: Block,
    function: &'a str,
    decorators: Vec<Decorator<'a>>,
    found: PythonSource<'a>,
}

impl<'a> Scanner<'a> {
    fn scan(mut self) -> PythonSource<'a> {
        self.measure_indent();
        while let Some(&byte) = self.bytes.get(self.at) {
            match class(byte) {
                Kind::Word => self.words(),
                Kind::Blank => self.at = lexical::blanks_end(self.bytes, self.at),
                Kind::Newline => self.newline(),
                Kind::Quote => self.string(false),
                Kind::Hash => self.skip_comment(),
                Kind::Open => {
                    if byte == b'[' {
                        self.slice(0, self.at, self.bytes);
                    }
                    self.depth += 1;
                    self.step();
                }
                Kind::Close => {
                    self.depth = self.depth.saturating_sub(1);
                    self.step();
                }
                Kind::At if self.fresh => self.decorator(),
                Kind::Backslash if self.bytes.get(self.at + 1) == Some(&b'\n') => self.at += 2,
                _ => self.step(),
            }
        }
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

    fn note(&mut self, at: usize, what: What<'a>) {
        self.found.notes.push(Note { at, function: self.function, what });
    }

    fn text(&self, start: usize, end: usize) -> &'a str {
        let bytes: &'a [u8] = self.bytes;
        bytes.get(start..end).and_then(|part| std::str::from_utf8(part).ok()).unwrap_or("")
    }

    /// First byte at or after `at` that is not blank.
    fn past_blanks(&self, mut at: usize) -> usize {
        while matches!(self.bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            at += 1;
        }
        at
    }

    /// The string literal that starts at `at`, prefix included.
    fn literal_at(&self, at: usize) -> Option<(&'a str, usize)> {
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

    /// Words, as long as only a blank or a dot stands between them.
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
                if next == b' ' && (word.ends_with(b"_ENV") || word == b"__version__") {
                    self.assigned_name(word, end);
                }
            }
            if word.len() >= 5 {
                self.long_word(word, start, next);
            }
            let follows = bytes.get(end + 1).is_some_and(|byte| class(*byte) == Kind::Word);
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
                    self.note(start, What::Shell);
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
            b"system" | b"popen" if self.follows(start, b"os.") => self.note(start, What::Shell),
            b"urlopen" if !self.follows(start, b"def ") => self.request(start, open, 2),
            b"print" | b"StreamHandler" | b"basicConfig" => self.output(word, start, open),
            b"add_command" => self.found.adds_commands = true,
            _ if matches!(self.bytes.get(open + 1), Some(b'"' | b'\'')) => {
                if lexical::names_environment(word) {
                    self.literal_argument(open);
                }
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
                if top || self.block == Block::Module {
                    self.block = Block::Body;
                }
                let decorators = std::mem::take(&mut self.decorators);
                if !decorators.is_empty() {
                    let function = self.function;
                    self.found.decorated.push(Decorated {
                        at: self.statement,
                        function,
                        decorators,
                    });
                }
                return;
            }
            b"async" => return,
            b"class" if top => self.block = Block::Body,
            b"else" | b"elif" | b"except" | b"finally" => {}
            b"if" if top => {
                let line = self.bytes.get(end..(end + 40).min(self.bytes.len()));
                let program = line.is_some_and(|line| contains(line, b"__name__"));
                self.block = if program { Block::Program } else { Block::Module };
            }
            _ if top => self.block = Block::Module,
            _ => {}
        }
        if top {
            self.function = "";
        }
        self.decorators.clear();
    }

    /// `NAME_ENV = "NAME"` declares that an environment variable is read; `__version__ = "…"` a version.
    fn assigned_name(&mut self, word: &[u8], end: usize) {
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
    fn environment_read(&mut self, end: usize) {
        match self.bytes.get(end) {
            Some(b'[') => self.literal_argument(end),
            Some(b'.') => self.literal_argument(word_end(self.bytes, end + 1)),
            _ => {}
        }
    }

    /// The first argument of a call that reads the environment, when it is a literal.
    fn literal_argument(&mut self, open: usize) {
        if matches!(self.bytes.get(open), Some(b'(' | b'[')) {
            let at = self.past_blanks(open + 1);
            if let Some((name, _)) = self.literal_at(at) {
                self.found.environment.push((at, name));
            }
        }
    }

    fn follows(&self, start: usize, before: &[u8]) -> bool {
        self.bytes.get(..start).is_some_and(|head| head.ends_with(before))
    }

    /// `word=value`, with or without blanks.
    fn keyword_is(&self, end: usize, value: &[u8]) -> bool {
        let equals = self.past_blanks(end);
        let at = self.past_blanks(equals + 1);
        self.bytes.get(equals) == Some(&b'=')
            && self.bytes.get(at..).is_some_and(|rest| rest.starts_with(value))
    }

    /// `Path(__file__).parent.parent` and `dirname(dirname(__file__))`.
    fn climbs_from_file(&mut self, start: usize, end: usize) {
        let before = self.bytes.get(self.statement..start).unwrap_or_default();
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
    fn climbs_by_index(&mut self, start: usize, end: usize) {
        let Some((digits, after)) = lexical::digits(self.bytes, end + 1) else { return };
        if self.bytes.get(end) != Some(&b'[') || self.bytes.get(after) != Some(&b']') {
            return;
        }
        let before = self.bytes.get(self.statement..start).unwrap_or_default();
        if digits >= 2 || contains(before, b"__file__") {
            self.note(start, What::Climbs(digits));
        }
    }

    fn requests_call(&mut self, start: usize, end: usize) {
        let method_end = word_end(self.bytes, end + 1);
        let method = self.text(end + 1, method_end);
        let methods = ["get", "post", "put", "patch", "delete", "head", "request"];
        if methods.contains(&method) && self.bytes.get(method_end) == Some(&b'(') {
            self.request(start, method_end, usize::MAX);
        }
    }

    /// A call that waits for the network; `position` is the index of a positional time limit.
    fn request(&mut self, start: usize, open: usize, position: usize) {
        let arguments = argument_list(self.bytes, open);
        let commas = arguments.iter().filter(|byte| **byte == b',').count();
        if !contains(arguments, b"timeout") && !contains(arguments, b"**") && commas < position {
            self.note(start, What::NoTimeout);
        }
    }

    /// `timeout=20`, `TIMEOUT = 20.5`, `timeout: float = 20`.
    fn time_limit(&mut self, end: usize) {
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

    fn output(&mut self, word: &[u8], start: usize, end: usize) {
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
            b"tsx" if contains(bytes.get(self.statement..at).unwrap_or_default(), b"--import") => {
                self.note(at, What::NodeHelper);
            }
            b"ready" | b"healthy" if bytes.get(end) != Some(&b':') => {
                self.note(at, What::HealthWord(self.text(content.start, content.end)));
            }
            b"token" | b"access_token" | b"api_token" | b"api_key" | b"apikey" | b"secret"
            | b"client_secret" | b"password" | b"key" => self.query_pair(at, text.len(), end),
            _ if text.len() > 4 => self.long_string(at, content.start, text, seen),
            _ => {}
        }
        if formatted && seen & STRING::BRACKET != 0 {
            for (open, _) in text.iter().enumerate().filter(|(_, byte)| **byte == b'[') {
                self.slice(content.start, open, text);
            }
        }
    }

    fn long_string(&mut self, at: usize, start: usize, text: &'a [u8], seen: u8) {
        if text.ends_with(b".json") {
            let name = text.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            if matches!(name, b"connector.json" | b"permissions.json") {
                let end = start + text.len();
                self.note(at, What::NamesFile(self.text(end - name.len(), end)));
            }
        }
        if seen & STRING::DOT != 0 && contains(text, b"../..") {
            self.note(at, What::Climbs(lexical::count(text, b"..")));
        }
        if seen & STRING::DASH != 0 && contains(text, b"--import tsx") {
            self.note(at, What::NodeHelper);
        }
        if seen & STRING::QUERY != 0 {
            self.query_string(at, start, text);
        }
    }

    /// `…?token={…`, `…&api_key=` at the end of a string.
    fn query_string(&mut self, at: usize, start: usize, text: &'a [u8]) {
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
    fn query_pair(&mut self, at: usize, length: usize, end: usize) {
        let next = self.past_blanks(end);
        if !matches!(self.bytes.get(next), Some(b':' | b',')) {
            return;
        }
        let start = self.past_blanks(next + 1);
        let mut value_end = word_end(self.bytes, start);
        while self.bytes.get(value_end) == Some(&b'.') {
            value_end = word_end(self.bytes, value_end + 1);
        }
        let before = self.bytes.get(self.statement..at).unwrap_or_default();
        let tail = before.get(before.len().saturating_sub(200)..).unwrap_or_default();
        if [b"param".as_slice(), b"query", b"urlencode"].iter().any(|word| contains(tail, word)) {
            let name = self.text(end - 1 - length, end - 1);
            let value = self.text(start, value_end);
            self.note(at, What::Query { name, value });
        }
    }

    /// `base[:4]` and `base[-4:]`, where `open` is the bracket's place in `text`.
    fn slice(&mut self, offset: usize, open: usize, text: &'a [u8]) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn whats(text: &str) -> Vec<What<'_>> {
        PythonSource::read(text.as_bytes()).notes.into_iter().map(|note| note.what).collect()
    }

    #[test]
    fn literal_names_of_environment_reads_are_found_in_every_spelling() {
        let text = r#"
a = os.environ["A_TOKEN"] + os.environ.get('B_TOKEN', "x") + getenv("C_TOKEN")
D_ENV = "D_TOKEN"
e = service_key_env("E_TOKEN")
"""os.environ["NOT_THIS"]"""
# os.environ["NOR_THIS"]
f = os.environ.get(name)
"#;
        let names: Vec<_> =
            PythonSource::read(text.as_bytes()).environment.into_iter().map(|(_, n)| n).collect();
        assert_eq!(names, ["A_TOKEN", "B_TOKEN", "C_TOKEN", "D_TOKEN", "E_TOKEN"]);
    }

    #[test]
    fn decorators_keep_their_target_and_leading_strings() {
        let text = r#"
@issue_group.command("list-runs")
@click.option("--repo", "repo_name", default=None)
@click.pass_context
def list_runs(ctx): pass

@command("issue.list")
async def run(): pass
"#;
        let found = PythonSource::read(text.as_bytes()).decorated;
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].function, "list_runs");
        assert_eq!(found[0].decorators[0].target, "issue_group");
        assert_eq!(found[0].decorators[0].strings, ["list-runs"]);
        assert_eq!(found[0].decorators[1].strings, ["--repo", "repo_name"]);
        assert_eq!(found[1].decorators[0].method, "command");
        assert_eq!(found[1].function, "run");
    }

    #[test]
    fn masks_urls_and_time_limits_are_noted() {
        assert_eq!(
            whats("def _mask(v):\n    return f\"{v[:4]}***{v[-4:]}\"\n"),
            [What::Slice("v"), What::Slice("v")]
        );
        assert_eq!(whats("x = a[1:4] + b[:-1] + c[:40]\n"), []);
        assert_eq!(
            whats("u = f\"{base}?api_token={self._token}&page={page}\"\n"),
            [
                What::Query { name: "api_token", value: "self._token" },
                What::Query { name: "page", value: "page" }
            ]
        );
        assert_eq!(
            whats("query_params: list = [(\"key\", self._api_key)]\n"),
            [What::Query { name: "key", value: "self._api_key" }]
        );
        assert_eq!(
            whats("T_TIMEOUT: float = 2.5\nf(timeout = 30)\n"),
            [What::Timeout(2500), What::Timeout(30_000)]
        );
        assert_eq!(whats("x = urlopen(request)\ny = urlopen(r, timeout=t)\n"), [What::NoTimeout]);
    }

    #[test]
    fn climbing_out_of_the_package_is_measured() {
        assert_eq!(whats("R = Path(__file__).resolve().parents[6]\n"), [What::Climbs(6)]);
        assert_eq!(whats("R = Path(__file__).parent.parent / 'x'\n"), [What::Climbs(1)]);
        assert_eq!(whats("R = dirname(dirname(dirname(__file__)))\n"), [What::Climbs(2)]);
        assert_eq!(whats("R = Path(__file__).parent / 'x'\n"), []);
    }

    #[test]
    fn output_at_import_time_is_told_from_output_of_a_program() {
        assert_eq!(whats("print('x')\n"), [What::ModuleOutput]);
        assert_eq!(whats("try:\n    import a\nexcept E:\n    print('x')\n"), [What::ModuleOutput]);
        assert_eq!(whats("if __name__ == '__main__':\n    print('x')\n"), []);
        assert_eq!(whats("def f():\n    print('x')\nif a:\n    def g():\n        print(1)\n"), []);
        assert_eq!(whats("print('x', file=sys.stderr)\n"), []);
    }

    #[test]
    fn no_bytes_make_it_panic() {
        let seeds = [
            "@a.b(\"c\", 'd')\ndef f(x): return x[-4:] + os.environ[\"A\"]\n",
            "urlopen(\"?token={a}\", f'{b[:4]}', timeout: float = 3.\n'''\\",
            "if __name__\nPath(__file__).parents[99999999999999999999999]\n\"../..\"",
        ];
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..20_000 {
            let mut bytes = Vec::new();
            for seed in seeds {
                bytes.extend_from_slice(seed.as_bytes());
            }
            for _ in 0..6 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let at = (state >> 33) as usize % bytes.len();
                match state & 3 {
                    0 => bytes[at] = (state >> 8) as u8,
                    1 => bytes.truncate(at.max(1)),
                    _ => drop(bytes.remove(at)),
                }
                if bytes.is_empty() {
                    bytes.push(b'"');
                }
            }
            let _found = PythonSource::read(&bytes);
        }
    }
}
