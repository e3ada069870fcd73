//! What every component needs: the language and the way to send a message.

use crate::app::message::Msg;
use crate::app::text::{EditWords, Language, Words};
use yew::prelude::*;

/// Handed down as a context, so that a change of language reaches everything.
#[derive(Clone, PartialEq)]
pub struct Env {
    /// The language of the interface.
    pub language: Language,
    /// Sends a message to the application.
    pub send: Callback<Msg>,
}

impl Env {
    /// The texts.
    pub fn words(&self) -> &'static Words {
        self.language.words()
    }

    /// The texts about edits.
    pub fn edits(&self) -> &'static EditWords {
        EditWords::of(self.language)
    }

    /// A callback that sends this message, whatever the event.
    pub fn on<E>(&self, message: Msg) -> Callback<E> {
        let send = self.send.clone();
        Callback::from(move |_: E| send.emit(message.clone()))
    }
}

/// The environment of the component.
#[hook]
pub fn use_env() -> Env {
    use_context::<Env>().unwrap_or_else(|| Env { language: Language::En, send: Callback::noop() })
}
