//! What is kept from one visit to the next, and brought back after a reload or a crash.

use crate::app::files::Files;
use crate::app::insight::KeptPrices;
use crate::app::message::{Speed, Theme};
use crate::app::text::Language;
use serde::{Deserialize, Serialize};

/// Where it is kept.
pub const STORAGE_KEY: &str = "daemonset-playground";

/// Version of the format.
const VERSION: u32 = 1;

/// What a person chose once for all sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// Light or dark.
    pub theme: Theme,
    /// The language, once chosen; before, the browser's.
    pub language: Option<Language>,
    /// Speed of playing.
    pub speed: Speed,
    /// What CPU and memory cost.
    pub prices: KeptPrices,
}

/// A tab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedFile {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Whether this text is what was applied last.
    #[serde(default)]
    pub applied: bool,
}

/// Everything that is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Saved {
    /// Version of the format.
    pub version: u32,
    /// Settings.
    #[serde(default)]
    pub settings: Settings,
    /// The scenario as YAML.
    pub scenario: String,
    /// Number of steps that had been made.
    #[serde(default)]
    pub steps: usize,
    /// The position.
    #[serde(default)]
    pub position: usize,
    /// The tabs.
    pub files: Vec<SavedFile>,
    /// Which tab was shown.
    #[serde(default)]
    pub shown: usize,
}

impl Saved {
    /// Puts together what is to be kept.
    pub fn new(settings: Settings, scenario: String, steps: usize, position: usize, files: &Files) -> Self {
        let saved = files.list().iter().map(|file| SavedFile {
            name: file.name.to_string(),
            text: file.text.to_string(),
            applied: file.applied.as_deref() == Some(&*file.text),
        });
        let shown = files.list().iter().position(|file| file.id == files.shown_id()).unwrap_or(0);
        Self { version: VERSION, settings, scenario, steps, position, files: saved.collect(), shown }
    }

    /// Reads what was kept; `None` for anything else, and for a later version.
    pub fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok().filter(|saved: &Self| saved.version <= VERSION)
    }

    /// Writes it.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The tabs as they were; `None` when there was none.
    pub fn files(&self) -> Option<Files> {
        files_of(&self.files, self.shown)
    }
}

/// Tabs as they were kept; `None` when there was none.
pub fn files_of(saved: &[SavedFile], shown: usize) -> Option<Files> {
    let (first, rest) = saved.split_first()?;
    let mut files = Files::new(&first.name, &first.text);
    let mut ids = vec![(files.shown_id(), first.applied)];
    ids.extend(rest.iter().map(|file| (files.add(&file.name, &file.text), file.applied)));
    for (id, applied) in &ids {
        if *applied {
            files.applied(*id);
        }
    }
    if let Some((id, _)) = ids.get(shown) {
        files.show(*id);
    }
    Some(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back() {
        let mut files = Files::new("a.yaml", "kind: DaemonSet\n");
        files.applied(files.shown_id());
        files.add("b.yaml", "with \"quotes\" and é");
        files.show(0);
        let settings = Settings {
            theme: Theme::Dark,
            language: Some(Language::Fr),
            speed: Speed::Fast,
            prices: KeptPrices { cpu_hour: 1, gib_hour: 2 },
        };
        let saved = Saved::new(settings, "log: []".into(), 9, 4, &files);
        let back = Saved::parse(&saved.to_text()).unwrap();
        assert_eq!(back, saved);
        assert_eq!(back.files().unwrap(), files);
    }

    #[test]
    fn anything_else_is_refused() {
        assert_eq!(Saved::parse("{}"), None);
        assert_eq!(Saved::parse("nonsense"), None);
        assert_eq!(Saved::parse(r#"{"version": 99, "scenario": "", "files": []}"#), None);
    }
}
