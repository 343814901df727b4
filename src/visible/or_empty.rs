//! Values in sentences, of which an empty one would leave a gap.

/// The value, or `(empty)`.
#[must_use]
pub fn or_empty(value: &str) -> &str {
    if value.is_empty() { "(empty)" } else { value }
}
