//! Tests that need a browser: `wasm-pack test --headless --chrome -- --features app --test web`.
#![cfg(target_arch = "wasm32")]

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
