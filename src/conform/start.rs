//! Why a program does not start, in words: the system says "no such file" about a script whose interpreter is missing.

use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

use crate::system::files;
use crate::visible::excerpt;

/// How much of a program is looked at.
const HEAD: u64 = 256;
/// Exits of a shell that was given a program it cannot run.
const EXITS_OF_SHELLS: &[i32] = &[2, 126, 127];

/// Explains the system's error for this program.
#[must_use]
pub fn fault(program: &Path, error: &io::Error) -> String {
    let head = head(program);
    match error.kind() {
        ErrorKind::NotFound => match (&head, interpreter(head.as_deref().unwrap_or_default())) {
            (None, _) => "the program no longer exists".to_owned(),
            (_, Some(interpreter)) => {
                format!("its first line names `{interpreter}`, which does not exist")
            }
            _ => "its loader does not exist: it was built for another system".to_owned(),
        },
        ErrorKind::PermissionDenied => match interpreter(head.as_deref().unwrap_or_default()) {
            Some(interpreter) => {
                format!(
                    "this user may not execute it, or not `{interpreter}`, which its first line names"
                )
            }
            None => "this user may not execute it".to_owned(),
        },
        ErrorKind::InvalidInput => "an argument or a variable contains a NUL character".to_owned(),
        ErrorKind::ArgumentListTooLong => {
            "its arguments and variables are longer than the system allows".to_owned()
        }
        _ => foreign(program).unwrap_or_else(|| error.to_string()),
    }
}

/// Explains why a shell that ran the program in place of the system failed too: the system passes unknown files to a
/// shell, whose messages about them are misleading.
#[must_use]
pub fn fault_of_shell(program: &Path, exit: Option<i32>) -> Option<String> {
    exit.filter(|exit| EXITS_OF_SHELLS.contains(exit)).and_then(|_| foreign(program))
}

/// Returns the platform for which the program was built, if it is not this machine's.
fn foreign(program: &Path) -> Option<String> {
    let head = head(program)?;
    let other = |what: &str| Some(format!("it is a program for {what}, not for this machine"));
    match head.as_slice() {
        [0x7f, b'E', b'L', b'F', ..] if cfg!(not(target_os = "linux")) => other("Linux"),
        [0x7f, b'E', b'L', b'F', _, order, ..] => {
            let machine = head.get(18..20).and_then(|bytes| bytes.try_into().ok())?;
            let machine =
                if *order == 2 { u16::from_be_bytes(machine) } else { u16::from_le_bytes(machine) };
            let own = own_machine()?;
            (machine != own).then(|| other(machine_name(machine))).flatten()
        }
        [b'M', b'Z', ..] if cfg!(not(windows)) => other("Windows"),
        [0xcf | 0xce, 0xfa, 0xed, 0xfe, ..] | [0xca, 0xfe, 0xba, 0xbe, ..]
            if cfg!(not(target_os = "macos")) =>
        {
            other("macOS")
        }
        [] => Some("it is an empty file".to_owned()),
        _ => None,
    }
}

/// Number of this machine in the head of a program, where it is known.
fn own_machine() -> Option<u16> {
    match () {
        () if cfg!(target_arch = "x86_64") => Some(62),
        () if cfg!(target_arch = "aarch64") => Some(183),
        () if cfg!(target_arch = "riscv64") => Some(243),
        () => None,
    }
}

fn machine_name(machine: u16) -> &'static str {
    match machine {
        3 => "x86 with 32 bits",
        40 => "ARM with 32 bits",
        62 => "x86-64",
        183 => "ARM with 64 bits",
        243 => "RISC-V",
        _ => "another processor architecture",
    }
}

/// The program that runs a script: the one that its first line names, and with `env` the one that is on PATH.
#[must_use]
pub fn interpreter_of(program: &Path) -> Option<std::path::PathBuf> {
    let head = head(program)?;
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line).into_owned();
    let mut words = line.split_whitespace();
    let first = Path::new(words.next()?);
    if !first.ends_with("env") {
        return first.is_absolute().then(|| first.to_owned());
    }
    let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    crate::system::search_path::find(name)
}

/// The interpreter that a script names.
fn interpreter(head: &[u8]) -> Option<String> {
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    let word = line.split_whitespace().next()?;
    Some(excerpt(word, 100))
}

fn head(program: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    files::open_named(program).ok()?.take(HEAD).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes files")]
mod tests {
    use super::*;

    fn of(bytes: &[u8], kind: ErrorKind) -> String {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tool");
        std::fs::write(&path, bytes).unwrap();
        fault(&path, &io::Error::from(kind))
    }

    #[test]
    fn a_missing_interpreter_is_named() {
        let said = of(b"#!/nowhere/python3 -u\nprint()\n", ErrorKind::NotFound);
        assert_eq!(said, "its first line names `/nowhere/python3`, which does not exist");
    }

    #[test]
    fn a_program_for_another_machine_is_recognised() {
        let mut program = b"\x7fELF\x02\x01\x01".to_vec();
        program.resize(18, 0);
        // Sparc: nobody runs these tests there.
        program.extend([2, 0]);
        let said = of(&program, ErrorKind::Other);
        assert!(said.contains("not for this machine"), "{said}");
        assert!(of(b"MZ\x90", ErrorKind::Other).contains("not for this machine"));
        assert_eq!(of(b"", ErrorKind::Other), "it is an empty file");
    }
}
