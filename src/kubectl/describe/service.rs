//! Services and service accounts.
//!
//! Follows kubernetes kubectl pkg/describe/describe.go ServiceDescriber, ServiceAccountDescriber, v1.36.

use super::{Writer, or_none};
use crate::apiserver::ApiServer;
use crate::kubectl::go_print;
use crate::kubectl::lister::{self, API_SERVER_IP, API_SERVER_PORT};
use crate::kubectl::print::some_of;
use crate::objects::*;
use serde_json::Value;

pub(super) fn service(w: &mut Writer, api: &ApiServer, service: &Unstructured) {
    let member = |name: &str| service.in_spec(name);
    let text = |name: &str| member(name).and_then(Value::as_str).unwrap_or("");
    let list = |name: &str| -> Vec<&str> {
        member(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    };
    super::other::heads(w, &service.metadata);
    let selector: Vec<String> = member("selector")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(key, value)| format!("{key}={}", go_print(value)))
        .collect();
    w.pair(0, "Selector", or_none(&selector.join(",")));
    w.pair(0, "Type", text("type"));
    if !text("ipFamilyPolicy").is_empty() {
        w.pair(0, "IP Family Policy", text("ipFamilyPolicy"));
    }
    if !list("ipFamilies").is_empty() {
        w.pair(0, "IP Families", list("ipFamilies").join(","));
    }
    w.pair(0, "IP", text("clusterIP"));
    w.pair(0, "IPs", or_none(&list("clusterIPs").join(",")));
    for (title, name) in [("External IPs", "externalIPs"), ("LoadBalancer Source Ranges", "loadBalancerSourceRanges")] {
        if !list(name).is_empty() {
            w.pair(0, title, list(name).join(","));
        }
    }
    if !text("externalName").is_empty() {
        w.pair(0, "External Name", text("externalName"));
    }
    for port in member("ports").and_then(Value::as_array).into_iter().flatten() {
        let shown = |name: &str| port.get(name).map(go_print).unwrap_or_default();
        let name = if shown("name").is_empty() { "<unset>".into() } else { shown("name") };
        w.pair(0, "Port", format!("{name}\t{}/{}", shown("port"), shown("protocol")));
        w.pair(0, "TargetPort", format!("{}/{}", shown("targetPort"), shown("protocol")));
        if !["", "0"].contains(&shown("nodePort").as_str()) {
            w.pair(0, "NodePort", format!("{name}\t{}/{}", shown("nodePort"), shown("protocol")));
        }
        // The API server is the only one that serves anything.
        let own = &*service.metadata.name == "kubernetes" && &*service.metadata.namespace == "default";
        let behind: Vec<String> =
            lister::behind(api, service).iter().map(|ip| format!("{ip}:{}", shown("targetPort"))).collect();
        w.pair(0, "Endpoints", if own { format!("{API_SERVER_IP}:{API_SERVER_PORT}") } else { some_of(&behind) });
    }
    w.pair(0, "Session Affinity", text("sessionAffinity"));
    if !text("externalTrafficPolicy").is_empty() {
        w.pair(0, "External Traffic Policy", text("externalTrafficPolicy"));
    }
    if !text("internalTrafficPolicy").is_empty() {
        w.pair(0, "Internal Traffic Policy", text("internalTrafficPolicy"));
    }
}

pub(super) fn service_account(w: &mut Writer, account: &Unstructured) {
    super::other::heads(w, &account.metadata);
    for (title, member) in [("Image pull secrets", "imagePullSecrets"), ("Mountable secrets", "secrets")] {
        let names: Vec<String> = account
            .body
            .get(member)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|secret| secret.get("name").and_then(Value::as_str).map(str::to_owned))
            .collect();
        w.lines("", title, &names);
    }
    w.lines("", "Tokens", &[]);
}
