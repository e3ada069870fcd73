//! What holds at every step of every run: random clusters, strategies, edits and failures.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::controllers::daemonset::Rules;
use daemonset_playground::objects::*;
use daemonset_playground::scheduler::SchedulerReason;
use daemonset_playground::simulation::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

const FILE: &str = "agent.yaml";

/// A budget as written in a manifest: maxUnavailable and maxSurge.
#[derive(Clone, Copy, Debug)]
struct Budget(&'static str, &'static str);

const BUDGETS: [Budget; 6] =
    [Budget("1", "0"), Budget("2", "0"), Budget("50%", "0"), Budget("0", "1"), Budget("0", "2"), Budget("0", "34%")];

fn manifest(budget: Budget, image: &str, min_ready_seconds: u32) -> String {
    let Budget(unavailable, surge) = budget;
    let quoted = |text: &str| if text.ends_with('%') { format!("\"{text}\"") } else { text.to_owned() };
    format!(
        "apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: agent\nspec:\n  minReadySeconds: {min_ready_seconds}\n  \
         selector:\n    matchLabels:\n      app: agent\n  updateStrategy:\n    rollingUpdate:\n      maxUnavailable: {}\n      \
         maxSurge: {}\n  template:\n    metadata:\n      labels:\n        app: agent\n    spec:\n      containers:\n      - \
         name: agent\n        image: {image}\n        resources:\n          requests:\n            cpu: 100m\n",
        quoted(unavailable),
        quoted(surge),
    )
}

fn cluster(nodes: usize) -> Session {
    let mut session = Session::new(Scenario::default());
    session.run(&format!("sim add-node worker --count {nodes}"), &BTreeMap::new());
    session
}

fn run(session: &mut Session, line: &str) {
    session.run(line, &BTreeMap::new());
}

fn apply(session: &mut Session, text: String) {
    let run = session.run("kubectl apply -f agent.yaml", &BTreeMap::from([(FILE.to_owned(), text)]));
    assert_eq!(run.exit_code, Some(0), "{}", run.stderr);
}

fn daemonset(world: &World) -> &DaemonSet {
    world.store().daemon_set(&ObjectKey::new("default", "agent")).expect("the DaemonSet is there")
}

/// The DaemonSet's pods on a node that live: neither terminating nor over.
fn live_pods(world: &World, node: &str) -> usize {
    let pods = world.store().pods_on(node).filter(|pod| pod.metadata.label("app") == Some("agent"));
    pods.filter(|pod| !pod.is_terminating() && !pod.is_finished()).count()
}

fn nodes_without_available_pod(world: &World) -> usize {
    let min_ready = daemonset(world).spec.min_ready_seconds;
    let without = world.store().nodes().values().filter(|node| {
        let mut pods = world.store().pods_on(&node.metadata.name);
        !pods.any(|pod| !pod.is_terminating() && pod.is_available(min_ready, world.now()))
    });
    without.count()
}

fn requested_cpu(world: &World, node: &Node) -> i64 {
    let bound = world.store().pods_on(&node.metadata.name).filter(|pod| pod.is_bound() && !pod.is_finished());
    let containers = bound.flat_map(|pod| pod.spec.containers.iter().map(|c| c.request(CPU)));
    containers.map(|request| request.map_or(0, Quantity::milli_value)).sum()
}

/// Runs on, and looks at every state.
fn run_checked(session: &mut Session, check: impl Fn(&World)) -> Progress {
    run_looking(session, |session| check(session.world()))
}

/// Runs on, and looks at every step.
fn run_looking(session: &mut Session, mut look: impl FnMut(&Session)) -> Progress {
    for _ in 0..20_000 {
        match session.run_to_quiet(1) {
            Progress::More => look(session),
            Progress::Loop(cycle) => {
                assert!(cycle.from < cycle.to && cycle.to <= session.len() && cycle.period_ms > 0, "{cycle:?}");
                return Progress::Loop(cycle);
            }
            end => return end,
        }
    }
    panic!("neither quiet nor found to be a loop after 20,000 steps");
}

/// Eligible nodes, and how many of them have no available pod of the DaemonSet.
fn uncovered(world: &World) -> Option<(usize, usize)> {
    let set = world.store().daemon_set(&ObjectKey::new("default", "agent"))?;
    let eligible: Vec<_> =
        world.store().nodes().values().filter(|node| Rules::of(set).eligibility(node).should_run).collect();
    let is_covered = |node: &Node| {
        let mut pods = world.store().pods_on(&node.metadata.name);
        pods.any(|pod| {
            pod.metadata.is_controlled_by(&set.metadata.uid)
                && !pod.is_terminating()
                && pod.is_available(set.spec.min_ready_seconds, world.now())
        })
    };
    Some((eligible.len(), eligible.iter().filter(|node| !is_covered(node)).count()))
}

/// What the controller did in the last step leaves no more eligible nodes uncovered than the strategy allows, or than
/// there were before.
fn check_budget(session: &Session) {
    let Some(step) = session.step_number(session.position()) else { return };
    if step.actor != Actor::DaemonSetController {
        return;
    }
    let before = session.world_at(session.position() - 1);
    let (Some((desired, uncovered_before)), Some((_, uncovered_after))) =
        (uncovered(&before), uncovered(session.world()))
    else {
        return;
    };
    let rolling = daemonset(session.world()).spec.update_strategy.rolling_update.clone().expect("defaulted");
    let resolve = |value: Option<IntOrString>| {
        value.and_then(|v| v.scaled_up(i64::try_from(desired).ok()?)).and_then(|n| usize::try_from(n).ok()).unwrap_or(0)
    };
    let (unavailable, surge) = (resolve(rolling.max_unavailable), resolve(rolling.max_surge));
    let allowed = if surge == 0 { unavailable.max(1) } else { unavailable };
    assert!(
        uncovered_after <= allowed.max(uncovered_before),
        "step {} leaves {uncovered_after} of {desired} nodes uncovered; {allowed} are allowed, {uncovered_before} were",
        step.number
    );
}

/// A pod that the scheduler has just placed fits by every rule, counted here anew.
fn check_placement(session: &Session) {
    let Some(step) = session.step_number(session.position()) else { return };
    let Reason::Scheduler(reason) = &step.reason else { return };
    let SchedulerReason::Bound(placement) = &**reason else { return };
    let store = session.world().store();
    let node = store.node_named(&placement.node).expect("the node is there");
    let pod = store.pod(&step.subject.as_ref().expect("a pod").key).expect("the pod is there");
    let others: Vec<_> = store.pods_on(node.name()).filter(|other| other.is_bound() && !other.is_finished()).collect();
    for resource in [CPU, MEMORY] {
        let sum: i128 = others
            .iter()
            .flat_map(|other| other.spec.containers.iter())
            .filter_map(|container| container.request(resource))
            .map(Quantity::nano_value)
            .sum();
        let all = node.status.allocatable.get(resource).map_or(0, |amount| amount.nano_value());
        assert!(sum <= all, "{resource} of {} is overbooked", node.name());
    }
    assert!(!node.spec.unschedulable || pod.spec.tolerations.iter().any(|t| t.key == TAINT_UNSCHEDULABLE));
    for taint in node.spec.taints.iter().filter(|taint| taint.effect != PREFER_NO_SCHEDULE) {
        assert!(pod.spec.tolerations.iter().any(|t| t.tolerates(taint)), "{taint} is not tolerated");
    }
    let ports = |pod: &Pod| -> Vec<i32> {
        pod.spec.containers.iter().flat_map(|c| &c.ports).map(|port| port.host_port).filter(|port| *port > 0).collect()
    };
    for other in others.iter().filter(|other| other.metadata.uid != pod.metadata.uid) {
        assert!(ports(pod).iter().all(|port| !ports(other).contains(port)), "a host port is taken twice");
    }
}

/// Something that happens to a cluster.
#[derive(Clone, Debug)]
enum Event {
    Image(u8),
    Taint(usize, &'static str),
    Untaint(usize),
    Cordon(usize),
    Uncordon(usize),
    DeletePods(usize),
    DeleteNode(usize),
    AddNode,
    PowerOff(usize),
    PowerOn(usize),
    NotReady(usize),
    /// A pod with this much CPU (in halves) and a host port comes for this node.
    Fill(usize, u8),
    Steps(usize),
}

fn event() -> impl Strategy<Value = Event> {
    let node = 1..6_usize;
    prop_oneof![
        (0..3_u8).prop_map(Event::Image),
        (node.clone(), prop_oneof![Just("NoSchedule"), Just("NoExecute"), Just("PreferNoSchedule")])
            .prop_map(|(node, effect)| Event::Taint(node, effect)),
        node.clone().prop_map(Event::Untaint),
        node.clone().prop_map(Event::Cordon),
        node.clone().prop_map(Event::Uncordon),
        node.clone().prop_map(Event::DeletePods),
        node.clone().prop_map(Event::DeleteNode),
        Just(Event::AddNode),
        node.clone().prop_map(Event::PowerOff),
        node.clone().prop_map(Event::PowerOn),
        node.clone().prop_map(Event::NotReady),
        (node, 1..8_u8).prop_map(|(node, halves)| Event::Fill(node, halves)),
        (0..12_usize).prop_map(Event::Steps),
    ]
}

fn happen(session: &mut Session, event: &Event) {
    match event {
        Event::Image(version) => run(session, &format!("kubectl set image ds/agent agent=agent:v{version}")),
        Event::Taint(node, effect) => run(session, &format!("kubectl taint node worker{node} key=value:{effect}")),
        Event::Untaint(node) => run(session, &format!("kubectl taint node worker{node} key-")),
        Event::Cordon(node) => run(session, &format!("kubectl cordon worker{node}")),
        Event::Uncordon(node) => run(session, &format!("kubectl uncordon worker{node}")),
        Event::DeletePods(node) => {
            let selector = format!("--field-selector spec.nodeName=worker{node}");
            run(session, &format!("kubectl delete pods {selector} --wait=false"));
        }
        Event::DeleteNode(node) => run(session, &format!("kubectl delete node worker{node} --wait=false")),
        Event::AddNode => run(session, "sim add-node worker --count 1"),
        Event::PowerOff(node) => run(session, &format!("sim power-off worker{node}")),
        Event::PowerOn(node) => run(session, &format!("sim power-on worker{node}")),
        Event::NotReady(node) => run(session, &format!("sim condition worker{node} Ready False")),
        Event::Fill(node, halves) => {
            let text = format!(
                "apiVersion: v1\nkind: Pod\nmetadata:\n  name: fill{}\nspec:\n  nodeSelector:\n    kubernetes.io/hostname: worker{node}\n  \
                 containers:\n  - name: main\n    image: fill:v1\n    ports:\n    - containerPort: 80\n      hostPort: 8080\n    \
                 resources:\n      requests:\n        cpu: {}m\n",
                session.len(),
                u32::from(*halves) * 500
            );
            session.run("kubectl apply -f fill.yaml", &BTreeMap::from([("fill.yaml".to_owned(), text)]));
        }
        Event::Steps(steps) => {
            for _ in 0..*steps {
                session.step();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// A rollout that nothing else disturbs never has more nodes without an available pod than maxUnavailable says.
    #[test]
    fn the_budget_is_never_exceeded_voluntarily(
        nodes in 1..9_usize,
        budget in prop::sample::select(&BUDGETS[..]),
        min_ready_seconds in prop::sample::select(&[0_u32, 5][..]),
        versions in prop::collection::vec(1..4_u8, 1..3),
    ) {
        let mut session = cluster(nodes);
        apply(&mut session, manifest(budget, "agent:v0", min_ready_seconds));
        prop_assert_eq!(session.run_to_quiet(100_000), Progress::Quiet);
        let rolling = daemonset(session.world()).spec.update_strategy.rolling_update.clone().expect("defaulted");
        let desired = i64::try_from(nodes).expect("few nodes");
        let resolve = |value: Option<IntOrString>| value.and_then(|v| v.scaled_up(desired)).unwrap_or(0);
        let allowed = usize::try_from(resolve(rolling.max_unavailable)).expect("not negative");
        for version in versions {
            run(&mut session, &format!("kubectl set image ds/agent agent=agent:v{version}"));
            let end = run_checked(&mut session, |world| {
                assert!(nodes_without_available_pod(world) <= allowed, "more than {allowed} of {nodes} nodes uncovered");
            });
            prop_assert_eq!(end, Progress::Quiet);
            let status = &daemonset(session.world()).status;
            prop_assert_eq!(i64::from(status.number_available), desired);
            prop_assert_eq!(i64::from(status.updated_number_scheduled), desired);
        }
    }

    /// Whatever happens: without surge never two live pods on a node, nothing is bound where it does not fit, and the
    /// run ends quiet or is found to be a loop.
    #[test]
    fn invariants_hold_whatever_happens(
        nodes in 1..6_usize,
        budget in prop::sample::select(&BUDGETS[..]),
        events in prop::collection::vec(event(), 1..14),
    ) {
        let surges = budget.1 != "0";
        let check = |world: &World| {
            for node in world.store().nodes().values() {
                let live = live_pods(world, &node.metadata.name);
                assert!(live <= if surges { 2 } else { 1 }, "{live} live pods on {}", node.metadata.name);
                let allocatable = node.status.allocatable.get(CPU).copied().unwrap_or_default().milli_value();
                assert!(requested_cpu(world, node) <= allocatable, "{} is overbooked", node.metadata.name);
            }
        };
        let mut session = cluster(nodes);
        apply(&mut session, manifest(budget, "agent:v0", 0));
        let look = |session: &Session| {
            check(session.world());
            check_budget(session);
            check_placement(session);
        };
        for event in &events {
            // One step at a time, so that none is missed.
            let steps = if let Event::Steps(steps) = event { *steps } else { 0 };
            for _ in 0..steps {
                if session.step() {
                    look(&session);
                }
            }
            if steps == 0 {
                happen(&mut session, event);
            }
            check(session.world());
        }
        run_looking(&mut session, look);
    }

    /// The saved scenario makes the same steps; going back and forth changes nothing.
    #[test]
    fn replay_and_undo_are_identities(
        nodes in 1..5_usize,
        budget in prop::sample::select(&BUDGETS[..]),
        events in prop::collection::vec(event(), 1..8),
    ) {
        let mut session = cluster(nodes);
        apply(&mut session, manifest(budget, "agent:v0", 0));
        for event in &events {
            happen(&mut session, event);
        }
        while session.run_to_quiet(2_000) == Progress::More {}
        let steps = |session: &Session| session.steps().map(|step| transcript_line(step)).collect::<Vec<_>>();
        let replayed = {
            let saved = session.scenario().to_yaml();
            let mut replayed = Session::new(Scenario::parse(&saved).expect("what was saved opens"));
            while replayed.len() < session.len() && replayed.step() {}
            replayed
        };
        prop_assert_eq!(steps(&replayed), steps(&session));
        prop_assert_eq!(replayed.world().store().all(), session.world().store().all());

        let end = session.world().store().all();
        session.seek(session.len() / 2);
        while session.position() < session.len() && session.step() {}
        prop_assert_eq!(session.world().store().all(), end);
    }

    /// States that were not kept are made again byte for byte, whichever way one comes to them; and so are those of
    /// lines that were left.
    #[test]
    fn states_between_snapshots_are_made_again_exactly(
        nodes in 2..6_usize,
        budget in prop::sample::select(&BUDGETS[..]),
        events in prop::collection::vec(event(), 2..8),
        jumps in prop::collection::vec(0..1000_usize, 24),
    ) {
        let mut session = cluster(nodes);
        apply(&mut session, manifest(budget, "agent:v0", 0));
        for event in &events {
            happen(&mut session, event);
        }
        while session.run_to_quiet(200) == Progress::More {}
        // What is seen while every step is the first of its kind, with a look ahead before each.
        let mut again = Session::new(Scenario::parse(&session.scenario().to_yaml()).expect("what was saved opens"));
        let mut seen = BTreeMap::new();
        seen.insert(again.position(), exactly(again.world()));
        while again.len() < session.len() && again.next_step().is_some() && again.step() {
            seen.insert(again.position(), exactly(again.world()));
        }
        for jump in &jumps {
            let position = session.seek(jump % (session.len() + 1));
            let here = exactly(session.world());
            prop_assert!(here == exactly(&session.world_at(position)));
            if let Some(then) = seen.get(&position) {
                prop_assert!(here == *then, "position {position} is another state");
            }
            if jump % 3 == 0 && session.step() {
                prop_assert!(exactly(session.world()) == exactly(&session.world_at(position + 1)));
            }
        }
        // Acting in the past leaves a line, which can be gone back to.
        session.seek(session.len());
        let (end, length) = (exactly(session.world()), session.len());
        session.seek(length / 2);
        run(&mut session, "kubectl get nodes");
        prop_assert!(session.switch_branch(0));
        prop_assert_eq!(session.len(), length);
        prop_assert!(exactly(session.world()) == end);
    }
}

/// Everything that the future depends on, as text.
fn exactly(world: &World) -> String {
    format!("{world:?}")
}
