use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::rc::Rc;

/// Fields that the simulation neither reads nor writes, kept as they came. Most objects have none, and the versions of
/// one object share theirs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Other(Option<Rc<Map<String, Value>>>);

impl Other {
    /// The value of a field.
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.0.as_deref()?.get(field)
    }

    /// Whether there is such a field.
    pub fn contains_key(&self, field: &str) -> bool {
        self.get(field).is_some()
    }

    /// Sets a field.
    pub fn insert(&mut self, field: &str, value: Value) {
        if self.get(field) != Some(&value) {
            Rc::make_mut(self.0.get_or_insert_default()).insert(field.to_owned(), value);
        }
    }

    /// Takes a field away.
    pub fn remove(&mut self, field: &str) {
        if self.contains_key(field) {
            let left = self.0.take().map(|mut fields| {
                Rc::make_mut(&mut fields).remove(field);
                fields
            });
            self.0 = left.filter(|fields| !fields.is_empty());
        }
    }

    /// Sets a field that is not there.
    pub fn or_insert(&mut self, field: &str, value: Value) {
        if !self.contains_key(field) {
            self.insert(field, value);
        }
    }
}

impl Serialize for Other {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(fields) => fields.serialize(serializer),
            None => serializer.collect_map(std::iter::empty::<(&str, &Value)>()),
        }
    }
}

impl<'de> Deserialize<'de> for Other {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = Map::deserialize(deserializer)?;
        Ok(Self((!fields.is_empty()).then(|| Rc::new(fields))))
    }
}
