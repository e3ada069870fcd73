//! What is wrong with a manifest, and what applying it would change.

use crate::app::diff::{Line, LineKind};
use crate::app::remedies::Fault;
use crate::app::text::Words;
use crate::app::view::{EditorFix, EditorNote, Outcome, Problem, Review, ReviewedObject};
use crate::insight::lint;
use crate::kubectl::{Context, FieldDiff, Preview, PreviewAction, PreviewItem};
use crate::manifest::{self, Diagnostic, Limits, ManifestRead, Severity, TextEdit, apply_edits};
use crate::objects::{DEPRECATED_TEMPLATE_GENERATION, LAST_APPLIED, Object, ObjectKey};
use crate::order::Order;
use crate::simulation::Session;
use serde_json::Value;
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
    /// What is worth a second look though it can be applied, with the number of its fix.
    pub lint: Rc<Vec<(lint::Finding, Option<usize>)>>,
    /// The text that was looked at.
    text: Rc<str>,
    /// The edits of each fix.
    fixes: Vec<Vec<TextEdit>>,
}

/// More findings than anybody reads are left out.
const MOST_FINDINGS: usize = 300;

impl Check {
    /// Looks at the text of a file, all of it at once. Nothing is changed: the command runs on a copy of the world.
    pub fn of(session: &Session, words: &Words, name: &str, text: &Rc<str>) -> Self {
        let mut checking = Checking::begin(session, words, name, text);
        while !checking.advance(session, words, usize::MAX) {}
        checking.finish(words)
    }

    /// The text after a fix. `None` when it is no longer the text that was looked at.
    pub fn fixed(&self, fix: usize, text: &str) -> Option<Rc<str>> {
        let edits = self.fixes.get(fix).filter(|_| *self.text == *text)?;
        Some(apply_edits(text, edits).into())
    }

    /// Adds what the manifest check finds: for the editor what is not right, for the insight panel all of it.
    fn take_lint(&mut self, findings: Vec<lint::Finding>, words: &Words) {
        let mut found = Vec::new();
        for finding in findings {
            let fix = finding.fix.clone().map(|edit| {
                self.fixes.push(vec![edit]);
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

    fn take(&mut self, findings: Vec<Finding>, words: &Words) {
        let (mut problems, mut notes) = (Vec::new(), Vec::new());
        for finding in findings.into_iter().take(MOST_FINDINGS) {
            let fix = finding.fix.map(|edits| {
                self.fixes.push(edits);
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

/// A look at a text that is under way: object by object, so that a long text does not hold the page up.
#[derive(Clone, Debug)]
pub struct Checking {
    text: Rc<str>,
    read: Rc<ManifestRead>,
    preview: Option<Preview>,
    /// The next document, and the next of its objects.
    next: (usize, usize),
    findings: Vec<Finding>,
    objects: Vec<ReviewedObject>,
    /// What the manifest check finds, and how many objects it has looked at.
    lint: Vec<lint::Finding>,
    linted: usize,
}

impl Checking {
    /// Reads the text.
    pub fn begin(session: &Session, words: &Words, name: &str, text: &Rc<str>) -> Self {
        // A lesson has a reader of its own, and its own panel for what that finds.
        let manifest = if crate::app::lesson::is_lesson_file(name) { "" } else { text };
        let read = manifest::read(manifest, &Limits::default());
        let findings = read.diagnostics.iter().map(|diagnostic| Finding::of_diagnostic(words, diagnostic)).collect();
        let world = session.world();
        let context = Context { namespace: world.namespace().to_string(), ..Context::default() };
        let preview = if read.has_errors() { None } else { Preview::new(world.api(), &context, name) };
        let (text, read) = (Rc::clone(text), Rc::new(read));
        Self { text, read, preview, next: (0, 0), findings, objects: Vec::new(), lint: Vec::new(), linted: 0 }
    }

    /// Whether the text has more bytes than that.
    pub fn is_long(&self, bytes: usize) -> bool {
        self.text.len() > bytes
    }

    /// Tries `kubectl apply` of the next objects on a copy of the cluster: as many as there are in so many bytes, at
    /// least one. Returns whether that was all.
    pub fn advance(&mut self, session: &Session, words: &Words, bytes: usize) -> bool {
        let Some(preview) = &mut self.preview else { return true };
        let read = Rc::clone(&self.read);
        let mut done = 0;
        while let Some(document) = read.documents.get(self.next.0) {
            let objects: Vec<_> = document.objects().collect();
            // A list of a thousand objects is one document.
            let length = document.span.range().len() / objects.len().max(1);
            for (index, object) in objects.iter().enumerate().skip(self.next.1) {
                if done >= bytes {
                    return false;
                }
                let item = preview.object(index, object);
                for problem in &item.problems {
                    let fault = Fault { text: &self.text, read: &read, item: &item, problem };
                    self.findings.push(Finding::of_problem(words, &fault));
                }
                self.objects.extend(reviewed(session, &item));
                self.next.1 = index + 1;
                done += length.max(1);
            }
            self.next = (self.next.0 + 1, 0);
        }
        let objects: Vec<manifest::Object<'_>> = read.objects().collect();
        let length = self.text.len() / objects.len().max(1);
        let world = session.world();
        let known = lint::Known { store: Some(world.store()), behaviours: Some(world.behaviours()) };
        while self.linted < objects.len() {
            if done >= bytes {
                return false;
            }
            self.lint.extend(lint::lint_object(&self.text, &objects, self.linted, &known));
            self.linted += 1;
            done = done.saturating_add(length.max(1));
        }
        true
    }

    /// What was found.
    pub fn finish(self, words: &Words) -> Check {
        let changes = self.objects.iter().any(|object| object.outcome != Outcome::Unchanged);
        let review = changes.then(|| Rc::new(Review { objects: self.objects }));
        let mut check = Check { text: self.text, review, ..Check::default() };
        let mut findings = self.findings;
        findings.order_by_key(|finding| (finding.from, !finding.error));
        check.take(findings, words);
        let mut findings = self.lint;
        lint::in_order(&mut findings);
        findings.truncate(MOST_FINDINGS);
        check.take_lint(findings, words);
        check
    }
}

/// Something to say about a place of the text.
#[derive(Clone, Debug)]
struct Finding {
    line: usize,
    from: u32,
    to: u32,
    error: bool,
    message: String,
    remedy: Option<String>,
    fix: Option<Vec<TextEdit>>,
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
    fn of_problem(words: &Words, fault: &Fault<'_>) -> Self {
        let problem = fault.problem;
        let span = fault.place().or(problem.span).unwrap_or_default();
        let units = |units: usize| u32::try_from(units).unwrap_or(u32::MAX);
        let repair = fault.repair();
        Self {
            line: span.start.line.max(1),
            from: units(span.start.utf16),
            to: units(span.end.utf16),
            error: problem.is_error,
            message: match problem.field.is_empty() || problem.message.contains(&problem.field) {
                true => problem.message.clone(),
                false => format!("{}: {}", problem.field, problem.message),
            },
            remedy: repair.as_ref().map(|repair| words.advice(&repair.advice)),
            fix: repair.and_then(|repair| repair.edits),
        }
    }
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
                annotations.remove(LAST_APPLIED);
                annotations.remove(DEPRECATED_TEMPLATE_GENERATION);
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
        Check::of(session, Language::En.words(), "a.yaml", &text.into())
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
        assert_eq!(check.fixed(problem.fix.unwrap(), &text).as_deref(), Some(FIRST_FILE.1));
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
        assert_eq!((found[0].0, found[0].2.is_some()), (14, true), "{found:?}");
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
