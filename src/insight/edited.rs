//! Changes of fields made in a person's text.

use super::explain::{ManifestEdit, ManifestOperation};
use crate::manifest::{self, Limits, PathSegment, TextEdit, apply_edits, edit, parse_path};

/// The text after the edits to one object, each made in the text as the one before left it; comments and order stay.
/// `document` and `prefix` name the object as [`manifest::Object`] does. `None` where an edit cannot be made in the text.
pub fn edited(text: &str, document: usize, prefix: &[PathSegment], edits: &[ManifestEdit]) -> Option<String> {
    edits.iter().try_fold(text.to_string(), |text, wanted| {
        let read = manifest::read(&text, &Limits::default());
        let document = read.documents.get(document)?;
        let mut path = prefix.to_vec();
        path.extend(parse_path(&wanted.path));
        let made = match &wanted.operation {
            ManifestOperation::Set(value) => edit::set(&text, document, &path, value),
            ManifestOperation::Append(value) => edit::add_list_item(&text, document, &path, value),
            ManifestOperation::Remove => edit::remove(&text, document, &path),
        };
        Some(apply_edits(&text, &made.ok()?))
    })
}

/// The one edit that makes `after` of `before`: what they have in common at both ends stays.
pub fn difference(before: &str, after: &str) -> TextEdit {
    let start = before.chars().zip(after.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum::<usize>();
    let (rest_before, rest_after) = (before.get(start..).unwrap_or(""), after.get(start..).unwrap_or(""));
    let pairs = rest_before.chars().rev().zip(rest_after.chars().rev());
    let same = pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum::<usize>();
    TextEdit {
        start,
        end: before.len().saturating_sub(same),
        replacement: rest_after.get(..rest_after.len().saturating_sub(same)).unwrap_or("").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_is_one_edit_between_what_is_the_same() {
        for (before, after) in [("abc", "abc"), ("a: é\n", "a: è\nb: 1\n"), ("", "x"), ("xx", "x"), ("x", "xxx")] {
            let edit = difference(before, after);
            assert_eq!(apply_edits(before, &[edit]), after, "{before:?} {after:?}");
        }
    }
}
