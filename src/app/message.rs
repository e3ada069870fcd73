//! Everything that can happen to the interface.

use crate::app::export::Export;
use crate::app::insight::InsightMsg;
use crate::app::lesson::LessonMsg;
use crate::app::share::ShareAs;
use crate::app::text::Language;
use crate::objects::ObjectKey;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Identity of an open file; names can change.
pub type FileId = u32;

/// Light, dark, or what the system says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// What the system says.
    #[default]
    Auto,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

impl Theme {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Light, Self::Dark];

    /// Value of the `data-theme` attribute.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// How fast a run is played: virtual time against real time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speed {
    /// Two steps a second.
    Slow,
    /// Five steps a second.
    #[default]
    Normal,
    /// Twenty steps a second.
    Fast,
}

impl Speed {
    /// All of them, slowest first.
    pub const ALL: [Self; 3] = [Self::Slow, Self::Normal, Self::Fast];

    /// Real time between two steps, in milliseconds.
    pub const fn pause_ms(self) -> u32 {
        match self {
            Self::Slow => 500,
            Self::Normal => 200,
            Self::Fast => 50,
        }
    }
}

/// What runs by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Running {
    /// Nothing.
    No,
    /// Steps are played, one after the other.
    Playing,
    /// Steps are made as fast as possible.
    ToQuiet,
}

/// The parts of the page that a narrow screen shows one at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pane {
    /// The nodes.
    #[default]
    Cluster,
    /// The editor.
    Manifest,
    /// Steps and events.
    Story,
    /// The command line and what it printed.
    Terminal,
}

impl Pane {
    /// All of them, in the order of the page.
    pub const ALL: [Self; 4] = [Self::Cluster, Self::Manifest, Self::Story, Self::Terminal];

    /// Value of the `data-pane` attribute.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cluster => "cluster",
            Self::Manifest => "manifest",
            Self::Story => "story",
            Self::Terminal => "terminal",
        }
    }
}

/// What the panel of details shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inspect {
    /// A node.
    Node(Rc<str>),
    /// A pod.
    Pod(ObjectKey),
}

/// Why does a DaemonSet have a pod on a node, or none?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The DaemonSet.
    pub set: ObjectKey,
    /// The node.
    pub node: Rc<str>,
}

/// One of the five counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counter {
    /// Eligible nodes.
    Desired,
    /// Eligible nodes that have a pod.
    Current,
    /// Eligible nodes whose pod is ready.
    Ready,
    /// Eligible nodes whose pod has the present template.
    UpToDate,
    /// Eligible nodes whose pod is available.
    Available,
}

impl Counter {
    /// All of them, in kubectl's order.
    pub const ALL: [Self; 5] = [Self::Desired, Self::Current, Self::Ready, Self::UpToDate, Self::Available];
}

/// The panels beside the cluster, one tab each; [`crate::ui::panels`] draws them and says how to add one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SideTab {
    /// The steps in plain words.
    #[default]
    Story,
    /// The events as kubectl shows them.
    Events,
    /// Why a DaemonSet has a pod on a node, or none.
    Why,
    /// Overhead, lint, forecast, compare.
    Insight,
    /// A lesson.
    Lesson,
}

impl SideTab {
    /// Those that are shown, in the order of the tabs. A panel enters here when it is there.
    pub const SHOWN: &[Self] = &[Self::Story, Self::Events, Self::Why, Self::Insight, Self::Lesson];

    /// The end of the ids of its tab (`tab-story`) and panel (`panel-story`).
    pub const fn name(self) -> &'static str {
        match self {
            Self::Story => "story",
            Self::Events => "events",
            Self::Why => "why",
            Self::Insight => "insight",
            Self::Lesson => "lesson",
        }
    }
}

/// What becomes of an image where it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// It starts and gets ready.
    #[default]
    Runs,
    /// It cannot be pulled.
    CannotPull,
    /// It crashes, again and again.
    Crashes,
    /// It starts and never gets ready.
    NeverReady,
}

impl Fate {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::Runs, Self::CannotPull, Self::Crashes, Self::NeverReady];
}

/// What a check looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// The range of the shown file (in UTF-16 units), and whether the check passes.
    pub range: Option<(u32, u32, bool)>,
    /// The node, and the key of its label or taint.
    pub chip: Option<(Rc<str>, Rc<str>)>,
}

/// Something that happened: the person did it, or the browser says so.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// Make one step. At the very beginning, apply the manifest.
    Step,
    /// Step to the end of the wave.
    StepOver,
    /// Step until nothing is due.
    RunToQuiet,
    /// One step back.
    Back,
    /// Go to the state after that many steps.
    Seek(usize),
    /// Begin to play, or stop.
    TogglePlay,
    /// Play at another speed.
    SetSpeed(Speed),
    /// Stop playing or running.
    Stop,
    /// The time for the next slice of a run has come.
    Slice {
        /// How long the slice before took, in milliseconds.
        took_ms: u32,
        /// How long it then took until the page was drawn; 0 when it was not.
        drawn_ms: u32,
    },
    /// The time for the next step of playing has come.
    PlayTick,
    /// Make a branch the present line.
    SwitchBranch(usize),
    /// Show a branch beside the present line, or none.
    Compare(Option<usize>),

    /// The person changed a file's text.
    Edit(FileId, Rc<str>),
    /// Show a file.
    OpenFile(FileId),
    /// Make an empty file and show it.
    NewFile,
    /// Close a file.
    CloseFile(FileId),
    /// Give a file another name.
    RenameFile(FileId, String),
    /// Bring the file back that was closed last.
    ReopenFile,
    /// Text from a file or the clipboard: a scenario is opened, anything else becomes a file.
    Import {
        /// Name of the file, if it had one.
        name: String,
        /// Its text.
        text: String,
    },
    /// Show or hide what Apply would change.
    ToggleReview,
    /// Apply the shown file.
    Apply,
    /// Show a file and apply it.
    ApplyFile(FileId),
    /// Put a text in place of the shown file's, because of a fix.
    Fix(usize),
    /// Put a text into a file (a new one of that name, if none is given) and show it.
    Write {
        /// The file.
        file: Option<FileId>,
        /// Name of a new file.
        name: String,
        /// The text that the file must still have: what was typed since is never taken back.
        from: Rc<str>,
        /// The text.
        text: Rc<str>,
    },
    /// Put the caret of the shown file there (in UTF-16 units).
    GoTo(u32),
    /// Mark what a check looks at, or nothing any more.
    Mark(Option<Marked>),
    /// The person has stopped typing: look at the text.
    Check,
    /// Go on looking at a long text.
    CheckSlice,
    /// The editor stands.
    EditorReady,

    /// Run a command that a click stands for.
    Run(String),
    /// Run a command that was typed.
    RunTyped(String),
    /// Complete an unfinished command line at the cursor (in bytes).
    CompleteCommand {
        /// The line.
        line: String,
        /// The cursor.
        cursor: usize,
    },
    /// Give a container another image, and say what becomes of it where it runs.
    SetImage {
        /// The command.
        line: String,
        /// The image.
        image: String,
        /// What becomes of it.
        fate: Fate,
    },
    /// Show the command that a click would run.
    Hint(Option<String>),
    /// Show or hide the terminal's drawer.
    ToggleTerminal,
    /// Something about export or import.
    Exchange(crate::app::exchange::ExchangeMsg),
    /// End the command that waits (Ctrl+C).
    Interrupt,
    /// Forget the terminal's output.
    ClearTerminal,

    /// Look at a DaemonSet.
    ChooseSet(ObjectKey),
    /// Show details.
    Inspect(Inspect),
    /// Hide the details.
    CloseInspector,
    /// Show which pods a counter counts.
    ShowCounter(Option<Counter>),
    /// Show only some nodes.
    Filter(String),
    /// Group the nodes by the values of a label.
    GroupBy(Option<String>),
    /// Show the nodes as a table, or as cards or map.
    ShowTable(bool),

    /// Show a part of the page (on a narrow screen).
    ShowPane(Pane),
    /// Something in the panel of insight.
    Insight(InsightMsg),
    /// Show a panel beside the cluster.
    ShowTab(SideTab),
    /// Ask why a DaemonSet has a pod on a node, or none.
    Ask(Question),
    /// The line of the shown file that the person looks at, by caret or pointer; 0: none.
    LookAtLine(usize),
    /// Show a step's changes, or hide them.
    ToggleStep(usize),
    /// Show only the steps that speak of something.
    FilterStory(String),
    /// Show more of the story's beginning.
    EarlierSteps,
    /// Light or dark.
    SetTheme(Theme),
    /// The system's scheme is dark.
    SystemDark(bool),
    /// Another language.
    SetLanguage(Language),
    /// Put something on the clipboard.
    Copy(String),
    /// Find out how long the link of the session is, at this address of the page.
    MeasureLink(String),
    /// Copy the session in a form, at this address of the page.
    Share(ShareAs, String),
    /// Open what a link holds.
    OpenLink(String),
    /// Save something as a file.
    Export(Export),
    /// Print the page.
    Print,
    /// Another version of the site is ready.
    UpdateReady,
    /// Go on with it.
    UseUpdate,
    /// Ask for a file to open.
    PickFile,
    /// Begin anew with the first cluster.
    NewSession,
    /// Bring the session back that was replaced last.
    RestoreSession,
    /// Hide the notice.
    CloseNotice,
    /// Something about lessons or the gallery.
    Lesson(LessonMsg),
}
