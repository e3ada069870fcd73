//! Recordings of the real thing, family by family: `cargo test --test conformance [-- FAMILY…]`.
//!
//! Reads `FAMILY.jsonl` or `FAMILY.jsonl.gz` from the directory that `CONFORMANCE_DIR` names (default: the copies in
//! `tests/conformance`). Prints one line per family, the names of failed cases with the first difference, and a last
//! line `N passed, N failed`. Cases that ask for what the README lists as not offered count apart, and no more than two in
//! a hundred may. Ends with an error when a case failed or none ran.

#[cfg(not(target_arch = "wasm32"))]
mod conformance_support;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    conformance_support::run::main()
}

// wasm-pack builds every test for wasm32, this one without content.
#[cfg(target_arch = "wasm32")]
fn main() {}
