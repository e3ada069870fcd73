//! `podspec.jsonl`: what the controller changes in the template when it creates a pod.

use super::cases::part;
use super::daemonset::created_pod;
use super::expect_eq;
use daemonset_playground::objects::*;
use serde_json::Value;

pub fn check(case: &Value) -> Result<(), String> {
    let daemonset: DaemonSet = part(case, "daemonset");
    let (node, hash) = (case["node"].as_str().expect("node"), case["hash"].as_str().expect("hash"));
    let pod = encode(&created_pod(&daemonset, hash, node, "pod", Time(0)));
    let expected = &case["expect"];
    expect_eq("labels", &pod["metadata"]["labels"], &expected["labels"])?;
    for member in ["tolerations", "affinity", "nodeSelector", "nodeName"] {
        let recorded = Some(&expected[member]).filter(|value| value.as_str() != Some("")).unwrap_or(&Value::Null);
        expect_eq(member, &pod["spec"][member], recorded)?;
    }
    Ok(())
}
