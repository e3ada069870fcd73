//! What is wrong with a manifest, and what applying it would change.

use crate::apiserver::schema;
use crate::app::diff::{Line, LineKind};
use crate::app::phrase::fill;
use crate::app::text::Words;
use crate::app::view::{EditorFix, EditorNote, Outcome, Problem, Review, ReviewedObject};
use crate::insight::lint;
use crate::kubectl::{Context, FieldDiff, PreviewAction, PreviewItem, PreviewProblem, apply_preview};
use crate::manifest::{self, Diagnostic, Document, Limits, ManifestRead, Severity, Span, apply_edits, edit};
use crate::objects::{Object, ObjectKey};
use crate::simulation::Session;
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
    /// What is worth a second look though it can be applied, with the number of its fix.
    pub lint: Rc<Vec<(lint::Finding, Option<usize>)>>,
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
            let checked = Checked { words, text, read: &read };
            let (review, refusals) = try_apply(session, name, &checked);
            findings.extend(refusals);
            check.review = review;
        }
        findings.sort_by_key(|finding| (finding.from, !finding.error));
        check.take(text, findings, words);
        if !read.has_errors() {
            check.take_lint(session, text, words);
        }
        check
    }

    /// Adds what the manifest check finds: for the editor what is not right, for the insight panel all of it.
    fn take_lint(&mut self, session: &Session, text: &str, words: &Words) {
        let world = session.world();
        let known = lint::Known { store: Some(world.store()), behaviours: Some(world.behaviours()) };
        let mut found = Vec::new();
        for finding in lint::lint(text, &known) {
            let fix = finding.fix.clone().map(|edit| {
                self.fixes.push(apply_edits(text, &[edit]).into());
                self.fixes.len() - 1
            });
            let severity = match finding.level {
                lint::Level::Warning => Some("warning"),
                lint::Level::Advice => Some("info"),
                lint::Level::Fine => None,
            };
            if let Some(severity) = severity {
                let units = |units: usize| u32::try_from(units).unwrap_or(u32::MAX);
                let said = words.lint_words(&finding);
                let label = words.fix.to_string();
                Rc::make_mut(&mut self.notes).push(EditorNote {
                    from: units(finding.span.start.utf16),
                    to: units(finding.span.end.utf16),
                    severity,
                    message: format!("{}\n{}\n{}", said.title, said.why, said.remedy).trim_end().to_string(),
                    fixes: fix.map(|index| EditorFix { label, id: index.to_string() }).into_iter().collect(),
                });
            }
            found.push((finding, fix));
        }
        self.lint = Rc::new(found);
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

    /// What the API server says about an object, at the field that it names.
    fn of_problem(checked: &Checked<'_>, item: &PreviewItem, problem: &PreviewProblem) -> Self {
        let span = checked.place(item, problem).unwrap_or_default();
        let units = |units: usize| u32::try_from(units).unwrap_or(u32::MAX);
        let repair = checked.repair(item, problem);
        Self {
            line: span.start.line.max(1),
            from: units(span.start.utf16),
            to: units(span.end.utf16),
            error: problem.is_error,
            message: match problem.field.is_empty() || problem.message.contains(&problem.field) {
                true => problem.message.clone(),
                false => format!("{}: {}", problem.field, problem.message),
            },
            remedy: repair.as_ref().map(|repair| repair.remedy.clone()),
            fix: repair.and_then(|repair| repair.fix),
        }
    }
}

/// What to do about something that the API server refuses, where one right change can be guessed.
struct Repair {
    remedy: String,
    fix: Option<Vec<manifest::TextEdit>>,
}

/// A text that can be read, and what repairs are made from.
struct Checked<'a> {
    words: &'a Words,
    text: &'a str,
    read: &'a ManifestRead,
}

impl Checked<'_> {
    /// The object that an item of the preview is about.
    fn object(&self, item: &PreviewItem) -> Option<manifest::Object<'_>> {
        let named = |object: &manifest::Object<'_>| {
            object.value.pointer("/metadata/name").and_then(Value::as_str).unwrap_or("") == item.name
        };
        self.read.objects().find(|object| object.document.index == item.document && named(object))
    }

    /// Where to point at: the value, or the key of a value that is long or should not be there.
    fn place(&self, item: &PreviewItem, problem: &PreviewProblem) -> Option<Span> {
        let field = if problem.field.is_empty() { "kind" } else { &problem.field };
        let location = self.object(item).and_then(|object| object.locate_text(field));
        let unknown = problem.message.contains("unknown field");
        let points = |location: manifest::Location| match location.key {
            Some(key) if unknown || !location.exact || location.value.start.line != location.value.end.line => key,
            Some(key) if location.value.start.line != key.start.line => key,
            _ => location.value,
        };
        location.map(points).or(problem.span)
    }

    fn repair(&self, item: &PreviewItem, problem: &PreviewProblem) -> Option<Repair> {
        let document = self.read.documents.iter().find(|document| document.index == item.document)?;
        if problem.field.is_empty() {
            return self.kind(document, item);
        }
        if problem.message.contains("unknown field") {
            return self.misspelt(document, item, &problem.field);
        }
        let remedy = match problem.field.as_str() {
            "spec.selector" if problem.message.starts_with("Required") => self.words.remedy_selector,
            "spec.template.metadata.labels" => {
                let selector = self.object(item).and_then(|object| object.value.pointer("/spec/selector").cloned());
                if selector.is_some() { self.words.remedy_labels } else { self.words.remedy_selector }
            }
            field if field.starts_with("spec.updateStrategy.rollingUpdate") => self.words.remedy_budgets,
            _ => return None,
        };
        Some(Repair { remedy: remedy.into(), fix: None })
    }

    fn did_you_mean(&self, meant: &str) -> String {
        fill(self.words.remedy_did_you_mean, &[("name", meant)])
    }

    /// A kind that nobody knows: the nearest that somebody does.
    fn kind(&self, document: &Document, item: &PreviewItem) -> Option<Repair> {
        let kinds = schema::resources().iter().map(|resource| resource.kind);
        let meant = schema::suggest(&item.kind, kinds).filter(|meant| *meant != item.kind)?;
        let path = [manifest::PathSegment::from("kind")];
        let fix = edit::set_scalar(self.text, document, &path, &meant.into()).ok();
        Some(Repair { remedy: self.did_you_mean(meant), fix })
    }

    /// A field that the kind does not have: the nearest that it has.
    fn misspelt(&self, document: &Document, item: &PreviewItem, field: &str) -> Option<Repair> {
        let (parent, name) = field.rsplit_once('.').unwrap_or(("", field));
        let parent_type = match parent {
            "" => item.kind.as_str(),
            _ => schema::field(&item.kind, parent).and_then(|field| field.kind.struct_name())?,
        };
        let meant = schema::suggest_field(parent_type, name)?;
        let object = self.object(item)?;
        let mut path = object.path.clone();
        path.extend(manifest::parse_path(field));
        let fix = edit::replace_key(self.text, document, &path, meant).ok();
        Some(Repair { remedy: self.did_you_mean(meant), fix })
    }
}

/// Tries `kubectl apply` on a copy of the cluster.
fn try_apply(session: &Session, name: &str, checked: &Checked<'_>) -> (Option<Rc<Review>>, Vec<Finding>) {
    let world = session.world();
    let context = Context { namespace: world.namespace().to_string(), ..Context::default() };
    let items = apply_preview(world.api(), &context, name, checked.read);
    let findings: Vec<Finding> = items
        .iter()
        .flat_map(|item| item.problems.iter().map(|problem| Finding::of_problem(checked, item, problem)))
        .collect();
    let objects: Vec<ReviewedObject> = items.iter().filter_map(|item| reviewed(session, item)).collect();
    let changes = objects.iter().any(|object| object.outcome != Outcome::Unchanged);
    (changes.then(|| Rc::new(Review { objects })), findings)
}

fn reviewed(session: &Session, item: &PreviewItem) -> Option<ReviewedObject> {
    let outcome = match &item.action {
        PreviewAction::Create => Outcome::Created,
        PreviewAction::Configure if item.makes_new_revision => Outcome::Configured(next_revision(session, item)),
        PreviewAction::Configure => Outcome::Configured(None),
        PreviewAction::Unchanged => Outcome::Unchanged,
        PreviewAction::Refused(_) => return None,
    };
    let lines = if outcome == Outcome::Created { Vec::new() } else { item.diff.iter().flat_map(diff_lines).collect() };
    Some(ReviewedObject { name: format!("{} {}", item.kind, item.name), outcome, lines })
}

fn diff_lines(diff: &FieldDiff) -> Vec<Line> {
    let line = |kind: LineKind, value: &Value| {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        Line { kind, text: format!("{}: {text}", diff.path) }
    };
    let removed = diff.before.iter().map(|value| line(LineKind::Removed, value));
    removed.chain(diff.after.iter().map(|value| line(LineKind::Added, value))).collect()
}

/// The number that the revision of a changed DaemonSet will have.
fn next_revision(session: &Session, item: &PreviewItem) -> Option<i64> {
    let store = session.world().store();
    let set = store.daemon_set(&ObjectKey::new(item.namespace.as_str(), item.name.as_str()))?;
    let own = store.controller_revisions().values().filter(|r| r.metadata.is_controlled_by(&set.metadata.uid));
    Some(own.map(|revision| revision.revision).max().unwrap_or(0).saturating_add(1))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::model::{FIRST_FILE, first_scenario};
    use crate::app::text::Language;

    fn check(session: &Session, text: &str) -> Check {
        let files = [("a.yaml".to_string(), text.to_string())].into();
        Check::of(session, Language::En.words(), &files, "a.yaml")
    }

    fn problems(text: &str) -> Vec<(usize, String, Option<String>)> {
        let check = check(&Session::new(first_scenario()), text);
        check.problems.iter().map(|p| (p.line, p.message.clone(), p.remedy.clone())).collect()
    }

    #[test]
    fn a_misspelt_field_is_told_at_its_line_and_put_right_with_one_click() {
        let text = FIRST_FILE.1.replace("  selector:", "  selectr:");
        let check = check(&Session::new(first_scenario()), &text);
        let problem = &check.problems[0];
        assert_eq!((problem.line, problem.error), (8, true));
        assert_eq!(problem.message, "unknown field \"spec.selectr\"");
        assert_eq!(problem.remedy.as_deref(), Some("Did you mean selector?"));
        assert_eq!(&*check.fixes[problem.fix.unwrap()], FIRST_FILE.1);
        assert!(check.review.is_none());
    }

    #[test]
    fn an_unknown_kind_is_told_at_its_line_with_the_kind_that_was_meant() {
        let text = FIRST_FILE.1.replace("DaemonSet", "DeamonSet");
        let found = problems(&text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].0, found[0].2.as_deref()), (2, Some("Did you mean DaemonSet?")));
        assert!(found[0].1.contains("no matches for kind \"DeamonSet\""), "{}", found[0].1);
    }

    #[test]
    fn refusals_stand_at_the_field_that_they_name() {
        let no_selector = FIRST_FILE.1.replace("  selector:\n    matchLabels:\n      app: node-exporter\n", "");
        let found = problems(&no_selector);
        let remedy = Some("Add spec.selector.matchLabels with the labels of the template.");
        assert!(found.iter().any(|problem| problem.2.as_deref() == remedy), "{found:?}");
        let other_labels =
            FIRST_FILE.1.replace("      labels:\n        app: node-exporter", "      labels:\n        app: other");
        let found = problems(&other_labels);
        assert_eq!((found[0].0, found[0].2.is_some()), (13, true), "{found:?}");
        let budgets = FIRST_FILE.1.replace(
            "  selector:\n",
            "  updateStrategy:\n    rollingUpdate:\n      maxUnavailable: 0\n      maxSurge: 0\n  selector:\n",
        );
        let found = problems(&budgets);
        assert!(found[0].1.contains("maxUnavailable") && [9, 10].contains(&found[0].0), "{found:?}");
    }

    #[test]
    fn the_review_says_what_becomes_of_each_object() {
        let mut session = Session::new(first_scenario());
        let review = check(&session, FIRST_FILE.1).review.unwrap();
        assert_eq!(review.objects[0].outcome, Outcome::Created);
        let files = [("a.yaml".to_string(), FIRST_FILE.1.to_string())].into();
        session.run("kubectl apply -f a.yaml", &files);
        while session.step() {}
        assert_eq!(check(&session, FIRST_FILE.1).review, None);
        let newer = FIRST_FILE.1.replace("v1.8.2", "v1.9.1");
        let review = check(&session, &newer).review.unwrap();
        assert_eq!(review.objects[0].outcome, Outcome::Configured(Some(2)));
        let lines: Vec<(LineKind, &str)> =
            review.objects[0].lines.iter().map(|line| (line.kind, line.text.as_str())).collect();
        assert_eq!(
            lines,
            [
                (
                    LineKind::Removed,
                    "spec.template.spec.containers[name=node-exporter].image: prom/node-exporter:v1.8.2"
                ),
                (LineKind::Added, "spec.template.spec.containers[name=node-exporter].image: prom/node-exporter:v1.9.1"),
            ]
        );
        let surge = FIRST_FILE.1.replace("spec:\n  selector", "spec:\n  minReadySeconds: 5\n  selector");
        assert_eq!(check(&session, &surge).review.unwrap().objects[0].outcome, Outcome::Configured(None));
    }
}
