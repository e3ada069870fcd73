//! What may follow in an unfinished command line.

mod cluster;
mod values;

use super::command::{self, Reached};
use super::context::Context;
use super::flags::{FlagSpec, Takes};
use crate::apiserver::ApiServer;
use crate::order::Order;
use values::{Slot, slot_of};

/// Programs that may stand at the beginning of a line or behind a pipe.
const FILTERS: [&str; 9] = ["column", "cut", "grep", "head", "sort", "tail", "tr", "uniq", "wc"];

/// What may take the place of the last word of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Where the text begins that a candidate replaces, in bytes; it ends at the cursor.
    pub start: usize,
    /// In order, each once.
    pub candidates: Vec<Candidate>,
}

impl Completion {
    /// What all candidates begin with.
    pub fn common(&self) -> &str {
        let mut candidates = self.candidates.iter().map(|candidate| candidate.text.as_str());
        let first = candidates.next().unwrap_or("");
        candidates.fold(first, |common, text| {
            let same = common.char_indices().zip(text.chars()).find(|((_, a), b)| a != b);
            let end = same.map_or(common.len().min(text.len()), |((at, _), _)| at);
            common.get(..end).unwrap_or("")
        })
    }
}

/// One possible continuation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// The word, or its beginning (`condition=`, `TYPE/`).
    pub text: String,
    /// Whether the word is whole, so that a space follows.
    pub is_whole: bool,
}

/// What may stand at the cursor (in bytes from the start of the line). Lines that are not kubectl have only the name of
/// their program completed.
pub fn complete(api: &ApiServer, context: &Context, line: &str, cursor: usize) -> Completion {
    let before = line.get(..cursor).unwrap_or(line);
    let Some(Typed { words, partial, start, is_piped }) = Typed::read(before) else { return Completion::default() };
    let mut completer = Completer { api, context, partial: &partial, found: Vec::new() };
    match words.split_first() {
        None if is_piped => FILTERS.iter().for_each(|name| completer.offer(name)),
        None => completer.offer("kubectl"),
        Some((program, rest)) if matches!(program.as_str(), "kubectl" | "k") => completer.kubectl(rest),
        Some(_) => {}
    }
    let mut candidates = completer.found;
    candidates.order();
    candidates.dedup();
    Completion { start, candidates }
}

/// The last command of what was typed so far.
struct Typed {
    words: Vec<String>,
    partial: String,
    start: usize,
    is_piped: bool,
}

impl Typed {
    /// Quotes are removed; `None` within a comment.
    fn read(text: &str) -> Option<Self> {
        let mut typed = Self { words: Vec::new(), partial: String::new(), start: text.len(), is_piped: false };
        let mut quote = None;
        let mut in_word = false;
        let mut characters = text.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            let next = characters.peek().map(|(_, next)| *next);
            match (quote, character) {
                (Some(open), _) if character == open => quote = None,
                (Some('"') | None, '\\') => {
                    if let Some((_, escaped)) = characters.next() {
                        typed.push(at, &mut in_word, escaped);
                    }
                }
                (Some(_), _) => typed.push(at, &mut in_word, character),
                (None, '\'' | '"') => {
                    quote = Some(character);
                    typed.begin(at, &mut in_word);
                }
                (None, '#') if !in_word => return None,
                (None, ' ' | '\t') => typed.end(&mut in_word),
                (None, '|' | ';' | '&' | '\n') => {
                    let doubled = next == Some(character);
                    if doubled {
                        characters.next();
                    }
                    (typed.words, typed.partial) = (Vec::new(), String::new());
                    (typed.is_piped, in_word) = (character == '|' && !doubled, false);
                }
                (None, _) => typed.push(at, &mut in_word, character),
            }
        }
        if !in_word {
            typed.start = text.len();
        }
        Some(typed)
    }

    fn begin(&mut self, at: usize, in_word: &mut bool) {
        if !std::mem::replace(in_word, true) {
            self.start = at;
        }
    }

    fn push(&mut self, at: usize, in_word: &mut bool, character: char) {
        self.begin(at, in_word);
        self.partial.push(character);
    }

    fn end(&mut self, in_word: &mut bool) {
        if std::mem::replace(in_word, false) {
            self.words.push(std::mem::take(&mut self.partial));
        }
    }
}

/// What stands before the cursor, sorted.
#[derive(Default)]
struct Before<'w> {
    /// Arguments that are no flags.
    arguments: Vec<&'w str>,
    /// `-n`.
    namespace: Option<&'w str>,
    /// The flag whose value comes next.
    waiting: Option<FlagSpec>,
}

impl<'w> Before<'w> {
    fn read(words: &'w [String], flags: &[FlagSpec]) -> Self {
        let mut before = Self::default();
        for word in words {
            if let Some(flag) = before.waiting.take() {
                before.keep(flag, word);
                continue;
            }
            let named = match (word.strip_prefix("--"), word.strip_prefix('-')) {
                (Some(long), _) if !long.is_empty() => {
                    let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                    flags.iter().find(|flag| flag.name == name).map(|flag| (*flag, value))
                }
                (None, Some(short)) if !short.is_empty() => short.chars().next().and_then(|letter| {
                    let value = short.get(letter.len_utf8()..).filter(|value| !value.is_empty());
                    let value = value.map(|value| value.strip_prefix('=').unwrap_or(value));
                    flags.iter().find(|flag| flag.short == Some(letter)).map(|flag| (*flag, value))
                }),
                _ => {
                    before.arguments.push(word);
                    continue;
                }
            };
            match named {
                Some((flag, Some(value))) => before.keep(flag, value),
                Some((flag, None)) if !matches!(flag.takes, Takes::Bool | Takes::Optional(_)) => {
                    before.waiting = Some(flag);
                }
                _ => {}
            }
        }
        before
    }

    fn keep(&mut self, flag: FlagSpec, value: &'w str) {
        if flag.name == "namespace" {
            self.namespace = Some(value);
        }
    }
}

struct Completer<'a> {
    api: &'a ApiServer,
    context: &'a Context,
    partial: &'a str,
    found: Vec<Candidate>,
}

impl Completer<'_> {
    /// A whole word.
    fn offer(&mut self, text: &str) {
        self.add(text.to_owned(), true);
    }

    /// The beginning of a word.
    fn offer_start(&mut self, text: &str) {
        self.add(text.to_owned(), false);
    }

    fn add(&mut self, text: String, is_whole: bool) {
        if text.starts_with(self.partial) {
            self.found.push(Candidate { text, is_whole });
        }
    }

    /// A word of the kind `TYPE/`, `key=`: whole unless it ends in a sign that waits for more.
    fn offer_value(&mut self, text: &str) {
        self.add(text.to_owned(), !text.ends_with(['=', '/', ':', '.']));
    }

    fn kubectl(&mut self, words: &[String]) {
        let (name, used) = match command::reach(words) {
            Reached::Unknown if words.iter().any(|word| word == "help") => return self.commands(),
            Reached::Unknown => return,
            Reached::Start if self.partial.starts_with('-') => ("", words.len()),
            Reached::Start => {
                let before = Before::read(words, &command::flags_of("").collect::<Vec<_>>());
                if before.waiting.is_none() {
                    return self.commands();
                }
                ("", 0)
            }
            Reached::Group(group) => {
                self.subcommands(group);
                (group, words.len())
            }
            Reached::Command(name, used) => (name, used),
        };
        let flags: Vec<FlagSpec> = command::flags_of(name).collect();
        let before = Before::read(words.get(used..).unwrap_or_default(), &flags);
        let global = Before::read(words.get(..used).unwrap_or_default(), &flags);
        let namespace = before.namespace.or(global.namespace).map(str::to_owned);
        let namespace = namespace.unwrap_or_else(|| match self.context.namespace.as_str() {
            "" => "default".to_owned(),
            given => given.to_owned(),
        });
        if let Some(flag) = before.waiting {
            return self.flag_value(name, flag.name, "", &before.arguments, &namespace);
        }
        if let Some((written, _)) = self.partial.split_once('=').filter(|_| self.partial.starts_with("--")) {
            let long = written.trim_start_matches('-');
            return self.flag_value(name, long, &format!("{written}="), &before.arguments, &namespace);
        }
        if self.partial.starts_with('-') {
            return self.flag_names(&flags);
        }
        match slot_of(name, &before.arguments) {
            Slot::None => {}
            Slot::Commands => self.commands(),
            Slot::Words(words) => words.split_whitespace().for_each(|word| self.offer_value(word)),
            Slot::Types(rule) => self.types(rule, &namespace),
            Slot::Names(kind) => {
                let given = before.arguments.clone();
                self.names(kind, &namespace, "", |name| !given.contains(&name));
            }
            Slot::Keys(kind, ends) => self.keys(kind, &namespace, ends),
            Slot::Containers(kind, name, end) => self.containers(kind, name, &namespace, end),
            Slot::Fields => self.fields(),
        }
    }

    fn commands(&mut self) {
        command::offered().for_each(|name| self.offer(name));
    }

    fn subcommands(&mut self, group: &str) {
        for name in command::names() {
            if let Some(name) = name.strip_prefix(group).and_then(|rest| rest.strip_prefix(' ')) {
                self.offer(name);
            }
        }
    }

    fn flag_names(&mut self, flags: &[FlagSpec]) {
        for flag in flags {
            let ending = if matches!(flag.takes, Takes::Bool | Takes::Optional(_)) { "" } else { "=" };
            self.offer_value(&format!("--{}{ending}", flag.name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_command_of_a_line_counts() {
        let read = |text: &str| Typed::read(text).map(|typed| (typed.words, typed.partial, typed.start));
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(read("kubectl get po"), Some((words(&["kubectl", "get"]), "po".into(), 12)));
        assert_eq!(read("kubectl get "), Some((words(&["kubectl", "get"]), String::new(), 12)));
        assert_eq!(read("k get po && k des"), Some((words(&["k"]), "des".into(), 14)));
        assert_eq!(read("k get 'a b' \"c"), Some((words(&["k", "get", "a b"]), "c".into(), 12)));
        assert_eq!(read("k get # po"), None);
    }

    #[test]
    fn candidates_have_a_common_beginning() {
        let completion = |texts: &[&str]| Completion {
            start: 0,
            candidates: texts.iter().map(|text| Candidate { text: (*text).into(), is_whole: true }).collect(),
        };
        assert_eq!(completion(&["node-1", "node-2"]).common(), "node-");
        assert_eq!(completion(&["a", "ab"]).common(), "a");
        assert_eq!(completion(&["ä", "ö"]).common(), "");
        assert_eq!(completion(&[]).common(), "");
    }
}
