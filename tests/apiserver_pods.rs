//! Rules of pods that few manifests meet, in the API server's words.
#![cfg(not(target_arch = "wasm32"))]

#[allow(dead_code, reason = "other tests use more of it")]
mod create_path;

fn refused(text: &str) -> Vec<String> {
    let output = create_path::apply(&mut create_path::cluster(), text);
    let lines = output.stderr.lines().filter(|line| !line.ends_with("is invalid: ") && !line.trim().is_empty());
    lines
        .map(|line| line.trim_start_matches("* ").trim_start_matches("The Pod \"a\" is invalid: ").to_owned())
        .collect()
}

#[test]
fn claims_of_ephemeral_volumes_are_checked() {
    let pod = "\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers: [{name: a, image: x}]
  volumes:
  - name: v
    ephemeral:
      volumeClaimTemplate:
        metadata: {name: b}
        spec: {accessModes: [ReadWriteOncePod, ReadOnlyMany, Often], resources: {requests: {storage: 0}}}
";
    let path = "spec.volumes[0].ephemeral.volumeClaimTemplate";
    assert_eq!(
        refused(pod),
        [
            format!("{path}.metadata.name: Forbidden: cannot be set"),
            format!(
                "{path}.spec.accessModes: Unsupported value: \"Often\": supported values: \"ReadOnlyMany\", \
                 \"ReadWriteMany\", \"ReadWriteOnce\", \"ReadWriteOncePod\""
            ),
            format!("{path}.spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"),
            format!("{path}.spec.resources[storage]: Invalid value: \"0\": must be greater than zero"),
        ]
    );
}

#[test]
fn a_mirror_pod_stays_one() {
    let pod = |annotations: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a, annotations: {{{annotations}}}}}\n\
             spec: {{nodeName: node-1, containers: [{{name: a, image: x}}]}}\n"
        )
    };
    let mut api = create_path::cluster();
    assert_eq!(create_path::apply(&mut api, &pod("")).exit_code, 0);
    let output = create_path::apply(&mut api, &pod("kubernetes.io/config.mirror: b"));
    let said = "metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not add mirror pod annotation";
    assert!(output.stderr.contains(said), "{}", output.stderr);
}
