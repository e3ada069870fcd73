//! Image names, as far as the default pull policy depends on them.
//!
//! Follows kubernetes pkg/util/parsers ParseImageName (the reference grammar of the distribution project), v1.36.

/// `Always` for the tag `latest` (also when neither tag nor digest is given), else `IfNotPresent`; a name that is no
/// image reference has no tag.
pub fn default_pull_policy(image: &str) -> &'static str {
    if tag_of(image).as_deref() == Some("latest") { "Always" } else { "IfNotPresent" }
}

/// The tag of an image reference; `latest` when it has neither tag nor digest; `None` when it is none or has only a
/// digest.
fn tag_of(image: &str) -> Option<String> {
    let (rest, digest) = match image.split_once('@') {
        Some((rest, digest)) => (rest, Some(digest)),
        None => (image, None),
    };
    if digest.is_some_and(|digest| !is_digest(digest)) {
        return None;
    }
    let last = rest.rfind('/').map_or(0, |at| at + 1);
    let (name, tag) = match rest.get(last..)?.split_once(':') {
        Some((last_part, tag)) => (rest.get(..last + last_part.len())?, Some(tag)),
        None => (rest, None),
    };
    if !is_name(name) || tag.is_some_and(|tag| !is_tag(tag)) {
        return None;
    }
    match (tag, digest) {
        (Some(tag), _) => Some(tag.to_owned()),
        (None, None) => Some("latest".into()),
        (None, Some(_)) => None,
    }
}

fn is_tag(tag: &str) -> bool {
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    (1..=128).contains(&tag.len())
        && tag.bytes().enumerate().all(|(at, b)| word(b) || (at > 0 && (b == b'.' || b == b'-')))
}

fn is_digest(digest: &str) -> bool {
    digest.split_once(':').is_some_and(|(algorithm, hex)| {
        algorithm.split(['-', '_', '+', '.']).all(|part| {
            part.bytes().next().is_some_and(|b| b.is_ascii_alphabetic())
                && part.bytes().all(|b| b.is_ascii_alphanumeric())
        }) && hex.len() >= 32
            && hex.bytes().all(|b| b.is_ascii_hexdigit())
    })
}

fn is_name(name: &str) -> bool {
    if name.is_empty() || name.len() > 255 || (name.len() == 64 && name.bytes().all(is_lower_hex)) {
        return false;
    }
    let (first, rest) = name.split_once('/').unwrap_or(("", name));
    // The first part is a host when it looks like one.
    let host = first.contains(['.', ':']) || first == "localhost" || first.bytes().any(|b| b.is_ascii_uppercase());
    let (host, path) = if host { (first, rest) } else { ("", name) };
    (host.is_empty() || is_host(host)) && path.split('/').all(is_path_part)
}

fn is_lower_hex(b: u8) -> bool {
    b.is_ascii_digit() || (b'a'..=b'f').contains(&b)
}

fn is_host(host: &str) -> bool {
    let (name, port) = host.rsplit_once(':').unwrap_or((host, "0"));
    let part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !part.starts_with('-')
            && !part.ends_with('-')
    };
    let bracketed = name.starts_with('[') && name.ends_with(']');
    (bracketed || name.split('.').all(part)) && !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit())
}

/// Lower-case letters and digits, joined by one dot, one or two underscores, or dashes.
fn is_path_part(part: &str) -> bool {
    let alphanumeric = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let edges = |b: Option<u8>| b.is_some_and(alphanumeric);
    let separators_fit = part
        .split(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        .all(|s| matches!(s, "" | "." | "_" | "__") || s.bytes().all(|b| b == b'-'));
    edges(part.bytes().next()) && edges(part.bytes().last()) && separators_fit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_tag_latest_is_always_pulled() {
        for image in ["busybox", "busybox:latest", "ghcr.io/a/b", "localhost:5000/a", "a/b/c:latest", "Host/a"] {
            assert_eq!(default_pull_policy(image), "Always", "{image}");
        }
        let digest = "a@sha256:0123456789012345678901234567890123456789012345678901234567890123";
        for image in ["busybox:1.36", digest, "", "a b", "BusyBox", "a:", "a//b", "a:b c", "-a", "x.io/A"] {
            assert_eq!(default_pull_policy(image), "IfNotPresent", "{image}");
        }
    }
}
