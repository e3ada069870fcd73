//! Sharing the session: as a link, as Markdown, as an element for a page, and opening what others share.

use crate::app::effect::Effect;
use crate::app::files::Files;
use crate::app::looked_at;
use crate::app::model::{Model, Notice, NoticeAction};
use crate::app::persist::{Saved, SavedFile, Settings, files_of};
use crate::app::phrase::fill;
use crate::app::text::Language;
use crate::permalink::{CUT_LENGTHS, LinkError, MAX_LINK, SharedState, SharedTab};

/// A form in which the session is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareAs {
    /// The bare link.
    Link,
    /// A link in Markdown.
    Markdown,
    /// The custom element with its script.
    Element,
}

/// How long the link of the session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared {
    /// In characters.
    pub length: usize,
    /// Too long to be offered.
    pub too_long: bool,
    /// The length at which some programs would cut it.
    pub cut_at: Option<usize>,
}

/// The state that a link holds: the session, the tabs, and what is looked at.
pub fn state(model: &Model) -> SharedState {
    let files = model.files.list();
    let tabs = files.iter().map(|file| SharedTab {
        name: file.name.to_string(),
        text: file.text.to_string(),
        applied: file.applied.as_deref() == Some(&*file.text),
    });
    let shown = files.iter().position(|file| file.id == model.files.shown_id()).unwrap_or(0);
    SharedState { tabs: tabs.collect(), shown, view: looked_at::options(model), ..SharedState::of(&model.session) }
}

/// The link of the session, at the page's address.
pub fn link(model: &Model, address: &str) -> String {
    format!("{address}#{}", state(model).to_fragment())
}

/// How long the link is.
pub fn measure(model: &Model, address: &str) -> Shared {
    let length = link(model, address).chars().count();
    let cut_at = CUT_LENGTHS.into_iter().rev().find(|cut| length > *cut);
    Shared { length, too_long: length > MAX_LINK, cut_at }
}

/// Copies the session in a form; where its link is too long, says so: the file is in the same menu.
pub fn share(model: &mut Model, form: ShareAs, address: &str) -> Vec<Effect> {
    let shared = measure(model, address);
    let words = model.words();
    if shared.too_long {
        let text = fill(words.link_too_long, &[("n", &shared.length.to_string())]);
        model.announcement = text.as_str().into();
        model.notice = Some(Notice { text, trouble: true, action: None });
        return Vec::new();
    }
    let link = link(model, address);
    let text = match form {
        ShareAs::Link => link,
        ShareAs::Markdown => format!("[DaemonSet Playground]({link})"),
        ShareAs::Element => {
            let script = format!("{}daemonset-playground.js", folder(address));
            let hash = link.split_once('#').map_or("", |(_, hash)| hash);
            // What is looked at beside the cluster comes along.
            let story = if looked_at::options(model).contains_key("tab") { ",story" } else { "" };
            let terminal = if model.terminal_open { ",terminal" } else { "" };
            format!(
                "<script type=\"module\" src=\"{script}\"></script>\n<daemonset-playground permalink=\"#{hash}\" \
                 view=\"cluster,transport{story}{terminal}\" height=\"480\"></daemonset-playground>\n"
            )
        }
    };
    model.announcement = words.copied.into();
    model.notice = Some(Notice { text: words.copied.to_owned(), trouble: false, action: None });
    vec![Effect::Copy(text)]
}

/// The folder of an address: what stands before its last slash.
fn folder(address: &str) -> &str {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    path.rfind('/').and_then(|slash| path.get(..=slash)).unwrap_or_default()
}

/// Opens the state of a link. What was there before is kept and can be brought back; a link that cannot be read changes
/// nothing and says why.
pub fn open(model: &mut Model, link: &str) -> Vec<Effect> {
    let state = match SharedState::parse(link) {
        Ok(state) => state,
        Err(error) => {
            let words = model.words();
            let text = match error {
                LinkError::UnknownCodec(_) => words.link_later.to_owned(),
                LinkError::TooLong { .. } | LinkError::TooLarge => words.link_too_large.to_owned(),
                LinkError::NoState | LinkError::NotAState(_) => words.link_no_state.to_owned(),
                LinkError::BadCharacter { .. } | LinkError::Damaged => words.link_damaged.to_owned(),
            };
            model.announcement = text.as_str().into();
            model.notice = Some(Notice { text, trouble: true, action: None });
            return Vec::new();
        }
    };
    let before: Saved = model.saved();
    let kept = (model.system_dark, model.pane);
    *model = shown(&state, model.settings, model.browser_language);
    (model.system_dark, model.pane) = kept;
    let text = model.words().link_opened.to_owned();
    model.announcement = text.as_str().into();
    model.replaced = Some(before);
    model.notice = Some(Notice { text, trouble: false, action: Some(NoticeAction::RestoreSession) });
    vec![Effect::Save]
}

/// The page of a state that was shared.
pub fn shown(state: &SharedState, settings: Settings, browser_language: Language) -> Model {
    let mut model = Model::with(state.session(), tabs(state), settings, browser_language);
    looked_at::look_at(&mut model, &state.view);
    model
}

fn tabs(state: &SharedState) -> Files {
    let tab = |tab: &SharedTab| SavedFile { name: tab.name.clone(), text: tab.text.clone(), applied: tab.applied };
    files_of(&state.tabs.iter().map(tab).collect::<Vec<_>>(), state.shown).unwrap_or_else(|| {
        let mut texts = state.scenario.files.iter();
        let (name, text) = texts.next().map_or(("manifest.yaml", ""), |(name, text)| (name.as_str(), text.as_str()));
        let mut files = Files::new(name, text);
        for (name, text) in texts {
            files.add(name, text);
        }
        files
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::message::{Msg, SideTab};
    use crate::app::update::update;

    fn visited() -> Model {
        let mut model = Model::new(Settings::default(), Language::En);
        update(&mut model, Msg::Step);
        for _ in 0..5 {
            update(&mut model, Msg::Step);
        }
        model
    }

    const ADDRESS: &str = "https://example.org/play/index.html";

    fn copied(model: &mut Model, form: ShareAs) -> String {
        match share(model, form, ADDRESS).as_slice() {
            [Effect::Copy(text)] => text.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_link_opens_the_same_page_and_keeps_what_was_there() {
        let mut from = visited();
        update(&mut from, Msg::Filter("worker".into()));
        update(&mut from, Msg::Back);
        let link = copied(&mut from, ShareAs::Link);
        let mut to = Model::new(Settings::default(), Language::Fr);
        update(&mut to, Msg::Edit(0, "precious: text".into()));
        open(&mut to, &link);
        assert_eq!((to.session.position(), to.session.len()), (from.session.position(), from.session.len()));
        assert_eq!(to.views.cards, from.views.cards);
        assert_eq!(to.files.by_name(), from.files.by_name());
        assert_eq!(&*to.filter, "worker");
        assert_eq!(to.notice.as_ref().unwrap().action, Some(NoticeAction::RestoreSession));
        update(&mut to, Msg::RestoreSession);
        assert_eq!(&*to.files.list()[0].text, "precious: text");
    }

    #[test]
    fn a_link_that_cannot_be_read_changes_nothing_and_says_why() {
        let mut model = visited();
        let before = model.saved();
        for link in ["#s=d1:AA", "#s=z9:AA", "#s=d1:é"] {
            assert!(open(&mut model, link).is_empty());
            assert!(model.notice.as_ref().is_some_and(|notice| notice.trouble), "{link}");
            assert_eq!(model.saved(), before);
        }
    }

    #[test]
    fn each_form_holds_the_link() {
        let mut model = visited();
        let link = copied(&mut model, ShareAs::Link);
        assert_eq!(copied(&mut model, ShareAs::Markdown), format!("[DaemonSet Playground]({link})"));
        let element = copied(&mut model, ShareAs::Element);
        assert!(element.contains("src=\"https://example.org/play/daemonset-playground.js\""), "{element}");
        assert!(element.contains(link.split_once('#').unwrap().1));
        assert!(element.contains("view=\"cluster,transport\""), "{element}");
        assert_eq!(measure(&model, ADDRESS).length, link.len());
        assert!(!measure(&model, ADDRESS).too_long && measure(&model, ADDRESS).cut_at.is_none());
    }

    #[test]
    fn an_element_shows_the_panel_that_is_looked_at() {
        let mut model = visited();
        update(&mut model, Msg::ShowTab(SideTab::Events));
        update(&mut model, Msg::ToggleTerminal);
        let element = copied(&mut model, ShareAs::Element);
        assert!(element.contains("view=\"cluster,transport,story,terminal\""), "{element}");
    }

    #[test]
    fn a_state_that_is_too_long_says_so_and_offers_the_file() {
        let mut model = visited();
        // Random digits do not shrink.
        let mut text = String::new();
        let mut number = 1_u64;
        for _ in 0..12_000 {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text += &format!("{:08x} ", number >> 32);
        }
        update(&mut model, Msg::Edit(0, text.into()));
        assert!(measure(&model, ADDRESS).too_long);
        assert!(share(&mut model, ShareAs::Link, ADDRESS).is_empty());
        assert!(model.notice.as_ref().is_some_and(|notice| notice.trouble && notice.text.contains("file")));
    }
}
