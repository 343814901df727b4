//! Confirm tokens: keyed, bound to the whole change, expiring (agent-cli §7).
//!
//! Pure: the caller provides the secret and the time, and enforces single use.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::digest::{Digest, hex};

/// Seconds a token lives.
pub const LIFETIME_SECONDS: u64 = 15 * 60;
/// Seconds that a clock may be set back between the two steps.
const SLACK_SECONDS: u64 = 60;
/// Shortest secret that may key a token, in bytes.
pub const MIN_SECRET: usize = 32;

/// The scope of a token. A change of any part results in another token.
#[derive(Clone, Debug)]
pub struct Scope<'a> {
    pub command: &'a str,
    /// Arguments that change what is done, in a fixed order.
    pub arguments: &'a str,
    /// The canonical project root.
    pub root: &'a str,
    pub plan: Digest,
}

/// Why a token is not accepted.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum TokenError {
    #[error("aos did not issue this confirm token on this machine for this exact change")]
    Invalid,
    #[error("the confirm token has expired")]
    Expired,
    #[error("the confirm secret is shorter than 32 bytes")]
    WeakSecret,
}

/// Issues a token for `scope` that is valid until `expires_at` (seconds since the Unix epoch). `nonce`
/// distinguishes it from other tokens for the same change, each of which is valid once.
///
/// # Errors
/// Returns an error if the secret is too short to key anything.
pub fn issue(
    secret: &[u8],
    scope: &Scope<'_>,
    expires_at: u64,
    nonce: u64,
) -> Result<String, TokenError> {
    let code = mac(secret, scope, expires_at, nonce)?.finalize().into_bytes();
    Ok(format!("ct_{expires_at:x}_{nonce:016x}{}", hex(&code[..16])))
}

/// Checks that `token` was issued for `scope` and is still good at `now`.
///
/// # Errors
/// `Invalid` for anything but the exact token of this change, `Expired` from its expiry on.
pub fn verify(secret: &[u8], scope: &Scope<'_>, token: &str, now: u64) -> Result<(), TokenError> {
    let expires_at = expiry(token).ok_or(TokenError::Invalid)?;
    let right = issue(secret, scope, expires_at, nonce(token).ok_or(TokenError::Invalid)?)?;
    // Constant time: the duration does not reveal where they differ.
    let differs =
        right.bytes().zip(token.bytes()).fold(0, |sum, (left, other)| sum | (left ^ other));
    if right.len() != token.len() || differs != 0 {
        return Err(TokenError::Invalid);
    }
    // A clock that was set back must not prolong a token.
    let longest = LIFETIME_SECONDS + SLACK_SECONDS;
    let is_good = now < expires_at && expires_at - now <= longest;
    if is_good { Ok(()) } else { Err(TokenError::Expired) }
}

/// The expiry of `token`, in seconds since the Unix epoch.
#[must_use]
pub fn expiry(token: &str) -> Option<u64> {
    let (expiry, _) = token.strip_prefix("ct_")?.split_once('_')?;
    u64::from_str_radix(expiry, 16).ok()
}

fn nonce(token: &str) -> Option<u64> {
    u64::from_str_radix(token.rsplit('_').next()?.get(..16)?, 16).ok()
}

fn mac(
    secret: &[u8],
    scope: &Scope<'_>,
    expires_at: u64,
    nonce: u64,
) -> Result<Hmac<Sha256>, TokenError> {
    if secret.len() < MIN_SECRET {
        return Err(TokenError::WeakSecret);
    }
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).map_err(|_| TokenError::WeakSecret)?;
    for part in [scope.command, scope.arguments, scope.root, &scope.plan.to_string()] {
        mac.update(&(part.len() as u64).to_be_bytes());
        mac.update(part.as_bytes());
    }
    mac.update(&expires_at.to_be_bytes());
    mac.update(&nonce.to_be_bytes());
    Ok(mac)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8] = b"0123456789abcdef0123456789abcdef";

    fn scope(command: &str) -> Scope<'_> {
        Scope { command, arguments: "--to v1.0.0", root: "/project", plan: Digest::of(b"plan") }
    }

    /// The cases of every language; the layout of the token is our own.
    #[test]
    fn a_token_is_good_for_its_own_change_until_it_expires() {
        let shared = include_str!("../../runtime/fixtures/confirm_tokens.json");
        let shared: serde_json::Value = serde_json::from_str(shared).unwrap();
        let expires = 1_700_000_000;
        let token = issue(SECRET, &scope("sync-spec"), expires, 7).unwrap();
        let check = |text: &str, now: u64| verify(SECRET, &scope("sync-spec"), text, now);
        let rows = |name: &str| shared[name].as_array().unwrap().clone();
        let verdict = |good: bool| if good { Ok(()) } else { Err(TokenError::Expired) };
        for row in rows("after") {
            let now = expires.saturating_add_signed(row[0].as_i64().unwrap());
            assert_eq!(check(&token, now), verdict(row[1] == true), "{row}");
        }
        for row in rows("early") {
            let now = expires - LIFETIME_SECONDS - row[0].as_u64().unwrap();
            assert_eq!(check(&token, now), verdict(row[1] == true), "{row}");
        }
        let body = token.strip_prefix("ct_").unwrap();
        for form in rows("forms") {
            let text = form.as_str().unwrap().replace("{token}", &token).replace("{body}", body);
            assert_eq!(check(&text, expires - 1), Err(TokenError::Invalid), "{text:?}");
        }
    }

    #[test]
    fn a_token_for_anything_else_is_invalid() {
        let token = issue(SECRET, &scope("sync-spec"), 100, 7).unwrap();
        let other = Scope { plan: Digest::of(b"other"), ..scope("sync-spec") };
        assert_eq!(verify(SECRET, &other, &token, 1), Err(TokenError::Invalid));
        assert_eq!(verify(SECRET, &scope("gen"), &token, 1), Err(TokenError::Invalid));
        assert_eq!(
            verify(&[7; 32], &scope("sync-spec"), &token, 1),
            Err(TokenError::Invalid),
            "another machine's secret"
        );
        for forged in
            ["", "ct_", "ct_ff_", "ct_64_00", &token[..token.len() - 1], &token.to_uppercase()]
        {
            assert_eq!(verify(SECRET, &scope("sync-spec"), forged, 1), Err(TokenError::Invalid));
        }
        let prolonged = token.replacen("ct_64_", "ct_ffff_", 1);
        assert_eq!(verify(SECRET, &scope("sync-spec"), &prolonged, 1), Err(TokenError::Invalid));
    }

    #[test]
    fn two_tokens_for_one_change_differ() {
        let token = |nonce| issue(SECRET, &scope("gen"), 100, nonce).unwrap();
        assert_ne!(token(1), token(2));
        assert_eq!(verify(SECRET, &scope("gen"), &token(u64::MAX), 1), Ok(()));
    }

    /// Otherwise one token would be as many as there are nonces, each good once.
    #[test]
    fn a_token_with_another_nonce_is_invalid() {
        let token = issue(SECRET, &scope("gen"), 100, 7).unwrap();
        let other = token.replacen(&format!("_{:016x}", 7), &format!("_{:016x}", 8), 1);
        assert_ne!(token, other);
        assert_eq!(verify(SECRET, &scope("gen"), &other, 1), Err(TokenError::Invalid));
    }

    #[test]
    fn a_short_secret_keys_nothing() {
        assert_eq!(issue(b"short", &scope("gen"), 1, 7), Err(TokenError::WeakSecret));
    }
}
