//! How much one text may ask for. Reached limits are diagnostics, never hangs.

use serde::Serialize;

/// Upper bounds on what [`read`](super::read) takes on. The defaults are far above any real manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Size of the text in bytes.
    pub bytes: usize,
    /// Nesting of mappings and lists. Every tree is dropped and walked by recursion, also on WebAssembly's small stack,
    /// and serde_json reads back 127 levels, so larger values than the default are lowered to it.
    pub depth: usize,
    /// Aliases (`*name`) in one document.
    pub aliases: usize,
    /// Values that aliases and merge keys may add to one document by being expanded.
    pub expansion: usize,
    /// Documents in the text.
    pub documents: usize,
    /// Objects in the text, the items of lists counted singly.
    pub objects: usize,
}

impl Limits {
    /// The deepest nesting that is safe everywhere.
    pub const MAX_DEPTH: usize = 100;

    /// For the dump of a real cluster, which is read item by item: 512 MiB of text and half a million objects.
    pub const fn for_dump() -> Self {
        Limits { bytes: 512 << 20, documents: 200_000, objects: 500_000, ..Self::DEFAULT }
    }

    const DEFAULT: Self = Limits {
        bytes: 16 << 20,
        depth: Self::MAX_DEPTH,
        aliases: 5_000,
        expansion: 500_000,
        documents: 20_000,
        objects: 50_000,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Which of the [`Limits`] was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum LimitKind {
    Bytes,
    Depth,
    Aliases,
    Expansion,
    Documents,
    Objects,
}
