//! Lessons: a Markdown file becomes tasks, the engine's state says which of them are done.
//!
//! The format is described in `docs/lessons.md`. [`Lesson::parse`] reads a file and names every fault with its line;
//! [`Progress`] is how far a learner has come, plain data that is kept and brought back; [`prove`] plays a lesson's own
//! solution and says what is wrong with the lesson.
//!
//! Invariants: nothing here writes to the cluster; a check looks at objects and steps, never at keystrokes (with the
//! one exception of [`Check::Command`], for tasks whose point is to have looked at something); the engine has no clock,
//! so real time comes in from outside; texts stand in the lesson in both languages, the words of the page elsewhere.

mod check;
mod check_read;
mod expect;
mod fault;
mod fields;
mod lesson;
mod markdown;
mod parse;
mod progress;
mod prove;
mod report;
mod scene;

pub use check::{Amount, Check, Counter, Item, ObjectClaim, ObjectTest, PodState, PodTest, Scene};
pub use expect::{Ending, Expectation, Outcome, verify};
pub use fault::{Fault, Language as FaultLanguage, LessonError, Wanted};
pub use lesson::{Both, Choice, Lesson, Level, Question, ScriptLine, Speech, Task};
pub use markdown::{Block, Inline, Notice, blocks, inlines};
pub use progress::{Answer, HINT_COST, Progress, QUESTION_POINTS, TASK_POINTS, TaskProgress, TaskView};
pub use prove::{Flaw, play, prove};
pub use report::{Report, ReportKind};
pub use scene::{matching_pods, shown};
