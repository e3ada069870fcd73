//! Text to documents to JSON trees with positions.
