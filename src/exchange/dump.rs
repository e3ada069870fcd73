//! Reads the dump of a real cluster, `kubectl get … -A -o json` or `-o yaml`, item by item, while it is still coming in.
//!
//! A dump of 5,000 nodes has 100 MB. It is never in memory as a whole: what has been read of it is an object or noise.

use crate::apiserver::schema;
use crate::manifest::{self, Limits};
use crate::objects::*;
use serde_json::Value;
use std::collections::BTreeMap;

/// Why something of a dump did not come in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IgnoredReason {
    /// Secrets are not read.
    Secret,
    /// No kind that the playground has.
    UnknownKind,
    /// It cannot be read, and what is wrong with the first of these.
    Unreadable(String),
}

/// Objects of one kind that did not come in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ignored {
    /// Kind, with the group where it has one: `Certificate.cert-manager.io`.
    pub kind: String,
    /// Why.
    pub reason: IgnoredReason,
}

/// Why a text is no dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DumpError {
    /// It is larger than the playground takes: bytes.
    TooLarge(usize),
    /// More objects than the playground takes.
    TooMany(usize),
    /// It ends in the middle of an object.
    EndsEarly,
    /// It is no list of objects.
    NoList,
}

/// What came in.
#[derive(Clone, Debug, Default)]
pub struct Dump {
    /// Objects as they stood, in the order of the dump.
    pub objects: Vec<Object>,
    /// What did not come in, by kind and reason, and how many.
    pub ignored: BTreeMap<Ignored, usize>,
    /// The latest moment that the dump speaks of: when it was taken, or shortly before.
    pub taken_at: Option<Time>,
    /// Entries of `managedFields` that were left out.
    pub managed_fields: usize,
    /// Entries in nodes' lists of images that were left out.
    pub images: usize,
}

/// What a step of the reader came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Took {
    /// It read an item.
    Item,
    /// It needs more of the text.
    Wait,
    /// The text is at its end.
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Unknown,
    Json,
    Yaml,
}

/// Reads a dump.
#[derive(Clone, Debug)]
pub struct DumpReader {
    limits: Limits,
    format: Format,
    buffer: Vec<u8>,
    /// Start of what is not yet read, in the buffer.
    at: usize,
    /// Where the search for the end of the item goes on.
    scanned: usize,
    json: JsonPlace,
    yaml: YamlPlace,
    ended: bool,
    bytes: usize,
    items: usize,
    latest: String,
    dump: Dump,
}

/// Whether a text that begins like this is a dump of live objects, and no manifest that a person wrote.
pub fn looks_like_a_dump(head: &str) -> bool {
    let is_list = match head.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']).chars().next() {
        Some('{') => head.contains("\"items\""),
        _ => head.lines().any(|line| line.trim_end() == "items:"),
    };
    is_list
        && ["uid:", "\"uid\":", "creationTimestamp: \"", "\"creationTimestamp\": \""].iter().any(|m| head.contains(m))
}

impl Default for DumpReader {
    fn default() -> Self {
        Self::new(Limits::for_dump())
    }
}

impl DumpReader {
    /// A reader that takes as much as the limits allow.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            format: Format::Unknown,
            buffer: Vec::new(),
            at: 0,
            scanned: 0,
            json: JsonPlace::default(),
            yaml: YamlPlace::default(),
            ended: false,
            bytes: 0,
            items: 0,
            latest: String::new(),
            dump: Dump::default(),
        }
    }

    /// More of the text. It may be cut anywhere, also within a character.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.at.min(self.buffer.len()));
        let shift = |from: Option<usize>| from.map(|from| from.saturating_sub(self.at));
        (self.json.item_from, self.yaml.item_from) = (shift(self.json.item_from), shift(self.yaml.item_from));
        self.scanned = self.scanned.saturating_sub(self.at);
        self.at = 0;
        self.buffer.extend_from_slice(bytes);
        self.bytes = self.bytes.saturating_add(bytes.len());
    }

    /// There is no more.
    pub fn end(&mut self) {
        self.ended = true;
    }

    /// Bytes of the text that have been read.
    pub fn bytes_read(&self) -> usize {
        self.bytes.saturating_sub(self.buffer.len().saturating_sub(self.at))
    }

    /// Items that have been read.
    pub fn items(&self) -> usize {
        self.items
    }

    /// Reads the next item.
    ///
    /// # Errors
    /// When the text is no dump, or too much of one.
    pub fn take(&mut self) -> Result<Took, DumpError> {
        if self.bytes > self.limits.bytes {
            return Err(DumpError::TooLarge(self.limits.bytes));
        }
        if self.format == Format::Unknown {
            let rest = self.buffer.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&self.buffer);
            match rest.iter().find(|byte| !byte.is_ascii_whitespace()) {
                Some(b'{') => self.format = Format::Json,
                Some(_) => self.format = Format::Yaml,
                None if self.ended => return Err(DumpError::NoList),
                None => return Ok(Took::Wait),
            }
            self.at = self.buffer.len() - rest.len();
            self.scanned = self.at;
        }
        let item = match self.format {
            Format::Json => self.json_item()?,
            _ => self.yaml_item(),
        };
        match item {
            Some(tree) => {
                self.items = self.items.saturating_add(1);
                if self.items > self.limits.objects {
                    return Err(DumpError::TooMany(self.limits.objects));
                }
                if let Ok(tree) = tree {
                    self.take_in(tree, 0);
                }
                Ok(Took::Item)
            }
            None if !self.ended => Ok(Took::Wait),
            None if self.format == Format::Json && self.json.depth > 0 => Err(DumpError::EndsEarly),
            None if self.dump.objects.is_empty() && self.dump.ignored.keys().all(|ignored| ignored.kind.is_empty()) => {
                Err(DumpError::NoList)
            }
            None => Ok(Took::End),
        }
    }

    /// Everything that came in.
    pub fn finish(mut self) -> Dump {
        self.dump.taken_at = Time::parse(&self.latest);
        self.dump
    }

    /// One object, or a list within the list.
    fn take_in(&mut self, mut tree: Value, depth: usize) {
        if let Some(Value::Array(items)) = tree.get_mut("items").map(Value::take)
            && depth < 4
        {
            return items.into_iter().for_each(|item| self.take_in(item, depth + 1));
        }
        let text = |member: &str| tree.get(member).and_then(Value::as_str).unwrap_or("").to_owned();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        if kind.is_empty() {
            return self.ignore("", "", IgnoredReason::Unreadable("it has no kind".into()));
        }
        if kind == "Secret" {
            return self.ignore(&api_version, &kind, IgnoredReason::Secret);
        }
        let Some(resource) = schema::resource_of(&api_version, &kind) else {
            return self.ignore(&api_version, &kind, IgnoredReason::UnknownKind);
        };
        self.latest_of(&tree);
        if let Some(metadata) = tree.get_mut("metadata").and_then(Value::as_object_mut) {
            if let Some(Value::Array(entries)) = metadata.remove("managedFields") {
                self.dump.managed_fields = self.dump.managed_fields.saturating_add(entries.len());
            }
            if resource.is_namespaced() && metadata.get("namespace").is_none() {
                metadata.insert("namespace".into(), "default".into());
            }
        }
        if kind == "Node"
            && let Some(status) = tree.get_mut("status").and_then(Value::as_object_mut)
            && let Some(Value::Array(images)) = status.remove("images")
        {
            self.dump.images = self.dump.images.saturating_add(images.len());
        }
        match Object::from_value(tree) {
            Ok(object) if object.metadata().name.is_empty() => {
                self.ignore(&api_version, &kind, IgnoredReason::Unreadable("it has no name".into()));
            }
            Ok(object) => self.dump.objects.push(object),
            Err(error) => self.ignore(&api_version, &kind, IgnoredReason::Unreadable(error.0)),
        }
    }

    fn ignore(&mut self, api_version: &str, kind: &str, reason: IgnoredReason) {
        let kind = match api_version.split_once('/') {
            Some((group, _)) => format!("{kind}.{group}"),
            None => kind.to_owned(),
        };
        // Of a kind, what is wrong is said once.
        let known = self.dump.ignored.keys().find(|known| {
            known.kind == kind
                && matches!((&known.reason, &reason), (IgnoredReason::Unreadable(_), IgnoredReason::Unreadable(_)))
        });
        let ignored = known.cloned().unwrap_or(Ignored { kind, reason });
        let count = self.dump.ignored.entry(ignored).or_default();
        *count = count.saturating_add(1);
    }

    /// Notes the latest moment that an object speaks of. All are written in the same form, so that they compare as text.
    fn latest_of(&mut self, tree: &Value) {
        let mut look = |text: &Value| {
            if let Value::String(text) = text
                && text.len() == 20
                && text.ends_with('Z')
                && *text > self.latest
            {
                self.latest.clone_from(text);
            }
        };
        let metadata = tree.get("metadata");
        metadata.and_then(|metadata| metadata.get("creationTimestamp")).map(&mut look);
        for entry in list(metadata, "managedFields") {
            entry.get("time").map(&mut look);
        }
        let status = tree.get("status");
        for condition in list(status, "conditions") {
            for member in ["lastHeartbeatTime", "lastTransitionTime", "lastUpdateTime"] {
                condition.get(member).map(&mut look);
            }
        }
        for container in list(status, "containerStatuses") {
            for pointer in
                ["/state/running/startedAt", "/state/terminated/finishedAt", "/lastState/terminated/finishedAt"]
            {
                container.pointer(pointer).map(&mut look);
            }
        }
    }

    /// The next item of a JSON list. `Err` inside: it is no JSON.
    fn json_item(&mut self) -> Result<Option<Result<Value, ()>>, DumpError> {
        while let Some(byte) = self.buffer.get(self.scanned).copied() {
            let here = self.scanned;
            self.scanned += 1;
            match self.json.see(byte, here) {
                JsonEvent::Nothing => {}
                JsonEvent::Broken => return Err(DumpError::NoList),
                JsonEvent::Item(from) => {
                    let text = self.buffer.get(from..self.scanned).unwrap_or_default();
                    let tree = serde_json::from_slice(text).map_err(|error| error.to_string());
                    self.at = self.scanned;
                    return Ok(Some(self.or_ignored(tree)));
                }
            }
            if self.json.item_from.is_none() {
                self.at = self.scanned;
            }
        }
        Ok(None)
    }

    fn or_ignored(&mut self, tree: Result<Value, String>) -> Result<Value, ()> {
        tree.map_err(|message| self.ignore("", "", IgnoredReason::Unreadable(message)))
    }

    /// The next item of a YAML list, or a document that is no list. `Err` inside: it is no YAML.
    fn yaml_item(&mut self) -> Option<Result<Value, ()>> {
        loop {
            let rest = self.buffer.get(self.scanned..).unwrap_or_default();
            let length = match rest.iter().position(|byte| *byte == b'\n') {
                Some(length) => length + 1,
                None if self.ended && !rest.is_empty() => rest.len(),
                None if self.ended => {
                    let from = self.yaml.item_from.take()?;
                    let text = self.yaml.item_text(self.buffer.get(from..self.scanned).unwrap_or_default());
                    self.at = self.scanned;
                    return Some(self.yaml_tree(&text));
                }
                None => return None,
            };
            let line = rest.get(..length).unwrap_or_default();
            let (here, seen) = (self.scanned, self.yaml.see(line));
            self.scanned += length;
            let finished = match seen {
                YamlEvent::Inside => None,
                YamlEvent::Starts => self.yaml.item_from.replace(here),
                YamlEvent::Ends => self.yaml.item_from.take(),
            };
            if let Some(from) = finished {
                let text = self.yaml.item_text(self.buffer.get(from..here).unwrap_or_default());
                self.at = here;
                return Some(self.yaml_tree(&text));
            }
            if self.yaml.item_from.is_none() {
                self.at = self.scanned;
            }
        }
    }

    fn yaml_tree(&mut self, text: &str) -> Result<Value, ()> {
        let read = manifest::read(text, &self.limits);
        let first = match read.stream().next() {
            Some(Ok(document)) => document.value().cloned().ok_or_else(|| "nothing is there".to_owned()),
            Some(Err(diagnostic)) => {
                Err(diagnostic.kubectl_text.clone().unwrap_or_else(|| format!("{:?}", diagnostic.code)))
            }
            None => Err("nothing is there".to_owned()),
        };
        self.or_ignored(first)
    }
}

/// A member that is a list; empty if it is not there.
fn list<'v>(tree: Option<&'v Value>, member: &str) -> &'v [Value] {
    tree.and_then(|tree| tree.get(member)).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Where in a JSON text the reader is.
#[derive(Clone, Debug, Default)]
struct JsonPlace {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// The last string at the first level, to know the member `items`.
    word: Vec<u8>,
    /// Depth of the elements of the list that is read.
    list_depth: Option<usize>,
    item_from: Option<usize>,
}

enum JsonEvent {
    Nothing,
    Item(usize),
    Broken,
}

impl JsonPlace {
    fn see(&mut self, byte: u8, here: usize) -> JsonEvent {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ if self.depth == 1 && self.word.len() < 16 => self.word.push(byte),
                _ => {}
            }
            return JsonEvent::Nothing;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                if self.depth == 1 {
                    self.word.clear();
                }
            }
            b'{' | b'[' => {
                self.depth += 1;
                if byte == b'[' && self.depth == 2 && self.word == b"items" {
                    self.list_depth = Some(2);
                } else if self.list_depth == Some(self.depth - 1) && self.item_from.is_none() {
                    self.item_from = Some(here);
                }
            }
            b'}' | b']' => {
                let Some(depth) = self.depth.checked_sub(1) else { return JsonEvent::Broken };
                self.depth = depth;
                if self.list_depth == Some(depth)
                    && let Some(from) = self.item_from.take()
                {
                    return JsonEvent::Item(from);
                }
                if self.list_depth.is_some_and(|list| depth < list) {
                    self.list_depth = None;
                }
            }
            _ => {}
        }
        JsonEvent::Nothing
    }
}

/// Where in a YAML text the reader is.
#[derive(Clone, Debug, Default)]
struct YamlPlace {
    /// Indent of the list's dashes, once it is known.
    dashes: Option<usize>,
    in_list: bool,
    item_from: Option<usize>,
}

enum YamlEvent {
    /// The line belongs to what is open.
    Inside,
    /// An item, or a document that is no list, starts here; what was open ends.
    Starts,
    /// What was open ends.
    Ends,
}

impl YamlPlace {
    fn see(&mut self, line: &[u8]) -> YamlEvent {
        let indent = line.iter().take_while(|byte| **byte == b' ').count();
        let rest = line.get(indent..).unwrap_or_default().trim_ascii_end();
        if rest.is_empty() || (rest.starts_with(b"#") && self.item_from.is_none()) {
            return YamlEvent::Inside;
        }
        if indent == 0 && (rest == b"---" || rest.starts_with(b"--- ") || rest == b"...") {
            *self = Self { item_from: self.item_from, ..Self::default() };
            return YamlEvent::Ends;
        }
        if self.in_list {
            let is_dash = rest == b"-" || rest.starts_with(b"- ");
            if is_dash && self.dashes.is_none_or(|dashes| dashes == indent) {
                self.dashes = Some(indent);
                return YamlEvent::Starts;
            }
            if indent == 0 {
                // `kind: List` and the list's own metadata.
                self.in_list = false;
                return YamlEvent::Ends;
            }
            return YamlEvent::Inside;
        }
        if indent == 0 && rest == b"items:" {
            // What came before it is the head of the list, no object.
            self.in_list = true;
            self.dashes = None;
            self.item_from = None;
            return YamlEvent::Ends;
        }
        if self.dashes.is_some() || self.item_from.is_some() || rest.starts_with(b"-") {
            return YamlEvent::Inside;
        }
        YamlEvent::Starts
    }

    /// The text of an item without its dash.
    fn item_text(&self, lines: &[u8]) -> String {
        let mut text = String::from_utf8_lossy(lines).into_owned();
        if let Some(dashes) = self.dashes
            && text.get(dashes..dashes + 1) == Some("-")
        {
            text.replace_range(dashes..dashes + 1, " ");
        }
        text
    }
}
