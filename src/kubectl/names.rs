//! Rules for label keys and values, worded as kubectl words them.

const NAME: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
     alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
     '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and \
     must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for \
     validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
     and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// What is wrong with a label, taint or annotation key; several faults are joined by `; `.
pub(crate) fn label_key_fault(key: &str) -> Option<String> {
    let mut faults: Vec<String> = Vec::new();
    let parts: Vec<&str> = key.split('/').collect();
    let name = match parts.as_slice() {
        [name] => *name,
        [prefix, name] => {
            if prefix.is_empty() {
                faults.push("prefix part must be non-empty".into());
            } else if let Some(why) = subdomain_fault(prefix) {
                faults.push(format!("prefix part {why}"));
            }
            name
        }
        _ => {
            return Some(
                "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with \
                 an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
                 '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. \
                 'example.com/MyName')"
                    .into(),
            );
        }
    };
    if name.is_empty() {
        faults.push("name part must be non-empty".into());
    } else if name.len() > 63 {
        faults.push("name part must be no more than 63 characters".into());
    }
    if name.is_empty() || !is_word(name) {
        faults.push(NAME.into());
    }
    (!faults.is_empty()).then(|| faults.join("; "))
}

/// What is wrong with a label value.
pub(crate) fn label_value_fault(value: &str) -> Option<String> {
    let mut faults: Vec<&str> = Vec::new();
    if value.len() > 63 {
        faults.push("must be no more than 63 characters");
    }
    if !value.is_empty() && !is_word(value) {
        faults.push(VALUE);
    }
    (!faults.is_empty()).then(|| faults.join("; "))
}

fn subdomain_fault(text: &str) -> Option<&'static str> {
    let part = |label: &str| {
        let edge = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        let bytes = label.as_bytes();
        bytes.first().is_some_and(edge) && bytes.last().is_some_and(edge) && bytes.iter().all(|b| edge(b) || *b == b'-')
    };
    if text.len() > 253 {
        return Some("must be no more than 253 characters");
    }
    (!text.split('.').all(part)).then_some(SUBDOMAIN)
}

/// Letters, digits, `-`, `_`, `.`, with a letter or digit at both ends.
fn is_word(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(b))
}
