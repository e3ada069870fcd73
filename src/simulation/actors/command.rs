//! A person's commands that wait, in the step loop.

use super::super::agenda::{Due, Turn};
use super::super::step::{CommandRun, Reason};
use super::super::world::{Waiting, WaitingFor, World};
use std::rc::Rc;

/// Lets the waiting commands look whether they are done: the terminal's first, then those beside it, until one has
/// something to say. `None`: all go on waiting and have nothing to say.
#[inline(never)]
pub fn turn(world: &mut World, number: usize) -> Option<Reason> {
    if let Some(waiting) = world.waiting.take() {
        let (left, said) = look(world, waiting, number);
        world.waiting = left;
        if said.is_some() {
            return told(world, said, number);
        }
    }
    for place in 0..world.beside.len() {
        let Some(waiting) = world.beside.get(place).cloned() else { continue };
        let (left, said) = look(world, waiting, number);
        match left {
            Some(left) => world.beside.splice(place..=place, [left]).for_each(drop),
            None => drop(world.beside.remove(place)),
        }
        if said.is_some() {
            return told(world, said, number);
        }
    }
    None
}

/// One of them looks. What goes on waiting, and what it said.
fn look(world: &mut World, waiting: Rc<Waiting>, number: usize) -> (Option<Rc<Waiting>>, Option<CommandRun>) {
    match &waiting.what {
        WaitingFor::Time(until) if *until > world.now_ms => {
            world.agenda.add(Due::new(*until, Turn::Command, Some(waiting.step)));
            (Some(waiting), None)
        }
        WaitingFor::Time(_) => (None, Some(went(&waiting, String::new(), String::new(), Some(0)))),
        WaitingFor::Kubectl(command) => {
            let mut command = command.clone();
            let poll = command.poll(&mut world.api);
            let left = match poll.done {
                Some(_) => None,
                None => {
                    world.schedule_poll(poll.wake_at, Some(number));
                    Some(Rc::new(Waiting { what: WaitingFor::Kubectl(command), ..(*waiting).clone() }))
                }
            };
            world.take_effects(&poll.effects);
            let silent = poll.done.is_none() && poll.new_stdout.is_empty() && poll.new_stderr.is_empty();
            let said =
                CommandRun { effects: poll.effects, ..went(&waiting, poll.new_stdout, poll.new_stderr, poll.done) };
            (left, (!silent).then_some(said))
        }
    }
}

/// What is told of this turn; where other commands wait, they look after it.
fn told(world: &mut World, said: Option<CommandRun>, number: usize) -> Option<Reason> {
    if !world.beside.is_empty() {
        world.agenda.add(Due::new(world.now_ms, Turn::Command, Some(number)));
    }
    said.map(|run| Reason::CommandWent(Rc::new(run)))
}

fn went(waiting: &Waiting, stdout: String, stderr: String, exit_code: Option<i32>) -> CommandRun {
    CommandRun { line: waiting.line.clone(), stdout, stderr, exit_code, ..CommandRun::default() }
}
