//! Runs the commands of a line, one after the other, with their pipes.

use super::command::Command;
use super::context::{Context, Effect, Io};
use super::shell::{self, Pipeline, SimpleCommand, When};
use super::task::{Progress, Task};
use super::{filters, verbs};
use crate::apiserver::ApiServer;
use crate::objects::Time;
use std::collections::VecDeque;

/// What a line printed and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandOutput {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// 0: all went well.
    pub exit_code: i32,
    /// What happened outside the cluster.
    pub effects: Vec<Effect>,
}

/// The result of [`run`].
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The line has ended.
    Done(CommandOutput),
    /// A command waits. Poll it at once (it may have printed already), after every step, and at [`Poll::wake_at`].
    Waiting(Waiting),
}

/// What a waiting line has to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Poll {
    /// Standard output since the last poll.
    pub new_stdout: String,
    /// Standard error since the last poll.
    pub new_stderr: String,
    /// The exit code, once it has ended.
    pub done: Option<i32>,
    /// When to poll again at the latest, even if nothing changes.
    pub wake_at: Option<Time>,
    /// What happened outside the cluster since the last poll.
    pub effects: Vec<Effect>,
}

/// A line that waits. Plain data; a clone goes on from where it was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    rest: VecDeque<(When, Pipeline)>,
    context: Context,
    exit: i32,
    output: CommandOutput,
    current: Option<Box<Current>>,
}

/// The command that waits, and the pipe behind it.
#[derive(Clone, Debug, PartialEq)]
struct Current {
    task: Task,
    command: Command,
    words: SimpleCommand,
    behind: Vec<SimpleCommand>,
    /// What it has printed into the pipe.
    collected: String,
    /// How much of the pipe's result has been shown.
    shown: usize,
}

/// Runs a line of commands.
pub fn run(api: &mut ApiServer, context: &Context, line: &str) -> Outcome {
    let script = match shell::parse(line) {
        Ok(script) => script,
        Err(error) => {
            let stderr = format!("bash: {}\n", error.0);
            return Outcome::Done(CommandOutput { stderr, exit_code: 2, ..CommandOutput::default() });
        }
    };
    let mut waiting = Waiting {
        rest: script.items,
        context: context.clone(),
        exit: 0,
        output: CommandOutput::default(),
        current: None,
    };
    waiting.advance(api);
    if waiting.current.is_some() {
        return Outcome::Waiting(waiting);
    }
    waiting.output.exit_code = waiting.exit;
    Outcome::Done(waiting.output)
}

/// How one command of a pipe ended.
enum Ran {
    Done(String, i32),
    /// With what it has printed so far.
    Waits(Box<(Task, Command, String)>),
}

impl Waiting {
    /// What the line waits for; `None` once it has ended.
    pub fn task(&self) -> Option<&Task> {
        self.current.as_ref().map(|current| &current.task)
    }

    /// The command that waits.
    pub fn command(&self) -> Option<&Command> {
        self.current.as_ref().map(|current| &current.command)
    }

    /// Lets the waiting command look at the cluster; when it has ended, the commands behind it run.
    pub fn poll(&mut self, api: &mut ApiServer) -> Poll {
        let mut wake_at = None;
        if let Some(mut current) = self.current.take() {
            let mut io = Io::new(api, &self.context, &current.command, None);
            let progress = match current.task.poll(&mut io) {
                Ok(progress) => progress,
                Err(error) => {
                    let (text, code) = error.render();
                    io.err.push_str(&text);
                    Progress::Done(code)
                }
            };
            let (out, err, effects) = (io.out, io.err, io.effects);
            self.effects(effects);
            current.collected.push_str(&self.route(&current.words, out, err));
            match progress {
                Progress::Pending(at) => {
                    wake_at = at;
                    self.show_early(api, &mut current);
                    self.current = Some(current);
                }
                Progress::Done(exit) => {
                    let shown = current.shown;
                    self.pipe(api, current.behind, current.collected, exit, shown);
                    if self.current.is_none() {
                        self.advance(api);
                    }
                }
            }
        }
        let output = std::mem::take(&mut self.output);
        let done = self.current.is_none().then_some(self.exit);
        let CommandOutput { stdout, stderr, effects, .. } = output;
        Poll { new_stdout: stdout, new_stderr: stderr, done, wake_at, effects }
    }

    /// Ends the line as Ctrl+C does; the exit code is 130.
    pub fn interrupt(&mut self) -> CommandOutput {
        self.rest.clear();
        self.current = None;
        let output = std::mem::take(&mut self.output);
        CommandOutput { exit_code: 130, ..output }
    }

    /// Runs commands until one waits or the line ends.
    fn advance(&mut self, api: &mut ApiServer) {
        while let Some((when, pipeline)) = self.rest.pop_front() {
            let runs = match when {
                When::Always => true,
                When::OnSuccess => self.exit == 0,
                When::OnFailure => self.exit != 0,
            };
            if !runs {
                continue;
            }
            let stdin = self.context.stdin.clone().unwrap_or_default();
            self.pipe(api, pipeline.commands, stdin, 0, 0);
            if self.current.is_some() {
                return;
            }
        }
    }

    /// Runs the commands of a pipe. `shown` bytes of the result have been printed already; `exit` is the code so far.
    fn pipe(&mut self, api: &mut ApiServer, commands: Vec<SimpleCommand>, input: String, exit: i32, shown: usize) {
        let mut text = input;
        let mut code = exit;
        let mut commands = VecDeque::from(commands);
        while let Some(words) = commands.pop_front() {
            match self.simple(api, &words, &text) {
                Ran::Done(out, exit) => (text, code) = (out, exit),
                Ran::Waits(waits) => {
                    let (task, command, collected) = *waits;
                    self.current =
                        Some(Box::new(Current { task, command, words, behind: commands.into(), collected, shown: 0 }));
                    return;
                }
            }
        }
        self.exit = code;
        self.output.stdout.push_str(text.get(shown..).unwrap_or(""));
    }

    /// Shows what the pipe behind a waiting command passes on line by line.
    fn show_early(&mut self, api: &mut ApiServer, current: &mut Current) {
        if !current.behind.iter().all(|command| filters::streams(&command.words)) {
            return;
        }
        let mut text = current.collected.clone();
        for command in &current.behind {
            if let Ran::Done(out, _) = self.simple(api, command, &text) {
                text = out;
            }
        }
        self.output.stdout.push_str(text.get(current.shown..).unwrap_or(""));
        current.shown = text.len();
    }

    /// Runs one command.
    fn simple(&mut self, api: &mut ApiServer, command: &SimpleCommand, piped: &str) -> Ran {
        let file = command.input_file.as_ref();
        let from_file = file.map(|name| self.context.files.get(name.strip_prefix("./").unwrap_or(name)).cloned());
        let stdin = match (&command.here_document, from_file) {
            (Some(text), _) => text.clone(),
            (None, Some(Some(text))) => text,
            (None, Some(None)) => {
                let name = file.map_or("", String::as_str);
                self.output.stderr.push_str(&format!("bash: {name}: No such file or directory\n"));
                return Ran::Done(String::new(), 1);
            }
            (None, None) => piped.to_owned(),
        };
        let mut words = command.words.as_slice();
        // `FOO=bar kubectl …`: the environment is of no matter here.
        while let Some((first, rest)) = words.split_first() {
            let assigns = first.split_once('=').is_some_and(|(name, _)| {
                !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            });
            if !assigns {
                break;
            }
            words = rest;
        }
        match words.split_first() {
            None => Ran::Done(String::new(), 0),
            Some((name, arguments)) if matches!(name.as_str(), "kubectl" | "k" | "kubectl.exe") => {
                self.kubectl(api, command, arguments, &stdin)
            }
            Some((name, arguments)) if matches!(name.as_str(), "sudo" | "time" | "command") => {
                let inner = SimpleCommand { words: arguments.to_vec(), ..command.clone() };
                self.simple(api, &inner, piped)
            }
            Some((name, arguments)) if name == "xargs" => self.xargs(api, command, arguments, &stdin),
            Some((name, arguments)) if name == "sleep" => match arguments.first().and_then(|word| seconds(word)) {
                Some(seconds) => {
                    let until = api.now().plus_seconds(seconds);
                    Ran::Waits(Box::new((Task::Sleep(until), Command::other("sleep", arguments), String::new())))
                }
                None => {
                    let word = arguments.first().map_or("", String::as_str);
                    self.output.stderr.push_str(&format!("sleep: invalid time interval '{word}'\n"));
                    Ran::Done(String::new(), 1)
                }
            },
            Some((name, _)) => match filters::run(words, &stdin, &self.context) {
                Some(result) => Ran::Done(self.route(command, result.out, result.err), result.exit),
                None => {
                    let text = format!("bash: {name}: command not found\n");
                    Ran::Done(self.route(command, String::new(), text), 127)
                }
            },
        }
    }

    fn kubectl(&mut self, api: &mut ApiServer, words: &SimpleCommand, arguments: &[String], stdin: &str) -> Ran {
        let command = match Command::parse(arguments) {
            Ok(command) => command,
            Err(error) => {
                let (text, code) = error.render();
                return Ran::Done(self.route(words, String::new(), text), code);
            }
        };
        let (out, err, effects, result) = {
            let mut io = Io::new(api, &self.context, &command, Some(stdin));
            let result = verbs::start(&mut io, &command).and_then(|task| match task {
                None => Ok((None, 0)),
                // Most waits are over before they begin.
                Some(mut task) => match task.poll(&mut io)? {
                    Progress::Done(exit) => Ok((None, exit)),
                    Progress::Pending(_) => Ok((Some(task), 0)),
                },
            });
            (io.out, io.err, io.effects, result)
        };
        self.effects(effects);
        let mut out = self.route(words, out, err);
        match result {
            Ok((None, exit)) => Ran::Done(out, exit),
            Ok((Some(task), _)) => Ran::Waits(Box::new((task, command, out))),
            Err(error) => {
                let (text, exit) = error.render();
                out.push_str(&self.route(words, String::new(), text));
                Ran::Done(out, exit)
            }
        }
    }

    /// Sends what a command printed where the line says; returns what goes into the pipe.
    fn route(&mut self, command: &SimpleCommand, mut out: String, err: String) -> String {
        if command.merges_stderr {
            out.push_str(&err);
        } else if !command.drops_stderr {
            self.output.stderr.push_str(&err);
        }
        match &command.output_file {
            None => out,
            Some(name) => {
                if name != "/dev/null" && name != "/dev/stdout" && !out.is_empty() {
                    self.context.files.insert(name.clone(), out.clone());
                    self.output.effects.push(Effect::File { name: name.clone(), text: out });
                }
                String::new()
            }
        }
    }

    /// Keeps what happened outside the cluster; later commands of the line see it.
    fn effects(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            if let Effect::Namespace(namespace) = &effect {
                self.context.namespace.clone_from(namespace);
            }
            self.output.effects.push(effect);
        }
    }

    /// `xargs COMMAND`: the words of the input become arguments.
    fn xargs(&mut self, api: &mut ApiServer, command: &SimpleCommand, arguments: &[String], stdin: &str) -> Ran {
        let mut arguments = arguments;
        let (mut each, mut replaced) = (usize::MAX, None);
        while let Some((first, rest)) = arguments.split_first() {
            match first.as_str() {
                "-r" | "-t" | "--no-run-if-empty" => arguments = rest,
                "-n" | "-L" => {
                    each = rest.first().and_then(|n| n.parse().ok()).unwrap_or(1);
                    arguments = rest.get(1..).unwrap_or_default();
                }
                "-I" => {
                    replaced = rest.first().cloned();
                    arguments = rest.get(1..).unwrap_or_default();
                }
                other if other.starts_with("-I") => {
                    replaced = other.get(2..).map(str::to_owned);
                    arguments = rest;
                }
                other if other.starts_with("-n") => {
                    each = other.get(2..).and_then(|n| n.parse().ok()).unwrap_or(1);
                    arguments = rest;
                }
                _ => break,
            }
        }
        let mut calls: Vec<Vec<String>> = Vec::new();
        if let Some(mark) = replaced {
            for line in stdin.lines().filter(|line| !line.trim().is_empty()) {
                calls.push(arguments.iter().map(|word| word.replace(&mark, line.trim())).collect());
            }
        } else {
            let words: Vec<&str> = stdin.split_whitespace().collect();
            for chunk in words.chunks(each.max(1)) {
                calls.push(arguments.iter().cloned().chain(chunk.iter().map(|word| (*word).to_owned())).collect());
            }
        }
        let (mut text, mut code) = (String::new(), 0);
        let count = calls.len();
        for (index, words) in calls.into_iter().enumerate() {
            let call = SimpleCommand { words, here_document: Some(String::new()), ..command.clone() };
            match self.simple(api, &call, "") {
                Ran::Done(out, exit) => {
                    text.push_str(&out);
                    code = if exit == 0 { code } else { 123 };
                }
                Ran::Waits(mut waits) => {
                    // The last call may wait; earlier ones have been asked for, which is what counts.
                    text.push_str(&std::mem::take(&mut waits.2));
                    if index + 1 == count {
                        waits.2 = text;
                        return Ran::Waits(waits);
                    }
                }
            }
        }
        Ran::Done(text, code)
    }
}

/// The argument of `sleep`: seconds, or a number with a unit.
fn seconds(word: &str) -> Option<i64> {
    match word.parse::<f64>() {
        // Checked to be small enough.
        Ok(seconds) if (0.0..1e9).contains(&seconds) => Some(seconds.ceil() as i64),
        _ => super::age::parse_duration(word),
    }
}
