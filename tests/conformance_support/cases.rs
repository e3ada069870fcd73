//! Reading recordings.

use daemonset_playground::objects::{Time, decode};
use flate2::read::GzDecoder;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;

/// The cases of a family, one for each line of its file; `None` when there is no file.
pub fn read(family: &str) -> Result<Option<Vec<Value>>, String> {
    let directory = directory();
    let plain = directory.join(format!("{family}.jsonl"));
    let packed = directory.join(format!("{family}.jsonl.gz"));
    let reader: Box<dyn Read> = match (File::open(&plain), File::open(&packed)) {
        (Ok(file), _) => Box::new(file),
        (Err(_), Ok(file)) => Box::new(GzDecoder::new(file)),
        _ => return Ok(None),
    };
    let mut cases = Vec::new();
    for (number, line) in BufReader::new(reader).lines().enumerate() {
        let line = line.map_err(|error| error.to_string())?;
        if !line.trim().is_empty() {
            cases.push(serde_json::from_str(&line).map_err(|error| format!("line {}: {error}", number + 1))?);
        }
    }
    Ok(Some(cases))
}

#[allow(clippy::disallowed_methods, reason = "this is a program: the environment tells where recordings are")]
fn directory() -> PathBuf {
    match std::env::var_os("CONFORMANCE_DIR") {
        Some(directory) => directory.into(),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/conformance"),
    }
}

/// The name of a case.
pub fn name(case: &Value) -> &str {
    case["name"].as_str().unwrap_or("without a name")
}

/// A typed part of a case.
pub fn part<T: DeserializeOwned>(case: &Value, member: &str) -> T {
    decode(case[member].clone()).unwrap_or_else(|error| panic!("{member}: {error}"))
}

/// A time of a case.
pub fn time(case: &Value, member: &str) -> Time {
    case[member].as_str().and_then(Time::parse).unwrap_or_else(|| panic!("{member} is no time"))
}

/// The texts of a list.
pub fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|item| item.as_str().expect("a text").to_owned()).collect()
}
