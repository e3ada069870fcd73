//! What is wrong with a manifest, in plain words.

use super::Words;
use crate::app::phrase::fill;
use crate::manifest::{Fact, LimitKind, Remedy};

impl Words {
    /// A finding in one sentence.
    pub fn manifest_fact(&self, fact: &Fact) -> String {
        match fact {
            Fact::YamlSyntax { problem, context: Some(context) } => format!("YAML: {problem} ({context})"),
            Fact::YamlSyntax { problem, context: None } => format!("YAML: {problem}"),
            Fact::TabIndentation => self.fact_tab.to_string(),
            Fact::MissingSpaceAfterColon { key } => fill(self.fact_space_after_colon, &[("key", key)]),
            Fact::MissingColon { key } => fill(self.fact_missing_colon, &[("key", key)]),
            Fact::UnclosedBracket { bracket, line } => {
                fill(self.fact_unclosed_bracket, &[("bracket", &bracket.to_string()), ("line", &line.to_string())])
            }
            Fact::ListOnKeyLine => self.fact_list_on_key_line.to_string(),
            Fact::UnknownEscape { sequence } => fill(self.fact_unknown_escape, &[("sequence", sequence)]),
            Fact::InvisibleIndentation { character } => {
                fill(self.fact_invisible, &[("character", &format!("U+{:04X}", u32::from(*character)))])
            }
            Fact::ColonInValue { value } => fill(self.fact_colon_in_value, &[("value", value)]),
            Fact::UnclosedQuote { quote } => fill(self.fact_unclosed_quote, &[("quote", &quote.to_string())]),
            Fact::MisalignedIndentation { column, expected } => {
                let levels: Vec<String> = expected.iter().map(|level| level.saturating_sub(1).to_string()).collect();
                fill(
                    self.fact_misaligned,
                    &[("n", &column.saturating_sub(1).to_string()), ("expected", &levels.join(", "))],
                )
            }
            Fact::ReservedCharacter { character } => fill(self.fact_reserved, &[("character", &character.to_string())]),
            Fact::UnrenderedTemplate { template } => fill(self.fact_template, &[("template", template)]),
            Fact::JsonSyntax { problem } => format!("JSON: {problem}"),
            Fact::JsonUnexpectedEnd => self.fact_json_end.to_string(),
            Fact::ControlCharacter { character } => {
                fill(self.fact_control, &[("character", &format!("U+{:04X}", u32::from(*character)))])
            }
            Fact::DocumentSeparator { text } => fill(self.fact_separator, &[("text", text)]),
            Fact::UnknownAnchor { name, defined_in_another_document: true } => {
                fill(self.fact_anchor_elsewhere, &[("name", name)])
            }
            Fact::UnknownAnchor { name, .. } => fill(self.fact_anchor_unknown, &[("name", name)]),
            Fact::RecursiveAnchor { name } => fill(self.fact_anchor_recursive, &[("name", name)]),
            Fact::ExcessiveAliasing => self.fact_aliasing.to_string(),
            Fact::InvalidMapKey { key } | Fact::UnsupportedMapKey { key } => fill(self.fact_map_key, &[("key", key)]),
            Fact::InvalidMerge => self.fact_merge.to_string(),
            Fact::InvalidTag { tag, value, .. } => fill(self.fact_tag, &[("tag", tag), ("value", value)]),
            Fact::InvalidBinary => self.fact_binary.to_string(),
            Fact::NotANumber { value } => fill(self.fact_not_a_number, &[("value", value)]),
            Fact::DuplicateKey { key, first } => {
                fill(self.fact_duplicate, &[("key", key), ("line", &first.start.line.to_string())])
            }
            Fact::IgnoredText => self.fact_ignored.to_string(),
            Fact::LimitReached { limit, allowed } => {
                let template = match limit {
                    LimitKind::Bytes => self.limit_bytes,
                    LimitKind::Depth => self.limit_depth,
                    LimitKind::Aliases => self.limit_aliases,
                    LimitKind::Expansion => self.limit_expansion,
                    LimitKind::Documents => self.limit_documents,
                    LimitKind::Objects => self.limit_objects,
                };
                fill(template, &[("n", &allowed.to_string())])
            }
        }
    }

    /// What to do about it, if there is anything to say.
    pub fn manifest_remedy(&self, remedy: &Remedy) -> Option<String> {
        Some(
            match remedy {
                Remedy::IndentWithSpaces => self.remedy_spaces,
                Remedy::AddSpaceAfterColon => self.remedy_space_after_colon,
                Remedy::AddColon => self.remedy_colon,
                Remedy::PutListOnNextLine => self.remedy_list_next_line,
                Remedy::UseSingleQuotes => self.remedy_single_quotes,
                Remedy::QuoteValue => self.remedy_quote,
                Remedy::CloseQuote => self.remedy_close_quote,
                Remedy::AlignWithSiblings => self.remedy_align,
                Remedy::RenderTemplate => self.remedy_render,
                Remedy::DefineAnchorInSameDocument => self.remedy_anchor,
                Remedy::RemoveDuplicate => self.remedy_duplicate,
                Remedy::SeparateDocuments => self.remedy_separate,
                Remedy::PutDocumentOnNextLine => self.remedy_document_next_line,
                Remedy::UseLessText { .. } => self.remedy_less,
                Remedy::RemoveCharacter => self.remedy_remove_character,
                Remedy::RemoveTag => self.remedy_tag,
                Remedy::MergeMappings => self.remedy_merge,
                Remedy::WriteNumber => self.remedy_number,
                Remedy::CheckBrackets => self.remedy_brackets,
                Remedy::None => return None,
            }
            .to_string(),
        )
    }
}
