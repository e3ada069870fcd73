//! Text to paths.

use super::{MAX_DEPTH, Node, Operand, Part};
use serde_json::Value;

pub(super) struct Parser<'t> {
    pub rest: &'t str,
    pub depth: usize,
    /// The text ended within a range.
    pub open_range: bool,
}

type Parsed<T> = std::result::Result<T, String>;

impl<'t> Parser<'t> {
    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest.strip_prefix(token);
        if let Some(rest) = found {
            self.rest = rest;
        }
        found.is_some()
    }

    fn take_until(&mut self, stops: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(stops).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    /// Text and actions, up to `{end}` when inside a range.
    pub fn parts(&mut self, in_range: bool) -> Parsed<Vec<Part>> {
        let mut parts = Vec::new();
        loop {
            let text = self.take_until(|c| c == '{');
            if !text.is_empty() {
                parts.push(Part::Text(text.into()));
            }
            if self.rest.is_empty() {
                self.open_range |= in_range;
                return Ok(parts);
            }
            self.eat("{");
            self.skip_blanks();
            if self.eat("range ") || self.eat("range\t") {
                let path = self.path('}')?;
                self.close()?;
                self.nest()?;
                let body = self.parts(true)?;
                self.depth -= 1;
                // A range that never ends takes the rest, which then comes once more for what is outside.
                let rest = if self.open_range { body.clone() } else { Vec::new() };
                parts.push(Part::Range(path, body));
                if self.open_range {
                    parts.extend(rest);
                    return Ok(parts);
                }
            } else if self.rest.starts_with("end")
                && self.rest.get(3..).is_some_and(|r| r.trim_start().starts_with('}'))
            {
                self.eat("end");
                self.close()?;
                if in_range {
                    return Ok(parts);
                }
                return Err("not in range, nothing to end".into());
            } else {
                // One action may hold several texts and paths.
                loop {
                    self.skip_blanks();
                    if self.eat("}") {
                        break;
                    }
                    match self.rest.chars().next() {
                        None => return Err("unclosed action".into()),
                        Some(quote @ ('"' | '\'')) => parts.push(Part::Text(self.quoted(quote)?)),
                        Some(_) => parts.push(Part::Path(self.path('}')?)),
                    }
                }
            }
        }
    }

    fn nest(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err("nested too deep".into()) } else { Ok(()) }
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn close(&mut self) -> Parsed<()> {
        self.skip_blanks();
        if self.eat("}") { Ok(()) } else { Err("unclosed action".into()) }
    }

    fn quoted(&mut self, quote: char) -> Parsed<String> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some(other) => text.push(other),
                    None => break,
                },
                c if c == quote => {
                    self.rest = self.rest.get(at + c.len_utf8()..).unwrap_or("");
                    return Ok(text);
                }
                c => text.push(c),
            }
        }
        Err("unterminated quoted string".into())
    }

    /// Steps up to a blank or the closing bracket.
    fn path(&mut self, closing: char) -> Parsed<Vec<Node>> {
        let mut nodes = Vec::new();
        self.skip_blanks();
        loop {
            match self.rest.chars().next() {
                None => {
                    return Err(if closing == '}' { "unclosed action".into() } else { "unterminated filter".into() });
                }
                Some(c) if c == closing || c.is_whitespace() || (closing == ')' && "=!<>".contains(c)) => {
                    return Ok(nodes);
                }
                Some('$') => {
                    self.eat("$");
                    nodes.push(Node::Root);
                }
                Some('@') => drop(self.eat("@")),
                Some('.') => {
                    self.eat(".");
                    if self.eat(".") {
                        nodes.push(Node::Recursive);
                    }
                    if self.eat("*") {
                        nodes.push(Node::Wildcard);
                    } else {
                        let name = self.name();
                        if !name.is_empty() {
                            nodes.push(Node::Field(name));
                        } else if !self.rest.starts_with('[')
                            && !self.rest.starts_with(closing)
                            && !self.rest.is_empty()
                        {
                            return Err(format!(
                                "unrecognized character in action: {:?}",
                                self.rest.chars().next().unwrap_or(' ')
                            ));
                        }
                    }
                }
                Some('[') => {
                    self.eat("[");
                    self.nest()?;
                    nodes.push(self.brackets()?);
                    self.depth -= 1;
                }
                Some('*') => {
                    self.eat("*");
                    nodes.push(Node::Wildcard);
                }
                Some(c) if c.is_alphanumeric() || c == '_' || c == '-' || c == '+' => {
                    let word = self.take_until(|c| !(c.is_alphanumeric() || "_-+.".contains(c)));
                    match word.parse::<f64>() {
                        Ok(_) => nodes.push(Node::Literal(number(word))),
                        Err(_) if word == "true" || word == "false" => {
                            nodes.push(Node::Literal(Value::Bool(word == "true")));
                        }
                        Err(_) => return Err(format!("unrecognized identifier {word}")),
                    }
                }
                Some(c) => return Err(format!("unrecognized character in action: U+{:04X} '{c}'", u32::from(c))),
            }
        }
    }

    /// A field's name; a backslash takes the meaning off the next character.
    fn name(&mut self) -> String {
        let mut name = String::new();
        let mut chars = self.rest.char_indices();
        let mut end = self.rest.len();
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => name.extend(chars.next().map(|(_, c)| c)),
                '.' | '[' | ']' | '{' | '}' | '(' | ')' | '=' | '!' | '<' | '>' | ',' | '@' | '$' | '*' | '\''
                | '"' => {
                    end = at;
                    break;
                }
                c if c.is_whitespace() => {
                    end = at;
                    break;
                }
                c => name.push(c),
            }
        }
        self.rest = self.rest.get(end..).unwrap_or("");
        name
    }

    /// What stands between brackets.
    fn brackets(&mut self) -> Parsed<Node> {
        self.skip_blanks();
        if self.eat("*") {
            self.skip_blanks();
            return if self.eat("]") { Ok(Node::Wildcard) } else { Err("unterminated array".into()) };
        }
        if self.eat("?(") {
            return self.filter();
        }
        // Double quotes name no member here.
        if self.rest.starts_with(['\'', '.']) {
            let mut paths = Vec::new();
            loop {
                self.skip_blanks();
                match self.rest.chars().next() {
                    Some(quote @ ('\'' | '"')) => paths.push(vec![Node::Field(self.quoted(quote)?)]),
                    Some('.') => {
                        let text = self.take_until(|c| c == ',' || c == ']');
                        let mut inner = Parser { rest: &format!("{text}}}"), depth: self.depth, open_range: false };
                        inner.nest()?;
                        paths.push(inner.path('}')?);
                    }
                    _ => return Err("unterminated array".into()),
                }
                self.skip_blanks();
                if self.eat("]") {
                    return Ok(match paths.len() {
                        1 => match paths.remove(0).into_iter().next() {
                            Some(node @ Node::Field(_)) => node,
                            Some(node) => Node::Union(vec![vec![node]]),
                            None => Node::Union(Vec::new()),
                        },
                        _ => Node::Union(paths),
                    });
                }
                if !self.eat(",") {
                    return Err("unterminated array".into());
                }
            }
        }
        let inner = self.take_until(|c| c == ']').trim();
        if !self.eat("]") {
            return Err("unterminated array".into());
        }
        let invalid = || format!("invalid array index {inner}");
        if inner.contains(',') {
            let indices: Parsed<Vec<Vec<Node>>> = inner
                .split(',')
                .map(|index| index.trim().parse().map(|index| vec![Node::Index(index)]).map_err(|_| invalid()))
                .collect();
            return Ok(Node::Union(indices?));
        }
        if inner.contains(':') {
            let mut bounds = inner.split(':').map(|bound| match bound.trim() {
                "" => Ok(None),
                text => text.parse::<i64>().map(Some).map_err(|_| invalid()),
            });
            let mut next = || bounds.next().unwrap_or(Ok(None));
            return Ok(Node::Slice(next()?, next()?, next()?));
        }
        inner.parse().map(Node::Index).map_err(|_| invalid())
    }

    fn filter(&mut self) -> Parsed<Node> {
        let left = self.operand()?;
        self.skip_blanks();
        let mut operator = String::new();
        for token in ["==", "!=", "<=", ">=", "<", ">"] {
            if self.eat(token) {
                operator = token.into();
                break;
            }
        }
        let right = if operator.is_empty() { Operand::Literal(Value::Null) } else { self.operand()? };
        self.skip_blanks();
        if !self.eat(")") {
            return Err("unterminated filter".into());
        }
        self.skip_blanks();
        if !self.eat("]") {
            return Err("unclosed array expect ]".into());
        }
        Ok(Node::Filter(Box::new(left), operator, Box::new(right)))
    }

    fn operand(&mut self) -> Parsed<Operand> {
        self.skip_blanks();
        match self.rest.chars().next() {
            Some(quote @ ('"' | '\'')) => Ok(Operand::Literal(Value::String(self.quoted(quote)?))),
            Some('@' | '.' | '$') => Ok(Operand::Path(self.path(')')?)),
            _ => {
                let word = self.take_until(|c| c == ')' || c.is_whitespace() || "=!<>".contains(c));
                Ok(Operand::Literal(match word {
                    "true" | "false" => Value::Bool(word == "true"),
                    "" => return Err("unterminated filter".into()),
                    _ => match word.parse::<f64>() {
                        Ok(_) => number(word),
                        Err(_) => return Err(format!("unrecognized identifier {word}")),
                    },
                }))
            }
        }
    }
}

fn number(word: &str) -> Value {
    match word.parse::<i64>() {
        Ok(whole) => Value::from(whole),
        Err(_) => word.parse::<f64>().map_or(Value::Null, Value::from),
    }
}
