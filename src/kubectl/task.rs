//! Commands that wait.

use super::context::Io;
use super::error::Result;
use super::verbs::{delete, drain, events, get, replace, rollout_status, wait};
use crate::objects::Time;

/// What a command waits for. Plain data: it can be kept with a snapshot and polled again from there.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// `rollout status`
    RolloutStatus(rollout_status::RolloutStatus),
    /// `wait`
    Wait(wait::Wait),
    /// `drain`
    Drain(drain::Drain),
    /// `delete`, until everything is gone.
    Delete(delete::DeleteWait),
    /// `replace --force`, until the old objects are gone.
    Replace(replace::ReplaceWait),
    /// `get -w`
    GetWatch(get::GetWatch),
    /// `events -w`
    EventsWatch(events::EventsWatch),
    /// `sleep`
    Sleep(Time),
}

/// How far a waiting command is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It ended, with this exit code.
    Done(i32),
    /// It waits on, for a change or for this time.
    Pending(Option<Time>),
}

/// What a command that has been started does next.
pub(crate) type Started = Result<Option<Task>>;

impl Task {
    /// Lets the command look at the cluster and print what is new.
    pub(crate) fn poll(&mut self, io: &mut Io) -> Result<Progress> {
        match self {
            Self::RolloutStatus(task) => task.poll(io),
            Self::Wait(task) => task.poll(io),
            Self::Drain(task) => task.poll(io),
            Self::Delete(task) => task.poll(io),
            Self::Replace(task) => task.poll(io),
            Self::GetWatch(task) => task.poll(io),
            Self::EventsWatch(task) => task.poll(io),
            Self::Sleep(until) if io.api.now() >= *until => Ok(Progress::Done(0)),
            Self::Sleep(until) => Ok(Progress::Pending(Some(*until))),
        }
    }
}
