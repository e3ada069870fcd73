use super::*;

const NOW: Time = Time(1_780_000_000);

fn pod(name: &str, node: &str) -> Pod {
    let mut pod = Pod::default();
    pod.metadata.namespace = "default".into();
    pod.metadata.name = name.into();
    pod.spec = Rc::new(PodSpec { node_name: node.into(), ..PodSpec::default() });
    pod
}

fn delete(pod: &Pod, grace: Option<i64>) -> Write {
    let key = pod.metadata.key();
    let propagation = Propagation::Background;
    Write::Delete(Delete { kind: Kind::Pod, key, uid: None, grace_period_seconds: grace, propagation })
}

#[test]
fn a_bound_pod_terminates_and_an_unbound_one_goes_at_once() {
    let mut server = ApiServer::new(1, NOW);
    for (name, node) in [("bound", "n1"), ("unbound", "")] {
        server.commit(Write::Create(pod(name, node).into())).unwrap();
        server.commit(delete(&pod(name, node), None)).unwrap();
    }
    let bound = server.store().pod(&ObjectKey::new("default", "bound")).unwrap();
    assert_eq!(bound.metadata.deletion_timestamp, Some(NOW.plus_seconds(30)));
    assert!(server.store().pod(&ObjectKey::new("default", "unbound")).is_none());

    server.commit(delete(&pod("bound", ""), Some(0))).unwrap();
    assert_eq!(server.store().pods().size(), 0);
}

#[test]
fn a_template_change_counts_in_both_generations_and_leaves_the_status() {
    let mut server = ApiServer::new(1, NOW);
    let mut daemon_set = DaemonSet::default();
    daemon_set.metadata.namespace = "default".into();
    daemon_set.metadata.name = "agent".into();
    server.commit(Write::Create(daemon_set.clone().into())).unwrap();
    daemon_set.status.number_ready = 3;
    server.commit(Write::UpdateStatus(daemon_set.clone().into())).unwrap();
    daemon_set.status.number_ready = 9;
    daemon_set.spec.template = Rc::new(PodTemplateSpec {
        spec: PodSpec { host_network: true, ..PodSpec::default() },
        ..PodTemplateSpec::default()
    });
    let Ok(Object::DaemonSet(stored)) = server.commit(Write::Update(daemon_set.clone().into())) else { panic!() };
    assert_eq!((stored.metadata.generation, stored.status.number_ready), (2, 3));
    assert_eq!(stored.metadata.annotation(DEPRECATED_TEMPLATE_GENERATION), Some("2"));

    daemon_set.spec.min_ready_seconds = 5;
    let Ok(Object::DaemonSet(stored)) = server.commit(Write::Update(daemon_set.into())) else { panic!() };
    assert_eq!(stored.metadata.generation, 3);
    assert_eq!(stored.metadata.annotation(DEPRECATED_TEMPLATE_GENERATION), Some("2"));
}

#[test]
fn equal_events_are_counted() {
    let mut server = ApiServer::new(1, NOW);
    let about = pod("a", "");
    let draft =
        EventDraft::about(Kind::Pod, &about.metadata, WARNING, "FailedScheduling", "no".into(), "default-scheduler");
    server.commit(Write::Event(draft.clone())).unwrap();
    server.set_now(NOW.plus_seconds(5));
    server.commit(Write::Event(draft)).unwrap();
    let events: Vec<_> = server.store().events().values().collect();
    assert_eq!(events.len(), 1);
    assert_eq!((events[0].count, events[0].last_timestamp), (2, Some(NOW.plus_seconds(5))));
}

#[test]
fn events_about_an_object_are_listed_in_their_order() {
    let mut server = ApiServer::new(1, NOW);
    let about = pod("a", "");
    for reason in ["Scheduled", "Pulling", "Pulled", "Created", "Started"] {
        let draft = EventDraft::about(Kind::Pod, &about.metadata, NORMAL, reason, "".into(), "kubelet");
        server.commit(Write::Event(draft)).unwrap();
    }
    let reasons: Vec<&str> = server.store().events().values().map(|event| event.reason.as_str()).collect();
    assert_eq!(reasons, ["Scheduled", "Pulling", "Pulled", "Created", "Started"]);
}

#[test]
fn what_is_missing_or_there_already_is_refused() {
    let mut server = ApiServer::new(1, NOW);
    server.commit(Write::Create(pod("a", "").into())).unwrap();
    let twice = server.commit(Write::Create(pod("a", "").into())).unwrap_err();
    assert_eq!(twice.message, "pods \"a\" already exists");
    let missing = server.commit(delete(&pod("b", ""), None)).unwrap_err();
    assert_eq!((missing.code, missing.message.as_str()), (404, "pods \"b\" not found"));
    let mut lost = pod("a", "");
    lost.metadata.namespace = "ghost".into();
    let refused = server.commit(Write::Create(lost.into())).unwrap_err();
    assert_eq!(refused.message, "namespaces \"ghost\" not found");
}

#[test]
fn a_finalizer_holds_the_object_until_it_is_taken_off() {
    let mut server = ApiServer::new(1, NOW);
    let mut set = ReplicaSet::default();
    set.metadata.namespace = "default".into();
    set.metadata.name = "web".into();
    server.commit(Write::Create(set.into())).unwrap();
    let key = ObjectKey::new("default", "web");
    let propagation = Propagation::Foreground;
    let request =
        Delete { kind: Kind::ReplicaSet, key: key.clone(), uid: None, grace_period_seconds: None, propagation };
    server.commit(Write::Delete(request)).unwrap();
    let held = server.store().replica_set(&key).unwrap();
    assert_eq!(held.metadata.finalizers, [FOREGROUND_DELETION]);
    let mut released = (**held).clone();
    released.metadata.finalizers.clear();
    server.commit(Write::Update(released.into())).unwrap();
    assert!(server.store().replica_set(&key).is_none());
}
