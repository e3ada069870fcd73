//! `kubectl help` and `-h`: what a command does, in our own words.

use crate::kubectl::command::{self, Command};
use crate::kubectl::context::Io;
use crate::kubectl::error::CliError;
use crate::kubectl::task::Started;

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    if command.path == "kubectl" || (command.path == "kubectl help" && command.arguments.is_empty()) {
        io.out.push_str(&top());
        return Ok(None);
    }
    let name = match command.path.as_str() {
        "kubectl help" => command.arguments.join(" "),
        path => path.strip_prefix("kubectl ").unwrap_or(path).to_owned(),
    };
    let below: Vec<&str> = command::names().filter_map(|full| full.strip_prefix(&format!("{name} "))).collect();
    let flags: Vec<_> = command::flags_of(&name).collect();
    if below.is_empty() && !command::names().any(|known| known == name) {
        return Err(CliError::message(format!("Unknown help topic [{}]", command.arguments.join(" "))));
    }
    io.line(about(&name));
    if !below.is_empty() {
        io.line("\nAvailable Commands:");
        for word in &below {
            io.line(format!("  {word:<13} {}", about(&format!("{name} {word}")).trim_end_matches('.')));
        }
    }
    if command::names().any(|known| known == name) {
        io.line("\nOptions:");
        for flag in flags {
            let short = flag.short.map_or_else(|| "    ".to_owned(), |short| format!("-{short}, "));
            io.line(format!("    {short}--{}", flag.name));
        }
    }
    let kind = if below.is_empty() { "[options]" } else { "SUBCOMMAND [options]" };
    io.line(format!("\nUsage:\n  kubectl {name} {kind}\n"));
    if !below.is_empty() {
        io.line(format!("Use \"kubectl {name} <command> --help\" for more information about a given command."));
    }
    io.line("Use \"kubectl options\" for a list of global command-line options (applies to all commands).");
    // A group alone is an error, asking for help is not.
    if !below.is_empty()
        && command.arguments.is_empty()
        && !command.flags.has("help")
        && name != "apply"
        && name != "create"
    {
        if name != "rollout" {
            let text = std::mem::take(&mut io.out);
            io.err.push_str(&text);
        }
        return Err(CliError::Exit(1));
    }
    Ok(None)
}

/// `kubectl options`
pub(crate) fn options(io: &mut Io) -> Started {
    io.line("The following options can be passed to any command:\n");
    for flag in command::flags_of("") {
        let short = flag.short.map_or_else(|| "    ".to_owned(), |short| format!("-{short}, "));
        io.line(format!("    {short}--{}", flag.name));
    }
    Ok(None)
}

/// What `kubectl` alone prints.
fn top() -> String {
    const GROUPS: [(&str, &str); 7] = [
        ("Basic Commands (Beginner)", "create expose run set"),
        ("Basic Commands (Intermediate)", "explain get edit delete"),
        ("Deploy Commands", "rollout scale autoscale"),
        ("Cluster Management Commands", "cluster-info top cordon uncordon drain taint"),
        ("Troubleshooting and Debugging Commands", "describe logs exec events"),
        ("Advanced Commands", "diff apply patch replace wait"),
        ("Settings Commands", "label annotate"),
    ];
    let mut text = String::from(
        "kubectl controls the Kubernetes cluster manager.\n\n Find more information at: \
         https://kubernetes.io/docs/reference/kubectl/\n",
    );
    for (title, names) in GROUPS {
        text.push_str(&format!("\n{title}:\n"));
        for name in names.split(' ') {
            text.push_str(&format!("  {name:<15} {}\n", about(name).trim_end_matches('.')));
        }
    }
    text.push_str("\nOther Commands:\n");
    for name in ["api-resources", "api-versions", "config", "version"] {
        text.push_str(&format!("  {name:<15} {}\n", about(name).trim_end_matches('.')));
    }
    text.push_str(
        "\nUsage:\n  kubectl [flags] [options]\n\nUse \"kubectl <command> --help\" for more information about a given \
         command.\nUse \"kubectl options\" for a list of global command-line options (applies to all commands).\n",
    );
    text
}

/// One sentence about a command.
fn about(name: &str) -> &'static str {
    match name {
        "annotate" => "Update the annotations on one or more resources.",
        "api-resources" => "Print the supported API resources on the server.",
        "api-versions" => "Print the supported API versions on the server, in the form of \"group/version\".",
        "apply" => "Apply a configuration to a resource by file name or stdin.",
        "apply view-last-applied" => "View the configuration that was applied last.",
        "autoscale" => "Creates an autoscaler that automatically chooses and sets the number of pods.",
        "cluster-info" => "Display addresses of the control plane.",
        "config" => "Modify kubeconfig files.",
        "config current-context" => "Display the current-context.",
        "config get-contexts" => "Describe one or many contexts.",
        "config set-context" => "Set a context entry in kubeconfig.",
        "config use-context" => "Set the current-context in a kubeconfig file.",
        "config view" => "Display merged kubeconfig settings.",
        "cordon" => "Mark node as unschedulable.",
        "create" => "Create a resource from a file or from stdin.",
        "create configmap" => "Create a config map from literal values or files.",
        "create deployment" => "Create a deployment with the specified name.",
        "create namespace" => "Create a namespace with the specified name.",
        "create priorityclass" => "Create a priority class with the specified name.",
        "create serviceaccount" => "Create a service account with the specified name.",
        "delete" => "Delete resources by file names, stdin, resources and names, or by resources and label selector.",
        "describe" => "Show details of a specific resource or group of resources.",
        "diff" => {
            "Diff configurations specified by file name or stdin between the current online configuration, and the configuration as it would be if applied."
        }
        "drain" => "Drain node in preparation for maintenance.",
        "edit" => "Edit a resource on the server.",
        "events" => "Display events.",
        "exec" => "Execute a command in a container.",
        "explain" => "Describe fields and structure of various resources.",
        "expose" => "Expose a resource as a new Kubernetes service.",
        "get" => "Display one or many resources.",
        "label" => "Update the labels on a resource.",
        "logs" => "Print the logs for a container in a pod or specified resource.",
        "patch" => "Update fields of a resource using strategic merge patch, a JSON merge patch, or a JSON patch.",
        "replace" => "Replace a resource by file name or stdin.",
        "rollout" => "Manage the rollout of one or many resources.",
        "rollout history" => "View rollout history.",
        "rollout pause" => "Mark the provided resource as paused.",
        "rollout restart" => "Restart a resource.",
        "rollout resume" => "Resume a paused resource.",
        "rollout status" => "Show the status of the rollout.",
        "rollout undo" => "Undo a previous rollout.",
        "run" => "Create and run a particular image in a pod.",
        "scale" => "Set a new size for a deployment, replica set, replication controller, or stateful set.",
        "set" => "Configure application resources.",
        "set env" => "Update environment variables on a pod template.",
        "set image" => "Update the image of a pod template.",
        "set serviceaccount" => "Update the service account of a resource.",
        "set resources" => "Update resource requests/limits on objects with pod templates.",
        "taint" => "Update the taints on one or more nodes.",
        "top" => "Display resource (CPU/memory) usage.",
        "top node" => "Display resource (CPU/memory) usage of nodes.",
        "top pod" => "Display resource (CPU/memory) usage of pods.",
        "uncordon" => "Mark node as schedulable.",
        "version" => "Print the client and server version information.",
        "wait" => "Wait for a specific condition on one or many resources.",
        _ => "A kubectl command.",
    }
}
