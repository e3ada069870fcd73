//! The two guides that the product grew from, played: every situation with the outcome that a real cluster gives.
#![cfg(not(target_arch = "wasm32"))]

mod story;

use daemonset_playground::simulation::*;
use story::Story;

const NODE_EXPORTER: &str = include_str!("manifests/node-exporter.yaml");
const FLUENT_BIT: &str = include_str!("manifests/fluent-bit.yaml");

impl Story {
    /// One control plane with its taint, three workers.
    fn new() -> Self {
        let mut story = Self::empty();
        story.run("sim add-node cp1 --template control-plane");
        story.run("sim add-node worker --count 3");
        story.settle();
        story
    }

    fn file(&mut self, name: &str, text: &str) {
        self.files.insert(name.into(), text.into());
    }

    fn settle(&mut self) {
        assert_eq!(self.session.run_to_quiet(10_000), Progress::Quiet);
    }

    fn apply(&mut self, name: &str, text: &str) -> String {
        self.file(name, text);
        let printed = self.run(&format!("kubectl apply -f {name}"));
        self.settle();
        printed
    }

    /// Nodes with a ready pod of the application, by name.
    fn nodes(&self, app: &str) -> Vec<String> {
        let world = self.session.world();
        let nodes = world.store().nodes().values().map(|node| node.metadata.name.to_string());
        nodes.filter(|node| ready_pods(world, app, node) > 0).collect()
    }

    /// Runs to quiet; the fewest ready pods of the application on any of the nodes at any moment, and the most nodes
    /// that were without one at the same moment.
    fn settle_watching(&mut self, app: &str, nodes: &[&str]) -> usize {
        let mut most = 0;
        while self.session.run_to_quiet(1) == Progress::More {
            let world = self.session.world();
            most = most.max(nodes.iter().filter(|node| ready_pods(world, app, node) == 0).count());
        }
        most
    }
}

fn ready_pods(world: &World, app: &str, node: &str) -> usize {
    let pods = world.store().pods_on(node);
    pods.filter(|pod| pod.metadata.label("app") == Some(app) && pod.is_ready() && !pod.is_terminating()).count()
}

const WORKERS: [&str; 3] = ["worker1", "worker2", "worker3"];

#[test]
fn one_pod_on_every_worker_and_none_on_the_control_plane() {
    let mut story = Story::new();
    assert_eq!(story.apply("node-exporter.yaml", NODE_EXPORTER), "daemonset.apps/node-exporter created\n");
    assert_eq!(story.counters("default", "node-exporter"), [3, 3, 3, 3, 3]);
    assert_eq!(story.nodes("node-exporter"), WORKERS);

    let tolerating = NODE_EXPORTER.replace(
        "      hostNetwork: true\n",
        "      hostNetwork: true\n      tolerations:\n        - key: node-role.kubernetes.io/control-plane\n          operator: Exists\n          effect: NoSchedule\n",
    );
    assert_eq!(story.apply("node-exporter.yaml", &tolerating), "daemonset.apps/node-exporter configured\n");
    assert_eq!(story.nodes("node-exporter"), ["cp1", "worker1", "worker2", "worker3"]);
    assert_eq!(story.counters("default", "node-exporter"), [4, 4, 4, 4, 4]);
}

#[test]
fn the_log_agent_needs_its_namespace_first() {
    let mut story = Story::new();
    story.file("fluent-bit.yaml", FLUENT_BIT);
    let error = story.refused("kubectl apply -f fluent-bit.yaml");
    assert!(error.contains("namespaces \"logging\" not found"), "{error}");
    story.run("kubectl create namespace logging");
    story.apply("fluent-bit.yaml", FLUENT_BIT);
    assert_eq!(story.counters("logging", "fluent-bit"), [3, 3, 3, 3, 3]);
    let table = story.run("kubectl get daemonset -n logging");
    assert!(
        table.starts_with("NAME         DESIRED   CURRENT   READY   UP-TO-DATE   AVAILABLE   NODE SELECTOR   AGE\n")
    );
    assert_eq!(
        story.run("kubectl rollout status daemonset/fluent-bit -n logging"),
        "daemon set \"fluent-bit\" successfully rolled out\n"
    );
}

#[test]
fn a_node_selector_restricts_and_a_label_lets_in() {
    let mut story = Story::new();
    story.apply("node-exporter.yaml", NODE_EXPORTER);
    let restricted = NODE_EXPORTER.replace(
        "      hostNetwork: true\n",
        "      nodeSelector:\n        monitoring: enabled\n      hostNetwork: true\n",
    );
    story.apply("node-exporter.yaml", &restricted);
    assert_eq!(story.nodes("node-exporter"), Vec::<String>::new());
    assert_eq!(story.counters("default", "node-exporter"), [0, 0, 0, 0, 0]);

    assert_eq!(story.run("kubectl label node worker1 monitoring=enabled"), "node/worker1 labeled\n");
    story.settle();
    assert_eq!(story.nodes("node-exporter"), ["worker1"]);
    story.run("kubectl label node worker1 monitoring-");
    story.settle();
    assert_eq!(story.nodes("node-exporter"), Vec::<String>::new());
}

#[test]
fn a_new_image_rolls_one_node_at_a_time() {
    let mut story = Story::new();
    story.apply("node-exporter.yaml", NODE_EXPORTER);
    story.run("kubectl set image daemonset/node-exporter node-exporter=prom/node-exporter:v1.8.2");
    assert_eq!(story.settle_watching("node-exporter", &WORKERS), 1);
    assert_eq!(story.counters("default", "node-exporter"), [3, 3, 3, 3, 3]);
    assert_eq!(story.run("kubectl rollout undo daemonset/node-exporter"), "daemonset.apps/node-exporter rolled back\n");
    assert_eq!(story.settle_watching("node-exporter", &WORKERS), 1);
    let template = &story.daemonset("default", "node-exporter").spec.template;
    assert_eq!(template.spec.containers[0].image, "prom/node-exporter:latest");
}

#[test]
fn with_surge_no_node_is_ever_without_a_ready_pod() {
    let mut story = Story::new();
    story.run("kubectl create namespace logging");
    let surging = FLUENT_BIT.replace("      maxUnavailable: 1\n", "      maxUnavailable: 0\n      maxSurge: 1\n");
    story.apply("fluent-bit.yaml", &surging);
    story.apply("fluent-bit.yaml", &surging.replace("fluent-bit:3.1", "fluent-bit:3.2"));
    story.session.seek(0);
    let mut uncovered = 0;
    let mut covered_once = false;
    while story.session.position() < story.session.len() && story.session.step() {
        let world = story.session.world();
        let without = WORKERS.iter().filter(|node| ready_pods(world, "fluent-bit", node) == 0).count();
        covered_once |= without == 0;
        uncovered = uncovered.max(if covered_once { without } else { 0 });
    }
    assert_eq!(uncovered, 0);
    assert_eq!(story.counters("logging", "fluent-bit"), [3, 3, 3, 3, 3]);
}

#[test]
fn surge_with_a_host_port_stays_pending_on_the_port() {
    let mut story = Story::new();
    let strategy = "spec:\n  updateStrategy:\n    rollingUpdate:\n      maxUnavailable: 0\n      maxSurge: 1\n";
    let surging = NODE_EXPORTER.replacen("spec:\n", strategy, 1);
    story.apply("node-exporter.yaml", &surging);
    story.run("kubectl set image ds/node-exporter node-exporter=prom/node-exporter:v1.8.2");
    story.settle();
    assert_eq!(story.counters("default", "node-exporter"), [3, 3, 3, 0, 3]);
    let events = story.run("kubectl get events");
    assert!(events.contains("didn't have free ports for the requested pod ports"), "{events}");
}

#[test]
fn on_delete_changes_nothing_until_a_pod_is_deleted() {
    let mut story = Story::new();
    story.run("kubectl create namespace logging");
    let on_delete = FLUENT_BIT
        .replace("    type: RollingUpdate\n    rollingUpdate:\n      maxUnavailable: 1\n", "    type: OnDelete\n");
    story.apply("fluent-bit.yaml", &on_delete);
    story.apply("fluent-bit.yaml", &on_delete.replace("fluent-bit:3.1", "fluent-bit:3.2"));
    assert_eq!(story.counters("logging", "fluent-bit"), [3, 3, 3, 0, 3]);
    story.run("kubectl delete pods -n logging --field-selector spec.nodeName=worker2");
    story.settle();
    assert_eq!(story.counters("logging", "fluent-bit"), [3, 3, 3, 1, 3]);
}

#[test]
fn pods_follow_nodes_that_join_and_leave() {
    let mut story = Story::new();
    story.apply("node-exporter.yaml", NODE_EXPORTER);
    story.run("sim add-node worker4");
    story.settle();
    assert_eq!(story.nodes("node-exporter"), ["worker1", "worker2", "worker3", "worker4"]);
    story.run("kubectl delete node worker2");
    story.settle();
    assert_eq!(story.nodes("node-exporter"), ["worker1", "worker3", "worker4"]);
    let left = story.session.world().store().pods_on("worker2").count();
    assert_eq!(left, 0, "pod garbage collection takes the pods of a node that is gone");
}

#[test]
fn deleting_the_daemonset_removes_all_its_pods() {
    let mut story = Story::new();
    story.apply("node-exporter.yaml", NODE_EXPORTER);
    story.run("kubectl delete daemonset node-exporter");
    story.settle();
    assert_eq!(story.session.world().store().pods().size(), 0);
    assert_eq!(story.session.world().store().controller_revisions().size(), 0);
}

#[test]
fn an_impossible_selector_scales_to_zero() {
    let mut story = Story::new();
    story.run("kubectl create namespace logging");
    story.apply("fluent-bit.yaml", FLUENT_BIT);
    let patch = r#"{"spec":{"template":{"spec":{"nodeSelector":{"non-existent-label":"true"}}}}}"#;
    story.run(&format!("kubectl patch ds fluent-bit -n logging -p '{patch}'"));
    story.settle();
    assert_eq!(story.counters("logging", "fluent-bit"), [0, 0, 0, 0, 0]);
    assert_eq!(story.session.world().store().pods().size(), 0);
}
