//! The words about lessons and the gallery, and what checks, faults and flaws are called. A table of their own, so that
//! a lesson's words stand together.

use super::{Language, Words};
use crate::app::phrase::{Part, Phrase, fill};
use crate::lessons::{
    Amount, Check, Counter, Fault, Flaw, LessonError, Level, ObjectClaim, ObjectTest, PodState, PodTest, Wanted,
};

macro_rules! lesson_words {
    ($($name:ident: $en:literal, $fr:literal;)*) => {
        /// The words about lessons in one language.
        #[allow(missing_docs, reason = "the texts say what they are")]
        #[derive(Clone, Copy, Debug)]
        pub struct LessonWords { $(pub $name: &'static str,)* }
        static EN: LessonWords = LessonWords { $($name: $en,)* };
        static FR: LessonWords = LessonWords { $($name: $fr,)* };
        /// Both texts of each word, for the tests.
        #[cfg(test)]
        pub(super) const PAIRS: &[(&str, &str)] = &[$(($en, $fr),)*];
    };
}

lesson_words! {
    agents: "DaemonSets people run", "Les DaemonSets que l’on exécute";
    all_lessons: "All lessons", "Toutes les leçons";
    always: "At every moment: {check}", "À tout moment : {check}";
    and: " and ", " et ";
    answer_first: "Predict first, then act.", "Prédisez d’abord, agissez ensuite.";
    at_least: "at least {n}", "au moins {n}";
    at_most: "at most {n}", "au plus {n}";
    breakages: "Classic breakages", "Les pannes classiques";
    catalogue: "Lessons and gallery", "Leçons et galerie";
    check_lesson: "Play its solutions", "Jouer ses solutions";
    checks: "To reach", "À atteindre";
    close_lesson: "Close the lesson", "Fermer la leçon";
    command_failed: "You ran {command}, and it was refused", "Vous avez exécuté {command}, qui a été refusé";
    command_ran: "You ran {command}", "Vous avez exécuté {command}";
    completed: "Completed: {score} of {max} points", "Terminée : {score} points sur {max}";
    conclusion: "What you saw", "Ce que vous avez vu";
    done: "Done", "Fait";
    draft: "Your own lesson", "Votre propre leçon";
    draft_help: "The file {file} is a lesson. Try it here as a learner will see it; the cluster begins anew.", "Le fichier {file} est une leçon. Essayez-la ici comme un élève la verra ; le cluster recommence à neuf.";
    event: "Event {reason}", "Événement {reason}";
    event_about: "Event {reason} about {object}", "Événement {reason} au sujet de {object}";
    exists: "{object} exists", "{object} existe";
    failed_load: "The list could not be loaded.", "La liste n’a pas pu être chargée.";
    fault_bad_script: "{text} is no line of a solution; known are kubectl and sim commands, run, step and answer", "{text} n’est pas une ligne de solution ; sont connus les commandes kubectl et sim, run, step et answer";
    fault_front: "The file does not begin with --- and the data of the lesson", "Le fichier ne commence pas par --- suivi des données de la leçon";
    fault_heading: "The heading {text} is none of Introduction, Task: name, Conclusion", "Le titre {text} n’est ni Introduction, ni Task: nom, ni Conclusion";
    fault_language: "The heading {text} names no language; write English or Français", "Le titre {text} ne nomme pas de langue ; écrivez English ou Français";
    fault_missing: "{name} is missing", "Il manque {name}";
    fault_missing_en: "The English text is missing", "Le texte anglais manque";
    fault_missing_fr: "The French text is missing", "Le texte français manque";
    fault_never_ends: "What begins here never ends", "Ce qui commence ici ne se termine jamais";
    fault_no_check: "Nothing is checked here; one of {names} is needed", "Rien n’est vérifié ici ; il faut l’un de {names}";
    fault_no_tasks: "The lesson has no task", "La leçon n’a aucune tâche";
    fault_no_answer: "The solution answers {text}, which is not among the choices of the task", "La solution répond {text}, qui ne figure pas parmi les choix de la tâche";
    fault_nothing: "The task {text} has neither a check nor a question", "La tâche {text} n’a ni vérification ni question";
    fault_outside: "{text} belongs into a task", "{text} doit se trouver dans une tâche";
    fault_scenario: "The cluster cannot be built: {text}", "Le cluster ne peut pas être construit : {text}";
    fault_text: "Text before a heading of its language", "Du texte avant le titre de sa langue";
    fault_twice: "{text} is there twice", "{text} figure deux fois";
    fault_unknown_fence: "{text} means nothing behind a fence", "{text} ne signifie rien après une clôture";
    fault_unknown_member: "{name} is not known here; known are {names}", "{name} n’est pas connu ici ; sont connus {names}";
    fault_meant: "{name} is not known here; {meant} is", "{name} n’est pas connu ici ; {meant} l’est";
    fault_wanted: "Wanted here: {what}; found: {found}", "Attendu ici : {what} ; trouvé : {found}";
    faults_title: "What is wrong with it", "Ce qui ne va pas";
    flaw_before: "The task {task} is done before anything is done in it", "La tâche {task} est accomplie avant qu’on y fasse quoi que ce soit";
    flaw_line: "The task {task} is solved without line {n} of its solution", "La tâche {task} est résolue sans la ligne {n} de sa solution";
    flaw_not_solved: "The solution does not solve the task {task}; not reached: {n}", "La solution ne résout pas la tâche {task} ; non atteint : {n}";
    flaw_question: "{n} answers to the question {task} are right in the end, not one", "{n} réponses à la question {task} sont justes à la fin, et non une seule";
    flaw_setup: "The set-up fails at {task}: {n}", "La mise en place échoue à {task} : {n}";
    flaw_wrong: "The solution gives a wrong answer to {task}", "La solution donne une mauvaise réponse à {task}";
    found_not: "{object}: {path} is not set", "{object} : {path} n’est pas défini";
    found_some: "{object}: {path} is set", "{object} : {path} est défini";
    gallery: "Gallery", "Galerie";
    gone: "{object} is gone", "{object} n’existe plus";
    hint: "Hint {n}", "Indice {n}";
    hint_next: "Show a hint (−{cost} points)", "Montrer un indice (−{cost} points)";
    hints: "Hints", "Indices";
    introduction: "Introduction", "Introduction";
    is: "{object}: {path} is {value}", "{object} : {path} vaut {value}";
    is_number: "{object}: {path} is {value}", "{object} : {path} vaut {value}";
    contains: "{object}: {path} contains {value}", "{object} : {path} contient {value}";
    lesson: "Lesson", "Leçon";
    lesson_done: "The lesson is complete.", "La leçon est terminée.";
    lessons: "Lessons", "Leçons";
    level_advanced: "Advanced", "Avancé";
    level_beginner: "Beginner", "Débutant";
    level_intermediate: "Intermediate", "Intermédiaire";
    minutes: "{n} min", "{n} min";
    next: "Next", "Suivant";
    next_lesson: "Next lesson", "Leçon suivante";
    no_flaws: "Each task is solved by its solution and by nothing less.", "Chaque tâche est résolue par sa solution et par rien de moins.";
    no_lesson: "No lesson is open.", "Aucune leçon n’est ouverte.";
    no_lesson_more: "The lessons lead from the first pod to the diagnosis of a sick fleet; each says what to reach, and ticks it off when the cluster is there.", "Les leçons mènent du premier pod au diagnostic d’un parc malade ; chacune dit ce qu’il faut atteindre, et le coche quand le cluster y est.";
    not: "Not: {check}", "Pas : {check}";
    not_loaded: "The file could not be loaded.", "Le fichier n’a pas pu être chargé.";
    not_right: "Not quite. Look again.", "Pas tout à fait. Regardez encore.";
    notes: "Notes", "Notes";
    number_of: "{n} {kind}", "{n} {kind}";
    once: "At some moment: {check}", "À un moment : {check}";
    open_catalogue: "Choose a lesson", "Choisir une leçon";
    own: "Write your own", "Écrire la vôtre";
    own_help: "Open a template in the editor, change it, try it and share it. A lesson is one Markdown file.", "Ouvrez un modèle dans l’éditeur, modifiez-le, essayez-le et partagez-le. Une leçon est un fichier Markdown.";
    own_open: "Open the template", "Ouvrir le modèle";
    page_of: "{n} of {count}", "{n} sur {count}";
    pods_any: "pods {selector}", "pods {selector}";
    pods_failed: "failed pods {selector}", "pods échoués {selector}";
    pods_live: "pods {selector} that are not on their way out", "pods {selector} qui ne sont pas en train de partir";
    pods_not_ready: "running pods {selector} that are not ready", "pods {selector} en service mais pas prêts";
    pods_pending: "pending pods {selector}", "pods {selector} en attente (Pending)";
    pods_ready: "ready pods {selector}", "pods {selector} prêts";
    pods_terminating: "terminating pods {selector}", "pods {selector} en cours d’arrêt";
    pods_unscheduled: "pods {selector} without a node", "pods {selector} sans nœud";
    pods_count: "{n} {pods}", "{n} {pods}";
    pods_covers: "There are {pods} on {nodes}", "Il y a des {pods} sur {nodes}";
    pods_nodes: "The nodes with {pods} are exactly {nodes}", "Les nœuds qui ont des {pods} sont exactement {nodes}";
    pods_no_nodes: "No node has {pods}", "Aucun nœud n’a de {pods}";
    pods_without: "There are no {pods} on {nodes}", "Il n’y a pas de {pods} sur {nodes}";
    pods_with: "{pods} with {value}", "{pods} avec {value}";
    points: "{score} of {max} points", "{score} points sur {max}";
    predict: "Your prediction", "Votre prédiction";
    predicted: "Prediction made", "Prédiction faite";
    present: "Presenter mode", "Mode présentation";
    present_end: "End presenter mode", "Quitter le mode présentation";
    preview: "Try it", "L’essayer";
    previous: "Back", "Retour";
    previous_lesson: "Previous lesson", "Leçon précédente";
    question: "Question", "Question";
    quiet: "Nothing is due any more", "Plus rien n’est à venir";
    quiet_not: "Something is due", "Quelque chose est à venir";
    reset: "Back to the start of this task", "Revenir au début de cette tâche";
    retry: "Try again", "Réessayer";
    revealed_right: "You were right.", "Vous aviez raison.";
    revealed_wrong: "The answer is: {answer}", "La réponse est : {answer}";
    run: "Run", "Exécuter";
    run_command: "Run {command}", "Exécuter {command}";
    share: "Copy a link", "Copier un lien";
    share_file: "Save as file", "Enregistrer le fichier";
    show_notes: "Presenter’s notes", "Notes du présentateur";
    start: "Start", "Commencer";
    state_done: "done", "fait";
    state_not_yet: "not yet", "pas encore";
    task: "Task {n} of {count}", "Tâche {n} sur {count}";
    task_done: "Task done.", "Tâche accomplie.";
    wanted_amount: "a number, or a comparison such as \">=2\"", "un nombre, ou une comparaison comme \">=2\"";
    wanted_boolean: "true or false", "true ou false";
    wanted_both: "texts in both languages: {en: …, fr: …}", "des textes dans les deux langues : {en: …, fr: …}";
    wanted_duration: "a duration such as 30s", "une durée comme 30s";
    wanted_json_path: "a JSONPath template", "un modèle JSONPath";
    wanted_kind: "a kind of objects that kubectl knows", "un genre d’objets connu de kubectl";
    wanted_kind_and_name: "kind/name", "genre/nom";
    wanted_list: "a list", "une liste";
    wanted_mapping: "a mapping", "un mapping";
    wanted_number: "a whole number", "un nombre entier";
    wanted_one_of: "one of {names}", "l’un de {names}";
    wanted_selector: "a label selector", "un selector de labels";
    wanted_text: "a text (put it in quotes)", "un texte (mettez-le entre guillemets)";
}

impl Language {
    /// The words about lessons.
    pub const fn lesson_words(self) -> &'static LessonWords {
        match self {
            Self::En => &EN,
            Self::Fr => &FR,
        }
    }
}

fn code(text: impl Into<String>) -> Part {
    Part::Code(text.into())
}

/// A phrase as a part of another one loses its styles.
fn plain(phrase: &Phrase) -> Part {
    Part::Plain(phrase.to_string())
}

impl LessonWords {
    /// Name of a level.
    pub const fn level(&self, level: Level) -> &'static str {
        match level {
            Level::Beginner => self.level_beginner,
            Level::Intermediate => self.level_intermediate,
            Level::Advanced => self.level_advanced,
        }
    }

    fn amount(&self, amount: Amount) -> String {
        match amount {
            Amount::Is(n) => n.to_string(),
            Amount::AtLeast(n) => fill(self.at_least, &[("n", &n.to_string())]),
            Amount::AtMost(n) => fill(self.at_most, &[("n", &n.to_string())]),
        }
    }

    /// What a check asks for, in one line.
    pub fn check(&self, check: &Check) -> Phrase {
        match check {
            Check::DaemonSet { key, counters } => {
                let mut parts = vec![code(&*key.name), Part::Plain(": ".into())];
                for (index, (counter, amount)) in counters.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    parts.push(Part::Plain(format!("{comma}{} {}", counter_name(*counter), self.amount(*amount))));
                }
                Phrase(parts)
            }
            Check::Pods(test) => self.pods(test),
            Check::Object(test) => self.object(test),
            Check::Objects { kind, count, selector, .. } => {
                let kind = if selector.is_empty() { kind.clone() } else { format!("{kind} ({selector})") };
                Phrase::fill(self.number_of, &[("n", Part::Plain(self.amount(*count))), ("kind", code(kind))])
            }
            Check::Event { reason, about: Some((kind, name)), .. } => {
                let object = format!("{}/{name}", kind.to_lowercase());
                Phrase::fill(self.event_about, &[("reason", code(reason)), ("object", code(object))])
            }
            Check::Event { reason, about: None, .. } => Phrase::fill(self.event, &[("reason", code(reason))]),
            Check::Command { words, exit, .. } => {
                let template = if exit.is_some_and(|exit| exit != 0) { self.command_failed } else { self.command_ran };
                Phrase::fill(template, &[("command", code(words))])
            }
            Check::Always(check) => Phrase::fill(self.always, &[("check", plain(&self.check(check)))]),
            Check::Once(check) => Phrase::fill(self.once, &[("check", plain(&self.check(check)))]),
            Check::Not(check) if **check == Check::Quiet => Phrase::plain(self.quiet_not),
            Check::Not(check) => Phrase::fill(self.not, &[("check", plain(&self.check(check)))]),
            Check::All(checks) => {
                let all: Vec<String> = checks.iter().map(|check| self.check(check).to_string()).collect();
                Phrase::plain(all.join("; "))
            }
            Check::Quiet => Phrase::plain(self.quiet),
        }
    }

    fn pods(&self, test: &PodTest) -> Phrase {
        let template = match test.state {
            PodState::Ready => self.pods_ready,
            PodState::Any => self.pods_any,
            PodState::Live => self.pods_live,
            PodState::Pending => self.pods_pending,
            PodState::Unscheduled => self.pods_unscheduled,
            PodState::NotReady => self.pods_not_ready,
            PodState::Terminating => self.pods_terminating,
            PodState::Failed => self.pods_failed,
        };
        let mut pods = fill(template, &[("selector", &test.selector)]).trim_end().to_owned();
        let path = test.path.as_ref().map(|(path, value)| format!("{path} = {value}"));
        let reasons = (!test.reasons.is_empty()).then(|| test.reasons.join(", "));
        for value in [test.image.clone(), reasons, path].into_iter().flatten() {
            pods = fill(self.pods_with, &[("pods", &pods), ("value", &value)]);
        }
        let mut claims = Vec::new();
        let with_nodes = |template: &'static str, nodes: &[String]| {
            Phrase::fill(template, &[("pods", Part::Plain(pods.clone())), ("nodes", code(nodes.join(", ")))])
        };
        if let Some(count) = test.count {
            let n = Part::Plain(self.amount(count));
            claims.push(Phrase::fill(self.pods_count, &[("n", n), ("pods", Part::Plain(pods.clone()))]));
        }
        match test.nodes.as_deref() {
            Some([]) => claims.push(with_nodes(self.pods_no_nodes, &[])),
            Some(nodes) => claims.push(with_nodes(self.pods_nodes, nodes)),
            None => {}
        }
        if !test.covers.is_empty() {
            claims.push(with_nodes(self.pods_covers, &test.covers));
        }
        if !test.without.is_empty() {
            claims.push(with_nodes(self.pods_without, &test.without));
        }
        let mut parts = Vec::new();
        for (index, claim) in claims.into_iter().enumerate() {
            if index > 0 {
                parts.push(Part::Plain("; ".into()));
            }
            parts.extend(claim.0);
        }
        Phrase(parts)
    }

    fn object(&self, test: &ObjectTest) -> Phrase {
        let object = code(format!("{}/{}", test.kind.to_lowercase(), test.key.name));
        let (template, path, value) = match &test.holds {
            ObjectClaim::Exists(true) => (self.exists, "", String::new()),
            ObjectClaim::Exists(false) => (self.gone, "", String::new()),
            ObjectClaim::Is(path, value) => (self.is, path.as_str(), value.clone()),
            ObjectClaim::Contains(path, value) => (self.contains, path.as_str(), value.clone()),
            ObjectClaim::Found(path, true) => (self.found_some, path.as_str(), String::new()),
            ObjectClaim::Found(path, false) => (self.found_not, path.as_str(), String::new()),
            ObjectClaim::Number(path, amount) => (self.is_number, path.as_str(), self.amount(*amount)),
        };
        let path = path.trim_start_matches("{.").trim_end_matches('}');
        Phrase::fill(template, &[("object", object), ("path", code(path)), ("value", code(value))])
    }

    /// What is wrong with a line of a lesson file.
    pub fn lesson_error(&self, words: &Words, error: &LessonError) -> String {
        let text = |template: &str, text: &str| fill(template, &[("text", text)]);
        match &error.fault {
            Fault::NoFrontMatter => self.fault_front.into(),
            Fault::NeverEnds => self.fault_never_ends.into(),
            Fault::Yaml(fact) => words.manifest_fact(fact),
            Fault::UnknownMember { name, meant: Some(meant), .. } => {
                fill(self.fault_meant, &[("name", name), ("meant", meant)])
            }
            Fault::UnknownMember { name, known, .. } => {
                fill(self.fault_unknown_member, &[("name", name), ("names", &known.join(", "))])
            }
            Fault::Missing(name) => fill(self.fault_missing, &[("name", name)]),
            Fault::MissingLanguage(crate::lessons::FaultLanguage::En) => self.fault_missing_en.into(),
            Fault::MissingLanguage(crate::lessons::FaultLanguage::Fr) => self.fault_missing_fr.into(),
            Fault::Wanted { what, found } => {
                fill(self.fault_wanted, &[("what", &self.wanted(*what)), ("found", found)])
            }
            Fault::NoCheck(names) => fill(self.fault_no_check, &[("names", &names.join(", "))]),
            Fault::UnknownHeading(heading) => text(self.fault_heading, heading),
            Fault::UnknownLanguage(heading) => text(self.fault_language, heading),
            Fault::UnknownFence(info) => text(self.fault_unknown_fence, info),
            Fault::OutsideTask(info) => text(self.fault_outside, info),
            Fault::TextWithoutLanguage => self.fault_text.into(),
            Fault::Twice(name) => text(self.fault_twice, name),
            Fault::NothingToDo(task) => text(self.fault_nothing, task),
            Fault::BadScript(line) => text(self.fault_bad_script, line),
            Fault::NoSuchAnswer(answer) => text(self.fault_no_answer, answer),
            Fault::Scenario(message) => text(self.fault_scenario, message),
            Fault::NoTasks => self.fault_no_tasks.into(),
        }
    }

    fn wanted(&self, wanted: Wanted) -> String {
        match wanted {
            Wanted::Text => self.wanted_text.into(),
            Wanted::Mapping => self.wanted_mapping.into(),
            Wanted::List => self.wanted_list.into(),
            Wanted::Number => self.wanted_number.into(),
            Wanted::Boolean => self.wanted_boolean.into(),
            Wanted::Amount => self.wanted_amount.into(),
            Wanted::BothLanguages => self.wanted_both.into(),
            Wanted::OneOf(names) => fill(self.wanted_one_of, &[("names", &names.join(", "))]),
            Wanted::KindAndName => self.wanted_kind_and_name.into(),
            Wanted::Kind => self.wanted_kind.into(),
            Wanted::Selector => self.wanted_selector.into(),
            Wanted::JsonPath => self.wanted_json_path.into(),
            Wanted::Duration => self.wanted_duration.into(),
        }
    }

    /// What is wrong with a lesson that can be read.
    pub fn flaw(&self, flaw: &Flaw) -> String {
        let facts = |template: &str, task: &str, n: &str| fill(template, &[("task", task), ("n", n)]);
        match flaw {
            Flaw::DoneBefore { task } => facts(self.flaw_before, task, ""),
            Flaw::NotSolved { task, checks } => {
                let numbers: Vec<String> = checks.iter().map(usize::to_string).collect();
                facts(self.flaw_not_solved, task, &numbers.join(", "))
            }
            Flaw::LineNotNeeded { task, line } => facts(self.flaw_line, task, &line.to_string()),
            Flaw::SetupFails { line, error } => facts(self.flaw_setup, line, error.trim()),
            Flaw::NotOneAnswer { question, right } => facts(self.flaw_question, question, &right.to_string()),
            Flaw::WrongAnswer { question } => facts(self.flaw_wrong, question, ""),
        }
    }
}

/// A counter as kubectl's table calls it, or as `describe` does.
fn counter_name(counter: Counter) -> &'static str {
    match counter {
        Counter::Desired => "DESIRED",
        Counter::Current => "CURRENT",
        Counter::Ready => "READY",
        Counter::UpToDate => "UP-TO-DATE",
        Counter::Available => "AVAILABLE",
        Counter::Unavailable => "numberUnavailable",
        Counter::Misscheduled => "numberMisscheduled",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::phrase::placeholders;

    #[test]
    fn both_languages_have_the_same_facts() {
        for (en, fr) in PAIRS {
            assert!(!en.is_empty() && !fr.is_empty());
            let (mut left, mut right) = (placeholders(en), placeholders(fr));
            left.sort_unstable();
            right.sort_unstable();
            assert_eq!(left, right, "{en}");
        }
    }
}
