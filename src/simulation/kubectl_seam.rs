//! What the step loop asks of kubectl, until kubectl is there.
#![allow(dead_code, reason = "a place-holder for the lines that kubectl will answer")]

use crate::apiserver::ApiServer;
use std::collections::BTreeMap;

/// What a command line may refer to.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// Texts by file name.
    pub files: BTreeMap<String, String>,
}

/// What a command printed.
#[derive(Clone, Debug, Default)]
pub struct CommandOutput {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// 0 for success.
    pub exit_code: i32,
}

/// A command that waits.
#[derive(Clone, Debug)]
pub struct Waiting;

/// What a waiting command says when it looks again.
pub struct Poll {
    /// What it printed since.
    pub new_stdout: String,
    /// What it printed since on standard error.
    pub new_stderr: String,
    /// The exit code, once it is done.
    pub done: Option<i32>,
    /// When it has to look again at the latest, in virtual milliseconds.
    pub wake_at_ms: Option<u64>,
}

impl Waiting {
    /// Looks whether it is done.
    pub fn poll(&mut self, _: &mut ApiServer) -> Poll {
        Poll { new_stdout: String::new(), new_stderr: String::new(), done: Some(0), wake_at_ms: None }
    }
}

/// What became of a command line.
pub enum Outcome {
    /// It ended.
    Done(CommandOutput),
    /// It waits.
    Waiting(Waiting),
}

/// Runs a command line.
pub fn run(_: &mut ApiServer, _: &Context, line: &str) -> Outcome {
    let stderr = format!("error: {line}: not there yet\n");
    Outcome::Done(CommandOutput { stderr, exit_code: 1, ..CommandOutput::default() })
}
