use super::*;
use crate::app::message::Msg;
use crate::app::persist::Settings;
use crate::app::update::update as send;
use crate::app::view::LessonPage;

const FIRST: &str = include_str!("../../www/lessons/one-pod-per-node.md");
const INDEX: &str = include_str!("../../www/lessons/index.json");
const GALLERY: &str = include_str!("../../www/gallery/index.json");
const CRASH_LOOP: &str = include_str!("../../www/gallery/crash-loop.yaml");

fn page() -> Model {
    Model::new(Settings::default(), Language::En)
}

fn lesson(model: &mut Model, message: LessonMsg) -> Vec<Effect> {
    send(model, Msg::Lesson(message))
}

fn came(model: &mut Model, what: Fetch, text: &str) -> Vec<Effect> {
    lesson(model, LessonMsg::Fetched(what, Some(text.into())))
}

/// The page as the learner sees it.
fn shown(model: &Model) -> LessonPage {
    LessonPage::of(model.lessons.active.as_ref().unwrap(), &model.session, model.language())
}

fn run_to_quiet(model: &mut Model) {
    let mut effects = send(model, Msg::RunToQuiet);
    while effects.iter().any(|effect| matches!(effect, Effect::NextSlice { .. })) {
        effects = send(model, Msg::Slice { took_ms: 8, drawn_ms: 8 });
    }
}

fn emitted(effects: &[Effect]) -> Vec<&'static str> {
    effects
        .iter()
        .filter_map(|effect| if let Effect::Emit { name, .. } = effect { Some(*name) } else { None })
        .collect()
}

#[test]
fn the_lists_are_loaded_when_they_are_asked_for() {
    let mut model = page();
    let effects = lesson(&mut model, LessonMsg::OpenCatalogue);
    assert_eq!(effects, [Effect::Fetch(Fetch::Lessons), Effect::Fetch(Fetch::Gallery)]);
    came(&mut model, Fetch::Lessons, INDEX);
    came(&mut model, Fetch::Gallery, GALLERY);
    assert_eq!(model.lessons.lessons[0].title.fr, "Un pod sur chaque nœud");
    assert_eq!(model.lessons.lessons[0].group, "beginner");
    assert_eq!(model.lessons.gallery[0].group, "agents");
    assert!(model.lessons.gallery.len() > 30);
    lesson(&mut model, LessonMsg::CloseCatalogue);
    assert!(lesson(&mut model, LessonMsg::OpenCatalogue).is_empty(), "they are there already");
}

#[test]
fn a_list_that_does_not_come_is_told() {
    let mut model = page();
    lesson(&mut model, LessonMsg::Fetched(Fetch::Lessons, None));
    assert!(model.lessons.failed && model.notice.is_some());
}

#[test]
fn a_task_is_ticked_off_by_what_the_cluster_does() {
    let mut model = page();
    came(&mut model, Fetch::Lesson("one-pod-per-node".into()), FIRST);
    assert_eq!((model.tab, shown(&model).title.as_str()), (SideTab::Lesson, "One pod on every node"));
    lesson(&mut model, LessonMsg::Page(1));
    assert_eq!(shown(&model).checks.iter().map(|(_, done)| *done).collect::<Vec<_>>(), [false, false]);
    assert_eq!(shown(&model).checks[0].0.to_string(), "node-exporter: DESIRED 3, AVAILABLE 3");
    send(&mut model, Msg::Apply);
    run_to_quiet(&mut model);
    let page = shown(&model);
    assert!(page.checks.iter().all(|(_, done)| *done) && !page.done, "the prediction is still to be made");
    let effects = lesson(&mut model, LessonMsg::Answer("how-many".into(), 1));
    assert_eq!(emitted(&effects), ["lesson:progress"]);
    let page = shown(&model);
    assert!(page.done && page.pages[1].1);
    assert_eq!(page.questions[0].revealed, Some((1, true)));
    assert!(!page.questions[0].because.is_empty());
    assert_eq!(page.points.0, 15);
}

#[test]
fn a_task_that_is_done_stays_done_in_the_past_and_can_be_begun_anew() {
    let mut model = page();
    came(&mut model, Fetch::Lesson("one-pod-per-node".into()), FIRST);
    lesson(&mut model, LessonMsg::Answer("how-many".into(), 0));
    let manifest = model.files.named("node-exporter.yaml").unwrap().clone();
    send(&mut model, Msg::Edit(manifest.id, format!("# mine\n{}", manifest.text).into()));
    send(&mut model, Msg::Apply);
    run_to_quiet(&mut model);
    lesson(&mut model, LessonMsg::Page(1));
    assert_eq!(shown(&model).questions[0].revealed, Some((1, false)), "one pod was not right");
    send(&mut model, Msg::Seek(0));
    assert!(shown(&model).done);
    lesson(&mut model, LessonMsg::Reset(0));
    let page = shown(&model);
    assert!(!page.done && page.questions[0].choices.iter().all(|(_, chosen)| !chosen));
    assert_eq!(model.session.position(), 0);
    assert_eq!(model.files.named("node-exporter.yaml").unwrap().text, manifest.text, "the file is as it was");
}

#[test]
fn a_wrong_answer_to_what_can_be_seen_is_not_the_end() {
    let mut model = page();
    came(&mut model, Fetch::Lesson("one-pod-per-node".into()), FIRST);
    lesson(&mut model, LessonMsg::Answer("how-many".into(), 1));
    send(&mut model, Msg::Apply);
    run_to_quiet(&mut model);
    lesson(&mut model, LessonMsg::Page(2));
    lesson(&mut model, LessonMsg::Answer("uncovered".into(), 0));
    assert!(shown(&model).questions[0].wrong && !shown(&model).done);
    lesson(&mut model, LessonMsg::Answer("uncovered".into(), 1));
    assert!(shown(&model).done);
    assert_eq!(shown(&model).points.0, 25, "the first answer counts");
}

#[test]
fn hints_come_one_by_one_and_cost_points() {
    let mut model = page();
    came(&mut model, Fetch::Lesson("one-pod-per-node".into()), FIRST);
    lesson(&mut model, LessonMsg::Page(1));
    assert!(shown(&model).hints.is_empty() && shown(&model).more_hints);
    for _ in 0..3 {
        lesson(&mut model, LessonMsg::Hint);
    }
    assert!(shown(&model).hints.len() == 2 && !shown(&model).more_hints);
    lesson(&mut model, LessonMsg::Answer("how-many".into(), 1));
    send(&mut model, Msg::Apply);
    run_to_quiet(&mut model);
    assert_eq!(shown(&model).points.0, 11);
}

#[test]
fn the_whole_lesson_ends_with_an_event_and_a_record() {
    let mut model = page();
    came(&mut model, Fetch::Lesson("one-pod-per-node".into()), FIRST);
    let parsed = Rc::clone(&model.lessons.active.as_ref().unwrap().lesson);
    let mut events = Vec::new();
    for line in parsed.tasks.iter().flat_map(|task| &task.solution) {
        use crate::lessons::ScriptLine;
        let effects = match line {
            ScriptLine::Run(command) => send(&mut model, Msg::Run(command.clone())),
            ScriptLine::Answer { question, choice } => {
                lesson(&mut model, LessonMsg::Answer(question.clone(), choice - 1))
            }
            _ => {
                let mut all = send(&mut model, Msg::RunToQuiet);
                while model.running != Running::No {
                    all.extend(send(&mut model, Msg::Slice { took_ms: 8, drawn_ms: 8 }));
                }
                all
            }
        };
        events.extend(emitted(&effects));
    }
    assert_eq!(events.last(), Some(&"lesson:complete"));
    assert_eq!(events.iter().filter(|name| **name == "lesson:progress").count(), parsed.tasks.len());
    let max = parsed.max_score();
    assert_eq!(model.lessons.records["one-pod-per-node"], Record { score: max, max });
    lesson(&mut model, LessonMsg::Page(99));
    assert_eq!(shown(&model).title, "What you saw");
}

#[test]
fn the_language_changes_the_texts_and_nothing_else() {
    let mut model = page();
    came(&mut model, Fetch::Lesson("one-pod-per-node".into()), FIRST);
    lesson(&mut model, LessonMsg::Answer("how-many".into(), 1));
    lesson(&mut model, LessonMsg::Page(1));
    let english = shown(&model);
    send(&mut model, Msg::SetLanguage(Language::Fr));
    let french = shown(&model);
    assert_eq!(french.title, "Appliquer le manifeste");
    assert_eq!(french.questions[0].choices.iter().map(|(_, c)| *c).collect::<Vec<_>>(), [false, true, false]);
    assert_eq!(french.page, english.page);
}

#[test]
fn an_open_lesson_survives_a_reload_and_no_other_session() {
    let mut model = page();
    came(&mut model, Fetch::Lesson("one-pod-per-node".into()), FIRST);
    lesson(&mut model, LessonMsg::Answer("how-many".into(), 1));
    send(&mut model, Msg::Apply);
    run_to_quiet(&mut model);
    let effects = lesson(&mut model, LessonMsg::Page(2));
    let Some(Effect::Keep(LESSON_KEY, Some(kept))) = effects.first() else { panic!("{effects:?}") };
    let saved = model.saved();

    let mut again = Model::restore(&saved, Language::En);
    let session = again.session.clone();
    again.lessons.restore(&session, Some(kept), None);
    assert_eq!(shown(&again), shown(&model));

    let mut other = page();
    let session = other.session.clone();
    other.lessons.restore(&session, Some(kept), None);
    assert!(other.lessons.active.is_none());
    send(&mut again, Msg::NewSession);
    assert!(again.lessons.active.is_none(), "another session closes the lesson");
}

#[test]
fn a_scenario_of_the_gallery_opens_and_explains_itself() {
    let mut model = page();
    came(&mut model, Fetch::Scenario("crash-loop".into()), CRASH_LOOP);
    assert!(model.notice.as_ref().unwrap().text.starts_with("CrashLoopBackOff: The image is there"));
    assert_eq!(model.files.shown().unwrap().name.as_ref(), "agent.yaml");
    assert!(!model.files.shown().unwrap().is_edited(), "it has been applied");
    assert!(model.can_step());
}

#[test]
fn a_teacher_edits_tries_and_shares() {
    let mut model = page();
    came(&mut model, Fetch::Template, &FIRST.replace("desired: 3", "desird: 3"));
    lesson(&mut model, LessonMsg::Preview);
    let draft = model.lessons.draft.clone().unwrap();
    assert_eq!(draft.errors.len(), 1, "{draft:?}");
    let said = model.language().lesson_words().lesson_error(model.words(), &draft.errors[0]);
    assert_eq!(said, "desird is not known here; desired is");
    let id = model.files.shown_id();
    send(&mut model, Msg::Edit(id, FIRST.into()));
    lesson(&mut model, LessonMsg::Prove);
    assert_eq!(model.lessons.draft.clone().unwrap().flaws, Some(Vec::new()));
    let effects = lesson(&mut model, LessonMsg::Share("https://example.org/play/#s=x".into()));
    let Some(Effect::Copy(link)) = effects.first() else { panic!("{effects:?}") };
    let (page, hash) = link.split_once('#').unwrap();
    assert_eq!((page, lesson_in_link(hash).as_deref()), ("https://example.org/play/", Some(FIRST)));
    lesson(&mut model, LessonMsg::Preview);
    assert!(model.lessons.active.is_some());
    assert!(model.files.named(TEMPLATE_NAME).is_some(), "its text stays open");
}

#[test]
fn a_lesson_file_that_is_dropped_begins() {
    let mut model = page();
    send(&mut model, Msg::Import { name: "mine.md".into(), text: FIRST.into() });
    assert!(model.lessons.active.is_some());
    send(&mut model, Msg::Import { name: "notes.md".into(), text: "# Notes\n".into() });
    assert!(model.lessons.active.is_some() && model.files.named("notes.md").is_some());
}
