//! How a command's output is compared with the recorded one: placeholders, white space, free orders.

/// What a placeholder of the recordings stands for.
fn class(name: &str) -> Option<fn(char) -> bool> {
    Some(match name {
        "age" => |c| c.is_ascii_digit() || "hmdys<>unknow".contains(c),
        "sfx" => |c| "bcdfghjklmnpqrstvwxz2456789".contains(c),
        "hash" | "id" => |c| c.is_ascii_lowercase() || c.is_ascii_digit(),
        "time" => |c| c.is_ascii_alphanumeric() || ",:+-. ".contains(c),
        "uid" => |c| c.is_ascii_hexdigit() || c == '-',
        "rv" | "n" | "pid" => |c| c.is_ascii_digit(),
        "podip" | "nodeip" => |c| c.is_ascii_digit() || c == '.',
        "cid" | "digest" => |c| c.is_ascii_hexdigit(),
        "host" | "server" => |c| c.is_ascii_alphanumeric() || ".-:/".contains(c),
        "path" => |c| !c.is_whitespace(),
        _ => return None,
    })
}

/// Whether a text has placeholders.
fn is_masked(text: &str) -> bool {
    text.split('<').skip(1).any(|rest| rest.split_once('>').is_some_and(|(name, _)| class(name).is_some()))
}

/// Whether a line is what the recorded one, with its placeholders, says.
pub fn line_matches(recorded: &str, actual: &str) -> bool {
    // The kubelet of the recordings forgets these of a container that crashes.
    let forgets = |title: &str| recorded.trim() == title && actual.trim_start().starts_with(title);
    if forgets("Container ID:") || forgets("Image ID:") {
        return true;
    }
    masked_matches(recorded, actual)
}

fn masked_matches(recorded: &str, actual: &str) -> bool {
    let Some(at) = recorded.find('<') else { return recorded == actual };
    let (before, rest) = recorded.split_at(at);
    let Some(actual) = actual.strip_prefix(before) else { return false };
    let mask = rest[1..].split_once('>').and_then(|(name, rest)| class(name).map(|class| (class, name, rest)));
    let Some((class, name, rest)) = mask else {
        return actual.strip_prefix('<').is_some_and(|actual| masked_matches(&rest[1..], actual));
    };
    let longest = actual.find(|c| !class(c)).unwrap_or(actual.len());
    let lengths: Box<dyn Iterator<Item = usize>> = match name {
        "sfx" => Box::new((longest >= 5).then_some(5).into_iter()),
        _ => Box::new((1..=longest).rev()),
    };
    lengths.into_iter().any(|length| masked_matches(rest, &actual[length..]))
}

/// Runs of blanks inside a line as two blanks: with placeholders, columns no longer line up.
fn collapse(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let (indent, rest) = line.split_at(indent);
    let mut out = indent.to_owned();
    let mut blanks = 0;
    for c in rest.chars() {
        if c == ' ' {
            blanks += 1;
            if blanks <= 2 {
                out.push(c);
            }
        } else {
            blanks = 0;
            out.push(c);
        }
    }
    out.trim_end().to_owned()
}

/// Compares a whole output. `free`: lines (or, in descriptions of several objects, blocks) may come in any order.
pub fn output_matches(command: &str, recorded: &str, actual: &str, masked: bool) -> Result<(), String> {
    if recorded == actual {
        return Ok(());
    }
    let difference = || format!("`{command}` printed\n{actual}instead of\n{recorded}");
    if recorded.contains("\nUsage:\n") || command.starts_with("kubectl explain") {
        // Help is in our own words.
        let first = |text: &str| text.lines().next().unwrap_or("").to_owned();
        return if first(recorded) == first(actual) { Ok(()) } else { Err(difference()) };
    }
    if command.contains("rollout status") {
        return status_matches(recorded, actual).map_err(|why| format!("{why}: {}", difference()));
    }
    if !masked && !is_masked(recorded) && !has_free_order(command) {
        return Err(difference());
    }
    check_columns(actual).map_err(|why| format!("{why}: {}", difference()))?;
    let actual = &without_kubelet_events(command, recorded, actual);
    let lines = |text: &str| text.lines().map(collapse).collect::<Vec<_>>();
    let (recorded_lines, actual_lines) = (lines(recorded), lines(actual));
    let equal = |recorded: &[String], actual: &[String]| {
        recorded.len() == actual.len() && recorded.iter().zip(actual).all(|(r, a)| line_matches(r, a))
    };
    if equal(&recorded_lines, &actual_lines) || same_in_other_order(command, &recorded_lines, &actual_lines) {
        return Ok(());
    }
    Err(difference())
}

fn has_free_order(command: &str) -> bool {
    [
        "--list",
        "drain",
        "delete pod",
        "get po",
        "get all",
        "get events",
        "kubectl events",
        "describe",
        "get ds,po",
        "get rs",
    ]
    .iter()
    .any(|part| command.contains(part))
}

/// The kubelet of the recordings told no events. That a node has registered was deleted for the first nodes, and is told
/// of others at some moment of the next five seconds.
fn without_kubelet_events(command: &str, recorded: &str, text: &str) -> String {
    const REASONS: [&str; 9] =
        ["Pulling", "Pulled", "Created", "Started", "Killing", "BackOff", "Failed", "Unhealthy", "Evicted"];
    let untold = |reason: &str| {
        REASONS.contains(&reason) || (reason == "RegisteredNode" && !recorded.contains("RegisteredNode"))
    };
    if !command.contains("events") && !command.contains("describe") {
        return text.into();
    }
    let is_told = |line: &str| {
        let cells: Vec<&str> = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
        let at = cells.iter().position(|cell| matches!(*cell, "Normal" | "Warning"));
        at.is_some_and(|at| cells.get(at + 1).is_some_and(|reason| untold(reason)))
    };
    let kept: String = text.lines().filter(|line| !is_told(line)).map(|line| format!("{line}\n")).collect();
    let head = "Events:\n  Type";
    match kept.find(head) {
        Some(at) if kept[at..].lines().count() == 3 => format!("{}Events:  <none>\n", &kept[..at]),
        _ => kept,
    }
}

/// Each recorded line has one of its own among the actual ones.
fn same_in_other_order(command: &str, recorded: &[String], actual: &[String]) -> bool {
    if !has_free_order(command) || recorded.len() != actual.len() {
        return false;
    }
    let mut left: Vec<&String> = actual.iter().collect();
    recorded.iter().all(|line| match left.iter().position(|other| free_line_matches(line, other)) {
        Some(at) => {
            left.remove(at);
            true
        }
        None => false,
    })
}

/// Names of pods within one line may come in any order, too.
fn free_line_matches(recorded: &str, actual: &str) -> bool {
    if line_matches(recorded, actual) {
        return true;
    }
    let parts = |line: &str| {
        let mut parts: Vec<String> =
            line.split([',', ';', ' ', '[', ']']).filter(|p| !p.is_empty()).map(str::to_owned).collect();
        parts.sort();
        parts
    };
    let (recorded, actual) = (parts(recorded), parts(actual));
    let mut left = actual.clone();
    recorded.len() == actual.len()
        && recorded.iter().all(|part| match left.iter().position(|other| line_matches(part, other)) {
            Some(at) => {
                left.remove(at);
                true
            }
            None => false,
        })
}

/// First and last line, and that counts never fall.
fn status_matches(recorded: &str, actual: &str) -> Result<(), &'static str> {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (recorded, actual) = (lines(recorded), lines(actual));
    if recorded.is_empty() || actual.is_empty() {
        return if recorded.is_empty() == actual.is_empty() { Ok(()) } else { Err("one is empty") };
    }
    let words = |line: &str| line.split(|c: char| c.is_ascii_digit()).map(str::to_owned).collect::<Vec<_>>();
    let ends = |lines: &[String]| (lines[0].clone(), lines[lines.len() - 1].clone());
    let ((first, last), (our_first, our_last)) = (ends(&recorded), ends(&actual));
    if last != our_last && (recorded.len() > 1 || words(&last) != words(&our_last)) {
        return Err("the last line differs");
    }
    // Which count is seen first depends on the moment.
    let is_end = |line: &str| line.contains("successfully rolled out");
    if words(&first) != words(&our_first) && is_end(&first) != is_end(&our_first) {
        return Err("the first line differs");
    }
    let mut before: Option<(bool, u64)> = None;
    for line in &actual {
        let available = line.contains("are available");
        let count = line.split_once("finish: ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
        let Some(count) = count else { continue };
        if before.is_some_and(|(kind, earlier)| kind == available && count < earlier) {
            return Err("a count fell");
        }
        before = Some((available, count));
    }
    Ok(())
}

/// Tables begin each column where the widest cell of the one before it says.
fn check_columns(text: &str) -> Result<(), String> {
    for table in text.split("\n\n") {
        let lines: Vec<&str> = table.trim_start_matches('\n').lines().collect();
        let Some((head, rows)) = lines.split_first() else { continue };
        let is_head = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || " -()/".contains(c);
        if head.is_empty() || head.starts_with(' ') || !head.contains("   ") || !head.chars().all(is_head) {
            continue;
        }
        let mut starts = vec![0];
        let bytes = head.as_bytes();
        for at in 3..bytes.len() {
            if bytes[at] != b' ' && &bytes[at - 3..at] == b"   " {
                starts.push(at);
            }
        }
        for pair in starts.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let cell = |line: &str| line.chars().skip(from).take(to - from).collect::<String>();
            let widest = rows.iter().chain([head]).map(|line| cell(line).trim_end().chars().count()).max().unwrap_or(0);
            if to - from != (widest + 3).max(6) {
                return Err(format!("column at {from} is {} wide, not {}", to - from, (widest + 3).max(6)));
            }
            if let Some(line) = rows.iter().find(|line| line.chars().count() > to && !cell(line).ends_with("   ")) {
                return Err(format!("a cell at {from} runs into the next column: {line}"));
            }
        }
    }
    Ok(())
}
