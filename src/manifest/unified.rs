//! Differences between two texts, as `diff -u` prints them.

/// Lines of context around a change.
const CONTEXT: usize = 3;
/// Beyond this many lines the texts are taken as wholly different rather than compared.
const MOST_LINES: usize = 20_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Edit {
    Keep,
    Remove,
    Add,
}

/// The hunks; empty for equal texts.
pub fn hunks(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let edits = compare(&old, &new);
    let changed: Vec<usize> =
        edits.iter().enumerate().filter(|(_, edit)| **edit != Edit::Keep).map(|(index, _)| index).collect();
    let mut out = String::new();
    let mut rest = changed.as_slice();
    while let Some(first) = rest.first() {
        // Changes that are near each other share a hunk.
        let mut last = *first;
        let mut count = 0;
        for index in rest {
            if index.saturating_sub(last) > 2 * CONTEXT + 1 {
                break;
            }
            last = *index;
            count += 1;
        }
        rest = rest.get(count..).unwrap_or_default();
        let from = first.saturating_sub(CONTEXT);
        let to = (last + CONTEXT + 1).min(edits.len());
        write_hunk(&mut out, &edits, &old, &new, from, to);
    }
    out
}

fn write_hunk(out: &mut String, edits: &[Edit], old: &[&str], new: &[&str], from: usize, to: usize) {
    let count = |upto: usize, without: Edit| {
        edits.get(..upto).unwrap_or_default().iter().filter(|edit| **edit != without).count()
    };
    let (old_start, new_start) = (count(from, Edit::Add), count(from, Edit::Remove));
    let (old_length, new_length) = (count(to, Edit::Add) - old_start, count(to, Edit::Remove) - new_start);
    let range = |start: usize, length: usize| match length {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        _ => format!("{},{length}", start + 1),
    };
    out.push_str(&format!("@@ -{} +{} @@\n", range(old_start, old_length), range(new_start, new_length)));
    let (mut at_old, mut at_new) = (old_start, new_start);
    for edit in edits.get(from..to).unwrap_or_default() {
        let (sign, line) = match edit {
            Edit::Keep => (' ', old.get(at_old)),
            Edit::Remove => ('-', old.get(at_old)),
            Edit::Add => ('+', new.get(at_new)),
        };
        at_old += usize::from(*edit != Edit::Add);
        at_new += usize::from(*edit != Edit::Remove);
        out.push(sign);
        out.push_str(line.copied().unwrap_or(""));
        out.push('\n');
    }
}

/// The shortest way from one list of lines to the other; of equally short ones removals go first.
///
/// Myers' algorithm, keeping the furthest points of each round.
fn compare(old: &[&str], new: &[&str]) -> Vec<Edit> {
    let common = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (old.get(common..).unwrap_or_default(), new.get(common..).unwrap_or_default());
    let mut edits = vec![Edit::Keep; common];
    if old_rest.len() + new_rest.len() > MOST_LINES {
        edits.extend(std::iter::repeat_n(Edit::Remove, old_rest.len()));
        edits.extend(std::iter::repeat_n(Edit::Add, new_rest.len()));
        return edits;
    }
    edits.extend(shortest(old_rest, new_rest));
    edits
}

fn shortest(old: &[&str], new: &[&str]) -> Vec<Edit> {
    let (rows, columns) = (old.len() as isize, new.len() as isize);
    let most = (rows + columns) as usize;
    let middle = most as isize;
    let mut furthest = vec![0isize; 2 * most + 2];
    let mut rounds: Vec<Vec<isize>> = Vec::new();
    let get =
        |list: &[isize], k: isize| usize::try_from(k + middle).ok().and_then(|at| list.get(at)).copied().unwrap_or(0);
    for distance in 0..=most as isize {
        rounds.push(furthest.clone());
        for k in (-distance..=distance).step_by(2) {
            let down = k == -distance || (k != distance && get(&furthest, k - 1) < get(&furthest, k + 1));
            let mut x = if down { get(&furthest, k + 1) } else { get(&furthest, k - 1) + 1 };
            let mut y = x - k;
            let line = |list: &[&str], at: isize| {
                usize::try_from(at).ok().and_then(|at| list.get(at)).map(|l| (*l).to_owned())
            };
            while x < rows && y < columns && line(old, x) == line(new, y) {
                x += 1;
                y += 1;
            }
            if let Some(slot) = usize::try_from(k + middle).ok().and_then(|at| furthest.get_mut(at)) {
                *slot = x;
            }
            if x >= rows && y >= columns {
                return trace(&rounds, rows, columns, middle);
            }
        }
    }
    Vec::new()
}

fn trace(rounds: &[Vec<isize>], rows: isize, columns: isize, middle: isize) -> Vec<Edit> {
    let get =
        |list: &[isize], k: isize| usize::try_from(k + middle).ok().and_then(|at| list.get(at)).copied().unwrap_or(0);
    let (mut x, mut y) = (rows, columns);
    let mut edits = Vec::new();
    for (distance, furthest) in rounds.iter().enumerate().rev() {
        let distance = distance as isize;
        let k = x - y;
        let down = k == -distance || (k != distance && get(furthest, k - 1) < get(furthest, k + 1));
        let before_k = if down { k + 1 } else { k - 1 };
        let before_x = get(furthest, before_k);
        let before_y = before_x - before_k;
        while x > before_x && y > before_y {
            edits.push(Edit::Keep);
            x -= 1;
            y -= 1;
        }
        if distance > 0 {
            edits.push(if down { Edit::Add } else { Edit::Remove });
        }
        (x, y) = (before_x, before_y);
    }
    edits.reverse();
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_stand_in_their_context() {
        let before: String = (1..=20).map(|n| format!("{n}\n")).collect();
        let after = before.replace("5\n", "five\n").replace("18\n", "");
        let after = after.replacen("1five", "15", 1);
        assert_eq!(
            hunks(&before, &after),
            "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n@@ -15,6 +15,5 @@\n 15\n 16\n 17\n-18\n 19\n 20\n"
        );
        assert_eq!(hunks(&before, &before), "");
        assert_eq!(hunks("", "a\nb\n"), "@@ -0,0 +1,2 @@\n+a\n+b\n");
        assert_eq!(hunks("a\nb\nc\n", "a\nc\n"), "@@ -1,3 +1,2 @@\n a\n-b\n c\n");
    }
}
