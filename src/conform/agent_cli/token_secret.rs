//! The secret that confirm tokens are keyed with (agent-cli §7): of this machine, private, and never replaced by nothing.

use crate::conform::sandbox::Sandbox;
use crate::system::files::{self, Mode};

use super::fixture::Role;
use super::gate::{meant, token};
use super::lab::{Lab, Outcome, Stop, and, examine};
use super::secrets::files_below;
use super::{PROBE, Probe};

const NAME: &str = "confirm.secret";
const MAX_SECRET: u64 = 64 * 1024;
/// Fewer bytes are no key.
const LEAST: usize = 32;

pub const TOKEN_SECRET: Probe = Probe {
    id: "cli.token-secret",
    section: "§7",
    title: "Tokens are keyed with a private secret of this machine, and without a good one there are none",
    why: "A token that anybody can compute confirms nothing",
    fix: "Create the secret at the first use with mode 0600 and 32 random bytes; fail when it cannot be trusted",
    run: |session| examine(session, token_secret),
    ..PROBE
};

fn token_secret(lab: &Lab<'_>) -> Outcome {
    let sample = lab.sample(Role::Create)?;
    let call = meant(lab, sample, &sample.call());
    let token = token(lab, &call)?;
    let elsewhere =
        Sandbox::new().map_err(|error| Stop::Blocked(format!("there is no sandbox: {error}")))?;
    let before = lab.mutations();
    let shot = lab.elsewhere(&elsewhere, &and(&call, &["--confirm", &token]));
    shot.expect(lab.mutations() == before, "a token of another machine is carried out")?;
    shot.expect_code(&["E_CONFLICT"], "a token of another machine")?;
    let found = files_below(&lab.sandbox.path().join("home"));
    let secret = found.iter().find(|path| path.file_name().is_some_and(|name| name == NAME));
    // The name is an example of the contract; without the file only the behaviour counts.
    let Some(path) = secret else { return Ok(()) };
    let blocked =
        |error: std::io::Error| Stop::Blocked(format!("`{NAME}` cannot be used: {error}"));
    let loaded = files::read(path, MAX_SECRET).map_err(blocked)?;
    shot.expect(loaded.bytes.len() >= LEAST, format!("`{NAME}` has fewer than {LEAST} bytes"))?;
    let is_private = !cfg!(unix) || files::is_private(path).map_err(blocked)?;
    shot.expect(is_private, format!("others can read `{NAME}`"))?;
    files::remove_file(path).map_err(blocked)?;
    files::write_new(path, b"short", Mode::Secret).map_err(blocked)?;
    let shot = lab.call(&and(&call, &["--dry-run"]));
    let has_token = shot.at("/data/confirm_token").is_string();
    shot.expect(!has_token && !shot.is_ok(), format!("a damaged `{NAME}` still gives a token"))
}
