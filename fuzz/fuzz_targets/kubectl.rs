//! The command line, on any bytes: completion and preview on the whole of them; then, as a person would paste them into
//! the terminal, line by line (kubectl, `sim`, pipes, here-documents) into a session that goes on for a while after
//! each, with Ctrl+C where a byte says so. What has become of the cluster is then checked:
//! `cargo +nightly fuzz run kubectl CORPUS fuzz/seeds/kubectl -- -dict=fuzz/kubectl.dict -rss_limit_mb=1000`
#![no_main]

use daemonset_playground::exchange::{kwok_script, shell_script};
use daemonset_playground::kubectl::{self, Context, Outcome, shell};
use daemonset_playground::manifest::{Limits, read};
use daemonset_playground::objects::{Object, encode};
use daemonset_playground::simulation::{Reason, Scenario, Session, transcript_line};
use libfuzzer_sys::fuzz_target;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

const START: &str = r#"
cluster:
  - name: node-1
  - {name: node-2, taints: ['a=b:NoSchedule']}
files:
  agent.yaml: |
    apiVersion: apps/v1
    kind: DaemonSet
    metadata: {name: agent}
    spec:
      selector: {matchLabels: {app: agent}}
      template:
        metadata: {labels: {app: agent}}
        spec: {containers: [{name: main, image: 'agent:v1'}]}
log:
  - run: kubectl apply -f agent.yaml
  - run: kubectl run web --image=web:1 --labels=app=web
  - run: kubectl create deployment front --image=front:1
"#;

/// Commands of one input, and steps after each of them.
const MOST_COMMANDS: usize = 8;
const MOST_STEPS: usize = 40;
/// A cluster that has grown beyond this is not followed any further: it takes its time.
const MOST_OBJECTS: usize = 400;

/// What shows every kind that acts, and one that does not.
const KINDS: &str =
    "nodes,pods,daemonsets,deployments,replicasets,controllerrevisions,priorityclasses,namespaces,events,pdb,cm";

thread_local! {
    static SESSION: Session = {
        let mut session = Session::new(Scenario::parse(START).expect("a scenario"));
        session.run_to_quiet(100);
        assert_eq!(session.world().store().pods_on("node-1").count(), 3);
        session
    };
}

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    SESSION.with(|session| {
        let (api, context) = (session.world().api(), Context::default());
        for cursor in [text.floor_char_boundary(data.len() / 2), text.len()] {
            let completion = kubectl::complete(api, &context, &text, cursor);
            assert!(completion.start <= text.len());
        }
        kubectl::apply_preview(api, &context, "x.yaml", &read(&text, &Limits::default()));
        let mut session = session.clone();
        for line in lines(&text).take(MOST_COMMANDS) {
            if !act(&mut session, &line) {
                return;
            }
        }
        if session.steps().rev().any(|step| matches!(step.reason, Reason::Command(_)) && !step.changes.is_empty()) {
            check_cluster(&session);
        }
        check_log(&session);
    });
});

/// The lines as the terminal takes them: an open quote or here-document goes on in the next.
fn lines(text: &str) -> impl Iterator<Item = String> {
    let mut rest = text.lines();
    std::iter::from_fn(move || {
        let mut line = rest.next()?.to_owned();
        while shell::is_unfinished(&line)
            && let Some(more) = rest.next()
        {
            line = line + "\n" + more;
        }
        Some(line)
    })
}

/// Runs a line and lets the cluster go on. Returns false if the cluster has grown too big to go on with.
fn act(session: &mut Session, line: &str) -> bool {
    let files = session.opened().files.clone();
    let run = session.run(line, &files);
    assert!(run.exit_code.is_none_or(|code| (0..256).contains(&code)), "{:?}", run.exit_code);
    assert_eq!(run.exit_code.is_none(), session.world().waiting().is_some());
    for _ in 0..MOST_STEPS {
        if session.world().store().all().len() > MOST_OBJECTS {
            return false;
        }
        let idle = session.world().agenda().is_quiet() && session.world().waiting().is_none();
        if idle || !session.step() {
            break;
        }
    }
    true
}

/// All that can be shown of the cluster is shown, and can be read again.
fn check_cluster(session: &Session) {
    let world = session.world();
    let mut uids = BTreeSet::new();
    for object in world.store().all() {
        let metadata = object.metadata();
        assert!(!metadata.name.is_empty(), "{object:?}");
        assert!(uids.insert(metadata.uid.clone()), "two objects with one uid: {object:?}");
        let tree = encode(&object.to_value());
        assert_eq!(Object::from_value(tree.clone()).as_ref(), Ok(&object), "{tree}");
    }
    let shown = |line: &str| {
        let mut api = world.api().clone();
        match kubectl::run(&mut api, &Context::default(), line) {
            Outcome::Done(output) => {
                assert_eq!((output.exit_code, output.stderr.as_str()), (0, ""), "{line}");
                output.stdout
            }
            Outcome::Waiting(_) => panic!("{line} waits"),
        }
    };
    shown(&format!("kubectl get {KINDS} -A -o wide --show-labels"));
    shown(&format!("kubectl describe {KINDS} -A"));
    for format in ["yaml", "json"] {
        let text = shown(&format!("kubectl get {KINDS} -A -o {format}"));
        let stream = read(&text, &Limits::default());
        assert!(stream.diagnostics.is_empty(), "{:?}\n{text}", stream.diagnostics);
    }
    assert!(shell_script(session).ends_with('\n'));
    assert!(kwok_script(session).ends_with('\n'));
}

/// The log of the session makes the same steps again.
fn check_log(session: &Session) {
    let scenario = session.scenario();
    let text = scenario.to_yaml();
    assert_eq!(Scenario::parse(&text).as_ref(), Ok(&scenario), "{text}");
    let mut again = Session::new(scenario);
    while again.len() < session.len() && again.step() {}
    let told = |session: &Session| -> Vec<String> { session.steps().map(|step| transcript_line(step)).collect() };
    assert_eq!(told(&again), told(session), "{text}");
    let world = |session: &Session| -> BTreeMap<Rc<str>, Object> {
        let objects = session.world_at(session.len()).store().all();
        objects.into_iter().map(|object| (object.metadata().uid.clone(), object)).collect()
    };
    assert_eq!(world(&again), world(session), "{text}");
}
