//! `kubectl set serviceaccount`
//!
//! Follows kubernetes kubectl pkg/cmd/set/set_serviceaccount.go, v1.36.

use super::template::{change, targets};
use crate::kubectl::command::Command;
use crate::kubectl::context::Io;
use crate::kubectl::error::CliError;
use crate::kubectl::task::Started;

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    let Some((account, resources)) = command.arguments.split_last() else {
        return Err(CliError::message("serviceaccount is required"));
    };
    let infos = targets(io, command, resources)?;
    let words = ("serviceaccount updated", "failed to patch ServiceAccountName ");
    change(io, command, &infos, words, |spec, _| {
        spec.insert("serviceAccountName".into(), account.as_str().into());
        spec.insert("serviceAccount".into(), account.as_str().into());
        Ok(())
    })?;
    Ok(None)
}
