//! Export and import: what the page shows of them, and how a dump of 100 MB comes in without freezing it.

use crate::app::command;
use crate::app::effect::Effect;
use crate::app::model::Model;
use crate::app::text::{Language, exchange_words};
use crate::app::views::Views;
use crate::exchange::{self, Adopting, DumpError, DumpReader, Report, Telling, Took, looks_like_a_dump};
use crate::simulation::{Opening, Session, Step};
use std::rc::Rc;

/// Bytes of a dump that are fetched at once.
pub const PIECE: usize = 1 << 20;
/// Bytes at the beginning of a file by which a dump is known.
pub const HEAD: usize = 64 << 10;
/// Milliseconds of work between two moments at which the page can be drawn.
const SLICE_MS: usize = 24;
/// Most objects of a slice: what one of them costs differs a hundredfold from kind to kind and stage to stage.
const MOST_AT_ONCE: usize = 64;
/// More objects than this are not kept for the next visit.
const MOST_KEPT: usize = 2_000;
/// The command that a person runs.
pub const DUMP_COMMAND: &str = "kubectl get nodes,daemonsets,deployments,replicasets,controllerrevisions,pods,priorityclasses -A -o json > cluster.json";

/// What is exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportKind {
    /// A shell script for a real cluster.
    Script,
    /// A shell script that makes a KWOK cluster.
    Kwok,
    /// Markdown.
    Transcript,
}

impl ExportKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Script, Self::Kwok, Self::Transcript];

    /// Name of the file.
    pub const fn file(self) -> &'static str {
        match self {
            Self::Script => "session.sh",
            Self::Kwok => "kwok.sh",
            Self::Transcript => "session.md",
        }
    }
}

/// What happened to export and import.
#[derive(Clone, Debug, PartialEq)]
pub enum ExchangeMsg {
    /// Show an export.
    Export(ExportKind),
    /// Save the shown export as a file.
    Download,
    /// Put the shown export on the clipboard.
    Copy,
    /// Show how to import.
    Import,
    /// A text was pasted.
    Pasted(Rc<str>),
    /// A file that is a dump was chosen; its pieces follow.
    Begin {
        /// Its name.
        name: String,
        /// Its size in bytes.
        size: usize,
    },
    /// A piece of the file; an empty one is its end.
    Piece(Rc<[u8]>),
    /// Go on with an import. `took_ms`: how long the slice before took.
    Slice {
        /// Milliseconds.
        took_ms: u32,
    },
    /// Close what is shown; ends an import.
    Close,
    /// Close the report and run a command.
    Try(String),
}

/// State of export and import.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// What is shown.
    pub sheet: Option<Sheet>,
}

/// What is shown over the page.
#[derive(Clone, Debug)]
pub enum Sheet {
    /// An export.
    Export(ExportKind, Rc<str>),
    /// How to import, and what was wrong with the last attempt.
    Import(Option<DumpError>),
    /// An import is under way.
    Loading(Box<Loading>),
    /// An import is done.
    Report(Rc<Report>),
}

/// An import that is under way.
#[derive(Clone, Debug)]
pub struct Loading {
    name: String,
    total: usize,
    budget: usize,
    /// A pasted text and how much of it has been read.
    pasted: Option<(Rc<str>, usize)>,
    stage: Stage,
}

#[derive(Clone, Debug)]
enum Stage {
    Reading(Box<DumpReader>),
    Adopting(Box<Adopting>),
    Opening(Box<Opening>, Rc<Report>),
    /// The session stands; what is shown of it is computed before it is shown.
    Viewing(Box<(Session, Views)>, usize, Rc<Report>),
    /// Between two stages.
    Nothing,
}

/// What the components draw.
#[derive(Clone, Debug, PartialEq)]
pub enum SheetView {
    /// An export.
    Export(ExportKind, Rc<str>),
    /// How to import.
    Import {
        /// What was wrong.
        trouble: Option<String>,
    },
    /// An import is under way.
    Loading {
        /// In words.
        text: String,
        /// How far.
        done: usize,
        /// Of how much.
        total: usize,
    },
    /// An import is done.
    Report(Rc<ReportView>),
}

/// A report in words.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportView {
    /// Kinds and how many.
    pub came: Vec<(String, usize)>,
    /// What stayed outside.
    pub ignored: Vec<String>,
    /// What else there is to know.
    pub notes: Vec<String>,
    /// What to try: in words, and the command.
    pub attempts: Vec<(String, String)>,
}

impl Sheet {
    /// What the components draw.
    pub fn view(&self, model: &Model) -> SheetView {
        let language = model.language();
        let words = exchange_words(language);
        match self {
            Self::Export(kind, text) => SheetView::Export(*kind, Rc::clone(text)),
            Self::Import(error) => SheetView::Import { trouble: error.as_ref().map(|error| words.error(error)) },
            Self::Loading(loading) => loading.view(language),
            Self::Report(report) => SheetView::Report(Rc::new(report_view(model, report))),
        }
    }
}

impl Loading {
    fn view(&self, language: Language) -> SheetView {
        let words = exchange_words(language);
        let fill = crate::app::phrase::fill;
        let megabytes = |bytes: usize| (bytes >> 20).to_string();
        let put_together = |done: usize, total: usize| {
            let facts = [("done", &*done.to_string()), ("total", &*total.to_string())];
            (fill(words.opening, &facts), done, total)
        };
        let (text, done, total) = match &self.stage {
            Stage::Reading(reader) => {
                let (done, objects) = (megabytes(reader.bytes_read()), reader.items().to_string());
                let facts =
                    [("name", &*self.name), ("done", &done), ("total", &megabytes(self.total)), ("objects", &objects)];
                (fill(words.reading, &facts), reader.bytes_read(), self.total)
            }
            Stage::Adopting(adopting) => put_together(0, adopting.objects().saturating_mul(2)),
            Stage::Opening(opening, _) => {
                let (done, total) = opening.progress();
                put_together(done, total)
            }
            Stage::Viewing(made, cards, _) => put_together(*cards, made.0.world().store().nodes().size()),
            Stage::Nothing => (String::new(), 0, 1),
        };
        SheetView::Loading { text, done, total }
    }
}

fn report_view(model: &Model, report: &Report) -> ReportView {
    let language = model.language();
    let words = exchange_words(language);
    let store = model.session.world().store();
    let set = store.daemon_sets().values().max_by_key(|set| set.status.desired_number_scheduled);
    // A node that has pods of others than DaemonSets, if there is one.
    let has_others = |node: &str| {
        store.pods_on(node).any(|pod| pod.metadata.controller().is_some_and(|owner| owner.kind == "ReplicaSet"))
    };
    let nodes = || store.nodes().values().filter(|node| node.is_ready() && !node.spec.unschedulable).take(500);
    let node = nodes().find(|node| has_others(node.name())).or_else(|| nodes().next());
    let node = node.map(|node| node.name().to_string());
    let key = set.map(|set| set.metadata.key());
    let shown = key.as_ref().map(ToString::to_string);
    let texts = words.attempts(shown.as_deref(), node.as_deref());
    let commands = [
        key.as_ref().map(command::restart),
        node.as_deref().map(command::drain),
        node.as_deref().map(|node| command::power(node, false)),
    ];
    let mut notes = words.report_notes(language, report);
    if !model.keeps_session() {
        notes.push(words.not_kept.into());
    }
    ReportView {
        came: report.acted_on.iter().map(|(kind, n)| (kind.clone(), *n)).collect(),
        ignored: words.ignored_lines(report),
        notes,
        attempts: texts.into_iter().zip(commands).filter_map(|(text, command)| Some((text?, command?))).collect(),
    }
}

/// The steps of a transcript in the page's language.
struct InWords(Language);

impl Telling for InWords {
    fn step(&self, step: &Step) -> String {
        let entry = self.0.words().story_entry(step);
        let because = entry.because.to_string();
        if because.is_empty() { entry.text.to_string() } else { format!("{} ({because})", entry.text) }
    }

    fn more(&self, steps: usize) -> String {
        let [one, many] = exchange_words(self.0).more_steps;
        crate::app::text::count(self.0, steps, one, many)
    }

    fn titles(&self) -> [&'static str; 4] {
        exchange_words(self.0).titles
    }
}

impl Model {
    /// Whether the session is kept for the next visit.
    pub fn keeps_session(&self) -> bool {
        let store = self.session.world().store();
        !self.session.is_adopted() || store.nodes().size() + store.pods().size() <= MOST_KEPT
    }

    fn exported(&self, kind: ExportKind) -> String {
        match kind {
            ExportKind::Script => exchange::shell_script(&self.session),
            ExportKind::Kwok => exchange::kwok_script(&self.session),
            ExportKind::Transcript => exchange::markdown(&self.session, &InWords(self.language())),
        }
    }
}

/// What each message of export and import does.
pub fn update(model: &mut Model, message: ExchangeMsg) -> Vec<Effect> {
    match message {
        ExchangeMsg::Export(kind) => {
            model.exchange.sheet = Some(Sheet::Export(kind, model.exported(kind).into()));
            vec![Effect::Focus("sheet")]
        }
        ExchangeMsg::Download | ExchangeMsg::Copy => {
            let Some(Sheet::Export(kind, text)) = &model.exchange.sheet else { return Vec::new() };
            let (name, text) = (kind.file().to_owned(), text.to_string());
            if message == ExchangeMsg::Download {
                return vec![Effect::Download { name, text }];
            }
            model.announcement = model.words().copied.into();
            vec![Effect::Copy(text)]
        }
        ExchangeMsg::Import => {
            model.exchange.sheet = Some(Sheet::Import(None));
            vec![Effect::Focus("sheet")]
        }
        ExchangeMsg::Pasted(text) => begin(model, String::new(), text.len(), Some((text, 0))),
        ExchangeMsg::Begin { name, size } => begin(model, name, size, None),
        ExchangeMsg::Piece(bytes) => {
            let Some(Sheet::Loading(loading)) = &mut model.exchange.sheet else { return Vec::new() };
            if let Stage::Reading(reader) = &mut loading.stage {
                if bytes.is_empty() { reader.end() } else { reader.feed(&bytes) }
            }
            vec![Effect::NextImportSlice]
        }
        ExchangeMsg::Slice { took_ms } => slice(model, took_ms),
        ExchangeMsg::Close => {
            model.exchange.sheet = None;
            vec![Effect::Focus("command")]
        }
        ExchangeMsg::Try(line) => {
            model.exchange.sheet = None;
            crate::app::update::update(model, crate::app::message::Msg::RunTyped(line))
        }
    }
}

/// Whether a text that was dropped, chosen or pasted is the dump of a cluster.
pub fn is_dump(text: &str) -> bool {
    looks_like_a_dump(text.get(..text.floor_char_boundary(HEAD)).unwrap_or(text))
}

fn begin(model: &mut Model, name: String, total: usize, pasted: Option<(Rc<str>, usize)>) -> Vec<Effect> {
    model.running = crate::app::message::Running::No;
    let stage = Stage::Reading(Box::default());
    model.exchange.sheet = Some(Sheet::Loading(Box::new(Loading { name, total, budget: 16, pasted, stage })));
    vec![Effect::NextImportSlice, Effect::Focus("sheet")]
}

/// Works on an import for about [`SLICE_MS`].
fn slice(model: &mut Model, took_ms: u32) -> Vec<Effect> {
    let Some(Sheet::Loading(loading)) = &mut model.exchange.sheet else { return Vec::new() };
    let wanted = loading.budget.saturating_mul(SLICE_MS) / (took_ms.max(1) as usize);
    loading.budget = wanted.clamp(1, loading.budget.saturating_mul(2)).min(MOST_AT_ONCE);
    let budget = loading.budget;
    match std::mem::replace(&mut loading.stage, Stage::Nothing) {
        Stage::Reading(mut reader) => {
            for _ in 0..budget {
                match reader.take() {
                    Ok(Took::Item) => {}
                    Ok(Took::Wait) => match &mut loading.pasted {
                        // The browser has the file.
                        None => {
                            loading.stage = Stage::Reading(reader);
                            return vec![Effect::ReadPiece];
                        }
                        Some((text, at)) => {
                            let to = text.len().min(at.saturating_add(PIECE));
                            match text.as_bytes().get(*at..to) {
                                Some(piece) if !piece.is_empty() => reader.feed(piece),
                                _ => reader.end(),
                            }
                            *at = to;
                        }
                    },
                    Ok(Took::End) => {
                        loading.stage = Stage::Adopting(Box::new(Adopting::new(reader.finish())));
                        return vec![Effect::NextImportSlice];
                    }
                    Err(error) => {
                        model.exchange.sheet = Some(Sheet::Import(Some(error)));
                        return Vec::new();
                    }
                }
            }
            loading.stage = Stage::Reading(reader);
            vec![Effect::NextImportSlice]
        }
        Stage::Adopting(mut adopting) => {
            loading.stage = match adopting.go_on() {
                None => Stage::Adopting(adopting),
                Some(adopted) => {
                    let opening = Opening::new(adopted.scenario, adopted.objects);
                    Stage::Opening(Box::new(opening), Rc::new(adopted.report))
                }
            };
            // The next stage has its own pace.
            loading.budget = 16;
            vec![Effect::NextImportSlice]
        }
        Stage::Opening(mut opening, report) => {
            loading.stage = if opening.go_on(budget) {
                let (scenario, world) = opening.finish();
                let session = Session::adopt(scenario, world);
                // The session keeps the answer, for which it looks ahead.
                session.is_quiet();
                Stage::Viewing(Box::new((session, Views::default())), 0, report)
            } else {
                Stage::Opening(opening, report)
            };
            vec![Effect::NextImportSlice]
        }
        Stage::Viewing(mut made, _, report) => {
            let (session, views) = &mut *made;
            let (cards, ready) = views.prepare(session, budget.saturating_mul(4));
            if !ready {
                loading.stage = Stage::Viewing(made, cards, report);
                return vec![Effect::NextImportSlice];
            }
            let (session, views) = *made;
            let before = if model.keeps_session() { Some(model.saved()) } else { None };
            crate::app::update::start_prepared(model, session, views, before);
            model.exchange.sheet = Some(Sheet::Report(report));
            vec![Effect::Save, Effect::CheckLater, Effect::Focus("sheet")]
        }
        Stage::Nothing => Vec::new(),
    }
}
