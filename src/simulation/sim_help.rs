//! What `sim help` and `sim COMMAND -h` print.

use crate::objects::NodeTemplate;

/// A command: its name, what stands after it, what it does in a line, and the rest.
struct Entry {
    name: &'static str,
    usage: &'static str,
    does: &'static str,
    more: &'static str,
}

const ENTRIES: [Entry; 11] = [
    Entry {
        name: "add-node",
        usage: "NAME... [--template T] [--count N] [--label K=V]... [--taint K[=V]:EFFECT]... [--resource R=AMOUNT]... [--not-ready]",
        does: "plug in machines",
        more: "\
  --template     what the machine is like: TEMPLATES (default worker)
  --count        how many, numbered after the one name that is given
  --label        a label on top of the template's
  --taint        a taint on top of the template's
  --resource     capacity instead of the template's, all of it for pods, as in cpu=2 or example.com/dongle=1
  --not-ready    the kubelet reports that it is not ready

Examples:
  sim add-node worker4
  sim add-node gpu --template gpu --count 3 --label pool=training",
    },
    Entry {
        name: "resize-node",
        usage: "NODE... --resource R=AMOUNT...",
        does: "give machines other capacity",
        more: "\
  --resource     how much there is from now on, all of it for pods

Example:
  sim resize-node worker1 --resource cpu=8 --resource memory=32Gi",
    },
    Entry {
        name: "power-off",
        usage: "NODE...",
        does: "the machine is off, its containers are gone",
        more: "After 50 seconds of silence the node controller notices. sim power-on brings the machine back.",
    },
    Entry {
        name: "power-on",
        usage: "NODE...",
        does: "the machine is back (start-kubelet is the same)",
        more: "Its kubelet reports again and starts the containers anew.",
    },
    Entry {
        name: "stop-kubelet",
        usage: "NODE...",
        does: "only the kubelet falls silent, its containers go on",
        more: "This is also what a cut network looks like from the control plane.",
    },
    Entry {
        name: "start-kubelet",
        usage: "NODE...",
        does: "the kubelet reports again",
        more: "What it was told to do in between, it does now.",
    },
    Entry {
        name: "condition",
        usage: "NODE TYPE STATUS [--reason R] [--message M]",
        does: "what the kubelet reports of its node until it says otherwise",
        more: "\
  TYPE           Ready, MemoryPressure, DiskPressure, PIDPressure, NetworkUnavailable or any other
  STATUS         True, False or Unknown

Examples:
  sim condition worker1 Ready False --reason KubeletNotReady
  sim condition worker1 DiskPressure True",
    },
    Entry {
        name: "machine-usage",
        usage: "NODE RESOURCE=AMOUNT...",
        does: "what the machine uses beside its pods: too much, and the kubelet evicts",
        more: "\
  RESOURCE       memory (100Mi must be left) or ephemeral-storage (a tenth must be left)

What is used is known from then on: pods of which a behaviour says what they use, and this. The kubelet evicts one pod
every ten seconds while too little is left: those over their request first, then by priority, then by the excess.

Example:
  sim machine-usage worker1 memory=15Gi",
    },
    Entry {
        name: "static-pod",
        usage: "NODE NAME [--image IMAGE] [--namespace NS] [--request R=AMOUNT]... [--remove]",
        does: "a pod that the kubelet runs from a file of its own, with a mirror in the API",
        more: "\
  --image        image of its one container (default NAME:v1)
  --namespace    namespace of the mirror pod (default kube-system)
  --request      what the container asks for
  --remove       the file goes, and the pod with it

The mirror pod is called NAME-NODE; deleting it does not end the pod.

Example:
  sim static-pod control-plane kube-scheduler --request cpu=100m",
    },
    Entry {
        name: "behaviour",
        usage: "YAML",
        does: "how pods behave that start from now on",
        more: "\
A list of rules; the first whose match fits a pod holds for it. Nothing given: it starts after 1 s and is ready 2 s later.
  match            image, node, namespace, controller, revision, pod: all that are given must fit
  startAfterMs, initMs, readyAfterMs, terminateAfterMs
  mayRefuse        false: the kubelet lets every pod in and waits for no ConfigMap or Secret
  outcome          {type: Run | NeverReady | NeverStart | Crash | CrashLoop | ImagePull | Succeed | Evict | OutOf, ...}
                   Crash: exitCode, afterMs, times; CrashLoop: exitCode, restarts; ImagePull: backingOff;
                   Succeed, Evict, OutOf: afterMs; Evict, OutOf: resource
  uses             cpu, memory, ephemeralStorage: a list of {afterMs, amount}, counted from the container's start;
                   more memory than the limit is OOMKilled, more CPU than the limit is throttled

Examples:
  sim behaviour '[{match: {image: \"agent:v2\"}, outcome: {type: NeverReady}}]'
  sim behaviour '[{match: {image: leak}, uses: {memory: [{amount: 50Mi}, {afterMs: 20000, amount: 600Mi}]}}]'
  sim behaviour '[]'",
    },
    Entry {
        name: "wait",
        usage: "DURATION",
        does: "let virtual time pass (10s, 1m30s)",
        more: "It ends when everything that is due until then has happened.",
    },
];

/// What `sim help` prints.
pub fn overview() -> String {
    let mut text = String::from("sim changes what no Kubernetes API can change.\n\n");
    for entry in &ENTRIES {
        text += &format!("  {:<15}{}\n", entry.name, entry.does);
    }
    text + "\nsim COMMAND -h tells more of one. Everything else is a kubectl command.\n"
}

/// What `sim COMMAND -h` prints; `None`: there is no such command.
pub fn of(command: &str) -> Option<String> {
    let command = if command == "behavior" { "behaviour" } else { command };
    let entry = ENTRIES.iter().find(|entry| entry.name == command)?;
    let templates: Vec<&str> = NodeTemplate::ALL.into_iter().map(NodeTemplate::name).collect();
    let more = entry.more.replace("TEMPLATES", &templates.join(", "));
    let mut does = entry.does.to_owned();
    if let Some(first) = does.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    Some(format!("{does}.\n\nUsage:\n  sim {} {}\n\n{more}\n", entry.name, entry.usage))
}

/// All command names, for completion.
pub fn names() -> impl Iterator<Item = &'static str> {
    ENTRIES.iter().map(|entry| entry.name)
}
