//! Inputs that ask for a secret: other users can see a command line, so none becomes an option.
//!
//! An input for the credential that the client sends anyway is left out; another required secret stops the operation.

use super::model::{ApiInput, Endpoint, InputPlace};
use super::words::folded;
use crate::contract::rules::names;
use crate::reason::Reason;
use crate::visible::excerpt;

/// Names of an input that is the credential of the call itself.
const CREDENTIALS: [&str; 9] = [
    "token",
    "api_token",
    "access_token",
    "auth_token",
    "bearer_token",
    "oauth_token",
    "bot_token",
    "api_key",
    "apikey",
];

/// Takes secrets out of the inputs; `is_public` operations are called without credentials.
///
/// # Errors
/// Returns an error if a secret is required that the client does not send.
pub fn without_secrets(endpoint: &mut Endpoint, is_public: bool) -> Result<(), Reason> {
    let is_secret = |input: &ApiInput| {
        let name = folded(&input.name);
        names::is_secret_option(&name) || name == "oauth_token"
    };
    let is_sent = |input: &ApiInput| !is_public && is_credential(input);
    let mut secrets = endpoint.inputs.iter().filter(|input| is_secret(input));
    if let Some(needed) = secrets.find(|input| input.is_required && !is_sent(input)) {
        return Err(
            format!("it needs the secret `{}` as an input", excerpt(&needed.name, 60)).into()
        );
    }
    let has_body = |inputs: &[ApiInput]| inputs.iter().any(|input| input.place.is_in_body());
    let had_body = has_body(&endpoint.inputs);
    let notes = &mut endpoint.notes;
    endpoint.inputs.retain(|input| {
        if !is_secret(input) {
            return true;
        }
        let name = excerpt(&input.name, 60);
        notes.push(if is_sent(input) {
            format!("`{name}` is the credential, which is sent without an option")
        } else {
            format!("`{name}` is a secret and left out")
        });
        false
    });
    // A form without fields is not sent.
    if had_body && !has_body(&endpoint.inputs) {
        endpoint.content_type.clear();
    }
    Ok(())
}

/// Whether the input is another way to send the credential of the call; in a body only if its help says so, because
/// a body can be about tokens.
fn is_credential(input: &ApiInput) -> bool {
    let says_so = || input.help.to_ascii_lowercase().contains("authentication token");
    CREDENTIALS.contains(&folded(&input.name).as_str())
        && match input.place {
            InputPlace::Header | InputPlace::Query => true,
            InputPlace::Body => says_so(),
            InputPlace::Path | InputPlace::WholeBody => false,
        }
}

/// Whether a parameter is named like a credential: `api_key`, `X-Api-Key`.
pub(super) fn is_key(input: &ApiInput) -> bool {
    let name = folded(&input.name);
    matches!(input.place, InputPlace::Header | InputPlace::Query)
        && CREDENTIALS.contains(&name.strip_prefix("x_").unwrap_or(&name))
}
