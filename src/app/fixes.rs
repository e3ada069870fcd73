//! The smallest changes of a verdict as something to click: a command, or a manifest with the change made.

use crate::app::diff::{self, Line, LineKind};
use crate::app::draft;
use crate::app::message::{FileId, Msg};
use crate::app::model::Model;
use crate::app::phrase::{Part, Phrase};
use crate::app::text::{EditWords, Words};
use crate::app::view::Fix;
use crate::insight::explain::{Caution, Change, Edit, Explanation, ManifestEdit, Rendered, explain};
use crate::insight::lint;
use crate::insight::placement::{Owner, PlacementChange, Remedy};
use crate::manifest::{self, Limits, ManifestRead, to_yaml};
use crate::objects::{DaemonSet, Kind, Node, Object, ObjectKey, Pod};
use serde_json::Value;
use std::rc::Rc;

/// How many changes are offered.
const OFFERED: usize = 4;

/// The changes that can be made with one click: those of the node alone as a command, those of the DaemonSet alone in
/// its manifest.
pub fn offered(model: &Model, set: &Rc<DaemonSet>, node: &Node, explanation: &Explanation) -> Vec<Fix> {
    let offer = |change: &Change| offer(model, set, node.name(), change);
    let Some((file, draft)) = draft::drafted(model, set) else {
        return narrow_first(explanation).filter_map(offer).take(OFFERED).collect();
    };
    // What is written and not applied yet counts as made: the manifest's edits start from it.
    let there = explain(&draft, node);
    let of_node = explanation.changes.iter().filter(|change| change.is_on_node_only()).filter_map(offer);
    if there.verdict.eligibility.should_run != explanation.verdict.eligibility.should_run {
        return std::iter::once(draft::to_be_applied(model, file)).chain(of_node).take(OFFERED).collect();
    }
    let of_draft = narrow_first(&there).filter(|change| change.is_on_daemonset_only()).filter_map(offer);
    of_draft.take(OFFERED - 1).chain(of_node).take(OFFERED).collect()
}

fn offer(model: &Model, set: &Rc<DaemonSet>, node: &str, change: &Change) -> Option<Fix> {
    let words = model.words();
    let name_of = change_name(model, change)?;
    let mut remarks = vec![if change.is_on_node_only() { words.fix_this_node } else { words.fix_all_nodes }];
    remarks.extend(change.cautions().into_iter().map(|caution| words.caution(caution)));
    let rendered: Vec<Rendered> = change.edits.iter().map(|edit| edit.render(node)).collect();
    let (message, lines) = if change.is_on_node_only() {
        let commands: Vec<String> = rendered.into_iter().filter_map(as_command).collect();
        let line = commands.join(" && ");
        (Msg::Run(line.clone()), vec![Line { kind: LineKind::Same, text: line }])
    } else if change.is_on_daemonset_only() {
        let edits: Vec<ManifestEdit> = rendered.into_iter().filter_map(as_manifest).collect();
        let owner = Owner { kind: "DaemonSet".into(), key: set.metadata.key() };
        let (file, before) = source(model, &owner, || Object::DaemonSet(Rc::clone(set)));
        let after = edited(&before, &owner, &edits)?;
        let lines = dedented(diff::lines(&before, &after, 1));
        let name = format!("{}.yaml", set.metadata.name);
        (Msg::Write { file, name, from: before.into(), text: after.into() }, lines)
    } else {
        return None;
    };
    Some(Fix { text: name_of.to_string(), remark: remarks.join(" · "), message, lines })
}

/// The changes in their order, those that let the pods bear whatever comes last: small as such a change is, it reaches
/// every node. First what belongs into every manifest: the operating system of its images.
fn narrow_first(explanation: &Explanation) -> impl Iterator<Item = &Change> {
    let runs = explanation.verdict.eligibility.should_run;
    let is_blanket = |change: &&Change| change.cautions().contains(&Caution::ToleratesEverything);
    let is_system = move |change: &&Change| {
        runs && matches!(change.edits.as_slice(), [Edit::SetNodeSelector { key, .. }] if key == OS)
    };
    let changes = explanation.changes.iter();
    let narrow = changes.clone().filter(move |change| !is_blanket(change) && !is_system(change));
    changes.clone().filter(is_system).chain(narrow.take(OFFERED - 1)).chain(changes.filter(is_blanket))
}

/// A change in a few words.
fn change_name(model: &Model, change: &Change) -> Option<&'static str> {
    let edits = EditWords::of(model.language());
    match change.edits.as_slice() {
        [Edit::AddToleration { toleration }] if toleration.key.is_empty() => Some(edits.tolerate_all),
        [Edit::AddToleration { .. }, Edit::AddToleration { .. }, ..] => Some(edits.tolerate_these),
        [first, ..] => Some(model.words().edit_name(first)),
        [] => None,
    }
}

/// What to know where nothing says that the images run on the node's operating system.
pub fn wrong_system(model: &Model, set: &DaemonSet, node: &Node) -> Option<Phrase> {
    let os = node.metadata.label(OS)?;
    if os == lint::likely_os(&set.spec.template.spec) {
        return None;
    }
    let draft = draft::drafted(model, set);
    let spec = &draft.as_ref().map_or(set, |(_, draft)| draft).spec.template.spec;
    let wanted = lint::likely_os(spec);
    if os == wanted || lint::chooses_os(spec) {
        return None;
    }
    let facts = [
        ("os", Part::Plain(os.to_owned())),
        ("wanted", Part::Plain(wanted.to_owned())),
        ("selector", Part::Code(format!("{OS}: {wanted}"))),
    ];
    Some(Phrase::fill(EditWords::of(model.language()).wrong_os, &facts))
}

/// Label of a node's operating system.
const OS: &str = "kubernetes.io/os";

/// The lines without the indentation that all of them have.
pub(super) fn dedented(mut lines: Vec<Line>) -> Vec<Line> {
    let indent = |line: &Line| line.text.len() - line.text.trim_start_matches(' ').len();
    let written = lines.iter().filter(|line| line.kind != LineKind::Gap && !line.text.trim().is_empty());
    let common = written.map(indent).min().unwrap_or(0);
    for line in &mut lines {
        line.text = line.text.get(common..).unwrap_or("").to_string();
    }
    lines
}

fn as_command(rendered: Rendered) -> Option<String> {
    match rendered {
        Rendered::Command(line) => Some(line),
        Rendered::Manifest(_) => None,
    }
}

fn as_manifest(rendered: Rendered) -> Option<ManifestEdit> {
    match rendered {
        Rendered::Manifest(edit) => Some(edit),
        Rendered::Command(_) => None,
    }
}

/// The changes after which a pending pod gets a node: commands, or its owner's manifest with the change made.
pub fn offered_for_pod(model: &Model, pod: &Pod, changes: &[PlacementChange]) -> Vec<Fix> {
    changes.iter().filter_map(|change| offer_for_pod(model, pod, change)).take(OFFERED).collect()
}

fn offer_for_pod(model: &Model, pod: &Pod, change: &PlacementChange) -> Option<Fix> {
    let words = model.words();
    let store = model.session.world().store();
    let owner = Owner::of(store, pod);
    let first = change.edits.first()?;
    let mut remarks: Vec<&str> = Vec::new();
    let (mut commands, mut edits, mut objects) = (Vec::new(), Vec::new(), Vec::new());
    for edit in &change.edits {
        remarks.extend(edit.caution().map(|caution| words.pod_caution(caution)));
        for remedy in edit.remedies(&owner) {
            match remedy {
                Remedy::Rendered(Rendered::Command(line)) => commands.push(line),
                Remedy::Rendered(Rendered::Manifest(edit)) => edits.push(edit),
                Remedy::Object(tree) => objects.push(tree),
            }
        }
    }
    remarks.dedup();
    let (message, lines) = match (commands.is_empty(), edits.is_empty(), objects.as_slice()) {
        (false, true, []) => {
            let line = commands.join(" && ");
            (Msg::Run(line.clone()), vec![Line { kind: LineKind::Same, text: line }])
        }
        (true, false, []) => {
            remarks.insert(0, if owner.is_pod() { words.placement().recreate } else { words.fix_all_nodes });
            let kind = Kind::ALL.into_iter().find(|kind| kind.name() == owner.kind)?;
            let object = store.get(kind, &owner.key)?;
            if let Some(file) = draft::holder(model, &owner)
                && draft::holds(&file.text, &owner, &object, &edits)
            {
                return Some(draft::to_be_applied(model, file.id));
            }
            let (file, before) = source(model, &owner, || object);
            let after = edited(&before, &owner, &edits)?;
            let lines = dedented(diff::lines(&before, &after, 1));
            let name = format!("{}.yaml", owner.key.name);
            (Msg::Write { file, name, from: before.into(), text: after.into() }, lines)
        }
        (true, true, [tree]) => {
            let text = to_yaml(tree);
            let lines = text.lines().map(|line| Line { kind: LineKind::Added, text: line.to_string() }).collect();
            (Msg::Write { file: None, name: "claim.yaml".into(), from: "".into(), text: text.into() }, lines)
        }
        _ => return None,
    };
    Some(Fix { text: words.placement_edit(first).to_string(), remark: remarks.join(" · "), message, lines })
}

/// The open file that holds the object (the shown one first) and its text; without one, a manifest of the object as it
/// is.
fn source(model: &Model, owner: &Owner, object: impl FnOnce() -> Object) -> (Option<FileId>, String) {
    match draft::holder(model, owner) {
        Some(file) => (Some(file.id), file.text.to_string()),
        None => (None, to_yaml(&crate::app::check::shown(&object()))),
    }
}

/// The DaemonSet of this key among the objects of a manifest.
pub fn find<'r>(read: &'r ManifestRead, key: &ObjectKey) -> Option<manifest::Object<'r>> {
    find_owner(read, &Owner { kind: "DaemonSet".into(), key: key.clone() })
}

/// The object of this kind and key among the objects of a manifest.
pub(super) fn find_owner<'r>(read: &'r ManifestRead, owner: &Owner) -> Option<manifest::Object<'r>> {
    let key = &owner.key;
    read.objects().find(|object| {
        let text = |pointer: &str| object.value.pointer(pointer).and_then(Value::as_str);
        let namespace = text("/metadata/namespace").unwrap_or("default");
        text("/kind") == Some(&*owner.kind)
            && text("/metadata/name") == Some(&*key.name)
            && namespace == &*key.namespace
    })
}

/// The text after the edits; comments and order stay.
fn edited(text: &str, owner: &Owner, edits: &[ManifestEdit]) -> Option<String> {
    let read = manifest::read(text, &Limits::default());
    let object = find_owner(&read, owner)?;
    crate::insight::edited::edited(text, object.document.index, &object.path, edits)
}

impl Words {
    /// What a person should know before making an edit.
    pub fn caution(&self, caution: Caution) -> &'static str {
        match caution {
            Caution::LabelIsManaged => self.fix_caution_managed_label,
            Caution::TaintIsManaged => self.fix_caution_managed_taint,
            Caution::ToleratesEverything => self.fix_caution_tolerates_all,
        }
    }

    /// An edit in a few words.
    pub fn edit_name(&self, edit: &Edit) -> &'static str {
        match edit {
            Edit::AddToleration { .. } => self.fix_add_toleration,
            Edit::ChangeToleration { .. } => self.fix_change_toleration,
            Edit::RemoveToleration { .. } => self.fix_remove_toleration,
            Edit::AddTaint { .. } => self.fix_add_taint,
            Edit::RemoveTaint { .. } => self.fix_remove_taint,
            Edit::SetLabel { .. } => self.fix_set_label,
            Edit::RemoveLabel { .. } => self.fix_remove_label,
            Edit::RemoveNodeName => self.fix_remove_node_name,
            Edit::SetNodeSelector { .. } => self.fix_set_selector,
            Edit::RemoveNodeSelector { .. } => self.fix_remove_selector,
            Edit::AddTerm { .. }
            | Edit::AddRequirement { .. }
            | Edit::SetRequirementValues { .. }
            | Edit::RemoveRequirement { .. } => self.fix_affinity,
            Edit::RemoveRequiredAffinity => self.fix_remove_affinity,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::files::Files;
    use crate::app::message::Question;
    use crate::app::model::{FIRST_FILE, Model, first_scenario};
    use crate::app::persist::Settings;
    use crate::app::text::Language;
    use crate::app::update::update;
    use crate::simulation::Session;

    fn started(text: &str) -> Model {
        let session = Session::new(first_scenario());
        let mut model = Model::with(session, Files::new(FIRST_FILE.0, text), Settings::default(), Language::En);
        update(&mut model, Msg::Apply);
        model
    }

    fn verdict(model: &mut Model, node: &str) -> crate::app::view::VerdictView {
        let set = ObjectKey::new("default", "node-exporter");
        update(model, Msg::Ask(Question { set, node: node.into() }));
        model.views.why.as_deref().unwrap().clone()
    }

    #[test]
    fn the_control_plane_is_excluded_by_its_taint_and_one_click_changes_that() {
        let mut model = started(FIRST_FILE.1);
        let view = verdict(&mut model, "control-plane");
        assert!(!view.passed);
        let failed: Vec<String> = view
            .rows
            .iter()
            .filter(|row| row.mark == crate::app::view::CheckMark::Failed)
            .map(|row| row.what.to_string())
            .collect();
        assert_eq!(failed, ["Taint node-role.kubernetes.io/control-plane:NoSchedule"]);
        let fix = view.fixes.iter().find(|fix| matches!(fix.message, Msg::Write { .. })).unwrap().clone();
        update(&mut model, fix.message);
        assert!(model.files.shown().unwrap().text.contains("key: node-role.kubernetes.io/control-plane"));
        update(&mut model, Msg::Apply);
        assert!(verdict(&mut model, "control-plane").passed);
    }

    #[test]
    fn a_fix_of_the_node_is_a_command() {
        let mut model = started(FIRST_FILE.1);
        let view = verdict(&mut model, "control-plane");
        let fix = view.fixes.iter().find(|fix| matches!(fix.message, Msg::Run(_))).unwrap().clone();
        assert_eq!(
            fix.message,
            Msg::Run("kubectl taint node control-plane node-role.kubernetes.io/control-plane:NoSchedule-".into())
        );
        update(&mut model, fix.message);
        assert!(verdict(&mut model, "control-plane").passed);
    }

    #[test]
    fn comments_and_order_of_the_manifest_stay() {
        let text = FIRST_FILE.1.replace("    spec:\n", "    spec:\n      # keep me\n");
        let mut model = started(&text);
        let view = verdict(&mut model, "control-plane");
        let fix = view.fixes.iter().find(|fix| matches!(fix.message, Msg::Write { .. })).unwrap();
        let added = fix.lines.iter().filter(|line| line.kind == LineKind::Added).count();
        let removed = fix.lines.iter().filter(|line| line.kind == LineKind::Removed).count();
        assert_eq!((added, removed), (4, 0), "{:#?}", fix.lines);
        let Msg::Write { text: after, .. } = &fix.message else { panic!() };
        assert!(after.contains("      # keep me\n"));
    }

    #[test]
    fn a_click_never_takes_back_what_was_typed_since() {
        let mut model = started(FIRST_FILE.1);
        let view = verdict(&mut model, "control-plane");
        let fix = view.fixes.iter().find(|fix| matches!(fix.message, Msg::Write { .. })).unwrap().clone();
        let shown = model.files.shown_id();
        let typed = format!("{}# typed since\n", FIRST_FILE.1);
        update(&mut model, Msg::Edit(shown, typed.as_str().into()));
        update(&mut model, fix.message);
        assert_eq!(*model.files.shown().unwrap().text, *typed);
        // What is offered is made of the new text by then.
        let offered = model.views.why.clone().unwrap();
        let fix = offered.fixes.iter().find(|fix| matches!(fix.message, Msg::Write { .. })).unwrap().clone();
        update(&mut model, fix.message);
        let text = model.files.shown().unwrap().text.to_string();
        assert!(
            text.contains("# typed since\n") && text.contains("key: node-role.kubernetes.io/control-plane"),
            "{text}"
        );
    }

    #[test]
    fn a_daemon_set_without_an_open_file_gets_one() {
        let mut model = started(FIRST_FILE.1);
        let shown = model.files.shown_id();
        update(&mut model, Msg::Edit(shown, "# something else\n".into()));
        let view = verdict(&mut model, "control-plane");
        let fix = view.fixes.iter().find(|fix| matches!(fix.message, Msg::Write { .. })).unwrap().clone();
        update(&mut model, fix.message);
        assert_eq!(&*model.files.shown().unwrap().name, "node-exporter-2.yaml");
        assert_eq!(model.files.list().len(), 2);
    }
}
