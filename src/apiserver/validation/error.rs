//! Faults of single fields, as the API server collects and prints them.
//!
//! Follows kubernetes apimachinery pkg/util/validation/field, v1.36.
pub use crate::apiserver::schema::Path;
use serde_json::Value;

/// What kind of fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorType {
    /// Something that is referred to is not there.
    NotFound,
    /// A value is missing.
    Required,
    /// A value is there twice.
    Duplicate,
    /// A value is malformed or does not fit.
    Invalid,
    /// A value is none of those allowed.
    NotSupported,
    /// A field may not be set (or not so) here.
    Forbidden,
    /// A value is too long.
    TooLong,
    /// The API server could not tell.
    Internal,
}

impl ErrorType {
    /// How messages begin.
    pub fn text(self) -> &'static str {
        match self {
            ErrorType::NotFound => "Not found",
            ErrorType::Required => "Required value",
            ErrorType::Duplicate => "Duplicate value",
            ErrorType::Invalid => "Invalid value",
            ErrorType::NotSupported => "Unsupported value",
            ErrorType::Forbidden => "Forbidden",
            ErrorType::TooLong => "Too long",
            ErrorType::Internal => "Internal error",
        }
    }

    /// The `reason` of a cause in the API server's answer.
    pub fn reason(self) -> &'static str {
        match self {
            ErrorType::NotFound => "FieldValueNotFound",
            ErrorType::Required => "FieldValueRequired",
            ErrorType::Duplicate => "FieldValueDuplicate",
            ErrorType::Invalid => "FieldValueInvalid",
            ErrorType::NotSupported => "FieldValueNotSupported",
            ErrorType::Forbidden => "FieldValueForbidden",
            ErrorType::TooLong => "FieldValueTooLong",
            ErrorType::Internal => "InternalError",
        }
    }
}

/// A fault of one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// What kind of fault.
    pub kind: ErrorType,
    /// The field, as the API server writes it: `spec.template.spec.containers[0].image`.
    pub path: String,
    /// The offending value as Go prints it (texts quoted, objects as JSON); `None` where it is not printed.
    pub bad_value: Option<String>,
    /// What is wrong with it.
    pub detail: String,
}

impl FieldError {
    /// The message without the field: `Invalid value: -5: must be greater than or equal to 0`.
    pub fn body(&self) -> String {
        let mut text = self.kind.text().to_owned();
        if let Some(value) = &self.bad_value {
            text.push_str(": ");
            text.push_str(value);
        }
        if !self.detail.is_empty() {
            text.push_str(": ");
            text.push_str(&self.detail);
        }
        text
    }
}

/// The message with the field.
impl std::fmt::Display for FieldError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path, self.body())
    }
}

/// The faults found so far, in the API server's order.
#[derive(Clone, Debug, Default)]
pub struct Errors(pub Vec<FieldError>);

// None of these is generic, and `push` is never inlined: they are called from hundreds of places, and each call should
// cost a few bytes.
impl Errors {
    #[inline(never)]
    fn push(&mut self, kind: ErrorType, path: &Path<'_>, bad_value: Option<&str>, detail: &str) {
        let bad_value = bad_value.map(str::to_owned);
        self.0.push(FieldError { kind, path: path.to_string(), bad_value, detail: detail.to_owned() });
    }

    /// A value is missing.
    #[inline(never)]
    pub fn required(&mut self, path: &Path<'_>, detail: &str) {
        self.push(ErrorType::Required, path, None, detail);
    }

    /// A field may not be set.
    #[inline(never)]
    pub fn forbidden(&mut self, path: &Path<'_>, detail: &str) {
        self.push(ErrorType::Forbidden, path, None, detail);
    }

    /// A text is malformed.
    #[inline(never)]
    pub fn invalid(&mut self, path: &Path<'_>, text: &str, detail: &str) {
        self.push(ErrorType::Invalid, path, Some(&quote(text)), detail);
    }

    /// A number does not fit.
    #[inline(never)]
    pub fn invalid_number(&mut self, path: &Path<'_>, number: i64, detail: &str) {
        self.push(ErrorType::Invalid, path, Some(&number.to_string()), detail);
    }

    /// A value of another type is malformed; `shown` is what Go prints for it.
    #[inline(never)]
    pub fn invalid_value(&mut self, path: &Path<'_>, shown: &str, detail: &str) {
        self.push(ErrorType::Invalid, path, Some(shown), detail);
    }

    /// One error for every message about a text.
    #[inline(never)]
    pub fn invalid_all(&mut self, path: &Path<'_>, text: &str, messages: Vec<String>) {
        for message in messages {
            self.invalid(path, text, &message);
        }
    }

    /// A text is none of those allowed.
    #[inline(never)]
    pub fn not_supported(&mut self, path: &Path<'_>, text: &str, valid: &[&str]) {
        self.not_supported_value(path, &quote(text), valid);
    }

    /// A value is none of those allowed; `shown` is what Go prints for it.
    #[inline(never)]
    pub fn not_supported_value(&mut self, path: &Path<'_>, shown: &str, valid: &[&str]) {
        let list: Vec<String> = valid.iter().map(|v| quote(v)).collect();
        self.push(ErrorType::NotSupported, path, Some(shown), &format!("supported values: {}", list.join(", ")));
    }

    /// A text is there twice.
    #[inline(never)]
    pub fn duplicate(&mut self, path: &Path<'_>, text: &str) {
        self.duplicate_value(path, &quote(text), "");
    }

    /// A value is there twice; `shown` is what Go prints for it.
    #[inline(never)]
    pub fn duplicate_value(&mut self, path: &Path<'_>, shown: &str, detail: &str) {
        self.push(ErrorType::Duplicate, path, Some(shown), detail);
    }

    /// What is referred to is not there.
    #[inline(never)]
    pub fn not_found(&mut self, path: &Path<'_>, text: &str, detail: &str) {
        self.push(ErrorType::NotFound, path, Some(&quote(text)), detail);
    }

    /// More than so many bytes.
    pub fn too_long(&mut self, path: &Path<'_>, most: usize) {
        self.push(ErrorType::TooLong, path, None, &format!("may not be more than {most} bytes"));
    }

    /// The API server could not tell.
    pub fn internal(&mut self, path: &Path<'_>, detail: &str) {
        self.push(ErrorType::Internal, path, None, detail);
    }

    /// An integer must not be negative.
    #[inline(never)]
    pub fn non_negative(&mut self, number: i64, path: &Path<'_>) {
        if number < 0 {
            self.invalid_number(path, number, "must be greater than or equal to 0");
        }
    }
}

/// A text as Go's `%q` prints it.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            c if (c as u32) < 0x20 || c == '\u{7f}' => out.push_str(&format!("\\x{:02x}", c as u32)),
            c if c.is_control() || is_unprintable(c) => {
                let code = c as u32;
                out.push_str(&if code < 0x10000 { format!("\\u{code:04x}") } else { format!("\\U{code:08x}") });
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Spaces other than the plain one, and marks without a glyph: Go escapes them.
fn is_unprintable(c: char) -> bool {
    (c.is_whitespace() && c != ' ')
        || matches!(c as u32, 0xad | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff)
}

/// A tree as Go's `json.Marshal` writes it: compact, with `<`, `>` and `&` escaped.
pub fn go_json(value: &Value) -> String {
    escape_html(&value.to_string())
}

/// JSON text with the characters escaped that Go escapes for the sake of HTML.
pub fn escape_html(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_printed_as_go_prints_them() {
        assert_eq!(quote("a \"b\"\n\u{1}é\u{a0}"), "\"a \\\"b\\\"\\n\\x01é\\u00a0\"");
        assert_eq!(go_json(&serde_json::json!({"b": "<a>", "a": 1})), r#"{"a":1,"b":"\u003ca\u003e"}"#);
        let mut errors = Errors::default();
        let path = Path::new("a");
        errors.required(&path, "");
        errors.invalid(&path, "x", "bad");
        errors.not_supported(&path, "z", &["x", "y"]);
        errors.non_negative(-1, &path);
        errors.too_long(&path, 9);
        let texts: Vec<String> = errors.0.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "a: Required value",
                "a: Invalid value: \"x\": bad",
                "a: Unsupported value: \"z\": supported values: \"x\", \"y\"",
                "a: Invalid value: -1: must be greater than or equal to 0",
                "a: Too long: may not be more than 9 bytes",
            ]
        );
    }
}
