//! Stages: elements on which one application after the other stands in other people's pages.
//!
//! Yew never gives back what it needs to listen on the root of an application: some kilobytes for each root, for ever. A
//! page that is navigated without being loaded anew would therefore grow with every playground that comes and goes. So a
//! root is used again: what is taken off a page leaves its stage empty behind, and the next playground stands on it.

use crate::ui::embed::Embed;
use crate::ui::root::App;
use std::cell::RefCell;
use std::rc::Rc;
use web_sys::Element;
use yew::prelude::*;

thread_local! {
    /// Empty stages; as many as there have been playgrounds at one time.
    static SPARE: RefCell<Vec<Stage>> = const { RefCell::new(Vec::new()) };
}

/// An element that is a root of Yew, with an application or without.
pub struct Stage {
    element: Element,
    handle: yew::AppHandle<Board>,
    /// How many applications have stood on it.
    number: u32,
}

#[derive(Clone, Default, Properties)]
struct BoardProps {
    embed: Option<Rc<Embed>>,
    number: u32,
}

impl PartialEq for BoardProps {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number && self.embed.is_some() == other.embed.is_some()
    }
}

/// What stands on a stage.
#[component]
fn Board(props: &BoardProps) -> Html {
    match &props.embed {
        // The key makes each application a new one.
        Some(embed) => html! { <App key={props.number} embed={Some(Rc::clone(embed))} /> },
        None => Html::default(),
    }
}

impl Stage {
    /// Puts an application on a stage in an element of the page.
    pub fn set(place: &Element, embed: Rc<Embed>) -> Option<Self> {
        let mut stage = match SPARE.with(|spare| spare.borrow_mut().pop()) {
            Some(stage) => stage,
            None => Self::build()?,
        };
        place.append_child(&stage.element).ok()?;
        stage.number = stage.number.wrapping_add(1);
        stage.handle.update(BoardProps { embed: Some(embed), number: stage.number });
        Some(stage)
    }

    fn build() -> Option<Self> {
        let element = web_sys::window()?.document()?.create_element("div").ok()?;
        element.set_class_name("stage");
        let handle = yew::Renderer::<Board>::with_root_and_props(element.clone(), BoardProps::default()).render();
        Some(Self { element, handle, number: 0 })
    }

    /// Takes the application off, and keeps the stage for the next.
    pub fn strike(mut self) {
        self.handle.update(BoardProps { embed: None, number: self.number });
        self.element.remove();
        SPARE.with(|spare| spare.borrow_mut().push(self));
    }
}
