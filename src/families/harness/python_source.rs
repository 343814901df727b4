//! The facts that rules need about a Python file, found without running or fully parsing it.
//!
//! One pass over the bytes that knows strings, comments, brackets and logical lines; everything else is local look-ahead.
//! Never fails and never panics: on text that is not Python it finds little. Judging what it found is the rules' business.

mod lexical;
mod lookups;
mod scanner;

use std::sync::Arc;

use scanner::Scanner;

use crate::contract::remembered::Remembered;

/// One file's worth of facts, each with its byte offset.
#[derive(Debug, Default)]
pub struct PythonSource<'a> {
    /// Names of environment variables that are read, as far as they are literals.
    pub environment: Vec<(usize, &'a str)>,
    /// Functions that carry decorators.
    pub decorated: Vec<Decorated<'a>>,
    pub notes: Vec<Note<'a>>,
    /// Commands hung into a group by `add_command`.
    pub added: Vec<Added<'a>>,
    /// Commands are put together at run time, out of our sight.
    pub adds_commands: bool,
    /// A bracket is opened and never closed: Python cannot read the file.
    pub unclosed: bool,
    /// Environment variables for which the code has a default address.
    pub defaulted: Vec<&'a str>,
}

/// `target.add_command(command, "name")`; only the last part of dotted names.
#[derive(Debug, Eq, PartialEq)]
pub struct Added<'a> {
    pub target: &'a str,
    pub command: &'a str,
    pub name: Option<&'a str>,
}

#[derive(Debug)]
pub struct Decorated<'a> {
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
    /// The function that contains it; empty at module level.
    pub function: &'a str,
    /// Variable that its statement assigns; empty when there is none.
    pub assigned: &'a str,
    pub what: NoteKind<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoteKind<'a> {
    /// A string that is, or ends in, this file name.
    NamesFile(&'a str),
    /// Climbs this many directories above the one that holds the file.
    Climbs(usize),
    /// `node --import tsx`, in one string or as arguments.
    NodeHelper,
    /// `shell=True`, `os.system`, `os.popen`.
    Shell,
    /// A request that may wait forever.
    NoTimeout,
    /// A time limit, in milliseconds.
    Timeout(usize),
    /// A time limit of a program that is started, in milliseconds.
    ProgramTimeout(usize),
    /// The literal `ready` or `healthy` as a value that is not compared with.
    HealthWord(&'a str),
    /// `__version__ = "…"`.
    Version(&'a str),
    /// Something is written to stdout while the module is imported.
    ModuleOutput,
    /// `base[:4]`, `base[0:4]` or `base[-keep:]`; the length is empty when it is a small number.
    Slice { base: &'a str, length: &'a str },
    /// `{value}` in a part of a URL that is not its query.
    InUrl(&'a str),
    /// `?name={value` in a URL, or `"name": value` among query parameters.
    Query { name: &'a str, value: &'a str },
}

impl<'a> PythonSource<'a> {
    #[must_use]
    pub fn read(bytes: &'a [u8]) -> Self {
        Scanner::new(bytes).scan()
    }

    /// The same; a file with the text of an earlier one is not read again.
    #[must_use]
    pub fn shared(bytes: &'a [u8]) -> Arc<Self> {
        static READ: Remembered<Arc<PythonSource<'static>>> = Remembered::new();
        let text = std::str::from_utf8(bytes).ok();
        let known: Option<Arc<Self>> = text
            .and_then(|text| READ.of(text, |kept| Arc::new(PythonSource::read(kept.as_bytes()))));
        known.unwrap_or_else(|| Arc::new(Self::read(bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whats(text: &str) -> Vec<NoteKind<'_>> {
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
            [NoteKind::Slice { base: "v", length: "" }; 2]
        );
        assert_eq!(
            whats("x = v[0:4] + v[-keep:] + v[:n]\n"),
            ["", "keep", "n"].map(|length| NoteKind::Slice { base: "v", length })
        );
        assert_eq!(
            whats("u = f\"https://h/{{x}}/{quote(self._a)}/{b!r}/{mask(c)}\"\n"),
            [NoteKind::InUrl("self._a"), NoteKind::InUrl("b")]
        );
        assert_eq!(whats("x = a[1:4] + b[:-1] + c[:40]\n"), []);
        assert_eq!(
            whats("u = f\"{base}?api_token={self._token}&page={page}\"\n"),
            [
                NoteKind::Query { name: "api_token", value: "self._token" },
                NoteKind::Query { name: "page", value: "page" }
            ]
        );
        assert_eq!(
            whats("query_params: list = [(\"key\", self._api_key)]\n"),
            [NoteKind::Query { name: "key", value: "self._api_key" }]
        );
        for body in [
            "form = urlencode(\n    {\n        \"client_secret\": self._secret,\n    }\n).encode()\n",
            "payload = parse.urlencode({\"client_secret\": self._secret})\n",
            "return {\n    \"query\": query,\n    \"client_secret\": client_secret,\n}\n",
        ] {
            assert_eq!(whats(body), [], "{body}");
        }
        for query in [
            "url += urlencode({\"token\": self._t})\n",
            "get(\n    url,\n    params={\n        \"token\": self._t,\n    },\n)\n",
        ] {
            assert_eq!(
                whats(query),
                [NoteKind::Query { name: "token", value: "self._t" }],
                "{query}"
            );
        }
        assert_eq!(
            whats("T_TIMEOUT: float = 2.5\nf(timeout = 30)\n"),
            [NoteKind::Timeout(2500), NoteKind::Timeout(30_000)]
        );
        assert_eq!(
            whats("x = urlopen(request)\ny = urlopen(r, timeout=t)\n"),
            [NoteKind::NoTimeout]
        );
    }

    #[test]
    fn commands_that_are_added_are_told_from_those_out_of_sight() {
        let read = |text: &str| {
            let found = PythonSource::read(text.as_bytes());
            let added: Vec<_> = found
                .added
                .iter()
                .map(|a| (a.target.to_owned(), a.command.to_owned(), a.name.map(str::to_owned)))
                .collect();
            (added, found.adds_commands)
        };
        let one = |target: &str, command: &str, name: Option<&str>| {
            (vec![(target.to_owned(), command.to_owned(), name.map(str::to_owned))], false)
        };
        assert_eq!(read("cli.add_command(health)\n"), one("cli", "health", None));
        assert_eq!(read("a.cli.add_command(b.health, \"x\")\n"), one("cli", "health", Some("x")));
        assert_eq!(read("cli.add_command(\n    f, name='x'\n)\n"), one("cli", "f", Some("x")));
        for dynamic in [
            "cli.add_command(make())\n",
            "cli.add_command(f, name)\n",
            "group().add_command(f)\n",
            "cli.command(\"x\")(f)\n",
        ] {
            assert_eq!(read(dynamic), (vec![], true), "{dynamic}");
        }
        assert_eq!(
            read("def add_command(self, f): pass\n@cli.command(\"x\")\ndef f(): pass\n"),
            (vec![], false)
        );
    }

    #[test]
    fn climbing_out_of_the_package_is_measured() {
        assert_eq!(whats("R = Path(__file__).resolve().parents[6]\n"), [NoteKind::Climbs(6)]);
        assert_eq!(whats("R = Path(__file__).parent.parent / 'x'\n"), [NoteKind::Climbs(1)]);
        assert_eq!(whats("R = dirname(dirname(dirname(__file__)))\n"), [NoteKind::Climbs(2)]);
        assert_eq!(whats("R = Path(__file__).parent / 'x'\n"), []);
    }

    #[test]
    fn output_at_import_time_is_told_from_output_of_a_program() {
        assert_eq!(whats("print('x')\n"), [NoteKind::ModuleOutput]);
        assert_eq!(
            whats("try:\n    import a\nexcept E:\n    print('x')\n"),
            [NoteKind::ModuleOutput]
        );
        assert_eq!(whats("if __name__ == '__main__':\n    print('x')\n"), []);
        assert_eq!(whats("def f():\n    print('x')\nif a:\n    def g():\n        print(1)\n"), []);
        assert_eq!(whats("print('x', file=sys.stderr)\n"), []);
    }

    #[test]
    fn a_bracket_that_is_never_closed_hides_nothing_below_it() {
        for next in
            ["def f(): pass\n", "class A: pass\n", "@x\n", "import a\n", "from a import b\n"]
        {
            let text = format!("call(1,\n{next}print('x')\n");
            let found = PythonSource::read(text.as_bytes());
            assert!(found.unclosed, "{next}");
            let whats: Vec<_> = found.notes.iter().map(|note| &note.what).collect();
            assert!(whats.contains(&&NoteKind::ModuleOutput), "{next}: {whats:?}");
        }
        let below = PythonSource::read(b"call(1,\n@app.command('x')\ndef f():\n    print('y')\n");
        assert_eq!(below.decorated.len(), 1);
        assert_eq!(whats("call(1,\ndef f():\n    print('y')\n"), []);
        let closed = PythonSource::read(b"call(1,\n    2)\nprint('x')\n");
        assert!(!closed.unclosed);
        assert!(PythonSource::read(b"call(1,\n").unclosed);
    }

    #[test]
    fn no_bytes_make_it_panic() {
        let seeds = [
            "@a.b(\"c\", 'd')\ndef f(x): return x[-4:] + os.environ[\"A\"]\n",
            "urlopen(\"?token={a}\", f'{b[:4]}', timeout: float = 3.\n'''\\",
            "x.add_command(a, name=\nu = f\"https://{a(b}/{{{c!\" % dict(token=z[0:k][-q:], token\n",
            "if __name__\nPath(__file__).parents[99999999999999999999999]\n\"../..\"",
        ];
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..6_000 {
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
