//! DER, as much as certificates and timestamps need, and the times in them.

pub const DAY: i64 = 86_400;

pub const CODE_SIGNING: &str = "1.3.6.1.5.5.7.3.3";
pub const TIME_STAMPING: &str = "1.3.6.1.5.5.7.3.8";
pub const SERVER_AUTH: &str = "1.3.6.1.5.5.7.3.1";

/// One value: tag, length, content.
pub fn value(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let mut bytes = vec![tag];
    match length {
        0..=127 => {}
        128..=255 => bytes.push(0x81),
        _ => bytes.extend([0x82, (length >> 8) as u8]),
    }
    bytes.push((length & 0xff) as u8);
    bytes.extend_from_slice(content);
    bytes
}

pub fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    value(0x30, &parts.concat())
}

pub fn set(parts: &[&[u8]]) -> Vec<u8> {
    value(0x31, &parts.concat())
}

pub fn octets(bytes: &[u8]) -> Vec<u8> {
    value(0x04, bytes)
}

/// A bit string of whole bytes.
pub fn bits(bytes: &[u8]) -> Vec<u8> {
    value(0x03, &[&[0], bytes].concat())
}

pub fn text(text: &str) -> Vec<u8> {
    value(0x0c, text.as_bytes())
}

/// A small number.
pub fn number(number: u16) -> Vec<u8> {
    let [high, low] = number.to_be_bytes();
    match (high, low) {
        (0, 0..=127) => value(0x02, &[low]),
        (0, _) => value(0x02, &[0, low]),
        _ => value(0x02, &[high, low]),
    }
}

/// An object identifier from its dotted form.
pub fn oid(dotted: &str) -> Vec<u8> {
    let numbers: Vec<u32> = dotted.split('.').map(|part| part.parse().expect("a number")).collect();
    let mut content = vec![(numbers[0] * 40 + numbers[1]) as u8];
    for number in &numbers[2..] {
        // Seven bits a byte, the last one without the mark.
        let mut rest = number >> 7;
        let mut bytes = vec![(number & 0x7f) as u8];
        while rest > 0 {
            bytes.push((rest & 0x7f) as u8 | 0x80);
            rest >>= 7;
        }
        content.extend(bytes.iter().rev());
    }
    value(0x06, &content)
}

fn formatted(seconds: i64, format: &str) -> String {
    let time = jiff::Timestamp::from_second(seconds).expect("a time");
    time.strftime(format).to_string()
}

pub fn utc_time(seconds: i64) -> Vec<u8> {
    value(0x17, formatted(seconds, "%y%m%d%H%M%SZ").as_bytes())
}

pub fn generalized_time(seconds: i64) -> Vec<u8> {
    value(0x18, formatted(seconds, "%Y%m%d%H%M%SZ").as_bytes())
}

pub fn rfc3339(seconds: i64) -> String {
    formatted(seconds, "%Y-%m-%dT%H:%M:%SZ")
}

pub fn ecdsa_with_sha256() -> Vec<u8> {
    sequence(&[&oid("1.2.840.10045.4.3.2")])
}

/// A distinguished name with this common name.
pub fn name(common: &str) -> Vec<u8> {
    let part = |id: &str, value: &str| set(&[&sequence(&[&oid(id), &text(value)])]);
    sequence(&[&part("2.5.4.10", "fake-sigstore"), &part("2.5.4.3", common)])
}

/// An extension of a certificate.
pub fn extension(id: &str, critical: bool, content: &[u8]) -> Vec<u8> {
    let mark: &[u8] = if critical { &[0x01, 0x01, 0xff] } else { &[] };
    sequence(&[&oid(id), mark, &octets(content)])
}
