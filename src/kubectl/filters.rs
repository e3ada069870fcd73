//! The small programs behind a pipe: grep, head, tail, wc, sort, uniq, cut, tr, cat, and a few that stand alone.

use super::context::Context;
use super::flags;
use crate::objects::natural_cmp;
use crate::order::Order;

/// What a program prints and how it ends.
pub(crate) struct Filtered {
    pub out: String,
    pub err: String,
    pub exit: i32,
}

/// Runs a program that is not kubectl. `None`: there is none of that name.
pub(crate) fn run(words: &[String], stdin: &str, context: &Context) -> Option<Filtered> {
    let (name, arguments) = words.split_first()?;
    let done = |out: String, exit: i32| Some(Filtered { out, err: String::new(), exit });
    match name.as_str() {
        "cat" | "grep" | "egrep" | "fgrep" | "head" | "tail" | "wc" | "sort" | "uniq" | "cut" | "tr" | "column"
        | "tee" | "less" | "more" => Some(match text_program(name, arguments, stdin, context) {
            Ok((out, exit)) => Filtered { out, err: String::new(), exit },
            Err(message) => Filtered { out: String::new(), err: format!("{name}: {message}\n"), exit: 2 },
        }),
        "echo" => {
            let newline = if arguments.first().is_some_and(|a| a == "-n") { "" } else { "\n" };
            let words: Vec<&str> = arguments.iter().map(String::as_str).filter(|a| *a != "-n" && *a != "-e").collect();
            done(words.join(" ") + newline, 0)
        }
        "true" | ":" | "alias" | "export" | "unalias" | "set" | "source" => done(String::new(), 0),
        "false" => done(String::new(), 1),
        "pwd" => done("/playground\n".into(), 0),
        "ls" => done(context.files.keys().map(|name| format!("{name}\n")).collect(), 0),
        _ => None,
    }
}

/// Whether a program passes on what it gets line by line, so that it may print before its input ends.
pub(crate) fn streams(words: &[String]) -> bool {
    matches!(words.first().map(String::as_str), Some("cat" | "grep" | "egrep" | "fgrep" | "tee" | "cut" | "tr"))
}

fn text_program(
    name: &str,
    arguments: &[String],
    stdin: &str,
    context: &Context,
) -> std::result::Result<(String, i32), String> {
    let table = match name {
        "grep" | "egrep" | "fgrep" => {
            "ignore-case,i invert-match,v count,c extended-regexp,E fixed-strings,F word-regexp,w line-number,N \
             only-matching,o quiet,q regexp,e= after-context,A# before-context,B# context,C# line-regexp,x color?auto \
             colour?auto max-count,m# perl-regexp,P"
        }
        "head" | "tail" => "lines,n= bytes,c= quiet,q follow,f",
        "wc" => "lines,l words,w bytes,c chars,m",
        "sort" => {
            "reverse,r numeric-sort,n unique,u key,k= field-separator,t= version-sort,V human-numeric-sort,h ignore-case,f"
        }
        "uniq" => "count,c repeated,d unique,u",
        "cut" => "delimiter,d= fields,f= characters,c=",
        "tr" => "delete,d squeeze-repeats,s",
        "column" => "table,t separator,s=",
        _ => "number,N squeeze-blank,s",
    };
    // `head -5` is `head -n 5`; grep's -n is no namespace.
    let words: Vec<String> = arguments
        .iter()
        .map(|word| match word.strip_prefix('-') {
            Some(digits) if matches!(name, "head" | "tail") && digits.parse::<u64>().is_ok() => {
                format!("--lines={digits}")
            }
            Some("n") if matches!(name, "grep" | "egrep" | "fgrep") => "-N".into(),
            _ => word.clone(),
        })
        .collect();
    let (flags, mut operands) = flags::parse_only(&words, table, name).map_err(|error| error.line())?;
    let pattern = match name {
        "grep" | "egrep" | "fgrep" => match flags.get("regexp") {
            Some(pattern) => pattern.to_owned(),
            None if operands.is_empty() => return Err("usage: grep [OPTION]... PATTERNS [FILE]...".into()),
            None => operands.remove(0),
        },
        _ => String::new(),
    };
    let sets: Vec<String> = if name == "tr" { std::mem::take(&mut operands) } else { Vec::new() };
    if name == "tee" {
        operands.clear();
    }
    let mut input = String::new();
    for file in &operands {
        match context.files.get(file.strip_prefix("./").unwrap_or(file)) {
            Some(text) => input.push_str(text),
            None if file == "-" => input.push_str(stdin),
            None => return Err(format!("{file}: No such file or directory")),
        }
    }
    let input = if operands.is_empty() { stdin } else { &input };
    let lines: Vec<&str> = input.lines().collect();
    let join = |lines: Vec<&str>| lines.iter().fold(String::new(), |text, line| text + line + "\n");
    let count = |default: &str| flags.get_or("lines", default).to_owned();
    Ok(match name {
        "grep" | "egrep" | "fgrep" => {
            let matcher = super::grep::Matcher::new(&pattern, &flags, name == "egrep", name == "fgrep")?;
            matcher.run(&lines, &flags)?
        }
        "head" | "tail" if flags.has("bytes") => {
            let wanted = flags.get_or("bytes", "");
            let number: usize = wanted.parse().map_err(|_| format!("invalid number of bytes: '{wanted}'"))?;
            let text = match name {
                "head" => input.get(..input.floor_char_boundary(number.min(input.len()))),
                _ => input.get(input.ceil_char_boundary(input.len().saturating_sub(number))..),
            };
            (text.unwrap_or("").to_owned(), 0)
        }
        "head" => {
            let wanted = count("10");
            let number: usize =
                wanted.trim_start_matches('-').parse().map_err(|_| format!("invalid number of lines: '{wanted}'"))?;
            let taken =
                if wanted.starts_with('-') { lines.len().saturating_sub(number) } else { number.min(lines.len()) };
            (join(lines.get(..taken).unwrap_or_default().to_vec()), 0)
        }
        "tail" => {
            let wanted = count("10");
            let digits = wanted.trim_start_matches(['-', '+']);
            let number: usize = digits.parse().map_err(|_| format!("invalid number of lines: '{wanted}'"))?;
            let from =
                if wanted.starts_with('+') { number.saturating_sub(1) } else { lines.len().saturating_sub(number) };
            (join(lines.get(from.min(lines.len())..).unwrap_or_default().to_vec()), 0)
        }
        "wc" => {
            let words = input.split_whitespace().count();
            let counts = [
                ("lines", input.matches('\n').count()),
                ("words", words),
                ("chars", input.chars().count()),
                ("bytes", input.len()),
            ];
            let asked: Vec<String> =
                counts.iter().filter(|(flag, _)| flags.is_on(flag)).map(|(_, n)| n.to_string()).collect();
            if asked.is_empty() {
                (format!("{:7} {words:7} {:7}\n", input.matches('\n').count(), input.len()), 0)
            } else {
                (asked.join(" ") + "\n", 0)
            }
        }
        "sort" => {
            let mut sorted = lines;
            let column = flags.get("key").and_then(|key| key.split([',', '.']).next()?.parse::<usize>().ok());
            let separator = flags.get("field-separator").map(str::to_owned);
            let key = |line: &str| -> String {
                match (column, &separator) {
                    (None, _) => line.to_owned(),
                    (Some(at), Some(separator)) => {
                        line.split(separator.as_str()).nth(at.saturating_sub(1)).unwrap_or("").to_owned()
                    }
                    (Some(at), None) => line.split_whitespace().nth(at.saturating_sub(1)).unwrap_or("").to_owned(),
                }
            };
            let number = |text: &str| {
                let text = text.trim_start();
                let end = text.find(|c: char| !(c.is_ascii_digit() || c == '-' || c == '.')).unwrap_or(text.len());
                text.get(..end).and_then(|digits| digits.parse::<f64>().ok()).unwrap_or(0.0)
            };
            sorted.order_by(|a, b| {
                let (x, y) = (key(a), key(b));
                let order = if flags.is_on("numeric-sort") || flags.is_on("human-numeric-sort") {
                    number(&x).total_cmp(&number(&y))
                } else if flags.is_on("version-sort") {
                    natural_cmp(&x, &y)
                } else {
                    x.cmp(&y)
                };
                let order = order.then_with(|| a.cmp(b));
                if flags.is_on("reverse") { order.reverse() } else { order }
            });
            if flags.is_on("unique") {
                sorted.dedup();
            }
            (join(sorted), 0)
        }
        "uniq" => {
            let mut groups: Vec<(usize, &str)> = Vec::new();
            for line in lines {
                match groups.last_mut() {
                    Some((count, last)) if *last == line => *count += 1,
                    _ => groups.push((1, line)),
                }
            }
            groups.retain(|(count, _)| {
                (!flags.is_on("repeated") || *count > 1) && (!flags.is_on("unique") || *count == 1)
            });
            let shown = groups.into_iter().map(|(count, line)| {
                if flags.is_on("count") { format!("{count:7} {line}\n") } else { format!("{line}\n") }
            });
            (shown.collect(), 0)
        }
        "cut" => {
            let delimiter = flags.get_or("delimiter", "\t");
            let places = ranges(flags.get("fields").or_else(|| flags.get("characters")).unwrap_or("1-"))?;
            let inside = |at: usize| places.iter().any(|(from, to)| (*from..=*to).contains(&at));
            let by_characters = flags.has("characters");
            let cut = |line: &str| -> String {
                if by_characters {
                    return line.chars().enumerate().filter(|(at, _)| inside(at + 1)).map(|(_, c)| c).collect();
                }
                if !line.contains(delimiter) {
                    return line.to_owned();
                }
                let fields = line.split(delimiter).enumerate().filter(|(at, _)| inside(at + 1)).map(|(_, field)| field);
                fields.collect::<Vec<_>>().join(delimiter)
            };
            (lines.into_iter().map(|line| cut(line) + "\n").collect(), 0)
        }
        "tr" => {
            let set = |at: usize| sets.get(at).map(|text| characters(text)).unwrap_or_default();
            let (from, to) = (set(0), set(1));
            let mut out = String::new();
            for c in input.chars() {
                let mapped = match from.iter().position(|f| *f == c) {
                    Some(_) if flags.is_on("delete") => continue,
                    Some(at) => to.get(at).or(to.last()).copied().unwrap_or(c),
                    None => c,
                };
                let squeezed = flags.is_on("squeeze-repeats") && out.ends_with(mapped);
                if !(squeezed && (to.contains(&mapped) || (to.is_empty() && from.contains(&mapped)))) {
                    out.push(mapped);
                }
            }
            (out, 0)
        }
        "column" => {
            let table: String =
                lines.iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join("\t") + "\n").collect();
            (super::tabwriter::align(&table, super::tabwriter::DESCRIBE), 0)
        }
        _ => (input.to_owned(), 0),
    })
}

/// `1,3-5,7-`
fn ranges(text: &str) -> std::result::Result<Vec<(usize, usize)>, String> {
    let problem = || format!("invalid field value '{text}'");
    text.split(',')
        .map(|part| match part.split_once('-') {
            None => part.parse().map(|at| (at, at)).map_err(|_| problem()),
            Some((from, to)) => {
                let bound = |text: &str, default| {
                    if text.is_empty() { Ok(default) } else { text.parse().map_err(|_| problem()) }
                };
                Ok((bound(from, 1)?, bound(to, usize::MAX)?))
            }
        })
        .collect()
}

/// The characters of a set of `tr`: ranges and escapes are written out.
fn characters(text: &str) -> Vec<char> {
    let mut out: Vec<char> = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next().map(|c| match c {
                'n' => '\n',
                't' => '\t',
                other => other,
            })),
            '-' if !out.is_empty() && chars.peek().is_some() => {
                if let (Some(from), Some(to)) = (out.last().copied(), chars.next()) {
                    out.extend((from..=to).skip(1));
                }
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pipe(command: &str, input: &str) -> (String, i32) {
        let script = crate::kubectl::shell::parse(command).unwrap();
        let words = script.items[0].1.commands[0].words.clone();
        let result = run(&words, input, &Context::default()).unwrap();
        (result.out + &result.err, result.exit)
    }

    #[test]
    fn the_usual_filters_work() {
        let input = "NAME READY\nb 2\na 10\nb 2\n";
        for (command, out, exit) in [
            ("grep b", "b 2\nb 2\n", 0),
            ("grep -v NAME", "b 2\na 10\nb 2\n", 0),
            ("grep -c b", "2\n", 0),
            ("grep -i name", "NAME READY\n", 0),
            ("grep -E '^(a|NAME)'", "NAME READY\na 10\n", 0),
            ("grep -n a", "3:a 10\n", 0),
            ("grep zzz", "", 1),
            ("head -1", "NAME READY\n", 0),
            ("head -n 2", "NAME READY\nb 2\n", 0),
            ("tail -n 1", "b 2\n", 0),
            ("tail -n +2", "b 2\na 10\nb 2\n", 0),
            ("wc -l", "4\n", 0),
            ("sort", "NAME READY\na 10\nb 2\nb 2\n", 0),
            ("sort -u -k2 -n", "NAME READY\nb 2\na 10\n", 0),
            ("uniq", "NAME READY\nb 2\na 10\nb 2\n", 0),
            ("cut -d ' ' -f 1", "NAME\nb\na\nb\n", 0),
            ("tr a-z A-Z", "NAME READY\nB 2\nA 10\nB 2\n", 0),
            ("cat nope", "cat: nope: No such file or directory\n", 2),
        ] {
            assert_eq!(pipe(command, input), (out.to_owned(), exit), "{command}");
        }
    }
}
