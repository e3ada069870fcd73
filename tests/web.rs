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

fn text(value: &JsValue) -> String {
    js_sys::JSON::stringify(value).expect("plain data").into()
}

fn message(error: JsError) -> String {
    js_sys::Error::from(JsValue::from(error)).message().into()
}

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
    assert_eq!(member(&run, "position"), playground.length() as f64);
    assert!(member(&run, "from").is_undefined(), "only a loop has it");
    let end = text(&playground.snapshot().expect("a snapshot"));
    assert!(playground.back());
    assert_ne!(text(&playground.snapshot().expect("a snapshot")), end);
    assert!(playground.step());
    assert_eq!(text(&playground.snapshot().expect("a snapshot")), end);
    assert!(!playground.step(), "nothing is due");
    assert!(playground.quiet());
    for (asked, is) in [(0.0, 0), (f64::NAN, 0), (-3.0, 0), (2.9, 2), (f64::INFINITY, playground.length())] {
        assert_eq!(playground.seek(asked), is, "seek({asked})");
    }
    playground.seek(0.0);
    assert!(!playground.back());
}

#[wasm_bindgen_test]
fn runs_end_at_a_wave_a_time_or_a_budget() {
    let mut playground = Playground::from_scenario(SCENARIO).expect("a scenario");
    let progress = |run: Result<JsValue, JsError>| member(&run.expect("a result"), "progress");
    assert_eq!(progress(playground.step_over(None)), "waveOver");
    assert_eq!(progress(playground.run_to_quiet(Some(1.0))), "more");
    assert_eq!(progress(playground.run_until(600_000.0, None)), "reached");
    assert_eq!(playground.now_ms(), 600_000.0);
}

#[wasm_bindgen_test]
fn acting_in_the_past_leaves_a_branch() {
    let mut playground = Playground::from_scenario(SCENARIO).expect("a scenario");
    playground.run_to_quiet(None).expect("a result");
    let length = playground.length();
    playground.seek(2.0);
    playground.sim("add-node late").expect("a result");
    let branches = js_sys::Array::from(&playground.branches().expect("branches"));
    assert_eq!(text(&branches), format!(r#"[{{"length":{length},"fork":2}}]"#));
    assert!(playground.switch_branch(0.0));
    assert!(!playground.switch_branch(7.0));
    assert_eq!(playground.length(), length);
}

#[wasm_bindgen_test]
fn objects_cross_the_border_as_json_does() {
    let mut playground = Playground::from_scenario(SCENARIO).expect("a scenario");
    let result = playground.kubectl("sim add-node late", JsValue::UNDEFINED).expect("a result");
    assert_eq!(member(&result, "stdout"), "node/late joined\n");
    assert_eq!(member(&result, "exitCode"), 0.0);
    let steps = js_sys::Array::from(&playground.steps(None).expect("steps"));
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

/// Looks at everything that a value holds: neither `null`, nor `Map`, nor `BigInt`, nor an explicit `undefined`.
fn plain(value: &JsValue) -> bool {
    script(
        "(function plain(value) { \
           if (value === null || value === undefined || value instanceof Map || typeof value === 'bigint') return false; \
           return typeof value !== 'object' || Object.values(value).every(plain); })",
    )
    .dyn_into::<js_sys::Function>()
    .expect("a function")
    .call1(&JsValue::NULL, value)
    .expect("an answer")
    .is_truthy()
}

#[wasm_bindgen_test]
fn results_hold_neither_null_nor_map_nor_bigint() {
    let mut playground = Playground::from_scenario(SCENARIO).expect("a scenario");
    let results = [
        playground.kubectl("get nodes", JsValue::NULL),
        playground.kubectl("rollout status ds/agent", JsValue::UNDEFINED),
        playground.run_to_quiet(None),
        playground.steps(None),
        playground.branches(),
        playground.explain(script("({ daemonset: 'agent', node: 'worker1' })")),
        playground.check(script("[{ daemonset: 'agent', ready: 99 }]")),
        playground.permalink(None),
        Playground::verify(SCENARIO),
    ];
    for (index, result) in results.into_iter().enumerate() {
        let result = result.expect("a result");
        assert!(plain(&result), "result {index}: {}", text(&result));
    }
    assert!(!plain(&script("({ a: [new Map()] })")) && !plain(&script("({ a: null })")), "the test itself");
}

#[wasm_bindgen_test]
fn numbers_beyond_two_to_the_53_come_as_numbers() {
    let scenario =
        "objects: [{apiVersion: example.org/v1, kind: Thing, metadata: {name: big}, n: 9223372036854775807}]";
    let playground = Playground::from_scenario(scenario).expect("a scenario");
    let snapshot = playground.snapshot().expect("a snapshot");
    let big =
        js_sys::Array::from(&member(&snapshot, "objects")).find(&mut |object, _, _| member(&object, "kind") == "Thing");
    assert_eq!(member(&big, "n"), 9_223_372_036_854_775_807_i64 as f64);
}

#[wasm_bindgen_test]
fn what_comes_in_may_be_undefined_or_null_but_neither_map_nor_bigint() {
    let mut playground = Playground::from_scenario(SCENARIO).expect("a scenario");
    let files = script("({ 'n.yaml': 'apiVersion: v1\\nkind: Namespace\\nmetadata: {name: shop}', gone: undefined })");
    let applied = playground.kubectl("apply -f n.yaml", files).expect("a result");
    assert_eq!(member(&applied, "stdout"), "namespace/shop created\n");
    for (files, told) in [
        ("new Map([['a', 'b']])", "files is an object of texts by file name: a plain object is wanted, not a Map"),
        ("({ a: 1n })", "files is an object of texts by file name: the value has no JSON form"),
        ("({ a: 1 })", "files is an object of texts by file name: invalid type: integer `1`, expected a string"),
        ("({ a: null })", "files is an object of texts by file name: invalid type: null, expected a string"),
    ] {
        let error = playground.kubectl("get nodes", script(files)).expect_err("refused");
        assert_eq!(message(error), told);
    }
    assert!(
        member(&playground.check(JsValue::NULL).expect("a result"), "ok").is_truthy(),
        "no expectations, none failed"
    );
}

#[wasm_bindgen_test]
fn what_cannot_be_done_throws_an_error_with_one_sentence() {
    assert!(message(Playground::from_scenario("logs: []").expect_err("no scenario")).contains("unknown field `logs`"));
    let playground = Playground::from_scenario(SCENARIO).expect("a scenario");
    let ghost = playground.explain(script("({ daemonset: 'ghost', node: 'worker1' })"));
    assert_eq!(message(ghost.expect_err("there is none")), "there is no DaemonSet default/ghost");
    let nothing = playground.explain(JsValue::UNDEFINED);
    assert_eq!(message(nothing.expect_err("no question")), "explain takes an object with daemonset and node");
    let known = playground.explain(script("({ daemonset: 'agent', node: 'worker1' })")).expect("a verdict");
    assert_eq!(member(&member(&known, "verdict"), "shouldRun"), true);
    let checks = playground.check(script("[{ demonset: 'agent' }]"));
    assert!(message(checks.expect_err("no check")).contains("demonset"));
    assert!(message(Playground::from_permalink("#s=d1:AA").expect_err("damaged")).contains("incomplete"));
}

#[wasm_bindgen_test]
fn a_link_opens_the_same_state() {
    let mut playground = Playground::from_scenario(SCENARIO).expect("a scenario");
    playground.run_to_quiet(None).expect("a result");
    playground.seek(5.0);
    let link = playground.permalink(Some("https://example.org/play/#old".into())).expect("a link");
    let url = member(&link, "url").as_string().expect("a text");
    assert!(url.starts_with("https://example.org/play/#s=d1:"), "{url}");
    assert_eq!(member(&link, "tooLong"), false);
    let opened = Playground::from_permalink(&url).expect("the state");
    assert_eq!((opened.position(), opened.length()), (5, playground.length()));
    assert_eq!(text(&opened.snapshot().expect("a snapshot")), text(&playground.snapshot().expect("a snapshot")));
    assert_eq!(opened.scenario(), playground.scenario());
}

#[wasm_bindgen_test]
fn expectations_are_compared() {
    let mut playground = Playground::from_scenario(SCENARIO).expect("a scenario");
    playground.run_to_quiet(None).expect("a result");
    let result = playground.check(script("[{ daemonset: 'agent', ready: 2 }, { daemonset: 'agent', ready: 7 }]"));
    let result = result.expect("a result");
    assert_eq!((member(&result, "ok"), member(&result, "checks")), (false.into(), 2.0.into()));
    let failed = js_sys::Array::from(&member(&result, "failed"));
    assert_eq!(text(&failed), r#"[{"index":1,"check":{"daemonset":"agent","ready":7},"actual":"ready 2"}]"#);
}
