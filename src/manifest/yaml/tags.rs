//! Scanning of anchors, aliases, tags and directives.
//! Follows go.yaml.in/yaml/v2 scannerc.go yaml_parser_scan_{anchor,tag,directive}.

use super::error::Result;
use super::input::Mark;
use super::scanner::Scanner;
use super::token::TokenKind;

impl<'t> Scanner<'t> {
    fn at_name_character(&self) -> bool {
        matches!(self.input.byte(0), b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'-')
    }

    fn scan_name(&mut self) -> &'t str {
        let start = self.input.mark.offset;
        while self.at_name_character() {
            self.input.advance();
        }
        self.input.slice(start, self.input.mark.offset)
    }

    pub(super) fn scan_anchor(&mut self) -> Result<TokenKind<'t>> {
        let start = self.input.mark;
        let is_anchor = self.input.byte(0) == b'&';
        self.input.advance();
        let name = self.scan_name();
        let ends_well = self.input.is_blank_or_end(0)
            || matches!(self.input.byte(0), b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`');
        if name.is_empty() || !ends_well {
            let context = if is_anchor { "while scanning an anchor" } else { "while scanning an alias" };
            return Err(self.error(context, start, "did not find expected alphabetic or numeric character"));
        }
        Ok(if is_anchor { TokenKind::Anchor(name) } else { TokenKind::Alias(name) })
    }

    pub(super) fn scan_tag(&mut self) -> Result<TokenKind<'t>> {
        let start = self.input.mark;
        let (mut handle, mut suffix);
        if self.input.byte(1) == b'<' {
            self.input.advance_by(2);
            handle = String::new();
            suffix = self.scan_tag_uri(false, "", start)?;
            if self.input.byte(0) != b'>' {
                return Err(self.error("while scanning a tag", start, "did not find the expected '>'"));
            }
            self.input.advance();
        } else {
            handle = self.scan_tag_handle(false, start)?;
            if handle.len() > 1 && handle.ends_with('!') {
                suffix = self.scan_tag_uri(false, "", start)?;
            } else {
                // It was no handle but the beginning of the tag itself.
                suffix = self.scan_tag_uri(false, &handle, start)?;
                handle = "!".to_owned();
                if suffix.is_empty() {
                    std::mem::swap(&mut handle, &mut suffix);
                }
            }
        }
        if !self.input.is_blank_or_end(0) {
            return Err(self.error("while scanning a tag", start, "did not find expected whitespace or line break"));
        }
        Ok(TokenKind::Tag { handle, suffix })
    }

    fn tag_context(directive: bool) -> &'static str {
        if directive { "while parsing a %TAG directive" } else { "while parsing a tag" }
    }

    fn scan_tag_handle(&mut self, directive: bool, start: Mark) -> Result<String> {
        if self.input.byte(0) != b'!' {
            return Err(self.error(Self::tag_context(directive), start, "did not find expected '!'"));
        }
        self.input.advance();
        let mut handle = format!("!{}", self.scan_name());
        if self.input.byte(0) == b'!' {
            self.input.advance();
            handle.push('!');
        } else if directive && handle != "!" {
            return Err(self.error(Self::tag_context(directive), start, "did not find expected '!'"));
        }
        Ok(handle)
    }

    fn scan_tag_uri(&mut self, directive: bool, head: &str, start: Mark) -> Result<String> {
        let mut uri = head.get(1..).unwrap_or("").as_bytes().to_vec();
        let mut found = !head.is_empty();
        loop {
            match self.input.byte(0) {
                b'%' => self.scan_uri_escape(directive, start, &mut uri)?,
                byte @ (b';' | b'/' | b'?' | b':' | b'@' | b'&' | b'=' | b'+' | b'$' | b',' | b'.' | b'!' | b'~'
                | b'*' | b'\'' | b'(' | b')' | b'[' | b']') => {
                    uri.push(byte);
                    self.input.advance();
                }
                byte if self.at_name_character() => {
                    uri.push(byte);
                    self.input.advance();
                }
                _ => break,
            }
            found = true;
        }
        if !found {
            return Err(self.error(Self::tag_context(directive), start, "did not find expected tag URI"));
        }
        Ok(String::from_utf8_lossy(&uri).into_owned())
    }

    /// `%C3%A9`: the bytes of one UTF-8 character.
    fn scan_uri_escape(&mut self, directive: bool, start: Mark, uri: &mut Vec<u8>) -> Result<()> {
        let context = Self::tag_context(directive);
        let mut left = None;
        while left != Some(0) {
            let digit = |ahead| char::from(self.input.byte(ahead)).to_digit(16);
            let (b'%', Some(high), Some(low)) = (self.input.byte(0), digit(1), digit(2)) else {
                return Err(self.error(context, start, "did not find URI escaped octet"));
            };
            let octet = u8::try_from(high.wrapping_shl(4) | low).unwrap_or(0);
            left = match left {
                None => Some(match octet {
                    0x00..=0x7F => 0,
                    0xC0..=0xDF => 1,
                    0xE0..=0xEF => 2,
                    0xF0..=0xF7 => 3,
                    _ => {
                        return Err(self.error(context, start, "found an incorrect leading UTF-8 octet"));
                    }
                }),
                Some(_) if octet & 0xC0 != 0x80 => {
                    return Err(self.error(context, start, "found an incorrect trailing UTF-8 octet"));
                }
                Some(left) => Some(usize::saturating_sub(left, 1)),
            };
            uri.push(octet);
            self.input.advance_by(3);
        }
        Ok(())
    }

    pub(super) fn scan_directive(&mut self) -> Result<TokenKind<'t>> {
        let start = self.input.mark;
        let context = "while scanning a directive";
        self.input.advance();
        let name = self.scan_name();
        if name.is_empty() {
            return Err(self.error(context, start, "could not find expected directive name"));
        }
        if !self.input.is_blank_or_end(0) {
            return Err(self.error(context, start, "found unexpected non-alphabetical character"));
        }
        let kind = match name {
            "YAML" => self.scan_version(start)?,
            "TAG" => self.scan_tag_directive(start)?,
            _ => return Err(self.error(context, start, "found unknown directive name")),
        };
        self.skip_blanks();
        self.skip_comment();
        if !self.input.is_break_or_end(0) {
            return Err(self.error(context, start, "did not find expected comment or line break"));
        }
        self.input.advance_line();
        Ok(kind)
    }

    fn scan_version(&mut self, start: Mark) -> Result<TokenKind<'t>> {
        self.skip_blanks();
        let major = self.scan_version_number(start)?;
        if self.input.byte(0) != b'.' {
            let context = "while scanning a %YAML directive";
            return Err(self.error(context, start, "did not find expected digit or '.' character"));
        }
        self.input.advance();
        let minor = self.scan_version_number(start)?;
        Ok(TokenKind::VersionDirective { major, minor })
    }

    fn scan_version_number(&mut self, start: Mark) -> Result<u8> {
        let context = "while scanning a %YAML directive";
        let mut value = 0u8;
        let mut length = 0;
        while self.input.byte(0).is_ascii_digit() {
            if length == 2 {
                return Err(self.error(context, start, "found extremely long version number"));
            }
            value = value.saturating_mul(10).saturating_add(self.input.byte(0).saturating_sub(b'0'));
            length = usize::saturating_add(length, 1);
            self.input.advance();
        }
        if length == 0 {
            return Err(self.error(context, start, "did not find expected version number"));
        }
        Ok(value)
    }

    fn scan_tag_directive(&mut self, start: Mark) -> Result<TokenKind<'t>> {
        let context = "while scanning a %TAG directive";
        self.skip_blanks();
        let handle = self.scan_tag_handle(true, start)?;
        if !self.input.is_blank(0) {
            return Err(self.error(context, start, "did not find expected whitespace"));
        }
        self.skip_blanks();
        let prefix = self.scan_tag_uri(true, "", start)?;
        if !self.input.is_blank_or_end(0) {
            return Err(self.error(context, start, "did not find expected whitespace or line break"));
        }
        Ok(TokenKind::TagDirective { handle, prefix })
    }
}
