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
        let (_, progress) = play(&lesson);
        assert!(progress.is_complete(&lesson), "{}", lesson.id);
        assert_eq!(progress.score(&lesson), lesson.max_score(), "{}", lesson.id);
        assert!(progress.fits(&lesson));
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
