//! `kubectl set image`
//!
//! Follows kubernetes kubectl pkg/cmd/set/set_image.go, v1.36.

use super::label::resources_and_pairs;
use super::template::{change, containers, targets};
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::{CliError, Result};
use crate::kubectl::task::Started;
use serde_json::Value;
use std::collections::BTreeMap;

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let (resources, pairs) = resources_and_pairs(&command.arguments, "image")?;
    let images = parse(&pairs)?;
    let infos = targets(io, command, &resources)?;
    let mut faults = Vec::new();
    if flags.is_on("all") && flags.has("selector") {
        faults.push(CliError::message("cannot set --all and --selector at the same time"));
    }
    if resources.is_empty() && flags.all("filename").is_empty() {
        faults.push(CliError::message(
            "one or more resources must be specified as <resource> <name> or <resource>/<name>",
        ));
    }
    if images.is_empty() {
        faults.push(CliError::message("at least one image update is required"));
    }
    if images.len() > 1 && images.contains_key("*") {
        faults.push(CliError::message(
            "all containers are already specified by *, but saw more than one container_name=container_image pairs",
        ));
    }
    CliError::join(faults)?;
    change(
        io,
        command,
        &infos,
        ("image updated", "failed to patch image update to pod template: "),
        |spec, faults| {
            for (name, image) in &images {
                let mut found = false;
                for container in containers(spec, &["containers", "initContainers"]) {
                    if name == "*" || container.get("name").and_then(Value::as_str) == Some(name) {
                        found = true;
                        container.insert("image".into(), image.as_str().into());
                    }
                }
                if !found {
                    faults.push(CliError::message(format!("error: unable to find container named {name:?}")));
                }
            }
            Ok(())
        },
    )?;
    Ok(None)
}

/// `CONTAINER=IMAGE`
fn parse(pairs: &[String]) -> Result<BTreeMap<String, String>> {
    let (mut images, mut faulty) = (BTreeMap::new(), Vec::new());
    for pair in pairs {
        match pair.split_once('=') {
            Some((name, image)) if !name.is_empty() => drop(images.insert(name.to_owned(), image.to_owned())),
            _ => faulty.push(pair.as_str()),
        }
    }
    if faulty.is_empty() {
        return Ok(images);
    }
    Err(CliError::message(format!("invalid image format: {}", faulty.join(", "))))
}
