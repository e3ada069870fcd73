//! What the kubelet knows of a pod on its node, and how that goes on with time.

use super::backoff::BackOff;
use super::behaviour::{Behaviour, Outcome};
use super::container::{Activity, ContainerRuntime, restarts};
use super::reason::{EndReason, Eviction, Happening, KubeletReason, Refusal};
use crate::apiserver::Now;
use crate::objects::*;
use std::rc::Rc;

/// Milliseconds after which the kubelet notices that a container has ended and decides what to do.
const RELIST_MS: u64 = 1000;
/// Exit code of a process that signal 9 ended.
const KILLED: i32 = 137;
/// Exit code that is shown for a container that went down with its machine.
const LOST: i32 = 255;
/// Transitions of one pod in one turn; more would mean that no time passes between them.
const MAX_TRANSITIONS: usize = 1000;

/// How a pod ended, decided by the kubelet for the pod as a whole.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Refused at the door.
    Refused(Refusal),
    /// Evicted.
    Evicted(Box<Eviction>, String),
    /// All containers ended; whether well.
    Finished(bool),
}

/// A pod that is being stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stopping {
    /// When it will be gone.
    pub gone_ms: u64,
    /// Whether it has to be killed.
    pub killed: bool,
}

/// What the kubelet knows of a pod.
#[derive(Clone, Debug, PartialEq)]
pub struct PodRuntime {
    /// Which pod: a new one may have the same name.
    pub uid: Rc<str>,
    /// Place of its rule in the list.
    pub rule: Option<usize>,
    /// Its rule.
    pub behaviour: Rc<Behaviour>,
    /// When the kubelet took it in.
    pub admitted: Now,
    /// Its address.
    pub ip: String,
    /// Whether its sandbox is up.
    pub sandbox: bool,
    /// Whether the sandbox went down with the machine and the kubelet has not yet said so.
    pub sandbox_changed: bool,
    /// The pause after the last failed attempt to mount its volumes.
    pub mount_retry_ms: Option<u64>,
    /// Images that had to be pulled for it.
    pub pulled: Vec<Rc<str>>,
    /// Init containers.
    pub init: Vec<ContainerRuntime>,
    /// Containers.
    pub containers: Vec<ContainerRuntime>,
    /// How it ended, if it did.
    pub verdict: Option<Verdict>,
    /// Set once it has been told to end.
    pub stopping: Option<Stopping>,
}

/// A transition of one container, or of the pod.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Transition {
    Pod,
    Init(usize),
    Container(usize),
}

impl PodRuntime {
    /// A pod that the kubelet takes in now.
    pub fn new(pod: &Pod, rule: Option<usize>, behaviour: Rc<Behaviour>, ip: String, now: Now) -> Self {
        let make = |containers: &[Container]| {
            containers.iter().map(|c| ContainerRuntime::new(behaviour.selects.names(c))).collect()
        };
        let (init, containers) = (make(&pod.spec.init_containers), make(&pod.spec.containers));
        let uid = pod.metadata.uid.clone();
        let (verdict, stopping) = (None, None);
        let mut runtime = Self {
            uid,
            rule,
            behaviour,
            admitted: now,
            ip,
            sandbox: false,
            sandbox_changed: false,
            mount_retry_ms: None,
            pulled: Vec::new(),
            init,
            containers,
            verdict,
            stopping,
        };
        runtime.release(pod, now.plus_ms(runtime.behaviour.start_after_ms));
        runtime
    }

    /// The pod was running when this kubelet first saw it: its status says how.
    pub fn found_running(&mut self, pod: &Pod, now: Now) {
        let adopt = |runtimes: &mut [ContainerRuntime], statuses: &[ContainerStatus]| {
            for (runtime, status) in runtimes.iter_mut().zip(statuses) {
                runtime.restarts = status.restart_count;
                if let Some(ended) = &status.state.terminated {
                    let reason = if ended.exit_code == 0 { "Completed" } else { "Error" };
                    runtime.end(ended.exit_code, reason, now, Activity::Done);
                } else if let Some(running) = &status.state.running {
                    let since = Now { ms: now.ms, time: running.started_at.unwrap_or(now.time) };
                    let ready = status.ready;
                    runtime.activity = Activity::Running { since, ready, throttled: false, looked_ms: now.ms };
                }
            }
        };
        adopt(&mut self.init, &pod.status.init_container_statuses);
        adopt(&mut self.containers, &pod.status.container_statuses);
        if pod.status.container_statuses.is_empty() {
            // Nobody said more than that it runs.
            let since = Now { ms: now.ms, time: pod.status.start_time.unwrap_or(now.time) };
            let ready = pod.is_ready();
            for runtime in &mut self.containers {
                runtime.activity = Activity::Running { since, ready, throttled: false, looked_ms: now.ms };
            }
            for runtime in &mut self.init {
                runtime.end(0, "Completed", now, Activity::Done);
            }
        }
        self.sandbox = true;
        self.release(pod, now.plus_ms(self.behaviour.start_after_ms));
    }

    /// Milliseconds until the first container starts; `None`: it never does.
    pub fn starts_in_ms(&self, pod: &Pod, now: Now) -> Option<u64> {
        self.next_ms(pod).map(|at_ms| at_ms.saturating_sub(now.ms))
    }

    /// Whether the pod has ended or never was let in.
    pub fn is_over(&self) -> bool {
        self.verdict.is_some()
    }

    /// Whether the init containers have done their part: ended well or, sidecars, started.
    pub fn is_initialized(&self, pod: &Pod) -> bool {
        self.init.iter().zip(pod.spec.init_containers.iter()).all(|(runtime, container)| {
            if container.is_sidecar() { runtime.is_running() || runtime.restarts > 0 } else { runtime.has_completed() }
        })
    }

    /// Lets the next containers start at a time: the first init container that has not run, or all containers.
    fn release(&mut self, pod: &Pod, at_ms: u64) {
        let never_starts = self.behaviour.outcome == Outcome::NeverStart;
        let start = |runtime: &mut ContainerRuntime| {
            if runtime.activity == (Activity::Waiting { until_ms: None }) && !(never_starts && runtime.named) {
                runtime.activity = Activity::Waiting { until_ms: Some(at_ms) };
            }
        };
        for (runtime, container) in self.init.iter_mut().zip(pod.spec.init_containers.iter()) {
            let passed = if container.is_sidecar() { runtime.is_running() } else { runtime.has_completed() };
            if !passed {
                return start(runtime);
            }
        }
        self.containers.iter_mut().for_each(start);
    }

    /// When the next thing happens by itself.
    pub fn next_ms(&self, pod: &Pod) -> Option<u64> {
        self.next(pod).map(|(at_ms, _)| at_ms)
    }

    /// Whether the next thing only repeats what has happened before.
    pub fn only_repeats(&self) -> bool {
        let mut all = self.init.iter().chain(&self.containers);
        let looping = |c: &ContainerRuntime| match c.activity {
            Activity::BackingOff { .. } | Activity::PullBackOff { .. } => true,
            Activity::PullFailed { .. } => c.pulls > 1,
            Activity::Exited { .. } | Activity::Running { ready: false, .. } => c.restarts > 1 && c.backoff.is_some(),
            _ => false,
        };
        self.stopping.is_none() && (self.lacks_config() || all.any(looping))
    }

    /// Whether it waits for a ConfigMap or a Secret.
    pub fn lacks_config(&self) -> bool {
        self.mount_retry_ms.is_some() || self.init.iter().chain(&self.containers).any(|c| c.config_error.is_some())
    }

    /// When the next container that has not started tries to.
    pub fn next_start_ms(&self) -> Option<u64> {
        let all = self.init.iter().chain(&self.containers);
        all.filter_map(|c| match c.activity {
            Activity::Waiting { until_ms } => until_ms,
            _ => None,
        })
        .min()
    }

    fn next(&self, pod: &Pod) -> Option<(u64, Transition)> {
        if self.stopping.is_some() || self.is_over() {
            return None;
        }
        let pod_level = self.pod_transition_ms().map(|at| (at, Transition::Pod));
        let init = self.init.iter().zip(pod.spec.init_containers.iter()).enumerate();
        let init = init.filter_map(|(i, (runtime, container))| {
            let at = self.container_next_ms(runtime, container, !container.is_sidecar())?;
            Some((at, Transition::Init(i)))
        });
        let main = self.containers.iter().zip(pod.spec.containers.iter()).enumerate();
        let main = main.filter_map(|(i, (runtime, container))| {
            Some((self.container_next_ms(runtime, container, false)?, Transition::Container(i)))
        });
        pod_level.into_iter().chain(init).chain(main).min_by_key(|(at, _)| *at)
    }

    fn pod_transition_ms(&self) -> Option<u64> {
        match &self.behaviour.outcome {
            Outcome::Evict { after_ms, .. } | Outcome::OutOf { after_ms, .. } => Some(self.admitted.plus_ms(*after_ms)),
            Outcome::Succeed { after_ms } => {
                let since = self.containers.iter().filter_map(|c| match c.activity {
                    Activity::Running { since, .. } => Some(since.ms),
                    _ => None,
                });
                since.min().map(|ms| ms.saturating_add(*after_ms))
            }
            _ => None,
        }
    }

    fn container_next_ms(&self, runtime: &ContainerRuntime, container: &Container, is_init: bool) -> Option<u64> {
        match &runtime.activity {
            Activity::Waiting { until_ms } => *until_ms,
            Activity::PullFailed { at_ms } => Some(at_ms.saturating_add(RELIST_MS)),
            Activity::PullBackOff { until_ms } | Activity::BackingOff { until_ms } => Some(*until_ms),
            Activity::Exited { decides_ms } => Some(*decides_ms),
            Activity::Done => None,
            Activity::Running { since, ready, looked_ms, .. } => {
                let end = self.end_of_run(runtime, container, is_init, *since).map(|(at_ms, ..)| at_ms);
                let ready_at = (!ready && !is_init && self.gets_ready(runtime))
                    .then(|| since.plus_ms(self.behaviour.ready_after_ms));
                let usage = self.usage_changes_ms(runtime, *since, *looked_ms);
                [end, ready_at, usage].into_iter().flatten().min()
            }
        }
    }

    fn gets_ready(&self, runtime: &ContainerRuntime) -> bool {
        !(runtime.named && self.behaviour.outcome == Outcome::NeverReady)
    }

    /// When and how a run that began at `since` ends by itself.
    fn end_of_run(
        &self,
        runtime: &ContainerRuntime,
        container: &Container,
        is_init: bool,
        since: Now,
    ) -> Option<(u64, i32, EndReason)> {
        let crash = match &self.behaviour.outcome {
            Outcome::Crash { exit_code, after_ms, times }
                if runtime.named && times.is_none_or(|n| i64::from(runtime.restarts) < i64::from(n)) =>
            {
                Some((since.plus_ms(*after_ms), *exit_code, EndReason::Exited))
            }
            _ => None,
        };
        let oom = container.limit(MEMORY).filter(|_| runtime.named).and_then(|limit| {
            let after = self.behaviour.uses.first_above(MEMORY, limit)?;
            let used = self.behaviour.uses.at(MEMORY, after)?;
            Some((since.plus_ms(after), KILLED, EndReason::OomKilled { used, limit }))
        });
        let done = is_init.then(|| (since.plus_ms(self.behaviour.init_ms), 0, EndReason::Exited));
        [oom, crash, done].into_iter().flatten().min_by_key(|(at, ..)| *at)
    }

    /// When the container's usage next changes.
    fn usage_changes_ms(&self, runtime: &ContainerRuntime, since: Now, looked_ms: u64) -> Option<u64> {
        let uses = &self.behaviour.uses;
        let samples = uses.cpu.iter().chain(&uses.memory).chain(&uses.ephemeral_storage).filter(|_| runtime.named);
        samples.map(|sample| since.plus_ms(sample.after_ms)).filter(|at_ms| *at_ms > looked_ms).min()
    }

    /// Lets everything happen that is due by now.
    pub fn advance(&mut self, pod: &Pod, now: Now) -> KubeletReason {
        let mut happened = Vec::new();
        for _ in 0..MAX_TRANSITIONS {
            match self.next(pod) {
                Some((at_ms, transition)) if at_ms <= now.ms => self.make(pod, transition, now, &mut happened),
                _ => break,
            }
        }
        happened
    }

    fn make(&mut self, pod: &Pod, transition: Transition, now: Now, happened: &mut KubeletReason) {
        match transition {
            Transition::Pod => self.make_pod(pod, now, happened),
            Transition::Init(i) => {
                let Some(container) = pod.spec.init_containers.get(i) else { return };
                let Some(mut runtime) = self.init.get(i).cloned() else { return };
                self.make_container(pod, &mut runtime, container, !container.is_sidecar(), now, happened);
                let passed = if container.is_sidecar() { runtime.is_running() } else { runtime.has_completed() };
                if let Some(slot) = self.init.get_mut(i) {
                    *slot = runtime;
                }
                if passed {
                    self.release(pod, now.ms);
                }
            }
            Transition::Container(i) => {
                let Some(container) = pod.spec.containers.get(i) else { return };
                let Some(mut runtime) = self.containers.get(i).cloned() else { return };
                self.make_container(pod, &mut runtime, container, false, now, happened);
                if let Some(slot) = self.containers.get_mut(i) {
                    *slot = runtime;
                }
            }
        }
        self.finish_if_all_ended(happened);
    }

    fn finish_if_all_ended(&mut self, happened: &mut KubeletReason) {
        let failed_init = self
            .init
            .iter()
            .any(|c| c.activity == Activity::Done && c.last.as_ref().is_some_and(|exit| exit.code != 0));
        let all_done = !self.containers.is_empty() && self.containers.iter().all(|c| c.activity == Activity::Done);
        if self.verdict.is_none() && (failed_init || all_done) {
            let succeeded = !failed_init && self.containers.iter().all(ContainerRuntime::has_completed);
            self.verdict = Some(Verdict::Finished(succeeded));
            happened.push(Happening::Finished { succeeded });
        }
    }

    fn make_pod(&mut self, pod: &Pod, now: Now, happened: &mut KubeletReason) {
        match self.behaviour.outcome.clone() {
            Outcome::Evict { resource, .. } => {
                let eviction = super::eviction::staged(pod, self, &resource, now);
                self.evict(pod, eviction, now, happened);
            }
            Outcome::OutOf { resource, .. } => {
                let refusal = super::admission::staged(pod, &resource);
                self.verdict = Some(Verdict::Refused(refusal.clone()));
                happened.push(Happening::Refused(refusal));
            }
            Outcome::Succeed { .. } => {
                for runtime in &mut self.containers {
                    runtime.end(0, "Completed", now, Activity::Done);
                }
            }
            _ => {}
        }
    }

    /// Ends the pod by eviction.
    pub fn evict(&mut self, pod: &Pod, eviction: Eviction, now: Now, happened: &mut KubeletReason) {
        for runtime in self.init.iter_mut().chain(&mut self.containers) {
            if runtime.is_running() {
                runtime.end(KILLED, "Error", now, Activity::Done);
            }
        }
        let message = super::eviction::message(pod, &eviction);
        self.verdict = Some(Verdict::Evicted(Box::new(eviction.clone()), message));
        happened.push(Happening::Evicted(eviction));
    }

    fn make_container(
        &mut self,
        pod: &Pod,
        runtime: &mut ContainerRuntime,
        container: &Container,
        is_init: bool,
        now: Now,
        happened: &mut KubeletReason,
    ) {
        let name = container.name.clone();
        match runtime.activity.clone() {
            Activity::Waiting { .. } | Activity::PullBackOff { .. } | Activity::BackingOff { .. } => {
                self.start(runtime, container, is_init, now, happened);
            }
            Activity::PullFailed { at_ms } => {
                let delay_ms = runtime.backoff.map_or(0, |backoff| backoff.delay_ms);
                runtime.activity = Activity::PullBackOff { until_ms: at_ms.saturating_add(delay_ms) };
                happened.push(Happening::PullBackOff { container: name, image: container.image.clone(), delay_ms });
            }
            Activity::Running { since, ready, throttled, .. } => {
                match self.end_of_run(runtime, container, is_init, since) {
                    Some((at_ms, exit_code, because)) if at_ms <= now.ms => {
                        let reason = match because {
                            EndReason::OomKilled { .. } => "OOMKilled",
                            _ if exit_code == 0 => "Completed",
                            _ => "Error",
                        };
                        let stays = !restarts(pod, container, is_init, exit_code);
                        let next = if stays {
                            Activity::Done
                        } else {
                            Activity::Exited { decides_ms: now.plus_ms(RELIST_MS) }
                        };
                        runtime.end(exit_code, reason, now, next);
                        if !(is_init && exit_code == 0) {
                            happened.push(Happening::Ended { container: name, exit_code, because });
                        }
                    }
                    _ => self.look_at_run(runtime, container, (since, ready, throttled), is_init, now, happened),
                }
            }
            Activity::Exited { .. } => self.decide_restart(runtime, container, is_init, now, happened),
            Activity::Done => {}
        }
    }

    /// Readiness and throttling of a run that goes on.
    fn look_at_run(
        &self,
        runtime: &mut ContainerRuntime,
        container: &Container,
        (since, was_ready, was_throttled): (Now, bool, bool),
        is_init: bool,
        now: Now,
        happened: &mut KubeletReason,
    ) {
        let age_ms = now.ms.saturating_sub(since.ms);
        let ready = was_ready || (!is_init && self.gets_ready(runtime) && age_ms >= self.behaviour.ready_after_ms);
        let wanted = self.behaviour.uses.at(CPU, age_ms).filter(|_| runtime.named);
        let excess = wanted.zip(container.limit(CPU)).filter(|(wanted, limit)| wanted > limit);
        runtime.activity = Activity::Running { since, ready, throttled: excess.is_some(), looked_ms: now.ms };
        let name = || container.name.clone();
        if ready && !was_ready {
            happened.push(Happening::Ready { container: name() });
        }
        match excess {
            Some((wanted, limit)) if !was_throttled => {
                happened.push(Happening::Throttled { container: name(), wanted, limit });
            }
            None if was_throttled => happened.push(Happening::NotThrottled { container: name() }),
            _ => {}
        }
    }

    fn start(
        &mut self,
        runtime: &mut ContainerRuntime,
        container: &Container,
        is_init: bool,
        now: Now,
        happened: &mut KubeletReason,
    ) {
        self.sandbox = true;
        let name = container.name.clone();
        match self.behaviour.outcome {
            Outcome::ImagePull { backing_off } if runtime.named => {
                runtime.backoff = Some(BackOff::next(runtime.backoff, now.ms));
                runtime.pulls += 1;
                let (image, attempts) = (container.image.clone(), runtime.pulls);
                if backing_off && attempts == 1 {
                    let delay_ms = runtime.backoff.map_or(0, |backoff| backoff.delay_ms);
                    runtime.activity = Activity::PullBackOff { until_ms: now.plus_ms(delay_ms) };
                    happened.push(Happening::PullBackOff { container: name, image, delay_ms });
                } else {
                    runtime.activity = Activity::PullFailed { at_ms: now.ms };
                    happened.push(Happening::PullFailed { container: name, image, attempts });
                }
            }
            Outcome::CrashLoop { exit_code, restarts } if runtime.named => {
                runtime.restarts = restarts;
                let delay_ms = super::backoff::MAX_BACKOFF_MS;
                runtime.backoff = Some(BackOff { delay_ms, updated_ms: now.ms });
                runtime.end(exit_code, if exit_code == 0 { "Completed" } else { "Error" }, now, Activity::Done);
                runtime.activity = Activity::BackingOff { until_ms: u64::MAX };
                happened.push(Happening::BackOff { container: name, delay_ms, restarts });
            }
            _ => {
                if runtime.last.is_some() {
                    runtime.restarts = runtime.restarts.saturating_add(1);
                }
                happened.push(Happening::Started { container: name, restarts: runtime.restarts });
                self.look_at_run(runtime, container, (now, false, false), is_init, now, happened);
            }
        }
    }

    /// Follows kubernetes pkg/kubelet/kuberuntime doBackOff, v1.36: the first restart is at once.
    fn decide_restart(
        &mut self,
        runtime: &mut ContainerRuntime,
        container: &Container,
        is_init: bool,
        now: Now,
        happened: &mut KubeletReason,
    ) {
        let finished_ms = runtime.last.as_ref().map_or(now.ms, |exit| exit.finished.ms);
        if let Some(backoff) = runtime.backoff.filter(|b| !b.is_void(finished_ms))
            && now.ms < finished_ms.saturating_add(backoff.delay_ms)
        {
            let (delay_ms, restarts) = (backoff.delay_ms, runtime.restarts);
            runtime.activity = Activity::BackingOff { until_ms: finished_ms.saturating_add(delay_ms) };
            runtime.backoff = Some(BackOff::next(Some(backoff), finished_ms.saturating_add(delay_ms)));
            happened.push(Happening::BackOff { container: container.name.clone(), delay_ms, restarts });
            return;
        }
        runtime.backoff = Some(BackOff::next(runtime.backoff, now.ms));
        self.start(runtime, container, is_init, now, happened);
    }

    /// Tells the pod to end: it takes what its behaviour says, but no longer than the grace period.
    pub fn stop(&mut self, grace_seconds: i64, now: Now, happened: &mut KubeletReason) {
        let grace_ms = u64::try_from(grace_seconds).unwrap_or(0).saturating_mul(1000);
        let wanted_ms = if self.is_over() { 0 } else { self.behaviour.terminate_after_ms };
        let stopping = Stopping { gone_ms: now.plus_ms(wanted_ms.min(grace_ms)), killed: wanted_ms > grace_ms };
        match self.stopping {
            // A shorter grace period that was set later counts.
            Some(present) if present.gone_ms <= stopping.gone_ms => {}
            _ => {
                let gone_in_ms = stopping.gone_ms.saturating_sub(now.ms);
                self.stopping = Some(stopping);
                happened.push(Happening::Stopping { grace_seconds, gone_in_ms });
            }
        }
    }

    /// The kubelet is back after a silence. What had not started starts anew; after a power cut everything does.
    pub fn resume(&mut self, pod: &Pod, powered_off: bool, ip: Option<String>, now: Now) {
        let start_ms = now.plus_ms(self.behaviour.start_after_ms);
        for runtime in self.init.iter_mut().chain(&mut self.containers) {
            match &mut runtime.activity {
                Activity::Waiting { until_ms: Some(until_ms) } => *until_ms = start_ms,
                Activity::Running { .. } if powered_off => {
                    runtime.end(LOST, "Unknown", now, Activity::Exited { decides_ms: start_ms });
                }
                _ => {}
            }
        }
        if powered_off && !self.is_over() {
            (self.sandbox, self.sandbox_changed) = (false, true);
            self.ip = ip.unwrap_or_default();
        }
        if let Some(stopping) = &mut self.stopping {
            stopping.gone_ms = stopping.gone_ms.max(now.plus_ms(self.behaviour.terminate_after_ms));
        }
        self.release(pod, start_ms);
    }
}
