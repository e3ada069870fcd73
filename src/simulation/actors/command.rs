//! A person's command that waits, in the step loop.

use super::super::agenda::{Due, Turn};
use super::super::step::{CommandRun, Reason};
use super::super::world::{Waiting, WaitingFor, World};
use std::rc::Rc;

/// Lets the waiting command look whether it is done. `None`: it goes on waiting and has nothing to say.
pub fn turn(world: &mut World, number: usize) -> Option<Reason> {
    let waiting = world.waiting.clone()?;
    match &waiting.what {
        WaitingFor::Time(until) if *until > world.now_ms => {
            world.agenda.add(Due::new(*until, Turn::Command, Some(waiting.step)));
            None
        }
        WaitingFor::Time(_) => {
            world.waiting = None;
            Some(told(went(&waiting, String::new(), String::new(), Some(0))))
        }
        WaitingFor::Kubectl(command) => {
            let mut command = command.clone();
            let poll = command.poll(&mut world.api);
            if poll.done.is_some() {
                world.waiting = None;
            } else {
                world.schedule_poll(poll.wake_at, Some(number));
                world.waiting = Some(Rc::new(Waiting { what: WaitingFor::Kubectl(command), ..(*waiting).clone() }));
            }
            world.take_effects(&poll.effects);
            let silent = poll.done.is_none() && poll.new_stdout.is_empty() && poll.new_stderr.is_empty();
            (!silent).then(|| {
                told(CommandRun {
                    effects: poll.effects,
                    ..went(&waiting, poll.new_stdout, poll.new_stderr, poll.done)
                })
            })
        }
    }
}

fn told(run: CommandRun) -> Reason {
    Reason::CommandWent(Rc::new(run))
}

fn went(waiting: &Waiting, stdout: String, stderr: String, exit_code: Option<i32>) -> CommandRun {
    CommandRun { line: waiting.line.clone(), stdout, stderr, exit_code, ..CommandRun::default() }
}
