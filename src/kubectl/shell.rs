//! A command line as a shell reads it: words and quotes, here-documents, pipes, `&&`, `||`, `;`, comments.

use std::collections::VecDeque;

/// Commands in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Each with what must hold for it to run.
    pub items: VecDeque<(When, Pipeline)>,
}

/// When a pipeline runs, seen from the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// In any case (`;` or a new line).
    Always,
    /// If it ended well (`&&`).
    OnSuccess,
    /// If it failed (`||`).
    OnFailure,
}

/// Commands whose outputs feed the next one's input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pipeline {
    /// At least one.
    pub commands: Vec<SimpleCommand>,
}

/// One command with its words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimpleCommand {
    /// The command and its arguments, quotes removed.
    pub words: Vec<String>,
    /// Text of a here-document or here-string.
    pub here_document: Option<String>,
    /// File that is read (`< file`).
    pub input_file: Option<String>,
    /// Where standard output goes (`> file`); `/dev/null` drops it.
    pub output_file: Option<String>,
    /// Whether standard error goes to standard output (`2>&1`).
    pub merges_stderr: bool,
    /// Whether standard error is dropped (`2>/dev/null`).
    pub drops_stderr: bool,
}

/// Why a line cannot be read; worded as bash does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellError(pub String);

/// Reads one or several lines.
///
/// # Errors
/// An unclosed quote, an operator in the wrong place, something of a shell that is not here (`for`, `$(…)`).
pub fn parse(text: &str) -> Result<Script, ShellError> {
    Parser { text, at: 0, pending: Vec::new() }.script()
}

/// Whether a shell would ask for another line: a quote is open, a here-document has not ended, or the line ends in `\\`,
/// `|`, `&&` or `||`.
pub fn is_unfinished(text: &str) -> bool {
    let end = text.trim_end_matches(['\n', ' ', '\t']);
    let backslashes = text.trim_end_matches('\n').chars().rev().take_while(|c| *c == '\\').count();
    let is_comment = end.lines().next_back().is_some_and(|line| line.trim_start().starts_with('#'));
    match parse(text) {
        Err(ShellError(said)) if said.starts_with("unexpected EOF") || said.starts_with("here-document wanted") => true,
        _ if is_comment => false,
        _ => backslashes % 2 == 1 || end.ends_with("&&") || end.ends_with('|'),
    }
}

/// One here-document that was announced on the present line.
struct Pending {
    command: Place,
    delimiter: String,
    strips_tabs: bool,
}

/// Index of the pipeline and of the command in it.
#[derive(Clone, Copy)]
struct Place(usize, usize);

struct Parser<'a> {
    text: &'a str,
    at: usize,
    pending: Vec<Pending>,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn script(&mut self) -> Result<Script, ShellError> {
        let mut items: Vec<(When, Pipeline)> = Vec::new();
        let mut pipeline = Pipeline::default();
        let mut command = SimpleCommand::default();
        let mut when = When::Always;
        loop {
            self.blanks();
            let operator = match self.peek() {
                None => "",
                Some('\n') => "\n",
                Some(';') => ";",
                Some('&') if self.rest().starts_with("&&") => "&&",
                Some('|') if self.rest().starts_with("||") => "||",
                Some('|') => "|",
                Some('&') if !self.rest().starts_with("&>") => {
                    return Err(ShellError("jobs in the background (&) are not available here".into()));
                }
                Some('(' | ')') => return Err(unexpected(self.peek())),
                _ => {
                    let place = Place(items.len(), pipeline.commands.len());
                    self.word_or_redirection(&mut command, place)?;
                    continue;
                }
            };
            self.at += operator.len();
            let empty = command == SimpleCommand::default();
            if empty && (!pipeline.commands.is_empty() || !matches!(operator, "" | "\n")) {
                if matches!(operator, "\n") && !pipeline.commands.is_empty() {
                    continue; // A line may end behind a pipe.
                }
                let shown = if operator.is_empty() { "newline" } else { operator };
                return Err(ShellError(format!(
                    "syntax error near unexpected token `{}'",
                    shown.replace('\n', "newline")
                )));
            }
            if !empty {
                pipeline.commands.push(std::mem::take(&mut command));
            }
            if operator == "|" {
                continue;
            }
            if !pipeline.commands.is_empty() {
                items.push((when, std::mem::take(&mut pipeline)));
            }
            when = match operator {
                "&&" => When::OnSuccess,
                "||" => When::OnFailure,
                // `cmd &&` may go on on the next line.
                "" | "\n" if empty => when,
                _ => When::Always,
            };
            if operator == "\n" {
                self.here_documents(&mut items)?;
            }
            if operator.is_empty() {
                break;
            }
        }
        if when != When::Always {
            return Err(ShellError("syntax error: unexpected end of file".into()));
        }
        if let Some(pending) = self.pending.first() {
            return Err(ShellError(format!("here-document wanted `{}'", pending.delimiter)));
        }
        Ok(Script { items: items.into() })
    }

    /// Skips blanks, escaped line ends and a comment.
    fn blanks(&mut self) {
        loop {
            if self.eat("\\\n") || self.eat("\\\r\n") || self.eat(" ") || self.eat("\t") || self.eat("\r") {
                continue;
            }
            if self.peek() == Some('#') {
                let length = self.rest().find('\n').unwrap_or(self.rest().len());
                self.at += length;
            }
            return;
        }
    }

    fn word_or_redirection(&mut self, command: &mut SimpleCommand, place: Place) -> Result<(), ShellError> {
        for (token, what) in [
            ("2>&1", Redirection::MergeStderr),
            ("2>/dev/null", Redirection::DropStderr),
            ("2> /dev/null", Redirection::DropStderr),
            ("<<-", Redirection::HereDocument(true)),
            ("<<<", Redirection::HereString),
            ("<<", Redirection::HereDocument(false)),
            ("<", Redirection::Input),
            ("&>", Redirection::OutputBoth),
            ("1>>", Redirection::Output),
            ("1>", Redirection::Output),
            (">>", Redirection::Output),
            (">", Redirection::Output),
        ] {
            if !self.eat(token) {
                continue;
            }
            match what {
                Redirection::MergeStderr => command.merges_stderr = true,
                Redirection::DropStderr => command.drops_stderr = true,
                _ => {
                    self.blanks();
                    let word = self.word()?.ok_or_else(|| unexpected(self.peek()))?;
                    match what {
                        Redirection::HereDocument(strips_tabs) => {
                            self.pending.push(Pending { command: place, delimiter: word, strips_tabs });
                        }
                        Redirection::HereString => command.here_document = Some(word + "\n"),
                        Redirection::Input => command.input_file = Some(word),
                        Redirection::OutputBoth => {
                            command.merges_stderr = true;
                            command.output_file = Some(word);
                        }
                        _ => command.output_file = Some(word),
                    }
                }
            }
            return Ok(());
        }
        if let Some(word) = self.word()? {
            command.words.push(word);
        }
        Ok(())
    }

    /// The next word with its quotes removed; `None` at an operator.
    fn word(&mut self) -> Result<Option<String>, ShellError> {
        let mut word = String::new();
        let start = self.at;
        while let Some(next) = self.peek() {
            match next {
                ' ' | '\t' | '\n' | '\r' | ';' | '|' | '&' | '<' | '>' | '(' | ')' => break,
                '\'' => {
                    self.bump();
                    let Some(length) = self.rest().find('\'') else { return Err(unclosed('\'')) };
                    word.push_str(self.rest().get(..length).unwrap_or(""));
                    self.at += length + 1;
                }
                '"' => {
                    self.bump();
                    self.double_quoted(&mut word)?;
                }
                '\\' => {
                    self.bump();
                    match self.bump() {
                        Some('\n') | None => {}
                        Some(escaped) => word.push(escaped),
                    }
                }
                '`' => return Err(no_substitution()),
                '$' if self.rest().starts_with("$(") => return Err(no_substitution()),
                _ => {
                    self.bump();
                    word.push(next);
                }
            }
        }
        Ok((self.at > start).then_some(word))
    }

    fn double_quoted(&mut self, word: &mut String) -> Result<(), ShellError> {
        loop {
            match self.bump() {
                None => return Err(unclosed('"')),
                Some('"') => return Ok(()),
                Some('`') => return Err(no_substitution()),
                Some('$') if self.peek() == Some('(') => return Err(no_substitution()),
                Some('\\') => match self.bump() {
                    Some('\n') | None => {}
                    Some(escaped @ ('"' | '\\' | '$' | '`')) => word.push(escaped),
                    Some(other) => word.extend(['\\', other]),
                },
                Some(other) => word.push(other),
            }
        }
    }

    /// Reads the here-documents that the line before announced.
    fn here_documents(&mut self, items: &mut [(When, Pipeline)]) -> Result<(), ShellError> {
        for Pending { command, delimiter, strips_tabs } in std::mem::take(&mut self.pending) {
            let mut text = String::new();
            loop {
                if self.rest().is_empty() {
                    return Err(ShellError(format!("here-document wanted `{delimiter}'")));
                }
                let length = self.rest().find('\n').map_or(self.rest().len(), |end| end + 1);
                let line = self.rest().get(..length).unwrap_or("").to_owned();
                self.at += length;
                let line = if strips_tabs { line.trim_start_matches('\t') } else { &line };
                if line.trim_end_matches(['\n', '\r']) == delimiter {
                    break;
                }
                text.push_str(line);
            }
            let Place(pipeline, index) = command;
            if let Some(command) = items.get_mut(pipeline).and_then(|(_, p)| p.commands.get_mut(index)) {
                command.here_document = Some(text);
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum Redirection {
    MergeStderr,
    DropStderr,
    HereDocument(bool),
    HereString,
    Input,
    Output,
    OutputBoth,
}

fn unexpected(token: Option<char>) -> ShellError {
    let token = match token {
        None | Some('\n') => "newline".to_owned(),
        Some(token) => token.to_string(),
    };
    ShellError(format!("syntax error near unexpected token `{token}'"))
}

fn unclosed(quote: char) -> ShellError {
    ShellError(format!("unexpected EOF while looking for matching `{quote}'"))
}

fn no_substitution() -> ShellError {
    ShellError("command substitution is not available here".into())
}

/// The commands of a text as a terminal takes them line by line: what is open at the end of a line (a quote, a
/// here-document, a pipe) goes on in the next. Empty lines and comments are left out.
pub fn lines(text: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut open = String::new();
    for line in text.lines() {
        open.push_str(line);
        if is_unfinished(&open) {
            open.push('\n');
            continue;
        }
        let command = std::mem::take(&mut open);
        if !command.trim().is_empty() && !command.trim_start().starts_with('#') {
            commands.push(command.trim().to_owned());
        }
    }
    // What never ends is bash's to refuse.
    commands.extend(Some(open.trim_end().to_owned()).filter(|open| !open.trim().is_empty()));
    commands
}

/// Quotes a word so that [`parse`] reads it back, and every shell, to which braces, brackets and stars mean something.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Vec<String>> {
        let script = parse(text).unwrap();
        script.items.into_iter().flat_map(|(_, pipeline)| pipeline.commands).map(|command| command.words).collect()
    }

    fn error(text: &str) -> String {
        parse(text).unwrap_err().0
    }

    #[test]
    fn words_lose_their_quotes() {
        assert_eq!(words("kubectl label node a 'b c'=d # note"), [["kubectl", "label", "node", "a", "b c=d"]]);
        assert_eq!(words(r#"x "a \"b\" $HOME \n" c\ d ''"#), [["x", r#"a "b" $HOME \n"#, "c d", ""]]);
        assert_eq!(words("a \\\n  b#c"), [["a", "b#c"]]);
        assert_eq!(words("# only a comment\n\n  "), Vec::<Vec<String>>::new());
    }

    #[test]
    fn operators_separate_commands() {
        let script = parse("a 1 && b || c; d\ne | f |\n g").unwrap();
        let shape: Vec<_> = script.items.iter().map(|(when, pipeline)| (*when, pipeline.commands.len())).collect();
        use When::*;
        assert_eq!(shape, [(Always, 1), (OnSuccess, 1), (OnFailure, 1), (Always, 1), (Always, 3)]);
    }

    #[test]
    fn unfinished_lines_go_on() {
        for text in ["a 'b", "a \\", "a |", "a &&", "a && b ||\n", "a <<EOF", "a <<EOF\nx\n", "a \"b\nc"] {
            assert!(is_unfinished(text), "{text:?}");
        }
        for text in ["a", "a 'b'", "a \\\\", "a | b", "# a |", "a <<EOF\nx\nEOF\n", "a; b\n", "a & b", ""] {
            assert!(!is_unfinished(text), "{text:?}");
        }
    }

    #[test]
    fn here_documents_belong_to_their_command() {
        let script = parse("kubectl apply -f - <<'EOF' | wc -l\nkind: x\n  a: \"b\"\nEOF\nkubectl get ds").unwrap();
        assert_eq!(script.items.len(), 2);
        let first = &script.items[0].1.commands;
        assert_eq!(first[0].here_document.as_deref(), Some("kind: x\n  a: \"b\"\n"));
        assert_eq!(first[0].words, ["kubectl", "apply", "-f", "-"]);
        assert_eq!(first[1].words, ["wc", "-l"]);
        let piped = parse("cat <<-E | kubectl create -f -\n\tx\n\tE\n").unwrap();
        assert_eq!(piped.items[0].1.commands[0].here_document.as_deref(), Some("x\n"));
    }

    #[test]
    fn a_pasted_text_is_taken_line_by_line() {
        let text = "# Two nodes.\nsim add-node a\n\nkubectl apply -f - <<E\nkind: x # no comment\n\nE\n  kubectl get \\\n  ds |\n wc -l\n";
        assert_eq!(
            lines(text),
            ["sim add-node a", "kubectl apply -f - <<E\nkind: x # no comment\n\nE", "kubectl get \\\n  ds |\n wc -l"]
        );
        assert_eq!(lines("echo 'a\nb"), ["echo 'a\nb"]);
        assert_eq!(lines("a; b\r\nc"), ["a; b", "c"]);
        assert!(lines("\n# only this\n").is_empty());
    }

    #[test]
    fn redirections_are_read() {
        let script = parse("a < in.yaml 2>/dev/null > /dev/null; b 2>&1").unwrap();
        let (a, b) = (&script.items[0].1.commands[0], &script.items[1].1.commands[0]);
        assert_eq!((a.input_file.as_deref(), a.drops_stderr), (Some("in.yaml"), true));
        assert_eq!((a.output_file.as_deref(), b.merges_stderr), (Some("/dev/null"), true));
    }

    #[test]
    fn what_bash_refuses_is_refused() {
        assert_eq!(error("a 'b"), "unexpected EOF while looking for matching `''");
        assert_eq!(error("a | | b"), "syntax error near unexpected token `|'");
        assert_eq!(error("&& a"), "syntax error near unexpected token `&&'");
        assert_eq!(error("a &&"), "syntax error: unexpected end of file");
        assert_eq!(error("a <<EOF\nb"), "here-document wanted `EOF'");
        assert_eq!(error("a $(b)"), "command substitution is not available here");
    }

    #[test]
    fn quoted_words_come_back() {
        for word in ["", "a", "a b", "it's", "{.items[*]}", "a=b:NoSchedule-", "$x", "é"] {
            assert_eq!(words(&quote(word)), [[word]], "{word}");
        }
    }

    #[test]
    fn what_a_real_shell_would_expand_is_quoted() {
        for word in ["jsonpath={.a,.b}", "a[0]", "*", "!", "it's", ""] {
            let quoted = quote(word);
            assert!(quoted.starts_with('\''), "{quoted}");
        }
        assert_eq!(quote("node/worker-1:key=value"), "node/worker-1:key=value");
    }
}
