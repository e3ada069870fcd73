use super::{Age, Fleet, FleetSet};
use crate::objects::*;
use std::rc::Rc;

/// Where a pod is in its life, as its tile shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PodState {
    /// On no node yet.
    Pending,
    /// On its node, not ready.
    Starting,
    /// Ready, for less than minReadySeconds.
    Ready,
    /// Ready for long enough.
    Available,
    /// Asked to go.
    Terminating,
    /// A container does not start or does not stay up.
    Failing,
    /// Ended with a failure.
    Failed,
    /// Thrown off its node.
    Evicted,
    /// Ended well.
    Succeeded,
}

impl PodState {
    /// All of them, in the order of the legend.
    pub const ALL: [Self; 9] = [
        Self::Pending,
        Self::Starting,
        Self::Ready,
        Self::Available,
        Self::Terminating,
        Self::Failing,
        Self::Failed,
        Self::Evicted,
        Self::Succeeded,
    ];

    /// A pod's state at a time. `min_ready_seconds` is that of its DaemonSet, 0 for other pods.
    pub fn of(pod: &Pod, min_ready_seconds: i32, now: Time) -> Self {
        if pod.status.phase == FAILED {
            return if pod.status.reason == "Evicted" { Self::Evicted } else { Self::Failed };
        }
        if pod.is_terminating() {
            Self::Terminating
        } else if pod.status.phase == SUCCEEDED {
            Self::Succeeded
        } else if !pod.is_bound() {
            Self::Pending
        } else if pod.is_available(min_ready_seconds, now) {
            Self::Available
        } else if pod.is_ready() {
            Self::Ready
        } else if trouble_of(pod).is_some() {
            Self::Failing
        } else {
            Self::Starting
        }
    }
}

/// Why a container is not up, in Kubernetes' own word: `CrashLoopBackOff`, `ImagePullBackOff`, `OOMKilled`…
fn trouble_of(pod: &Pod) -> Option<&str> {
    let statuses = pod.status.init_container_statuses.iter().chain(pod.status.container_statuses.iter());
    statuses
        .filter_map(|status| match (&status.state.waiting, &status.state.terminated) {
            (Some(waiting), _) => Some(waiting.reason.as_str()),
            (_, Some(terminated)) if terminated.exit_code != 0 => Some(terminated.reason.as_str()),
            _ => None,
        })
        .find(|reason| !matches!(*reason, "" | "ContainerCreating" | "PodInitializing"))
}

/// One pod as a tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodTile {
    /// Namespace and name.
    pub key: ObjectKey,
    /// The DaemonSet's colour; `None`: the pod belongs to no DaemonSet.
    pub colour: Option<u8>,
    /// Name of the DaemonSet, or of what else manages the pod; empty for a bare pod.
    pub owner: Rc<str>,
    /// How new its template is.
    pub age: Age,
    /// Number of its revision, if recorded.
    pub revision: Option<i64>,
    /// Where it is in its life.
    pub state: PodState,
    /// Whether it counts as ready; a terminating pod still can.
    pub ready: bool,
    /// Whether it counts as available; a terminating pod still can.
    pub available: bool,
    /// One word of Kubernetes' own on what holds it up; often empty.
    pub trouble: Rc<str>,
    /// How often its containers were started again.
    pub restarts: i32,
    /// How a container failed that has been started again since (`Error`, `OOMKilled`…); empty once the pod is ready.
    pub crashed: Rc<str>,
    /// All containers run, and the pod is not ready.
    pub only_unready: bool,
    /// Image of the first container.
    pub image: Rc<str>,
}

impl PodTile {
    /// A pod's tile at a time.
    pub fn of(pod: &Pod, fleet: &Fleet, now: Time) -> Self {
        let set: Option<&FleetSet> = fleet.owner_of(pod).map(|set| &**set);
        let min_ready_seconds = set.map_or(0, |set| set.object.spec.min_ready_seconds);
        let state = PodState::of(pod, min_ready_seconds, now);
        let trouble = match state {
            PodState::Failed | PodState::Evicted => {
                Some(pod.status.reason.as_str()).filter(|reason| !reason.is_empty())
            }
            PodState::Pending => {
                let refused = pod.status.condition("PodScheduled").filter(|c| c.status == "False");
                refused.map(|condition| condition.reason.as_str())
            }
            _ => None,
        };
        let statuses = &pod.status.container_statuses;
        let ended = |status: &ContainerStatus| {
            let last = status.last_state.terminated.as_ref().filter(|last| last.exit_code != 0)?;
            Some(Rc::from(if last.reason.is_empty() { "Error" } else { &last.reason }))
        };
        let is_up = |status: &ContainerStatus| status.state.running.is_some();
        let starting = state == PodState::Starting;
        let image = pod.spec.containers.first().map_or("", |container| container.image.as_str());
        Self {
            key: pod.metadata.key(),
            colour: set.map(|set| set.colour),
            owner: pod.metadata.controller().map_or_else(|| "".into(), |owner| owner.name.clone()),
            age: set.map_or(Age::Newest, |set| set.age_of(pod)),
            revision: set.and_then(|set| set.revision_of(pod)),
            state,
            ready: pod.is_ready(),
            available: pod.is_available(min_ready_seconds, now),
            trouble: trouble.or_else(|| trouble_of(pod)).unwrap_or("").into(),
            restarts: statuses.iter().fold(0, |sum: i32, status| sum.saturating_add(status.restart_count)),
            crashed: statuses.iter().find_map(ended).filter(|_| starting).unwrap_or_else(|| "".into()),
            only_unready: starting && !statuses.is_empty() && statuses.iter().all(is_up),
            image: image.into(),
        }
    }

    /// Whether there is something to ask about the pod of a DaemonSet: it is not well, not there yet, or an old one.
    pub fn is_questionable(&self) -> bool {
        let well = matches!(self.state, PodState::Available | PodState::Ready | PodState::Succeeded);
        self.colour.is_some() && self.state != PodState::Terminating && (!well || self.age != Age::Newest)
    }

    /// The image without its registry and path: `node-exporter:v1.9.1`.
    pub fn short_image(&self) -> &str {
        self.image.rsplit('/').next().unwrap_or(&self.image)
    }

    /// The image's tag, or the whole short image when it has none.
    pub fn tag(&self) -> &str {
        let short = self.short_image();
        short.split_once('@').map_or(short, |(image, _)| image).split_once(':').map_or(short, |(_, tag)| tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const NOW: Time = Time(1000);

    fn state(pod: Value) -> PodState {
        PodState::of(&decode(pod).unwrap(), 10, NOW)
    }

    fn ready_since(seconds: i64) -> Value {
        json!({"spec": {"nodeName": "n"}, "status": {"phase": "Running", "conditions": [
            {"type": "Ready", "status": "True", "lastTransitionTime": Time(seconds).to_string()}]}})
    }

    #[test]
    fn a_pod_goes_from_pending_to_available() {
        assert_eq!(state(json!({"status": {"phase": "Pending"}})), PodState::Pending);
        assert_eq!(state(json!({"spec": {"nodeName": "n"}, "status": {"phase": "Pending"}})), PodState::Starting);
        assert_eq!(state(ready_since(991)), PodState::Ready);
        assert_eq!(state(ready_since(990)), PodState::Available);
    }

    #[test]
    fn trouble_shows_over_starting_and_deletion_over_readiness() {
        let waiting = |reason: &str| {
            json!({"spec": {"nodeName": "n"}, "status": {"phase": "Running", "containerStatuses": [
                {"name": "c", "state": {"waiting": {"reason": reason}}}]}})
        };
        assert_eq!(state(waiting("ContainerCreating")), PodState::Starting);
        assert_eq!(state(waiting("CrashLoopBackOff")), PodState::Failing);
        let mut pod = ready_since(0);
        pod["metadata"] = json!({"deletionTimestamp": "2026-01-01T00:00:00Z"});
        assert_eq!(state(pod), PodState::Terminating);
    }

    #[test]
    fn an_eviction_is_told_apart_from_other_failures() {
        assert_eq!(state(json!({"status": {"phase": "Failed", "reason": "Evicted"}})), PodState::Evicted);
        assert_eq!(state(json!({"status": {"phase": "Failed", "reason": "OutOfcpu"}})), PodState::Failed);
    }

    #[test]
    fn a_pod_that_crashed_and_runs_again_tells_it() {
        let tile = |statuses: Value| {
            let pod = json!({"spec": {"nodeName": "n"}, "status": {"phase": "Running", "containerStatuses": statuses}});
            PodTile::of(&decode(pod).unwrap(), &Fleet::default(), NOW)
        };
        let running = json!({"running": {}});
        let fresh = tile(json!([{"name": "c", "state": running}]));
        assert_eq!((fresh.restarts, &*fresh.crashed, fresh.only_unready), (0, "", true));
        let last = json!({"terminated": {"exitCode": 1, "reason": "Error"}});
        let again = tile(json!([{"name": "c", "state": running, "lastState": last, "restartCount": 3}]));
        assert_eq!((again.restarts, &*again.crashed, again.state), (3, "Error", PodState::Starting));
        let creating = tile(json!([{"name": "c", "state": {"waiting": {"reason": "ContainerCreating"}}}]));
        assert!(!creating.only_unready);
    }

    #[test]
    fn an_image_is_shortened_to_what_tells_versions_apart() {
        let tile = |image: &str| {
            let pod = json!({"spec": {"containers": [{"name": "c", "image": image}]}});
            PodTile::of(&decode(pod).unwrap(), &Fleet::default(), NOW)
        };
        assert_eq!(tile("quay.example:5000/prom/node-exporter:v1.9.1").tag(), "v1.9.1");
        assert_eq!(tile("busybox").tag(), "busybox");
        assert_eq!(tile("a/b:v1@sha256:00").tag(), "v1");
    }
}
