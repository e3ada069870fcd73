//! Objects by resource, with those that every cluster has and the simulation does not keep.

use crate::apiserver::schema::{Resource, resources};
use crate::apiserver::{ApiServer, Status, Store, requests};
use crate::objects::*;
use crate::order::Order;
use serde_json::{Value, json};

/// Where the API server listens.
pub(crate) const API_SERVER_IP: &str = "192.168.1.10";
/// See [`API_SERVER_IP`].
pub(crate) const API_SERVER_PORT: u16 = 6443;

/// The resource that a word names: `ds`, `daemonsets`, `daemonset.apps`, `daemonsets.v1.apps`, `DaemonSet`.
pub(crate) fn resource_named(word: &str) -> Option<&'static Resource> {
    let (name, rest) = word.split_once('.').unwrap_or((word, ""));
    let lower = name.to_lowercase();
    resources().iter().find(|r| {
        // Plural and singular in any case; short names and kinds as they are.
        let named = lower == r.plural || lower == r.singular() || name == r.kind || r.short_names.contains(&name);
        let grouped = rest.is_empty()
            || rest == r.group
            || rest.split_once('.').is_some_and(|(version, group)| version == r.version && group == r.group)
            || (r.group.is_empty() && rest == r.version);
        named && grouped
    })
}

/// Objects of a resource, in a namespace or (`None`) in all, by namespace and name.
pub(crate) fn list(api: &ApiServer, resource: &Resource, namespace: Option<&str>) -> Vec<Object> {
    let namespace = namespace.filter(|_| resource.is_namespaced());
    let api_version = resource.api_version();
    let store = api.store();
    let mut objects = match (Kind::from_manifest(&api_version, resource.kind), namespace) {
        (Some(Kind::Pod), Some(namespace)) => {
            Store::in_namespace(store.pods(), namespace).cloned().map(Object::Pod).collect()
        }
        (Some(Kind::Event), Some(namespace)) => {
            Store::in_namespace(store.events(), namespace).cloned().map(Object::Event).collect()
        }
        (Some(kind), _) => store.list(kind),
        (None, _) => store
            .all_unstructured()
            .filter(|o| o.kind == resource.kind && o.api_version == api_version)
            .cloned()
            .map(Object::Unstructured)
            .collect(),
    };
    let system = system_objects(api, resource);
    if !system.is_empty() {
        objects.extend(system);
        objects.order_by_cached_key(Object::key);
        objects.dedup_by_key(|object| object.key());
    }
    if let Some(namespace) = namespace {
        objects.retain(|object| &*object.metadata().namespace == namespace);
    }
    objects
}

/// One object.
///
/// # Errors
/// `NotFound`.
pub(crate) fn get(api: &ApiServer, resource: &Resource, key: &ObjectKey) -> Result<Object, Status> {
    requests::get(api, resource, key)
        .or_else(|status| system_objects(api, resource).into_iter().find(|object| object.key() == *key).ok_or(status))
}

/// What a cluster makes by itself: service accounts, the root certificate, the API server's own service, leases.
fn system_objects(api: &ApiServer, resource: &Resource) -> Vec<Object> {
    let store = api.store();
    let api_version = resource.api_version();
    let make = |name: &str, namespace: &str, since: &ObjectMeta, body: serde_json::Value| {
        let mut object =
            Unstructured { api_version: api_version.clone(), kind: resource.kind.into(), ..Default::default() };
        object.metadata.name = name.into();
        object.metadata.namespace = namespace.into();
        object.metadata.creation_timestamp = since.creation_timestamp;
        object.metadata.resource_version.clone_from(&since.resource_version);
        object.metadata.uid = format!("{}-{}", since.uid, resource.plural).into();
        object.body = body.as_object().cloned().unwrap_or_default();
        Object::from(object)
    };
    let namespaces = || store.namespaces().values().map(|namespace| &namespace.metadata);
    match (resource.group, resource.kind) {
        ("", "ServiceAccount") => namespaces().map(|ns| make("default", &ns.name, ns, json!({}))).collect(),
        ("", "ConfigMap") => {
            let certificate = json!({"data": {"ca.crt": "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"}});
            namespaces().map(|ns| make("kube-root-ca.crt", &ns.name, ns, certificate.clone())).collect()
        }
        ("", "Service") => {
            let spec = json!({"spec": {
                "clusterIP": "10.96.0.1",
                "clusterIPs": ["10.96.0.1"],
                "internalTrafficPolicy": "Cluster",
                "ipFamilies": ["IPv4"],
                "ipFamilyPolicy": "SingleStack",
                "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
                "sessionAffinity": "None",
                "type": "ClusterIP",
            }});
            let default = namespaces().filter(|ns| &*ns.name == "default");
            let labelled = |mut object: Object| {
                let labels = [("component", "apiserver"), ("provider", "kubernetes")];
                object.metadata_mut().labels = string_map(labels);
                object
            };
            default.map(|ns| labelled(make("kubernetes", "default", ns, spec.clone()))).collect()
        }
        ("coordination.k8s.io", "Lease") => store
            .nodes()
            .values()
            .map(|node| {
                let spec = json!({"spec": {"holderIdentity": &*node.metadata.name, "leaseDurationSeconds": 40}});
                make(&node.metadata.name, "kube-node-lease", &node.metadata, spec)
            })
            .collect(),
        ("", "Endpoints") => {
            let api_server = json!({"subsets": [{
                "addresses": [{"ip": API_SERVER_IP}],
                "ports": [{"name": "https", "port": API_SERVER_PORT, "protocol": "TCP"}],
            }]});
            let default = namespaces().filter(|ns| &*ns.name == "default");
            let own = default.map(|ns| make("kubernetes", "default", ns, api_server.clone()));
            let services = store.all_unstructured().filter(|o| o.kind == "Service" && o.api_version == "v1");
            let others = services.filter(|service| service.in_spec("selector").is_some()).map(|service| {
                let metadata = &service.metadata;
                let ports = service.in_spec("ports").cloned().unwrap_or_default();
                let ports: Vec<Value> = ports
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(|port| json!({"name": port.get("name"), "port": port.get("targetPort").or(port.get("port"))}))
                    .collect();
                let addresses: Vec<Value> = behind(api, service).into_iter().map(|ip| json!({"ip": ip})).collect();
                let subsets =
                    if addresses.is_empty() { json!([]) } else { json!([{"addresses": addresses, "ports": ports}]) };
                make(&metadata.name, &metadata.namespace, metadata, json!({"subsets": subsets}))
            });
            own.chain(others).collect()
        }
        ("", "ComponentStatus") => {
            let healthy = json!({"conditions": [{"type": "Healthy", "status": "True", "message": "ok"}]});
            let name = |name| make(name, "", &ObjectMeta::default(), healthy.clone());
            ["controller-manager", "etcd-0", "scheduler"].map(name).into()
        }
        _ => Vec::new(),
    }
}

/// Addresses of the ready pods that a service selects.
pub(crate) fn behind(api: &ApiServer, service: &Unstructured) -> Vec<String> {
    let selector = service.in_spec("selector").and_then(Value::as_object).filter(|selector| !selector.is_empty());
    let Some(selector) = selector else { return Vec::new() };
    let fits = |pod: &Pod| {
        selector.iter().all(|(key, value)| pod.metadata.label(key).is_some_and(|label| value.as_str() == Some(label)))
    };
    let pods = Store::in_namespace(api.store().pods(), &service.metadata.namespace);
    let ready = pods.filter(|pod| pod.is_ready() && !pod.is_terminating() && fits(pod));
    let mut found: Vec<String> = ready.map(|pod| pod.status.pod_ip.to_string()).filter(|ip| !ip.is_empty()).collect();
    found.order();
    found
}

/// What the API server says of a resource that is on its way out.
pub(crate) fn deprecation(resource: &Resource) -> Option<&'static str> {
    match (resource.group, resource.kind) {
        ("", "Endpoints") => {
            Some("Warning: v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice")
        }
        ("", "ComponentStatus") => Some("Warning: v1 ComponentStatus is deprecated in v1.19+"),
        _ => None,
    }
}
