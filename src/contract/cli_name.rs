//! The name of an agent-cli tool, and the names derived from it: each is safe as it is in code and in paths.

use super::name::GO_KEYWORDS;

/// Longest name.
const MAX_LENGTH: usize = 40;

/// Keywords of Python; a package cannot be called so.
const PYTHON_KEYWORDS: &str = "\
    and as assert async await break class continue def del elif else except finally for from global if \
    import in is lambda none nonlocal not or pass raise return try while with yield";

/// Modules that come with Python; a package of the same name would take their place.
const PYTHON_MODULES: &str = "\
    abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii \
    bisect builtins bz2 calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys \
    compileall concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses \
    dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno \
    faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt \
    getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp \
    importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox \
    mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt \
    ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools \
    pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd pyclbr pydoc \
    pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select \
    selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 ssl \
    stat statistics string stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny \
    tarfile telnetlib tempfile termios test textwrap this threading time timeit tkinter token tokenize \
    tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib \
    uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp \
    zipfile zipimport zlib zoneinfo";

/// Words that a shell answers by itself.
const SHELL_WORDS: &str = "\
    alias bg bind builtin caller case cd command complete declare dirs do done echo enable esac eval \
    exec exit export false fc fg fi function hash help history jobs kill let local popd printf pushd \
    read set shift source suspend test then times trap true type";

/// Names that Windows keeps for devices.
const DEVICES: &str = "\
    con prn aux nul com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 \
    lpt9";

/// Words that no name of an Agent Skill may hold.
const SKILL_WORDS: &[&str] = &["claude", "anthropic"];

/// The name of a tool: lower-case words of letters and digits joined by single dashes, a letter first.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CliName(String);

/// Why a text is not a name of a tool.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum CliNameError {
    #[error(
        "a name must have 2 to 40 lower-case letters, digits and single dashes, and begin with a letter"
    )]
    Form,
    #[error("it is {0}")]
    Reserved(&'static str),
}

impl CliName {
    /// Parses NAME; `python` says that a Python package gets this name.
    ///
    /// # Errors
    /// Returns an error if it does not have the form, or something else has the name.
    pub fn parse(text: &str, python: bool) -> Result<Self, CliNameError> {
        let word = |word: &str| {
            !word.is_empty()
                && word.chars().all(|symbol| symbol.is_ascii_lowercase() || symbol.is_ascii_digit())
        };
        let formed = (2..=MAX_LENGTH).contains(&text.len())
            && text.starts_with(|first: char| first.is_ascii_lowercase())
            && text.split('-').all(word);
        if !formed {
            return Err(CliNameError::Form);
        }
        match reserved(text, python) {
            Some(owner) => Err(CliNameError::Reserved(owner)),
            None => Ok(Self(text.to_owned())),
        }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `acme_crm`.
    #[must_use]
    pub fn package(&self) -> String {
        self.0.replace('-', "_")
    }

    /// `ACME_CRM`.
    #[must_use]
    pub fn env_prefix(&self) -> String {
        env_prefix(&self.0)
    }

    /// `Acme Crm`.
    #[must_use]
    pub fn title(&self) -> String {
        title(&self.0)
    }

    /// `AcmeCrm`.
    #[must_use]
    pub fn type_name(&self) -> String {
        type_name(&self.0)
    }
}

/// `ACME_CRM` for the words `acme-crm`.
#[must_use]
pub fn env_prefix(name: &str) -> String {
    name.replace('-', "_").to_ascii_uppercase()
}

/// `Acme Crm` for the words `acme-crm`.
#[must_use]
pub fn title(name: &str) -> String {
    words(name).collect::<Vec<_>>().join(" ")
}

/// `AcmeCrm` for the words `acme-crm`.
#[must_use]
pub fn type_name(name: &str) -> String {
    words(name).collect()
}

fn words(name: &str) -> impl Iterator<Item = String> {
    name.split('-').map(|word| {
        let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
        first.to_ascii_uppercase() + rest
    })
}

impl std::fmt::Display for CliName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

fn reserved(name: &str, python: bool) -> Option<&'static str> {
    let among = |words: &str| words.split_whitespace().any(|word| word == name);
    if GO_KEYWORDS.contains(&name) {
        Some("a keyword of Go")
    } else if among(PYTHON_KEYWORDS) {
        Some("a keyword of Python")
    } else if among(SHELL_WORDS) {
        Some("a shell builtin")
    } else if among(DEVICES) {
        Some("a device of Windows")
    } else if SKILL_WORDS.iter().any(|word| name.contains(word)) {
        Some("a name that Agent Skills must not have")
    } else if python && among(PYTHON_MODULES) {
        Some("a module of the Python standard library")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_derived_name_is_an_identifier_of_its_kind() {
        let name = CliName::parse("s3-crm2", true).unwrap();
        assert_eq!(name.package(), "s3_crm2");
        assert_eq!(name.env_prefix(), "S3_CRM2");
        assert_eq!(name.title(), "S3 Crm2");
        assert_eq!(name.type_name(), "S3Crm2");
    }

    #[test]
    fn names_that_something_else_has_are_refused_with_the_owner() {
        for (name, owner) in [
            ("func", "Go"),
            ("lambda", "Python"),
            ("test", "shell"),
            ("nul", "Windows"),
            ("my-claude", "Skill"),
            ("json", "standard library"),
            ("zipfile", "standard library"),
        ] {
            let error = CliName::parse(name, true).unwrap_err().to_string();
            assert!(error.contains(owner), "{name}: {error}");
        }
        assert!(CliName::parse("calendar", false).is_ok());
    }

    #[test]
    fn a_text_of_another_form_is_not_a_name() {
        let long = "x".repeat(41);
        for text in ["", "a", "Acme", "a_b", "a--b", "-a", "a-", "1a", "a.b", "a/b", "é1", &long] {
            assert_eq!(CliName::parse(text, true), Err(CliNameError::Form), "{text}");
        }
    }
}
