//! `kubectl edit`: opens the object in the page's editor; saving it there applies it.

use crate::kubectl::command::Command;
use crate::kubectl::context::{Effect, Io};
use crate::kubectl::error::CliError;
use crate::kubectl::select::{self, Rules};
use crate::kubectl::task::Started;
use crate::kubectl::{print, yaml};

/// What stands above the object, so that one knows what this text is.
const HEAD: &str = "# Please edit the object below. Lines beginning with a '#' will be ignored.\n";

pub(crate) fn run(io: &mut Io, command: &Command) -> Started {
    super::check_subresource(command, &[])?;
    let rules = Rules { looks_up_files: true, type_means_all: false, ..Rules::default() };
    let infos = select::select(io, command, &command.arguments, rules)?.all()?;
    if infos.is_empty() {
        return Err(CliError::message("no objects passed to edit"));
    }
    for info in infos {
        let Some(object) = &info.object else { continue };
        let text = format!("{HEAD}{}", yaml::to_yaml(&print::served(object)));
        let file = format!("{}-{}.yaml", info.resource.singular(), info.key.name);
        io.line(format!("{} opened as {file}", info.shown()));
        io.effects.push(Effect::Edit { file, text });
    }
    Ok(None)
}
