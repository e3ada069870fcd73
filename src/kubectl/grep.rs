//! Regular expressions, as far as people use them behind `grep`: literals, `.`, classes, `*`, `+`, `?`, groups, `|`,
//! anchors, `\b`.

use super::flags::Flags;
use crate::order::Collect;
use std::cell::Cell;
use std::collections::BTreeSet;

/// What `grep` looks for.
pub(crate) struct Matcher {
    pattern: Pattern,
    ignores_case: bool,
    whole_words: bool,
    whole_lines: bool,
    budget: Cell<usize>,
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

/// Steps of one search, so that a nasty expression ends within a second.
const BUDGET: usize = 5_000_000;
/// Nesting of groups.
const MAX_DEPTH: usize = 40;

impl Matcher {
    /// Reads the pattern.
    ///
    /// # Errors
    /// In grep's words.
    pub fn new(text: &str, flags: &Flags, extended: bool, fixed: bool) -> Result<Self, String> {
        let ignores_case = flags.is_on("ignore-case");
        let text = if ignores_case { folded(text) } else { text.to_owned() };
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
        Ok(Self { pattern, ignores_case, whole_words, whole_lines, budget: Cell::new(BUDGET) })
    }

    /// The lines that match, and 0, or 1 if none does.
    ///
    /// # Errors
    /// What `grep` says where an expression is too costly.
    pub fn run(&self, lines: &[&str], flags: &Flags) -> Result<(String, i32), String> {
        let found = self.search(lines, flags);
        if self.budget.get() == 0 { Err("memory exhausted".into()) } else { Ok(found) }
    }

    fn search(&self, lines: &[&str], flags: &Flags) -> (String, i32) {
        let around = |flag: &str| {
            let lines = flags.int(flag).or_else(|| flags.int("context")).unwrap_or(0);
            usize::try_from(lines).unwrap_or(0)
        };
        let (after, before) = (around("after-context"), around("before-context"));
        let mut limit = flags.int("max-count").and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
        let mut matched = vec![false; lines.len()];
        for (line, hit) in lines.iter().zip(matched.iter_mut()) {
            if limit > 0 && self.is_in(line) != flags.is_on("invert-match") {
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

    /// Whether a line matches: all places at once, where it does not matter which one it is.
    fn is_in(&self, line: &str) -> bool {
        let Pattern::Expression(node) = &self.pattern else { return self.find(line).is_some() };
        if self.whole_words || self.whole_lines {
            return self.find(line).is_some();
        }
        let chars = self.chars(line);
        !ends(node, &chars, &(0..=chars.len()).collect(), &self.budget).is_empty()
    }

    fn chars(&self, line: &str) -> Vec<char> {
        if self.ignores_case { line.to_lowercase().chars().collect() } else { line.chars().collect() }
    }

    /// The first match in a line.
    fn find(&self, line: &str) -> Option<String> {
        let chars = self.chars(line);
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
                    ends(node, &chars, &[start].into_iter().collect_set(), &self.budget).into_iter().collect()
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

/// Where matches of a node end that begin at one of these places. Sets of places instead of backtracking: no expression
/// takes longer than the text times its own size, loops apart, which the budget bounds.
fn ends(node: &Node, text: &[char], starts: &BTreeSet<usize>, budget: &Cell<usize>) -> BTreeSet<usize> {
    let Some(left) = budget.get().checked_sub(starts.len().max(1)) else {
        budget.set(0);
        return BTreeSet::new();
    };
    budget.set(left);
    let is_word = |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(|c| c.is_alphanumeric() || *c == '_');
    let one = |fits: &dyn Fn(char) -> bool| -> BTreeSet<usize> {
        starts.iter().filter(|at| text.get(**at).is_some_and(|c| fits(*c))).map(|at| at.saturating_add(1)).collect()
    };
    let places = |fits: &dyn Fn(usize) -> bool| -> BTreeSet<usize> {
        starts.iter().copied().filter(|at| fits(*at)).collect_set()
    };
    match node {
        Node::Empty => starts.clone(),
        Node::Char(wanted) => one(&|c| c == *wanted),
        Node::Any => one(&|_| true),
        Node::Class(ranges, negated) => {
            one(&|c| ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *negated)
        }
        Node::Start => places(&|at| at == 0),
        Node::End => places(&|at| at == text.len()),
        Node::WordEdge => places(&|at| is_word(at.checked_sub(1)) != is_word(Some(at))),
        Node::Sequence(nodes) => {
            let mut reached = starts.clone();
            for node in nodes {
                reached = ends(node, text, &reached, budget);
                if reached.is_empty() {
                    break;
                }
            }
            reached
        }
        Node::Either(nodes) => nodes.iter().flat_map(|node| ends(node, text, starts, budget)).collect(),
        Node::Repeat(inner, least, most) => {
            let mut found: BTreeSet<usize> = if *least == 0 { starts.clone() } else { BTreeSet::new() };
            let mut reached = starts.clone();
            let mut times = 0usize;
            while most.is_none_or(|most| times < most) {
                times = times.saturating_add(1);
                let mut further = ends(inner, text, &reached, budget);
                if times >= *least {
                    // From a place that was there before, the loop goes on as it did then.
                    if *least <= 1 {
                        further.retain(|end| !found.contains(end));
                    }
                    found.extend(&further);
                }
                if further.is_empty() || budget.get() == 0 || times > text.len().saturating_add(*least) {
                    break;
                }
                reached = further;
            }
            found
        }
    }
}

/// A loop; a loop around a loop is one: `a**`, `(a+)*`.
fn repeated(node: Node, least: usize, most: Option<usize>) -> Node {
    match (node, least, most) {
        (Node::Repeat(inner, below, None), least, _) if below <= 1 => Node::Repeat(inner, below.min(least), None),
        (Node::Repeat(inner, 0, Some(1)), _, most) => Node::Repeat(inner, 0, most),
        (node, least, most) => Node::Repeat(Box::new(node), least, most),
    }
}

/// A pattern in small letters, but for what stands behind a backslash.
fn folded(pattern: &str) -> String {
    let mut escaped = false;
    let mut folded = String::new();
    for c in pattern.chars() {
        if escaped {
            folded.push(c);
        } else {
            folded.extend(c.to_lowercase());
        }
        escaped = c == '\\' && !escaped;
    }
    folded
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
            for nested in 0.. {
                if nested > MAX_DEPTH {
                    return Err("Regular expression too big".into());
                }
                node = if self.peek() == Some('*') {
                    self.at += 1;
                    repeated(node, 0, None)
                } else if self.operator('+') {
                    repeated(node, 1, None)
                } else if self.operator('?') {
                    repeated(node, 0, Some(1))
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
                return Err("Regular expression too big".into());
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
                    'b' | '<' | '>' => Node::WordEdge,
                    'd' => Node::Class(vec![('0', '9')], false),
                    'w' | 'W' => Node::Class(vec![('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')], escaped == 'W'),
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

#[cfg(test)]
mod tests {
    use crate::kubectl::Context;
    use crate::kubectl::filters;

    fn grep(arguments: &[&str], input: &str) -> (String, i32) {
        let words: Vec<String> = std::iter::once(&"grep").chain(arguments).map(|word| (*word).to_owned()).collect();
        let found = filters::run(&words, input, &Context::default()).expect("grep is there");
        (found.out + &found.err, found.exit)
    }

    #[track_caller]
    fn finds(arguments: &[&str], input: &str, expected: &str) {
        assert_eq!(grep(arguments, input), (expected.to_owned(), i32::from(expected.is_empty())), "{arguments:?}");
    }

    #[test]
    fn the_longest_match_of_the_first_place_is_shown() {
        finds(&["-oE", "a|ab|abc"], "xabcabc\n", "abc\n");
        finds(&["-o", "wor.*r"], "node worker-1 Ready\n", "worker\n");
        finds(&["-oE", "(wor|ker)+-[0-9]"], "worker-1\n", "worker-1\n");
    }

    #[test]
    fn loops_count() {
        finds(&["-E", "^a{2,3}$"], "a\naa\naaa\naaaa\n", "aa\naaa\n");
        finds(&["-E", "^(ab?){2}$"], "a\naab\nabab\naaa\n", "aab\nabab\n");
        finds(&["-E", "^(a+){3}$"], "aa\naaa\naaaa\n", "aaa\naaaa\n");
        finds(&["-E", "^(a+)?b$"], "b\naab\nab-\n", "b\naab\n");
        finds(&["^a\\{2\\}$"], "a\naa\n", "aa\n");
    }

    #[test]
    fn words_lines_and_case() {
        finds(&["-w", "node-1"], "node-1 Ready\nnode-10 Ready\n", "node-1 Ready\n");
        finds(&["-x", "node-1"], "node-1\nnode-10\n", "node-1\n");
        finds(&["-i", "ready\\S"], "Ready \nREADYx\n", "READYx\n");
        finds(&["-v", "Ready"], "a Ready\nb Not\n", "b Not\n");
        finds(&["\\bnode\\b"], "nodes\na node b\n", "a node b\n");
    }

    #[test]
    fn a_loop_in_loops_does_not_hang() {
        let input = "a".repeat(400) + "\n";
        finds(&["-E", "((((a*)*)*)*)*b"], &input, "");
        finds(&["-E", "(a|a|aa)*(a|aa)*(a+a+)+b"], &input, "");
        let (said, exit) = grep(&["-E", "(((a{2,900}){2,900}){2,900}){2,900}b"], &input);
        assert_eq!((said.as_str(), exit), ("grep: memory exhausted\n", 2));
        let (said, exit) = grep(&["-E", &("a".to_owned() + &"{2}".repeat(50_000))], &input);
        assert_eq!((said.as_str(), exit), ("grep: Regular expression too big\n", 2));
    }
}
