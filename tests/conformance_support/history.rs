//! `history.jsonl`: ControllerRevisions after a sequence of template changes.

use super::cases::part;
use super::daemonset::*;
use super::expect_eq;
use daemonset_playground::controllers::daemonset::*;
use daemonset_playground::objects::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::rc::Rc;

pub fn check(case: &Value) -> Result<(), String> {
    let mut daemonset: DaemonSet = part(case, "daemonset");
    let nodes: Vec<Rc<Node>> = part(case, "nodes");
    let templates: BTreeMap<String, PodTemplateSpec> = part(case, "templates");
    let mut on_nodes: BTreeMap<String, String> = part(case, "initialPodTemplates");
    let mut revisions: Vec<Rc<ControllerRevision>> = Vec::new();
    let mut backoff = Backoff::default();
    let letter = |revision: &ControllerRevision| -> String {
        let template = restore_template(revision).expect("a template");
        let found = templates.iter().find(|(_, candidate)| **candidate == template);
        found.expect("a known template").0.clone()
    };
    for (number, step) in case["steps"].as_array().expect("steps").iter().enumerate() {
        let change = &step["change"];
        if let Some(letter) = change["setTemplate"].as_str() {
            daemonset.spec.template = Rc::new(templates[letter].clone());
            daemonset.metadata.generation += 1;
        }
        if let Some(limit) = change["setRevisionHistoryLimit"].as_i64() {
            daemonset.spec.revision_history_limit = Some(i32::try_from(limit).expect("a limit"));
        }
        for (node, letter) in change["setPodTemplates"].as_object().into_iter().flatten() {
            on_nodes.insert(node.clone(), letter.as_str().expect("a letter").into());
        }
        let pod = |(node, letter): (&String, &String)| {
            let hash = controller_revision_hash(&templates[letter], None);
            let mut pod = created_pod(&daemonset, &hash, node, &format!("pod-{node}"), Time(0));
            run_on(&mut pod, node);
            make_ready(&mut pod, Time(0));
            Rc::new(pod)
        };
        let pods: Vec<Rc<Pod>> = on_nodes.iter().map(pod).collect();
        let before: BTreeMap<String, Rc<str>> =
            revisions.iter().map(|revision| (letter(revision), revision.metadata.name.clone())).collect();
        let now_ms = i64::try_from(number).expect("a small number") * 60_000;
        let plan = run_sync(now_ms, &daemonset, &nodes, &pods, &revisions, &backoff);
        apply_history(&mut revisions, &plan);
        revisions.sort_by_key(|revision| revision.revision);

        let (mut created, mut renumbered) = (Vec::new(), Vec::new());
        for change in &plan.history.changes {
            match change {
                RevisionChange::Create(revision) => created.push(letter(revision)),
                RevisionChange::Renumber { revision, .. } => renumbered.push(letter(revision)),
                _ => {}
            }
        }
        let mut deleted: Vec<String> = plan.history_deletions.iter().map(|revision| letter(revision)).collect();
        deleted.sort();
        let status = plan.status.clone().expect("a status").status;
        let all: Vec<Value> =
            revisions.iter().map(|r| json!({"revision": r.revision, "template": letter(r)})).collect();
        let actual = json!({
            "currentTemplate": letter(&plan.history.current.as_ref().expect("a current revision").revision),
            "created": created,
            "renumbered": renumbered,
            "deleted": deleted,
            "updatedNumberScheduled": status.updated_number_scheduled,
            "revisions": all,
        });
        let mut expected = step["expect"].clone();
        for revision in expected["revisions"].as_array_mut().expect("revisions") {
            let map = revision.as_object_mut().expect("a revision");
            map.remove("hash");
            map.remove("name");
        }
        if let Some(deleted) = expected["deleted"].as_array_mut() {
            deleted.sort_by_key(|letter| letter.as_str().map(str::to_owned));
        }
        expect_eq(&format!("step {number}"), &actual, &expected)?;
        for revision in &revisions {
            if let Some(name) = before.get(&letter(revision)) {
                expect_eq(&format!("step {number}, name"), &revision.metadata.name, name)?;
            }
        }
        daemonset.status = status;
        backoff = plan.backoff;
    }
    Ok(())
}
