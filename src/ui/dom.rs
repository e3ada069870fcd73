//! The few things that only the browser can do, and that Yew does not do.

use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, HtmlElement, KeyboardEvent};

fn call(element: &HtmlElement, method: &str) {
    // Popovers are newer than the bindings. A browser without them leaves the menu closed.
    let function = js_sys::Reflect::get(element, &JsValue::from_str(method)).ok();
    if let Some(function) = function.and_then(|function| function.dyn_into::<js_sys::Function>().ok()) {
        function.call0(element).ok();
    }
}

/// Whether a popover is open.
pub fn is_open(popover: &Element) -> bool {
    popover.matches(":popover-open").unwrap_or(false)
}

/// Closes a popover.
pub fn hide_popover(popover: &HtmlElement) {
    call(popover, "hidePopover");
}

/// Opens a popover below its button, or above where there is more room; within the window.
pub fn show_popover_at(popover: &HtmlElement, button: &Element) {
    call(popover, "showPopover");
    let Some(window) = web_sys::window() else { return };
    let size = |value: Result<JsValue, JsValue>| value.ok().and_then(|v| v.as_f64()).unwrap_or(0.0);
    let (width, height) = (size(window.inner_width()), size(window.inner_height()));
    let anchor = button.get_bounding_client_rect();
    let own = popover.get_bounding_client_rect();
    let left = anchor.left().min(width - own.width() - 8.0).max(8.0);
    let below = anchor.bottom() + 4.0;
    let above = anchor.top() - 4.0 - own.height();
    let top = if below + own.height() <= height - 8.0 || above < 8.0 {
        below.min(height - own.height() - 8.0).max(8.0)
    } else {
        above
    };
    let style = popover.style();
    style.set_property("left", &format!("{left}px")).ok();
    style.set_property("top", &format!("{top}px")).ok();
}

/// Focuses the first element that fits the selector.
pub fn focus_first(parent: &Element, selector: &str) {
    if let Some(element) = parent.query_selector(selector).ok().flatten() {
        focus(&element);
    }
}

/// Focuses an element.
pub fn focus(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        element.focus().ok();
    }
}

/// The element of this id: within `place`, or in the page.
fn by_id(place: Option<&Element>, id: &str) -> Option<Element> {
    match place {
        // The names of Kubernetes objects need no escaping in a quoted string.
        Some(place) => place.query_selector(&format!("[id=\"{id}\"]")).ok().flatten(),
        None => web_sys::window()?.document()?.get_element_by_id(id),
    }
}

/// The element that has the focus, in the document or the shadow tree in which `near` is.
pub fn active_near(near: &Element) -> Option<Element> {
    let active = js_sys::Reflect::get(&near.get_root_node(), &JsValue::from_str("activeElement")).ok()?;
    active.dyn_into().ok()
}

/// Whether an event came from within an element that fits the selector.
pub fn is_within(event: &Event, selector: &str) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    target.and_then(|target| target.closest(selector).ok().flatten()).is_some()
}

/// Whether a person is writing: single keys then are text, not shortcuts.
pub fn is_writing(event: &Event) -> bool {
    is_within(event, "input:not([type=range]), textarea, select, [contenteditable=true]")
}

/// Moves the focus among the elements that fit the selector, in the order of the page, with the arrow keys, Home and
/// End.
pub fn arrow_focus(event: &KeyboardEvent, parent: &Element, selector: &str) {
    let Ok(list) = parent.query_selector_all(selector) else { return };
    let items: Vec<Element> = (0..list.length()).filter_map(|i| list.get(i)?.dyn_into().ok()).collect();
    if items.is_empty() {
        return;
    }
    let active = active_near(parent);
    let at = active.and_then(|active| items.iter().position(|item| *item == active));
    let last = items.len() - 1;
    let to = match (event.key().as_str(), at) {
        ("ArrowDown" | "ArrowRight", Some(at)) => {
            if at == last {
                0
            } else {
                at + 1
            }
        }
        ("ArrowUp" | "ArrowLeft", Some(at)) => at.checked_sub(1).unwrap_or(last),
        ("ArrowDown" | "Home", _) => 0,
        ("ArrowUp" | "End", _) => last,
        _ => return,
    };
    event.prevent_default();
    if let Some(item) = items.get(to) {
        focus(item);
    }
}

/// Moves the focus among the elements that fit the selector with the arrow keys, as they stand on the screen: Up and
/// Down go to the row above and below.
pub fn grid_focus(event: &KeyboardEvent, parent: &Element, selector: &str) {
    let key = event.key();
    if !matches!(key.as_str(), "ArrowDown" | "ArrowUp" | "ArrowLeft" | "ArrowRight" | "Home" | "End") {
        return;
    }
    let Ok(list) = parent.query_selector_all(selector) else { return };
    let items: Vec<Element> = (0..list.length()).filter_map(|i| list.get(i)?.dyn_into().ok()).collect();
    let active = active_near(parent);
    let Some(at) = active.and_then(|active| items.iter().position(|item| *item == active)) else { return };
    let top = |item: &Element| item.get_bounding_client_rect().top();
    let first_row = items.first().map_or(0.0, top);
    let columns = items.iter().take_while(|item| (top(item) - first_row).abs() < 4.0).count().max(1);
    let last = items.len() - 1;
    let to = match key.as_str() {
        "ArrowRight" => (at + 1).min(last),
        "ArrowLeft" => at.saturating_sub(1),
        "ArrowDown" if at + columns <= last => at + columns,
        "ArrowUp" if at >= columns => at - columns,
        "Home" => 0,
        "End" => last,
        _ => at,
    };
    event.prevent_default();
    if let Some(item) = items.get(to) {
        focus(item);
    }
}

/// Moves the focus among elements that stand in racks of so many columns, one rack after the other in the order of the
/// page: Up and Down go to the row above and below.
pub fn rack_focus(event: &KeyboardEvent, parent: &Element, selector: &str, columns: usize) {
    let Ok(list) = parent.query_selector_all(selector) else { return };
    let count = usize::try_from(list.length()).unwrap_or(0);
    let item = |at: usize| u32::try_from(at).ok().and_then(|at| list.get(at)?.dyn_into::<Element>().ok());
    let active = web_sys::window().and_then(|w| w.document()).and_then(|d| d.active_element());
    let Some(at) = active.and_then(|active| (0..count).find(|at| item(*at).as_ref() == Some(&active))) else { return };
    let last = count.saturating_sub(1);
    let to = match event.key().as_str() {
        "ArrowRight" => (at + 1).min(last),
        "ArrowLeft" => at.saturating_sub(1),
        "ArrowDown" => (at + columns).min(last),
        "ArrowUp" => at.saturating_sub(columns),
        "Home" => 0,
        "End" => last,
        _ => return,
    };
    event.prevent_default();
    if let Some(item) = item(to) {
        focus(&item);
    }
}

/// Scrolls a list so that one of its items can be seen, and nothing else of the page.
pub fn keep_in_sight(list: &HtmlElement, item: &Element) {
    let (frame, place) = (list.get_bounding_client_rect(), item.get_bounding_client_rect());
    let margin = 24.0;
    #[allow(clippy::cast_possible_truncation)] // Pixels of a screen.
    let by = if place.bottom() > frame.bottom() - margin {
        (place.bottom() - frame.bottom() + margin) as i32
    } else if place.top() < frame.top() + margin {
        (place.top() - frame.top() - margin) as i32
    } else {
        return;
    };
    list.set_scroll_top(list.scroll_top().saturating_add(by));
}

/// Focuses the element of this id, within `place` or in the page, once it has been drawn: what it is in may not stand yet.
pub fn focus_later(place: Option<Element>, id: String) {
    try_focus(place, id, 0);
}

fn try_focus(place: Option<Element>, id: String, tries: i32) {
    later(tries.saturating_mul(10), move || match by_id(place.as_ref(), &id) {
        Some(element) => focus(&element),
        None if tries < 20 => try_focus(place, id, tries + 1),
        None => {}
    });
}

/// Does something once, after that many milliseconds, whatever becomes of the caller. Unlike a forgotten `Timeout` of gloo
/// it leaves nothing behind.
pub fn later(ms: i32, work: impl FnOnce() + 'static) {
    if let Some(window) = web_sys::window() {
        let work = Closure::once_into_js(work);
        window.set_timeout_with_callback_and_timeout_and_arguments_0(work.unchecked_ref(), ms).ok();
    }
}

/// The text that a paste event brings.
pub fn pasted(event: &web_sys::Event) -> Option<String> {
    let data = js_sys::Reflect::get(event, &"clipboardData".into()).ok()?;
    data.dyn_into::<web_sys::DataTransfer>().ok()?.get_data("text").ok()
}

/// Whether text is marked in the input in which a key was pressed.
pub fn has_selection(event: &web_sys::KeyboardEvent) -> bool {
    let input: Option<web_sys::HtmlInputElement> = event.target().and_then(|target| target.dyn_into().ok());
    let at = |place: Result<Option<u32>, JsValue>| place.ok().flatten();
    input.is_some_and(|input| at(input.selection_start()) != at(input.selection_end()))
}
