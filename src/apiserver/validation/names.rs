//! Rules for names, labels, ports and addresses. Every function answers the messages for a bad value, none for a good
//! one.
//!
//! Follows kubernetes apimachinery pkg/util/validation and pkg/api/validation, v1.36.
use std::net::IpAddr;

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN: &str = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const QUALIFIED: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const QUALIFIED_MESSAGE: &str =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/// The message for a text that does not match a pattern: what it must be, examples, the pattern.
fn pattern(message: &str, pattern: &str, examples: &[&str]) -> String {
    if examples.is_empty() {
        return format!("{message} (regex used for validation is '{pattern}')");
    }
    let examples: Vec<String> = examples.iter().map(|e| format!("'{e}', ")).collect();
    format!("{message} (e.g. {}regex used for validation is '{pattern}')", examples.join(" or "))
}

fn too_long(most: usize) -> String {
    format!("must be no more than {most} characters")
}

fn in_range(low: i64, high: i64) -> String {
    format!("must be between {low} and {high}, inclusive")
}

/// Starts and ends with a character of `edge`, has only those of `inner` between.
fn framed(text: &str, edge: impl Fn(u8) -> bool, inner: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    match (bytes.first(), bytes.last()) {
        (Some(first), Some(last)) => edge(*first) && edge(*last) && bytes.iter().all(|b| edge(*b) || inner(*b)),
        _ => false,
    }
}

fn lower_alphanumeric(b: u8) -> bool {
    b.is_ascii_lowercase() || b.is_ascii_digit()
}

fn is_label_text(text: &str) -> bool {
    framed(text, lower_alphanumeric, |b| b == b'-')
}

fn is_subdomain_text(text: &str) -> bool {
    text.split('.').all(is_label_text)
}

fn is_qualified_text(text: &str) -> bool {
    framed(text, |b| b.is_ascii_alphanumeric(), |b| matches!(b, b'-' | b'_' | b'.'))
}

/// A DNS label: lower case, digits and dashes, at most 63.
pub fn dns1123_label(text: &str) -> Vec<String> {
    let mut messages = Vec::new();
    if text.len() > 63 {
        messages.push(too_long(63));
    }
    if !is_label_text(text) {
        messages.push(if is_subdomain_text(text) {
            "must not contain dots".into()
        } else {
            pattern(
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
                LABEL,
                &["my-name", "123-abc"],
            )
        });
    }
    messages
}

/// A DNS subdomain: labels joined by dots, at most 253.
pub fn dns1123_subdomain(text: &str) -> Vec<String> {
    let mut messages = Vec::new();
    if text.len() > 253 {
        messages.push(too_long(253));
    }
    if !is_subdomain_text(text) {
        messages.push(pattern(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
            SUBDOMAIN,
            &["example.com"],
        ));
    }
    messages
}

/// A DNS subdomain whose labels may also contain underscores.
pub fn dns1123_subdomain_with_underscore(text: &str) -> Vec<String> {
    let mut messages = Vec::new();
    if text.len() > 253 {
        messages.push(too_long(253));
    }
    let part = |part: &str| framed(part, lower_alphanumeric, |b| b == b'-' || b == b'_') || part.starts_with('_');
    let ends_well = |part: &str| part.bytes().last().is_some_and(lower_alphanumeric);
    let inner = |part: &str| part.bytes().all(|b| lower_alphanumeric(b) || b == b'-' || b == b'_');
    if !text.split('.').all(|p| part(p) && ends_well(p) && inner(p)) {
        messages.push(pattern(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
            r"[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*",
            &["example.com"],
        ));
    }
    messages
}

/// A name that will get a suffix may end with a dash.
fn masked(name: &str, prefix: bool) -> String {
    match name.strip_suffix('-') {
        Some(rest) if prefix && name.len() > 1 => {
            // As in Go: the dash and the character before it become one letter.
            let mut chars = rest.chars();
            chars.next_back();
            format!("{}a", chars.as_str())
        }
        _ => name.to_owned(),
    }
}

/// Object names of most kinds.
pub fn name_is_dns_subdomain(name: &str, prefix: bool) -> Vec<String> {
    dns1123_subdomain(&masked(name, prefix))
}

/// Names of namespaces and services.
pub fn name_is_dns_label(name: &str, prefix: bool) -> Vec<String> {
    dns1123_label(&masked(name, prefix))
}

/// Names of RBAC objects: anything that fits a URL path segment.
pub fn path_segment_name(name: &str, prefix: bool) -> Vec<String> {
    let mut messages = Vec::new();
    if !prefix && (name == "." || name == "..") {
        messages.push(format!("may not be '{name}'"));
    }
    for part in ["/", "%"] {
        if name.contains(part) {
            messages.push(format!("may not contain '{part}'"));
        }
    }
    messages
}

/// A label key, a taint key, a resource name: an optional DNS prefix, a slash, a name of at most 63 characters.
pub fn qualified_name(text: &str) -> Vec<String> {
    let mut messages = Vec::new();
    let examples = &["MyName", "my.name", "123-abc"];
    let mut parts = text.split('/');
    let name = match (parts.next(), parts.next(), parts.next()) {
        (Some(name), None, _) => name,
        (Some(prefix), Some(name), None) => {
            if prefix.is_empty() {
                messages.push("prefix part must be non-empty".into());
            } else {
                messages.extend(dns1123_subdomain(prefix).into_iter().map(|m| format!("prefix part {m}")));
            }
            name
        }
        _ => {
            let message = pattern(QUALIFIED_MESSAGE, QUALIFIED, examples);
            return vec![format!(
                "a qualified name {message} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        messages.push("name part must be non-empty".into());
    } else if name.len() > 63 {
        messages.push(format!("name part {}", too_long(63)));
    }
    if !is_qualified_text(name) {
        messages.push(format!("name part {}", pattern(QUALIFIED_MESSAGE, QUALIFIED, examples)));
    }
    messages
}

/// A label value.
pub fn label_value(text: &str) -> Vec<String> {
    let mut messages = Vec::new();
    if text.len() > 63 {
        messages.push(too_long(63));
    }
    if !text.is_empty() && !is_qualified_text(text) {
        messages.push(pattern(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
            "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?",
            &["MyValue", "my_value", "12345"],
        ));
    }
    messages
}

/// A port number.
pub fn port_number(port: i64) -> Vec<String> {
    if (1..=65535).contains(&port) { Vec::new() } else { vec![in_range(1, 65535)] }
}

/// A port name.
pub fn port_name(text: &str) -> Vec<String> {
    let mut messages = Vec::new();
    if text.len() > 15 {
        messages.push(too_long(15));
    }
    if text.is_empty() || !text.bytes().all(|b| lower_alphanumeric(b) || b == b'-') {
        messages.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)".into());
    }
    if !text.bytes().any(|b| b.is_ascii_lowercase()) {
        messages.push("must contain at least one letter (a-z)".into());
    }
    if text.contains("--") {
        messages.push("must not contain consecutive hyphens".into());
    }
    if text.starts_with('-') || text.ends_with('-') {
        messages.push("must not begin or end with a hyphen".into());
    }
    messages
}

/// The name of an environment variable.
pub fn env_var_name(text: &str) -> Vec<String> {
    let mut messages = Vec::new();
    if text.is_empty() {
        messages.push("environment variable name must be non-empty".into());
    }
    if text.chars().any(|c| !(' '..='~').contains(&c) || c == '=') {
        messages.push(
            "a valid environment variable name must consist only of printable ASCII characters other than '='".into(),
        );
    }
    messages
}

/// A key of a config map or secret.
pub fn config_map_key(text: &str) -> Vec<String> {
    let mut messages = Vec::new();
    if text.len() > 253 {
        messages.push(too_long(253));
    }
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_')) {
        messages.push(pattern(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
            "[-._a-zA-Z0-9]+",
            &["key.name", "KEY_NAME", "key-name"],
        ));
    }
    match text {
        "." | ".." => messages.push(format!("must not be '{text}'")),
        _ if text.starts_with("..") => messages.push("must not start with '..'".into()),
        _ => {}
    }
    messages
}

/// The name of an HTTP header.
pub fn http_header_name(text: &str) -> Vec<String> {
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
        return Vec::new();
    }
    vec![pattern(
        "a valid HTTP header must consist of alphanumeric characters or '-'",
        "[-A-Za-z0-9]+",
        &["X-Header-Name"],
    )]
}

/// A percentage such as `30%`.
pub fn percent(text: &str) -> Vec<String> {
    if percent_value(text).is_some() {
        return Vec::new();
    }
    vec![pattern(
        "a valid percent string must be a numeric string followed by an ending '%'",
        "[0-9]+%",
        &["1%", "93%"],
    )]
}

/// The number of a percentage; a very large one is capped.
pub fn percent_value(text: &str) -> Option<i64> {
    let digits = text.strip_suffix('%')?;
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse().unwrap_or(i64::MAX))
}

/// A user or group id.
pub fn id(number: i64) -> Vec<String> {
    let most = i64::from(i32::MAX);
    if (0..=most).contains(&number) { Vec::new() } else { vec![in_range(0, most)] }
}

/// The message for a number outside a range.
pub fn range_message(low: i64, high: i64) -> String {
    in_range(low, high)
}

/// Reads an IP address as the API server does: leading zeros in IPv4 are allowed.
pub fn parse_ip(text: &str) -> Option<IpAddr> {
    if text.contains(':') {
        return text.parse().ok();
    }
    let mut octets = Vec::new();
    for part in text.split('.') {
        let plain = !part.is_empty() && part.len() <= 16 && part.bytes().all(|b| b.is_ascii_digit());
        octets.push(plain.then(|| part.parse::<u8>().ok())??);
    }
    let octets: [u8; 4] = octets.try_into().ok()?;
    Some(IpAddr::from(octets))
}

/// Whether a part of an IPv4 address starts with a zero that says nothing.
fn has_leading_zeros(address: &str) -> bool {
    !address.contains(':') && address.split('.').any(|part| part.len() > 1 && part.starts_with('0'))
}

fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some())
}

/// An IP address: one that every program reads the same.
pub fn ip(text: &str) -> Vec<String> {
    let message = match parse_ip(text) {
        None => "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
        Some(_) if has_leading_zeros(text) => "must not have leading 0s",
        Some(address) if is_mapped(address) => "must not be an IPv4-mapped IPv6 address",
        Some(_) => return Vec::new(),
    };
    vec![message.into()]
}

/// Reads a CIDR block: its address and prefix length.
pub fn parse_cidr(text: &str) -> Option<(IpAddr, u8)> {
    let (address, length) = text.split_once('/')?;
    let address = parse_ip(address)?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    let plain = !length.is_empty() && length.len() <= 3 && length.bytes().all(|b| b.is_ascii_digit());
    let length: u8 = plain.then(|| length.parse().ok())??;
    (length <= most).then_some((address, length))
}

/// A CIDR block: one that every program reads the same.
pub fn cidr(text: &str) -> Vec<String> {
    let (address, length) = text.split_once('/').unwrap_or((text, ""));
    let message = match parse_cidr(text) {
        None => "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
        Some(_) if has_leading_zeros(address) || (length.len() > 1 && length.starts_with('0')) => {
            "must not have leading 0s in IP or prefix length"
        }
        Some((address, _)) if is_mapped(address) => "must not have an IPv4-mapped IPv6 address",
        Some((address, length)) if has_host_bits(address, length) => "must not have bits set beyond the prefix length",
        Some(_) => return Vec::new(),
    };
    vec![message.into()]
}

fn has_host_bits(address: IpAddr, length: u8) -> bool {
    let length = u32::from(length);
    match address {
        IpAddr::V4(address) => address.to_bits().checked_shl(length).unwrap_or(0) != 0,
        IpAddr::V6(address) => address.to_bits().checked_shl(length).unwrap_or(0) != 0,
    }
}

/// An address or a block of IPv6 as RFC 5952 writes it, where it is written otherwise.
pub fn canonical_ipv6(text: &str) -> Option<String> {
    let (address, length) = text.split_once('/').map_or((text, None), |(address, length)| (address, Some(length)));
    let IpAddr::V6(parsed) = parse_ip(address)? else { return None };
    let canonical = length.map_or_else(|| parsed.to_string(), |length| format!("{parsed}/{length}"));
    (canonical != text).then_some(canonical)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_good_from_bad() {
        for good in ["a", "a-b", "1a", "a.b-c.d"] {
            assert_eq!(name_is_dns_subdomain(good, false), Vec::<String>::new(), "{good}");
        }
        for bad in ["", "A", "a_b", "-a", "a-", "a..b", "a.", ".a", "é"] {
            assert_eq!(name_is_dns_subdomain(bad, false).len(), 1, "{bad}");
        }
        assert!(name_is_dns_subdomain("agent-", true).is_empty());
        assert_eq!(dns1123_label("a.b"), ["must not contain dots"]);
        assert_eq!(dns1123_label(&"a".repeat(64)), ["must be no more than 63 characters"]);
    }

    #[test]
    fn label_keys_and_values() {
        for good in ["a", "a.b/c", "A_b-c.d", "example.com/MyName"] {
            assert!(qualified_name(good).is_empty(), "{good}");
        }
        assert_eq!(
            qualified_name("a b"),
            [
                "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
            ]
        );
        assert_eq!(qualified_name("").len(), 2);
        assert_eq!(qualified_name("/a"), ["prefix part must be non-empty"]);
        assert!(qualified_name("a/b/c")[0].starts_with("a qualified name must consist"));
        assert!(label_value("").is_empty() && label_value("a b").len() == 1 && label_value("a/b").len() == 1);
    }

    #[test]
    fn ports_percentages_and_addresses() {
        assert!(port_name("web").is_empty());
        assert_eq!(port_name("this-name-is-too-long"), ["must be no more than 15 characters"]);
        assert_eq!(port_name("80"), ["must contain at least one letter (a-z)"]);
        assert_eq!((percent_value("150%"), percent_value("%"), percent_value("1")), (Some(150), None, None));
        for good in ["10.0.0.1", "0.0.0.0", "::1", "2001:db8::ffff", "2001:DB8:0::1"] {
            assert!(ip(good).is_empty(), "{good}");
        }
        for bad in ["", "10.0.0", "10.0.0.256", "localhost", "10.0.0.1.2"] {
            assert_eq!(ip(bad).len(), 1, "{bad}");
        }
        assert_eq!(ip("010.0.0.1"), ["must not have leading 0s"]);
        assert_eq!(ip("::ffff:10.0.0.1"), ["must not be an IPv4-mapped IPv6 address"]);
        assert_eq!(cidr("10.0.0.0/08"), ["must not have leading 0s in IP or prefix length"]);
        assert_eq!(cidr("10.0.0.1/24"), ["must not have bits set beyond the prefix length"]);
        assert!(cidr("0.0.0.0/0").is_empty() && cidr("10.0.0.1/32").is_empty() && cidr("::/0").is_empty());
        assert_eq!(canonical_ipv6("2001:DB8:0::1").as_deref(), Some("2001:db8::1"));
        assert_eq!(canonical_ipv6("2001:db8:0::/64").as_deref(), Some("2001:db8::/64"));
        assert_eq!((canonical_ipv6("2001:db8::1"), canonical_ipv6("10.0.0.1")), (None, None));
        assert!(cidr("10.0.0.0/24").is_empty() && cidr("2001:db8::/64").is_empty());
        assert!(cidr("10.0.0.0").len() == 1 && cidr("10.0.0.0/33").len() == 1 && cidr("x/8").len() == 1);
        assert_eq!(env_var_name("A=B").len(), 1);
    }
}
