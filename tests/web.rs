//! Tests that need a browser: `wasm-pack test --headless --chrome -- --test web`.
#![cfg(target_arch = "wasm32")]

use daemonset_playground::js_api::Playground;
use daemonset_playground::simulation::{Scenario, Session, transcript_line};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::*;

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen(module = "/www/editor/loader.js")]
extern "C" {
    /// The editor's module; rejected with the reason when the page names none or it cannot be fetched.
    #[wasm_bindgen(js_name = loadEditor, catch)]
    async fn load_editor() -> Result<JsValue, JsValue>;
}

/// Runs a line of script in the page: the tests' page has no content security policy.
fn script(line: &str) -> JsValue {
    js_sys::eval(line).expect("the script runs")
}

#[wasm_bindgen_test]
async fn a_page_that_names_no_editor_gets_the_reason() {
    let error = load_editor().await.expect_err("there is no link element here");
    let message = js_sys::Error::from(error).message();
    assert_eq!(message, r#"the page names no editor: <link id="editor-module"> is missing"#);
}

#[wasm_bindgen_test]
async fn the_module_that_the_page_names_is_loaded() {
    script(
        "globalThis.link = document.head.appendChild(Object.assign(document.createElement('link'), \
         { id: 'editor-module', href: 'data:text/javascript,export const createEditor = () => 42' }))",
    );
    let module = load_editor().await.expect("the module is loaded");
    script("link.remove()");
    let create = js_sys::Reflect::get(&module, &"createEditor".into()).expect("a module is an object");
    let made = js_sys::Function::from(create).call0(&JsValue::NULL).expect("the function runs");
    assert_eq!(made, 42);
}

const SCENARIO: &str = include_str!("scenarios/one_pod_per_node.yaml");

fn member(object: &JsValue, name: &str) -> JsValue {
    js_sys::Reflect::get(object, &name.into()).expect("an object")
}

#[wasm_bindgen_test]
fn the_same_scenario_makes_the_same_steps_as_natively() {
    let mut session = Session::new(Scenario::parse(SCENARIO).expect("a scenario"));
    session.run_to_quiet(10_000);
    let transcript: String = session.steps().map(|step| transcript_line(step) + "\n").collect();
    assert_eq!(transcript, include_str!("scenarios/one_pod_per_node.transcript"));
}

#[wasm_bindgen_test]
fn a_playground_steps_back_and_forth() {
    let mut playground = Playground::from_scenario(SCENARIO).expect("a scenario");
    let run = playground.run_to_quiet(None).expect("a result");
    assert_eq!(member(&run, "progress"), "quiet");
    let end = playground.snapshot().expect("a snapshot");
    let text = |value: &JsValue| js_sys::JSON::stringify(value).expect("plain data").as_string();
    assert!(playground.back());
    assert_ne!(text(&playground.snapshot().expect("a snapshot")), text(&end));
    assert!(playground.step());
    assert_eq!(text(&playground.snapshot().expect("a snapshot")), text(&end));
    assert!(!playground.step(), "nothing is due");
    assert_eq!(playground.seek(0), 0);
    assert!(!playground.back());
}

#[wasm_bindgen_test]
fn objects_cross_the_border_as_json_does() {
    let mut playground = Playground::from_scenario(SCENARIO).expect("a scenario");
    let result = playground.kubectl("sim add-node late", JsValue::UNDEFINED).expect("a result");
    assert_eq!(member(&result, "stdout"), "node/late joined\n");
    assert_eq!(member(&result, "exitCode"), 0.0);
    let steps = js_sys::Array::from(&playground.steps().expect("steps"));
    let step = steps.get(0);
    assert_eq!(member(&step, "actor"), "Person");
    assert_eq!(member(&step, "command"), "sim add-node late");
    assert!(member(&step, "cause").is_undefined(), "absent, not null");
    let snapshot = playground.snapshot().expect("a snapshot");
    let node = js_sys::Array::from(&member(&snapshot, "objects")).find(&mut |object, _, _| {
        member(&object, "kind") == "Node" && member(&member(&object, "metadata"), "name") == "late"
    });
    let labels = member(&member(&node, "metadata"), "labels");
    assert!(!labels.is_instance_of::<js_sys::Map>(), "a plain object, not a Map");
    assert_eq!(member(&labels, "kubernetes.io/os"), "linux");
}

#[wasm_bindgen_test]
fn what_cannot_be_done_throws_an_error_with_one_sentence() {
    let error = Playground::from_scenario("logs: []").expect_err("no scenario");
    let message = js_sys::Error::from(JsValue::from(error)).message();
    assert!(String::from(message).contains("unknown field `logs`"));
    let playground = Playground::from_scenario(SCENARIO).expect("a scenario");
    let question = script("({ daemonset: 'ghost', node: 'worker1' })");
    let error = JsValue::from(playground.explain(question).expect_err("there is none"));
    let known = script("({ daemonset: 'agent', node: 'worker1' })");
    let explained = playground.explain(known).expect("a verdict");
    assert_eq!(member(&member(&explained, "verdict"), "shouldRun"), true);
    assert_eq!(js_sys::Error::from(error).message(), "there is no DaemonSet default/ghost");
}
