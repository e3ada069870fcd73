//! `kubectl set resources`
//!
//! Follows kubernetes kubectl pkg/cmd/set/set_resources.go, v1.36.

use super::template::{change, containers, name_matches, targets};
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::task::Started;
use crate::objects::Quantity;
use serde_json::{Map, Value};

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let infos = targets(io, command, &command.arguments)?;
    if flags.is_on("all") && flags.has("selector") {
        return Err(CliError::message("cannot set --all and --selector at the same time"));
    }
    let (limits, requests) = (flags.get_or("limits", ""), flags.get_or("requests", ""));
    if limits.is_empty() && requests.is_empty() {
        return Err(CliError::message(
            "you must specify an update to requests or limits (in the form of --requests/--limits)",
        ));
    }
    let amounts = [("limits", amounts(limits)?), ("requests", amounts(requests)?)];
    let pattern = flags.get_or("containers", "*").to_owned();
    let sentence = ("resource requirements updated", "failed to patch resources update to pod template ");
    change(io, command, &infos, sentence, |spec, faults| {
        let mut found = false;
        for container in containers(spec, &["containers", "initContainers"]) {
            let name = container.get("name").and_then(Value::as_str).unwrap_or("");
            if !name_matches(&pattern, name) {
                continue;
            }
            found = true;
            let resources = container.entry("resources").or_insert_with(|| Value::Object(Map::new()));
            let Some(resources) = resources.as_object_mut() else { continue };
            for (list, wanted) in &amounts {
                if wanted.is_empty() {
                    continue;
                }
                let list = resources.entry(*list).or_insert_with(|| Value::Object(Map::new()));
                if let Some(list) = list.as_object_mut() {
                    list.extend(wanted.iter().map(|(name, amount)| (name.clone(), amount.as_str().into())));
                }
            }
        }
        if !found {
            faults.push(CliError::message(format!("error: unable to find container named {pattern}")));
        }
        Ok(())
    })?;
    Ok(None)
}

/// `cpu=100m,memory=64Mi`
fn amounts(text: &str) -> Result<Vec<(String, String)>> {
    let mut amounts = Vec::new();
    for pair in text.split(',').filter(|pair| !pair.is_empty()) {
        let parts: Vec<&str> = pair.split('=').collect();
        let [name, amount] = parts.as_slice() else {
            return Err(CliError::message(format!("Invalid argument syntax {pair}, expected <resource>=<value>")));
        };
        let quantity = Quantity::parse(amount).map_err(|_| {
            CliError::message(
                "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
            )
        })?;
        amounts.push(((*name).to_owned(), quantity.to_string()));
    }
    Ok(amounts)
}
