//! What an apply would do, before it is done.

use crate::support::*;
use daemonset_playground::apiserver::ApiServer;
use daemonset_playground::kubectl::{self, Context, PreviewAction, PreviewItem};
use daemonset_playground::manifest::{self, Limits};
use serde_json::json;

fn preview(api: &ApiServer, text: &str) -> Vec<PreviewItem> {
    kubectl::apply_preview(api, &Context::default(), "agent.yaml", &manifest::read(text, &Limits::default()))
}

#[test]
fn a_new_object_is_created_and_the_cluster_stays_as_it_is() {
    let api = cluster(&["node-1"]);
    let items = preview(&api, AGENT);
    let [item] = items.as_slice() else { panic!("{items:?}") };
    assert_eq!((item.kind.as_str(), item.name.as_str(), item.namespace.as_str()), ("DaemonSet", "agent", "default"));
    assert_eq!((&item.action, item.makes_new_revision), (&PreviewAction::Create, false));
    let image = item.diff.iter().find(|diff| diff.path == "spec.template.spec.containers[name=main].image").unwrap();
    assert_eq!((&image.before, &image.after), (&None, &Some(json!("agent:v1"))));
    assert_eq!(api.store().daemon_sets().values().count(), 0);
}

#[test]
fn a_change_shows_its_fields_and_whether_a_rollout_begins() {
    let mut api = cluster(&["node-1"]);
    run(&mut api, &apply(AGENT));
    assert_eq!(preview(&api, AGENT)[0].action, PreviewAction::Unchanged);
    let items = preview(&api, &AGENT.replace("agent:v1", "agent:v2"));
    assert_eq!((&items[0].action, items[0].makes_new_revision), (&PreviewAction::Configure, true));
    let paths: Vec<&str> = items[0].diff.iter().map(|diff| diff.path.as_str()).collect();
    assert_eq!(paths, ["spec.template.spec.containers[name=main].image"]);
    let labels =
        preview(&api, &AGENT.replace("    app: agent\nspec:\n  sel", "    app: agent\n    a/b: c\nspec:\n  sel"));
    assert_eq!((labels[0].makes_new_revision, labels[0].diff[0].path.as_str()), (false, "metadata.labels[\"a/b\"]"));
}

#[test]
fn later_objects_see_earlier_ones() {
    let api = cluster(&["node-1"]);
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: monitoring}\n";
    let set = AGENT.replace("name: agent\n  labels", "name: agent\n  namespace: monitoring\n  labels");
    let actions = |text: &str| preview(&api, text).into_iter().map(|item| item.action).collect::<Vec<_>>();
    assert_eq!(actions(&format!("{namespace}---\n{set}")), [PreviewAction::Create, PreviewAction::Create]);
    assert!(matches!(actions(&set)[..], [PreviewAction::Refused(_)]));
}

#[test]
fn a_refusal_points_into_the_text() {
    let api = cluster(&["node-1"]);
    let faulty = AGENT.replace("app: agent\n  template", "app: other\n  template");
    let items = preview(&api, &faulty);
    let PreviewAction::Refused(error) = &items[0].action else { panic!("{items:?}") };
    assert!(error.render().0.starts_with("The DaemonSet \"agent\" is invalid: spec.template.metadata.labels: "));
    let problem = &items[0].problems[0];
    assert_eq!((problem.field.as_str(), problem.is_error), ("spec.template.metadata.labels", true));
    assert_eq!(&faulty[problem.span.unwrap().range()], "app: agent");

    let misspelt = AGENT.replace("image:", "imgae:");
    let items = preview(&api, &misspelt);
    let problem = &items[0].problems[0];
    assert_eq!(problem.message, "unknown field \"spec.template.spec.containers[0].imgae\"");
    assert_eq!(&misspelt[problem.span.unwrap().range()], "agent:v1");

    let unknown = preview(&api, "apiVersion: apps/v2\nkind: DaemonSet\nmetadata: {name: a}\n");
    assert!(unknown[0].problems[0].message.contains("no matches for kind \"DaemonSet\" in version \"apps/v2\""));
}
