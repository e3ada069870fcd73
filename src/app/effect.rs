//! What the interface asks of the browser.

use crate::app::lesson::Fetch;
use crate::app::message::Theme;
use crate::app::text::Language;

/// Something that only the browser can do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Keep the state for the next visit, soon.
    Save,
    /// Send [`crate::app::message::Msg::Check`] when the person has stopped typing.
    CheckLater,
    /// Send [`crate::app::message::Msg::CheckSlice`] when the browser has done what it has to do.
    NextCheck,
    /// Send [`crate::app::message::Msg::Slice`]: when the page has been drawn, or at once if it need not be.
    NextSlice {
        /// Something is to be seen.
        draw: bool,
    },
    /// Send [`crate::app::message::Msg::PlayTick`] after this many milliseconds.
    TickLater(u32),
    /// Send the next [`crate::app::insight::InsightMsg::Slice`] when the page has been drawn.
    InsightSlice,
    /// Put a text on the clipboard.
    Copy(String),
    /// Offer a text as a file.
    Download {
        /// Name of the file.
        name: String,
        /// Its text.
        text: String,
    },
    /// Offer a picture, given as SVG, as a PNG file.
    DownloadPng {
        /// Name of the file.
        name: String,
        /// The picture.
        svg: String,
    },
    /// Print the page.
    Print,
    /// Load the other version of the site that is ready.
    UseUpdate,
    /// Fetch the next piece of the dump that is being imported.
    ReadPiece,
    /// Go on with an import after the page could be drawn.
    NextImportSlice,
    /// Let the person choose a file.
    PickFile,
    /// Colours of the page.
    Theme(Theme),
    /// Language of the page.
    Language(Language),
    /// Load a file beside the page and send it.
    Fetch(Fetch),
    /// Keep a text under a key; `None` forgets it.
    Keep(&'static str, Option<String>),
    /// Tell the page around this one.
    Emit {
        /// Name of the event.
        name: &'static str,
        /// What it carries, as JSON.
        detail: String,
    },
    /// Focus the element of this id.
    Focus(&'static str),
    /// Focus the name of this node.
    FocusNode(String),
}
