use super::super::*;
use super::scene::*;
use crate::objects::*;
use serde_json::json;
use std::rc::Rc;

fn with_image(daemonset: &DaemonSet, image: &str) -> DaemonSet {
    let mut daemonset = daemonset.clone();
    let containers = json!([{"name": "agent", "image": image}]);
    Rc::make_mut(&mut daemonset.spec.template).spec.containers = decode(containers).unwrap();
    daemonset
}

fn stored(daemonset: &DaemonSet, number: i64) -> Rc<ControllerRevision> {
    let (plan, _) = construct_history(daemonset, &[], &[], &|_| None);
    let mut revision = plan.current.unwrap().revision;
    Rc::make_mut(&mut revision).revision = number;
    revision
}

fn construct(daemonset: &DaemonSet, revisions: &[Rc<ControllerRevision>]) -> HistoryPlan {
    construct_history(daemonset, revisions, &[], &|_| None).0
}

#[test]
fn a_new_template_makes_a_new_revision_with_the_next_number() {
    let v2 = rolling(1, 0);
    let v1 = with_image(&v2, "agent:v1");
    let plan = construct(&v2, &[stored(&v1, 7)]);
    let [RevisionChange::Create(revision)] = plan.changes.as_slice() else { panic!("{:?}", plan.changes) };
    assert_eq!(revision.revision, 8);
    assert_eq!(*revision.metadata.name, *format!("agent-{}", plan.hash));
    assert_eq!(revision.metadata.label("app"), Some("agent"));
    assert_eq!(revision.metadata.label(CONTROLLER_REVISION_HASH), Some(&*plan.hash));
    assert_eq!(revision.metadata.annotation("team"), Some("observability"));
    assert!(revision.metadata.is_controlled_by("agent-uid"));
    assert_eq!(revision.data["spec"]["template"]["$patch"], "replace");
    assert_eq!(restore_template(revision).as_ref(), Some(&*v2.spec.template));
}

#[test]
fn going_back_renumbers_the_same_object() {
    let v2 = rolling(1, 0);
    let v1 = with_image(&v2, "agent:v1");
    let plan = construct(&v1, &[stored(&v1, 1), stored(&v2, 2)]);
    assert_eq!(plan.changes, [RevisionChange::Renumber { revision: stored(&v1, 1), to: 3 }]);
    assert_eq!(plan.hash, controller_revision_hash(&v1.spec.template, None));
    assert_eq!(construct(&v1, &[stored(&v1, 3), stored(&v2, 2)]).changes, []);
}

#[test]
fn the_hash_is_of_the_template_alone_and_looks_like_kubernetes() {
    let v2 = rolling(1, 0);
    let hash = controller_revision_hash(&v2.spec.template, None);
    assert_eq!(hash, controller_revision_hash(&on_delete().spec.template, None));
    assert_ne!(hash, controller_revision_hash(&with_image(&v2, "agent:v1").spec.template, None));
    assert_ne!(hash, controller_revision_hash(&v2.spec.template, Some(1)));
    assert!(hash.len() <= 10 && hash.chars().all(|c| "bcdfghjklmnpqrstvwxz2456789".contains(c)), "{hash}");
}

#[test]
fn a_name_that_another_template_has_raises_the_collision_count_and_fails_the_reconcile() {
    let v2 = rolling(1, 0);
    let mut other = stored(&with_image(&v2, "agent:v1"), 1);
    let name = stored(&v2, 1).metadata.name.clone();
    Rc::make_mut(&mut other).metadata.name = name.clone();
    let scene = scene(&v2, "a:");
    let find = |wanted: &str| (*wanted == *name).then(|| other.clone());
    let plan = sync(&SyncInput { revisions: &[], revision_named: &find, ..scene.input(&v2, 0) });
    assert_eq!(plan.history.changes, [RevisionChange::RaiseCollisionCount(1)]);
    assert_eq!(plan.error.unwrap().to_string(), format!(r#"controllerrevisions.apps "{name}" already exists"#));
    assert_eq!(plan.status, None);

    let mut again = v2.clone();
    again.status.collision_count = Some(1);
    let plan = sync(&SyncInput { revisions: &[], revision_named: &find, ..scene.input(&again, 0) });
    assert_eq!(plan.error, None);
}

#[test]
fn a_revision_of_the_same_name_and_template_serves_whoever_owns_it() {
    let v2 = rolling(1, 0);
    let left_over = stored(&v2, 4);
    let (plan, result) = construct_history(&v2, &[], &[], &|_| Some(left_over.clone()));
    assert_eq!((plan.changes, result), (vec![], Ok(())));
    assert_eq!(plan.current.unwrap().number, 4);
}

#[test]
fn of_two_revisions_of_one_template_the_higher_is_kept_and_pods_take_its_hash() {
    let v2 = rolling(1, 0);
    let mut twin = stored(&v2, 2);
    Rc::make_mut(&mut twin).metadata.name = "agent-twin".into();
    Rc::make_mut(&mut Rc::make_mut(&mut twin).metadata.labels).insert(CONTROLLER_REVISION_HASH.into(), "twin".into());
    let scene = scene(&v2, "a: new");
    let pods: Vec<&Rc<Pod>> = scene.pods.iter().collect();
    let (plan, _) = construct_history(&v2, &[stored(&v2, 1), twin], &pods, &|_| None);
    assert_eq!(plan.hash, "twin");
    assert_eq!(
        plan.changes,
        [
            RevisionChange::RelabelPod { pod: scene.pods[0].clone(), hash: "twin".into() },
            RevisionChange::DeleteDuplicate(stored(&v2, 1)),
        ]
    );
}

#[test]
fn old_revisions_beyond_the_limit_go_lowest_first_unless_a_pod_carries_their_hash() {
    let mut daemonset = rolling(1, 0);
    let old: Vec<_> =
        (1..=4).map(|number| stored(&with_image(&daemonset, &format!("agent:{number}")), number)).collect();
    let deleted = |daemonset: &DaemonSet, cluster: &str| -> Vec<i64> {
        let mut scene = scene(daemonset, cluster);
        scene.revisions.extend(old.iter().cloned());
        scene.sync(daemonset).history_deletions.iter().map(|revision| revision.revision).collect()
    };
    assert_eq!(deleted(&daemonset, "a: new"), [0; 0]);
    daemonset.spec.revision_history_limit = Some(2);
    assert_eq!(deleted(&daemonset, "a: new"), [1, 2]);
    daemonset.spec.revision_history_limit = Some(0);
    assert_eq!(deleted(&daemonset, "a: new"), [1, 2, 3, 4]);

    // Even a failed pod that is being deleted keeps its revision.
    let mut scene = scene(&daemonset, "a: new | b: old failed leaving");
    scene.revisions.extend(old.iter().cloned());
    let hash = old[1].metadata.label(CONTROLLER_REVISION_HASH).unwrap().to_owned();
    let labels = &mut Rc::make_mut(&mut scene.pods[1]).metadata.labels;
    Rc::make_mut(labels).insert(CONTROLLER_REVISION_HASH.into(), hash);
    daemonset.spec.revision_history_limit = Some(1);
    let gone: Vec<i64> = scene.sync(&daemonset).history_deletions.iter().map(|revision| revision.revision).collect();
    assert_eq!(gone, [1, 3, 4]);
}

#[test]
fn orphans_are_adopted_and_pods_that_no_longer_match_are_released() {
    let daemonset = on_delete();
    let mut scene = scene(&daemonset, "a: new ready | b: new ready | c: new ready");
    Rc::make_mut(&mut scene.pods[0]).metadata.owner_references = Rc::default();
    Rc::make_mut(&mut scene.pods[1]).metadata.labels = string_map([("app", "other")]);
    let foreign = &mut Rc::make_mut(&mut scene.pods[2]).metadata.owner_references;
    Rc::make_mut(foreign)[0].uid = "another-uid".into();
    let plan = scene.sync(&daemonset);
    assert_eq!(plan.claims, [Claim::Adopt(scene.pods[0].clone()), Claim::Release(scene.pods[1].clone())]);
    // The released one and the foreign one are none of the DaemonSet's: their nodes lack a pod.
    assert_eq!(actions(&plan), ["create b NodeHasNoPod", "create c NodeHasNoPod"]);
}
