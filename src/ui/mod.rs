//! The page: Yew components that draw what [`crate::app`] says and send back what the person does.

mod browser;
mod chips;
mod cluster;
mod compare;
mod dense;
mod diff;
mod dom;
mod editor;
mod embed;
mod env;
mod exchange;
mod gallery;
mod icons;
mod insight;
mod inspector;
mod lesson;
mod lesson_text;
mod manifest;
mod menu;
mod node_card;
mod node_table;
mod panels;
mod phrase;
mod pod_tile;
mod root;
mod set_forms;
mod set_head;
mod share;
mod story;
mod terminal;
mod top_bar;
mod transport;
mod why;

pub use browser::{install_recovery, is_own_page};
pub use embed::{Mounted, mount};
pub use root::App;
