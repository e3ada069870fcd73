//! What is wrong with a manifest, and what applying it would change.

use crate::apiserver::Change;
use crate::app::command;
use crate::app::diff;
use crate::app::text::Words;
use crate::app::view::{EditorFix, EditorNote, Outcome, Problem, Review};
use crate::manifest::{self, Diagnostic, Limits, ManifestRead, Severity, apply_edits, to_yaml};
use crate::objects::Object;
use crate::simulation::{Reason, Session};
use serde_json::Value;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What there is to say about a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Check {
    /// One line each, errors and warnings in the order of the text.
    pub problems: Rc<Vec<Problem>>,
    /// The same for the editor.
    pub notes: Rc<Vec<EditorNote>>,
    /// What applying would do; `None` when it would do nothing or be refused.
    pub review: Option<Rc<Review>>,
    /// The whole text after each fix.
    pub fixes: Vec<Rc<str>>,
}

impl Check {
    /// Looks at the text of a file. Nothing is changed: the command runs on a copy of the world.
    pub fn of(session: &Session, words: &Words, files: &BTreeMap<String, String>, name: &str) -> Self {
        let text = files.get(name).map_or("", String::as_str);
        if text.trim().is_empty() {
            return Self::default();
        }
        let read = manifest::read(text, &Limits::default());
        let mut check = Self::default();
        let mut findings: Vec<Finding> =
            read.diagnostics.iter().map(|diagnostic| Finding::of_diagnostic(words, diagnostic)).collect();
        if !read.has_errors() {
            let (review, refusals) = try_apply(session, files, name, &read);
            findings.extend(refusals);
            check.review = review;
        }
        findings.sort_by_key(|finding| (finding.from, !finding.error));
        check.take(text, findings, words);
        check
    }

    fn take(&mut self, text: &str, findings: Vec<Finding>, words: &Words) {
        let (mut problems, mut notes) = (Vec::new(), Vec::new());
        for finding in findings {
            let fix = finding.fix.map(|edits| {
                self.fixes.push(apply_edits(text, &edits).into());
                self.fixes.len() - 1
            });
            let label = words.fix.to_string();
            notes.push(EditorNote {
                from: finding.from,
                to: finding.to,
                severity: if finding.error { "error" } else { "warning" },
                message: match &finding.remedy {
                    Some(remedy) => format!("{}\n{remedy}", finding.message),
                    None => finding.message.clone(),
                },
                fixes: fix.map(|index| EditorFix { label, id: index.to_string() }).into_iter().collect(),
            });
            problems.push(Problem {
                line: finding.line,
                at: finding.from,
                error: finding.error,
                message: finding.message,
                remedy: finding.remedy,
                fix,
            });
        }
        self.problems = Rc::new(problems);
        self.notes = Rc::new(notes);
    }
}

/// Something to say about a place of the text.
struct Finding {
    line: usize,
    from: u32,
    to: u32,
    error: bool,
    message: String,
    remedy: Option<String>,
    fix: Option<Vec<manifest::TextEdit>>,
}

impl Finding {
    fn of_diagnostic(words: &Words, diagnostic: &Diagnostic) -> Self {
        let units = |units: usize| u32::try_from(units).unwrap_or(u32::MAX);
        Self {
            line: diagnostic.span.start.line,
            from: units(diagnostic.span.start.utf16),
            to: units(diagnostic.span.end.utf16),
            error: diagnostic.severity == Severity::Error,
            message: words.manifest_fact(&diagnostic.fact),
            remedy: words.manifest_remedy(&diagnostic.remedy),
            fix: diagnostic.fix.clone(),
        }
    }

    /// What the API server said about a document, at the field that it names.
    fn of_refusal(read: &ManifestRead, text: &str, error: bool) -> Self {
        let place = place_of(read, text);
        let span = place.map(|location| location.key.unwrap_or(location.value)).unwrap_or_default();
        let units = |units: usize| u32::try_from(units).unwrap_or(u32::MAX);
        Self {
            line: span.start.line.max(1),
            from: units(span.start.utf16),
            to: units(span.end.utf16),
            error,
            message: text.to_string(),
            remedy: None,
            fix: None,
        }
    }
}

/// The field that a sentence of the API server speaks of: its words are tried as paths, the deepest that exists wins.
fn place_of(read: &ManifestRead, text: &str) -> Option<manifest::Location> {
    let words = text.split([' ', ',', '"']).map(|word| word.trim_end_matches([':', '.', ';']));
    let paths: Vec<&str> = words.filter(|word| word.contains('.') || *word == "spec" || *word == "metadata").collect();
    let mut best: Option<manifest::Location> = None;
    for object in read.objects() {
        let name = object.value.pointer("/metadata/name").and_then(Value::as_str);
        if name.is_some_and(|name| !text.contains(name)) && read.objects().count() > 1 {
            continue;
        }
        for path in &paths {
            if let Some(location) = object.locate_text(path)
                && location.depth > 0
                && best.as_ref().is_none_or(|before| location.depth > before.depth)
            {
                best = Some(location);
            }
        }
    }
    best.or_else(|| read.objects().find_map(|object| object.locate_text("kind")))
}

/// Runs `kubectl apply` on a copy of the world.
fn try_apply(
    session: &Session,
    files: &BTreeMap<String, String>,
    name: &str,
    read: &ManifestRead,
) -> (Option<Rc<Review>>, Vec<Finding>) {
    let mut world = session.world().clone();
    let turned = world.run_command(&command::apply(name), files, session.position() + 1);
    let Reason::Command(run) = &turned.reason else { return (None, Vec::new()) };
    let failed = run.exit_code.is_some_and(|code| code != 0);
    // Several faults of one object stand below each other, with a star before each.
    let starred = run.stderr.lines().any(|line| line.starts_with("* "));
    let said = run.stderr.lines().filter(|line| !(line.trim().is_empty() || starred && line.ends_with("is invalid: ")));
    let findings: Vec<Finding> = said
        .filter(|line| failed || line.starts_with("Warning"))
        .map(|line| {
            let error = failed && !line.starts_with("Warning");
            Finding::of_refusal(read, line.trim_start_matches("* "), error)
        })
        .collect();
    let objects: Vec<(String, Outcome, Vec<diff::Line>)> =
        turned.changes.iter().filter_map(|change| review_of(session, change)).collect();
    let review = (!objects.is_empty()).then(|| Rc::new(Review { objects }));
    (review.filter(|_| !failed), findings)
}

fn review_of(session: &Session, change: &Change) -> Option<(String, Outcome, Vec<diff::Line>)> {
    let object = change.after.as_ref()?;
    if matches!(object, Object::Event(_)) {
        return None;
    }
    let name = format!("{} {}", object.kind_name(), object.metadata().name);
    let Some(before) = &change.before else { return Some((name, Outcome::Created, Vec::new())) };
    let (old, new) = (to_yaml(&shown(before)), to_yaml(&shown(object)));
    if old == new {
        return Some((name, Outcome::Unchanged, Vec::new()));
    }
    let revision = match (before, object) {
        (Object::DaemonSet(before), Object::DaemonSet(after)) if before.spec.template != after.spec.template => {
            let store = session.world().store();
            let own =
                store.controller_revisions().values().filter(|r| r.metadata.is_controlled_by(&before.metadata.uid));
            Some(own.map(|revision| revision.revision).max().unwrap_or(0).saturating_add(1))
        }
        _ => None,
    };
    Some((name, Outcome::Configured(revision), diff::lines(&old, &new, 2)))
}

/// The parts of an object that a person writes.
pub fn shown(object: &Object) -> Value {
    let mut tree = object.to_value();
    if let Some(map) = tree.as_object_mut() {
        map.remove("status");
        if let Some(metadata) = map.get_mut("metadata").and_then(Value::as_object_mut) {
            for key in ["managedFields", "resourceVersion", "uid", "generation", "creationTimestamp"] {
                metadata.remove(key);
            }
            if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
                annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
                annotations.remove("deprecated.daemonset.template.generation");
                if annotations.is_empty() {
                    metadata.remove("annotations");
                }
            }
        }
    }
    tree
}
