use crate::harness::*;
use daemonset_playground::apiserver::{Delete, Propagation, Write};
use daemonset_playground::objects::*;
use serde_json::{Value, json};
use std::rc::Rc;

fn web(replicas: i32, image: &str) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {
            "replicas": replicas, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600,
            "selector": {"matchLabels": {"app": "web"}},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {
                    "containers": [{"name": "web", "image": image}],
                    "restartPolicy": "Always", "terminationGracePeriodSeconds": 30,
                },
            },
        },
    })
}

fn deployment(world: &World) -> Rc<Deployment> {
    world.store().deployment(&key("web")).unwrap().clone()
}

fn edit(world: &mut World, edit: impl FnOnce(&mut Deployment)) {
    let mut changed = (*deployment(world)).clone();
    edit(&mut changed);
    world.commit(Write::Update(changed.into()));
}

fn set_image(world: &mut World, image: &str) {
    edit(world, |deployment| {
        let template = Rc::make_mut(&mut deployment.spec.template);
        Rc::make_mut(&mut template.spec.containers)[0].image = image.into();
    });
}

/// Revision, replicas wanted and ready of each ReplicaSet, by revision.
fn replica_sets(world: &World) -> Vec<(String, i32, i32)> {
    let of = |set: &Rc<ReplicaSet>| {
        let revision = set.metadata.annotation("deployment.kubernetes.io/revision").unwrap_or("-").to_owned();
        (revision, set.spec.replicas.unwrap(), set.status.ready_replicas)
    };
    let mut all: Vec<_> = world.store().replica_sets().values().map(of).collect();
    all.sort();
    all
}

/// The deployment controller's own events, with the hash cut out.
fn told(world: &World) -> Vec<String> {
    let scaled = world.lines.iter().filter(|line| line.contains("ScalingReplicaSet"));
    let cut = |line: &String| {
        let words: Vec<String> = line
            .split(' ')
            .map(|word| if word.starts_with("web-") { "X".to_owned() } else { word.to_owned() })
            .collect();
        words.join(" ").replace(" web event ScalingReplicaSet:", "")
    };
    scaled.map(cut).collect()
}

fn progressing(world: &World) -> (String, String, String) {
    let deployment = deployment(world);
    let condition = deployment.status.conditions.iter().find(|c| c.type_ == "Progressing").unwrap();
    (condition.status.clone(), condition.reason.clone(), condition.message.clone())
}

#[test]
fn three_replicas_are_made_spread_and_reported() {
    let mut world = World::new(5);
    world.create(web(3, "nginx:1.27"));
    world.run_to_quiet();
    assert_eq!(told(&world), ["0.0 Scaled up replica set X from 0 to 3"]);
    let created = world.about(&["SuccessfulCreate"]);
    assert_eq!(created.len(), 3);
    assert!(created.iter().all(|line| line.contains("SuccessfulCreate: Created pod: web-")), "{created:?}");
    let status = deployment(&world).status.clone();
    let counters = (status.replicas, status.updated_replicas, status.ready_replicas, status.available_replicas);
    assert_eq!((counters, status.unavailable_replicas, status.observed_generation), ((3, 3, 3, 3), 0, 1));
    let (value, reason, message) = progressing(&world);
    assert_eq!((value.as_str(), reason.as_str()), ("True", "NewReplicaSetAvailable"));
    assert!(message.starts_with("ReplicaSet \"web-") && message.ends_with("\" has successfully progressed."));
    let nodes: std::collections::BTreeSet<_> =
        world.store().pods().values().map(|pod| pod.spec.node_name.clone()).collect();
    assert_eq!(nodes.len(), 3, "three replicas do not cover five nodes");
    assert_eq!(deployment(&world).metadata.annotation("deployment.kubernetes.io/revision"), Some("1"));
}

#[test]
fn a_deleted_pod_comes_back() {
    let mut world = World::new(3);
    world.create(web(3, "nginx:1.27"));
    world.run_to_quiet();
    let victim = world.store().pods().values().next().unwrap().clone();
    world.clear();
    world.delete_pod(&victim.metadata.name);
    world.run_to_quiet();
    let alive = world.store().pods().values().filter(|pod| pod.is_ready()).count();
    assert_eq!((alive, world.store().pods().size()), (3, 3));
    let lines = world.since(0.0);
    assert!(lines[0].ends_with("deletion-requested 30"), "{lines:?}");
    assert!(lines[1].ends_with("created"), "the successor does not wait for the end of its predecessor: {lines:?}");
}

#[test]
fn a_rolling_update_never_has_too_many_or_too_few() {
    let mut world = World::new(3);
    world.create(web(4, "nginx:1.27"));
    world.run_to_quiet();
    world.clear();
    set_image(&mut world, "nginx:1.28");
    let (mut fewest, mut most) = (99, 0);
    for _ in 0..400 {
        let end = world.ms + 100;
        world.run_to(end as f64 / 1000.0);
        let live: Vec<_> = world.store().pods().values().filter(|pod| !pod.is_terminating()).collect();
        fewest = fewest.min(live.iter().filter(|pod| pod.is_ready()).count());
        most = most.max(live.len());
    }
    assert_eq!((fewest, most), (3, 5));
    assert_eq!(replica_sets(&world), [("1".into(), 0, 0), ("2".into(), 4, 4)]);
    let events: Vec<String> = told(&world).iter().map(|line| line.split_once(' ').unwrap().1.to_owned()).collect();
    assert_eq!(
        events,
        [
            "Scaled up replica set X from 0 to 1",
            "Scaled down replica set X from 4 to 3",
            "Scaled up replica set X from 1 to 2",
            "Scaled down replica set X from 3 to 1",
            "Scaled up replica set X from 2 to 4",
            "Scaled down replica set X from 1 to 0",
        ]
    );
}

#[test]
fn going_back_to_an_old_template_renumbers_its_replica_set() {
    let mut world = World::new(2);
    world.create(web(2, "nginx:1.27"));
    world.run_to_quiet();
    set_image(&mut world, "nginx:1.28");
    world.run_to_quiet();
    set_image(&mut world, "nginx:1.27");
    world.run_to_quiet();
    assert_eq!(replica_sets(&world), [("2".into(), 0, 0), ("3".into(), 2, 2)]);
    let sets = world.store().replica_sets().values();
    let history: Vec<_> =
        sets.filter_map(|set| set.metadata.annotation("deployment.kubernetes.io/revision-history")).collect();
    assert_eq!(history, ["1"]);
    assert_eq!(deployment(&world).metadata.annotation("deployment.kubernetes.io/revision"), Some("3"));
}

#[test]
fn a_bad_image_stops_the_update_and_the_deadline_tells() {
    let mut world = World::new(3).behaviours(json!([{"match": {"image": "bad"}, "outcome": {"type": "NeverReady"}}]));
    world.create(web(3, "nginx:1.27"));
    world.run_to_quiet();
    set_image(&mut world, "bad:1");
    world.run_to(600.0);
    assert_eq!(replica_sets(&world), [("1".into(), 3, 3), ("2".into(), 1, 0)]);
    assert_eq!(progressing(&world).1, "ReplicaSetUpdated");
    world.run_to(620.0);
    let (value, reason, _) = progressing(&world);
    assert_eq!((value.as_str(), reason.as_str()), ("False", "ProgressDeadlineExceeded"));
    set_image(&mut world, "nginx:1.27");
    world.run_to_quiet();
    assert_eq!(replica_sets(&world), [("2".into(), 0, 0), ("3".into(), 3, 3)]);
}

#[test]
fn scaling_makes_and_removes_pods() {
    let mut world = World::new(3);
    world.create(web(2, "nginx:1.27"));
    world.run_to_quiet();
    edit(&mut world, |deployment| deployment.spec.replicas = Some(5));
    world.run_to_quiet();
    assert_eq!(replica_sets(&world), [("1".into(), 5, 5)]);
    edit(&mut world, |deployment| deployment.spec.replicas = Some(1));
    world.run_to_quiet();
    assert_eq!(replica_sets(&world), [("1".into(), 1, 1)]);
    assert_eq!(world.about(&["SuccessfulDelete: Deleted pod: web-"]).len(), 4);
    edit(&mut world, |deployment| deployment.spec.replicas = Some(0));
    world.run_to_quiet();
    assert_eq!((replica_sets(&world), world.store().pods().size()), (vec![("1".into(), 0, 0)], 0));
}

#[test]
fn scaling_in_the_middle_of_an_update_gives_each_revision_its_share() {
    let mut world = World::new(5).behaviours(json!([{"match": {"image": "bad"}, "outcome": {"type": "NeverReady"}}]));
    let mut tree = web(10, "nginx:1.27");
    tree["spec"]["strategy"]["rollingUpdate"] = json!({"maxSurge": 3, "maxUnavailable": 2});
    world.create(tree);
    world.run_to_quiet();
    set_image(&mut world, "bad:1");
    world.run_to(world.ms as f64 / 1000.0 + 60.0);
    assert_eq!(replica_sets(&world), [("1".into(), 8, 8), ("2".into(), 5, 0)]);
    edit(&mut world, |deployment| deployment.spec.replicas = Some(15));
    world.run_to(world.ms as f64 / 1000.0 + 60.0);
    assert_eq!(replica_sets(&world), [("1".into(), 11, 11), ("2".into(), 7, 0)]);
}

#[test]
fn recreate_starts_new_pods_only_when_all_old_ones_are_gone() {
    let mut world = World::new(3);
    let mut tree = web(3, "nginx:1.27");
    tree["spec"]["strategy"] = json!({"type": "Recreate"});
    world.create(tree);
    world.run_to_quiet();
    world.clear();
    set_image(&mut world, "nginx:1.28");
    world.run_to_quiet();
    let lines = world.since(0.0);
    let last_removed = lines.iter().rposition(|line| line.ends_with(" removed")).unwrap();
    let first_created = lines.iter().position(|line| line.contains(" web-") && line.ends_with(" created"));
    assert!(first_created.is_some_and(|created| created > last_removed), "{lines:#?}");
    assert_eq!(replica_sets(&world), [("1".into(), 0, 0), ("2".into(), 3, 3)]);
}

#[test]
fn a_paused_deployment_scales_but_does_not_roll() {
    let mut world = World::new(3);
    world.create(web(2, "nginx:1.27"));
    world.run_to_quiet();
    edit(&mut world, |deployment| deployment.spec.paused = true);
    set_image(&mut world, "nginx:1.28");
    edit(&mut world, |deployment| deployment.spec.replicas = Some(3));
    world.run_to_quiet();
    assert_eq!(replica_sets(&world), [("1".into(), 3, 3)]);
    assert_eq!(progressing(&world).1, "DeploymentPaused");
    edit(&mut world, |deployment| deployment.spec.paused = false);
    world.run_to_quiet();
    assert_eq!(replica_sets(&world), [("1".into(), 0, 0), ("2".into(), 3, 3)]);
}

#[test]
fn old_revisions_beyond_the_limit_go() {
    let mut world = World::new(2);
    let mut tree = web(1, "nginx:1");
    tree["spec"]["revisionHistoryLimit"] = 2.into();
    world.create(tree);
    for image in ["nginx:2", "nginx:3", "nginx:4", "nginx:5"] {
        world.run_to_quiet();
        set_image(&mut world, image);
    }
    world.run_to_quiet();
    assert_eq!(replica_sets(&world), [("3".into(), 0, 0), ("4".into(), 0, 0), ("5".into(), 1, 1)]);
}

#[test]
fn min_ready_seconds_delays_availability() {
    let mut world = World::new(2);
    let mut tree = web(2, "nginx:1");
    tree["spec"]["minReadySeconds"] = 10.into();
    world.create(tree);
    world.run_to(12.0);
    assert_eq!(deployment(&world).status.available_replicas, 0);
    world.run_to(13.0);
    assert_eq!(deployment(&world).status.available_replicas, 2);
}

#[test]
fn pods_are_adopted_and_released_by_label() {
    let mut world = World::new(3);
    world.create(web(2, "nginx:1"));
    world.run_to_quiet();
    let taken = world.store().pods().values().next().unwrap().clone();
    let mut relabelled = (*taken).clone();
    Rc::make_mut(&mut relabelled.metadata.labels).insert("app".into(), "debug".into());
    world.commit(Write::Update(relabelled.into()));
    world.run_to_quiet();
    let released = world.store().pod(&taken.metadata.key()).unwrap().clone();
    assert_eq!((released.metadata.controller(), world.store().pods().size()), (None, 3));

    let mut back = (*released).clone();
    back.metadata.labels = taken.metadata.labels.clone();
    world.commit(Write::Update(back.into()));
    world.run_to_quiet();
    assert_eq!(world.store().pods().size(), 2, "adopted again, it is one too many");
}

fn delete_web(world: &mut World, propagation: Propagation) {
    let deployment = deployment(world);
    world.commit(Write::Delete(Delete {
        kind: Kind::Deployment,
        key: deployment.metadata.key(),
        uid: None,
        grace_period_seconds: None,
        propagation,
    }));
}

/// Kinds in the order in which they went.
fn removals(world: &World) -> Vec<&str> {
    let gone = world.lines.iter().filter(|line| line.ends_with(" removed"));
    let kind = |line: &String| match line {
        line if line.contains("Deployment/") => "Deployment",
        line if line.contains("ReplicaSet/") => "ReplicaSet",
        _ => "Pod",
    };
    gone.map(kind).collect()
}

#[test]
fn deleting_in_the_background_takes_the_owner_first() {
    let mut world = World::new(2);
    world.create(web(2, "nginx:1"));
    world.run_to_quiet();
    delete_web(&mut world, Propagation::Background);
    world.run_to_quiet();
    assert_eq!(removals(&world), ["Deployment", "ReplicaSet", "Pod", "Pod"]);
}

#[test]
fn deleting_in_the_foreground_takes_the_owner_last() {
    let mut world = World::new(2);
    world.create(web(2, "nginx:1"));
    world.run_to_quiet();
    delete_web(&mut world, Propagation::Foreground);
    world.run_to_quiet();
    assert_eq!(removals(&world), ["Pod", "Pod", "ReplicaSet", "Deployment"]);
}

#[test]
fn an_orphaning_delete_leaves_everything_and_a_new_owner_takes_it_in() {
    let mut world = World::new(2);
    world.create(web(2, "nginx:1"));
    world.run_to_quiet();
    delete_web(&mut world, Propagation::Orphan);
    world.run_to_quiet();
    assert_eq!(removals(&world), ["Deployment"]);
    let set = world.store().replica_sets().values().next().unwrap().clone();
    assert_eq!((set.metadata.controller(), world.store().pods().size()), (None, 2));
    world.create(web(2, "nginx:1"));
    world.run_to_quiet();
    let sets: Vec<_> = world.store().replica_sets().values().cloned().collect();
    assert_eq!((sets.len(), sets[0].metadata.uid.clone()), (1, set.metadata.uid.clone()));
    assert!(sets[0].metadata.is_controlled_by(&deployment(&world).metadata.uid));
    assert_eq!(world.store().pods().size(), 2);
}

#[test]
fn an_object_with_another_owner_only_loses_the_one_that_is_gone() {
    let mut world = World::new(1);
    world.create_pod("first", "nginx", "worker1");
    let set = |name: &str| {
        json!({
            "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name, "namespace": "default"},
            "spec": {"replicas": 0, "selector": {"matchLabels": {"app": name}}},
        })
    };
    let uids: Vec<Rc<str>> = ["a", "b"].map(|name| world.create(set(name)).metadata().uid.clone()).into();
    let mut shared = pod("shared", "nginx", "worker1");
    shared["metadata"]["ownerReferences"] = json!([
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "a", "uid": &*uids[0]},
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "b", "uid": &*uids[1]},
    ]);
    world.create(shared);
    world.run_to_quiet();
    for (name, left) in [("a", 1), ("b", 0)] {
        world.commit(Write::Delete(Delete {
            kind: Kind::ReplicaSet,
            key: key(name),
            uid: None,
            grace_period_seconds: None,
            propagation: Propagation::Background,
        }));
        world.run_to_quiet();
        let owners = world.store().pod(&key("shared")).map_or(0, |pod| pod.metadata.owner_references.len());
        assert_eq!(owners, left);
    }
    assert!(world.store().pod(&key("shared")).is_none() && world.store().pod(&key("first")).is_some());
}

#[test]
fn an_object_whose_owner_never_was_there_goes() {
    let mut world = World::new(1);
    let mut lost = pod("lost", "nginx", "worker1");
    lost["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "ghost", "uid": "0", "controller": true}]);
    world.create(lost);
    world.run_to_quiet();
    assert!(world.store().pod(&key("lost")).is_none());
}
