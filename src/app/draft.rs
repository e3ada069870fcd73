//! What stands in the editor and is not applied yet: what the cluster would make of it, and whether a suggested change is
//! in it already.

use crate::app::check::shown;
use crate::app::diff::{self, Line};
use crate::app::files::File;
use crate::app::fixes::find_owner;
use crate::app::lesson::is_lesson_file;
use crate::app::message::{FileId, Msg};
use crate::app::model::Model;
use crate::app::text::EditWords;
use crate::app::view::{Fix, Outcome};
use crate::insight::explain::{ManifestEdit, ManifestOperation};
use crate::insight::placement::Owner;
use crate::insight::trial::applied;
use crate::manifest::{self, Limits, PathSegment, parse_path};
use crate::objects::{DaemonSet, Object};
use crate::order::Order;
use serde_json::Value;
use std::rc::Rc;

/// The open file that holds the object, the shown one first.
pub fn holder<'m>(model: &'m Model, owner: &Owner) -> Option<&'m File> {
    let mut files: Vec<&File> = model.files.list().iter().collect();
    files.order_by_key(|file| file.id != model.files.shown_id());
    files.into_iter().find(|file| find_owner(&manifest::read(&file.text, &Limits::default()), owner).is_some())
}

/// The DaemonSet as applying the file that holds it would make it. `None`: no open file changes its spec, or what is
/// written cannot be applied.
pub fn drafted(model: &Model, set: &DaemonSet) -> Option<(FileId, Rc<DaemonSet>)> {
    let key = set.metadata.key();
    let file = holder(model, &Owner { kind: "DaemonSet".into(), key: key.clone() })?;
    if !file.is_edited() {
        return None;
    }
    let sets = applied(model.session.world(), &file.text).ok()?;
    let (_, after) = sets.into_iter().find(|(_, after)| after.metadata.key() == key)?;
    (after.spec != set.spec).then_some((file.id, after))
}

/// Whether all of these edits of a live object are made in the text already.
pub fn holds(text: &str, owner: &Owner, live: &Object, edits: &[ManifestEdit]) -> bool {
    let read = manifest::read(text, &Limits::default());
    let live = shown(live);
    find_owner(&read, owner).is_some_and(|draft| edits.iter().all(|edit| is_made(&draft.value, &live, edit)))
}

fn is_made(draft: &Value, live: &Value, edit: &ManifestEdit) -> bool {
    let path = parse_path(&edit.path);
    let written = at(draft, &path);
    match &edit.operation {
        ManifestOperation::Set(value) => written == Some(value),
        ManifestOperation::Append(item) => written.and_then(Value::as_array).is_some_and(|list| list.contains(item)),
        ManifestOperation::Remove => match path.split_last() {
            // The items behind it have moved up.
            Some((PathSegment::Index(_), list)) => {
                let length = |tree| at(tree, list).and_then(Value::as_array).map_or(0, Vec::len);
                length(draft) < length(live)
            }
            _ => written.is_none(),
        },
    }
}

fn at<'v>(tree: &'v Value, path: &[PathSegment]) -> Option<&'v Value> {
    path.iter().try_fold(tree, |value, segment| match segment {
        PathSegment::Key(key) => value.get(key),
        PathSegment::Index(index) => value.get(index),
    })
}

/// Stands where an edit stood that is made by now: what is left to do is to apply the file.
pub fn to_be_applied(model: &Model, file: FileId) -> Fix {
    let lines: Vec<Line> = model
        .files
        .get(file)
        .and_then(|file| Some(diff::lines(file.applied.as_deref()?, &file.text, 1)))
        .unwrap_or_default();
    Fix {
        text: model.words().apply.to_string(),
        remark: EditWords::of(model.language()).in_editor.to_string(),
        message: Msg::ApplyFile(file),
        lines: crate::app::fixes::dedented(lines),
    }
}

/// The file whose edits the cluster does not have though it runs a DaemonSet: the shown one, or another that was applied
/// before. Steps go on with what was applied.
pub fn unapplied(model: &Model) -> Option<&File> {
    if model.session.world().store().daemon_sets().is_empty() {
        return None;
    }
    let is_draft = |file: &&File| file.is_edited() && !is_lesson_file(&file.name);
    if let Some(shown) = model.files.shown().filter(is_draft) {
        let changes =
            model.check.review.as_ref().is_some_and(|review| {
                review.objects.iter().any(|object| matches!(object.outcome, Outcome::Configured(_)))
            });
        let is_open = model.check.review.is_some() || model.check.problems.iter().any(|problem| problem.error);
        if changes || (shown.applied.is_some() && is_open) {
            return Some(shown);
        }
    }
    let others = model.files.list().iter().filter(|file| file.id != model.files.shown_id());
    others.filter(is_draft).find(|file| file.applied.is_some())
}

/// The lines that an edit has put into a file, for the editor: the file, their range in UTF-16 units, and a new number.
pub fn written(model: &Model, file: FileId, before: &str, after: &str) -> (FileId, u32, u32, u32) {
    let edit = crate::insight::edited::difference(before, after);
    let end = edit.start.saturating_add(edit.replacement.trim_end_matches('\n').len());
    let units = |bytes: usize| after.get(..bytes).map_or(0, |text| text.encode_utf16().count());
    let whole = |bytes: usize| u32::try_from(units(bytes)).unwrap_or(u32::MAX);
    let number = model.reveal.map_or(0, |(.., number)| number.wrapping_add(1));
    (file, whole(edit.start), whole(end), number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::files::Files;
    use crate::app::message::Question;
    use crate::app::model::{FIRST_FILE, first_scenario};
    use crate::app::persist::Settings;
    use crate::app::text::Language;
    use crate::app::update::update;
    use crate::objects::ObjectKey;
    use crate::simulation::Session;

    const TOLERATION: &str = "key: node-role.kubernetes.io/control-plane";

    fn started(text: &str) -> Model {
        let session = Session::new(first_scenario());
        let mut model = Model::with(session, Files::new(FIRST_FILE.0, text), Settings::default(), Language::En);
        update(&mut model, Msg::Apply);
        let set = ObjectKey::new("default", "node-exporter");
        update(&mut model, Msg::Ask(Question { set, node: "control-plane".into() }));
        model
    }

    fn fixes(model: &Model) -> Vec<Fix> {
        model.views.why.as_deref().unwrap().fixes.clone()
    }

    fn text(model: &Model) -> String {
        model.files.shown().unwrap().text.to_string()
    }

    /// Presses the button that changes the manifest, if one is offered.
    fn press(model: &mut Model) -> bool {
        let Some(fix) = fixes(model).into_iter().find(|fix| matches!(fix.message, Msg::Write { .. })) else {
            return false;
        };
        update(model, fix.message);
        true
    }

    #[test]
    fn a_change_is_offered_once_and_then_applied_with_the_button_in_its_place() {
        let mut model = started(FIRST_FILE.1);
        assert!(press(&mut model));
        assert_eq!(text(&model).matches(TOLERATION).count(), 1);
        // Nothing is left that would write it again.
        assert!(!press(&mut model));
        let first = fixes(&model).remove(0);
        assert_eq!((first.text.as_str(), first.remark.as_str()), ("Apply", "In the editor, not applied yet"));
        assert!(first.lines.iter().any(|line| line.text.contains(TOLERATION)), "{:#?}", first.lines);
        // The node can still be changed instead.
        assert!(fixes(&model).iter().any(|fix| matches!(fix.message, Msg::Run(_))));
        update(&mut model, first.message);
        assert!(model.views.why.as_deref().unwrap().passed);
        assert!(!fixes(&model).iter().any(|fix| matches!(fix.message, Msg::ApplyFile(_))));
    }

    #[test]
    fn taking_the_edit_back_offers_it_again() {
        let mut model = started(FIRST_FILE.1);
        press(&mut model);
        let shown = model.files.shown_id();
        update(&mut model, Msg::Edit(shown, FIRST_FILE.1.into()));
        update(&mut model, Msg::Check);
        assert!(press(&mut model));
        assert_eq!(text(&model).matches(TOLERATION).count(), 1);
    }

    #[test]
    fn a_change_of_the_selector_in_the_editor_counts_as_made_too() {
        let selector = "    spec:\n      nodeSelector: {disk: ssd}\n";
        let mut model = started(&FIRST_FILE.1.replacen("    spec:\n", selector, 1));
        let set = ObjectKey::new("default", "node-exporter");
        update(&mut model, Msg::Ask(Question { set, node: "worker1".into() }));
        assert!(press(&mut model));
        assert!(!text(&model).contains("disk: ssd"), "{}", text(&model));
        assert!(matches!(fixes(&model)[0].message, Msg::ApplyFile(_)));
        assert!(!press(&mut model));
    }

    #[test]
    fn edits_are_told_once_the_cluster_runs_the_daemon_set_and_until_they_are_applied() {
        let session = Session::new(first_scenario());
        let mut model = Model::with(session, Files::new(FIRST_FILE.0, FIRST_FILE.1), Settings::default(), Language::En);
        model.recheck();
        // On a first visit Step applies: there is nothing to tell.
        assert!(unapplied(&model).is_none());
        update(&mut model, Msg::Step);
        assert!(unapplied(&model).is_none());
        let id = model.files.shown_id();
        update(&mut model, Msg::Edit(id, FIRST_FILE.1.replace("v1.8.2", "v1.9.0").into()));
        update(&mut model, Msg::Check);
        assert_eq!(unapplied(&model).map(|file| file.id), Some(id));
        update(&mut model, Msg::Step);
        assert_eq!(unapplied(&model).map(|file| file.id), Some(id));
        update(&mut model, Msg::ApplyFile(id));
        assert!(unapplied(&model).is_none());
        // A comment changes nothing in the cluster.
        let noted = format!("# note\n{}", text(&model));
        update(&mut model, Msg::Edit(id, noted.into()));
        update(&mut model, Msg::Check);
        assert!(unapplied(&model).is_none());
    }

    #[test]
    fn what_a_click_has_written_is_shown_where_it_stands() {
        let mut model = started(FIRST_FILE.1);
        press(&mut model);
        let (file, from, to, _) = model.reveal.unwrap();
        assert_eq!(file, model.files.shown_id());
        let written: Vec<u16> = text(&model).encode_utf16().collect();
        let range = String::from_utf16(&written[from as usize..to as usize]).unwrap();
        assert!(range.contains(TOLERATION) && range.contains("NoSchedule"), "{range:?}");
    }
}
