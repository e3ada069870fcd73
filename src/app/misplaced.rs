//! Fields that stand a level too high or too low: where they belong, and the edit that moves them there.

use super::remedies::{Advice, Fault, Repair, only};
use crate::apiserver::schema::{self, Kind};
use crate::manifest::edit;

/// How many levels below its place a field is looked for.
const DEPTH: usize = 3;

impl Fault<'_> {
    /// A field that its type does not have, and one below or above it has.
    pub(super) fn belongs_in(&self, parent: &str, parent_type: &str, name: &str) -> Option<Repair> {
        let join =
            |parent: &str, field: &str| if parent.is_empty() { field.into() } else { format!("{parent}.{field}") };
        let mut level: Vec<(String, &str)> = vec![(parent.to_owned(), parent_type)];
        for depth in 0..DEPTH {
            let below: Vec<(String, &str, bool)> = level
                .iter()
                .flat_map(|(path, type_name)| {
                    let fields = schema::fields_of(type_name).iter().filter(|field| field.name != "status");
                    fields.filter_map(move |field| match &field.kind {
                        Kind::Struct(type_name) => Some((join(path, field.name), *type_name, false)),
                        // One of several containers may be meant, so only the way is shown.
                        Kind::List(item)
                            if depth == 0 && !matches!(field.name, "initContainers" | "ephemeralContainers") =>
                        {
                            Some((join(path, field.name), item.struct_name()?, true))
                        }
                        _ => None,
                    })
                })
                .collect();
            let holders = below.iter().filter(|(_, type_name, _)| schema::field_of(type_name, name).is_some());
            // `image` is a kind of volume, too, and hardly ever meant as one.
            let in_container = || holders.clone().find(|(path, ..)| path.ends_with(".containers"));
            if let Some((path, _, is_list)) = only(holders.clone()).or_else(in_container) {
                return Some(self.moved(name, parent, path, *is_list));
            }
            if holders.count() > 0 {
                break;
            }
            level = below.into_iter().filter(|(_, _, is_list)| !is_list).map(|(path, name, _)| (path, name)).collect();
        }
        let mut above = parent;
        while let Some((outer, _)) = above.rsplit_once('.') {
            let type_name = schema::field(&self.item.kind, outer)?.kind.struct_name()?;
            if schema::field_of(type_name, name).is_some() {
                return Some(self.moved(name, parent, outer, false));
            }
            above = outer;
        }
        None
    }

    fn moved(&self, name: &str, from: &str, to: &str, is_list: bool) -> Repair {
        let place = if from.is_empty() { name.to_owned() } else { format!("{from}.{name}") };
        let edits = || edit::move_entry(self.text, self.document()?, &self.path(&place)?, &self.path(to)?).ok();
        Repair { advice: Advice::BelongsIn(to.to_owned()), edits: if is_list { None } else { edits() } }
    }
}
