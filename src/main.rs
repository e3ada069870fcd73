//! The playground page: shows a way on when something goes wrong, and mounts the Yew application.

fn main() {
    daemonset_playground::ui::install_recovery();
    yew::Renderer::<daemonset_playground::ui::App>::new().render();
}
