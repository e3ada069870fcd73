use crate::app::message::Question;
use crate::app::phrase::Phrase;

/// What kind of standstill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandingKind {
    /// Nothing that is due brings the rollout on.
    Stuck,
    /// The next move is the person's (OnDelete).
    YourTurn,
    /// The same happens again and again.
    Circles,
}

/// Why a DaemonSet does not come to its end although nothing new happens any more.
#[derive(Clone, Debug, PartialEq)]
pub struct StandingView {
    /// What kind of standstill.
    pub kind: StandingKind,
    /// How far it has come.
    pub headline: String,
    /// What stands in its way, and who waits for it.
    pub detail: Phrase,
    /// What the panel of reasons can be asked.
    pub question: Option<Question>,
    /// The command that goes back to the revision before, where that can help.
    pub undo: Option<String>,
}
