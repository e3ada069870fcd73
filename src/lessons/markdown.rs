//! The Markdown of lessons, as data that a page can draw: paragraphs, lists, code, quotes; emphasis, code and links.

/// A block of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// A heading of level 4 or more; the levels above are the lesson's own.
    Heading(Vec<Inline>),
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// A list; numbered or not.
    List {
        /// Whether its items are counted.
        ordered: bool,
        /// The items.
        items: Vec<Vec<Inline>>,
    },
    /// Preformatted text.
    Code {
        /// `sh`, `yaml`…; may be empty.
        language: String,
        /// The text.
        text: String,
    },
    /// A table; the first row is its head.
    Table {
        /// Rows of cells.
        rows: Vec<Vec<Vec<Inline>>>,
    },
    /// Something set apart.
    Quote(Notice, Vec<Inline>),
}

/// What a quote is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A quote or a remark.
    Note,
    /// `> [!TIP]`
    Tip,
    /// `> [!WARNING]`
    Warning,
}

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inline {
    /// Plain words.
    Text(String),
    /// Emphasis.
    Emphasis(String),
    /// Strong emphasis.
    Strong(String),
    /// Code.
    Code(String),
    /// A link.
    Link {
        /// What is shown.
        text: String,
        /// Where it leads.
        to: String,
    },
}

impl Inline {
    /// What is read, without its style.
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Emphasis(text) | Self::Strong(text) | Self::Code(text) => text,
            Self::Link { text, .. } => text,
        }
    }
}

/// Takes Markdown apart. Never fails: what is no markup is text.
pub fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            continue;
        }
        if let Some(info) = trimmed.strip_prefix("```") {
            let code: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != "```").collect();
            blocks.push(Block::Code { language: info.trim().to_owned(), text: code.join("\n") });
        } else if trimmed.starts_with("####") {
            blocks.push(Block::Heading(inlines(trimmed.trim_start_matches('#').trim())));
        } else if let Some((ordered, first)) = item_of(line) {
            let mut items = vec![first.to_owned()];
            while let Some(next) = lines.peek() {
                match item_of(next) {
                    Some((same, item)) if same == ordered => items.push(item.to_owned()),
                    None if next.starts_with(' ') && !next.trim().is_empty() => {
                        if let Some(last) = items.last_mut() {
                            last.push(' ');
                            last.push_str(next.trim());
                        }
                    }
                    _ => break,
                }
                lines.next();
            }
            blocks.push(Block::List { ordered, items: items.iter().map(|item| inlines(item)).collect() });
        } else if trimmed.starts_with('|') {
            let mut rows = vec![cells(trimmed)];
            while let Some(next) = lines.next_if(|next| next.trim_start().starts_with('|')) {
                // The line between head and body says nothing.
                if next.contains(|c: char| !matches!(c, '|' | '-' | ':' | ' ')) {
                    rows.push(cells(next.trim()));
                }
            }
            blocks.push(Block::Table { rows });
        } else {
            let quoted = trimmed.starts_with('>');
            let mut words = vec![trimmed.trim_start_matches('>').trim()];
            while let Some(next) = lines.peek().map(|next| next.trim()) {
                if next.is_empty()
                    || next.starts_with("```")
                    || next.starts_with('|')
                    || next.starts_with("####")
                    || item_of(next).is_some()
                    || next.starts_with('>') != quoted
                {
                    break;
                }
                words.push(next.trim_start_matches('>').trim());
                lines.next();
            }
            let text = words.join(" ");
            blocks.push(if quoted { quote(&text) } else { Block::Paragraph(inlines(&text)) });
        }
    }
    blocks
}

/// The cells of a table's row.
fn cells(line: &str) -> Vec<Vec<Inline>> {
    line.trim_matches('|').split('|').map(|cell| inlines(cell.trim())).collect()
}

fn quote(text: &str) -> Block {
    for (mark, notice) in [("[!TIP]", Notice::Tip), ("[!WARNING]", Notice::Warning), ("[!NOTE]", Notice::Note)] {
        if let Some(rest) = text.trim().strip_prefix(mark) {
            return Block::Quote(notice, inlines(rest.trim()));
        }
    }
    Block::Quote(Notice::Note, inlines(text.trim()))
}

/// The text of a list's item, and whether the list is numbered.
fn item_of(line: &str) -> Option<(bool, &str)> {
    if let Some(item) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) {
        return Some((false, item.trim()));
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line.get(digits..).filter(|_| (1..=3).contains(&digits))?;
    rest.strip_prefix(". ").map(|item| (true, item.trim()))
}

/// Takes a line apart.
pub fn inlines(text: &str) -> Vec<Inline> {
    let mut found = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (read, after) = match markup(rest) {
            Some(read) => read,
            None => {
                plain.push(first);
                rest = rest.get(first.len_utf8()..).unwrap_or("");
                continue;
            }
        };
        if !plain.is_empty() {
            found.push(Inline::Text(std::mem::take(&mut plain)));
        }
        found.push(read);
        rest = after;
    }
    if !plain.is_empty() {
        found.push(Inline::Text(plain));
    }
    found
}

/// The markup at the head of a text, and what follows it.
fn markup(text: &str) -> Option<(Inline, &str)> {
    let between = |mark: &str| {
        let (inner, after) = text.strip_prefix(mark)?.split_once(mark)?;
        (!inner.is_empty() && !inner.starts_with(' ')).then(|| (inner.to_owned(), after))
    };
    if let Some((inner, after)) = between("`") {
        return Some((Inline::Code(inner), after));
    }
    if let Some((inner, after)) = between("**") {
        return Some((Inline::Strong(inner), after));
    }
    if let Some((inner, after)) = between("*") {
        return Some((Inline::Emphasis(inner), after));
    }
    let (shown, after) = text.strip_prefix('[')?.split_once("](")?;
    let (to, after) = after.split_once(')')?;
    (!shown.contains(']')).then(|| (Inline::Link { text: shown.to_owned(), to: to.to_owned() }, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Inline {
        Inline::Text(text.into())
    }

    #[test]
    fn blocks_are_told_apart() {
        let read = blocks(
            "One\nline.\n\n- a `b`\n- c\n  d\n\n1. x\n2. y\n\n```sh\nkubectl get ds\n\n  # note\n```\n> [!TIP]\n> Look **there**.\n",
        );
        assert_eq!(read.len(), 5, "{read:?}");
        assert_eq!(read[0], Block::Paragraph(vec![text("One line.")]));
        assert_eq!(
            read[1],
            Block::List { ordered: false, items: vec![vec![text("a "), Inline::Code("b".into())], vec![text("c d")]] }
        );
        assert_eq!(read[2], Block::List { ordered: true, items: vec![vec![text("x")], vec![text("y")]] });
        assert_eq!(read[3], Block::Code { language: "sh".into(), text: "kubectl get ds\n\n  # note".into() });
        assert_eq!(read[4], Block::Quote(Notice::Tip, vec![text("Look "), Inline::Strong("there".into()), text(".")]));
    }

    #[test]
    fn what_is_no_markup_stays() {
        assert_eq!(inlines("2 * 3 * 4 [x] a_b `"), vec![text("2 * 3 * 4 [x] a_b `")]);
        assert_eq!(
            inlines("see [the docs](https://kubernetes.io/docs/) *now*"),
            vec![
                text("see "),
                Inline::Link { text: "the docs".into(), to: "https://kubernetes.io/docs/".into() },
                text(" "),
                Inline::Emphasis("now".into())
            ]
        );
    }
}
