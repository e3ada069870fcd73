//! What may be written at a place of a manifest, and what stands there: from the schema, for the editor.
//!
//! While somebody types, the text is rarely correct YAML. So the place is found by indentation, as a person finds it.

use crate::apiserver::schema::{self, Field, Kind, allowed_values, describe};
use crate::order::Order;
use serde::Serialize;
use std::collections::BTreeSet;

/// Something that may be written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Offer {
    /// What is offered.
    pub label: String,
    /// Its type.
    pub detail: String,
    /// What is put into the text.
    pub apply: String,
    /// What it is for; often nothing.
    pub info: Option<&'static str>,
}

/// A line of YAML, taken apart.
struct Line<'t> {
    /// Column of the key, behind the dashes of a list.
    indent: usize,
    /// Column of the first dash, if the line begins an item.
    dash: Option<usize>,
    key: &'t str,
    /// What stands behind the colon; `None` where there is no colon.
    value: Option<&'t str>,
}

impl<'t> Line<'t> {
    fn read(text: &'t str) -> Self {
        let blank = text.len() - text.trim_start_matches(' ').len();
        let mut rest = text.get(blank..).unwrap_or("");
        let (mut indent, mut dash) = (blank, None);
        while let Some(after) =
            rest.strip_prefix("- ").or_else(|| rest.strip_prefix('-').filter(|rest| rest.is_empty()))
        {
            dash.get_or_insert(indent);
            let spaces = after.len() - after.trim_start_matches(' ').len();
            indent += rest.len() - after.len() + spaces;
            rest = after.trim_start_matches(' ');
        }
        let (key, value) = match rest.split_once(':') {
            Some((key, value)) if value.is_empty() || value.starts_with(' ') => (key, Some(value.trim())),
            _ => (rest, None),
        };
        Self { indent, dash, key: key.trim().trim_matches(['"', '\'']), value }
    }

    fn is_blank(&self) -> bool {
        self.key.is_empty() && self.value.is_none() && self.dash.is_none()
    }
}

/// The place that the cursor is at.
struct Place<'t> {
    /// Type of the mapping.
    type_name: &'static str,
    /// Keys that it has already.
    present: BTreeSet<&'t str>,
    /// The key whose value is being written.
    value_of: Option<&'t str>,
    indent: usize,
}

/// What may be written at a place of the text, in UTF-16 units.
pub fn offers(text: &str, position: usize) -> Vec<Offer> {
    let offset = byte_offset(text, position);
    let Some(place) = place_at(text, offset) else { return Vec::new() };
    if let Some(key) = place.value_of {
        return values(place.type_name, key);
    }
    let fields = fields(place.type_name);
    let free = fields.into_iter().filter(|field| !place.present.contains(field.name) && field.name != "status");
    let mut offers: Vec<(bool, Offer)> = free
        .map(|field| {
            let offer = Offer {
                label: field.name.to_string(),
                detail: field.kind.explain_type(),
                apply: format!("{}{}", field.name, opening(&field.kind, place.indent)),
                info: describe(place.type_name, field.name),
            };
            (!field.required, offer)
        })
        .collect();
    offers.order_by(|a, b| (a.0, &a.1.label).cmp(&(b.0, &b.1.label)));
    offers.into_iter().map(|(_, offer)| offer).collect()
}

/// What stands at a place of the text, in UTF-16 units: the field with its type and what it is for.
pub fn hover(text: &str, position: usize) -> Option<String> {
    let offset = byte_offset(text, position);
    let line_start = text.get(..offset)?.rfind('\n').map_or(0, |at| at + 1);
    let line = text.get(line_start..)?.lines().next()?;
    let read = Line::read(line);
    let on_key = offset >= line_start + read.indent && offset <= line_start + read.indent + read.key.len();
    if !on_key || read.value.is_none() {
        return None;
    }
    let place = place_at(text, line_start + read.indent)?;
    let field = schema::field_of(place.type_name, read.key)?;
    let mut told = format!("{}: {}", field.name, field.kind.explain_type());
    if let Some(description) = describe(place.type_name, field.name) {
        told = format!("{told}\n{description}");
    }
    let allowed = allowed_values(place.type_name, field.name);
    if !allowed.is_empty() {
        told = format!("{told}\n{}", allowed.join(" | "));
    }
    Some(told)
}

fn fields(type_name: &str) -> Vec<&'static Field> {
    schema::fields_of(type_name).iter().collect()
}

fn values(type_name: &str, key: &str) -> Vec<Offer> {
    let offer =
        |text: &str, detail: &str| Offer { label: text.into(), detail: detail.into(), apply: text.into(), info: None };
    let kind = schema::field_of(type_name, key).map(|field| &field.kind);
    let allowed = allowed_values(type_name, key);
    match key {
        _ if !allowed.is_empty() => allowed.into_iter().map(|value| offer(value, "")).collect(),
        "kind" if kind.is_some() => {
            schema::resources().iter().map(|resource| offer(resource.kind, &resource.api_version())).collect()
        }
        "apiVersion" => {
            let versions: BTreeSet<String> =
                schema::resources().iter().map(|resource| resource.api_version()).collect();
            versions.iter().map(|version| offer(version, "")).collect()
        }
        _ if kind == Some(&Kind::Bool) => vec![offer("true", ""), offer("false", "")],
        _ => Vec::new(),
    }
}

/// What is written behind a key, up to where its value begins.
fn opening(kind: &Kind, indent: usize) -> String {
    let below = " ".repeat(indent + 2);
    match kind {
        Kind::Struct(_) | Kind::Map(_) => format!(":\n{below}"),
        Kind::List(_) => format!(":\n{below}- "),
        _ => ": ".into(),
    }
}

/// Finds out where in an object the offset is.
fn place_at(text: &str, offset: usize) -> Option<Place<'_>> {
    let before = text.get(..offset)?;
    let start = before
        .rfind("\n---")
        .map_or(0, |at| before.get(at + 1..).and_then(|t| t.find('\n')).map_or(at, |n| at + n + 2));
    let end = text.get(offset..)?.find("\n---").map_or(text.len(), |at| offset + at);
    let document = text.get(start..end)?;
    let lines: Vec<Line<'_>> = document.lines().map(Line::read).collect();
    let row = text.get(start..offset)?.matches('\n').count();
    let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
    let current = lines.get(row);
    let (indent, value_of) = match current {
        Some(line) if !line.is_blank() => {
            let behind_colon = line.value.is_some() && column > line.indent + line.key.len();
            (line.indent, behind_colon.then_some(line.key))
        }
        _ => (column, None),
    };
    let path = path_of(&lines, row, indent, current.and_then(|line| line.dash));
    let kind = lines.iter().find(|line| line.indent == 0 && line.key == "kind").and_then(|line| line.value);
    let type_name = type_of(kind.unwrap_or(""), &path)?;
    Some(Place { type_name, present: siblings(&lines, row, indent), value_of, indent })
}

/// The keys above, outermost first.
fn path_of<'t>(lines: &[Line<'t>], row: usize, indent: usize, dash: Option<usize>) -> Vec<&'t str> {
    let mut path = Vec::new();
    let mut limit = dash.unwrap_or(indent);
    // Below a key, an item's dash may stand in the key's own column.
    let mut may_be_level = dash.is_some();
    for line in lines.iter().take(row).rev().filter(|line| !line.is_blank()) {
        let above = line.indent < limit || (may_be_level && line.indent == limit && line.dash.is_none());
        if above && line.value.is_some_and(|value| value.is_empty() || value.starts_with(['&', '#'])) {
            path.push(line.key);
            limit = line.dash.unwrap_or(line.indent);
            may_be_level = line.dash.is_some();
        } else if line.dash.is_some_and(|dash| dash < limit) && line.indent <= limit {
            // The first line of the item that the limit belongs to.
            limit = line.dash.unwrap_or(limit);
            may_be_level = true;
        }
    }
    path.reverse();
    path
}

/// The keys of the same mapping.
fn siblings<'t>(lines: &[Line<'t>], row: usize, indent: usize) -> BTreeSet<&'t str> {
    let mut keys = BTreeSet::new();
    let begins_item = |line: &Line<'_>| line.dash.is_some();
    let inside = |line: &&Line<'t>| line.is_blank() || line.indent >= indent;
    let mut add = |line: &Line<'t>| {
        if line.indent == indent && line.value.is_some() {
            keys.insert(line.key);
        }
    };
    if !lines.get(row).is_some_and(begins_item) {
        for line in lines.iter().take(row).rev().take_while(inside) {
            add(line);
            if line.indent == indent && begins_item(line) {
                break;
            }
        }
    }
    for line in lines.iter().skip(row + 1).take_while(inside) {
        if line.indent == indent && begins_item(line) {
            break;
        }
        add(line);
    }
    keys
}

/// The type that a path of keys leads to.
fn type_of(kind: &str, path: &[&str]) -> Option<&'static str> {
    let known = schema::resources().iter().map(|resource| resource.kind).find(|known| *known == kind);
    let mut type_name = known.or_else(|| path.is_empty().then_some("DaemonSet"))?;
    for key in path {
        type_name = schema::field_of(type_name, key)?.kind.struct_name()?;
    }
    Some(type_name)
}

/// The byte at a UTF-16 offset.
fn byte_offset(text: &str, units: usize) -> usize {
    let mut seen = 0;
    for (at, character) in text.char_indices() {
        if seen >= units {
            return at;
        }
        seen += character.len_utf16();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Offers at the `|` of a text.
    fn labels(text: &str) -> Vec<String> {
        let position = text.find('|').unwrap();
        offers(&text.replace('|', ""), position).into_iter().map(|offer| offer.label).collect()
    }

    fn has(text: &str, wanted: &[&str], unwanted: &[&str]) {
        let labels = labels(text);
        for label in wanted {
            assert!(labels.iter().any(|l| l == label), "{label} in {labels:?}");
        }
        for label in unwanted {
            assert!(!labels.iter().any(|l| l == label), "{label} not in {labels:?}");
        }
    }

    const HEAD: &str = "apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: a\nspec:\n  selector: {}\n";

    #[test]
    fn fields_of_the_mapping_are_offered_without_those_it_has() {
        has(&format!("{HEAD}  |"), &["template", "updateStrategy", "minReadySeconds"], &["selector", "replicas"]);
        has(&format!("{HEAD}  upd|"), &["updateStrategy"], &["selector"]);
        has("apiVersion: v1\n|", &["kind", "metadata", "spec"], &["apiVersion", "status"]);
    }

    #[test]
    fn lists_are_looked_through_wherever_their_dash_stands() {
        let spec = format!("{HEAD}  template:\n    spec:\n");
        has(&format!("{spec}      containers:\n        - name: a\n          |"), &["image", "resources"], &["name"]);
        has(
            &format!("{spec}      containers:\n      - name: a\n        im|"),
            &["image", "ports"],
            &["name", "tolerations"],
        );
        has(&format!("{spec}      tolerations:\n        - |"), &["key", "operator", "effect"], &[]);
        has(
            &format!("{spec}      containers:\n      - name: a\n      to|"),
            &["tolerations", "nodeSelector"],
            &["containers"],
        );
    }

    #[test]
    fn values_are_offered_where_they_are_few() {
        has(&format!("{HEAD}  updateStrategy:\n    type: |"), &["RollingUpdate", "OnDelete"], &[]);
        has(&format!("{HEAD}  template:\n    spec:\n      hostNetwork: |"), &["true", "false"], &[]);
        has("kind: |", &["DaemonSet", "Node"], &[]);
        assert_eq!(labels(&format!("{HEAD}  template:\n    spec:\n      priorityClassName: |")), Vec::<String>::new());
    }

    #[test]
    fn what_is_put_in_opens_the_value() {
        let at = HEAD.len() + 2;
        let offers = offers(&format!("{HEAD}  "), at);
        let apply = |label: &str| offers.iter().find(|offer| offer.label == label).unwrap().apply.clone();
        assert_eq!(apply("template"), "template:\n    ");
        assert_eq!(apply("minReadySeconds"), "minReadySeconds: ");
    }

    #[test]
    fn the_second_document_has_its_own_kind() {
        has("kind: DaemonSet\nspec: {}\n---\nkind: Node\nspec:\n  |", &["taints", "unschedulable"], &["template"]);
    }

    #[test]
    fn hovering_a_key_tells_its_type() {
        let text = format!("{HEAD}  minReadySeconds: 5 # é\n");
        let told = hover(&text, text.find("ReadySec").unwrap()).unwrap();
        assert!(told.starts_with("minReadySeconds: integer"), "{told}");
        assert_eq!(hover(&text, text.find("5 #").unwrap()), None);
    }
}
