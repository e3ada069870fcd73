//! The program: runs families and prints how they went.

use super::{Family, cases, choice, families};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// Runs the families that the command line names, or all.
pub fn main() -> ExitCode {
    choice::self_check();
    let wanted: Vec<String> = arguments().filter(|argument| !argument.starts_with('-')).collect();
    let (mut passed, mut failed) = (0, 0);
    for family in families() {
        if !wanted.is_empty() && !wanted.iter().any(|name| name == family.name) {
            continue;
        }
        match cases::read(family.name) {
            Ok(None) => println!("{}: absent", family.name),
            Ok(Some(cases)) => {
                let failures = run(&family, &cases);
                println!("{}: {} passed, {} failed", family.name, cases.len() - failures.len(), failures.len());
                for (name, difference) in &failures {
                    println!("  FAILED {name}: {difference}");
                }
                passed += cases.len() - failures.len();
                failed += failures.len();
            }
            Err(error) => {
                println!("{}: {error}", family.name);
                failed += 1;
            }
        }
    }
    println!("{passed} passed, {failed} failed");
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
