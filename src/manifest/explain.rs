//! Why YAML could not be read, in terms of what a person wrote: the reader's own words say where it gave up, but the
//! mistake is often something plainer, and often one edit repairs it.

use super::diagnostic::{Code, Fact, Remedy, TextEdit};
use super::failure::Failure;
use super::limits::Limits;
use super::repair::Repair;
use super::source::{Line, end_of_plain_value, quoted};
use super::yaml::{ErrorKind, YamlError};

/// One chunk of the stream that could not be read.
#[derive(Clone, Copy)]
pub(crate) struct Broken<'t> {
    pub text: &'t str,
    pub start: usize,
    pub end: usize,
    pub limits: &'t Limits,
    /// Look for fixes too.
    pub fixes: bool,
}

/// A plainer reason than the reader's.
struct Reason {
    fact: Fact,
    remedy: Remedy,
    start: usize,
    end: usize,
    fix: Option<Vec<TextEdit>>,
}

/// Turns the reader's error into a finding.
pub(crate) fn explain(broken: Broken<'_>, error: &YamlError) -> Failure {
    let kubectl_text = Some(format!("error converting YAML to JSON: {}", error.go_text()));
    let at = error.mark.offset.min(broken.text.len());
    if error.kind == ErrorKind::Reader {
        let character = broken.character(at);
        let fix = vec![TextEdit { start: at, end: broken.end_of_character(at), replacement: String::new() }];
        return Failure {
            code: Code::ControlCharacter,
            fact: Fact::ControlCharacter { character },
            kubectl_text,
            start: at,
            end: broken.end_of_character(at),
            remedy: Remedy::RemoveCharacter,
            fix: broken.repair().if_it_parses(fix),
        };
    }
    let reason = broken.reason(error, at).unwrap_or_else(|| Reason {
        fact: Fact::YamlSyntax {
            problem: error.problem.to_string(),
            context: error.context.map(|(context, _)| context.to_owned()),
        },
        remedy: Remedy::None,
        start: at,
        end: broken.end_of_character(at),
        fix: None,
    });
    let is_template = matches!(reason.fact, Fact::UnrenderedTemplate { .. });
    Failure {
        code: if is_template { Code::UnrenderedTemplate } else { Code::YamlSyntax },
        fact: reason.fact,
        kubectl_text,
        start: reason.start,
        end: reason.end,
        remedy: reason.remedy,
        fix: reason.fix,
    }
}

/// Says of a failed decoding that it comes from a template, if it does.
pub(crate) fn explain_template(text: &str, failure: &mut Failure) {
    if let Some((template, start)) = template_on(&Line::at(text, failure.start)) {
        failure.end = start.saturating_add(template.len());
        failure.start = start;
        failure.fact = Fact::UnrenderedTemplate { template: shortened(&template) };
        failure.code = Code::UnrenderedTemplate;
        failure.remedy = Remedy::RenderTemplate;
        failure.fix = None;
    }
}

/// The first `{{ … }}` of a line.
fn template_on(line: &Line<'_>) -> Option<(String, usize)> {
    let at = line.text.find("{{")?;
    let rest = line.text.get(at..)?;
    let length = rest.find("}}").map_or(rest.len(), |end| end.saturating_add(2));
    Some((rest.get(..length)?.to_owned(), line.start.saturating_add(at)))
}

/// The longest quotation from the text in a fact, in characters.
const MAX_QUOTED: usize = 100;

/// What a person wrote, for a fact: not more than a message can show.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or("")),
        None => text.to_owned(),
    }
}

impl<'t> Broken<'t> {
    fn repair(&self) -> Repair<'t> {
        Repair { text: self.text, start: self.start, end: self.end, limits: self.limits, wanted: self.fixes }
    }

    fn character(&self, at: usize) -> char {
        self.text.get(at..).and_then(|rest| rest.chars().next()).unwrap_or('\0')
    }

    fn end_of_character(&self, at: usize) -> usize {
        let width = self.text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        at.saturating_add(width)
    }

    fn reason(&self, error: &YamlError, at: usize) -> Option<Reason> {
        let line = Line::at(self.text, at);
        let context_at = error.context.map_or(at, |(_, mark)| mark.offset);
        let context_line = Line::at(self.text, context_at);
        if let Some((template, start)) = template_on(&line).or_else(|| template_on(&context_line)) {
            let end = start.saturating_add(template.len());
            let fact = Fact::UnrenderedTemplate { template: shortened(&template) };
            return Some(Reason { fact, remedy: Remedy::RenderTemplate, start, end, fix: None });
        }
        if let Some(reason) = self.invisible_indentation(&line).or_else(|| self.invisible_indentation(&context_line)) {
            return Some(reason);
        }
        match &*error.problem {
            "found character that cannot start any token"
            | "found a tab character that violates indentation"
            | "found a tab character where an indentation space is expected"
                if self.character(at) == '\t' =>
            {
                Some(self.tab(&line, at))
            }
            "found character that cannot start any token" => self.reserved_character(&line, at),
            "did not find expected alphabetic or numeric character" => {
                self.reserved_character(&context_line, context_at)
            }
            "mapping values are not allowed in this context" => self.second_colon(&line, at),
            "could not find expected ':'" => self.missing_colon(&context_line, context_at),
            "did not find expected key" | "did not find expected '-' indicator" => self.misaligned(&line, at),
            "found unexpected end of stream" | "found unexpected document indicator" => {
                self.unclosed_quote(&context_line, context_at)
            }
            "did not find expected ',' or ']'" => self.unclosed_bracket(&context_line, context_at, at, '['),
            "did not find expected ',' or '}'" => self.unclosed_bracket(&context_line, context_at, at, '{'),
            "block sequence entries are not allowed in this context" => self.list_on_key_line(&line, at),
            "found unknown escape character" => self.unknown_escape(at, context_at),
            _ => None,
        }
    }

    /// A no-break space or the like in front of the line's content: pasted from a web page.
    fn invisible_indentation(&self, line: &Line<'_>) -> Option<Reason> {
        let blanks = line.text.len().saturating_sub(line.text.trim_start_matches(is_false_space).len());
        let front = line.text.get(..blanks)?;
        let character = front.chars().find(|character| !matches!(character, ' ' | '\t'))?;
        Some(Reason {
            fact: Fact::InvisibleIndentation { character },
            remedy: Remedy::IndentWithSpaces,
            start: line.start,
            end: line.start.saturating_add(blanks),
            fix: self.repair().spaces_for_false_spaces(is_false_space),
        })
    }

    fn tab(&self, line: &Line<'_>, at: usize) -> Reason {
        let blanks = line.text.len().saturating_sub(line.text.trim_start().len());
        let in_front = at < line.start.saturating_add(blanks);
        let (start, end) =
            if in_front { (line.start, line.start.saturating_add(blanks)) } else { (at, self.end_of_character(at)) };
        let fix = if in_front {
            self.repair().spaces_for_tabs()
        } else {
            self.repair().if_it_parses(vec![TextEdit { start, end, replacement: " ".to_owned() }])
        };
        Reason { fact: Fact::TabIndentation, remedy: Remedy::IndentWithSpaces, start, end, fix }
    }

    fn reserved_character(&self, line: &Line<'_>, at: usize) -> Option<Reason> {
        let character = self.character(at);
        if !matches!(character, '@' | '`' | '%' | '*' | '&' | '|' | '>') {
            return None;
        }
        let end = end_of_plain_value(line, at);
        let value = self.text.get(at..end)?;
        let fix = self.repair().if_it_parses(vec![TextEdit { start: at, end, replacement: quoted(value) }]);
        let fact = Fact::ReservedCharacter { character };
        Some(Reason { fact, remedy: Remedy::QuoteValue, start: at, end, fix })
    }

    /// A colon where no key can stand: in a value, or behind a key that is indented below a finished value.
    fn second_colon(&self, line: &Line<'_>, at: usize) -> Option<Reason> {
        if let Some((_, start)) = line.key_and_value()
            && start < at
        {
            let end = end_of_plain_value(line, start);
            let value = self.text.get(start..end)?;
            let fix = match value.starts_with(['"', '\'', '[', '{', '|', '>', '&', '*', '!']) {
                true => None,
                false => self.repair().if_it_parses(vec![TextEdit { start, end, replacement: quoted(value) }]),
            };
            let fact = Fact::ColonInValue { value: shortened(value) };
            return Some(Reason { fact, remedy: Remedy::QuoteValue, start, end, fix });
        }
        // The line is `key: …` itself, so the one above did not end as it should have.
        let mut above = line.previous(self.text, self.start)?;
        while above.is_blank() {
            above = above.previous(self.text, self.start)?;
        }
        let content_end = end_of_plain_value(&above, above.content_start());
        let above_content = self.text.get(above.content_start()..content_end)?;
        if !above_content.contains(':') {
            let fix = vec![TextEdit { start: content_end, end: content_end, replacement: ":".to_owned() }];
            return Some(Reason {
                fact: Fact::MissingColon { key: shortened(above_content) },
                remedy: Remedy::AddColon,
                start: above.content_start(),
                end: content_end,
                fix: self.repair().if_it_parses(fix),
            });
        }
        self.misaligned(line, at)
    }

    /// `key:value`, or no colon at all.
    fn missing_colon(&self, line: &Line<'_>, at: usize) -> Option<Reason> {
        let end = end_of_plain_value(line, at);
        let content = self.text.get(at..end)?;
        let Some((key, value)) = content.split_once(':') else {
            if content.is_empty() || content.starts_with(['"', '\'', '[', '{']) {
                return None;
            }
            let has_children = line.next(self.text, self.end).is_some_and(|below| below.indent() > line.columns().1);
            let fix = vec![TextEdit { start: end, end, replacement: ":".to_owned() }];
            return Some(Reason {
                fact: Fact::MissingColon { key: shortened(content) },
                remedy: Remedy::AddColon,
                start: at,
                end,
                fix: if has_children { self.repair().if_it_parses(fix) } else { None },
            });
        };
        let is_word = |text: &str| {
            !text.is_empty()
                && text
                    .chars()
                    .all(|character| character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | '/'))
        };
        if !is_word(key) || value.is_empty() || value.starts_with(' ') {
            return None;
        }
        let after_colon = at.saturating_add(key.len()).saturating_add(1);
        let fix = vec![TextEdit { start: after_colon, end: after_colon, replacement: " ".to_owned() }];
        Some(Reason {
            fact: Fact::MissingSpaceAfterColon { key: shortened(key) },
            remedy: Remedy::AddSpaceAfterColon,
            start: at,
            end,
            fix: self.repair().if_it_parses(fix),
        })
    }

    fn misaligned(&self, line: &Line<'_>, at: usize) -> Option<Reason> {
        // What is at fault is the line only if the reader stopped at its beginning.
        let column = line.indent();
        if at < line.start.saturating_add(column)
            || self.text.get(line.start..at)?.contains(": ") && at > line.content_start()
        {
            let before = self.text.get(line.content_start()..at).unwrap_or("");
            if before.contains(['"', '\'', ']', '}']) {
                return None;
            }
        }
        let levels = self.repair().levels_around(line);
        let expected: Vec<usize> = levels.iter().map(|level| level.saturating_add(1)).collect();
        let fix = self.repair().realign(line, &levels);
        Some(Reason {
            fact: Fact::MisalignedIndentation { column: column.saturating_add(1), expected },
            remedy: Remedy::AlignWithSiblings,
            start: line.start.saturating_add(column),
            end: line.start.saturating_add(line.text.trim_end().len()),
            fix,
        })
    }

    fn unclosed_quote(&self, line: &Line<'_>, at: usize) -> Option<Reason> {
        let quote = self.character(at);
        if !matches!(quote, '"' | '\'') {
            return None;
        }
        let end = line.start.saturating_add(line.text.trim_end().len());
        let fix = vec![TextEdit { start: end, end, replacement: quote.to_string() }];
        Some(Reason {
            fact: Fact::UnclosedQuote { quote },
            remedy: Remedy::CloseQuote,
            start: at,
            end,
            fix: self.repair().if_it_parses(fix),
        })
    }

    fn unclosed_bracket(&self, line: &Line<'_>, opened: usize, at: usize, bracket: char) -> Option<Reason> {
        if self.character(opened) != bracket {
            return None;
        }
        let line_number = self.text.get(..line.start)?.matches('\n').count().saturating_add(1);
        let fix = (Line::at(self.text, at).start > line.start).then(|| {
            let end = end_of_plain_value(line, opened);
            let closing = if bracket == '[' { "]" } else { "}" };
            vec![TextEdit { start: end, end, replacement: closing.to_owned() }]
        });
        Some(Reason {
            fact: Fact::UnclosedBracket { bracket, line: line_number },
            remedy: Remedy::CheckBrackets,
            start: at,
            end: self.end_of_character(at),
            fix: fix.and_then(|fix| self.repair().if_it_parses(fix)),
        })
    }

    /// `key: - item`.
    fn list_on_key_line(&self, line: &Line<'_>, at: usize) -> Option<Reason> {
        let (_, value) = line.key_and_value()?;
        if value != at {
            return None;
        }
        let indent = " ".repeat(line.columns().1);
        let blanks_start = self.text.get(..at)?.trim_end().len();
        let fix = vec![TextEdit { start: blanks_start, end: at, replacement: format!("\n{indent}") }];
        Some(Reason {
            fact: Fact::ListOnKeyLine,
            remedy: Remedy::PutListOnNextLine,
            start: at,
            end: end_of_plain_value(line, at),
            fix: self.repair().if_it_parses(fix),
        })
    }

    /// `"C:\data"`: single quotes take backslashes as they are.
    fn unknown_escape(&self, at: usize, opened: usize) -> Option<Reason> {
        let sequence: String = self.text.get(at..)?.chars().take(2).collect();
        let line = Line::at(self.text, opened);
        let content = self.text.get(opened.saturating_add(1)..line.end())?;
        let fix = content.find('"').and_then(|length| {
            let inner = content.get(..length)?;
            let end = opened.saturating_add(length).saturating_add(2);
            if inner.contains('\'') || inner.contains("\\\\") {
                return None;
            }
            self.repair().if_it_parses(vec![TextEdit { start: opened, end, replacement: format!("'{inner}'") }])
        });
        Some(Reason {
            end: at.saturating_add(sequence.len()),
            fact: Fact::UnknownEscape { sequence },
            remedy: Remedy::UseSingleQuotes,
            start: at,
            fix,
        })
    }
}

/// A key that begins with what only looks like indentation: YAML takes it for a part of the key.
pub(crate) fn false_indentation(broken: Broken<'_>, key: &str, at: usize) -> Option<(Fact, Option<Vec<TextEdit>>)> {
    if !key.starts_with(is_false_space) {
        return None;
    }
    let reason = broken.invisible_indentation(&Line::at(broken.text, at))?;
    Some((reason.fact, reason.fix))
}

/// White space as a person sees it, none of it a space or a tab; or a character that is not seen at all.
fn is_false_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\u{200b}' | '\u{feff}' | '\u{2060}') || character.is_whitespace()
}
