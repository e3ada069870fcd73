//! VolumeBinding, as far as it needs no storage: a claim that a pod mounts must exist. Whether a claim can be bound,
//! and where its volume is, is not simulated: a claim that exists is taken as bound, reachable from every node.
//!
//! Follows kubernetes pkg/scheduler/framework/plugins/volumebinding (and volumerestrictions), v1.36.

use crate::apiserver::Store;
use crate::objects::*;

/// Name of the plugin.
pub const NAME: &str = "VolumeBinding";

/// The first claim that the pod mounts and that does not exist.
pub fn missing_claim(store: &Store, pod: &Pod) -> Option<String> {
    let claims =
        pod.spec.volumes.iter().filter_map(|volume| volume.get("persistentVolumeClaim")?.get("claimName")?.as_str());
    claims
        .into_iter()
        .find(|claim| {
            let key = ObjectKey::new(pod.metadata.namespace.clone(), *claim);
            store.unstructured("v1", "PersistentVolumeClaim", &key).is_none()
        })
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_claim_must_exist_in_the_pods_namespace() {
        let pod: Pod = decode(json!({
            "metadata": {"namespace": "a"},
            "spec": {"volumes": [{"hostPath": {"path": "/"}}, {"persistentVolumeClaim": {"claimName": "data"}}]},
        }))
        .unwrap();
        let mut store = Store::default();
        let put = |namespace: &str, store: &mut Store| {
            let claim = json!({
                "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": namespace},
            });
            store.put(Object::from_value(claim).unwrap());
        };
        put("b", &mut store);
        assert_eq!(missing_claim(&store, &pod), Some("data".into()));
        put("a", &mut store);
        assert_eq!(missing_claim(&store, &pod), None);
    }
}
