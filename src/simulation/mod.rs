//! The step loop: commits one plan of one actor after the other, on virtual time, into a timeline.

mod actors;
mod agenda;
mod cycle;
mod duration;
mod opening;
mod scenario;
mod session;
mod sim_command;
mod sim_help;
mod sim_run;
mod step;
mod timeline;
mod transcript;
mod world;

pub use actors::{Actors, DaemonSetState, DaemonSetSync};
pub use agenda::{Agenda, Due, Turn};
pub use cycle::{Cycle, Shape};
pub use duration::{format_duration, parse_duration};
pub use opening::Opening;
pub use scenario::{About, DEFAULT_START, LogEntry, Machine, Machines, SCENARIO_VERSION, Scenario, ScenarioError};
pub use session::{MAX_REPLAYED_STEPS, Progress, Session};
pub use sim_command::{AddNode, MAX_NODES_AT_ONCE, SimCommand, SimError, StaticPod, command_of as sim_command_of};
pub use sim_help::names as sim_command_names;
pub use step::{Actor, CommandRun, Reason, Step, Subject};
pub use timeline::{Branch, SNAPSHOT_INTERVAL, Timeline};
pub use transcript::transcript_line;
pub use world::{Turned, Waiting, WaitingFor, World};
