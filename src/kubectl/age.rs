//! Durations and times as kubectl prints them.

use crate::objects::Time;

/// A duration in seconds, the shorter the coarser: `5s`, `3m29s`, `4h`, `2d3h`.
///
/// Follows kubernetes apimachinery pkg/util/duration HumanDuration, v1.36.
pub fn human_duration(seconds: i64) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    const YEAR: i64 = 365 * DAY;
    let two = |big: i64, big_unit: char, small: i64, small_unit: char| match small {
        0 => format!("{big}{big_unit}"),
        _ => format!("{big}{big_unit}{small}{small_unit}"),
    };
    match seconds {
        ..-1 => "<invalid>".into(),
        -1 => "0s".into(),
        s if s < 2 * MINUTE => format!("{s}s"),
        s if s < 10 * MINUTE => two(s / MINUTE, 'm', s % MINUTE, 's'),
        s if s < 3 * HOUR => format!("{}m", s / MINUTE),
        s if s < 8 * HOUR => two(s / HOUR, 'h', s % HOUR / MINUTE, 'm'),
        s if s < 2 * DAY => format!("{}h", s / HOUR),
        s if s < 8 * DAY => two(s / DAY, 'd', s % DAY / HOUR, 'h'),
        s if s < 2 * YEAR => format!("{}d", s / DAY),
        s if s < 8 * YEAR => two(s / YEAR, 'y', s % YEAR / DAY, 'd'),
        s => format!("{}y", s / YEAR),
    }
}

/// How long ago; `<unknown>` without a time.
pub fn age(since: Option<Time>, now: Time) -> String {
    since.map_or_else(|| "<unknown>".into(), |since| human_duration(now.seconds_since(since)))
}

/// RFC 1123 with a numeric zone: `Mon, 30 Nov 2026 01:05:30 +0000`.
pub fn long_time(time: Time) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let text = time.to_string();
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or("");
    let weekday = usize::try_from(time.0.div_euclid(86_400).rem_euclid(7)).unwrap_or(0);
    let month: usize = part(5, 7).parse().unwrap_or(1);
    let day_name = DAYS.get(weekday).copied().unwrap_or("");
    let month_name = MONTHS.get(month.saturating_sub(1)).copied().unwrap_or("");
    format!("{day_name}, {} {month_name} {} {} +0000", part(8, 10), part(0, 4), part(11, 19))
}

/// Reads a Go duration (`1m30s`, `500ms`, `7s`) as seconds, rounded up. A bare number is not one.
pub fn parse_duration(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    let mut nanos: f64 = 0.0;
    let mut any = false;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at_checked(digits)?;
        let value: f64 = number.parse().ok()?;
        let unit_end = tail.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(tail.len());
        let (unit, tail) = tail.split_at_checked(unit_end)?;
        nanos += value
            * match unit {
                "ns" => 1.0,
                "us" | "µs" => 1e3,
                "ms" => 1e6,
                "s" => 1e9,
                "m" => 60e9,
                "h" => 3600e9,
                _ => return None,
            };
        any = true;
        rest = tail;
    }
    let seconds = (nanos / 1e9).ceil();
    if !any || !(0.0..9e15).contains(&seconds) {
        return None;
    }
    // In range by the check above.
    let seconds = seconds as i64;
    Some(if negative { -seconds } else { seconds })
}

/// A duration as Go prints it: `7s`, `1m0s`, `1h2m3s`.
pub fn go_duration(seconds: i64) -> String {
    match seconds {
        s if s < 0 => format!("-{}", go_duration(s.saturating_neg())),
        s if s < 60 => format!("{s}s"),
        s if s < 3600 => format!("{}m{}s", s / 60, s % 60),
        s => format!("{}h{}m{}s", s / 3600, s % 3600 / 60, s % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_read_as_kubectl_prints_them() {
        for (seconds, text) in [
            (-2, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (209, "3m29s"),
            (599, "9m59s"),
            (600, "10m"),
            (10_799, "179m"),
            (10_800, "3h"),
            (14_460, "4h1m"),
            (172_799, "47h"),
            (183_600, "2d3h"),
            (691_200, "8d"),
            (63_072_000, "2y"),
            (64_000_000, "2y10d"),
        ] {
            assert_eq!(human_duration(seconds), text);
        }
    }

    #[test]
    fn times_and_durations() {
        assert_eq!(long_time(Time::parse("2026-11-30T01:05:30Z").unwrap()), "Mon, 30 Nov 2026 01:05:30 +0000");
        assert_eq!(long_time(Time(0)), "Thu, 01 Jan 1970 00:00:00 +0000");
        for (text, seconds) in
            [("7s", Some(7)), ("1m30s", Some(90)), ("500ms", Some(1)), ("0", Some(0)), ("-1s", Some(-1))]
        {
            assert_eq!(parse_duration(text), seconds, "{text}");
        }
        for bad in ["", "7", "s", "7x", "1s2", "99999999999999999h"] {
            assert_eq!(parse_duration(bad), None, "{bad}");
        }
        assert_eq!(go_duration(3723), "1h2m3s");
    }
}
