//! What must hold for every cluster and every pod: nothing goes where it does not fit, everything that fits somewhere
//! goes, victims are needed, decisions repeat, and no pod sleeps while it would fit.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::apiserver::{Change, Store};
use daemonset_playground::objects::*;
use daemonset_playground::scheduler::{Decision, PreemptionOutcome, SchedulingQueue, fits, plan, schedule_one};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::rc::Rc;

fn node_tree() -> impl Strategy<Value = Value> {
    let taint =
        prop_oneof![3 => Just(""), 1 => Just("NoSchedule"), 1 => Just("PreferNoSchedule"), 1 => Just("NoExecute")];
    let zone = prop_oneof![Just(""), Just("a"), Just("b")];
    (1i64..4, 1i64..5, 1i64..5, taint, zone, prop::bool::weighted(0.1)).prop_map(|(cpu, memory, pods, taint, zone, cordoned)| {
        let mut tree = json!({
            "spec": {"unschedulable": cordoned},
            "status": {"allocatable": {"cpu": format!("{cpu}"), "memory": format!("{memory}Gi"), "pods": format!("{pods}")}},
        });
        if !taint.is_empty() {
            tree["spec"]["taints"] = json!([{"key": "k", "effect": taint}]);
        }
        if !zone.is_empty() {
            tree["metadata"] = json!({"labels": {"zone": zone}});
        }
        tree
    })
}

/// A pod's spec and labels, without a node.
fn pod_tree() -> impl Strategy<Value = Value> {
    let rule = prop_oneof![6 => Just(""), 1 => Just("anti"), 1 => Just("affinity"), 1 => Just("spread")];
    let app = prop_oneof![Just("x"), Just("y")];
    let port = prop_oneof![4 => Just(0), 1 => Just(80)];
    let selector = prop_oneof![5 => Just(""), 1 => Just("a")];
    (0i64..3, 0i64..3, 0i64..3, port, selector, any::<bool>(), app, rule).prop_map(
        |(cpu, memory, priority, port, selector, tolerant, app, rule)| {
            let requests = json!({"cpu": format!("{}m", cpu * 500), "memory": format!("{memory}Gi")});
            let ports = if port > 0 { json!([{"containerPort": port, "hostPort": port}]) } else { json!([]) };
            let mut spec = json!({
                "priority": priority,
                "containers": [{"name": "c", "resources": {"requests": requests}, "ports": ports}],
            });
            if !selector.is_empty() {
                spec["nodeSelector"] = json!({"zone": selector});
            }
            if tolerant {
                spec["tolerations"] = json!([{"operator": "Exists"}]);
            }
            let same = json!({"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": app}}});
            match rule {
                "anti" => {
                    spec["affinity"] =
                        json!({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [same]}});
                }
                "affinity" => {
                    spec["affinity"] =
                        json!({"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [same]}});
                }
                "spread" => {
                    let mut constraint = same;
                    constraint["maxSkew"] = json!(1);
                    constraint["whenUnsatisfiable"] = json!("DoNotSchedule");
                    spec["topologySpreadConstraints"] = json!([constraint]);
                }
                _ => {}
            }
            json!({"metadata": {"labels": {"app": app}}, "spec": spec})
        },
    )
}

fn cluster_tree() -> impl Strategy<Value = (Vec<Value>, Vec<(Value, usize)>)> {
    (prop::collection::vec(node_tree(), 1..6), prop::collection::vec((pod_tree(), 0usize..6), 0..10))
}

fn node(index: usize, tree: &Value) -> Object {
    let mut node: Node = decode(tree.clone()).unwrap();
    node.metadata.name = format!("n{index}").into();
    node.into()
}

fn pod(name: &str, tree: &Value, node: &str) -> Pod {
    let mut pod: Pod = decode(tree.clone()).unwrap();
    (pod.metadata.name, pod.metadata.namespace) = (name.into(), "default".into());
    pod.metadata.uid = format!("uid-{name}").into();
    Rc::make_mut(&mut pod.spec).node_name = node.into();
    pod
}

/// All nodes, and the pods where they were put, whether they fit there or not.
fn store((nodes, pods): &(Vec<Value>, Vec<(Value, usize)>)) -> Store {
    let mut store = Store::default();
    for (index, tree) in nodes.iter().enumerate() {
        store.put(node(index, tree));
    }
    for (index, (tree, on)) in pods.iter().enumerate() {
        store.put(pod(&format!("p{index}"), tree, &format!("n{}", on % nodes.len())).into());
    }
    store
}

/// What a person would check by hand: everything but the rules about other pods.
fn fits_by_hand(store: &Store, pod: &Pod, node: &Node) -> bool {
    let there: Vec<&Rc<Pod>> = store.pods_on(node.name()).filter(|other| other.is_bound()).collect();
    let amount = |name: &str| node.status.allocatable.get(name).map_or(0, |q| q.milli_value());
    let requests = pod_requests(pod);
    let used = |of: fn(&Requests) -> i64| there.iter().map(|other| of(&pod_requests(other))).sum::<i64>();
    let port = |pod: &Pod| pod.spec.containers.iter().flat_map(|c| &c.ports).map(|p| p.host_port).next().unwrap_or(0);
    let tolerant = !pod.spec.tolerations.is_empty();
    let hard = |taint: &Taint| taint.effect != PREFER_NO_SCHEDULE;
    (tolerant || !(node.spec.unschedulable || node.spec.taints.iter().any(hard)))
        && pod.spec.node_selector.iter().all(|(key, value)| node.metadata.labels.get(key) == Some(value))
        && (port(pod) == 0 || there.iter().all(|other| port(other) != port(pod)))
        && (there.len() as i64 + 1) * 1000 <= amount("pods")
        && (requests.milli_cpu == 0 || used(|r| r.milli_cpu) + requests.milli_cpu <= amount("cpu"))
        && (requests.memory == 0 || (used(|r| r.memory) + requests.memory) * 1000 <= amount("memory"))
}

fn has_rules_about_pods(pod: &Pod) -> bool {
    pod.spec.affinity.is_some() || !pod.spec.topology_spread_constraints.is_empty()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_goes_where_it_does_not_fit_and_nothing_stays_that_fits(cluster in cluster_tree(), new in pod_tree()) {
        let store = store(&cluster);
        let new = pod("new", &new, "");
        match schedule_one(&store, &new) {
            Decision::Bound(placement) => {
                let node = store.node_named(&placement.node).unwrap();
                prop_assert!(fits_by_hand(&store, &new, node), "{placement:?}");
            }
            Decision::Unschedulable(failure) => {
                let silent = !has_rules_about_pods(&new) && store.pods_with_required_anti_affinity().next().is_none();
                let fitting = store.nodes().values().find(|node| silent && fits_by_hand(&store, &new, node));
                prop_assert!(fitting.is_none(), "{fitting:?}: {}", failure.message);
            }
            other => prop_assert!(false, "{other:?}"),
        }
    }

    #[test]
    fn victims_are_enough_and_every_one_is_needed(cluster in cluster_tree(), new in pod_tree()) {
        let mut store = store(&cluster);
        let mut new = pod("new", &new, "");
        Rc::make_mut(&mut new.spec).priority = Some(5);
        let Decision::Unschedulable(failure) = schedule_one(&store, &new) else { return Ok(()) };
        let PreemptionOutcome::Nominated(preemption) = failure.preemption else { return Ok(()) };
        let node = store.node_named(&preemption.node).unwrap().clone();
        prop_assert!(!preemption.victims.is_empty());
        for victim in &preemption.victims {
            prop_assert!(victim.priority() < new.priority() && victim.spec.node_name == *node.name());
            store.remove(Kind::Pod, &victim.metadata.key());
        }
        prop_assert!(fits(&store, &new, &node), "the victims are not enough");
        // A pod that comes back can also even out the spread, so only rules that get stricter with every pod count.
        if new.spec.topology_spread_constraints.is_empty() {
            for victim in &preemption.victims {
                store.put(victim.clone().into());
                prop_assert!(!fits(&store, &new, &node), "{} need not go", victim.metadata.name);
                store.remove(Kind::Pod, &victim.metadata.key());
            }
        }
    }

    #[test]
    fn the_decision_does_not_depend_on_how_the_store_came_about(cluster in cluster_tree(), new in pod_tree()) {
        let forward = store(&cluster);
        let mut backward = Store::default();
        forward.all().into_iter().rev().for_each(|object| drop(backward.put(object)));
        let new = pod("new", &new, "");
        prop_assert_eq!(schedule_one(&forward, &new), schedule_one(&backward, &new));
    }

    #[test]
    fn a_pinned_pod_goes_exactly_where_a_free_one_could(cluster in cluster_tree(), new in pod_tree()) {
        let store = store(&cluster);
        for node in store.nodes().values() {
            let mut tree = new.clone();
            let field = json!({"key": "metadata.name", "operator": "In", "values": [node.name()]});
            tree["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] =
                json!({"nodeSelectorTerms": [{"matchFields": [field]}]});
            // Which domains count for the spread depends on where the pod may go, so there the two differ by right.
            tree["spec"]["topologySpreadConstraints"] = Value::Null;
            let pinned = pod("new", &tree, "");
            let free = pod("new", &{ let mut tree = tree.clone(); tree["spec"]["affinity"]["nodeAffinity"] = Value::Null; tree }, "");
            let bound = matches!(schedule_one(&store, &pinned), Decision::Bound(place) if place.node == *node.name());
            prop_assert_eq!(bound, fits(&store, &free, node));
        }
    }

    #[test]
    fn no_pod_sleeps_while_it_would_fit(
        cluster in cluster_tree(),
        pending in prop::collection::vec(pod_tree(), 1..4),
        changes in prop::collection::vec((0usize..4, 0usize..10, node_tree(), pod_tree()), 1..12),
    ) {
        let mut store = store(&cluster);
        for (index, tree) in pending.iter().enumerate() {
            store.put(pod(&format!("new{index}"), tree, "").into());
        }
        let mut queue = SchedulingQueue::from_store(&store);
        for (kind, index, node_tree, pod_tree) in changes {
            while let Some(key) = queue.pop() {
                let plan = plan(&store, &key, Time(0));
                let pod = store.pod(&key).cloned().unwrap();
                queue.finish(&pod, &plan.reason);
                // Pods that fit are taken out instead of bound: only those that wait are of interest.
                if let Decision::Bound(_) = schedule_one(&store, &pod) {
                    let before = store.remove(Kind::Pod, &key);
                    queue.observe(&store, &Change { before, after: None });
                }
            }
            let (before, after) = match kind {
                0 => (store.remove(Kind::Pod, &ObjectKey::new("default", format!("p{index}"))), None),
                1 => {
                    let node = node(index % 7, &node_tree);
                    (store.put(node.clone()), Some(node))
                }
                2 => (store.remove(Kind::Node, &ObjectKey::cluster(format!("n{}", index % 7))), None),
                _ => {
                    let pod = Object::from(pod(&format!("p{index}"), &pod_tree, &format!("n{}", index % 7)));
                    (store.put(pod.clone()), Some(pod))
                }
            };
            if before.is_some() || after.is_some() {
                queue.observe(&store, &Change { before, after });
            }
            let mut awake = queue.clone();
            let awake: Vec<ObjectKey> = std::iter::from_fn(|| awake.pop()).collect();
            for pod in store.pods().values().filter(|pod| !pod.is_bound()) {
                let sleeps = !awake.contains(&pod.metadata.key());
                let would_fit = matches!(schedule_one(&store, pod), Decision::Bound(_));
                prop_assert!(!(sleeps && would_fit), "{} sleeps", pod.metadata.name);
            }
        }
    }
}
