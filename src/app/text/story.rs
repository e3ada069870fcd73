//! Steps in plain words.

use super::{Language, Words, time};
use crate::app::phrase::{Part, Phrase, fill};
use crate::app::view::StoryEntry;
use crate::controllers::daemonset::{
    CreateReason, DeleteReason, HeldReason, RevisionChange, RollingUpdateSkipped, SyncPlan, SyncStopped,
};
use crate::objects::Kind;
use crate::scheduler::SchedulerReason;
use crate::simulation::{Actor, CommandRun, DaemonSetSync, Reason, Step};
use std::rc::Rc;

/// A sentence, why it holds, and whether it tells of trouble.
pub(super) struct Told {
    pub text: Phrase,
    pub because: Phrase,
    pub trouble: bool,
}

impl Told {
    pub(super) fn new(text: Phrase, because: Phrase) -> Self {
        Self { text, because, trouble: false }
    }

    pub(super) fn plainly(text: Phrase) -> Self {
        Self::new(text, Phrase::default())
    }

    pub(super) fn trouble(text: Phrase, because: Phrase) -> Self {
        Self { text, because, trouble: true }
    }
}

impl Words {
    /// A step as an entry of the story.
    pub fn story_entry(&self, step: &Step) -> StoryEntry {
        let Told { text, because, trouble } = self.tell(step);
        let command = match &step.reason {
            Reason::Command(run) => Some(run.line.clone()),
            _ => None,
        };
        StoryEntry {
            number: step.number,
            at_ms: step.at_ms,
            waited_ms: step.waited_ms,
            text,
            because,
            command,
            trouble,
            cause: step.cause,
            changes: step.changes.iter().filter(|change| is_told(change)).count(),
        }
    }

    fn tell(&self, step: &Step) -> Told {
        let who = strong(self.actor(step.actor));
        match &step.reason {
            Reason::Command(run) => self.tell_command(who, run),
            Reason::CommandWent(run) => {
                let template = if run.exit_code.is_some() { self.command_ended } else { self.command_printed };
                let said = run.stdout.lines().chain(run.stderr.lines()).last().unwrap_or("");
                Told::new(Phrase::fill(template, &[("line", code(&run.line))]), Phrase::plain(said))
            }
            Reason::DaemonSet(sync) => self.tell_daemon_set(who, step, sync),
            Reason::Scheduler(reason) => self.tell_scheduler(who, step, reason),
            Reason::Kubelet(happenings) => self.tell_kubelet(who, step, happenings),
            #[allow(unreachable_patterns)] // Later actors are told by what they changed until they have words.
            _ => {
                Told::plainly(Phrase::fill(self.did_anything, &[("who", who), ("what", plain(changed_objects(step)))]))
            }
        }
    }

    /// An actor's name.
    pub fn actor(&self, actor: Actor) -> &'static str {
        match actor {
            Actor::Person => self.actor_person,
            Actor::DaemonSetController => self.actor_daemon_set,
            Actor::Scheduler => self.actor_scheduler,
            Actor::Kubelet => self.actor_kubelet,
            Actor::NodeLifecycleController => self.actor_node_lifecycle,
            Actor::TaintEvictionController => self.actor_taint_eviction,
            Actor::PodGarbageCollector => self.actor_pod_gc,
            Actor::ReplicaSetController => self.actor_replica_set,
            Actor::DeploymentController => self.actor_deployment,
            Actor::GarbageCollector => self.actor_garbage,
            Actor::NamespaceController => self.actor_namespace,
        }
    }

    fn tell_command(&self, who: Part, run: &CommandRun) -> Told {
        let failed = run.exit_code.is_some_and(|code| code != 0);
        let template = if failed { self.by_hand_refused } else { self.command_kind(&run.line) };
        // What a look-up printed stands in the terminal.
        let printed = match (failed, template == self.you_asked) {
            (true, _) => run.stderr.lines().next(),
            (false, true) => None,
            (false, false) => run.stdout.lines().next(),
        };
        let text = Phrase::fill(template, &[("who", who)]);
        Told { text, because: Phrase::plain(printed.unwrap_or("")), trouble: failed }
    }

    fn command_kind(&self, line: &str) -> &'static str {
        let mut words = line.split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some("sim"), Some("add-node"), _) => self.you_added_node,
            (Some("sim"), Some("wait"), _) => self.you_waited,
            (Some("sim"), Some("power-on" | "power-off" | "stop-kubelet" | "start-kubelet"), _) => self.you_powered,
            (Some("kubectl"), Some("apply" | "create"), _) => self.you_applied,
            (Some("kubectl"), Some("label"), _) => self.you_labelled,
            (Some("kubectl"), Some("taint"), _) => self.you_tainted,
            (Some("kubectl"), Some("cordon"), _) => self.you_cordoned,
            (Some("kubectl"), Some("uncordon"), _) => self.you_uncordoned,
            (Some("kubectl"), Some("drain"), _) => self.you_drained,
            (Some("kubectl"), Some("delete"), _) => self.you_deleted,
            (Some("kubectl"), Some("set"), Some("image")) => self.you_set_image,
            (Some("kubectl"), Some("rollout"), Some("undo")) => self.you_undid,
            (Some("kubectl"), Some("rollout"), Some("restart")) => self.you_restarted,
            (Some("kubectl"), Some("get" | "describe" | "explain" | "logs" | "rollout" | "diff"), _) => self.you_asked,
            _ => self.you_ran,
        }
    }

    fn tell_daemon_set(&self, who: Part, step: &Step, sync: &DaemonSetSync) -> Told {
        let set = subject(step);
        let plan = &sync.plan;
        match plan.stopped {
            Some(SyncStopped::SelectingAll) => {
                let text = Phrase::fill(self.ds_selecting_all, &[("who", who), ("set", set)]);
                return Told::trouble(text, Phrase::default());
            }
            Some(SyncStopped::BeingDeleted) => {
                return Told::plainly(Phrase::fill(self.ds_being_deleted, &[("who", who), ("set", set)]));
            }
            _ => {}
        }
        if let Some(error) = sync.outcome.error.as_ref().or(plan.error.as_ref()) {
            let text = Phrase::fill(self.ds_failed, &[("who", who), ("error", Part::Plain(error.to_string()))]);
            return Told::trouble(text, Phrase::default());
        }
        let mut acts = self.daemon_set_acts(plan);
        let only_status = acts.is_empty();
        if only_status {
            acts.push(Phrase::plain(self.ds_status));
        }
        let because = if only_status { self.status_counts(plan) } else { self.why_daemon_set(plan) };
        let held = self
            .held(plan, sync.held)
            .filter(|_| !matches!(plan.rolling_update_skipped, Some(RollingUpdateSkipped::ManageActed)));
        let because = join(vec![because, held.unwrap_or_default()], "; ");
        Told::new(sentence(who, acts, self.and), because)
    }

    fn daemon_set_acts(&self, plan: &SyncPlan) -> Vec<Phrase> {
        let mut acts = Vec::new();
        for change in &plan.history.changes {
            match change {
                RevisionChange::Create(revision) => acts.push(self.with_number(self.ds_recorded, revision.revision)),
                RevisionChange::Renumber { to, .. } => acts.push(self.with_number(self.ds_returned, *to)),
                _ => {}
            }
        }
        let adopted =
            plan.claims.iter().filter(|claim| matches!(claim, crate::controllers::daemonset::Claim::Adopt(_))).count();
        for (count, template) in [(adopted, self.ds_adopted), (plan.claims.len() - adopted, self.ds_released)] {
            if count > 0 {
                acts.push(self.with_number(template, count));
            }
        }
        let creates: Vec<&Rc<str>> = plan.creates().map(|creation| &creation.node).collect();
        match creates.as_slice() {
            [] => {}
            [node] => acts.push(Phrase::fill(self.ds_create_one, &[("node", strong(node))])),
            many => acts.push(self.with_number(self.ds_create_many, many.len())),
        }
        let deletes: Vec<&Rc<str>> = plan.deletes().map(|deletion| &deletion.node).collect();
        match deletes.as_slice() {
            [] => {}
            [node] => acts.push(Phrase::fill(self.ds_delete_one, &[("node", strong(node))])),
            many => acts.push(self.with_number(self.ds_delete_many, many.len())),
        }
        if !plan.history_deletions.is_empty() {
            acts.push(self.with_number(self.ds_forgot_revisions, plan.history_deletions.len()));
        }
        acts
    }

    fn with_number(&self, template: &str, number: impl ToString) -> Phrase {
        Phrase::fill(template, &[("n", strong(&number.to_string()))])
    }

    /// Why pods are created and deleted: the first reason of each, since those of one reconcile are mostly the same.
    fn why_daemon_set(&self, plan: &SyncPlan) -> Phrase {
        let created = plan.creates().next().map(|creation| self.why_create(plan, &creation.reason));
        let deleted = plan.deletes().next().map(|deletion| self.why_delete(&deletion.reason));
        join(vec![created.unwrap_or_default(), deleted.unwrap_or_default()], "; ")
    }

    fn why_create(&self, plan: &SyncPlan, reason: &CreateReason) -> Phrase {
        let creates = plan.creates().count();
        match reason {
            CreateReason::NodeHasNoPod => {
                let facts = &plan.manage_facts;
                let template = if creates == 1 { self.why_create_missing_one } else { self.why_create_missing };
                let numbers = [("nodes", plain(facts.nodes)), ("desired", plain(facts.desired)), ("n", plain(creates))];
                Phrase::fill(template, &numbers)
            }
            CreateReason::NoLivePodAndSurgeAllowed { .. } => Phrase::plain(self.why_create_surge_terminating),
            CreateReason::SurgeBegins { surging, max_surge } => {
                Phrase::fill(self.why_create_surge, &[("surging", plain(surging)), ("max", plain(max_surge))])
            }
            CreateReason::SurgeOverUnavailable => Phrase::plain(self.why_create_surge_unavailable),
        }
    }

    fn why_delete(&self, reason: &DeleteReason) -> Phrase {
        Phrase::plain(match reason {
            DeleteReason::NotEligible => self.why_delete_not_eligible,
            DeleteReason::Failed { .. } => self.why_delete_failed,
            DeleteReason::Succeeded => self.why_delete_succeeded,
            DeleteReason::Duplicate { .. } => self.why_delete_excess,
            DeleteReason::SurgeReplaced => self.why_delete_replaced,
            DeleteReason::SurgeOldNotReady | DeleteReason::OldUnavailable => self.why_delete_unavailable,
            DeleteReason::UnboundAndNodeGone => self.why_delete_gone_node,
            DeleteReason::OldWithinBudget { unavailable, max_unavailable } => {
                let facts = [("unavailable", plain(unavailable)), ("max", plain(max_unavailable))];
                return Phrase::fill(self.why_delete_budget, &facts);
            }
            DeleteReason::OldUnavailableAndNotEligible | DeleteReason::OldNotEligibleAndReplacedElsewhere { .. } => {
                self.why_delete_not_eligible_old
            }
        })
    }

    /// What was held back, by its most telling reason. A new pod that is on its way holds nothing else up.
    fn held(&self, plan: &SyncPlan, count: usize) -> Option<Phrase> {
        let rolling = plan.rolling_update.iter().flat_map(|phase| &phase.held);
        let all: Vec<&HeldReason> = plan.manage.held.iter().chain(rolling).map(|held| &held.reason).collect();
        let rank = |reason: &HeldReason| match reason {
            HeldReason::MayOnlyContinue | HeldReason::WaitsForAvailable { .. } | HeldReason::DuplicatesOnNode => None,
            HeldReason::UnavailableBudget { .. } | HeldReason::SurgeBudget { .. } => Some(0),
            HeldReason::Burst { .. } => Some(1),
            _ => Some(2),
        };
        let first = all.iter().copied().filter(|reason| rank(reason).is_some()).min_by_key(|reason| rank(reason))?;
        let alike = all.iter().filter(|reason| rank(reason) == rank(first)).count();
        // Only the first few of a large cluster are listed.
        let count = if all.len() < count { count } else { alike };
        let why = match *first {
            HeldReason::TerminatingPodBlocks => self.held_terminating.to_string(),
            HeldReason::FinishedPodBlocks => self.held_failed.to_string(),
            HeldReason::BackOff { .. } => self.held_backoff.to_string(),
            HeldReason::Burst { limit } => fill(self.held_burst, &[("limit", &limit.to_string())]),
            HeldReason::MayOnlyContinue => self.held_misscheduled.to_string(),
            HeldReason::UnavailableBudget { unavailable, max_unavailable } => fill(
                self.held_budget,
                &[("unavailable", &unavailable.to_string()), ("max", &max_unavailable.to_string())],
            ),
            HeldReason::SurgeBudget { surging, max_surge } => {
                fill(self.held_surge, &[("surging", &surging.to_string()), ("max", &max_surge.to_string())])
            }
            HeldReason::NewPodNotAvailable { .. } | HeldReason::WaitsForAvailable { .. } => {
                self.held_new_not_available.to_string()
            }
            HeldReason::NotEligibleButNeeded { .. } => self.held_needed.to_string(),
            HeldReason::DuplicatesOnNode => self.held_duplicates.to_string(),
        };
        let text = if count == 1 { why } else { fill(self.held_many, &[("n", &count.to_string()), ("why", &why)]) };
        Some(Phrase::plain(text))
    }

    fn status_counts(&self, plan: &SyncPlan) -> Phrase {
        let Some(status) = plan.status.as_ref().map(|status| &status.status) else { return Phrase::default() };
        let facts = [
            ("desired", plain(status.desired_number_scheduled)),
            ("current", plain(status.current_number_scheduled)),
            ("ready", plain(status.number_ready)),
            ("updated", plain(status.updated_number_scheduled)),
            ("available", plain(status.number_available)),
        ];
        Phrase::fill(self.ds_status_counts, &facts)
    }

    fn tell_scheduler(&self, who: Part, step: &Step, reason: &SchedulerReason) -> Told {
        let pod = subject(step);
        let named = |template: &str| Phrase::fill(template, &[("who", who.clone()), ("pod", pod.clone())]);
        match reason {
            SchedulerReason::Bound(placement) => {
                let facts = [("who", who.clone()), ("pod", pod.clone()), ("node", strong(&placement.node))];
                let because = if placement.evaluated <= 1 {
                    Phrase::plain(self.sched_bound_only)
                } else {
                    let numbers = [("feasible", plain(placement.feasible)), ("evaluated", plain(placement.evaluated))];
                    Phrase::fill(self.sched_bound_of, &numbers)
                };
                Told::new(Phrase::fill(self.sched_bound, &facts), because)
            }
            SchedulerReason::Unschedulable(failure) => {
                Told::trouble(named(self.sched_unschedulable), Phrase::plain(failure.message.clone()))
            }
            SchedulerReason::NoNodes => Told::trouble(named(self.sched_no_nodes), Phrase::default()),
            SchedulerReason::Gated { gates } => Told::new(named(self.sched_gated), Phrase::plain(gates.join(", "))),
            SchedulerReason::Skipped(_) | SchedulerReason::PodGone => Told::plainly(named(self.sched_skipped)),
        }
    }

    /// A duration in the table's own language.
    pub(super) fn duration(&self, ms: u64) -> String {
        let language = Language::ALL.into_iter().find(|language| language.words() == self).unwrap_or_default();
        time(language, i64::try_from(ms).unwrap_or(i64::MAX))
    }
}

/// The objects that a step changed, by kind and name: `Node worker1`, or the first ones and how many more there are.
fn changed_objects(step: &Step) -> String {
    const NAMED: usize = 2;
    let mut names: Vec<String> = Vec::new();
    for object in step.changes.iter().filter(|change| is_told(change)).filter_map(|change| change.object()) {
        let name = format!("{} {}", object.kind_name(), object.metadata().name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let text = names.join(", ");
    if more > 0 { format!("{text} +{more}") } else { text }
}

/// Whether a change is told as one: events are told elsewhere.
fn is_told(change: &crate::apiserver::Change) -> bool {
    change.object().and_then(crate::objects::Object::kind) != Some(Kind::Event)
}

/// The name of what the step is about.
pub(super) fn subject(step: &Step) -> Part {
    strong(step.subject.as_ref().map_or("", |subject| &subject.key.name))
}

pub(super) fn strong(text: &str) -> Part {
    Part::Strong(text.into())
}

pub(super) fn code(text: &str) -> Part {
    Part::Code(text.into())
}

pub(super) fn plain(value: impl ToString) -> Part {
    Part::Plain(value.to_string())
}

/// `who` with all that it did: `A did x, did y and did z`.
fn sentence(who: Part, acts: Vec<Phrase>, and: &str) -> Phrase {
    let mut parts = vec![who, Part::Plain(" ".into())];
    let last = acts.len().saturating_sub(1);
    for (index, act) in acts.into_iter().enumerate() {
        if index > 0 {
            parts.push(Part::Plain(if index == last { format!(" {and} ") } else { ", ".into() }));
        }
        parts.extend(act.0);
    }
    Phrase(parts)
}

/// The phrases that say something, with a separator between them.
pub(super) fn join(phrases: Vec<Phrase>, separator: &str) -> Phrase {
    let mut parts = Vec::new();
    for phrase in phrases.into_iter().filter(|phrase| phrase.0.iter().any(|part| !part.text().is_empty())) {
        if !parts.is_empty() {
            parts.push(Part::Plain(separator.into()));
        }
        parts.extend(phrase.0);
    }
    Phrase(parts)
}
