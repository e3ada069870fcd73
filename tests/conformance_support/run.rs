//! The program: runs families and prints how they went.

use super::{Family, cases, choice, families};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// How a case's difference begins that asks for a command which the playground does not offer, and says so.
pub const NOT_OFFERED: &str = "NOT OFFERED";
/// One in this many cases of a family may be of this sort: two in a hundred.
const MOST_NOT_OFFERED: usize = 50;

/// Runs the families that the command line names, or all.
pub fn main() -> ExitCode {
    choice::self_check();
    let wanted: Vec<String> = arguments().filter(|argument| !argument.starts_with('-')).collect();
    let (mut passed, mut failed, mut not_offered) = (0, 0, 0);
    for family in families() {
        if !wanted.is_empty() && !wanted.iter().any(|name| name == family.name) {
            continue;
        }
        match cases::read(family.name) {
            Ok(None) => println!("{}: absent", family.name),
            Ok(Some(cases)) => {
                let (refused, mut failures): (Vec<_>, Vec<_>) =
                    run(&family, &cases).into_iter().partition(|(_, why)| why.starts_with(NOT_OFFERED));
                let went = cases.len() - refused.len() - failures.len();
                // A few exotic commands may be answered by "is not in this playground"; they never count as passed.
                if refused.len() * MOST_NOT_OFFERED > cases.len() {
                    failures.push((family.name.into(), format!("{} not offered are too many", refused.len())));
                }
                let others =
                    if refused.is_empty() { String::new() } else { format!(", {} not offered", refused.len()) };
                println!("{}: {went} passed, {} failed{others}", family.name, failures.len());
                for (name, difference) in &failures {
                    println!("  FAILED {name}: {difference}");
                }
                for (name, what) in &refused {
                    println!("  {what} {name}");
                }
                passed += went;
                failed += failures.len();
                not_offered += refused.len();
            }
            Err(error) => {
                println!("{}: {error}", family.name);
                failed += 1;
            }
        }
    }
    let others = if not_offered == 0 { String::new() } else { format!(", {not_offered} not offered") };
    println!("{passed} passed, {failed} failed{others}");
    if failed > 0 || passed == 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Names and first differences of the cases that fail; a panic is a failure of its case.
fn run(family: &Family, cases: &[serde_json::Value]) -> Vec<(String, String)> {
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = |case| match catch_unwind(AssertUnwindSafe(|| (family.check)(case))) {
        Ok(result) => result,
        Err(panic) => Err(format!("panicked: {}", panic_text(&*panic))),
    };
    let failures = cases
        .iter()
        .filter_map(|case| outcome(case).err().map(|difference| (cases::name(case).to_owned(), difference)))
        .collect();
    let _ = std::panic::take_hook();
    failures
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a text")
}

#[allow(clippy::disallowed_methods, reason = "this is a program: it chooses families by its command line")]
fn arguments() -> impl Iterator<Item = String> {
    std::env::args().skip(1)
}
