//! What the kubelet knows of one container.

use super::backoff::BackOff;
use crate::apiserver::Now;
use crate::objects::*;

/// How a container's last run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Exit {
    /// Exit code.
    pub code: i32,
    /// `Completed`, `Error`, `OOMKilled`…
    pub reason: &'static str,
    /// When the run began.
    pub started: Now,
    /// When it ended.
    pub finished: Now,
}

/// What a container does now.
#[derive(Clone, Debug, PartialEq)]
pub enum Activity {
    /// It has not started; `None`: it waits for the init containers, or for ever.
    Waiting {
        /// When it starts.
        until_ms: Option<u64>,
    },
    /// Its image could not be pulled just now.
    PullFailed {
        /// When.
        at_ms: u64,
    },
    /// The kubelet waits before the next attempt to pull its image.
    PullBackOff {
        /// When the next attempt is.
        until_ms: u64,
    },
    /// It runs.
    Running {
        /// Since when.
        since: Now,
        /// Whether its readiness probe holds.
        ready: bool,
        /// Whether it wants more CPU than it may use.
        throttled: bool,
        /// Up to when its usage has been looked at.
        looked_ms: u64,
    },
    /// It ended, and the kubelet has not yet decided what follows.
    Exited {
        /// When it decides.
        decides_ms: u64,
    },
    /// It will be restarted after a pause.
    BackingOff {
        /// When.
        until_ms: u64,
    },
    /// It ended and stays so.
    Done,
}

/// A container of a pod on its node.
#[derive(Clone, Debug, PartialEq)]
pub struct ContainerRuntime {
    /// What it does now.
    pub activity: Activity,
    /// Whether the rule's outcome is its own.
    pub named: bool,
    /// Restarts so far.
    pub restarts: i32,
    /// The end of its last run.
    pub last: Option<Exit>,
    /// Pause between restarts or between pulls.
    pub backoff: Option<BackOff>,
    /// Failed attempts to pull its image.
    pub pulls: u32,
    /// What its environment lacks, in the kubelet's words.
    pub config_error: Option<String>,
}

impl ContainerRuntime {
    /// A container that has not started.
    pub fn new(named: bool) -> Self {
        let activity = Activity::Waiting { until_ms: None };
        Self { activity, named, restarts: 0, last: None, backoff: None, pulls: 0, config_error: None }
    }

    /// Whether it runs.
    pub fn is_running(&self) -> bool {
        matches!(self.activity, Activity::Running { .. })
    }

    /// Whether it runs and its readiness probe holds.
    pub fn is_ready(&self) -> bool {
        matches!(self.activity, Activity::Running { ready: true, .. })
    }

    /// Whether it ended well and stays so.
    pub fn has_completed(&self) -> bool {
        self.activity == Activity::Done && self.last.as_ref().is_some_and(|exit| exit.code == 0)
    }

    /// Ends the present run.
    pub fn end(&mut self, code: i32, reason: &'static str, now: Now, next: Activity) {
        let started = match self.activity {
            Activity::Running { since, .. } => since,
            _ => now,
        };
        self.last = Some(Exit { code, reason, started, finished: now });
        self.activity = next;
    }
}

/// Whether a container that ended with this code is started again.
pub fn restarts(pod: &Pod, container: &Container, is_init: bool, exit_code: i32) -> bool {
    if container.is_sidecar() {
        return true;
    }
    match pod.spec.restart_policy.as_str() {
        "Never" => false,
        "OnFailure" => exit_code != 0,
        // An init container that ended well has done its part.
        _ => !(is_init && exit_code == 0),
    }
}
