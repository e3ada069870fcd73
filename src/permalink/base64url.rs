//! Base64 with the alphabet of addresses and without padding (RFC 4648, section 5).

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Writes bytes as text.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3).saturating_mul(4));
    for group in bytes.chunks(3) {
        let mut bits = [0_u8; 3];
        for (bit, byte) in bits.iter_mut().zip(group) {
            *bit = *byte;
        }
        let [a, b, c] = bits;
        let sextets = [a >> 2, (a & 3) << 4 | b >> 4, (b & 15) << 2 | c >> 6, c & 63];
        let digits = sextets.iter().take(group.len() + 1);
        text.extend(digits.filter_map(|sextet| ALPHABET.get(usize::from(*sextet))).map(|digit| char::from(*digit)));
    }
    text
}

/// Reads a text; `Err` is the place of the first character (counted from 0) that cannot be.
pub fn decode(text: &str) -> Result<Vec<u8>, usize> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for (place, digit) in text.bytes().enumerate() {
        bits = bits << 6 | u32::from(value(digit).ok_or(place)?);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).unwrap_or(0));
        }
    }
    // One digit alone is no byte, and what is left over must be empty: each text stands for other bytes.
    if count >= 6 || bits & ((1 << count) - 1) != 0 {
        return Err(text.len().saturating_sub(1));
    }
    Ok(bytes)
}

fn value(digit: u8) -> Option<u8> {
    match digit {
        b'A'..=b'Z' => Some(digit - b'A'),
        b'a'..=b'z' => Some(digit - b'a' + 26),
        b'0'..=b'9' => Some(digit - b'0' + 52),
        b'-' => Some(62),
        b'_' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_vectors_of_the_rfc() {
        let vectors =
            [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("foobar", "Zm9vYmFy")];
        for (plain, coded) in vectors {
            assert_eq!(encode(plain.as_bytes()), coded);
            assert_eq!(decode(coded).as_deref(), Ok(plain.as_bytes()));
        }
        assert_eq!(encode(&[0xfb, 0xff]), "-_8");
    }

    #[test]
    fn every_length_comes_back() {
        let bytes: Vec<u8> = (0..=255).rev().collect();
        for end in 0..bytes.len() {
            assert_eq!(decode(&encode(&bytes[..end])).as_deref(), Ok(&bytes[..end]));
        }
    }

    #[test]
    fn anything_else_is_refused_with_its_place() {
        assert_eq!(decode("Zm9v YmFy"), Err(4));
        assert_eq!(decode("Zg=="), Err(2));
        assert_eq!(decode("Z"), Err(0), "six bits are no byte");
        assert_eq!(decode("Zh"), Err(1), "bits are left over");
        assert_eq!(decode("é"), Err(0));
    }
}
