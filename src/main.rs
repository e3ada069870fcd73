//! The playground page: mounts the Yew application.
use yew::prelude::*;

#[function_component(App)]
fn app() -> Html {
    html! { <h1>{ "DaemonSet Playground" }</h1> }
}

fn main() {
    console_error_panic_hook::set_once();
    yew::Renderer::<App>::new().render();
}
