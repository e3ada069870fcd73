//! A lesson file: YAML front matter, then Markdown whose headings and fences make the parts. See `docs/lessons.md`.

use super::check_read::{read_items, read_question};
use super::fault::{Fault, Language, LessonError};
use super::fields::{Faults, Field, Yaml};
use super::lesson::*;
use crate::kubelet::Behaviours;
use crate::simulation::{LogEntry, Machines, Scenario, parse_duration};
use std::collections::BTreeMap;

const FRONT: &[&str] = &["id", "title", "summary", "level", "minutes", "seed", "cluster", "setup", "behaviours"];
const LEVELS: [&str; 3] = ["beginner", "intermediate", "advanced"];
const NODE: &[&str] = &["name", "count", "template", "labels", "taints", "resources"];

/// Where the reader is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Before,
    Introduction,
    Task(usize),
    Conclusion,
}

struct Reader {
    faults: Faults,
    lesson: Lesson,
    part: Part,
    language: Option<Language>,
    notes: bool,
    /// Line of each part's heading, for what is missing in it.
    lines: Vec<(Part, usize)>,
}

impl Lesson {
    /// Reads a lesson file.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of its lines.
    pub fn parse(text: &str) -> Result<Self, Vec<LessonError>> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = Reader {
            faults: Faults::default(),
            lesson: Lesson::empty(),
            part: Part::Before,
            language: None,
            notes: false,
            lines: Vec::new(),
        };
        reader.read(text);
        reader.look_for_gaps();
        let Reader { mut faults, lesson, .. } = reader;
        if faults.0.is_empty() {
            return Ok(lesson);
        }
        faults.0.sort_by_key(|error| error.line);
        faults.0.dedup();
        Err(faults.0)
    }

    fn empty() -> Self {
        Self {
            id: String::new(),
            title: Both::default(),
            summary: Both::default(),
            level: Level::default(),
            minutes: 5,
            scenario: Scenario::default(),
            introduction: Speech::default(),
            tasks: Vec::new(),
            conclusion: Speech::default(),
        }
    }
}

/// A fence's backticks, if the line opens one.
fn fence_of(line: &str) -> Option<&str> {
    let ticks = line.len().checked_sub(line.trim_start_matches('`').len())?;
    (ticks >= 3).then(|| line.get(..ticks)).flatten()
}

impl Reader {
    fn read(&mut self, text: &str) {
        let mut lines = (1usize..).zip(text.lines());
        match lines.next() {
            Some((_, line)) if line.trim_end() == "---" => {}
            _ => return self.faults.add(1, Fault::NoFrontMatter),
        }
        let mut front = String::new();
        loop {
            match lines.next() {
                Some((_, line)) if line.trim_end() == "---" => break,
                Some((_, line)) => push_line(&mut front, line),
                None => return self.faults.add(1, Fault::NeverEnds),
            }
        }
        self.front_matter(&front);
        while let Some((number, line)) = lines.next() {
            if let Some(fence) = fence_of(line) {
                let mut body = String::new();
                let closed = lines.by_ref().any(|(_, inner)| {
                    let end = inner.trim_end() == fence;
                    if !end {
                        push_line(&mut body, inner);
                    }
                    end
                });
                if !closed {
                    self.faults.add(number, Fault::NeverEnds);
                }
                let info = line.get(fence.len()..).unwrap_or("").trim();
                self.fence(number, line, info, &body);
            } else {
                self.line(number, line);
            }
        }
        if self.lesson.tasks.is_empty() {
            self.faults.add(1, Fault::NoTasks);
        }
    }

    fn line(&mut self, number: usize, line: &str) {
        if let Some(heading) = line.strip_prefix("## ") {
            self.part_heading(number, heading.trim());
        } else if let Some(heading) = line.strip_prefix("### ") {
            self.language_heading(number, heading.trim());
        } else if line.strip_prefix("#### ").is_some_and(|heading| heading.trim() == "Notes") {
            self.notes = true;
        } else if line.starts_with("# ") && self.part == Part::Before {
            // The file's own title, for readers on a forge.
        } else {
            self.text(number, line);
        }
    }

    /// Ordinary Markdown.
    fn text(&mut self, number: usize, line: &str) {
        let (language, notes) = (self.language, self.notes);
        let blank = line.trim().is_empty();
        let before = self.part == Part::Before;
        match (language, self.speech()) {
            (Some(language), Some(speech)) => {
                let both = if notes { &mut speech.notes } else { &mut speech.text };
                let text = of_mut(both, language);
                // Empty lines before the first word mean nothing.
                if !(blank && text.is_empty()) {
                    push_line(text, line);
                }
            }
            _ if blank || before => {}
            _ => self.faults.add(number, Fault::TextWithoutLanguage),
        }
    }

    fn speech(&mut self) -> Option<&mut Speech> {
        match self.part {
            Part::Before => None,
            Part::Introduction => Some(&mut self.lesson.introduction),
            Part::Task(index) => self.lesson.tasks.get_mut(index).map(|task| &mut task.speech),
            Part::Conclusion => Some(&mut self.lesson.conclusion),
        }
    }

    fn part_heading(&mut self, number: usize, heading: &str) {
        (self.language, self.notes) = (None, false);
        let part = match heading.split_once(':').map(|(word, id)| (word.trim(), id.trim())) {
            None if heading.eq_ignore_ascii_case("introduction") => Part::Introduction,
            None if heading.eq_ignore_ascii_case("conclusion") => Part::Conclusion,
            Some((word, id)) if word.eq_ignore_ascii_case("task") && !id.is_empty() => {
                if self.lesson.task(id).is_some() {
                    self.faults.add(number, Fault::Twice(id.to_owned()));
                }
                self.lesson.tasks.push(Task { id: id.to_owned(), ..Task::default() });
                Part::Task(self.lesson.tasks.len().saturating_sub(1))
            }
            _ => return self.faults.add(number, Fault::UnknownHeading(heading.to_owned())),
        };
        self.part = part;
        self.lines.push((part, number));
    }

    fn language_heading(&mut self, number: usize, heading: &str) {
        self.notes = false;
        let (word, title) = heading.split_once(':').unwrap_or((heading, ""));
        let language = match word.trim().to_lowercase().as_str() {
            "english" => Language::En,
            "français" | "francais" | "french" => Language::Fr,
            other => return self.faults.add(number, Fault::UnknownLanguage(other.to_owned())),
        };
        self.language = Some(language);
        let title = title.trim();
        if let (Some(speech), false) = (self.speech(), title.is_empty()) {
            *of_mut(&mut speech.title, language) = title.to_owned();
        }
    }

    /// A fence: a part of the lesson when its second word says so, else a piece of the text.
    fn fence(&mut self, number: usize, opening: &str, info: &str, body: &str) {
        let (first, role) = info.split_once(char::is_whitespace).unwrap_or((info, ""));
        let role = role.trim();
        let body_line = number.saturating_add(1);
        if role.is_empty() {
            for line in std::iter::once(opening).chain(body.lines()) {
                self.text(number, line);
            }
            return self.text(number, fence_of(opening).unwrap_or("```"));
        }
        if let Some(name) = role.strip_prefix("file=") {
            if self.lesson.scenario.files.insert(name.to_owned(), body.to_owned()).is_some() {
                self.faults.add(number, Fault::Twice(name.to_owned()));
            }
            return;
        }
        if role == "scenario" {
            match Scenario::parse(body) {
                Ok(scenario) => {
                    let files = std::mem::take(&mut self.lesson.scenario.files);
                    self.lesson.scenario = scenario;
                    self.lesson.scenario.files.extend(files);
                }
                Err(error) => {
                    let line = number.saturating_add(error.line.unwrap_or(1));
                    self.faults.add(line, Fault::Scenario(error.message));
                }
            }
            return;
        }
        let Part::Task(index) = self.part else {
            return self.faults.add(number, Fault::OutsideTask(role.to_owned()));
        };
        let (faults, Some(task)) = (&mut self.faults, self.lesson.tasks.get_mut(index)) else { return };
        match role {
            "checks" => {
                let yaml = Yaml::read(body, body_line, faults);
                task.checks.extend(read_items(&yaml.root(), faults));
            }
            "question" => {
                let yaml = Yaml::read(body, body_line, faults);
                task.questions.extend(read_question(&yaml.root(), faults));
            }
            "hints" => {
                let yaml = Yaml::read(body, body_line, faults);
                let items = yaml.root().items(faults);
                task.hints.extend(items.iter().filter_map(|item| item.both(faults)));
            }
            "solution" => {
                for (line, text) in (body_line..).zip(body.lines()) {
                    task.solution.extend(script_line(line, text, faults));
                }
            }
            other => match other.strip_prefix("solution=") {
                Some(file) => {
                    task.solution.push(ScriptLine::Write { file: file.to_owned(), text: body.to_owned() });
                }
                None => faults.add(number, Fault::UnknownFence(format!("{first} {other}"))),
            },
        }
    }

    fn front_matter(&mut self, text: &str) {
        let faults = &mut self.faults;
        let yaml = Yaml::read(text, 2, faults);
        let root = yaml.root();
        root.mapping(FRONT, faults);
        let lesson = &mut self.lesson;
        lesson.id = root.require("id", faults).and_then(|id| id.text(faults)).unwrap_or_default();
        lesson.title = root.require("title", faults).and_then(|title| title.both(faults)).unwrap_or_default();
        lesson.summary = root.require("summary", faults).and_then(|text| text.both(faults)).unwrap_or_default();
        if let Some(level) = root.get("level").and_then(|level| level.one_of(&LEVELS, faults)) {
            lesson.level = Level::ALL.get(level).copied().unwrap_or_default();
        }
        if let Some(minutes) = root.get("minutes").and_then(|minutes| minutes.number(faults)) {
            lesson.minutes = minutes;
        }
        if let Some(seed) = root.get("seed").and_then(|seed| seed.number(faults)) {
            lesson.scenario.seed = seed;
        }
        lesson.scenario.title = lesson.title.en.clone();
        if let Some(cluster) = root.get("cluster") {
            for node in cluster.items(faults) {
                read_nodes(&node, &mut lesson.scenario, faults);
            }
        }
        for line in root.get("setup").map(|setup| setup.items(faults)).unwrap_or_default() {
            let run = line.text(faults).unwrap_or_default();
            lesson.scenario.log.push(LogEntry { run, ..LogEntry::default() });
        }
        if let Some(rules) = root.get("behaviours") {
            match serde_json::from_value::<Behaviours>(rules.value.clone()) {
                Ok(behaviours) => lesson.scenario.behaviours = behaviours,
                Err(error) => rules.fault(faults, Fault::Scenario(error.to_string())),
            }
        }
    }

    /// Names what a complete lesson lacks.
    fn look_for_gaps(&mut self) {
        if self.lesson.tasks.is_empty() {
            return;
        }
        let faults = &mut self.faults;
        let line_of = |part: Part| self.lines.iter().find(|(of, _)| *of == part).map_or(1, |(_, line)| *line);
        for (name, part, speech) in [
            ("Introduction", Part::Introduction, &self.lesson.introduction),
            ("Conclusion", Part::Conclusion, &self.lesson.conclusion),
        ] {
            if self.lines.iter().any(|(of, _)| *of == part) {
                gaps_in(&speech.text, line_of(part), faults);
            } else {
                faults.add(1, Fault::Missing(name));
            }
        }
        for (index, task) in self.lesson.tasks.iter().enumerate() {
            let line = line_of(Part::Task(index));
            gaps_in(&task.speech.text, line, faults);
            gaps_in(&task.speech.title, line, faults);
            if task.checks.is_empty() && task.questions.is_empty() {
                faults.add(line, Fault::NothingToDo(task.id.clone()));
            }
            for answer in &task.solution {
                let ScriptLine::Answer { question, choice } = answer else { continue };
                let found = task.questions.iter().find(|known| known.id == *question);
                if found.is_none_or(|known| *choice == 0 || *choice > known.choices.len()) {
                    faults.add(line, Fault::NoSuchAnswer(format!("{question} {choice}")));
                }
            }
        }
    }
}

fn gaps_in(both: &Both, line: usize, faults: &mut Faults) {
    for language in [Language::En, Language::Fr] {
        if language.of(both).trim().is_empty() {
            faults.add(line, Fault::MissingLanguage(language));
        }
    }
}

fn of_mut(both: &mut Both, language: Language) -> &mut String {
    match language {
        Language::En => &mut both.en,
        Language::Fr => &mut both.fr,
    }
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// Reads a line of a solution: a command, `run`, `run 30s`, `step 3` or `answer QUESTION 2`.
fn script_line(number: usize, text: &str, faults: &mut Faults) -> Option<ScriptLine> {
    let line = text.trim().strip_prefix("$ ").unwrap_or(text.trim());
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let read = match words.as_slice() {
        ["kubectl" | "sim", ..] => Some(ScriptLine::Run(line.to_owned())),
        ["run"] | ["run", "to", "quiet"] => Some(ScriptLine::Quiet),
        ["run", time] => parse_duration(time).map(ScriptLine::For),
        ["step"] => Some(ScriptLine::Steps(1)),
        ["step", count] => count.parse().ok().map(ScriptLine::Steps),
        ["answer", question, choice] => {
            choice.parse().ok().map(|choice| ScriptLine::Answer { question: (*question).to_owned(), choice })
        }
        _ => None,
    };
    if read.is_none() {
        faults.add(number, Fault::BadScript(line.to_owned()));
    }
    read
}

/// Reads an entry of `cluster`: the name of a template, or a mapping.
fn read_nodes(field: &Field<'_>, scenario: &mut Scenario, faults: &mut Faults) {
    let machines = if field.value.is_string() {
        let name = field.text(faults).unwrap_or_default();
        Machines { template: Some(name.clone()), name, ..Machines::default() }
    } else {
        field.mapping(NODE, faults);
        let Some(name) = field.require("name", faults).and_then(|name| name.text(faults)) else { return };
        let count = field.get("count").and_then(|count| count.number(faults));
        let texts = |member: &str, faults: &mut Faults| field.get(member).map(|list| list.texts(faults));
        Machines {
            name,
            count: count.and_then(|count| u32::try_from(count).ok()),
            template: field.get("template").and_then(|template| template.text(faults)),
            labels: pairs(field, "labels", faults),
            taints: texts("taints", faults).unwrap_or_default(),
            resources: pairs(field, "resources", faults),
        }
    };
    if let Err(error) = machines.add_to(&mut scenario.objects, scenario.start) {
        field.fault(faults, Fault::Scenario(error));
    }
}

/// The texts of a mapping.
fn pairs(field: &Field<'_>, member: &str, faults: &mut Faults) -> BTreeMap<String, String> {
    let field = field.get(member);
    let keys = field.iter().filter_map(|f| f.value.as_object()).flat_map(|map| map.keys());
    keys.filter_map(|key| Some((key.clone(), field.as_ref()?.get(key)?.printed(faults)?))).collect()
}
