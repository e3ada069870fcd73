//! `kubectl top`: what the behaviours say that pods use.

use crate::support::*;
use daemonset_playground::apiserver::ApiServer;
use daemonset_playground::kubectl::Context;
use daemonset_playground::kubelet::{Behaviour, Behaviours};
use serde_json::json;

/// A cluster with two pods that run since 9 seconds, and rules by image.
fn measured() -> (ApiServer, Context) {
    let mut api = cluster(&["node-1"]);
    for name in ["small", "large"] {
        let line = format!(
            "kubectl run {name} --image={name}:1 --overrides='{{\"spec\":{{\"nodeName\":\"node-1\"}}}}' && kubectl patch pod \
             {name} --subresource=status -p '{{\"status\":{{\"phase\":\"Running\",\"containerStatuses\":[{{\"name\":\"{name}\",\
             \"image\":\"\",\"imageID\":\"\",\"ready\":true,\"restartCount\":0,\"state\":{{\"running\":{{\"startedAt\":\
             \"{NOW}\"}}}}}}]}}}}'"
        );
        let output = run(&mut api, &line);
        assert_eq!(output.exit_code, 0, "{}", output.stderr);
    }
    let rule = |image: &str, cpu: &str, memory: &str| -> Behaviour {
        serde_json::from_value(json!({
            "match": {"image": image},
            "uses": {"cpu": [{"amount": cpu}], "memory": [{"amount": "1Mi"}, {"afterMs": 5000, "amount": memory}]},
        }))
        .unwrap()
    };
    let behaviours = Behaviours::new([rule("small", "250m", "64Mi"), rule("large", "1", "2Gi")]);
    (api, Context { behaviours, ..Context::default() })
}

#[track_caller]
fn shows(api: &mut ApiServer, context: &Context, line: &str, wanted: &str) {
    let output = run_with(api, context, line);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), (wanted, ""), "{line}");
}

#[test]
fn pods_and_nodes_show_what_they_use() {
    let (mut api, context) = measured();
    shows(
        &mut api,
        &context,
        "kubectl top pods",
        "NAME    CPU(cores)   MEMORY(bytes)   \nlarge   1000m        2048Mi          \nsmall   250m         64Mi            \n",
    );
    shows(
        &mut api,
        &context,
        "kubectl top nodes",
        "NAME     CPU(cores)   CPU(%)   MEMORY(bytes)   MEMORY(%)   \nnode-1   1250m        31%      2112Mi          25%         \n",
    );
    shows(&mut api, &context, "kubectl top pod -l run=small --no-headers", "small   250m   64Mi   \n");
    shows(
        &mut api,
        &context,
        "kubectl top pod --containers --sort-by=memory --no-headers",
        "large   large   1000m   2048Mi   \nsmall   small   250m    64Mi     \n",
    );
}

#[test]
fn without_any_usage_nothing_measures() {
    let (mut api, _) = measured();
    fails(&mut api, "kubectl top pods", "error: Metrics API not available\n");
}
