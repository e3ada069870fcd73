//! Sentences whose parts the page may style: names stand out, code is monospaced.

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Ordinary words.
    Plain(String),
    /// A name or number that should catch the eye.
    Strong(String),
    /// Something to be read letter by letter: a taint, a label, a field.
    Code(String),
}

impl Part {
    /// The part's text.
    pub fn text(&self) -> &str {
        match self {
            Self::Plain(text) | Self::Strong(text) | Self::Code(text) => text,
        }
    }
}

/// A sentence in parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phrase(pub Vec<Part>);

impl Phrase {
    /// A sentence without any emphasis.
    pub fn plain(text: impl Into<String>) -> Self {
        Self(vec![Part::Plain(text.into())])
    }

    /// A template with its `{names}` replaced by the facts. A name without a fact stays as it is, so that a mistake
    /// shows; the tests of the text tables look for it.
    pub fn fill(template: &str, facts: &[(&str, Part)]) -> Self {
        let mut parts = Vec::new();
        let mut rest = template;
        while let Some((before, name, after)) = next_placeholder(rest) {
            push_plain(&mut parts, before);
            match facts.iter().find(|(fact, _)| *fact == name) {
                Some((_, part)) => parts.push(part.clone()),
                None => push_plain(&mut parts, &format!("{{{name}}}")),
            }
            rest = after;
        }
        push_plain(&mut parts, rest);
        Self(parts)
    }
}

/// The sentence as text, for accessible names and the live region.
impl std::fmt::Display for Phrase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|part| f.write_str(part.text()))
    }
}

/// A template as plain text, with its `{names}` replaced.
pub fn fill(template: &str, facts: &[(&str, &str)]) -> String {
    let parts: Vec<(&str, Part)> = facts.iter().map(|(name, text)| (*name, Part::Plain((*text).into()))).collect();
    Phrase::fill(template, &parts).to_string()
}

/// The names of a template's placeholders, in order.
pub fn placeholders(template: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = template;
    while let Some((_, name, after)) = next_placeholder(rest) {
        names.push(name);
        rest = after;
    }
    names
}

/// The text before the first placeholder, its name, and the text after it.
fn next_placeholder(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
}

fn push_plain(parts: &mut Vec<Part>, text: &str) {
    if text.is_empty() {
        return;
    }
    if let Some(Part::Plain(last)) = parts.last_mut() {
        last.push_str(text);
    } else {
        parts.push(Part::Plain(text.into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_and_keep_their_style() {
        let phrase = Phrase::fill(
            "{who} removed {pod}.",
            &[("who", Part::Strong("You".into())), ("pod", Part::Code("a".into()))],
        );
        assert_eq!(
            phrase.0,
            [
                Part::Strong("You".into()),
                Part::Plain(" removed ".into()),
                Part::Code("a".into()),
                Part::Plain(".".into())
            ]
        );
        assert_eq!(phrase.to_string(), "You removed a.");
    }

    #[test]
    fn a_name_without_a_fact_stays() {
        assert_eq!(fill("{a} and {b", &[("x", "1")]), "{a} and {b");
        assert_eq!(placeholders("{a} and {b}"), ["a", "b"]);
    }
}
