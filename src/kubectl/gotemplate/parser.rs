//! Text to actions.

use super::{MAX_DEPTH, Node, Parsed, Pipe, Term};
use serde_json::Value;

/// Reads the whole of a template.
///
/// # Errors
/// What Go's parser says.
pub(super) fn parse(text: &str) -> Parsed<Vec<Node>> {
    let mut pieces = split(text)?;
    pieces.reverse();
    let (nodes, end) = Blocks { pieces, depth: 0 }.block()?;
    if end == Stop::Template { Ok(nodes) } else { Err("unexpected {{end}}".into()) }
}

enum Piece {
    Text(String),
    Action(String),
}

/// Takes text and `{{…}}` apart; `{{-` and `-}}` eat the blanks beside them.
fn split(text: &str) -> Parsed<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut trims = false;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((action, tail)) = after.split_once("}}") else { return Err("unclosed action".into()) };
        let left = action.starts_with("- ") || action.starts_with("-\n");
        let mut plain = if trims { before.trim_start() } else { before };
        if left {
            plain = plain.trim_end();
        }
        pieces.push(Piece::Text(plain.into()));
        let action = if left { action.get(1..).unwrap_or("") } else { action };
        trims = action.ends_with(" -") || action.ends_with("\n-");
        let action = if trims { action.strip_suffix('-').unwrap_or(action) } else { action }.trim();
        if !action.starts_with("/*") {
            pieces.push(Piece::Action(action.into()));
        }
        rest = tail;
    }
    pieces.push(Piece::Text(if trims { rest.trim_start() } else { rest }.into()));
    Ok(pieces)
}

/// What ends a block.
#[derive(PartialEq, Eq)]
enum Stop {
    Template,
    Closed,
    Else(String),
}

struct Blocks {
    /// Last first.
    pieces: Vec<Piece>,
    depth: usize,
}

impl Blocks {
    fn block(&mut self) -> Parsed<(Vec<Node>, Stop)> {
        let mut nodes = Vec::new();
        while let Some(piece) = self.pieces.pop() {
            let action = match piece {
                Piece::Text(text) => {
                    if !text.is_empty() {
                        nodes.push(Node::Text(text));
                    }
                    continue;
                }
                Piece::Action(action) => action,
            };
            let (word, rest) = action.split_once(char::is_whitespace).unwrap_or((&action, ""));
            match word {
                "end" => return Ok((nodes, Stop::Closed)),
                "else" => return Ok((nodes, Stop::Else(rest.trim().to_owned()))),
                "if" | "with" | "range" => {
                    let node = self.branch(word, rest)?;
                    nodes.push(node);
                }
                _ => nodes.push(match assignment(&action) {
                    Some((name, rest)) => Node::Set(name, pipe(rest)?),
                    None => Node::Print(pipe(&action)?),
                }),
            }
        }
        Ok((nodes, Stop::Template))
    }

    fn branch(&mut self, word: &str, rest: &str) -> Parsed<Node> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("nested too deep".into());
        }
        let (variables, rest) = match rest.split_once(":=") {
            Some((names, rest)) if word == "range" => {
                (names.split(',').map(|name| name.trim().to_owned()).collect(), rest)
            }
            _ => (Vec::new(), rest),
        };
        let condition = pipe(rest)?;
        let (then, end) = self.block()?;
        let otherwise = match end {
            Stop::Template => return Err("unexpected EOF".into()),
            Stop::Closed => Vec::new(),
            Stop::Else(rest) if rest.is_empty() => match self.block()? {
                (nodes, Stop::Closed) => nodes,
                _ => return Err("unexpected EOF".into()),
            },
            Stop::Else(rest) => {
                // `{{else if x}}` shares the end of the outer one.
                let (word, rest) = rest.split_once(char::is_whitespace).unwrap_or((&rest, ""));
                vec![self.branch(word, rest)?]
            }
        };
        self.depth -= 1;
        Ok(match word {
            "if" => Node::If(condition, then, otherwise),
            "with" => Node::With(condition, then, otherwise),
            _ => Node::Range(variables, condition, then, otherwise),
        })
    }
}

/// `$x := …`
fn assignment(action: &str) -> Option<(String, &str)> {
    let (name, rest) = action.split_once('=')?;
    let name = name.trim_end_matches(':').trim();
    let is_name = name.starts_with('$') && name.chars().skip(1).all(|c| c.is_alphanumeric() || c == '_');
    is_name.then(|| (name.to_owned(), rest))
}

fn pipe(text: &str) -> Parsed<Pipe> {
    let mut reader = Reader { rest: text.trim(), depth: 0 };
    let pipe = reader.pipe()?;
    if reader.rest.is_empty() { Ok(pipe) } else { Err(format!("unexpected {:?} in operand", reader.rest)) }
}

struct Reader<'t> {
    rest: &'t str,
    depth: usize,
}

impl Reader<'_> {
    fn pipe(&mut self) -> Parsed<Pipe> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("nested too deep".into());
        }
        let mut commands = vec![Vec::new()];
        loop {
            self.rest = self.rest.trim_start();
            match self.rest.chars().next() {
                None | Some(')') => break,
                Some('|') => {
                    self.rest = self.rest.get(1..).unwrap_or("");
                    commands.push(Vec::new());
                }
                Some(_) => {
                    let term = self.term()?;
                    if let Some(command) = commands.last_mut() {
                        command.push(term);
                    }
                }
            }
        }
        self.depth -= 1;
        if commands.iter().any(Vec::is_empty) { Err("missing value for command".into()) } else { Ok(Pipe(commands)) }
    }

    fn word(&mut self) -> &str {
        let end = self.rest.find(|c: char| c.is_whitespace() || "()|\"`".contains(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        word
    }

    fn term(&mut self) -> Parsed<Term> {
        let first = self.rest.chars().next().unwrap_or(' ');
        match first {
            '(' => {
                self.rest = self.rest.get(1..).unwrap_or("");
                let inner = self.pipe()?;
                self.rest = self.rest.strip_prefix(')').ok_or("unclosed left paren")?;
                let fields = if self.rest.starts_with('.') { fields(self.word()) } else { Vec::new() };
                Ok(Term::Group(inner, fields))
            }
            '"' | '`' => {
                let mut text = String::new();
                let mut chars = self.rest.char_indices().skip(1);
                while let Some((at, c)) = chars.next() {
                    match c {
                        '\\' if first == '"' => text.extend(chars.next().map(|(_, c)| match c {
                            'n' => '\n',
                            't' => '\t',
                            'r' => '\r',
                            other => other,
                        })),
                        c if c == first => {
                            self.rest = self.rest.get(at + 1..).unwrap_or("");
                            return Ok(Term::Literal(Value::String(text)));
                        }
                        c => text.push(c),
                    }
                }
                Err("unterminated quoted string".into())
            }
            '.' => Ok(Term::Path(None, fields(self.word()))),
            '$' => {
                let word = self.word().to_owned();
                let (name, rest) = word.split_once('.').unwrap_or((&word, ""));
                Ok(Term::Path(Some(name.into()), fields(rest)))
            }
            _ => {
                let word = self.word().to_owned();
                Ok(match word.as_str() {
                    "" => return Err(format!("unexpected {first:?} in operand")),
                    "true" | "false" => Term::Literal(Value::Bool(word == "true")),
                    "nil" => Term::Literal(Value::Null),
                    _ => match (word.parse::<i64>(), word.parse::<f64>()) {
                        (Ok(whole), _) => Term::Literal(whole.into()),
                        (_, Ok(number)) => Term::Literal(number.into()),
                        _ if FUNCTIONS.contains(&word.as_str()) => Term::Word(word),
                        _ => return Err(format!("function {word:?} not defined")),
                    },
                })
            }
        }
    }
}

const FUNCTIONS: [&str; 18] = [
    "and",
    "or",
    "not",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "len",
    "index",
    "slice",
    "print",
    "printf",
    "println",
    "html",
    "exists",
    "base64decode",
];

fn fields(text: &str) -> Vec<String> {
    text.split('.').filter(|part| !part.is_empty()).map(str::to_owned).collect()
}
