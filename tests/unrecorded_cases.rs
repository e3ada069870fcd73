//! Public reports, where the recordings stop: every case of the collection has been recorded, but with a kubelet that
//! only acted its part, and often without what comes after the command. Here the rest is played to its end, with the
//! outcome that the report is about.
#![cfg(not(target_arch = "wasm32"))]

mod story;

use daemonset_playground::objects::*;
use daemonset_playground::simulation::*;
use std::collections::BTreeMap;
use story::Story;

impl Story {
    /// Nodes n1, n2… of 2 CPUs and 4Gi.
    fn with_nodes(count: usize) -> Self {
        let mut story = Self::empty();
        for number in 1..=count {
            story.run(&format!("sim add-node n{number} --resource cpu=2 --resource memory=4Gi --resource pods=110"));
        }
        story.settle();
        story
    }

    fn settle(&mut self) {
        assert_eq!(self.session.run_to_quiet(20_000), Progress::Quiet);
    }

    /// Lets so much virtual time pass, with all that is due in it.
    fn wait(&mut self, seconds: u64) {
        let until = self.session.world().now_ms() + seconds * 1000;
        assert_eq!(self.session.run_until(until, 20_000), Progress::Reached);
    }

    fn apply(&mut self, text: &str) -> String {
        self.files.insert("file.yaml".into(), text.into());
        let printed = self.run("kubectl apply -f file.yaml");
        self.settle();
        printed
    }

    fn store(&self) -> &daemonset_playground::apiserver::Store {
        self.session.world().store()
    }

    /// Uids of the application's pods that are on the node.
    fn uids(&self, app: &str, node: &str) -> Vec<String> {
        let pods = self.store().pods_on(node);
        pods.filter(|pod| pod.metadata.label("app") == Some(app)).map(|pod| pod.metadata.uid.to_string()).collect()
    }

    /// Uids of the application's pods that are on no node.
    fn pending(&self, app: &str) -> Vec<String> {
        let pods = self.store().pods().values();
        let pods = pods.filter(|pod| pod.metadata.label("app") == Some(app) && pod.spec.node_name.is_empty());
        pods.map(|pod| pod.metadata.uid.to_string()).collect()
    }

    fn node(&self, name: &str) -> &Node {
        self.store().node(&ObjectKey::new("", name)).expect("it is there")
    }

    fn node_of(&self, pod: &str) -> String {
        let pod = self.store().pod(&ObjectKey::new("default", pod)).expect("it is there");
        pod.spec.node_name.to_string()
    }

    /// Node and image of the application's pods.
    fn images(&self, app: &str) -> Vec<(String, String)> {
        let pods = self.store().pods().values().filter(|pod| pod.metadata.label("app") == Some(app));
        let mut images: Vec<_> =
            pods.map(|pod| (pod.spec.node_name.to_string(), pod.spec.containers[0].image.clone())).collect();
        images.sort();
        images
    }

    /// Runs to quiet; the most nodes that were without a ready pod of the application at the same moment.
    fn settle_watching(&mut self, app: &str, nodes: &[&str]) -> usize {
        let mut most = 0;
        while self.session.run_to_quiet(1) == Progress::More {
            let without = nodes.iter().filter(|node| {
                let mut pods = self.store().pods_on(node);
                !pods.any(|pod| pod.metadata.label("app") == Some(app) && pod.is_ready() && !pod.is_terminating())
            });
            most = most.max(without.count());
        }
        most
    }
}

/// A DaemonSet of one small container; `more` are further members of the pod's `spec`, as a flow mapping's inside.
fn daemonset(name: &str, cpu: &str, more: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {{name: {name}}}\nspec:\n  selector: {{matchLabels: {{app: {name}}}}}\n  \
         template:\n    metadata: {{labels: {{app: {name}}}}}\n    spec: {{{more}containers: [{{name: main, image: '{name}:v1', \
         resources: {{requests: {{cpu: {cpu}, memory: 64Mi}}}}}}]}}\n"
    )
}

/// A plain pod that asks for so much CPU.
fn pod(name: &str, cpu: &str, more: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, labels: {{app: {name}}}}}\n\
         spec: {{{more}containers: [{{name: main, image: web, resources: {{requests: {{cpu: {cpu}}}}}}}]}}\n"
    )
}

const TOLERATE_ALL: &str = "tolerations: [{operator: Exists}], ";

/// FL-01, with a kubelet that measures: what the pod writes fills the disk of n2.
#[test]
fn a_full_disk_evicts_and_refuses_with_back_off_until_the_pressure_is_over() {
    let mut story = Story::empty();
    let room = "--resource cpu=2 --resource memory=4Gi --resource pods=110 --resource ephemeral-storage=10Gi";
    story.run(&format!("sim add-node n1 {room}"));
    story.run(&format!("sim add-node n2 {room}"));
    story.run("sim behaviour '[{match: {node: n2}, uses: {ephemeralStorage: [{amount: 9500Mi}]}}]'");
    story.files.insert("file.yaml".into(), daemonset("agent", "100m", ""));
    story.run("kubectl apply -f file.yaml");
    // When the failed pods of n2 went, and why they had failed.
    let (mut gone, mut reasons, mut failed) = (Vec::new(), Vec::new(), BTreeMap::new());
    while story.session.world().now_ms() < 90_000 && story.session.step() {
        let now = story.session.world().now_ms();
        let pods: Vec<_> = story.store().pods_on("n2").cloned().collect();
        failed.retain(|uid: &String, _: &mut ()| {
            let there = pods.iter().any(|pod| *pod.metadata.uid == **uid && !pod.is_terminating());
            if !there {
                gone.push(now);
            }
            there
        });
        for pod in pods.iter().filter(|pod| pod.status.phase == "Failed" && !pod.is_terminating()) {
            if failed.insert(pod.metadata.uid.to_string(), ()).is_none() {
                reasons.push((pod.status.reason.clone(), pod.status.message.clone()));
            }
        }
    }
    let first = &reasons[0];
    assert_eq!(first.0, "Evicted");
    assert!(first.1.starts_with("The node was low on resource: ephemeral-storage."), "{}", first.1);
    assert!(reasons.len() >= 4, "{reasons:?}");
    for (reason, message) in &reasons[1..] {
        assert_eq!(reason, "Evicted");
        assert_eq!(message, "Pod was rejected: The node had condition: [DiskPressure]. ");
    }
    let gaps: Vec<u64> = gone.windows(2).map(|two| two[1] - two[0]).collect();
    for (number, gap) in gaps.iter().enumerate() {
        assert!(*gap >= 1000 << number, "at {gone:?}");
    }
    let node = story.node("n2");
    assert!(node.spec.taints.iter().any(|taint| taint.key == TAINT_DISK_PRESSURE && taint.effect == NO_SCHEDULE));
    let events = story.run("kubectl get events");
    assert!(events.contains("FailedDaemonPod"), "{events}");
    assert_eq!(story.uids("agent", "n1").len(), 1);
    let untouched = story.uids("agent", "n1");

    story.run("sim behaviour '[]'");
    story.wait(1800);
    assert_eq!(story.counters("default", "agent"), [2, 2, 2, 2, 2]);
    assert_eq!(story.uids("agent", "n1"), untouched);
    assert!(story.node("n2").spec.taints.is_empty());
}

/// AS-01: what an autoscaler should have reckoned with, measured on the node when it has come.
#[test]
fn agents_that_tolerate_all_take_their_share_of_a_tainted_new_node() {
    let mut story = Story::empty();
    for (name, cpu, more) in
        [("d1", "100m", TOLERATE_ALL), ("d2", "50m", TOLERATE_ALL), ("d3", "30m", TOLERATE_ALL), ("d4", "500m", "")]
    {
        story.apply(&daemonset(name, cpu, more));
    }
    let node = "--taint team=x:NoSchedule --resource cpu=1 --resource memory=2Gi --resource pods=8";
    story.run(&format!("sim add-node new {node}"));
    story.settle();
    let taken: i64 = story
        .store()
        .pods_on("new")
        .filter_map(|pod| pod.spec.effective_requests().get(CPU).copied())
        .map(Quantity::milli_value)
        .sum();
    assert_eq!((taken, story.store().pods_on("new").count()), (180, 3));
    assert_eq!(story.counters("default", "d4"), [0, 0, 0, 0, 0]);

    story.apply(&pod("too-big", "821m", TOLERATE_ALL));
    assert_eq!(story.node_of("too-big"), "");
    story.run("kubectl delete pod too-big");
    story.apply(&pod("just-fits", "820m", TOLERATE_ALL));
    assert_eq!(story.node_of("just-fits"), "new");
    story.run("kubectl delete pod just-fits");
    story.settle();

    let small: Vec<String> = (1..=6).map(|number| format!("small{number}")).collect();
    for name in &small {
        story.apply(&pod(name, "1m", TOLERATE_ALL));
    }
    assert_eq!(small.iter().filter(|name| story.node_of(name) == "new").count(), 5);
    let events = story.run("kubectl get events");
    assert!(events.contains("0/1 nodes are available: 1 Too many pods."), "{events}");
}

/// AS-03: however many nodes an autoscaler adds; what helps is room on the pod's own node.
#[test]
fn more_nodes_never_help_agent_pods_that_are_pinned_to_full_ones() {
    let mut story = Story::empty();
    let room = "--resource cpu=4 --resource memory=8Gi --resource pods=8";
    for number in 1..=3 {
        story.run(&format!("sim add-node n{number} {room}"));
        for filler in 1..=8 {
            story.apply(&pod(&format!("filler-{number}-{filler}"), "1m", &format!("nodeName: n{number}, ")));
        }
    }
    story.apply(&daemonset("agent", "100m", ""));
    assert_eq!(story.counters("default", "agent"), [3, 3, 0, 3, 0]);
    let stuck = story.pending("agent");
    assert_eq!(stuck.len(), 3);
    for number in 4..=6 {
        story.run(&format!("sim add-node n{number} {room}"));
        story.settle();
        let ready = number - 3;
        assert_eq!(story.counters("default", "agent"), [number, number, ready, number, ready]);
        assert_eq!(story.pending("agent"), stuck);
    }
    story.run("kubectl delete pod filler-2-1");
    story.settle();
    assert_eq!(story.counters("default", "agent"), [6, 6, 4, 6, 4]);
    let come = story.uids("agent", "n2");
    assert!(come.len() == 1 && stuck.contains(&come[0]), "the same pod, not a new one");
}

/// QO-01: the size that the new node would have to have.
#[test]
fn a_node_must_hold_the_pod_and_the_daemonsets() {
    let mut story = Story::empty();
    story.apply(&daemonset("agent", "1500m", ""));
    story.run("sim add-node small --resource cpu=16499m --resource memory=64Gi --resource pods=110");
    story.settle();
    story.apply(&pod("big", "15", ""));
    assert_eq!(story.node_of("big"), "");
    let events = story.run("kubectl get events");
    assert!(events.contains("0/1 nodes are available: 1 Insufficient cpu."), "{events}");
    story.run("sim add-node enough --resource cpu=16500m --resource memory=64Gi --resource pods=110");
    story.wait(600);
    assert_eq!(story.uids("agent", "enough").len(), 1);
}

/// RB-01: which pods run after each undo.
#[test]
fn pods_follow_the_revision_that_undo_brings_back() {
    let mut story = Story::with_nodes(2);
    story.apply(&daemonset("agent", "100m", ""));
    for version in ["v2", "v3"] {
        story.run(&format!("kubectl set image ds/agent main=agent:{version}"));
        story.settle();
    }
    let both = |image: &str| vec![("n1".to_string(), image.to_string()), ("n2".to_string(), image.to_string())];
    assert_eq!(story.run("kubectl rollout undo ds/agent"), "daemonset.apps/agent rolled back\n");
    assert_eq!(story.settle_watching("agent", &["n1", "n2"]), 1);
    assert_eq!(story.images("agent"), both("agent:v2"));
    story.run("kubectl rollout undo ds/agent --to-revision=1");
    assert_eq!(story.settle_watching("agent", &["n1", "n2"]), 1);
    assert_eq!(story.images("agent"), both("agent:v1"));
    for image in ["agent:v2", "agent:v1"] {
        story.run("kubectl rollout undo ds/agent");
        story.settle();
        assert_eq!(story.images("agent"), both(image), "two plain undos swap");
    }
}

/// RB-05: what moves the pods, and what does not.
#[test]
fn a_config_map_moves_no_pod_and_a_restart_moves_one_at_a_time() {
    let mut story = Story::with_nodes(2);
    let config =
        |text: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: cfg}}\ndata: {{a: {text}}}\n");
    story.apply(&config("one"));
    let more = "volumes: [{name: cfg, configMap: {name: cfg}}], ";
    story.apply(&daemonset("agent", "100m", more));
    let pods = (story.uids("agent", "n1"), story.uids("agent", "n2"));
    story.apply(&config("two"));
    story.run("kubectl annotate ds agent note=new");
    story.settle();
    assert_eq!((story.uids("agent", "n1"), story.uids("agent", "n2")), pods);
    assert_eq!(story.counters("default", "agent"), [2, 2, 2, 2, 2]);
    assert_eq!(story.store().controller_revisions().size(), 1);

    story.run("kubectl rollout restart ds/agent");
    assert_eq!(story.settle_watching("agent", &["n1", "n2"]), 1);
    assert_ne!(story.uids("agent", "n1"), pods.0);
    assert_ne!(story.uids("agent", "n2"), pods.1);
    assert_eq!(story.store().controller_revisions().size(), 2);
}

/// SL-01: what is left alone when the new selector is refused, and the way out.
#[test]
fn a_refused_selector_leaves_the_pods_alone_and_delete_and_create_is_the_way_out() {
    let mut story = Story::with_nodes(2);
    let old = daemonset("agent", "100m", "");
    story.apply(&old);
    let pods = (story.uids("agent", "n1"), story.uids("agent", "n2"));
    let new = old.replace("{app: agent}", "{app: renamed}");
    story.files.insert("file.yaml".into(), new.clone());
    let error = story.refused("kubectl apply -f file.yaml");
    assert!(error.contains("field is immutable"), "{error}");
    story.settle();
    assert_eq!((story.uids("agent", "n1"), story.uids("agent", "n2")), pods);

    story.run("kubectl delete ds agent");
    story.settle();
    assert_eq!(story.store().pods().size(), 0);
    story.apply(&new);
    assert_eq!(story.counters("default", "agent"), [2, 2, 2, 2, 2]);
    assert_eq!((story.uids("renamed", "n1").len(), story.uids("renamed", "n2").len()), (1, 1));
}

/// The other way out of the same refusal, for a selector that the pods fulfil as they are: nothing restarts.
#[test]
fn pods_that_a_deleted_daemon_set_left_behind_go_to_the_one_whose_selector_they_match() {
    let mut story = Story::with_nodes(2);
    let old = daemonset("agent", "100m", "").replace("labels: {app: agent}", "labels: {app: agent, tier: node}");
    story.apply(&old);
    let pods = (story.uids("agent", "n1"), story.uids("agent", "n2"));
    let new = old.replace("matchLabels: {app: agent}", "matchLabels: {app: agent, tier: node}");
    story.files.insert("file.yaml".into(), new.clone());
    let error = story.refused("kubectl apply -f file.yaml");
    assert!(error.contains("field is immutable"), "{error}");
    story.run("kubectl delete daemonset agent --cascade=orphan");
    story.settle();
    assert_eq!(story.store().pods().size(), 2);
    story.apply(&new);
    assert_eq!(story.counters("default", "agent"), [2, 2, 2, 2, 2]);
    assert_eq!((story.uids("agent", "n1"), story.uids("agent", "n2")), pods);
}

/// CD-01: where the pods are after the drain that fails, and after the one that does not.
#[test]
fn a_failed_drain_moves_nothing_and_a_drain_with_the_flag_moves_all_but_the_agent() {
    let mut story = Story::with_nodes(2);
    story.apply(&daemonset("agent", "100m", ""));
    story.run("kubectl cordon n2");
    story.run("kubectl create deployment web --image=web");
    story.settle();
    story.run("kubectl uncordon n2");
    story.settle();
    let (agent, web) = (story.uids("agent", "n1"), story.uids("web", "n1"));
    assert_eq!((agent.len(), web.len()), (1, 1));

    let error = story.refused("kubectl drain n1");
    assert!(error.contains("cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore)"), "{error}");
    story.settle();
    assert_eq!((story.uids("agent", "n1"), story.uids("web", "n1")), (agent.clone(), web));
    assert!(story.node("n1").spec.unschedulable);

    story.run("kubectl drain n1 --ignore-daemonsets");
    story.settle();
    assert_eq!((story.uids("agent", "n1"), story.uids("web", "n1")), (agent, vec![]));
    assert_eq!(story.uids("web", "n2").len(), 1);
    assert_eq!(story.counters("default", "agent"), [2, 2, 2, 2, 2]);
}

/// KO-03: the pod is for n1 and for no other node, and goes there as soon as there is room.
#[test]
fn a_pending_pod_waits_for_room_on_its_own_node() {
    let mut story = Story::empty();
    story.run("sim add-node n1 --resource cpu=2 --resource memory=4Gi --resource pods=2");
    story.run("sim add-node n2 --resource cpu=2 --resource memory=4Gi --resource pods=110");
    story.apply(&pod("filler1", "1m", "nodeName: n1, "));
    story.apply(&pod("filler2", "1m", "nodeName: n1, "));
    story.apply(&daemonset("agent", "100m", ""));
    let pending = story.pending("agent");
    assert_eq!((pending.len(), story.counters("default", "agent")), (1, [2, 2, 1, 2, 1]));
    story.run("kubectl delete pod filler1");
    story.settle();
    assert_eq!(story.uids("agent", "n1"), pending);
}

/// MP-07: what the dropped rule means once the pods are there.
#[test]
fn a_rule_that_was_dropped_lets_the_pods_run_on_all_nodes() {
    let mut story = Story::with_nodes(2);
    story.run("kubectl label node n1 disk=ssd");
    let terms = "nodeSelectorTerms: [{matchExpressions: [{key: disk, operator: Exists}]}]";
    let wrong = format!("affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: , {terms}}}}}, ");
    story.files.insert("file.yaml".into(), daemonset("agent", "100m", &wrong));
    let error = story.refused("kubectl apply -f file.yaml");
    let field = "unknown field \"spec.template.spec.affinity.nodeAffinity.nodeSelectorTerms\"";
    assert!(error.contains(field), "{error}");
    assert_eq!(story.store().daemon_sets().size(), 0);
    story.run("kubectl apply --validate=false -f file.yaml");
    story.settle();
    assert_eq!(story.counters("default", "agent"), [2, 2, 2, 2, 2]);

    let right =
        format!("affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{{terms}}}}}}}, ");
    story.apply(&daemonset("agent", "100m", &right));
    assert_eq!(story.counters("default", "agent"), [1, 1, 1, 1, 1]);
    assert_eq!((story.uids("agent", "n1").len(), story.uids("agent", "n2").len()), (1, 0));
}

// Left out, and why:
// - AS-01, AS-03, QO-01: the autoscaler's own decision (which node it would add, and that it should add none). There is
//   no autoscaler here; what its node brings is tested above.
// - HM-01: that pods stay in ContainerCreating until their ConfigMap exists. The kubelet mounts no volumes here.
// - HM-03: the whole rollout on a thousand nodes takes long without optimisation; it is measured by the benchmark, and
//   its first wave is in the recording.

/// A pod that is on its way out is told once more for each further taint that it does not bear, and for no other cause.
#[test]
fn a_second_taint_that_is_not_tolerated_tells_the_pod_again() {
    let mut story = Story::with_nodes(1);
    story.run("sim behaviour '[{match: {node: n1}, terminateAfterMs: 500000}]'");
    story.apply(&pod("web", "100m", "terminationGracePeriodSeconds: 600, "));
    let told = |story: &Story| {
        let events = story.store().events().values();
        let events = events.filter(|event| event.message == "Marking for deletion Pod default/web");
        events.map(|event| event.count).sum::<i32>()
    };
    story.run("kubectl taint node n1 a=b:NoExecute");
    story.wait(1);
    assert_eq!(told(&story), 1);
    story.run("kubectl taint node n1 c=d:NoSchedule");
    story.wait(1);
    assert_eq!(told(&story), 1);
    story.run("kubectl taint node n1 e=f:NoExecute");
    story.wait(1);
    assert_eq!(told(&story), 2);
    let leaving = story.store().pods_on("n1").next().expect("it takes its time");
    assert!(leaving.is_terminating());
}
