//! The seal of a journal: keyed with the secret of a machine, bound to one directory and every byte of the journal.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::confirmation::MIN_SECRET;
use super::digest::hex;

/// The seal of `journal` in the directory `root`; `None` when the secret is too short to key anything.
#[must_use]
pub fn seal(secret: &[u8], root: &[u8], id: &str, journal: &[u8]) -> Option<String> {
    if secret.len() < MIN_SECRET {
        return None;
    }
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).ok()?;
    for part in [b"aos journal 2".as_slice(), root, id.as_bytes(), journal] {
        mac.update(&(part.len() as u64).to_be_bytes());
        mac.update(part);
    }
    Some(hex(&mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_is_of_one_machine_one_directory_and_one_journal() {
        let key = [7; 32];
        let right = seal(&key, b"/a", "1", b"x").unwrap();
        assert_eq!(seal(&key, b"/a", "1", b"x").as_ref(), Some(&right));
        for other in [
            seal(&[8; 32], b"/a", "1", b"x"),
            seal(&key, b"/b", "1", b"x"),
            seal(&key, b"/a", "2", b"x"),
            seal(&key, b"/a", "1", b"y"),
            seal(&key, b"/a1", "", b"x"),
        ] {
            assert_ne!(other.unwrap(), right);
        }
        assert_eq!(seal(b"short", b"/a", "1", b"x"), None);
    }
}
