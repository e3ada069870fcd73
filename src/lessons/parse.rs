//! A lesson file: YAML front matter, then Markdown whose headings and fences make the parts. See `docs/lessons.md`.

use super::check_read::{read_items, read_question};
use super::fault::{Fault, Language, LessonError};
use super::fields::{Faults, Field, Yaml};
use super::lesson::*;
use crate::kubelet::Behaviours;
use crate::order::{Collect, Order};
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
        faults.0.order_by_key(|error| error.line);
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
    keys.filter_map(|key| Some((key.clone(), field.as_ref()?.get(key)?.printed(faults)?))).collect_map()
}

#[cfg(test)]
mod tests {
    use super::super::fault::Wanted;
    use super::*;

    const GOOD: &str = include_str!("../../www/lessons/template/lesson.md");

    /// The faults of the template with one text in place of another: line and fault.
    fn faults(from: &str, to: &str) -> Vec<(usize, Fault)> {
        assert!(GOOD.contains(from), "{from}");
        let errors = Lesson::parse(&GOOD.replacen(from, to, 1)).expect_err(to);
        errors.into_iter().map(|error| (error.line, error.fault)).collect()
    }

    /// The line on which a text stands in the template.
    fn line(text: &str) -> usize {
        GOOD.lines().position(|line| line.contains(text)).unwrap() + 1
    }

    #[test]
    fn the_template_is_read_as_it_stands() {
        let lesson = Lesson::parse(GOOD).unwrap();
        assert_eq!((lesson.id.as_str(), lesson.level, lesson.minutes), ("my-lesson", Level::Beginner, 5));
        assert_eq!(lesson.scenario.objects.len(), 4);
        assert_eq!(lesson.scenario.log[0].run, "kubectl create namespace demo");
        assert_eq!(lesson.scenario.files.keys().collect::<Vec<_>>(), ["agent.yaml"]);
        assert!(lesson.introduction.text.en.starts_with("What the learner finds"));
        assert_eq!(lesson.introduction.notes.fr.trim(), "Seul le présentateur voit ceci.");
        let task = &lesson.tasks[0];
        assert_eq!((task.id.as_str(), task.speech.title.fr.as_str()), ("apply", "L'appliquer"));
        assert!(task.speech.text.en.contains("```sh\nkubectl apply -f agent.yaml\n```"));
        assert_eq!((task.checks.len(), task.questions.len(), task.hints.len()), (2, 1, 1));
        assert_eq!(task.solution.last(), Some(&ScriptLine::Quiet));
    }

    #[test]
    fn a_misspelt_member_is_named_with_its_line_and_what_was_meant() {
        assert!(matches!(
            faults("  desired: 3\n  available: 3", "  desird: 3\n  available: 3").as_slice(),
            [(at, Fault::UnknownMember { name, meant: Some("desired"), .. })] if name == "desird" && *at == line("  desired: 3")
        ));
        assert!(matches!(
            faults("minutes: 5", "minuts: 5").as_slice(),
            [(at, Fault::UnknownMember { meant: Some("minutes"), .. })] if *at == line("minutes: 5")
        ));
    }

    #[test]
    fn what_has_the_wrong_form_says_what_is_wanted() {
        for (from, to, what) in [
            ("minutes: 5", "minutes: long", Wanted::Number),
            ("level: beginner", "level: easy", Wanted::OneOf(&LEVELS)),
            ("  available: 3", "  available: many", Wanted::Amount),
            ("- pods: app=agent", "- pods: app in (", Wanted::Selector),
            ("  nodes: [worker1, worker2, worker3]", "  nodes: {a: b}", Wanted::Text),
            ("- en: Press Run to quiet after Apply.", "- en: yes", Wanted::Text),
        ] {
            let found = faults(from, to);
            let at = line(from.trim_start_matches(['-', ' ']));
            assert!(
                matches!(found.as_slice(), [(found_at, Fault::Wanted { what: wanted, .. }), ..] if *wanted == what && *found_at == at),
                "{to}: {found:?}, expected at {at}"
            );
        }
    }

    #[test]
    fn missing_parts_are_named() {
        assert_eq!(Lesson::parse("# A title\n").unwrap_err()[0].fault, Fault::NoFrontMatter);
        assert_eq!(faults("summary:", "# summary:")[0].1, Fault::Missing("summary"));
        assert!(faults("## Conclusion", "## Task: last").contains(&(1, Fault::Missing("Conclusion"))));
        let french = faults("### Français : L'appliquer", "### English: Again");
        assert!(french.contains(&(line("## Task: apply"), Fault::MissingLanguage(Language::Fr))), "{french:?}");
        let open = faults("```sh solution", "````sh solution");
        assert!(open.iter().any(|(at, fault)| *fault == Fault::NeverEnds && *at == line("```sh solution")), "{open:?}");
    }

    #[test]
    fn headings_fences_and_script_lines_that_mean_nothing_are_named() {
        let has = |from: &str, to: &str, fault: Fault| {
            let found = faults(from, to);
            assert!(found.iter().any(|(at, known)| *known == fault && *at == line(from)), "{to}: {found:?}");
        };
        has("## Task: apply", "## Taks: apply", Fault::UnknownHeading("Taks: apply".into()));
        has("### Français : L'appliquer", "### Deutsch: Anwenden", Fault::UnknownLanguage("deutsch".into()));
        has("```yaml hints", "```yaml hint", Fault::UnknownFence("yaml hint".into()));
        has("answer how-many 1", "anwser how-many 1", Fault::BadScript("anwser how-many 1".into()));
        let answer = faults("answer how-many 1", "answer how-many 7");
        assert_eq!(answer, [(line("## Task: apply"), Fault::NoSuchAnswer("how-many 7".into()))]);
        assert!(matches!(faults("- control-plane", "- control-plan").as_slice(), [(_, Fault::Scenario(_))]));
    }

    #[test]
    fn all_faults_are_told_at_once_in_the_order_of_their_lines() {
        let text = GOOD.replace("minutes: 5", "minuts: 5").replace("```yaml hints", "```yaml hint");
        let lines: Vec<usize> = Lesson::parse(&text).unwrap_err().iter().map(|error| error.line).collect();
        assert_eq!(lines, [line("minutes: 5"), line("```yaml hints")]);
    }
}
