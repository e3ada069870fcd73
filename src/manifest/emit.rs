//! JSON values to YAML as `kubectl get -o yaml` prints them.
//! Follows sigs.k8s.io/yaml JSONToYAML over go.yaml.in/yaml/v2 encode.go, sorter.go and emitterc.go: keys in natural
//! order, two spaces, lists not indented under their key, lines folded after column 80, quotes only where needed.

use super::scalar::{Scalar, go_float_text, is_timestamp, resolve};
use serde_json::Value;
use std::cmp::Ordering;
use std::fmt::Write as _;

/// After this column a scalar goes on in the next line, at the next space.
const BEST_WIDTH: usize = 80;
const BEST_INDENT: i64 = 2;
/// Longer keys, in bytes, are written as `? key` and `: value` on two lines.
const MAX_SIMPLE_KEY: usize = 128;

/// The YAML of a value, with a line break at its end. Recurses as deep as the value is nested.
pub fn to_yaml(value: &Value) -> String {
    let mut emitter = Emitter { out: String::new(), column: 0, indent: -1, whitespace: true, indention: true };
    emitter.node(value, Place::Root);
    emitter.write_indent();
    emitter.out
}

/// Puts keys into the order in which kubectl prints them: letters after other characters, numbers by value
/// (`node-2` before `node-10`).
pub fn compare_keys(left: &str, right: &str) -> Ordering {
    if key_less(left, right) {
        Ordering::Less
    } else if key_less(right, left) {
        Ordering::Greater
    } else {
        Ordering::Equal
    }
}

/// Where a node stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Root,
    Item,
    Key { simple: bool },
    Value,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

/// The emitter of libyaml, reduced to block collections.
struct Emitter {
    out: String,
    column: usize,
    /// The column of the current collection; -1 before the first.
    indent: i64,
    /// The last character was white space.
    whitespace: bool,
    /// Only indentation and indicators stand on this line so far.
    indention: bool,
}

impl Emitter {
    fn put(&mut self, character: char) {
        self.out.push(character);
        self.column = self.column.saturating_add(1);
    }

    fn put_str(&mut self, text: &str) {
        for character in text.chars() {
            self.put(character);
        }
    }

    fn put_break(&mut self) {
        self.out.push('\n');
        self.column = 0;
    }

    /// A line break of the value itself.
    fn write_break(&mut self, character: char) {
        if character == '\n' {
            self.put_break();
        } else {
            self.out.push(character);
            self.column = 0;
        }
    }

    fn write_indent(&mut self) {
        let indent = usize::try_from(self.indent.max(0)).unwrap_or(0);
        if !self.indention || self.column > indent || (self.column == indent && !self.whitespace) {
            self.put_break();
        }
        while self.column < indent {
            self.put(' ');
        }
        self.whitespace = true;
        self.indention = true;
    }

    fn indicator(&mut self, text: &str, needs_whitespace: bool, is_indention: bool) {
        if needs_whitespace && !self.whitespace {
            self.put(' ');
        }
        self.put_str(text);
        self.whitespace = false;
        self.indention = self.indention && is_indention;
    }

    /// The indentation of what is nested here.
    fn deeper(&self, flow: bool, indentless: bool) -> i64 {
        if self.indent < 0 {
            if flow { BEST_INDENT } else { 0 }
        } else if indentless {
            self.indent
        } else {
            self.indent.saturating_add(BEST_INDENT)
        }
    }

    fn node(&mut self, value: &Value, place: Place) {
        match value {
            Value::Null => self.scalar("null", Style::Plain, place),
            Value::Bool(true) => self.scalar("true", Style::Plain, place),
            Value::Bool(false) => self.scalar("false", Style::Plain, place),
            Value::Number(number) => self.scalar(&go_float_text(number), Style::Plain, place),
            Value::String(text) => self.scalar(text, string_style(text), place),
            Value::Array(items) if items.is_empty() => self.indicator("[]", true, false),
            Value::Object(entries) if entries.is_empty() => self.indicator("{}", true, false),
            Value::Array(items) => {
                let outer = self.indent;
                let in_mapping = matches!(place, Place::Value | Place::Key { .. });
                self.indent = self.deeper(false, in_mapping && !self.indention);
                for item in items {
                    self.write_indent();
                    self.indicator("-", true, true);
                    self.node(item, Place::Item);
                }
                self.indent = outer;
            }
            Value::Object(entries) => {
                let outer = self.indent;
                self.indent = self.deeper(false, false);
                for (key, value) in sorted(entries.iter().map(|(key, value)| (key.as_str(), value)).collect()) {
                    self.entry(key, value);
                }
                self.indent = outer;
            }
        }
    }

    fn entry(&mut self, key: &str, value: &Value) {
        self.write_indent();
        let simple = key.len() <= MAX_SIMPLE_KEY && !key.chars().any(is_break);
        // Unquoted it would be read as a merge key.
        let style = if key == "<<" { Style::Double } else { string_style(key) };
        if simple {
            self.scalar(key, style, Place::Key { simple });
            self.indicator(":", false, false);
        } else {
            self.indicator("?", true, true);
            self.scalar(key, style, Place::Key { simple });
            self.write_indent();
            self.indicator(":", true, true);
        }
        self.node(value, Place::Value);
    }

    fn scalar(&mut self, text: &str, wanted: Style, place: Place) {
        let simple_key = place == Place::Key { simple: true };
        let allowed = Allowed::of(text);
        let mut style = wanted;
        if style == Style::Plain && (!allowed.plain || (text.is_empty() && simple_key)) {
            style = Style::Single;
        }
        if style == Style::Single && !allowed.single {
            style = Style::Double;
        }
        if style == Style::Literal && (!allowed.block || simple_key) {
            style = Style::Double;
        }
        let outer = self.indent;
        self.indent = self.deeper(true, false);
        match style {
            Style::Plain => self.plain(text, !simple_key),
            Style::Single => self.single_quoted(text, !simple_key),
            Style::Double => self.double_quoted(text, !simple_key),
            Style::Literal => self.literal(text),
        }
        self.indent = outer;
    }

    fn plain(&mut self, text: &str, may_break: bool) {
        if !self.whitespace {
            self.put(' ');
        }
        let mut after_space = false;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let next_is_space = characters.peek() == Some(&' ');
            if character == ' ' {
                if may_break && !after_space && self.column > BEST_WIDTH && !next_is_space {
                    self.write_indent();
                } else {
                    self.put(' ');
                }
                after_space = true;
            } else {
                self.put(character);
                self.indention = false;
                after_space = false;
            }
        }
        self.whitespace = false;
        self.indention = false;
    }

    fn single_quoted(&mut self, text: &str, may_break: bool) {
        self.indicator("'", true, false);
        let last = text.chars().count().saturating_sub(1);
        let (mut after_space, mut after_break) = (false, false);
        let mut characters = text.chars().enumerate().peekable();
        while let Some((at, character)) = characters.next() {
            let next_is_space = matches!(characters.peek(), Some((_, ' ')));
            if character == ' ' {
                let inside = at > 0 && at < last;
                if may_break && !after_space && self.column > BEST_WIDTH && inside && !next_is_space {
                    self.write_indent();
                } else {
                    self.put(' ');
                }
                after_space = true;
            } else if is_break(character) {
                if !after_break && character == '\n' {
                    self.put_break();
                }
                self.write_break(character);
                self.indention = true;
                after_break = true;
            } else {
                if after_break {
                    self.write_indent();
                }
                if character == '\'' {
                    self.put('\'');
                }
                self.put(character);
                self.indention = false;
                (after_space, after_break) = (false, false);
            }
        }
        self.indicator("'", false, false);
    }

    fn double_quoted(&mut self, text: &str, may_break: bool) {
        self.indicator("\"", true, false);
        let last = text.chars().count().saturating_sub(1);
        let mut after_space = false;
        let mut characters = text.chars().enumerate().peekable();
        while let Some((at, character)) = characters.next() {
            if !is_printable(character) || is_break(character) || matches!(character, '"' | '\\') {
                self.escape(character);
                after_space = false;
            } else if character == ' ' {
                if may_break && !after_space && self.column > BEST_WIDTH && at > 0 && at < last {
                    self.write_indent();
                    if matches!(characters.peek(), Some((_, ' '))) {
                        self.put('\\');
                    }
                } else {
                    self.put(' ');
                }
                after_space = true;
            } else {
                self.put(character);
                after_space = false;
            }
        }
        self.indicator("\"", false, false);
    }

    fn escape(&mut self, character: char) {
        let short = match character {
            '\0' => "\\0",
            '\u{7}' => "\\a",
            '\u{8}' => "\\b",
            '\t' => "\\t",
            '\n' => "\\n",
            '\u{b}' => "\\v",
            '\u{c}' => "\\f",
            '\r' => "\\r",
            '\u{1b}' => "\\e",
            '"' => "\\\"",
            '\\' => "\\\\",
            '\u{85}' => "\\N",
            '\u{a0}' => "\\_",
            '\u{2028}' => "\\L",
            '\u{2029}' => "\\P",
            _ => "",
        };
        let mut escaped = short.to_owned();
        if short.is_empty() {
            let code = u32::from(character);
            let _ = match code {
                0..=0xFF => write!(escaped, "\\x{code:02X}"),
                0x100..=0xFFFF => write!(escaped, "\\u{code:04X}"),
                _ => write!(escaped, "\\U{code:08X}"),
            };
        }
        self.put_str(&escaped);
    }

    fn literal(&mut self, text: &str) {
        self.indicator("|", true, false);
        if text.starts_with(' ') || text.starts_with(is_break) {
            self.indicator("2", false, false);
        }
        let mut from_end = text.chars().rev();
        match (from_end.next().is_some_and(is_break), from_end.next()) {
            (false, _) => self.indicator("-", false, false),
            (true, None) => self.indicator("+", false, false),
            (true, Some(before)) if is_break(before) => self.indicator("+", false, false),
            _ => {}
        }
        self.put_break();
        self.indention = true;
        self.whitespace = true;
        let mut after_break = true;
        for character in text.chars() {
            if is_break(character) {
                self.write_break(character);
                self.indention = true;
                after_break = true;
            } else {
                if after_break {
                    self.write_indent();
                }
                self.put(character);
                self.indention = false;
                after_break = false;
            }
        }
    }
}

/// The style that go-yaml asks for; whether the text allows it is another question.
fn string_style(text: &str) -> Style {
    if text.contains('\n') {
        Style::Literal
    } else if resolve(text) == Scalar::Text && !is_timestamp(text) && !is_base60(text) {
        Style::Plain
    } else {
        Style::Double
    }
}

/// In which styles a text can be written.
struct Allowed {
    plain: bool,
    single: bool,
    block: bool,
}

impl Allowed {
    fn of(text: &str) -> Self {
        if text.is_empty() {
            return Allowed { plain: true, single: true, block: false };
        }
        let mut plain = !text.starts_with("---") && !text.starts_with("...");
        let (mut single, mut block) = (true, true);
        let (mut after_space, mut after_break, mut after_whitespace) = (false, false, true);
        let mut characters = text.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            let next = characters.peek().map(|(_, next)| *next);
            let before_blank = next.is_none_or(|next| next == ' ' || next == '\t');
            let (is_first, is_last) = (at == 0, next.is_none());
            let indicates = match character {
                '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`'
                    if is_first =>
                {
                    true
                }
                '?' | '-' if is_first => before_blank,
                ':' => before_blank,
                '#' => after_whitespace,
                _ => false,
            };
            plain &= !indicates;
            if !is_printable(character) {
                (plain, single, block) = (false, false, false);
            }
            if character == ' ' {
                plain &= !(is_first || is_last);
                block &= !is_last;
                if after_break {
                    (plain, single) = (false, false);
                }
            } else if is_break(character) {
                plain = false;
                if after_space {
                    (single, block) = (false, false);
                }
            }
            after_space = character == ' ';
            after_break = is_break(character);
            after_whitespace = character == ' ' || character == '\t' || after_break;
        }
        Allowed { plain, single, block }
    }
}

fn is_break(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// What libyaml writes as it is: characters of four bytes are not among them.
fn is_printable(character: char) -> bool {
    matches!(character, '\n' | ' '..='~' | '\u{a0}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}')
}

/// `1:30`, a number to YAML 1.1: `^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$`
fn is_base60(text: &str) -> bool {
    let rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (rest, fraction) = rest.split_once('.').unwrap_or((rest, ""));
    let mut parts = rest.split(':');
    let first = parts.next().unwrap_or("");
    let digits_or_underscores = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let mut count = 0usize;
    let parts_fit = parts.all(|part| {
        count = count.saturating_add(1);
        match part.as_bytes() {
            [digit] => digit.is_ascii_digit(),
            [b'0'..=b'5', digit] => digit.is_ascii_digit(),
            _ => false,
        }
    });
    first.starts_with(|character: char| character.is_ascii_digit())
        && digits_or_underscores(first)
        && parts_fit
        && count > 0
        && digits_or_underscores(fraction)
}

fn key_less(left: &str, right: &str) -> bool {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let differing = left.iter().zip(&right).position(|(a, b)| a != b);
    let Some(at) = differing else { return left.len() < right.len() };
    let (Some(a), Some(b)) = (left.get(at), right.get(at)) else { return false };
    match (a.is_alphabetic(), b.is_alphabetic()) {
        (true, true) => return a < b,
        (false, false) => {}
        (_, b_is_letter) => return b_is_letter,
    }
    // Both numbers go on after common digits, unless these are all zeros.
    let mut start = 0i64;
    if *a == '0' || *b == '0' {
        let common = left.get(..at).unwrap_or(&[]);
        let digits = common.iter().rev().take_while(|character| character.is_ascii_digit());
        start = i64::from(digits.into_iter().any(|digit| *digit != '0'));
    }
    let number = |characters: &[char]| {
        let mut value = start;
        let mut length = 0usize;
        for digit in characters.iter().skip(at).map_while(|character| character.to_digit(10)) {
            value = value.wrapping_mul(10).wrapping_add(i64::from(digit));
            length = length.saturating_add(1);
        }
        (value, length)
    };
    let (left_number, right_number) = (number(&left), number(&right));
    if left_number != right_number { left_number < right_number } else { a < b }
}

/// A merge sort: go-yaml's order of keys is not a total one for every set of keys, and the standard library's sort may
/// then panic.
fn sorted<'v>(entries: Vec<(&'v str, &'v Value)>) -> Vec<(&'v str, &'v Value)> {
    let mut runs: Vec<Vec<(&str, &Value)>> = entries.into_iter().map(|entry| vec![entry]).collect();
    while runs.len() > 1 {
        let mut merged = Vec::with_capacity(runs.len().div_ceil(2));
        let mut pairs = runs.into_iter();
        while let Some(left) = pairs.next() {
            merged.push(match pairs.next() {
                Some(right) => merge(left, right),
                None => left,
            });
        }
        runs = merged;
    }
    runs.pop().unwrap_or_default()
}

fn merge<'v>(left: Vec<(&'v str, &'v Value)>, right: Vec<(&'v str, &'v Value)>) -> Vec<(&'v str, &'v Value)> {
    let mut out = Vec::with_capacity(left.len().saturating_add(right.len()));
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    loop {
        let from_right = match (left.peek(), right.peek()) {
            (Some(a), Some(b)) => key_less(b.0, a.0),
            (None, Some(_)) => true,
            (Some(_), None) => false,
            (None, None) => return out,
        };
        out.extend(if from_right { right.next() } else { left.next() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_are_in_natural_order() {
        let mut keys = vec!["b", "a10", "a2", "a", "A", "1", "10", "9", "_x", "a-b", "ab", "a.b", "a01", "a1"];
        keys.sort_by(|a, b| compare_keys(a, b));
        assert_eq!(keys, ["_x", "1", "9", "10", "A", "a", "a-b", "a.b", "a1", "a01", "a2", "a10", "ab", "b"]);
    }

    #[test]
    fn strings_are_quoted_where_they_would_mean_something_else() {
        for (text, expected) in [
            ("plain", "plain"),
            ("", "\"\""),
            ("true", "\"true\""),
            ("y", "\"y\""),
            ("1", "\"1\""),
            ("0x1F", "\"0x1F\""),
            ("1e3", "\"1e3\""),
            ("1:30", "\"1:30\""),
            ("1:99", "1:99"),
            ("null", "\"null\""),
            ("~", "\"~\""),
            ("2024-01-01T00:00:00Z", "\"2024-01-01T00:00:00Z\""),
            ("2024-01-01", "\"2024-01-01\""),
            ("2024-02-30", "2024-02-30"),
            (".inf", "\".inf\""),
            ("a: b", "'a: b'"),
            ("it's: x", "'it''s: x'"),
            ("a #b", "'a #b'"),
            ("a#b", "a#b"),
            ("- a", "'- a'"),
            ("-a", "-a"),
            ("-", "'-'"),
            ("@x", "'@x'"),
            ("*", "'*'"),
            (" a", "' a'"),
            ("a ", "'a '"),
            ("---", "'---'"),
            ("a\tb", "\"a\\tb\""),
            ("é", "é"),
            ("😀", "\"\\U0001F600\""),
            ("a\\b", "a\\b"),
            ("\u{1}", "\"\\x01\""),
            ("a\nb", "|-\n  a\n  b"),
            ("a\nb\n", "|\n  a\n  b"),
            ("a\n\n", "|+\n  a\n"),
            (" a\nb", "|2-\n   a\n  b"),
            ("a \nb", "\"a \\nb\""),
        ] {
            assert_eq!(to_yaml(&json!(text)), format!("{expected}\n"), "{text:?}");
        }
    }

    #[test]
    fn lists_are_not_indented_under_their_key() {
        let value = json!({"a": [1, {"b": 2, "c": [[3, 4], []]}], "d": {}, "e": {"f": null, "g": 1.5, "h": 1e21}});
        assert_eq!(
            to_yaml(&value),
            "a:\n- 1\n- b: 2\n  c:\n  - - 3\n    - 4\n  - []\nd: {}\ne:\n  f: null\n  g: 1.5\n  h: 1e+21\n"
        );
        assert_eq!(to_yaml(&json!([])), "[]\n");
        assert_eq!(to_yaml(&json!([{"a": 1}])), "- a: 1\n");
    }

    #[test]
    fn long_lines_go_on_after_column_80() {
        let message = "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't satisfy plugin(s) [NodeAffinity].";
        assert_eq!(
            to_yaml(&json!({"status": [{"message": message}]})),
            "status:\n- message: '0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn''t satisfy\n    plugin(s) [NodeAffinity].'\n"
        );
        let words = "word ".repeat(20);
        assert_eq!(
            to_yaml(&json!({"a": words.trim()})),
            format!("a: {}\n  word word word word\n", "word ".repeat(16).trim())
        );
        let key = "k".repeat(130);
        assert_eq!(to_yaml(&json!({key.as_str(): [1]})), format!("? {key}\n: - 1\n"));
    }
}
