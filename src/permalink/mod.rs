//! Links that hold a whole session: `#s=<codec>:<base64url>`. Nothing is kept anywhere else; a link that was made once
//! opens in every later version (`tests/permalinks/`).

mod base64url;
mod codec;

pub use codec::{CODEC, LinkError, MAX_TEXT, MAX_WORD, pack, unpack};

use crate::simulation::{MAX_REPLAYED_STEPS, Scenario, Session};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// What stands before the state in the hash of an address.
pub const PARAMETER: &str = "s=";

/// Longest link that is offered, in characters, as the address bar of Chromium shows and copies no longer ones. A state
/// that needs more is offered as a file.
pub const MAX_LINK: usize = 32_768;

/// Lengths, in characters, from which on a program is known to cut a link or to refuse the message: Discord and some mail
/// programs at 2,000, Slack at 4,000.
pub const CUT_LENGTHS: [usize; 2] = [2_000, 4_000];

/// A tab of the editor, where it differs from what the scenario's commands read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SharedTab {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Whether this text is what was applied last.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub applied: bool,
}

/// The state that a link holds. Members that a later version adds are ignored by this one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SharedState {
    /// The initial objects, the seed, and the commands with their virtual times.
    pub scenario: Scenario,
    /// Number of steps that had been made.
    #[serde(default)]
    pub steps: usize,
    /// Number of steps before the position that is shown.
    #[serde(default)]
    pub position: usize,
    /// Virtual time at the end of the line, in milliseconds since the start.
    #[serde(default)]
    pub now_ms: u64,
    /// The tabs of the editor; none: the scenario's files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tabs: Vec<SharedTab>,
    /// Which tab is shown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub shown: usize,
    /// What is looked at, by name: `view`, `set`, `filter` and so on. Names that are not known are ignored.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub view: BTreeMap<String, String>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl SharedState {
    /// The state of a session: its present line, without the branches that were left.
    pub fn of(session: &Session) -> Self {
        Self {
            scenario: session.scenario(),
            steps: session.len(),
            position: session.position(),
            now_ms: session.world_at(session.len()).now_ms(),
            ..Self::default()
        }
    }

    /// The session as it was: the same steps, the same position.
    pub fn session(&self) -> Session {
        let mut session = Session::new(self.scenario.clone());
        let steps = self.steps.min(MAX_REPLAYED_STEPS);
        while session.len() < steps && session.step() {}
        if session.world().now_ms() < self.now_ms {
            // Time had passed in which nothing was due.
            session.run_until(self.now_ms, 1);
        }
        session.seek(self.position);
        session
    }

    /// The hash of an address that holds this state, without its `#`. Its length says whether a link is of use
    /// ([`MAX_LINK`]).
    pub fn to_fragment(&self) -> String {
        format!("{PARAMETER}{}", pack(&serde_json::to_string(self).unwrap_or_default()))
    }

    /// Reads the state from a link, from its hash, or from what [`Self::to_fragment`] made.
    ///
    /// # Errors
    /// Where there is no state, or it was damaged on its way, or was written by a later version.
    pub fn parse(link: &str) -> Result<Self, LinkError> {
        let text = unpack(state_in(link).ok_or(LinkError::NoState)?)?;
        let tree: Result<Value, _> = serde_json::from_str(&text);
        let state: Self =
            tree.and_then(serde_json::from_value).map_err(|error| LinkError::NotAState(error.to_string()))?;
        state.scenario.check_version().map_err(|error| LinkError::NotAState(error.message))?;
        Ok(state)
    }
}

/// The packed state in a link, if it has one.
fn state_in(link: &str) -> Option<&str> {
    let link = link.trim();
    let hash = link.split_once('#').map_or(link, |(_, hash)| hash);
    hash.split('&').find_map(|part| part.strip_prefix(PARAMETER))
}

/// Whether an address holds a state, readable or not.
pub fn holds_state(link: &str) -> bool {
    state_in(link).is_some()
}
