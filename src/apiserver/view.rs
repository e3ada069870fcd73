//! What admission sees of the store.

use super::admission::{
    AdmissionView, NamespaceState, PriorityClassInfo, QuotaState, RuntimeClassInfo, ServiceAccountInfo, pod_usage,
    quota_applies,
};
use super::store::Store;
use crate::objects::*;
use serde_json::Value;
use std::rc::Rc;

impl Store {
    /// Objects of a kind that the simulation does not act on, in one namespace.
    fn others<'a>(&'a self, kind: &'a str, namespace: &'a str) -> impl Iterator<Item = &'a Rc<Unstructured>> {
        self.all_unstructured().filter(move |o| o.kind == kind && &*o.metadata.namespace == namespace)
    }
}

fn class_info(class: &PriorityClass) -> PriorityClassInfo {
    PriorityClassInfo {
        name: class.metadata.name.to_string(),
        value: class.value.into(),
        preempts: class.preemption_policy.as_deref() != Some("Never"),
    }
}

impl AdmissionView for Store {
    fn namespace(&self, name: &str) -> Option<NamespaceState> {
        let namespace = Self::namespace(self, &ObjectKey::cluster(name))?;
        let terminating = namespace.metadata.is_terminating() || namespace.status.phase == "Terminating";
        Some(if terminating { NamespaceState::Terminating } else { NamespaceState::Active })
    }

    fn priority_class(&self, name: &str) -> Option<PriorityClassInfo> {
        Self::priority_class(self, &ObjectKey::cluster(name)).map(|class| class_info(class))
    }

    fn default_priority_class(&self) -> Option<PriorityClassInfo> {
        let defaults = self.priority_classes().values().filter(|class| class.global_default);
        defaults.min_by_key(|class| class.value).map(|class| class_info(class))
    }

    fn service_account(&self, namespace: &str, name: &str) -> Option<ServiceAccountInfo> {
        let account = self.unstructured("v1", "ServiceAccount", &ObjectKey::new(namespace, name));
        if account.is_none() && name == "default" {
            // Every namespace gets this account by itself; the store does not keep it.
            return Some(ServiceAccountInfo::default());
        }
        let body = &account?.body;
        let secrets = body.get("imagePullSecrets").and_then(Value::as_array);
        let names = secrets.into_iter().flatten().filter_map(|s| s.get("name")).filter_map(Value::as_str);
        Some(ServiceAccountInfo {
            automount: body.get("automountServiceAccountToken").and_then(Value::as_bool),
            image_pull_secrets: names.map(str::to_owned).collect(),
        })
    }

    fn runtime_class(&self, name: &str) -> Option<RuntimeClassInfo> {
        let class = Object::from(Rc::clone(Self::runtime_class(self, &ObjectKey::cluster(name))?)).to_value();
        let part = |pointer: &str| class.pointer(pointer).cloned().unwrap_or(Value::Null);
        Some(RuntimeClassInfo {
            overhead: part("/overhead/podFixed"),
            node_selector: part("/scheduling/nodeSelector"),
            tolerations: part("/scheduling/tolerations"),
        })
    }

    fn limit_ranges(&self, namespace: &str) -> Vec<Value> {
        self.others("LimitRange", namespace).filter_map(|range| range.body.get("spec").cloned()).collect()
    }

    fn resource_quotas(&self, namespace: &str) -> Vec<QuotaState> {
        let quotas: Vec<_> = self.others("ResourceQuota", namespace).collect();
        if quotas.is_empty() {
            return Vec::new();
        }
        let pods: Vec<Value> =
            Self::in_namespace(self.pods(), namespace).map(|pod| Object::Pod(Rc::clone(pod)).to_value()).collect();
        quotas
            .into_iter()
            .map(|quota| {
                let spec = quota.body.get("spec").cloned().unwrap_or(Value::Null);
                let mut used = std::collections::BTreeMap::<String, Quantity>::new();
                for pod in pods.iter().filter(|pod| quota_applies(&spec, pod)) {
                    for (resource, amount) in pod_usage(pod) {
                        let sum = used.entry(resource).or_default();
                        *sum = sum.plus(amount);
                    }
                }
                QuotaState { name: quota.metadata.name.to_string(), spec, used }
            })
            .collect()
    }

    fn namespace_labels(&self, namespace: &str) -> Value {
        let labels = Self::namespace(self, &ObjectKey::cluster(namespace)).map(|namespace| &namespace.metadata.labels);
        labels.map_or(Value::Null, |labels| encode(&**labels))
    }
}
