//! Durations as Go writes them: `500ms`, `10s`, `1m30s`.

/// Reads a duration such as `1m30s`, `250ms` or `2h`; a bare number is seconds. Result in milliseconds; `None` for
/// anything else and for more than about 292 years.
pub fn parse_duration(text: &str) -> Option<u64> {
    if let Ok(seconds) = text.parse::<u64>() {
        return seconds.checked_mul(1000);
    }
    let mut rest = text;
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
        let (number, tail) = rest.split_at_checked(digits)?;
        let letters = tail.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (unit, tail) = tail.split_at_checked(letters)?;
        let factor: u64 = match unit {
            "ms" => 1,
            "s" => 1000,
            "m" => 60_000,
            "h" => 3_600_000,
            _ => return None,
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let thousandths: u64 = match fraction.get(..fraction.len().min(3))? {
            "" => 0,
            digits => format!("{digits:0<3}").parse().ok()?,
        };
        let part = whole.checked_mul(factor)?.checked_add(thousandths.checked_mul(factor)? / 1000)?;
        total = total.checked_add(part)?;
        rest = tail;
    }
    (!text.is_empty() && total < 1 << 53).then_some(total)
}

/// Writes milliseconds as [`parse_duration`] reads them: `90500` is `1m30.5s`.
pub fn format_duration(ms: u64) -> String {
    let (hours, minutes, rest) = (ms / 3_600_000, ms / 60_000 % 60, ms % 60_000);
    let mut text = String::new();
    if hours > 0 {
        text += &format!("{hours}h");
    }
    if minutes > 0 {
        text += &format!("{minutes}m");
    }
    if rest > 0 || text.is_empty() {
        let fraction = format!("{:03}", rest % 1000);
        let fraction = fraction.trim_end_matches('0');
        text += &format!("{}{}{fraction}s", rest / 1000, if fraction.is_empty() { "" } else { "." });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_go_writes_them() {
        for (text, ms) in [
            ("10s", 10_000),
            ("1m30s", 90_000),
            ("250ms", 250),
            ("1.5s", 1500),
            ("2h", 7_200_000),
            ("7", 7000),
            ("0s", 0),
        ] {
            assert_eq!(parse_duration(text), Some(ms), "{text}");
        }
        for bad in ["", "s", "1x", "-1s", "1..s", ".", "9999999999999999h", "1m 2s", "é"] {
            assert_eq!(parse_duration(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        for (ms, text) in [(0, "0s"), (90_500, "1m30.5s"), (60_000, "1m"), (3_600_007, "1h0.007s")] {
            assert_eq!(format_duration(ms), text);
            assert_eq!(parse_duration(text), Some(ms));
        }
    }
}
