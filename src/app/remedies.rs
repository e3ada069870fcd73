//! What to do about something that the API server refuses: in plain words and, where there is exactly one right change,
//! as an edit of the person's text that leaves everything else as it is.

use crate::apiserver::schema::{self, Unmatched, unmatched_kind};
use crate::kubectl::{PreviewItem, PreviewProblem};
use crate::manifest::{
    self, Document, Limits, ManifestRead, PathSegment, Span, TextEdit, apply_edits, edit, parse_path,
};
use crate::objects::Quantity;
use serde_json::{Map, Value};

/// What to do, in facts; `text::remedies` has the words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advice {
    /// A word is misspelt; this one is meant.
    DidYouMean(String),
    /// The kind is served under this apiVersion.
    UseVersion(String),
    /// The apiVersion was removed in this release; use the other.
    VersionRemoved(&'static str, String),
    /// The selector must be written, with the labels of the template.
    AddSelector,
    /// The labels of the template must match the selector.
    MatchLabels,
    /// The selector cannot change once the object exists; this command deletes it.
    KeepSelector(String),
    /// Exactly one of `maxUnavailable` and `maxSurge` must be above 0.
    OneBudget,
    /// Only this value works here.
    OnlyValue(String),
    /// The field has no place here.
    RemoveField,
    /// The value must be a text: quote it.
    Quote,
    /// The value must be no text: take the quotes off.
    Unquote,
    /// The value must be a list.
    PutInList,
    /// A quantity is written like this.
    WriteQuantity(String),
    /// A name is written like this.
    WriteName(String),
    /// The field exists, but there.
    BelongsIn(String),
    /// The namespace must be created first.
    CreateNamespace(String),
    /// The limit of such a resource must be set, to the same amount.
    SetLimit,
    /// Without a key only `operator: Exists` is possible.
    OperatorExists,
    /// Labels of a selector stand in `matchLabels`.
    UseMatchLabels,
}

/// What to do, and the edit that does it.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    /// In facts.
    pub advice: Advice,
    /// The one right change, if there is one.
    pub edits: Option<Vec<TextEdit>>,
}

/// One object of a text that was read.
pub struct Fault<'a> {
    /// The person's text.
    pub text: &'a str,
    /// The text, read.
    pub read: &'a ManifestRead,
    /// The object, and what applying it would do.
    pub item: &'a PreviewItem,
    /// What is wrong.
    pub problem: &'a PreviewProblem,
}

type Edits = Option<Vec<TextEdit>>;

impl<'a> Fault<'a> {
    pub(super) fn document(&self) -> Option<&'a Document> {
        self.read.documents.iter().find(|document| document.index == self.item.document)
    }

    /// The object that the problem is about.
    pub fn object(&self) -> Option<manifest::Object<'a>> {
        self.document()?.objects().nth(self.item.index)
    }

    /// The field as the person wrote it.
    fn field(&self) -> String {
        let field = written_field(&self.item.kind, &self.problem.field);
        let of_type = field == "spec.updateStrategy" && self.problem.message.starts_with("Unsupported value");
        if of_type { format!("{field}.type") } else { field }
    }

    /// The path of a field in the document.
    pub(super) fn path(&self, field: &str) -> Option<Vec<PathSegment>> {
        let mut path = self.object()?.path;
        path.extend(parse_path(field));
        Some(path)
    }

    fn value(&self, field: &str) -> Option<Value> {
        let object = self.object()?;
        let found = parse_path(field).into_iter().try_fold(&*object.value, |at, segment| match segment {
            PathSegment::Key(key) => at.get(key),
            PathSegment::Index(index) => at.get(index),
        });
        found.filter(|value| !value.is_null()).cloned()
    }

    fn text_at(&self, field: &str) -> Option<String> {
        self.value(field)?.as_str().map(str::to_owned)
    }

    fn set(&self, field: &str, value: &Value) -> Edits {
        edit::set(self.text, self.document()?, &self.path(field)?, value).ok()
    }

    fn set_scalar(&self, field: &str, value: &Value) -> Edits {
        edit::set_scalar(self.text, self.document()?, &self.path(field)?, value).ok()
    }

    fn remove(&self, field: &str) -> Edits {
        edit::remove(self.text, self.document()?, &self.path(field)?).ok()
    }

    fn said(&self, words: &str) -> bool {
        self.problem.message.contains(words)
    }

    /// Where to point at: the value, or the key of a value that is long or should not be there. In a map, the entry
    /// that the message shows.
    pub fn place(&self) -> Option<Span> {
        let field = if self.problem.field.is_empty() { "kind".into() } else { self.field() };
        let location = self.object()?.locate_text(&field)?;
        if let Some(Value::Object(entries)) = self.value(&field)
            && let Some(shown) = shown_text(&self.problem.message)
        {
            let entry = entries
                .iter()
                .find(|(key, value)| **key == shown || value.as_str() == Some(&shown) || key.to_lowercase() == shown);
            let found = entry.and_then(|(key, value)| {
                let mut path = parse_path(&field);
                path.push(PathSegment::Key(key.clone()));
                let location = self.object()?.locate(&path)?;
                if value.as_str() == Some(&shown) { Some(location.value) } else { location.key }
            });
            if found.is_some() {
                return found;
            }
        }
        let one_line = location.value.start.line == location.value.end.line && !location.value.range().is_empty();
        Some(match location.key {
            Some(key) if self.said("unknown field") || !location.exact || !one_line => key,
            Some(key) if location.value.start.line != key.start.line && location.alias.is_none() => key,
            _ => location.alias.unwrap_or(location.value),
        })
    }

    /// What to do about it.
    pub fn repair(&self) -> Option<Repair> {
        if !self.problem.is_error {
            return None;
        }
        let field = self.field();
        if field.is_empty() {
            return self.of_the_object();
        }
        if self.said("unknown field") {
            return self.unknown_field(&field);
        }
        if self.said("cannot unmarshal") {
            return self.wrong_type(&field);
        }
        if self.said("quantities must match") {
            return self.quantity(&field);
        }
        self.strategy(&field).or_else(|| self.selector(&field)).or_else(|| self.single_field(&field))
    }

    /// Faults of apiVersion, kind and namespace, which name no field.
    fn of_the_object(&self) -> Option<Repair> {
        let object = self.object()?;
        let text = |name: &str| object.value.get(name).and_then(Value::as_str).unwrap_or("").to_owned();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        if self.said("apiVersion not set") && !self.said("kind not set") {
            let resource = only(schema::resources().iter().filter(|resource| resource.kind == kind))?;
            let version = resource.api_version();
            let edits = self.line_before("kind", &format!("apiVersion: {version}"));
            return Some(Repair { advice: Advice::UseVersion(version), edits });
        }
        if self.said("no matches for kind") {
            return match unmatched_kind(&api_version, &kind) {
                Unmatched::Removed(removed) => {
                    let replacement = removed.replacement?.to_owned();
                    let edits = self.set_scalar("apiVersion", &replacement.as_str().into());
                    Some(Repair { advice: Advice::VersionRemoved(removed.release, replacement), edits })
                }
                Unmatched::OtherVersion(version) => {
                    let sole = only(schema::resources().iter().filter(|resource| resource.kind == kind)).is_some();
                    let edits = sole.then(|| self.set_scalar("apiVersion", &version.as_str().into())).flatten();
                    Some(Repair { advice: Advice::UseVersion(version), edits })
                }
                Unmatched::Misspelt(resource) => {
                    let edits = self.set_scalar("kind", &resource.kind.into());
                    Some(Repair { advice: Advice::DidYouMean(resource.kind.into()), edits })
                }
                Unmatched::Unknown => None,
            };
        }
        let missing = self.problem.message.split("namespaces \"").nth(1).filter(|_| self.said("\" not found"))?;
        let name = missing.split('"').next()?.to_owned();
        let is_sound = crate::apiserver::validation::names::name_is_dns_label(&name, false).is_empty();
        let document = self.document()?;
        let edits = (is_sound && document.format == manifest::Format::Yaml && object.path.is_empty())
            .then(|| {
                self.document_before(&format!("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: {name}\n---\n"))
            })
            .flatten();
        Some(Repair { advice: Advice::CreateNamespace(name), edits })
    }

    /// A line in front of the line of a key of the object itself.
    fn line_before(&self, key: &str, line: &str) -> Edits {
        let object = self.object()?;
        let at = object.locate_text(key)?.key?.start;
        let line_start = self.text.get(..at.offset)?.rfind('\n').map_or(0, |at| at + 1);
        let indent = self.text.get(line_start..at.offset)?;
        if object.document.format == manifest::Format::Json || !indent.trim_start().trim_start_matches('-').is_empty() {
            let name = line.split(':').next()?;
            return self.set(name, &line.split(": ").nth(1)?.into());
        }
        let below = " ".repeat(indent.chars().count());
        let break_ = self.line_break();
        let replacement = format!("{line}{break_}{below}");
        Some(vec![TextEdit { start: at.offset, end: at.offset, replacement }])
    }

    fn line_break(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// A document in front of the object's.
    fn document_before(&self, text: &str) -> Edits {
        let document = self.document()?;
        let mut start = document.span.start.offset;
        let rest = self.text.get(start..)?;
        // Behind a mark at the beginning of the text, and behind the line that opens the first document.
        if document.index == 0 {
            start += if rest.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
            let rest = self.text.get(start..)?;
            if rest.starts_with("---") || rest.starts_with('%') {
                return None;
            }
        }
        let replacement = text.replace('\n', self.line_break());
        Some(vec![TextEdit { start, end: start, replacement }])
    }

    /// A field that the type does not have.
    fn unknown_field(&self, field: &str) -> Option<Repair> {
        let (parent, name) = field.rsplit_once('.').unwrap_or(("", field));
        let parent_type = match parent {
            "" => self.item.kind.as_str(),
            _ => schema::field(&self.item.kind, parent).and_then(|field| field.kind.struct_name())?,
        };
        if parent_type == "LabelSelector" && self.value(field).is_some_and(|value| value.is_string()) {
            return Some(Repair { advice: Advice::UseMatchLabels, edits: self.below_match_labels(parent) });
        }
        if let Some(meant) = schema::suggest_field(parent_type, name) {
            let edits = edit::replace_key(self.text, self.document()?, &self.path(field)?, meant).ok();
            return Some(Repair { advice: Advice::DidYouMean(meant.into()), edits });
        }
        self.belongs_in(parent, parent_type, name)
    }

    /// `selector: {app: a}` as people know it from Services: the labels belong one level down.
    fn below_match_labels(&self, selector: &str) -> Edits {
        let Value::Object(entries) = self.value(selector)? else { return None };
        let span = self.object()?.locate_text(selector)?.value;
        let written = self.text.get(span.range())?;
        if written.contains(['#', '*', '&']) || !entries.values().all(Value::is_string) {
            return None;
        }
        self.set(selector, &Value::Object(Map::from_iter([("matchLabels".to_owned(), Value::Object(entries))])))
    }

    /// A value of the wrong type.
    fn wrong_type(&self, field: &str) -> Option<Repair> {
        let wanted = self.problem.message.rsplit(" of type ").next()?;
        let value = self.value(field)?;
        match (&value, wanted) {
            (Value::Bool(_) | Value::Number(_), "string") => {
                let edits = edit::quote(self.text, self.document()?, &self.path(field)?).ok();
                Some(Repair { advice: Advice::Quote, edits })
            }
            (Value::String(text), "[]string") => {
                let edits = self.set_scalar(field, &Value::Array(vec![text.as_str().into()]));
                Some(Repair { advice: Advice::PutInList, edits })
            }
            (Value::String(text), _) => {
                let meant = match wanted {
                    "bool" => match text.to_ascii_lowercase().as_str() {
                        "true" | "yes" | "on" => Value::Bool(true),
                        "false" | "no" | "off" => Value::Bool(false),
                        _ => return None,
                    },
                    "int32" | "int64" => text.trim().parse::<i64>().ok()?.into(),
                    _ => return None,
                };
                Some(Repair { advice: Advice::Unquote, edits: self.set_scalar(field, &meant) })
            }
            _ => None,
        }
    }

    /// An amount with a unit that is nearly right.
    fn quantity(&self, field: &str) -> Option<Repair> {
        let text = self.text_at(field)?;
        let meant = meant_quantity(&text)?;
        let edits = self.set_scalar(field, &meant.as_str().into());
        Some(Repair { advice: Advice::WriteQuantity(meant), edits })
    }

    /// The update strategy.
    fn strategy(&self, field: &str) -> Option<Repair> {
        let rolling = "spec.updateStrategy.rollingUpdate";
        if field == "spec.updateStrategy.type" || field == "spec.strategy.type" {
            let meant =
                schema::suggest(&self.text_at(field)?, quoted_texts(&supported(&self.problem.message)?))?.to_owned();
            let edits = self.set_scalar(field, &meant.as_str().into());
            return Some(Repair { advice: Advice::DidYouMean(meant), edits });
        }
        if !field.starts_with(rolling) {
            return None;
        }
        let unavailable = format!("{rolling}.maxUnavailable");
        let edits = match self.problem.message.as_str() {
            said if said.contains("may not be set when maxUnavailable is non-zero") => {
                // Whoever writes a surge means it; maxUnavailable is there by default.
                self.set(&unavailable, &0.into())
            }
            said if said.contains("cannot be 0 when maxSurge is 0") => self.set(&unavailable, &1.into()),
            said if said.contains("a valid percent string") => {
                let number: i64 = self.text_at(field)?.trim().parse().ok().filter(|number| *number >= 0)?;
                return Some(Repair { advice: Advice::Unquote, edits: self.set_scalar(field, &number.into()) });
            }
            _ => return None,
        };
        Some(Repair { advice: Advice::OneBudget, edits })
    }

    /// The selector and the labels of the template.
    fn selector(&self, field: &str) -> Option<Repair> {
        let template_labels = "spec.template.metadata.labels";
        if field == "spec.selector" && self.said("field is immutable") {
            let PreviewItem { kind, name, namespace, .. } = self.item;
            let place = if namespace == "default" { String::new() } else { format!(" -n {namespace}") };
            let command = format!("kubectl delete {} {name}{place}", kind.to_lowercase());
            return Some(Repair { advice: Advice::KeepSelector(command), edits: None });
        }
        let is_missing = field == "spec.selector" && self.problem.message.starts_with("Required");
        let differs = field == template_labels && self.said("`selector` does not match template `labels`");
        if !is_missing && !differs {
            return None;
        }
        let labels = self.value(template_labels);
        let Some(selector) = self.value("spec.selector") else {
            let Some(labels @ Value::Object(_)) = labels else {
                return Some(Repair { advice: Advice::AddSelector, edits: None });
            };
            return Some(Repair { advice: Advice::AddSelector, edits: self.new_selector(&labels) });
        };
        let mut wanted: Vec<(String, Value)> = Vec::new();
        let mut clear = true;
        for (key, value) in selector.get("matchLabels").and_then(Value::as_object).into_iter().flatten() {
            wanted.push((key.clone(), value.clone()));
        }
        for expression in selector.get("matchExpressions").and_then(Value::as_array).into_iter().flatten() {
            let values = expression.get("values").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            match (
                expression.get("operator").and_then(Value::as_str),
                expression.get("key").and_then(Value::as_str),
                values,
            ) {
                (Some("In"), Some(key), [value]) => wanted.push((key.to_owned(), value.clone())),
                _ => clear = false,
            }
        }
        let edits = (clear && !wanted.is_empty()).then(|| self.with_labels(template_labels, &wanted)).flatten();
        Some(Repair { advice: Advice::MatchLabels, edits })
    }

    /// `selector` in front of `template`.
    fn new_selector(&self, labels: &Value) -> Edits {
        let object = self.object()?;
        let at = object.locate_text("spec.template")?.key?.start;
        let line_start = self.text.get(..at.offset)?.rfind('\n').map_or(0, |at| at + 1);
        let indent = self.text.get(line_start..at.offset)?;
        let selector = Value::Object(Map::from_iter([("matchLabels".to_owned(), labels.clone())]));
        if object.document.format == manifest::Format::Json || !indent.trim().is_empty() {
            return self.set("spec.selector", &selector);
        }
        let tree = Value::Object(Map::from_iter([("selector".to_owned(), selector)]));
        let lines: String =
            manifest::to_yaml(&tree).lines().map(|line| format!("{indent}{line}{}", self.line_break())).collect();
        Some(vec![TextEdit { start: line_start, end: line_start, replacement: lines }])
    }

    /// Each label set, one after the other.
    fn with_labels(&self, labels: &str, wanted: &[(String, Value)]) -> Edits {
        let mut text = self.text.to_owned();
        let mut path = self.path(labels)?;
        for (key, value) in wanted {
            path.push(PathSegment::Key(key.clone()));
            let read = manifest::read(&text, &Limits::default());
            let document = read.documents.iter().find(|document| document.index == self.item.document)?;
            let edits = edit::set(&text, document, &path, value).ok()?;
            path.pop();
            text = apply_edits(&text, &edits);
        }
        Some(vec![difference(self.text, &text)])
    }

    /// Faults of one field that stand for themselves.
    fn single_field(&self, field: &str) -> Option<Repair> {
        let message = &self.problem.message;
        let workload = field == "spec.template.spec.restartPolicy" && self.item.kind != "Pod";
        if workload && message.starts_with("Unsupported value") {
            let edits = self.set_scalar(field, &"Always".into());
            return Some(Repair { advice: Advice::OnlyValue("Always".into()), edits });
        }
        if message.starts_with("Unsupported value") {
            let given = self.text_at(field)?;
            let list = supported(message)?;
            // `Lt` and `Gt` are named for tolerations, and yet refused.
            let gated = field.contains(".tolerations[");
            let valid =
                || quoted_texts(&list).into_iter().filter(move |value| !gated || !matches!(*value, "Lt" | "Gt"));
            let meant = only(valid().filter(|value| value.eq_ignore_ascii_case(&given)))
                .or_else(|| schema::suggest(&given, valid()))
                .filter(|meant| *meant != given)?;
            let edits = self.set_scalar(field, &meant.into());
            return Some(Repair { advice: Advice::DidYouMean(meant.into()), edits });
        }
        if message.starts_with("Forbidden")
            && (self.said("is not Supported") || self.said("not allowed in pod template"))
        {
            return Some(Repair { advice: Advice::RemoveField, edits: self.remove(field) });
        }
        if self.said("operator must be Exists when `key` is empty") {
            let toleration = field.strip_suffix(".operator")?;
            let clear = self.value(&format!("{toleration}.value")).is_none();
            let edits = clear.then(|| self.set(field, &"Exists".into())).flatten();
            return Some(Repair { advice: Advice::OperatorExists, edits });
        }
        if self.said("must match `containerPort` when `hostNetwork` is true") {
            let port = field.strip_suffix(".hostPort")?;
            let number = self.value(&format!("{port}.containerPort"))?;
            let shown = number.to_string();
            return Some(Repair { advice: Advice::OnlyValue(shown), edits: self.set(field, &number) });
        }
        if self.said("Limit must be set for non overcommitable resources") {
            return Some(Repair { advice: Advice::SetLimit, edits: self.limits(field) });
        }
        if message.starts_with("Not found") && field.ends_with(".name") && field.contains(".volumeMounts[") {
            return self.volume(field);
        }
        self.name(field)
    }

    /// The limits of resources that cannot be overcommitted, equal to their requests.
    fn limits(&self, limits: &str) -> Edits {
        let requests = self.value(&format!("{}.requests", limits.strip_suffix(".limits")?))?;
        let present = self.value(limits).unwrap_or_default();
        let missing: Vec<(String, Value)> = requests
            .as_object()?
            .iter()
            .filter(|(name, _)| {
                !crate::apiserver::validation::allows_overcommit(name) && present.get(name.as_str()).is_none()
            })
            .map(|(name, amount)| (name.clone(), amount.clone()))
            .collect();
        self.with_labels(limits, &missing)
    }

    /// A mount of a volume that is not there: the nearest that is.
    fn volume(&self, field: &str) -> Option<Repair> {
        let spec = field.split(".containers[").next()?.split(".initContainers[").next()?;
        let volumes = self.value(&format!("{spec}.volumes"))?;
        let names = volumes.as_array()?.iter().filter_map(|volume| volume.get("name")?.as_str());
        let meant = schema::suggest(&self.text_at(field)?, names)?.to_owned();
        let edits = self.set_scalar(field, &meant.as_str().into());
        Some(Repair { advice: Advice::DidYouMean(meant), edits })
    }

    /// A name in capitals or with underscores.
    fn name(&self, field: &str) -> Option<Repair> {
        let is_name = field == "metadata.name" || field.ends_with("ontainers[0].name") || {
            let container = field.strip_suffix("].name").and_then(|rest| rest.rsplit_once('['));
            container.is_some_and(|(list, _)| list.ends_with("ontainers"))
        };
        if !is_name || !self.said("RFC 1123") {
            return None;
        }
        let given = self.text_at(field)?;
        let meant = given.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        let is_sound = crate::apiserver::validation::names::dns1123_label(&meant).is_empty();
        let edits = is_sound.then(|| self.set_scalar(field, &meant.as_str().into())).flatten();
        is_sound.then_some(Repair { advice: Advice::WriteName(meant), edits })
    }
}

/// The field where the person writes what the API server's path is about: some of its paths are no fields.
fn written_field(kind: &str, field: &str) -> String {
    if kind == "Node" && field.starts_with("metadata.taints") {
        return field.replacen("metadata", "spec", 1);
    }
    for list in ["labels", "annotations"] {
        for template in ["spec.template", "spec.jobTemplate.spec.template"] {
            let place = format!("{template}.{list}");
            if let Some(rest) = field.strip_prefix(&place) {
                return format!("{template}.metadata.{list}{rest}");
            }
        }
    }
    field.to_owned()
}

/// The first text in quotes of a message: the value that it shows.
fn shown_text(message: &str) -> Option<String> {
    let list = message.get(message.find('"')?..)?;
    quoted_texts(list).into_iter().next().map(str::to_owned)
}

/// `"a", "b"` of `supported values: "a", "b"`.
fn supported(message: &str) -> Option<String> {
    message.split("supported values: ").nth(1).map(str::to_owned)
}

/// The texts in quotes.
fn quoted_texts(list: &str) -> Vec<&str> {
    list.split('"').skip(1).step_by(2).collect()
}

/// The only one.
pub(super) fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next();
    if items.next().is_some() { None } else { first }
}

/// An amount as it was meant: without spaces, without a B for byte, with the unit's letters as Kubernetes writes them.
fn meant_quantity(text: &str) -> Option<String> {
    let compact: String = text.chars().filter(|character| !character.is_whitespace()).collect();
    let unit_at = compact.find(|character: char| character.is_ascii_alphabetic()).unwrap_or(compact.len());
    let (number, unit) = compact.split_at_checked(unit_at)?;
    let unit = if unit.len() > 1 { unit.strip_suffix(['B', 'b']).unwrap_or(unit) } else { unit };
    let unit = match unit.to_ascii_lowercase().as_str() {
        "ki" => "Ki",
        "mi" => "Mi",
        "gi" => "Gi",
        "ti" => "Ti",
        "kb" | "k" => "k",
        "g" => "G",
        "t" => "T",
        // A small m is a thousandth.
        _ => unit,
    };
    let meant = format!("{number}{unit}");
    (meant != text && Quantity::parse(&meant).is_ok()).then_some(meant)
}

/// The one edit between two texts: what is between their common beginning and their common end.
fn difference(before: &str, after: &str) -> TextEdit {
    let same_start = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    let mut start = before.floor_char_boundary(same_start);
    while !after.is_char_boundary(start) {
        start -= 1;
    }
    let most = before.len().min(after.len()) - start;
    let mut same_end = before.bytes().rev().zip(after.bytes().rev()).take(most).take_while(|(a, b)| a == b).count();
    while !before.is_char_boundary(before.len() - same_end) || !after.is_char_boundary(after.len() - same_end) {
        same_end -= 1;
    }
    let replacement = after.get(start..after.len() - same_end).unwrap_or("").to_owned();
    TextEdit { start, end: before.len() - same_end, replacement }
}
