//! The playground page: shows a way on when something goes wrong, and mounts the Yew application. On somebody else's page
//! it does nothing by itself: the loader of the custom element calls `mount`.

fn main() {
    if !daemonset_playground::ui::is_own_page() {
        return;
    }
    daemonset_playground::ui::install_recovery();
    daemonset_playground::ui::begin();
}
