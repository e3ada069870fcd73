use super::*;
use crate::app::message::Counter;
use crate::app::persist::Settings;
use crate::app::text::Language;
use crate::app::view::PodState;

/// A control plane and two workers with a DaemonSet that nobody has reconciled yet.
const SCENARIO: &str = r#"
objects:
- {apiVersion: v1, kind: Namespace, metadata: {name: default}}
- apiVersion: v1
  kind: Node
  metadata: {name: cp, labels: {node-role.kubernetes.io/control-plane: ""}}
  spec: {taints: [{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}]}
  status: &status {allocatable: {cpu: "2", memory: 4Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}
- {apiVersion: v1, kind: Node, metadata: {name: worker1}, status: *status}
- {apiVersion: v1, kind: Node, metadata: {name: worker2}, status: *status}
- apiVersion: apps/v1
  kind: DaemonSet
  metadata: {name: agent, namespace: default, uid: u1, generation: 1}
  spec:
    selector: {matchLabels: {app: agent}}
    updateStrategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, maxSurge: 0}}
    template:
      metadata: {labels: {app: agent}}
      spec: {containers: [{name: agent, image: "example/agent:v1"}]}
"#;

fn model() -> Model {
    let session = Session::new(Scenario::parse(SCENARIO).unwrap());
    Model::with(session, Files::new("notes.yaml", ""), Settings::default(), Language::En)
}

fn send(model: &mut Model, messages: impl IntoIterator<Item = Msg>) {
    for message in messages {
        let mut effects = update(model, message);
        // The browser's part: go on with a run until it ends.
        while effects.iter().any(|effect| matches!(effect, Effect::NextSlice { .. })) {
            effects = update(model, Msg::Slice { took_ms: 1, drawn_ms: 0 });
        }
    }
}

fn states(model: &Model) -> Vec<(String, Vec<PodState>)> {
    let of = |card: &crate::app::view::NodeCard| card.places[0].pods.iter().map(|pod| pod.state).collect();
    model.views.cards.iter().map(|card| (card.name.to_string(), of(card))).collect()
}

#[test]
fn a_run_ends_quiet_with_a_pod_on_each_worker() {
    let mut model = model();
    send(&mut model, [Msg::RunToQuiet]);
    assert_eq!(model.running, Running::No);
    let available = vec![PodState::Available];
    assert_eq!(
        states(&model),
        [("cp".to_string(), vec![]), ("worker1".to_string(), available.clone()), ("worker2".to_string(), available)]
    );
    let counters = &model.views.head.as_ref().unwrap().counters;
    assert_eq!(counters.iter().map(|counter| counter.value).collect::<Vec<_>>(), [2, 2, 2, 2, 2]);
    assert_eq!(model.views.chart.samples.last().unwrap().new_available, 2);
    assert_eq!(model.views.chart.samples.last().unwrap().floor, 1);
    assert!(!model.can_step());
}

#[test]
fn back_to_the_start_and_forward_again_is_the_same() {
    let mut model = model();
    send(&mut model, [Msg::RunToQuiet]);
    let (end, states_at_end, chart) = (model.session.position(), states(&model), model.views.chart.clone());
    send(&mut model, std::iter::repeat_n(Msg::Back, end));
    assert_eq!(model.session.position(), 0);
    assert!(states(&model).iter().all(|(_, pods)| pods.is_empty()));
    send(&mut model, std::iter::repeat_n(Msg::Step, end));
    assert_eq!((model.session.position(), states(&model)), (end, states_at_end));
    assert_eq!(model.views.chart, chart);
}

#[test]
fn what_is_shown_after_single_steps_is_what_a_fresh_look_shows() {
    let mut model = model();
    while model.can_step() {
        send(&mut model, [Msg::Step]);
        let mut fresh = Model { views: Default::default(), ..model.clone() };
        fresh.refresh();
        assert_eq!(fresh.views.cards, model.views.cards, "after step {}", model.session.position());
        assert_eq!(fresh.views.chart, model.views.chart);
        assert_eq!(fresh.views.story, model.views.story);
        assert_eq!(fresh.views.head, model.views.head);
    }
}

#[test]
fn acting_in_the_past_keeps_the_old_future_as_a_branch() {
    let mut model = model();
    send(&mut model, [Msg::RunToQuiet, Msg::Seek(3), Msg::Run("sim add-node worker3".into()), Msg::RunToQuiet]);
    assert_eq!(model.views.branches.len(), 1);
    assert_eq!(model.views.cards.len(), 4);
    send(&mut model, [Msg::SwitchBranch(0)]);
    assert_eq!(model.views.cards.len(), 3);
    assert_eq!(model.views.chart.times.len(), model.session.len() + 1);
}

#[test]
fn each_command_is_shown_with_what_it_printed() {
    let mut model = model();
    send(&mut model, [Msg::Hint(Some("sim add-node x".into())), Msg::Run("sim add-node worker3".into())]);
    let entry = model.terminal.last().unwrap();
    assert_eq!(
        (entry.line.as_str(), entry.first_line(), entry.failed),
        ("sim add-node worker3", "node/worker3 joined", false)
    );
    assert_eq!(model.hint, None);
    send(&mut model, [Msg::RunTyped("sim fly".into())]);
    assert!(model.terminal.last().unwrap().failed && model.terminal_open);
}

#[test]
fn a_command_line_is_completed_from_the_cluster() {
    let mut model = model();
    let mut complete = |line: &str| {
        send(&mut model, [Msg::CompleteCommand { line: line.into(), cursor: line.len() }]);
        let completed = model.completed.clone().unwrap();
        (completed.line.clone(), completed.choices.clone())
    };
    assert_eq!(complete("kubectl cord"), ("kubectl cordon ".to_string(), vec![]));
    assert_eq!(
        complete("kubectl cordon wo"),
        ("kubectl cordon worker".into(), vec!["worker1".into(), "worker2".into()])
    );
    assert_eq!(complete("nonsense x"), ("nonsense x".into(), vec![]));
}

#[test]
fn a_visit_goes_on_where_it_was_left() {
    let mut model = model();
    send(&mut model, [Msg::RunToQuiet, Msg::Run("sim add-node worker3".into()), Msg::RunToQuiet]);
    send(&mut model, [Msg::Edit(0, "kind: x".into()), Msg::NewFile, Msg::Seek(5)]);
    let saved = Saved::parse(&model.saved().to_text()).unwrap();
    let back = Model::restore(&saved, Language::En);
    assert_eq!((back.session.position(), back.session.len()), (5, model.session.len()));
    assert_eq!(states(&back), states(&model));
    assert_eq!(&*back.files.list()[0].text, "kind: x");
    assert_eq!(back.files.list().len(), 2);
}

#[test]
fn an_unreadable_session_keeps_the_files() {
    let mut model = model();
    send(&mut model, [Msg::Edit(0, "precious: text".into())]);
    let saved = Saved { scenario: "nonsense: [".into(), ..model.saved() };
    let back = Model::restore(&saved, Language::Fr);
    assert_eq!(&*back.files.list()[0].text, "precious: text");
    assert_eq!(back.views.cards.len(), 4);
}

#[test]
fn the_first_step_applies_the_manifest_also_after_nodes_were_added() {
    let mut model = Model::new(Settings::default(), Language::En);
    send(&mut model, [Msg::Run("sim add-node worker4".into()), Msg::Step]);
    assert_eq!(model.terminal.last().unwrap().line, "kubectl apply -f node-exporter.yaml");
    assert!(!model.step_applies());
    send(&mut model, [Msg::RunToQuiet]);
    assert_eq!(states(&model).iter().filter(|(_, pods)| pods == &[PodState::Available]).count(), 4);
}

#[test]
fn a_first_step_with_a_broken_manifest_says_why_and_does_nothing() {
    let mut model = Model::new(Settings::default(), Language::En);
    send(&mut model, [Msg::Edit(0, "kind: [".into()), Msg::RunToQuiet]);
    assert!(model.notice.as_ref().is_some_and(|notice| notice.trouble && notice.text.starts_with("line 1: ")));
    assert_eq!((model.session.len(), model.running), (0, Running::No));
}

#[test]
fn playing_ends_by_itself_and_can_be_stopped() {
    let mut model = model();
    let effects = update(&mut model, Msg::TogglePlay);
    assert!(effects.iter().any(|effect| matches!(effect, Effect::TickLater(200))));
    send(&mut model, [Msg::PlayTick, Msg::TogglePlay, Msg::PlayTick]);
    assert_eq!((model.session.position(), model.running), (1, Running::No));
    update(&mut model, Msg::TogglePlay);
    let mut ticks = 0;
    while model.running == Running::Playing {
        update(&mut model, Msg::PlayTick);
        ticks += 1;
    }
    assert!(ticks > 5 && !model.can_step());
}

#[test]
fn a_broken_manifest_is_told_at_its_line_and_repaired_with_one_click() {
    let mut model = model();
    let text = "apiVersion: v1\nkind: Node\nmetadata:\n\tname: a\n";
    send(&mut model, [Msg::Edit(0, text.into()), Msg::Check, Msg::CheckSlice]);
    let problem = &model.check.problems[0];
    assert_eq!((problem.line, problem.error), (4, true));
    assert!(problem.message.contains("tab"), "{}", problem.message);
    assert!(model.check.review.is_none());
    let fix = problem.fix.unwrap();
    send(&mut model, [Msg::Fix(fix)]);
    assert_eq!(&*model.files.shown().unwrap().text, "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n");
}

#[test]
fn a_counter_names_its_pods_and_the_story_has_every_step() {
    let mut model = model();
    send(&mut model, [Msg::RunToQuiet, Msg::ShowCounter(Some(Counter::Ready))]);
    let head = model.views.head.clone().unwrap();
    let ready = head.counters.iter().find(|counter| counter.counter == Counter::Ready).unwrap();
    assert_eq!(ready.pods.len(), 2);
    let numbers: Vec<usize> = model.views.story.entries.iter().map(|entry| entry.number).collect();
    assert_eq!(numbers, (1..=model.session.len()).collect::<Vec<_>>());
    let texts: Vec<String> = model.views.story.entries.iter().map(|entry| entry.text.to_string()).collect();
    assert!(
        texts.iter().any(|text| text == "DaemonSet controller recorded revision 1 and created 2 pods"),
        "{texts:#?}"
    );
}

#[test]
fn a_replaced_session_can_be_brought_back() {
    let mut model = model();
    send(&mut model, [Msg::RunToQuiet, Msg::NewSession]);
    assert_eq!((model.views.cards.len(), model.session.len()), (4, 0));
    assert_eq!(model.notice.as_ref().unwrap().action, Some(NoticeAction::RestoreSession));
    send(&mut model, [Msg::RestoreSession]);
    assert_eq!(model.views.cards.len(), 3);
    assert!(model.session.len() > 5 && model.notice.is_none());
}

#[test]
fn files_open_as_scenario_or_as_manifest() {
    let mut model = model();
    send(&mut model, [Msg::Import { name: "x.yaml".into(), text: "kind: Pod\napiVersion: v1\n".into() }]);
    assert_eq!(&*model.files.shown().unwrap().name, "x.yaml");
    send(&mut model, [Msg::Import { name: "s.yaml".into(), text: SCENARIO.into() }]);
    assert_eq!((model.views.cards.len(), model.session.len()), (3, 0));
}

#[test]
fn a_file_that_says_nothing_leaves_the_session_and_the_files_alone() {
    let mut model = model();
    send(&mut model, [Msg::RunToQuiet]);
    let (steps, files) = (model.session.len(), model.files.list().len());
    for text in ["", "\n \n", "# one line\n# and another\n", "---\n# nothing\n---\n", "{}"] {
        send(&mut model, [Msg::CloseNotice, Msg::Import { name: "notes.yaml".into(), text: text.into() }]);
        let notice = model.notice.as_ref().expect(text);
        assert!(notice.trouble && notice.text.starts_with("There is nothing in notes.yaml."), "{}", notice.text);
        assert_eq!((model.session.len(), model.files.list().len()), (steps, files), "{text:?}");
    }
    // What has something in it is opened, however little.
    send(&mut model, [Msg::Import { name: "s.yaml".into(), text: "cluster: [{name: a}]\n".into() }]);
    assert_eq!((model.views.cards.len(), model.session.len()), (1, 0));
}

#[test]
fn the_story_can_be_searched_and_new_steps_are_found_too() {
    let mut model = model();
    send(&mut model, [Msg::RunToQuiet, Msg::FilterStory("Scheduler".into())]);
    let told = |model: &Model| -> Vec<String> {
        model.views.story.entries.iter().map(|entry| entry.text.to_string()).collect()
    };
    assert_eq!(told(&model).len(), 2);
    assert!(told(&model).iter().all(|text| text.starts_with("Scheduler bound")), "{:?}", told(&model));
    send(&mut model, [Msg::Run("kubectl delete pods --all".into()), Msg::RunToQuiet]);
    assert_eq!(told(&model).len(), 4);
    send(&mut model, [Msg::FilterStory(String::new())]);
    assert!(told(&model).len() > 10);
}

#[test]
fn a_step_is_followed_back_to_the_command_that_led_to_it() {
    let mut model = model();
    send(&mut model, [Msg::Run("kubectl label nodes worker1 a=b".into()), Msg::RunToQuiet]);
    let bound = model.views.story.entries.iter().find(|entry| entry.text.to_string().contains("bound")).unwrap().number;
    send(&mut model, [Msg::ToggleStep(bound)]);
    let open = model.views.open_step.clone().unwrap();
    assert!(open.diffs.iter().any(|diff| diff.name.starts_with("Pod")), "{:?}", open.diffs);
    assert!(open.causes[0].1.to_string().contains("created"), "{:?}", open.causes);
    assert!(open.causes.windows(2).all(|pair| pair[1].0 < pair[0].0));
}
