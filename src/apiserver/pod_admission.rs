//! What admission does to every new pod: limit ranges, the service account, priority, default tolerations, the runtime
//! class.

use super::admission::{self, AdmissionView};
use super::status::Status;
use super::store::Store;
use super::strategy;
use super::validation::APP_ARMOR_ANNOTATION;
use crate::objects::*;
use serde_json::Value;
use std::rc::Rc;

/// Seconds that a plain pod stays on a node that is not ready or unreachable.
const DEFAULT_TOLERATION_SECONDS: i64 = 300;

/// Admits a new pod or says why not.
///
/// Follows kubernetes plugin/pkg/admission/{limitranger,priority,defaulttolerationseconds,serviceaccount,runtimeclass},
/// v1.36.
///
/// # Errors
/// `Forbidden` when the priority class, the service account or the runtime class does not exist, or when the runtime
/// class contradicts the pod.
pub fn admit(store: &Store, pod: &mut Pod) -> Result<(), Status> {
    let name: Rc<str> = if pod.metadata.name.is_empty() {
        pod.metadata.generate_name.as_str().into()
    } else {
        pod.metadata.name.clone()
    };
    let refuse = |why: &str| Status::forbidden("pods", &name, why);
    let namespace = pod.metadata.namespace.clone();
    fill_in_containers(Rc::make_mut(&mut pod.spec));
    prepare(pod).map_err(|why| refuse(&why))?;
    let ranges = store.limit_ranges(&namespace);
    if !ranges.is_empty() {
        as_tree(pod, |tree| {
            ranges.iter().for_each(|range| admission::apply_limit_range(range, tree));
            Ok(())
        })
        .map_err(|why| refuse(&why))?;
    }
    let spec = Rc::make_mut(&mut pod.spec);
    spec.other.or_insert("enableServiceLinks", true.into());
    set_service_account(store, &namespace, spec).map_err(|why| refuse(&why))?;
    set_priority(store, spec).map_err(|why| refuse(&why))?;
    add_default_tolerations(spec);
    if spec.runtime_class_name.is_some() || !spec.overhead.is_empty() {
        as_tree(pod, |tree| admission::runtime_class(store, tree)).map_err(|why| refuse(&why))?;
    }
    Ok(())
}

/// What the API server's strategy for pods changes: label keys and old annotations become what they stand for.
fn prepare(pod: &mut Pod) -> Result<(), String> {
    let annotated = pod.metadata.annotations.keys().any(|key| key.starts_with(APP_ARMOR_ANNOTATION));
    let has_keys = |term: &PodAffinityTerm| !(term.match_label_keys.is_empty() && term.mismatch_label_keys.is_empty());
    let with_keys = pod.spec.topology_spread_constraints.iter().any(|c| !c.match_label_keys.is_empty())
        || pod.spec.affinity.as_ref().is_some_and(|affinity| affinity.pod_terms().any(has_keys));
    if !annotated && !with_keys {
        return Ok(());
    }
    as_tree(pod, |tree| {
        super::app_armor::fields_from_annotations(tree);
        strategy::merge_label_keys(tree, true);
        Ok(())
    })
}

/// Edits the pod as a JSON tree, which is what the plugins that few pods need work on.
fn as_tree(pod: &mut Pod, edit: impl FnOnce(&mut Value) -> Result<(), String>) -> Result<(), String> {
    let mut tree = encode(pod);
    edit(&mut tree)?;
    *pod = decode(tree).map_err(|error| error.to_string())?;
    Ok(())
}

/// What a pod gets and a template does not: requests that follow from limits, host ports that follow from the node's
/// network.
///
/// Follows kubernetes pkg/apis/core/v1/defaults.go SetDefaults_Pod and defaultHostNetworkPorts, v1.36.
fn fill_in_containers(spec: &mut PodSpec) {
    let host_network = spec.host_network;
    let lacks = |container: &Container| {
        let limited = container.resources.as_ref();
        limited.is_some_and(|r| r.limits.keys().any(|name| !r.requests.contains_key(name)))
            || (host_network && container.ports.iter().any(|port| port.host_port == 0))
    };
    for list in [&mut spec.containers, &mut spec.init_containers] {
        // Containers are shared with the template as long as nothing is missing.
        if !list.iter().any(lacks) {
            continue;
        }
        for container in Rc::make_mut(list) {
            if let Some(resources) = &mut container.resources {
                let limits = Rc::clone(&resources.limits);
                let requests = Rc::make_mut(&mut resources.requests);
                for (name, amount) in limits.iter() {
                    requests.entry(name.clone()).or_insert(*amount);
                }
            }
            for port in &mut container.ports {
                if host_network && port.host_port == 0 {
                    port.host_port = port.container_port;
                }
            }
        }
    }
}

fn set_service_account(store: &Store, namespace: &str, spec: &mut PodSpec) -> Result<(), String> {
    if spec.service_account_name.is_empty() {
        spec.service_account_name = "default".into();
        spec.other.insert("serviceAccount", "default".into());
    }
    let account = &spec.service_account_name;
    // Every namespace gets the account "default" by itself; the simulation does not keep it.
    if account == "default"
        || store.unstructured("v1", "ServiceAccount", &ObjectKey::new(namespace, account.as_str())).is_some()
    {
        return Ok(());
    }
    Err(format!("error looking up service account {namespace}/{account}: serviceaccount \"{account}\" not found"))
}

fn set_priority(store: &Store, spec: &mut PodSpec) -> Result<(), String> {
    if spec.priority_class_name.is_empty() {
        // The lowest wins should there be several defaults.
        let defaults = store.priority_classes().values().filter(|class| class.global_default);
        match defaults.min_by_key(|class| class.value) {
            Some(class) => {
                spec.priority_class_name = class.metadata.name.to_string();
                spec.priority = Some(class.value);
                spec.preemption_policy = class.preemption_policy.clone();
            }
            None => spec.priority = Some(0),
        }
    } else {
        let class = spec.priority_class_name.as_str();
        let Some(class) = store.priority_class(&ObjectKey::cluster(class)) else {
            return Err(format!("no PriorityClass with name {class} was found"));
        };
        spec.priority = Some(class.value);
        spec.preemption_policy = class.preemption_policy.clone();
    }
    spec.preemption_policy.get_or_insert_with(|| "PreemptLowerPriority".into());
    Ok(())
}

fn add_default_tolerations(spec: &mut PodSpec) {
    for key in [TAINT_NOT_READY, TAINT_UNREACHABLE] {
        let covered = spec
            .tolerations
            .iter()
            .any(|t| (t.key == key || t.key.is_empty()) && (t.effect == NO_EXECUTE || t.effect.is_empty()));
        if !covered {
            let toleration_seconds = Some(DEFAULT_TOLERATION_SECONDS);
            let toleration = Toleration { toleration_seconds, ..Toleration::exists(key, NO_EXECUTE) };
            Rc::make_mut(&mut spec.tolerations).push(toleration);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ApiServer;
    use super::*;

    fn admitted(spec: PodSpec) -> Result<Pod, Status> {
        let server = ApiServer::new(1, Time(0));
        let mut pod = Pod { spec: Rc::new(spec), ..Pod::default() };
        pod.metadata.namespace = "kube-system".into();
        pod.metadata.generate_name = "agent-".into();
        admit(server.store(), &mut pod).map(|()| pod)
    }

    #[test]
    fn a_plain_pod_gets_priority_zero_and_tolerates_lost_nodes_for_five_minutes() {
        let pod = admitted(PodSpec::default()).unwrap();
        assert_eq!((pod.spec.priority, pod.spec.preemption_policy.as_deref()), (Some(0), Some("PreemptLowerPriority")));
        let tolerations: Vec<_> = pod.spec.tolerations.iter().map(|t| (t.key.as_str(), t.toleration_seconds)).collect();
        assert_eq!(tolerations, [(TAINT_NOT_READY, Some(300)), (TAINT_UNREACHABLE, Some(300))]);
    }

    #[test]
    fn a_pod_that_tolerates_everything_gets_no_more_tolerations() {
        let all = Toleration { operator: "Exists".into(), ..Toleration::default() };
        let pod = admitted(PodSpec { tolerations: Rc::new(vec![all]), ..PodSpec::default() }).unwrap();
        assert_eq!(pod.spec.tolerations.len(), 1);
    }

    #[test]
    fn unknown_classes_and_accounts_are_refused() {
        let class = PodSpec { priority_class_name: "high".into(), ..PodSpec::default() };
        let message = "pods \"agent-\" is forbidden: no PriorityClass with name high was found";
        assert_eq!(admitted(class).unwrap_err().message, message);
        let account = PodSpec { service_account_name: "agent".into(), ..PodSpec::default() };
        let message = "pods \"agent-\" is forbidden: error looking up service account kube-system/agent: serviceaccount \"agent\" not found";
        assert_eq!(admitted(account).unwrap_err().message, message);
        let critical = PodSpec { priority_class_name: "system-node-critical".into(), ..PodSpec::default() };
        assert_eq!(admitted(critical).unwrap().spec.priority, Some(SYSTEM_NODE_CRITICAL));
    }

    #[test]
    fn limit_ranges_hold_for_the_pods_of_controllers_too() {
        let mut server = ApiServer::new(1, Time(0));
        let range = serde_json::json!({
            "apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "limits", "namespace": "kube-system"},
            "spec": {"limits": [{"type": "Container", "default": {"cpu": "500m"}, "defaultRequest": {"cpu": "100m"},
                "max": {"memory": "1Gi"}}]},
        });
        server.restore(Object::from_value(range).unwrap());
        let pod = |resources: Value| -> Pod {
            decode(serde_json::json!({
                "metadata": {"name": "agent-1", "namespace": "kube-system"},
                "spec": {"containers": [{"name": "c", "image": "i", "resources": resources}]},
            }))
            .unwrap()
        };
        let create = |pod: Pod| server.clone().commit(crate::apiserver::Write::Create(pod.into()));
        let sized = create(pod(serde_json::json!({"limits": {"memory": "512Mi"}}))).unwrap().to_value();
        assert_eq!(
            sized["spec"]["containers"][0]["resources"],
            serde_json::json!({"limits": {"cpu": "500m", "memory": "512Mi"}, "requests": {"cpu": "100m", "memory": "512Mi"}})
        );
        assert_eq!(
            sized["metadata"]["annotations"]["kubernetes.io/limit-ranger"],
            "LimitRanger plugin set: cpu request for container c; cpu limit for container c"
        );
        assert_eq!(
            create(pod(serde_json::json!({"limits": {"memory": "2Gi"}}))).unwrap_err().message,
            "pods \"agent-1\" is forbidden: maximum memory usage per Container is 1Gi, but limit is 2Gi"
        );
    }

    #[test]
    fn an_unknown_runtime_class_and_overhead_without_one_are_refused() {
        let class = PodSpec { runtime_class_name: Some("vm".into()), ..PodSpec::default() };
        let message = "pods \"agent-\" is forbidden: pod rejected: RuntimeClass \"vm\" not found";
        assert_eq!(admitted(class).unwrap_err().message, message);
        let mut overhead = PodSpec::default();
        Rc::make_mut(&mut overhead.overhead).insert("cpu".into(), Quantity::from_units(1));
        assert!(
            admitted(overhead).unwrap_err().message.ends_with("without corresponding RuntimeClass defined Overhead")
        );
    }
}
