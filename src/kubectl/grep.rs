//! Regular expressions, as far as people use them behind `grep`: literals, `.`, classes, `*`, `+`, `?`, groups, `|`,
//! anchors, `\b`.

use super::flags::Flags;

/// What `grep` looks for.
pub(crate) struct Matcher {
    pattern: Pattern,
    ignores_case: bool,
    whole_words: bool,
    whole_lines: bool,
}

enum Pattern {
    Fixed(String),
    Expression(Node),
}

#[derive(Clone, Debug)]
enum Node {
    Empty,
    Char(char),
    Any,
    Class(Vec<(char, char)>, bool),
    Start,
    End,
    WordEdge,
    Sequence(Vec<Node>),
    Either(Vec<Node>),
    Repeat(Box<Node>, usize, Option<usize>),
}

/// Steps of one match, so that a nasty expression ends.
const BUDGET: usize = 200_000;
/// Nesting of groups.
const MAX_DEPTH: usize = 40;

impl Matcher {
    /// Reads the pattern.
    ///
    /// # Errors
    /// In grep's words.
    pub fn new(text: &str, flags: &Flags, extended: bool, fixed: bool) -> Result<Self, String> {
        let ignores_case = flags.is_on("ignore-case");
        let text = if ignores_case { text.to_lowercase() } else { text.to_owned() };
        let pattern = if fixed || flags.is_on("fixed-strings") {
            Pattern::Fixed(text)
        } else {
            let extended = extended || flags.is_on("extended-regexp") || flags.is_on("perl-regexp");
            let chars: Vec<char> = text.chars().collect();
            let mut parser = Parser { chars: &chars, at: 0, extended, depth: 0 };
            let node = parser.either()?;
            if parser.at < chars.len() {
                return Err("Unmatched ) or \\)".into());
            }
            Pattern::Expression(node)
        };
        let (whole_words, whole_lines) = (flags.is_on("word-regexp"), flags.is_on("line-regexp"));
        Ok(Self { pattern, ignores_case, whole_words, whole_lines })
    }

    /// The lines that match, and 0, or 1 if none does.
    pub fn run(&self, lines: &[&str], flags: &Flags) -> (String, i32) {
        let around = |flag: &str| {
            let lines = flags.int(flag).or_else(|| flags.int("context")).unwrap_or(0);
            usize::try_from(lines).unwrap_or(0)
        };
        let (after, before) = (around("after-context"), around("before-context"));
        let mut limit = flags.int("max-count").and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
        let mut matched = vec![false; lines.len()];
        for (line, hit) in lines.iter().zip(matched.iter_mut()) {
            if limit > 0 && self.find(line).is_some() != flags.is_on("invert-match") {
                *hit = true;
                limit -= 1;
            }
        }
        let count = matched.iter().filter(|hit| **hit).count();
        let exit = i32::from(count == 0);
        if flags.is_on("quiet") {
            return (String::new(), exit);
        }
        if flags.is_on("count") {
            return (format!("{count}\n"), exit);
        }
        let mut out = String::new();
        let mut last_shown: Option<usize> = None;
        for (at, line) in lines.iter().enumerate() {
            let near = matched
                .get(at.saturating_sub(after)..at.saturating_add(before).saturating_add(1).min(matched.len()))
                .unwrap_or_default()
                .contains(&true);
            if !near {
                continue;
            }
            if after + before > 0 && last_shown.is_some_and(|last| last + 1 < at) {
                out.push_str("--\n");
            }
            last_shown = Some(at);
            let is_match = matched.get(at).copied().unwrap_or(false);
            let shown = if flags.is_on("only-matching") && is_match {
                self.find(line).unwrap_or_default()
            } else {
                (*line).to_owned()
            };
            if flags.is_on("line-number") {
                out.push_str(&format!("{}{}", at + 1, if is_match { ':' } else { '-' }));
            }
            out.push_str(&shown);
            out.push('\n');
        }
        (out, exit)
    }

    /// The first match in a line.
    fn find(&self, line: &str) -> Option<String> {
        let lower = if self.ignores_case { line.to_lowercase() } else { line.to_owned() };
        let chars: Vec<char> = lower.chars().collect();
        let word =
            |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(|c| c.is_alphanumeric() || *c == '_');
        for start in 0..=chars.len() {
            let ends = match &self.pattern {
                Pattern::Fixed(text) => {
                    let wanted: Vec<char> = text.chars().collect();
                    let end = start.saturating_add(wanted.len());
                    if chars.get(start..end) == Some(wanted.as_slice()) { vec![end] } else { Vec::new() }
                }
                Pattern::Expression(node) => {
                    let mut budget = BUDGET;
                    let mut ends = Vec::new();
                    step(node, &chars, start, &mut budget, &mut |end| {
                        ends.push(end);
                        false
                    });
                    ends
                }
            };
            let end = ends.into_iter().filter(|end| {
                (!self.whole_lines || (start == 0 && *end == chars.len()))
                    && (!self.whole_words || (!word(start.checked_sub(1)) && !word(Some(*end))))
            });
            if let Some(end) = end.max() {
                return Some(line.chars().skip(start).take(end.saturating_sub(start)).collect());
            }
        }
        None
    }
}

/// Matches a node at a place and hands each end to `next`, until that returns true or the budget is used up.
fn step(node: &Node, text: &[char], at: usize, budget: &mut usize, next: &mut dyn FnMut(usize) -> bool) -> bool {
    if *budget == 0 {
        return true;
    }
    *budget -= 1;
    let here = text.get(at).copied();
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    match node {
        Node::Empty => next(at),
        Node::Char(wanted) => here == Some(*wanted) && next(at + 1),
        Node::Any => here.is_some() && next(at + 1),
        Node::Class(ranges, negated) => {
            let inside = |c: char| ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *negated;
            here.is_some_and(inside) && next(at + 1)
        }
        Node::Start => at == 0 && next(at),
        Node::End => at == text.len() && next(at),
        Node::WordEdge => {
            let before = at.checked_sub(1).and_then(|at| text.get(at)).copied();
            is_word(before) != is_word(here) && next(at)
        }
        Node::Sequence(nodes) => match nodes.split_first() {
            None => next(at),
            Some((first, [])) => step(first, text, at, budget, next),
            Some((first, rest)) => {
                let rest = Node::Sequence(rest.to_vec());
                // The budget is shared by what follows.
                let mut ends = Vec::new();
                step(first, text, at, budget, &mut |end| {
                    ends.push(end);
                    false
                });
                ends.into_iter().any(|end| step(&rest, text, end, budget, next))
            }
        },
        Node::Either(nodes) => nodes.iter().any(|node| step(node, text, at, budget, next)),
        Node::Repeat(inner, least, most) => {
            let mut reached = vec![at];
            let mut ends: Vec<usize> = if *least == 0 { vec![at] } else { Vec::new() };
            let mut times = 0;
            while most.is_none_or(|most| times < most) {
                times += 1;
                let mut further: Vec<usize> = Vec::new();
                for from in &reached {
                    step(inner, text, *from, budget, &mut |end| {
                        if end > *from && !further.contains(&end) {
                            further.push(end);
                        }
                        false
                    });
                }
                if further.is_empty() || *budget == 0 {
                    break;
                }
                if times >= *least {
                    further
                        .iter()
                        .filter(|end| !ends.contains(end))
                        .copied()
                        .collect::<Vec<_>>()
                        .into_iter()
                        .for_each(|end| ends.push(end));
                }
                reached = further;
            }
            ends.into_iter().rev().any(next)
        }
    }
}

struct Parser<'p> {
    chars: &'p [char],
    at: usize,
    extended: bool,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    /// Whether the next characters are this operator: bare in extended expressions, behind a backslash in basic ones.
    fn operator(&mut self, sign: char) -> bool {
        let escaped = self.peek() == Some('\\') && self.chars.get(self.at + 1) == Some(&sign);
        let found = if self.extended { self.peek() == Some(sign) } else { escaped };
        if found {
            self.at += if self.extended { 1 } else { 2 };
        }
        found
    }

    fn sees(&self, sign: char) -> bool {
        let escaped = self.peek() == Some('\\') && self.chars.get(self.at + 1) == Some(&sign);
        if self.extended { self.peek() == Some(sign) } else { escaped }
    }

    fn either(&mut self) -> Result<Node, String> {
        let mut nodes = vec![self.sequence()?];
        while self.operator('|') {
            nodes.push(self.sequence()?);
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::Either(nodes) })
    }

    fn sequence(&mut self) -> Result<Node, String> {
        let mut nodes = Vec::new();
        while self.peek().is_some() && !self.sees('|') && !(self.sees(')') && self.depth > 0) {
            let mut node = self.atom(nodes.is_empty())?;
            loop {
                node = if self.peek() == Some('*') {
                    self.at += 1;
                    Node::Repeat(Box::new(node), 0, None)
                } else if self.operator('+') {
                    Node::Repeat(Box::new(node), 1, None)
                } else if self.operator('?') {
                    Node::Repeat(Box::new(node), 0, Some(1))
                } else if self.sees('{') && self.braces().is_some() {
                    let (least, most, length) = self.braces().unwrap_or((1, Some(1), 0));
                    self.at += length;
                    Node::Repeat(Box::new(node), least, most)
                } else {
                    break;
                };
            }
            nodes.push(node);
        }
        Ok(match nodes.len() {
            0 => Node::Empty,
            1 => nodes.remove(0),
            _ => Node::Sequence(nodes),
        })
    }

    /// `{2}`, `{2,}`, `{2,4}` and its length.
    fn braces(&self) -> Option<(usize, Option<usize>, usize)> {
        let open = if self.extended { 1 } else { 2 };
        let rest = self.chars.get(self.at + open..)?;
        let close = rest.iter().position(|c| *c == '}')?;
        let inner: String = rest.get(..close)?.iter().collect();
        let inner = inner.trim_end_matches('\\');
        let (least, most) = match inner.split_once(',') {
            None => (inner.parse().ok()?, Some(inner.parse().ok()?)),
            Some((least, "")) => (least.parse().ok()?, None),
            Some((least, most)) => (least.parse().ok()?, Some(most.parse().ok()?)),
        };
        (least <= 1000 && most.is_none_or(|most| most <= 1000)).then_some((least, most, open + close + 1))
    }

    fn atom(&mut self, is_first: bool) -> Result<Node, String> {
        if self.sees('(') {
            self.operator('(');
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err("regular expression is too large".into());
            }
            let node = self.either()?;
            if !self.operator(')') {
                return Err("Unmatched ( or \\(".into());
            }
            self.depth -= 1;
            return Ok(node);
        }
        let Some(c) = self.peek() else { return Ok(Node::Empty) };
        self.at += 1;
        Ok(match c {
            '.' => Node::Any,
            '^' if self.extended || is_first => Node::Start,
            '$' if self.extended || self.peek().is_none() || self.sees('|') || self.sees(')') => Node::End,
            '[' => return self.class(),
            '\\' => {
                let escaped = self.peek().ok_or("Trailing backslash")?;
                self.at += 1;
                match escaped {
                    'b' => Node::WordEdge,
                    'd' => Node::Class(vec![('0', '9')], false),
                    'w' => Node::Class(vec![('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')], false),
                    's' => Node::Class(vec![(' ', ' '), ('\t', '\t')], false),
                    'S' => Node::Class(vec![(' ', ' '), ('\t', '\t')], true),
                    other => Node::Char(other),
                }
            }
            other => Node::Char(other),
        })
    }

    fn class(&mut self) -> Result<Node, String> {
        let negated = self.peek() == Some('^');
        if negated {
            self.at += 1;
        }
        let mut ranges = Vec::new();
        loop {
            let c = self.peek().ok_or("Unmatched [, [^, [:, [., or [=")?;
            self.at += 1;
            if c == ']' && !ranges.is_empty() {
                return Ok(Node::Class(ranges, negated));
            }
            if c == '[' && self.peek() == Some(':') {
                let rest: String = self.chars.get(self.at + 1..).unwrap_or_default().iter().collect();
                let Some((name, _)) = rest.split_once(":]") else { return Err("Unmatched [".into()) };
                self.at += name.chars().count() + 3;
                ranges.extend(match name {
                    "digit" => vec![('0', '9')],
                    "alpha" => vec![('a', 'z'), ('A', 'Z')],
                    "alnum" => vec![('a', 'z'), ('A', 'Z'), ('0', '9')],
                    "lower" => vec![('a', 'z')],
                    "upper" => vec![('A', 'Z')],
                    "space" | "blank" => vec![(' ', ' '), ('\t', '\t')],
                    _ => return Err("Invalid character class name".into()),
                });
                continue;
            }
            match (self.peek(), self.chars.get(self.at + 1)) {
                (Some('-'), Some(to)) if *to != ']' => {
                    ranges.push((c, *to));
                    self.at += 2;
                }
                _ => ranges.push((c, c)),
            }
        }
    }
}
