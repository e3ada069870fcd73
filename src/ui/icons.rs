//! The icons: one set, drawn on a 16 px grid with a 1.5 px line.

use yew::prelude::*;

/// Which icon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    Add,
    Back,
    Branch,
    Chevron,
    ChevronUp,
    Close,
    Compare,
    Cluster,
    Copy,
    Download,
    Error,
    File,
    Info,
    /// A book.
    Lesson,
    Manifest,
    More,
    Node,
    Pause,
    Picture,
    Play,
    /// A screen on a stand.
    Present,
    Print,
    Quiet,
    Search,
    Share,
    Start,
    Step,
    StepOver,
    Stop,
    Story,
    Table,
    Terminal,
    ThemeAuto,
    ThemeDark,
    ThemeLight,
    Tick,
    Undo,
    Upload,
    Warning,
}

impl Icon {
    /// Outlines, and filled shapes.
    const fn paths(self) -> (&'static str, &'static str) {
        match self {
            Self::Add => ("M8 3.5v9M3.5 8h9", ""),
            Self::Back => ("", "M11.5 3.6v8.8c0 .5-.6.8-1 .5L4.6 8.5a.6.6 0 0 1 0-1l5.9-4.4c.4-.3 1 0 1 .5z"),
            Self::Branch => (
                "M5 5.5v5M5 8h4a2 2 0 0 0 2-2v-.5M5 2.5v0M5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z",
                "",
            ),
            Self::Chevron => ("M4.5 6.5 8 10l3.5-3.5", ""),
            Self::ChevronUp => ("M4.5 9.5 8 6l3.5 3.5", ""),
            Self::Close => ("m4 4 8 8M12 4l-8 8", ""),
            Self::Cluster => (
                "M2.75 3.75a1 1 0 0 1 1-1h2.5a1 1 0 0 1 1 1v2.5a1 1 0 0 1-1 1h-2.5a1 1 0 0 1-1-1zM8.75 3.75a1 1 0 0 1 1-1h2.5a1 1 0 0 1 1 1v2.5a1 1 0 0 1-1 1h-2.5a1 1 0 0 1-1-1zM2.75 9.75a1 1 0 0 1 1-1h2.5a1 1 0 0 1 1 1v2.5a1 1 0 0 1-1 1h-2.5a1 1 0 0 1-1-1zM8.75 9.75a1 1 0 0 1 1-1h2.5a1 1 0 0 1 1 1v2.5a1 1 0 0 1-1 1h-2.5a1 1 0 0 1-1-1z",
                "",
            ),
            Self::Compare => ("M2.5 5h11M2.5 11h11M6 3v4M10 9v4", ""),
            Self::Share => (
                "M11.5 5.5a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5zM4.5 9.75a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5zM11.5 14a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5zM6.1 7.2 9.9 4.6M6.1 8.8l3.8 2.6",
                "",
            ),
            Self::Table => ("M2.75 3.25h10.5v9.5H2.75zM2.75 6.5h10.5M2.75 9.6h10.5M7 6.5v6.25", ""),
            Self::Copy => (
                "M5.75 5.75h6.5a1 1 0 0 1 1 1v6.5a1 1 0 0 1-1 1h-6.5a1 1 0 0 1-1-1v-6.5a1 1 0 0 1 1-1zM10.5 3.5v-.75a1 1 0 0 0-1-1H3a1 1 0 0 0-1 1v6.75a1 1 0 0 0 1 1h.75",
                "",
            ),
            Self::Download => ("M8 2.5v7M5 6.8l3 3 3-3M2.75 12.5h10.5", ""),
            Self::Error => ("M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5v3.5M8 10.9v.05", ""),
            Self::File => {
                ("M4.5 1.75h4.8l3.2 3.2v8.3a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1V2.75a1 1 0 0 1 1-1zM9 2v3.25h3.25", "")
            }
            Self::Info => ("M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.5V11M8 5.1v.05", ""),
            Self::Lesson => (
                "M8 4.2C6.6 3.2 4.7 2.9 2.75 3v9.2c1.95-.1 3.85.2 5.25 1.2 1.4-1 3.3-1.3 5.25-1.2V3C11.3 2.9 9.4 3.2 8 4.2zM8 4.2v9.2",
                "",
            ),
            Self::Manifest => ("M3 4h6M3 8h10M3 12h7.5", ""),
            Self::More => (
                "",
                "M3.5 9.25a1.25 1.25 0 1 0 0-2.5 1.25 1.25 0 0 0 0 2.5zM8 9.25a1.25 1.25 0 1 0 0-2.5 1.25 1.25 0 0 0 0 2.5zM12.5 9.25a1.25 1.25 0 1 0 0-2.5 1.25 1.25 0 0 0 0 2.5z",
            ),
            Self::Node => ("M2.75 3.75h10.5v8.5H2.75zM5 10h.05M8 10h3", ""),
            Self::Pause => ("", "M4.5 3.5h2.25v9H4.5zM9.25 3.5h2.25v9H9.25z"),
            Self::Picture => ("M2.75 3.75h10.5v8.5H2.75zM3 11l3-3 2.5 2.5L10.5 8.5 13 11M10.75 6.2v.05", ""),
            Self::Present => ("M2 3h12M3 3v7h10V3M8 10v3.5M5.5 13.5h5", ""),
            Self::Print => ("M4.5 6V2.5h7V6M4.5 11.5H2.75V6h10.5v5.5H11.5M4.5 9.5h7v4h-7z", ""),
            Self::Play => ("", "M4.5 3.4v9.2c0 .5.5.8 1 .5l7-4.6a.6.6 0 0 0 0-1l-7-4.6c-.5-.3-1 0-1 .5z"),
            Self::Quiet => (
                "M12.75 3.5v9",
                "M2 4.2v7.6c0 .5.5.7.9.4L6.5 9v2.8c0 .5.5.7.9.4l4.1-3.7a.6.6 0 0 0 0-1L7.4 3.8c-.4-.3-.9-.1-.9.4V7L2.9 3.8c-.4-.3-.9-.1-.9.4z",
            ),
            Self::Search => ("M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3 13.5 13.5", ""),
            Self::Start => {
                ("M3.5 3.5v9", "M12.5 3.6v8.8c0 .5-.6.8-1 .5L5.6 8.5a.6.6 0 0 1 0-1l5.9-4.4c.4-.3 1 0 1 .5z")
            }
            Self::Step => ("M12 3.5v9", "M3.5 3.6v8.8c0 .5.6.8 1 .5l5.9-4.4a.6.6 0 0 0 0-1L4.5 3.1c-.4-.3-1 0-1 .5z"),
            Self::StepOver => {
                ("M2.5 8.5a5.2 5.2 0 0 1 9.7-1.4M12.8 3.8v3.4H9.4", "M8 13.25a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z")
            }
            Self::Stop => ("", "M4.5 4.5h7v7h-7z"),
            Self::Story => (
                "M6 4h7.5M6 8h7.5M6 12h7.5",
                "M3 5a1 1 0 1 0 0-2 1 1 0 0 0 0 2zM3 9a1 1 0 1 0 0-2 1 1 0 0 0 0 2zM3 13a1 1 0 1 0 0-2 1 1 0 0 0 0 2z",
            ),
            Self::Terminal => ("m3 4.5 3.5 3.5L3 11.5M8 12h5", ""),
            Self::ThemeAuto => ("M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12z", "M8 2a6 6 0 0 1 0 12z"),
            Self::ThemeDark => ("M13.2 9.7A5.7 5.7 0 0 1 6.3 2.8a5.7 5.7 0 1 0 6.9 6.9z", ""),
            Self::ThemeLight => (
                "M8 10.75a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5zM8 1.5v1.25M8 13.25v1.25M1.5 8h1.25M13.25 8h1.25M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9",
                "",
            ),
            Self::Tick => ("m3.5 8.5 3 3 6-7", ""),
            Self::Undo => ("M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M5.5 4 3 6.5 5.5 9", ""),
            Self::Upload => ("M8 9.5v-7M5 5.2l3-3 3 3M2.75 12.5h10.5", ""),
            Self::Warning => (
                "M7.1 2.8 1.9 12a1 1 0 0 0 .9 1.5h10.4a1 1 0 0 0 .9-1.5L8.9 2.8a1 1 0 0 0-1.8 0zM8 6.5v3M8 11.4v.05",
                "",
            ),
        }
    }
}

/// An icon, hidden from assistive technology: what it stands on has a name.
pub fn icon(icon: Icon) -> Html {
    let (lines, shapes) = icon.paths();
    html! {
        <svg class="i" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
            if !lines.is_empty() {
                <path d={lines} fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" />
            }
            if !shapes.is_empty() {
                <path d={shapes} fill="currentColor" />
            }
        </svg>
    }
}

/// The playground's own mark: three nodes with a pod and one that waits for it.
pub fn mark() -> Html {
    html! {
        <svg class="mark" width="22" height="22" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
            <g fill="currentColor">
                <rect x="3" y="3" width="8" height="8" rx="2.5" />
                <rect x="13" y="3" width="8" height="8" rx="2.5" />
                <rect x="3" y="13" width="8" height="8" rx="2.5" />
            </g>
            <rect x="14" y="14" width="6" height="6" rx="1.8" fill="none" stroke="currentColor" stroke-width="1.6" stroke-dasharray="2.2 1.7" />
        </svg>
    }
}
