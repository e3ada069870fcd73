//! What a scalar's text means to Go: YAML 1.1 booleans, base-0 integers, floats, null; and Go's ways of writing numbers
//! and values back. Follows go.yaml.in/yaml/v2 resolve.go, encoding/json encode.go floatEncoder and strconv.

use serde_json::Number;
use std::fmt::Write as _;

/// The value of a scalar.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    Null,
    Bool(bool),
    Int(i64),
    /// An integer above `i64::MAX`.
    Uint(u64),
    Float(f64),
    Text,
}

impl Scalar {
    /// The short form of the YAML tag: `!!bool` and so on.
    pub fn tag(&self) -> &'static str {
        match self {
            Scalar::Null => "!!null",
            Scalar::Bool(_) => "!!bool",
            Scalar::Int(_) | Scalar::Uint(_) => "!!int",
            Scalar::Float(_) => "!!float",
            Scalar::Text => "!!str",
        }
    }
}

/// The value of an unquoted, untagged scalar. `label: on` is a boolean, `08` the float 8, `2020-01-01` stays text.
pub fn resolve(text: &str) -> Scalar {
    let Some(&first) = text.as_bytes().first() else {
        return Scalar::Null;
    };
    match first {
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => resolve_word(text),
        b'.' => resolve_special_float(text)
            .or_else(|| is_yaml_float(text).then(|| parse_float(text)).flatten())
            .map_or(Scalar::Text, Scalar::Float),
        b'+' | b'-' | b'0'..=b'9' => resolve_number(text),
        _ => Scalar::Text,
    }
}

fn resolve_word(text: &str) -> Scalar {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Scalar::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Scalar::Bool(false),
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        _ => Scalar::Text,
    }
}

fn resolve_special_float(text: &str) -> Option<f64> {
    match text {
        ".nan" | ".NaN" | ".NAN" => Some(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Some(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

fn resolve_number(text: &str) -> Scalar {
    if let Some(float) = resolve_special_float(text) {
        return Scalar::Float(float);
    }
    let plain = text.replace('_', "");
    let (negative, digits) = match plain.as_bytes().first() {
        Some(b'-') => (true, plain.get(1..).unwrap_or("")),
        Some(b'+') => (false, plain.get(1..).unwrap_or("")),
        _ => (false, plain.as_str()),
    };
    if let Some(magnitude) = parse_base_zero(digits) {
        if negative {
            if let Some(value) = 0i64.checked_sub_unsigned(magnitude) {
                return Scalar::Int(value);
            }
        } else if let Ok(value) = i64::try_from(magnitude) {
            return Scalar::Int(value);
        } else if plain == digits {
            // Go's unsigned parser takes no sign.
            return Scalar::Uint(magnitude);
        }
    }
    if is_yaml_float(&plain) {
        return parse_float(&plain).map_or(Scalar::Text, Scalar::Float);
    }
    Scalar::Text
}

/// Go's base 0: `0x`, `0o`, `0b` (either case), a leading 0 for octal, else decimal. No sign, no underscores.
fn parse_base_zero(digits: &str) -> Option<u64> {
    let prefixed = |prefix: [&str; 2]| prefix.iter().find_map(|prefix| digits.strip_prefix(prefix));
    let (radix, digits) = if let Some(rest) = prefixed(["0x", "0X"]) {
        (16, rest)
    } else if let Some(rest) = prefixed(["0o", "0O"]) {
        (8, rest)
    } else if let Some(rest) = prefixed(["0b", "0B"]) {
        (2, rest)
    } else if digits.len() > 1 && digits.starts_with('0') {
        (8, digits.get(1..).unwrap_or(""))
    } else {
        (10, digits)
    };
    // Rust would take a sign here.
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    u64::from_str_radix(digits, radix).ok()
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`
fn is_yaml_float(text: &str) -> bool {
    let rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(rest);
    let mut rest = rest.get(whole..).unwrap_or("");
    if let Some(after_dot) = rest.strip_prefix('.') {
        let fraction = digits(after_dot);
        if whole == 0 && fraction == 0 {
            return false;
        }
        rest = after_dot.get(fraction..).unwrap_or("");
    } else if whole == 0 {
        return false;
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

/// Go refuses what overflows.
fn parse_float(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|value| value.is_finite())
}

/// The number as it reaches the API server: kubectl keeps integers within i64 and turns all else into floats, and a
/// float that Go writes without fraction is read back as an integer. None for NaN and infinities.
pub fn json_number(value: f64) -> Option<Number> {
    let text = go_json_float(value)?;
    match text.parse::<i64>() {
        Ok(integer) => Some(integer.into()),
        Err(_) => Number::from_f64(value),
    }
}

/// A number as Go's encoding/json writes it, for messages such as `cannot unmarshal number 1.5 into …`.
pub fn go_number_text(number: &Number) -> String {
    if number.is_f64() {
        number.as_f64().and_then(go_json_float).unwrap_or_else(|| number.to_string())
    } else {
        number.to_string()
    }
}

/// A float as Go's encoding/json writes it: the shortest digits, an exponent only below 1e-6 and from 1e21.
fn go_json_float(value: f64) -> Option<String> {
    if !value.is_finite() {
        return None;
    }
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-6..1e21).contains(&magnitude) {
        let text = format!("{value:e}");
        return Some(match text.split_once('e') {
            Some((digits, exponent)) if !exponent.starts_with('-') => {
                format!("{digits}e+{exponent}")
            }
            _ => text,
        });
    }
    Some(format!("{value}"))
}

/// Go's `strconv.FormatFloat(value, 'g', -1, 32)`: what a float becomes as a key.
pub fn go_float_key(value: f64) -> String {
    if value.is_nan() {
        return ".nan".to_owned();
    }
    #[allow(clippy::cast_possible_truncation)]
    let narrow = value as f32;
    if narrow.is_infinite() {
        return if narrow > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    go_shortest(&format!("{narrow:e}"), &format!("{narrow}"))
}

/// Go's %g with the shortest digits: an exponent below 1e-4 and from 1e6.
fn go_shortest(scientific: &str, decimal: &str) -> String {
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return decimal.to_owned();
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        return decimal.to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

/// A number as go-yaml writes it: integers in full, other floats as %g.
pub fn go_float_text(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() => {
            let text = go_json_float(float).unwrap_or_else(|| number.to_string());
            match resolve(&text) {
                Scalar::Int(_) | Scalar::Uint(_) => text,
                _ => go_shortest(&format!("{float:e}"), &format!("{float}")),
            }
        }
        _ => number.to_string(),
    }
}

/// Whether go-yaml takes an unquoted text for a point in time (it stays text, but is quoted when written):
/// `2006-1-2`, `2006-1-2 15:4:5.9` or `2006-1-2T15:4:5.9+07:00`.
pub fn is_timestamp(text: &str) -> bool {
    let mut rest = text;
    let Some(date) = take_number(&mut rest, 4..=4).and_then(|year| {
        let month = rest.strip_prefix('-').and_then(|after| take_from(&mut rest, after, 1..=2))?;
        let day = rest.strip_prefix('-').and_then(|after| take_from(&mut rest, after, 1..=2))?;
        Some((year, month, day))
    }) else {
        return false;
    };
    if !is_date(date) {
        return false;
    }
    let needs_zone = match rest.chars().next() {
        None => return true,
        Some('T' | 't') => true,
        Some(' ') => false,
        Some(_) => return false,
    };
    rest = rest.get(1..).unwrap_or("");
    let Some(clock) = take_number(&mut rest, 1..=2).and_then(|hour| {
        let minute = rest.strip_prefix(':').and_then(|after| take_from(&mut rest, after, 1..=2))?;
        let second = rest.strip_prefix(':').and_then(|after| take_from(&mut rest, after, 1..=2))?;
        Some((hour, minute, second))
    }) else {
        return false;
    };
    if clock.0 >= 24 || clock.1 >= 60 || clock.2 >= 60 {
        return false;
    }
    if let Some(after) = rest.strip_prefix(['.', ',']) {
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            if digits > 9 {
                return false;
            }
            rest = after.get(digits..).unwrap_or("");
        }
    }
    if needs_zone { is_zone(rest) } else { rest.is_empty() }
}

fn take_from<'t>(rest: &mut &'t str, after: &'t str, lengths: std::ops::RangeInclusive<usize>) -> Option<u32> {
    *rest = after;
    take_number(rest, lengths)
}

/// As many digits as there are, but no more than the longest length.
fn take_number(rest: &mut &str, lengths: std::ops::RangeInclusive<usize>) -> Option<u32> {
    let digits = rest.bytes().take(*lengths.end()).take_while(u8::is_ascii_digit).count();
    if !lengths.contains(&digits) {
        return None;
    }
    let (number, after) = rest.split_at_checked(digits)?;
    *rest = after;
    number.parse().ok()
}

fn is_date((year, month, day): (u32, u32, u32)) -> bool {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=days).contains(&day)
}

fn is_zone(text: &str) -> bool {
    if text == "Z" {
        return true;
    }
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or("");
    let hour = take_number(&mut rest, 2..=2);
    let minute = rest.strip_prefix(':').and_then(|after| take_from(&mut rest, after, 2..=2));
    hour.is_some_and(|hour| hour <= 24) && minute.is_some_and(|minute| minute <= 60) && rest.is_empty()
}

/// Go's `%#v` of a value that YAML decoded into `interface{}`, as it stands in "invalid map key: …".
pub fn go_syntax(value: &serde_json::Value, out: &mut String) {
    match value {
        serde_json::Value::Null => out.push_str("interface {}(nil)"),
        serde_json::Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        serde_json::Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => {
                out.push_str(&go_shortest(&format!("{float:e}"), &format!("{float}")));
            }
            _ => out.push_str(&number.to_string()),
        },
        serde_json::Value::String(text) => go_quote(text, out),
        serde_json::Value::Array(items) => {
            out.push_str("[]interface {}{");
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                go_syntax(item, out);
            }
            out.push('}');
        }
        serde_json::Value::Object(entries) => {
            out.push_str("map[interface {}]interface {}{");
            for (index, (key, value)) in entries.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                go_quote(key, out);
                out.push(':');
                go_syntax(value, out);
            }
            out.push('}');
        }
    }
}

/// Go's `strconv.Quote`, with Rust's idea of what can be printed.
pub fn go_quote(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            '\0'..='\u{1f}' | '\u{7f}' => {
                let _ = write!(out, "\\x{:02x}", u32::from(character));
            }
            '\u{80}'..='\u{a0}' | '\u{ad}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_scalars_as_go_yaml_does() {
        use Scalar::*;
        for (text, expected) in [
            ("", Null),
            ("~", Null),
            ("null", Null),
            ("nULL", Text),
            ("yes", Bool(true)),
            ("y", Bool(true)),
            ("N", Bool(false)),
            ("oN", Text),
            ("off", Bool(false)),
            ("True", Bool(true)),
            ("tRUE", Text),
            ("12", Int(12)),
            ("+12", Int(12)),
            ("-12", Int(-12)),
            ("012", Int(10)),
            ("08", Float(8.0)),
            ("0o17", Int(15)),
            ("0O17", Int(15)),
            ("0x1F", Int(31)),
            ("-0x10", Int(-16)),
            ("0b101", Int(5)),
            ("-0b1", Int(-1)),
            ("0x", Text),
            ("0b2", Text),
            ("1_000", Int(1000)),
            ("_1", Text),
            ("0_", Int(0)),
            ("1e3", Float(1000.0)),
            ("1.", Float(1.0)),
            (".5", Float(0.5)),
            ("+.5", Float(0.5)),
            (".", Text),
            (".5.5", Text),
            ("1e", Text),
            ("1e999", Text),
            ("1.2.3", Text),
            ("10.0.0.1", Text),
            ("1:30", Text),
            ("100m", Text),
            ("-", Text),
            ("+", Text),
            ("--1", Text),
            ("-+1", Text),
            ("0x-1", Text),
            ("2020-01-01", Text),
            (".inf", Float(f64::INFINITY)),
            ("-.INF", Float(f64::NEG_INFINITY)),
            ("9223372036854775807", Int(i64::MAX)),
            ("-9223372036854775808", Int(i64::MIN)),
            ("9223372036854775808", Uint(9_223_372_036_854_775_808)),
            ("18446744073709551616", Float(18_446_744_073_709_551_616.0)),
            ("-9223372036854775809", Float(-9_223_372_036_854_775_809.0)),
            ("<<", Text),
            ("infinity", Text),
        ] {
            assert_eq!(resolve(text), expected, "{text:?}");
        }
        assert!(matches!(resolve(".NaN"), Float(value) if value.is_nan()));
    }

    #[test]
    fn writes_numbers_as_go_does() {
        let text = |value: f64| json_number(value).map(|number| go_number_text(&number));
        assert_eq!(text(1.0).as_deref(), Some("1"));
        assert_eq!(text(1.5).as_deref(), Some("1.5"));
        assert_eq!(text(1e20).as_deref(), Some("100000000000000000000"));
        assert_eq!(text(1e21).as_deref(), Some("1e+21"));
        assert_eq!(text(1.5e-7).as_deref(), Some("1.5e-7"));
        assert_eq!(text(0.000001).as_deref(), Some("0.000001"));
        assert_eq!(text(-0.0).as_deref(), Some("0"));
        assert_eq!(text(f64::NAN), None);
        assert_eq!(json_number(1000.0), Some(1000.into()));
        assert_eq!(go_float_key(1.5), "1.5");
        assert_eq!(go_float_key(1_234_567.5), "1.2345675e+06");
        assert_eq!(go_float_key(0.00001), "1e-05");
        assert_eq!(go_float_key(100_000.0), "100000");
        assert_eq!(go_float_key(f64::INFINITY), ".inf");
    }

    #[test]
    fn knows_timestamps() {
        for text in [
            "2001-12-14",
            "2001-1-2",
            "2001-12-14t21:59:43.10-05:00",
            "2024-02-29T00:00:00Z",
            "2001-12-14 21:59:43.10",
            "2001-12-14 1:2:3",
        ] {
            assert!(is_timestamp(text), "{text}");
        }
        for text in [
            "2001-12",
            "201-12-14",
            "2001-13-14",
            "2023-02-29",
            "2001-12-14T21:59:43",
            "2001-12-14 21:59:43Z",
            "2001-12-14T21:59Z",
            "2001-12-14 24:00:00",
            "2001-12-14x",
            "",
        ] {
            assert!(!is_timestamp(text), "{text}");
        }
    }

    #[test]
    fn writes_values_in_go_syntax() {
        let mut out = String::new();
        go_syntax(&serde_json::json!({".Values.image": null, "a": [1, 1.5, "x\"\n", true]}), &mut out);
        assert_eq!(
            out,
            "map[interface {}]interface {}{\".Values.image\":interface {}(nil), \"a\":[]interface {}{1, 1.5, \"x\\\"\\n\", true}}"
        );
    }
}
