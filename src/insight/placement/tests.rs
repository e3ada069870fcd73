use super::*;
use crate::insight::explain::Rendered;
use crate::scheduler::plugins::node_affinity;
use serde_json::{Value, json};

fn node(name: &str, extra: Value) -> Object {
    let mut tree = json!({
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
        "spec": {}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}},
    });
    for (member, value) in extra.as_object().unwrap() {
        tree["spec"][member] = value.clone();
    }
    Object::Node(decode(tree).unwrap())
}

fn pod(name: &str, spec: Value) -> Rc<Pod> {
    let mut tree = json!({
        "metadata": {"name": name, "namespace": "default", "uid": name},
        "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]},
        "status": {"phase": "Pending"},
    });
    for (member, value) in spec.as_object().unwrap() {
        tree["spec"][member] = value.clone();
    }
    Rc::new(decode(tree).unwrap())
}

fn told(objects: Vec<Object>, pending: &Rc<Pod>) -> Placement {
    let mut store = Store::default();
    objects.into_iter().for_each(|object| drop(store.put(object)));
    store.put(Object::Pod(Rc::clone(pending)));
    explain_pending(&store, pending).unwrap()
}

fn commands(placement: &Placement, pod: &Pod) -> Vec<String> {
    let owner = Owner::of(&Store::default(), pod);
    let remedies = placement.changes.iter().flat_map(|change| &change.edits).flat_map(|edit| edit.remedies(&owner));
    remedies
        .map(|remedy| match remedy {
            Remedy::Rendered(Rendered::Command(line)) => line,
            Remedy::Rendered(Rendered::Manifest(edit)) => edit.path,
            Remedy::Object(object) => format!("{} {}", object["kind"], object["metadata"]["name"]),
        })
        .collect()
}

#[test]
fn each_node_says_which_filter_refuses_it() {
    let pending = pod("new", json!({"nodeSelector": {"kubernetes.io/hostname": "n1"}}));
    let tainted = json!({"taints": [{"key": "k", "effect": "NoSchedule"}]});
    let placement = told(vec![node("n1", tainted), node("n2", json!({}))], &pending);
    assert_eq!(placement.obstacle, Obstacle::Nodes);
    let first: Vec<Plugin> = placement.nodes.iter().map(|node| node.reasons[0].plugin()).collect();
    assert_eq!(first, [Plugin::TaintToleration, Plugin::NodeAffinity]);
    let wanted = node_affinity::Reason::NodeSelector {
        key: "kubernetes.io/hostname".into(),
        wanted: "n1".into(),
        found: Some("n2".into()),
    };
    assert_eq!(placement.nodes[1].reasons, [FilterReason::NodeAffinity(wanted)]);
}

#[test]
fn a_taint_a_cordon_and_a_label_each_have_their_command() {
    let plain = pod("new", json!({}));
    let taint = json!({"taints": [{"key": "k", "effect": "NoSchedule"}]});
    let line = |objects, pending: &Rc<Pod>| commands(&told(objects, pending), pending);
    let told = line(vec![node("n1", taint)], &plain);
    assert!(told.contains(&"kubectl taint node n1 k:NoSchedule-".to_string()), "{told:?}");
    assert!(told.contains(&"spec.tolerations".to_string()), "{told:?}");
    assert!(told.contains(&"sim add-node worker1".to_string()), "{told:?}");
    assert_eq!(line(vec![node("n1", json!({"unschedulable": true}))], &plain)[0], "kubectl uncordon n1");
    let picky = pod("new", json!({"nodeSelector": {"disk": "ssd"}}));
    assert!(line(vec![node("n1", json!({}))], &picky).contains(&"kubectl label node n1 disk=ssd".to_string()));
}

#[test]
fn two_obstacles_on_one_node_are_two_edits_and_the_emptier_node_wins() {
    let both = json!({"unschedulable": true, "taints": [{"key": "k", "effect": "NoSchedule"}]});
    let picky = pod("new", json!({"nodeSelector": {"disk": "ssd"}}));
    let placement = told(vec![node("n1", both), node("n2", json!({}))], &picky);
    assert_eq!(placement.changes[0].size(), 1);
    let pinned = json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]}}});
    let both = json!({"unschedulable": true, "taints": [{"key": "k", "effect": "NoSchedule"}]});
    let mut owned = (*pod("new", json!({"affinity": pinned}))).clone();
    owned.metadata.owner_references = Rc::new(vec![OwnerReference {
        kind: "DaemonSet".into(),
        name: "agent".into(),
        uid: "u".into(),
        controller: Some(true),
        ..OwnerReference::default()
    }]);
    let placement = told(vec![node("n1", both), node("n2", json!({}))], &Rc::new(owned));
    assert!(placement.changes.iter().all(|change| change.size() == 2), "{:?}", placement.changes);
    assert_eq!(placement.not_examined, 1);
}

#[test]
fn a_pod_that_does_not_fit_can_ask_for_less_or_find_more_room() {
    let big = json!([{"name": "c", "image": "i", "resources": {"requests": {"cpu": "3"}}}]);
    let mut other = (*pod("other", json!({"containers": big, "nodeName": "n1"}))).clone();
    other.status.phase = RUNNING.into();
    let pending = pod("new", json!({"containers": big}));
    let placement = told(vec![node("n1", json!({})), Object::Pod(Rc::new(other))], &pending);
    let told = commands(&placement, &pending);
    for line in [
        "kubectl delete pod other",
        "sim resize-node n1 --resource cpu=6",
        "spec.containers[0].resources.requests.cpu",
        "sim add-node worker1",
    ] {
        assert!(told.contains(&line.to_string()), "{line} is missing: {told:?}");
    }
}

#[test]
fn gates_claims_and_missing_nodes_are_named() {
    let gated = pod("new", json!({"schedulingGates": [{"name": "example.com/wait"}]}));
    let placement = told(vec![node("n1", json!({}))], &gated);
    assert_eq!(placement.obstacle, Obstacle::Gated(vec!["example.com/wait".into()]));
    assert!(commands(&placement, &gated)[0].starts_with("kubectl patch pod new --type=json"));
    let claims = pod("new", json!({"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}));
    let placement = told(vec![node("n1", json!({}))], &claims);
    assert_eq!(placement.obstacle, Obstacle::Itself(PreFilterReason::ClaimNotFound { claim: "data".into() }));
    assert_eq!(commands(&placement, &claims), ["\"PersistentVolumeClaim\" \"data\""]);
    let plain = pod("new", json!({}));
    let placement = told(Vec::new(), &plain);
    assert_eq!(
        (placement.obstacle.clone(), commands(&placement, &plain)),
        (Obstacle::NoNodes, vec!["sim add-node worker1".into()])
    );
}
