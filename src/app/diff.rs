//! What changed: between two objects, and between two texts.

use serde_json::Value;

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// It is only in the new text.
    Added,
    /// It is only in the old text.
    Removed,
    /// It is in both.
    Same,
    /// Lines that are in both were left out here.
    Gap,
}

/// A line of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What became of it.
    pub kind: LineKind,
    /// Its text.
    pub text: String,
}

impl Line {
    fn new(kind: LineKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}

/// Fields that change with every write and tell nothing.
const BOOKKEEPING: [&str; 9] = [
    "apiVersion",
    "kind",
    "metadata.creationTimestamp",
    "metadata.generateName",
    "metadata.managedFields",
    "metadata.name",
    "metadata.namespace",
    "metadata.resourceVersion",
    "metadata.uid",
];

/// The fields in which two objects differ, one line for each old and new value. `None` stands for an object that does
/// not exist; a created or deleted object is shown by its first `limit` fields.
pub fn fields(before: Option<&Value>, after: Option<&Value>, limit: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    compare("", before.unwrap_or(&Value::Null), after.unwrap_or(&Value::Null), &mut lines);
    let hidden = lines.len().saturating_sub(limit);
    if hidden > 0 {
        lines.truncate(limit);
        lines.push(Line::new(LineKind::Gap, format!("… +{hidden}")));
    }
    lines
}

fn compare(path: &str, before: &Value, after: &Value, lines: &mut Vec<Line>) {
    if before == after || BOOKKEEPING.contains(&path) {
        return;
    }
    let join = |key: &str| if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
    match (before, after) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, old) in a {
                compare(&join(key), old, b.get(key).unwrap_or(&Value::Null), lines);
            }
            for (key, new) in b.iter().filter(|(key, _)| !a.contains_key(*key)) {
                compare(&join(key), &Value::Null, new, lines);
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            for index in 0..a.len().max(b.len()) {
                let path = format!("{path}[{}]", item_name(b.get(index).or_else(|| a.get(index)), index));
                compare(&path, a.get(index).unwrap_or(&Value::Null), b.get(index).unwrap_or(&Value::Null), lines);
            }
        }
        (Value::Null, Value::Object(new)) if !new.is_empty() => {
            new.iter().for_each(|(key, value)| compare(&join(key), &Value::Null, value, lines));
        }
        (Value::Object(old), Value::Null) if !old.is_empty() => {
            old.iter().for_each(|(key, value)| compare(&join(key), value, &Value::Null, lines));
        }
        (Value::Null, Value::Array(new)) if !new.is_empty() => compare(path, &Value::Array(Vec::new()), after, lines),
        (Value::Array(old), Value::Null) if !old.is_empty() => compare(path, before, &Value::Array(Vec::new()), lines),
        _ => {
            if !before.is_null() {
                lines.push(Line::new(LineKind::Removed, format!("{path}: {}", short(before))));
            }
            if !after.is_null() {
                lines.push(Line::new(LineKind::Added, format!("{path}: {}", short(after))));
            }
        }
    }
}

/// What a person calls an item of a list: its name or type, else its number.
fn item_name(item: Option<&Value>, index: usize) -> String {
    let named = |key: &str| item.and_then(|item| item.get(key)).and_then(Value::as_str).map(String::from);
    named("name").or_else(|| named("type")).unwrap_or_else(|| index.to_string())
}

fn short(value: &Value) -> String {
    match value {
        Value::String(text) if text.is_empty() => "\"\"".into(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Two texts line by line: what was removed and added, with `context` lines around it.
///
/// Myers' greedy comparison, bounded: two texts that have little in common are shown as removed and added whole.
pub fn lines(before: &str, after: &str, context: usize) -> Vec<Line> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = |lines: &[&str]| lines.len() - head;
    let tail_limit = rest(&old).min(rest(&new));
    let tail = old.iter().rev().zip(new.iter().rev()).take(tail_limit).take_while(|(a, b)| a == b).count();
    let middle = |lines: &'_ [&'_ str]| -> Vec<String> {
        lines.iter().take(lines.len() - tail).skip(head).map(|line| (*line).to_string()).collect()
    };
    let mut all: Vec<Line> = old.iter().take(head).map(|line| Line::new(LineKind::Same, *line)).collect();
    all.extend(middle_lines(&middle(&old), &middle(&new)));
    all.extend(old.iter().skip(old.len() - tail).map(|line| Line::new(LineKind::Same, *line)));
    with_context(all, context)
}

/// The largest table of common lines that is worth its memory.
const TABLE: usize = 250_000;

fn middle_lines(old: &[String], new: &[String]) -> Vec<Line> {
    let removed = |line: &String| Line::new(LineKind::Removed, line.clone());
    let added = |line: &String| Line::new(LineKind::Added, line.clone());
    let width = new.len() + 1;
    if old.len().saturating_mul(width) > TABLE {
        return old.iter().map(removed).chain(new.iter().map(added)).collect();
    }
    // common[i * width + j]: the longest common part of old[i..] and new[j..].
    let mut common = vec![0u32; (old.len() + 1) * width];
    let at = |common: &[u32], i: usize, j: usize| common.get(i * width + j).copied().unwrap_or(0);
    for (i, a) in old.iter().enumerate().rev() {
        for (j, b) in new.iter().enumerate().rev() {
            let best =
                if a == b { at(&common, i + 1, j + 1) + 1 } else { at(&common, i + 1, j).max(at(&common, i, j + 1)) };
            if let Some(cell) = common.get_mut(i * width + j) {
                *cell = best;
            }
        }
    }
    let (mut i, mut j, mut all) = (0, 0, Vec::new());
    loop {
        match (old.get(i), new.get(j)) {
            (Some(a), Some(b)) if a == b => {
                all.push(Line::new(LineKind::Same, a.clone()));
                (i, j) = (i + 1, j + 1);
            }
            (Some(a), Some(_)) if at(&common, i + 1, j) >= at(&common, i, j + 1) => {
                all.push(removed(a));
                i += 1;
            }
            (Some(a), None) => {
                all.push(removed(a));
                i += 1;
            }
            (_, Some(b)) => {
                all.push(added(b));
                j += 1;
            }
            (None, None) => return all,
        }
    }
}

fn with_context(all: Vec<Line>, context: usize) -> Vec<Line> {
    let changed: Vec<usize> =
        all.iter().enumerate().filter(|(_, line)| line.kind != LineKind::Same).map(|(index, _)| index).collect();
    let near = |index: usize| {
        let after = changed.partition_point(|at| *at < index);
        let next = changed.get(after).is_some_and(|at| at - index <= context);
        next || after.checked_sub(1).and_then(|i| changed.get(i)).is_some_and(|at| index - at <= context)
    };
    let mut shown = Vec::new();
    let mut hidden = false;
    for (index, line) in all.into_iter().enumerate() {
        if near(index) {
            if hidden && !shown.is_empty() {
                shown.push(Line::new(LineKind::Gap, "⋯"));
            }
            hidden = false;
            shown.push(line);
        } else {
            hidden = true;
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(lines: &[Line]) -> Vec<String> {
        let sign = |kind| match kind {
            LineKind::Added => '+',
            LineKind::Removed => '-',
            LineKind::Same => ' ',
            LineKind::Gap => '~',
        };
        lines.iter().map(|line| format!("{}{}", sign(line.kind), line.text)).collect()
    }

    #[test]
    fn objects_differ_by_field_without_bookkeeping() {
        let before = json!({"metadata": {"resourceVersion": "1"}, "spec": {"nodeName": "", "containers": [{"name": "c", "image": "a:1"}]}});
        let after = json!({"metadata": {"resourceVersion": "2"}, "spec": {"nodeName": "worker1", "containers": [{"name": "c", "image": "a:2"}]}});
        assert_eq!(
            text(&fields(Some(&before), Some(&after), 10)),
            [
                "-spec.containers[c].image: a:1",
                "+spec.containers[c].image: a:2",
                "-spec.nodeName: \"\"",
                "+spec.nodeName: worker1"
            ]
        );
        assert_eq!(text(&fields(None, Some(&json!({"a": {"b": 1}, "c": []})), 10)), ["+a.b: 1", "+c: []"]);
        assert_eq!(text(&fields(Some(&json!({"a": 1, "b": 2})), None, 1)), ["-a: 1", "~… +1"]);
    }

    #[test]
    fn texts_differ_by_line_with_a_little_around_it() {
        let before = "1\n2\n3\n4\nimage: a\n6\n7\n8\n";
        let after = "1\n2\n3\n4\nimage: b\n6\n7\n8\nnew\n";
        assert_eq!(text(&lines(before, after, 1)), [" 4", "-image: a", "+image: b", " 6", "~⋯", " 8", "+new"]);
        assert_eq!(lines("same", "same", 3), []);
        assert_eq!(text(&lines("", "a", 3)), ["+a"]);
    }
}
