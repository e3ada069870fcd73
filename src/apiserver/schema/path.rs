//! Places in an object, as Kubernetes writes them.

/// A field's place, built on the way down; written out only when something is wrong there.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    segment: Segment<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Segment<'a> {
    Name(&'a str),
    Index(usize),
    Key(&'a str),
    DottedKey(&'a str),
}

impl<'a> Path<'a> {
    /// A field of the object itself.
    pub fn new(name: &'a str) -> Self {
        Self { parent: None, segment: Segment::Name(name) }
    }

    /// A field below.
    #[inline(never)]
    pub fn child<'b>(&'b self, name: &'b str) -> Path<'b> {
        Path { parent: Some(self), segment: Segment::Name(name) }
    }

    /// An item below.
    #[inline(never)]
    pub fn index(&self, index: usize) -> Path<'_> {
        Path { parent: Some(self), segment: Segment::Index(index) }
    }

    /// The path as Go's decoder writes it: names of fields only.
    pub fn go_path(&self) -> String {
        let above = self.parent.map(Path::go_path).unwrap_or_default();
        match self.segment {
            Segment::Name(name) if above.is_empty() => name.to_owned(),
            Segment::Name(name) => above + "." + name,
            _ => above,
        }
    }

    /// A map entry below, written with a dot (as the decoder does).
    pub fn dotted_key<'b>(&'b self, key: &'b str) -> Path<'b> {
        Path { parent: Some(self), segment: Segment::DottedKey(key) }
    }

    /// A map entry below.
    #[inline(never)]
    pub fn key<'b>(&'b self, key: &'b str) -> Path<'b> {
        Path { parent: Some(self), segment: Segment::Key(key) }
    }
}

impl std::fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        match self.segment {
            Segment::Name(name) | Segment::DottedKey(name) if self.parent.is_some() => write!(f, ".{name}"),
            Segment::Name(name) | Segment::DottedKey(name) => f.write_str(name),
            Segment::Index(index) => write!(f, "[{index}]"),
            Segment::Key(key) => write!(f, "[{key}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_as_kubernetes_writes_them() {
        let spec = Path::new("spec");
        let containers = spec.child("containers");
        let first = containers.index(0);
        let limits = first.child("resources");
        assert_eq!(limits.key("nvidia.com/gpu").to_string(), "spec.containers[0].resources[nvidia.com/gpu]");
    }
}
