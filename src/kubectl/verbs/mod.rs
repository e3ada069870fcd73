//! One file per verb.

pub(crate) mod annotate;
pub(crate) mod apply;
pub(crate) mod cluster;
pub(crate) mod config;
pub(crate) mod cordon;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod describe;
pub(crate) mod diff;
pub(crate) mod drain;
pub(crate) mod edit;
pub(crate) mod events;
pub(crate) mod explain;
pub(crate) mod generate;
pub(crate) mod get;
pub(crate) mod help;
pub(crate) mod label;
pub(crate) mod logs;
pub(crate) mod output;
pub(crate) mod patch;
pub(crate) mod record;
pub(crate) mod replace;
pub(crate) mod rollout;
pub(crate) mod rollout_status;
pub(crate) mod run;
pub(crate) mod scale;
pub(crate) mod set_env;
pub(crate) mod set_image;
pub(crate) mod set_resources;
mod set_serviceaccount;
pub(crate) mod taint;
pub(crate) mod template;
pub(crate) mod top;
pub(crate) mod wait;

use super::command::{Command, Verb};
use super::context::Io;
use super::error::CliError;
use super::task::Started;

/// Under which name a command sets fields, if the person gives none.
fn field_manager(verb: Verb) -> &'static str {
    use Verb::*;
    match verb {
        Annotate => "kubectl-annotate",
        Apply => "kubectl-client-side-apply",
        Autoscale => "kubectl-autoscale",
        Create => "kubectl-create",
        _ if verb.is_generator() => "kubectl-create",
        Edit => "kubectl-edit",
        Expose => "kubectl-expose",
        Label => "kubectl-label",
        Patch => "kubectl-patch",
        Replace => "kubectl-replace",
        RolloutPause | RolloutResume | RolloutRestart => "kubectl-rollout",
        Run => "kubectl-run",
        SetEnv | SetImage | SetResources | SetServiceAccount => "kubectl-set",
        Taint => "kubectl-taint",
        _ => "kubectl",
    }
}

/// Runs a command, up to where it waits.
pub(crate) fn start(io: &mut Io, command: &Command) -> Started {
    use Verb::*;
    if command.flags.has("record") {
        io.complain("Flag --record has been deprecated, --record will be removed in the future");
    }
    if command.flags.has("kustomize") {
        return Err(CliError::not_offered("-k", "there are no directories"));
    }
    let manager = command.flags.get("field-manager").unwrap_or(field_manager(command.verb));
    io.api.act_as(manager);
    // By its address: one function with all verbs in it would have to be there before the first runs.
    let run: fn(&mut Io, &Command) -> Started = match command.verb {
        Annotate => annotate::run,
        ApiResources => cluster::api_resources,
        ApiVersions => |io, _| cluster::api_versions(io),
        Apply => apply::run,
        ApplyViewLastApplied => apply::view_last_applied,
        ClusterInfo => |io, _| cluster::cluster_info(io),
        ConfigCurrentContext => |io, _| config::current_context(io),
        ConfigGetContexts => config::get_contexts,
        ConfigGetClusters => |io, _| config::names(io, "kubernetes"),
        ConfigGetUsers => |io, _| config::names(io, "kubernetes-admin"),
        ConfigSetContext => config::set_context,
        ConfigUseContext => config::use_context,
        ConfigView => config::view,
        Cordon | Uncordon => cordon::run,
        Create => create::run,
        CreateConfigMap
        | CreateDeployment
        | CreateNamespace
        | CreatePodDisruptionBudget
        | CreatePriorityClass
        | CreateQuota
        | CreateServiceAccount => generate::run,
        Delete => delete::run,
        Describe => describe::run,
        Drain => drain::run,
        Get => get::run,
        Help => help::run,
        Label => label::run,
        Patch => patch::run,
        Replace => replace::run,
        RolloutHistory => rollout::history,
        RolloutPause | RolloutResume => rollout::pause,
        RolloutRestart => rollout::restart,
        RolloutStatus => rollout_status::run,
        RolloutUndo => rollout::undo,
        Scale => scale::run,
        SetImage => set_image::run,
        SetResources => set_resources::run,
        SetServiceAccount => set_serviceaccount::run,
        Taint => taint::run,
        Version => cluster::version,
        Wait => wait::run,
        Autoscale => run::autoscale,
        AuthCanI => cluster::can_i,
        Diff => diff::run,
        Edit => edit::run,
        Events => events::run,
        Exec | Logs => logs::run,
        Explain => explain::run,
        Expose => run::expose,
        Options => |io, _| help::options(io),
        Run => run::run,
        SetEnv => set_env::run,
        TopNode => top::nodes,
        TopPod => top::pods,
        NotOffered => |_, command| Err(not_offered(command)),
    };
    run(io, command)
}

/// When `--timeout` is over; `None` without one.
pub(crate) fn deadline(io: &Io, command: &Command) -> Option<crate::objects::Time> {
    let seconds = command.flags.get("timeout").and_then(super::parse_duration).filter(|seconds| *seconds > 0)?;
    Some(io.api.now().plus_seconds(seconds))
}

/// `--subresource`: one of these, or none.
pub(crate) fn check_subresource(command: &Command, known: &[&str]) -> super::error::Result<()> {
    match command.flags.get("subresource").filter(|name| !name.is_empty()) {
        Some(name) if !known.contains(&name) => Err(CliError::not_offered(&format!("--subresource={name}"), "")),
        _ => Ok(()),
    }
}

/// The honest answer to what is not here.
pub(crate) fn not_offered(command: &Command) -> CliError {
    CliError::not_offered(&command.path, "")
}
