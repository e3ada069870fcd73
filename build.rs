//! Asks the linker to keep what it knows of addresses in the page's release build: `scripts/wasm/data.mjs` tells by it
//! which constants the first view needs.

// What cargo asks of a build script is told in variables; the engine itself reads none.
#![allow(clippy::disallowed_methods)]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_ARCH", "wasm32") && is("PROFILE", "release") && std::env::var("CARGO_FEATURE_APP").is_ok() {
        println!("cargo::rustc-link-arg-bins=--emit-relocs");
    }
}
