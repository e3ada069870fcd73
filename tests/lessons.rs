//! Every lesson is solved by its own solution and by nothing less, speaks both languages, and leads nowhere dead.
#![cfg(not(target_arch = "wasm32"))]

use daemonset_playground::lessons::*;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("www/lessons")
}

/// All lesson files, by name. `LESSON=NAME` picks one while writing it.
fn lessons() -> Vec<(String, String)> {
    #[allow(clippy::disallowed_methods, reason = "an author may ask for one lesson")]
    let only = std::env::var("LESSON").ok();
    let mut found: Vec<(String, String)> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(&path).unwrap()))
        .filter(|(name, _)| only.as_ref().is_none_or(|only| only == name))
        .collect();
    found.sort();
    found
}

fn parsed() -> Vec<Lesson> {
    lessons()
        .into_iter()
        .map(|(name, text)| {
            let lesson = Lesson::parse(&text).unwrap_or_else(|errors| panic!("{name}.md: {errors:#?}"));
            assert_eq!(lesson.id, name, "the file is named after the lesson");
            lesson
        })
        .collect()
}

#[test]
fn every_lesson_is_solved_by_its_own_solution_and_by_nothing_less() {
    let mut flawed = Vec::new();
    for lesson in parsed() {
        for flaw in prove(&lesson) {
            flawed.push(format!("{}: {flaw:?}", lesson.id));
        }
    }
    assert_eq!(flawed, Vec::<String>::new());
}

#[test]
fn a_solved_lesson_has_all_points_and_says_so() {
    for lesson in parsed() {
        let (session, progress) = play(&lesson);
        assert!(progress.is_complete(&lesson), "{}", lesson.id);
        assert_eq!(progress.score(&lesson), lesson.max_score(), "{}", lesson.id);
        assert!(progress.fits(&lesson));
        println!("{}: {} steps, {} min", lesson.id, session.len(), session.world().now_ms() / 60000);
    }
}

#[test]
fn ids_are_unique_within_a_lesson() {
    for lesson in parsed() {
        let mut seen = BTreeSet::new();
        for task in &lesson.tasks {
            assert!(seen.insert(task.id.clone()), "{}: {}", lesson.id, task.id);
            for question in &task.questions {
                assert!(question.choices.len() >= 2, "{}: {}", lesson.id, question.id);
                assert!(!question.because.en.is_empty(), "{}: {} says why", lesson.id, question.id);
            }
        }
    }
}

/// The lessons in the order in which they are offered, with what a list shows of them.
/// `UPDATE_INDEX=1` writes the titles anew; the order is that of the file.
#[test]
fn the_index_lists_every_lesson_as_it_is() {
    let path = folder().join("index.json");
    let index: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let ids: Vec<&str> =
        index["lessons"].as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap()).collect();
    #[allow(clippy::disallowed_methods, reason = "an author may ask for one lesson")]
    if std::env::var("LESSON").is_ok() {
        return;
    }
    let lessons = parsed();
    assert_eq!(ids.len(), lessons.len());
    let entries: Vec<serde_json::Value> = ids
        .iter()
        .map(|id| {
            let lesson = lessons.iter().find(|lesson| lesson.id == *id).unwrap_or_else(|| panic!("there is no {id}"));
            serde_json::json!({
                "id": lesson.id,
                "title": {"en": lesson.title.en, "fr": lesson.title.fr},
                "summary": {"en": lesson.summary.en, "fr": lesson.summary.fr},
                "level": lesson.level.name(),
                "minutes": lesson.minutes,
                "tasks": lesson.tasks.len(),
            })
        })
        .collect();
    let wanted = serde_json::json!({"lessons": entries});
    #[allow(clippy::disallowed_methods, reason = "tests may be told to rewrite their data")]
    if std::env::var("UPDATE_INDEX").is_ok() {
        fs::write(&path, serde_json::to_string_pretty(&wanted).unwrap() + "\n").unwrap();
        return;
    }
    assert_eq!(index, wanted);
}

/// The texts of a lesson, each with the place it stands in.
fn texts(lesson: &Lesson) -> Vec<(String, &Both)> {
    let mut found = vec![("title".to_owned(), &lesson.title), ("summary".to_owned(), &lesson.summary)];
    for (name, speech) in [("introduction", &lesson.introduction), ("conclusion", &lesson.conclusion)] {
        found.push((name.to_owned(), &speech.text));
    }
    for task in &lesson.tasks {
        found.push((format!("{}: title", task.id), &task.speech.title));
        found.push((format!("{}: text", task.id), &task.speech.text));
        found.extend(task.hints.iter().map(|hint| (format!("{}: hint", task.id), hint)));
        found.extend(task.checks.iter().filter_map(|item| Some((format!("{}: check", task.id), item.say.as_ref()?))));
        for question in &task.questions {
            found.push((format!("{}: question", question.id), &question.ask));
            found.push((format!("{}: because", question.id), &question.because));
            found.extend(question.choices.iter().map(|choice| (format!("{}: choice", question.id), &choice.say)));
        }
    }
    found
}

/// Code in a text: what no translation may change.
fn code_of(text: &str) -> Vec<String> {
    let mut fences = Vec::new();
    for block in blocks(text) {
        if let Block::Code { text, .. } = block {
            fences.push(text);
        }
    }
    fences
}

#[test]
fn both_languages_say_the_same() {
    for lesson in parsed() {
        for (place, both) in texts(&lesson) {
            let (en, fr) = (both.en.trim(), both.fr.trim());
            assert!(!en.is_empty() && !fr.is_empty(), "{}: {place}", lesson.id);
            assert_eq!(code_of(en), code_of(fr), "{}: {place}: the code is the same", lesson.id);
            // A long text that is the same in both languages was not translated.
            assert!(en != fr || en.len() < 30 || en.starts_with('`'), "{}: {place}: {en}", lesson.id);
            let (shorter, longer) = (en.len().min(fr.len()), en.len().max(fr.len()));
            assert!(longer < 60 || longer < shorter * 2, "{}: {place}: {en} / {fr}", lesson.id);
        }
        // French puts a space before these, English never does.
        for (place, both) in texts(&lesson) {
            for sign in [" ?", " !", " ;"] {
                assert!(!both.en.contains(sign), "{}: {place}: {sign:?} in {}", lesson.id, both.en);
            }
        }
    }
}

#[test]
fn links_lead_somewhere() {
    for lesson in parsed() {
        for (place, both) in texts(&lesson) {
            for text in [&both.en, &both.fr] {
                for block in blocks(text) {
                    let inlines = match block {
                        Block::Paragraph(inlines) | Block::Heading(inlines) | Block::Quote(_, inlines) => inlines,
                        Block::List { items, .. } => items.concat(),
                        Block::Table { rows } => rows.concat().concat(),
                        Block::Code { .. } => continue,
                    };
                    for inline in inlines {
                        let Inline::Link { to, .. } = inline else { continue };
                        let known = to.starts_with("https://kubernetes.io/") || folder().join(&to).exists();
                        assert!(known, "{}: {place}: {to}", lesson.id);
                    }
                }
            }
        }
    }
}

#[test]
fn the_template_is_a_lesson_without_a_flaw() {
    let text = fs::read_to_string(folder().join("template/lesson.md")).unwrap();
    let lesson = Lesson::parse(&text).unwrap();
    assert_eq!(prove(&lesson), []);
}
