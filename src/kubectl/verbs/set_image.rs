//! `kubectl set image`
//!
//! Follows kubernetes kubectl pkg/cmd/set/set_image.go, v1.36.

use super::label::resources_and_pairs;
use super::template::{change, containers, targets};
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::CliError;
use crate::kubectl::task::Started;
use serde_json::Value;

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let flags = &command.flags;
    let (resources, pairs) = resources_and_pairs(&command.arguments, "image")?;
    let images: Vec<(String, String)> = pairs
        .iter()
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, image)| (name.to_owned(), image.to_owned()))
        .collect();
    let infos = targets(io, command, &resources)?;
    if flags.is_on("all") && flags.has("selector") {
        return Err(CliError::message("cannot set --all and --selector at the same time"));
    }
    if resources.is_empty() && flags.all("filename").is_empty() {
        return Err(CliError::message(
            "one or more resources must be specified as <resource> <name> or <resource>/<name>",
        ));
    }
    if images.is_empty() {
        return Err(CliError::message("at least one image update is required"));
    }
    if images.len() > 1 && images.iter().any(|(name, _)| name == "*") {
        return Err(CliError::message(
            "all containers are already specified by *, but saw more than one container_name=container_image pairs",
        ));
    }
    change(io, command, &infos, ("image updated", "failed to patch image update to pod template: "), |spec| {
        for (name, image) in &images {
            let mut found = false;
            for container in containers(spec, &["containers", "initContainers"]) {
                if name == "*" || container.get("name").and_then(Value::as_str) == Some(name) {
                    found = true;
                    container.insert("image".into(), image.as_str().into());
                }
            }
            if !found {
                return Err(CliError::message(format!("unable to find container named {name:?}")));
            }
        }
        Ok(())
    })?;
    Ok(None)
}
