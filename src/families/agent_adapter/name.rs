//! The names of an adapter: the id of its harness, and the Go package in the orchestrator's tree.

use crate::contract::cli_name::{CliName, CliNameError};

/// Packages beside which the adapter is compiled, words that no Go package can have, and names of Windows devices, which
/// no module path can have.
const TAKEN: &str = "\
    main init documentation internal vendor testdata std cmd all activitydispatch activitystate agentbase authprobe \
    binaryutil hooksjson hookutil modelcatalog registry fake adapters ports domain contract agy aider amp auggie \
    autohand claudecode cline codex continueagent copilot crush cursor devin droid goose grok kilocode kimi kiro muse \
    opencode pi primeagent qwen vibe break case chan const continue default defer else fallthrough for func go goto if \
    import interface map package range return select struct switch type var \
    con prn aux nul com0 com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt0 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9";
/// Names that mean something else in the files that import the adapter: packages of the standard library, and names
/// that Go declares itself.
const MEANT: &str = "\
    aes ascii85 asn1 ast atomic base32 base64 big binary bits bufio build bytes bzip2 cgi cgroup cipher cmp color \
    constraint context crc32 crc64 crypto csv debug des doc driver dwarf ecdh ecdsa ed25519 elf embed encoding errors \
    exec expvar fcgi filepath flag flate fmt fnv format fs gob gzip hash heap hex hmac html http httptest httptrace \
    httputil image importer io ioutil iotest iter jpeg json jsonrpc list log lzw macho mail maps maphash math md5 mime \
    multipart net netip os palette parse parser path pem pkix plan9obj plugin png pprof printer quick quotedprintable \
    rand reflect regexp ring rpc rsa runtime scanner sha1 sha256 sha3 sha512 signal slices slog smtp sort sql strconv \
    strings structs suffixarray sync syntax syscall syslog tabwriter tar template testing textproto time tls token \
    trace tzdata types unicode unique unsafe url user utf16 utf8 weak x509 xml zip zlib \
    any append bool byte cap clear close comparable complex complex64 complex128 copy delete error false float32 \
    float64 imag int int8 int16 int32 int64 iota len make max min new nil panic print println real recover rune string \
    true uint uint8 uint16 uint32 uint64 uintptr";
/// The directory of adapters in the module of the orchestrator.
pub const MODULE: &str = "github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/";

/// The id of an adapter. Unlike the name of a tool, it may be a word of Go or of a shell, because it is not a program.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AdapterName(String);

impl AdapterName {
    /// Parses NAME.
    ///
    /// # Errors
    /// Returns an error if it does not have the form of an id.
    pub fn parse(text: &str) -> Result<Self, CliNameError> {
        match CliName::parse(text, false) {
            Ok(_) | Err(CliNameError::Reserved(_)) => Ok(Self(text.to_owned())),
            Err(error) => Err(error),
        }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The Go package: the id without dashes; `agent` is added where the name is taken.
    #[must_use]
    pub fn package(&self) -> String {
        let plain = self.0.replace('-', "");
        let mut unusable = TAKEN.split_whitespace().chain(MEANT.split_whitespace());
        if unusable.any(|name| name == plain) { plain + "agent" } else { plain }
    }

    /// The module path, which is also the place in the orchestrator.
    #[must_use]
    pub fn module(&self) -> String {
        format!("{MODULE}{}", self.package())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_has_a_package_that_go_takes() {
        for (id, package) in [
            ("acme", "acme"),
            ("acme-2", "acme2"),
            ("go", "goagent"),
            ("type", "typeagent"),
            ("test", "test"),
            ("claude-code", "claudecodeagent"),
            ("json", "jsonagent"),
            ("fmt", "fmtagent"),
            ("error", "erroragent"),
            ("con", "conagent"),
            ("com-1", "com1agent"),
            ("nul", "nulagent"),
        ] {
            assert_eq!(AdapterName::parse(id).unwrap().package(), package);
        }
        for bad in ["", "a", "Acme", "a_b", "2b", "a--b", "é1", &"x".repeat(41)] {
            assert!(AdapterName::parse(bad).is_err(), "{bad}");
        }
    }
}
