//! What holds for every line.

use crate::support::*;
use daemonset_playground::apiserver::ApiServer;
use daemonset_playground::kubectl::{self, Context, Outcome};
use daemonset_playground::manifest::{self, Limits};
use proptest::prelude::*;

/// Words and signs that lines are made of.
const PIECES: &[&str] = &[
    "kubectl",
    "k",
    "get",
    "describe",
    "apply",
    "create",
    "delete",
    "label",
    "annotate",
    "taint",
    "cordon",
    "uncordon",
    "drain",
    "rollout",
    "status",
    "history",
    "undo",
    "restart",
    "pause",
    "resume",
    "set",
    "image",
    "env",
    "resources",
    "scale",
    "patch",
    "edit",
    "explain",
    "wait",
    "top",
    "events",
    "logs",
    "exec",
    "run",
    "expose",
    "autoscale",
    "diff",
    "replace",
    "config",
    "view",
    "set-context",
    "use-context",
    "version",
    "api-resources",
    "api-versions",
    "auth",
    "can-i",
    "cluster-info",
    "help",
    "options",
    "view-last-applied",
    "namespace",
    "configmap",
    "deployment",
    "priorityclass",
    "serviceaccount",
    "generic",
    "pods",
    "pod",
    "po",
    "ds",
    "daemonsets.apps",
    "deploy",
    "rs",
    "nodes",
    "node",
    "no",
    "all",
    "ns",
    "pc",
    "svc",
    "sa",
    "cm",
    "leases",
    "controllerrevisions",
    "pods,ds",
    "agent",
    "web",
    "ds/agent",
    "pod/web",
    "node/node-1",
    "node-1",
    "node-2",
    "default",
    "kube-system",
    "deployment/front",
    "ds/",
    "/",
    "a=b",
    "a-",
    "a=",
    "=",
    "-",
    "--",
    "a=b:NoSchedule",
    "a:NoSchedule-",
    "key=val:Nope",
    "main=x:2",
    "*=x",
    "A=1",
    "-o",
    "wide",
    "yaml",
    "json",
    "name",
    "-ojsonpath={.items[*].metadata.name}",
    "jsonpath={..}",
    "-o=jsonpath={range",
    "'{range .items[*]}{.metadata.name}{\"\\n\"}{end}'",
    "'jsonpath={.items[?(@.metadata.name==\"web\")]}'",
    "'custom-columns=A:.metadata.name,B:.spec'",
    "custom-columns=",
    "'go-template={{range .items}}{{.kind}}{{end}}'",
    "go-template={{.}}",
    "'{{len .}}{{printf \"%d\" 1}}{{index . 3}}'",
    "--template",
    "-l",
    "app=agent",
    "app!=agent",
    "'app in (agent,x)'",
    "-A",
    "-n",
    "-w",
    "--watch-only",
    "--show-labels",
    "-L",
    "--sort-by",
    ".metadata.name",
    "{.spec.x[0]}",
    "--no-headers",
    "--field-selector",
    "spec.nodeName=node-1",
    "status.phase!=Running",
    "-f",
    "-",
    "agent.yaml",
    "missing.yaml",
    "--dry-run=client",
    "--dry-run=server",
    "--dry-run",
    "--force",
    "--grace-period=0",
    "--grace-period",
    "-1",
    "9223372036854775807",
    "-9223372036854775808",
    "--cascade=orphan",
    "--now",
    "--all",
    "--overwrite",
    "--list",
    "--timeout=0s",
    "--timeout=-1s",
    "--timeout",
    "1h",
    "9999999999999999h",
    "--for",
    "condition=Ready",
    "jsonpath={.status.phase}=Running",
    "--for=delete",
    "--for=create",
    "--to-revision=1",
    "--revision=1",
    "--revision=-5",
    "--replicas=3",
    "--replicas=-3",
    "--replicas=99999999999",
    "--type=json",
    "--type=merge",
    "-p",
    "'{\"spec\":null}'",
    "'[{\"op\":\"remove\",\"path\":\"/spec/template/spec/containers/0\"}]'",
    "'[{\"op\":\"add\",\"path\":\"/metadata/labels/x\",\"value\":\"y\"}]'",
    "'{\"metadata\":{\"labels\":{\"a\":\"b\"}}}'",
    "'{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"main\",\"$patch\":\"delete\"}]}}}}'",
    "'spec: [1'",
    "--image=x:1",
    "--requests=cpu=100m",
    "--limits=cpu=x",
    "--ignore-daemonsets",
    "--delete-emptydir-data",
    "--disable-eviction",
    "--pod-selector",
    "--subresource=status",
    "--raw",
    "/api/v1/nodes",
    "--server-side",
    "--recursive",
    "ds.spec.template",
    "pods.spec.containers.",
    "--from-literal=a=b",
    "--value=1000",
    "--value=-1",
    "--containers",
    "--sum",
    "--min=1",
    "--max=2",
    "--port=80",
    "--tail=1",
    "--max-log-requests",
    "-h",
    "--help",
    "--types=Warning",
    "--save-config",
    "--output=yaml",
    "--validate=false",
    "--namespace=default",
    "-v=6",
    "-it",
    "|",
    "grep",
    "-v",
    "-E",
    "'a(b|c)*$'",
    "'['",
    "-c",
    "head",
    "tail",
    "-n1",
    "+2",
    "wc",
    "sort",
    "-k2",
    "-rn",
    "uniq",
    "cut",
    "-d:",
    "-f1",
    "tr",
    "a-z",
    "A-Z",
    "column",
    "-t",
    "xargs",
    "cat",
    "echo",
    "sleep",
    "1",
    "-1",
    "1e99",
    "tee",
    "&&",
    "||",
    ";",
    "#",
    ">",
    "<",
    "2>&1",
    "2>/dev/null",
    "<<EOF",
    "\n",
    "EOF",
    "\nEOF\n",
    "'",
    "\"",
    "\\",
    "$(",
    "`",
    "&",
    "(",
    "{",
    "é",
    "😀",
    "\u{0}",
    "\u{200b}",
];

fn line() -> impl Strategy<Value = String> {
    let piece = prop_oneof![30 => prop::sample::select(PIECES).prop_map(str::to_owned), 1 => "\\PC{0,6}"];
    let words = prop::collection::vec((piece, prop::bool::weighted(0.95)), 0..14);
    (prop::bool::weighted(0.9), words).prop_map(|(is_kubectl, words)| {
        let text: String = words.into_iter().map(|(word, spaced)| if spaced { word + " " } else { word }).collect();
        if is_kubectl { format!("kubectl {text}") } else { text }
    })
}

fn playground() -> (ApiServer, Context) {
    let mut api = cluster(&["node-1", "node-2"]);
    for command in [
        apply(AGENT).as_str(),
        "kubectl run web --image=web:1 --labels=app=web --overrides='{\"spec\":{\"nodeName\":\"node-1\"}}'",
        "kubectl create deployment front --image=front:1 --replicas=2",
        "kubectl create priorityclass high --value=1000",
        "kubectl taint node node-2 a=b:NoSchedule",
    ] {
        assert_eq!(run(&mut api, command).exit_code, 0, "{command}");
    }
    let mut context = Context::default();
    context.files.insert("agent.yaml".into(), AGENT.replace("agent:v1", "agent:v2"));
    (api, context)
}

/// Runs a line to its end, or for an hour when it goes on waiting.
fn run_to_end(api: &mut ApiServer, context: &Context, line: &str) -> i32 {
    let mut waiting = match kubectl::run(api, context, line) {
        Outcome::Done(output) => return output.exit_code,
        Outcome::Waiting(waiting) => waiting,
    };
    let start = api.now();
    for minute in 0..60 {
        api.set_now(start.plus_seconds(60 * minute));
        if let Some(exit) = waiting.poll(api).done {
            return exit;
        }
    }
    waiting.interrupt();
    130
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_line_panics(line in line()) {
        let (mut api, context) = playground();
        let exit = run_to_end(&mut api, &context, &line);
        prop_assert!((0..256).contains(&exit), "{line}: {exit}");
    }

    #[test]
    fn the_same_line_gives_the_same(line in line()) {
        let (api, context) = playground();
        let once = kubectl::run(&mut api.clone(), &context, &line);
        let again = kubectl::run(&mut api.clone(), &context, &line);
        prop_assert_eq!(once, again);
    }

    #[test]
    fn what_dry_runs_and_readers_leave_is_what_was_there(line in line()) {
        let (mut api, context) = playground();
        let before = api.clone();
        let words: Vec<String> = line.split_whitespace().skip(1).map(str::to_owned).collect();
        let only_kubectl = line.starts_with("kubectl ") && !line.contains(['|', ';', '&', '\n', '>', '`', '$', '#', '\'']);
        if let Ok(command) = kubectl::Command::parse(&words) && only_kubectl && !command.writes() {
            kubectl::run(&mut api, &context, &line);
            prop_assert!(before.store().all() == api.store().all(), "{}", line);
        }
    }

    #[test]
    fn any_place_of_any_line_can_be_completed(line in line(), cursor in 0usize..200) {
        let (api, context) = playground();
        let completion = kubectl::complete(&api, &context, &line, cursor);
        for candidate in &completion.candidates {
            prop_assert!(candidate.text.starts_with(completion.common()));
        }
        prop_assert!(completion.start <= line.len());
    }

    #[test]
    fn any_text_can_be_previewed(text in "(\\PC|[\n :{}\\[\\]-]){0,120}", cut in 0usize..300) {
        let (api, context) = playground();
        let broken = AGENT.chars().take(cut).chain(text.chars()).collect::<String>();
        for text in [text, broken] {
            kubectl::apply_preview(&api, &context, "x.yaml", &manifest::read(&text, &Limits::default()));
        }
    }
}

/// Lines that fuzzing has found to reach something new, and those that it began with.
#[test]
fn what_fuzzing_has_found_is_answered() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds/kubectl");
    let mut lines = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = String::from_utf8_lossy(&std::fs::read(entry.unwrap().path()).unwrap()).into_owned();
        lines.extend(text.split("\n%%\n").map(str::to_owned));
    }
    assert!(lines.len() > 100, "only {} lines", lines.len());
    let api = cluster(&["node-1", "node-2"]);
    let context = Context::default();
    for line in lines {
        let mut api = api.clone();
        kubectl::complete(&api, &context, &line, line.len());
        match kubectl::run(&mut api, &context, &line) {
            Outcome::Done(output) => assert!((0..256).contains(&output.exit_code), "{line}"),
            Outcome::Waiting(mut waiting) => {
                api.set_now(NOW.plus_seconds(3600));
                waiting.poll(&mut api);
                waiting.interrupt();
            }
        }
    }
}
