//! Sentinel secrets: what a tool gets in place of real ones, and how they are found again in what it says.

use std::collections::BTreeSet;

/// One secret that is none.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Sentinel {
    /// The environment variable that holds it.
    pub name: String,
    pub value: String,
}

/// The form of made-up secrets.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum SecretShape {
    /// Letters and digits, as most tokens are.
    Plain,
    /// With characters that URLs, JSON and shells treat specially.
    Special,
}

/// The number of characters that reveal a part of a secret: at its beginning or end, and anywhere in it.
const PART: usize = 4;
const RUN: usize = 8;

impl Sentinel {
    /// The sentinel of a variable: the same in each run, so that reports are stable, and like nothing else.
    #[must_use]
    pub fn new(name: &str, shape: SecretShape) -> Self {
        use sha2::Digest as _;
        let digest = sha2::Sha256::digest(name.as_bytes());
        let middle: String = digest.iter().take(14).map(|byte| format!("{byte:02x}")).collect();
        let value = match shape {
            SecretShape::Plain => format!("Qz7x{middle}Wk9j"),
            SecretShape::Special => format!("Qz7x/+{}=&%{}\"Wk9j", &middle[..14], &middle[14..]),
        };
        Self { name: name.to_owned(), value }
    }

    /// Every form in which the whole secret may appear.
    fn forms(&self) -> Vec<String> {
        let bytes = self.value.as_bytes();
        let json = serde_json::to_string(&self.value).unwrap_or_default();
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let reversed: String = self.value.chars().rev().collect();
        let mut forms = vec![
            self.value.clone(),
            percent(&self.value),
            percent(&self.value).replace("%2F", "/"),
            percent(&self.value).to_lowercase(),
            json.trim_matches('"').to_owned(),
            self.value.replace('"', "&quot;").replace('&', "&amp;"),
            hex.to_uppercase(),
            hex,
            reversed,
        ];
        forms.extend(base64_cores(bytes));
        forms.dedup();
        forms
    }

    /// Says in which form this secret appears in `text`; `None` if it does not.
    #[must_use]
    pub fn leak(&self, text: &str) -> Option<&'static str> {
        if text.contains(&self.value) {
            return Some("in full");
        }
        if self.forms().iter().any(|form| text.contains(form.as_str())) {
            return Some("encoded");
        }
        let has_part =
            self.parts().iter().any(|part| text.contains(part)) || self.has_run(text.as_bytes());
        has_part.then_some("in part")
    }

    /// The same for any text: random characters may contain four characters of a secret by chance, so its ends count
    /// only as separate words, as masks leave them.
    #[must_use]
    pub fn shows(&self, text: &str) -> Option<&'static str> {
        if text.contains(&self.value) {
            return Some("in full");
        }
        if self.forms().iter().any(|form| text.contains(form.as_str())) {
            return Some("encoded");
        }
        let has_part = self.has_run(text.as_bytes()) || self.has_end(text);
        has_part.then_some("in part")
    }

    fn has_run(&self, text: &[u8]) -> bool {
        let runs: BTreeSet<&[u8]> = self.value.as_bytes().windows(RUN).collect();
        let mut first = [false; 256];
        runs.iter().filter_map(|run| run.first()).for_each(|byte| first[usize::from(*byte)] = true);
        text.windows(RUN).any(|window| first[usize::from(window[0])] && runs.contains(window))
    }

    /// True if one end of the secret appears as a word of its own.
    fn has_end(&self, text: &str) -> bool {
        let is_free = |byte: Option<&u8>| {
            byte.is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b"+/-_=".contains(byte))
        };
        let (bytes, value) = (text.as_bytes(), self.value.as_bytes());
        let [head, tail] = self.parts();
        let heads = text.match_indices(head).any(|(at, _)| {
            let same = bytes[at..].iter().zip(value).take_while(|(one, two)| one == two).count();
            is_free(at.checked_sub(1).and_then(|at| bytes.get(at))) && is_free(bytes.get(at + same))
        });
        let tails = text.match_indices(tail).any(|(at, _)| {
            let end = at + PART;
            let pairs = bytes[..end].iter().rev().zip(value.iter().rev());
            let same = pairs.take_while(|(one, two)| one == two).count();
            is_free(bytes.get(end))
                && is_free(end.checked_sub(same + 1).and_then(|at| bytes.get(at)))
        });
        heads || tails
    }

    /// First and last characters, as masks like `Qz7x***Wk9j` leave them.
    fn parts(&self) -> [&str; 2] {
        [&self.value[..PART], &self.value[self.value.len() - PART..]]
    }

    /// `text` without this secret in any form, nor any part of it: a part is as long as it fits.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        let mut text = text.to_owned();
        let forms = self.forms();
        for form in &forms {
            text = text.replace(form, &format!("<{}>", self.name));
        }
        let covered = self.covered(text.as_bytes(), &forms);
        if !covered.contains(&true) {
            return text;
        }
        let mut redacted = String::with_capacity(text.len());
        let mut was_covered = false;
        for (at, symbol) in text.char_indices() {
            match (covered[at], was_covered) {
                (true, false) => redacted.push_str(&format!("<part of {}>", self.name)),
                (true, true) => {}
                (false, _) => redacted.push(symbol),
            }
            was_covered = covered[at];
        }
        redacted
    }

    /// Marks the bytes that belong to a part of the secret. Forms are ASCII, so a part begins and ends between
    /// characters.
    fn covered(&self, text: &[u8], forms: &[String]) -> Vec<bool> {
        let mut covered = vec![false; text.len()];
        let value = self.value.as_bytes();
        for (at, window) in text.windows(PART).enumerate() {
            if window == &value[..PART] {
                let length = text[at..].iter().zip(value).take_while(|(one, two)| one == two);
                let length = length.count();
                covered[at..at + length].fill(true);
            }
            if window == &value[value.len() - PART..] {
                let end = at + PART;
                let before = text[..end].iter().rev().zip(value.iter().rev());
                let length = before.take_while(|(one, two)| one == two).count();
                covered[end - length..end].fill(true);
            }
        }
        let runs: BTreeSet<&[u8]> =
            forms.iter().flat_map(|form| form.as_bytes().windows(RUN)).collect();
        for (at, window) in text.windows(RUN).enumerate() {
            if runs.contains(window) {
                covered[at..at + RUN].fill(true);
            }
        }
        covered
    }
}

/// A text in percent-encoding.
#[must_use]
pub fn percent(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

/// Returns the parts of the Base64 of `bytes` that are the same at each of the three offsets at which `bytes` may begin
/// inside other data.
fn base64_cores(bytes: &[u8]) -> Vec<String> {
    (0..3)
        .flat_map(|shift| {
            let mut shifted = vec![0; shift];
            shifted.extend_from_slice(bytes);
            let encoded = base64(&shifted);
            // Characters at both ends depend on the neighbours.
            let start = [0, 2, 3][shift];
            let end = shifted.len() * 8 / 6;
            let core = encoded.get(start..end).unwrap_or_default().to_owned();
            [core.replace('+', "-").replace('/', "_"), core]
        })
        .collect()
}

/// Base64 without padding.
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, byte| group << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for index in 0..=chunk.len() {
            let digit = group >> (18 - 6 * index) & 63;
            text.push(char::from(ALPHABET[digit as usize]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        assert_eq!(
            ["", "f", "fo", "foo", "foob"].map(|text| base64(text.as_bytes())),
            ["", "Zg", "Zm8", "Zm9v", "Zm9vYg"]
        );
    }

    #[test]
    fn a_secret_is_found_whole_encoded_and_in_part() {
        for shape in [SecretShape::Plain, SecretShape::Special] {
            let secret = Sentinel::new("ACME_TOKEN", shape);
            let basic = base64(format!("user:{}", secret.value).as_bytes());
            let encoded = [percent(&secret.value), basic, base64(secret.value.as_bytes())];
            assert_eq!(secret.leak(&format!("x {} y", secret.value)), Some("in full"));
            for text in &encoded {
                assert!(secret.leak(text).is_some(), "{text}");
                assert!(secret.leak(&secret.redact(text)).is_none(), "{text}");
            }
            assert_eq!(secret.leak("Qz7x***"), Some("in part"));
            assert_eq!(secret.leak("***Wk9j"), Some("in part"));
            assert_eq!(secret.leak("set"), None);
        }
    }

    #[test]
    fn the_beginning_or_end_of_a_secret_counts_as_a_separate_word() {
        for shape in [SecretShape::Plain, SecretShape::Special] {
            let secret = Sentinel::new("ACME_TOKEN", shape);
            let value = &secret.value;
            for text in ["Qz7x***", "\"***Wk9j\"", "Wk9j", "token Qz7x..."] {
                assert_eq!(secret.shows(text), Some("in part"), "{text}");
            }
            let masked = format!("Bearer {}***", &value[..6]);
            assert_eq!(secret.shows(&masked), Some("in part"));
            assert_eq!(secret.shows(&format!("x{value}y")), Some("in full"));
            assert_eq!(secret.shows(&base64(value.as_bytes())), Some("encoded"));
            for text in ["ct_aQz7xb", "aGVsbG8Wk9jx", "nothing"] {
                assert_eq!(secret.shows(text), None, "{text}");
            }
        }
    }

    #[test]
    fn the_longest_matching_part_of_a_secret_is_redacted() {
        for shape in [SecretShape::Plain, SecretShape::Special] {
            let secret = Sentinel::new("ACME_TOKEN", shape);
            let (length, value) = (secret.value.len(), secret.value.as_str());
            for text in [
                format!("Bearer {}***", &value[..20]),
                format!("Bearer ***{}", &value[length - 20..]),
                format!("é{}é", &value[6..18]),
                format!("{} and {}", &value[..9], &value[length - 9..]),
            ] {
                let redacted = secret.redact(&text);
                assert!(redacted.contains("<part of ACME_TOKEN>"), "{text}: {redacted}");
                let rest = redacted.replace("<part of ACME_TOKEN>", "");
                let rest = rest.replace("Bearer ", "").replace(" and ", "");
                assert_eq!(rest.trim_matches(['*', 'é']), "", "{text}: {redacted}");
                assert_eq!(secret.leak(&text), Some("in part"), "{text}");
            }
            let whole = base64(value.as_bytes());
            assert!(!secret.redact(&whole[..30]).contains(&whole[4..12]));
            assert_eq!(secret.redact("deadbeef of no secret"), "deadbeef of no secret");
        }
    }
}
