//! Randomness from the operating system.

/// `N` random bytes.
///
/// # Errors
/// Returns an error if the system has no source of randomness.
pub fn bytes<const N: usize>() -> std::io::Result<[u8; N]> {
    let mut buffer = [0; N];
    getrandom::fill(&mut buffer).map_err(std::io::Error::other)?;
    Ok(buffer)
}
