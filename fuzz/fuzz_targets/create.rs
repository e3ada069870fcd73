//! The manifest reader and the whole create path, on any bytes and on generated objects (a first byte of 0):
//! `cargo +nightly fuzz run create CORPUS fuzz/seeds/create -- -dict=fuzz/create.dict -rss_limit_mb=500`
#![no_main]

#[path = "../../tests/create_path/mod.rs"]
mod create_path;

use create_path::generate::{Choices, KINDS, object};
use daemonset_playground::apiserver::ApiServer;
use daemonset_playground::app::model::first_scenario;
use daemonset_playground::simulation::Session;
use libfuzzer_sys::fuzz_target;
use serde_json::json;

thread_local! {
    static CLUSTER: ApiServer = create_path::cluster();
    static SESSION: Session = Session::new(first_scenario());
}

fuzz_target!(|data: &[u8]| {
    let text = match data.split_first() {
        Some((0, rest)) => generated(rest),
        _ => String::from_utf8_lossy(data).into_owned(),
    };
    let before = used_ms();
    CLUSTER.with(|cluster| create_path::check(cluster, &text));
    SESSION.with(|session| create_path::diagnosed(session, &text));
    // Not libFuzzer's -timeout, which counts the time that other programs take.
    assert!(used_ms().saturating_sub(before) < 1000, "a hang");
});

/// Milliseconds of processor time that this thread has used; 0 where the system does not tell.
fn used_ms() -> u64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    told.split(' ').next().and_then(|ns| ns.parse::<u64>().ok()).map_or(0, |ns| ns / 1_000_000)
}

/// An object that the bytes choose, as JSON, with what it takes to get past the name.
fn generated(data: &[u8]) -> String {
    let choices: Vec<u16> =
        data.chunks(2).map(|pair| pair.iter().fold(0, |n, byte| n << 8 | u16::from(*byte))).collect();
    let mut choices = Choices(choices.into_iter());
    let (api_version, kind) = KINDS[choices.next(KINDS.len())];
    let mut tree = object(kind, 9, &mut choices);
    tree["apiVersion"] = json!(api_version);
    tree["kind"] = json!(kind);
    if !tree["metadata"].is_object() {
        tree["metadata"] = json!({});
    }
    tree["metadata"]["name"] = json!("a");
    if let Some(metadata) = tree["metadata"].as_object_mut() {
        for field in ["namespace", "generateName", "resourceVersion", "uid"] {
            metadata.remove(field);
        }
    }
    tree.to_string()
}
