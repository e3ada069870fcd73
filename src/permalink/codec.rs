//! Text to a short word of an address and back.
//!
//! A word is `<codec>:<base64url>`. The codec says how to read the rest, so that old links stay readable when a better
//! codec comes: a codec that was ever written is never taken away. There is one so far, `d1`: the text as UTF-8, deflated
//! (RFC 1951, without a wrapper) as if `dictionary_d1.txt` stood before it.

use super::base64url;
use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress_to_output, create_comp_flags_from_zip_params,
};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

/// What most states contain, so that a link need not say it again: it makes the link of a first visit a tenth as long. It
/// belongs to the codec and may never change.
const DICTIONARY: &str = include_str!("dictionary_d1.txt");

/// The codec that is written.
pub const CODEC: &str = "d1";
/// Longest word that is read, in characters.
pub const MAX_WORD: usize = 1 << 20;
/// Longest text that is unpacked, in bytes: a word of a few letters can stand for a thousand times as much.
pub const MAX_TEXT: usize = 16 << 20;

/// Why a link cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// There is no `#s=` in it.
    NoState,
    /// A later version of the playground wrote it.
    UnknownCodec(String),
    /// It is longer than anything the playground writes.
    TooLong {
        /// Its length in characters.
        length: usize,
    },
    /// A character that cannot be in it: it was changed or cut on its way.
    BadCharacter {
        /// The place after the codec, counted from 1.
        place: usize,
    },
    /// The rest was cut off or changed.
    Damaged,
    /// It unpacks to more than [`MAX_TEXT`] bytes.
    TooLarge,
    /// It unpacks to something else than a state.
    NotAState(String),
}

impl std::fmt::Display for LinkError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoState => f.write_str("the link holds no state: it has no #s="),
            Self::UnknownCodec(codec) => {
                write!(f, "the link was written by a later version: this one cannot read {codec:?}")
            }
            Self::TooLong { length } => write!(f, "the link is too long: {length} characters of at most {MAX_WORD}"),
            Self::BadCharacter { place } => {
                write!(f, "the link was changed on its way: character {place} of its state cannot be there")
            }
            Self::Damaged => f.write_str("the link is incomplete or was changed on its way"),
            Self::TooLarge => write!(f, "the link unpacks to more than {} MiB", MAX_TEXT >> 20),
            Self::NotAState(message) => write!(f, "the link holds no state: {message}"),
        }
    }
}

impl std::error::Error for LinkError {}

/// Packs a text into a word that needs no escaping in an address.
pub fn pack(text: &str) -> String {
    format!("{CODEC}:{}", base64url::encode(&deflate(text.as_bytes())))
}

/// Unpacks a word.
///
/// # Errors
/// Where it was not made by [`pack`], was damaged, or is too large.
pub fn unpack(word: &str) -> Result<String, LinkError> {
    if word.len() > MAX_WORD {
        return Err(LinkError::TooLong { length: word.len() });
    }
    let (codec, digits) = word.split_once(':').ok_or(LinkError::Damaged)?;
    if codec != CODEC {
        return Err(LinkError::UnknownCodec(codec.chars().take(16).collect()));
    }
    let packed = base64url::decode(digits).map_err(|place| match place + 1 == digits.len() {
        // The last character alone is the sign of a link that was cut.
        true => LinkError::Damaged,
        false => LinkError::BadCharacter { place: place + 1 },
    })?;
    String::from_utf8(inflate(&packed)?).map_err(|_| LinkError::Damaged)
}

fn deflate(text: &[u8]) -> Vec<u8> {
    // 9: the best that does not take seconds for the longest texts. No zlib wrapper, and no strategy of its own.
    let mut compressor = CompressorOxide::new(create_comp_flags_from_zip_params(9, 0, 0));
    let mut packed = Vec::new();
    let (flushed, _) = compress_to_output(&mut compressor, DICTIONARY.as_bytes(), TDEFLFlush::Sync, |_| true);
    let (done, _) = compress_to_output(&mut compressor, text, TDEFLFlush::Finish, |bytes| {
        packed.extend_from_slice(bytes);
        true
    });
    debug_assert_eq!((flushed, done), (TDEFLStatus::Okay, TDEFLStatus::Done));
    packed
}

fn inflate(mut packed: &[u8]) -> Result<Vec<u8>, LinkError> {
    let start = DICTIONARY.len();
    let most = start + MAX_TEXT;
    let mut bytes = DICTIONARY.as_bytes().to_vec();
    bytes.resize(most.min(start.saturating_add(packed.len().saturating_mul(4)).max(start + 256)), 0);
    let mut inflator = Box::<DecompressorOxide>::default();
    let mut end = start;
    loop {
        let flags = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let (status, read, written) = decompress(&mut inflator, packed, &mut bytes, end, flags);
        end = end.saturating_add(written);
        packed = packed.get(read..).unwrap_or_default();
        match status {
            TINFLStatus::Done => return Ok(bytes.get(start..end).unwrap_or_default().to_vec()),
            TINFLStatus::HasMoreOutput if bytes.len() >= most => return Err(LinkError::TooLarge),
            TINFLStatus::HasMoreOutput => bytes.resize(most.min(bytes.len().saturating_mul(2)), 0),
            _ => return Err(LinkError::Damaged),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back() {
        for text in ["", "a", "kind: DaemonSet\n# é, 漢字\n", &"worker ".repeat(10_000)] {
            assert_eq!(unpack(&pack(text)).as_deref(), Ok(text));
        }
    }

    /// Every link that was ever made depends on each letter of it.
    #[test]
    fn the_dictionary_of_the_codec_never_changes() {
        let fnv = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        let hash = DICTIONARY.bytes().fold(0xcbf2_9ce4_8422_2325, fnv);
        assert_eq!((DICTIONARY.len(), format!("{hash:016x}").as_str()), (17_266, "f8ce2cb542189e72"));
    }

    #[test]
    fn a_word_needs_no_escaping() {
        let word = pack("{\"a\": [1, 2, 3]}");
        let (codec, digits) = word.split_once(':').unwrap();
        assert_eq!(codec, "d1");
        assert!(digits.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'), "{digits}");
    }

    #[test]
    fn damage_is_told_apart() {
        let word = pack("kind: DaemonSet, in some more words than three");
        assert_eq!(unpack(&word[..word.len() - 5]), Err(LinkError::Damaged));
        assert_eq!(unpack("d1"), Err(LinkError::Damaged));
        assert_eq!(unpack("z9:AAAA"), Err(LinkError::UnknownCodec("z9".into())));
        assert_eq!(unpack("d1:AA%20AA"), Err(LinkError::BadCharacter { place: 3 }));
        let long = format!("d1:{}", "A".repeat(MAX_WORD));
        assert_eq!(unpack(&long), Err(LinkError::TooLong { length: MAX_WORD + 3 }));
    }

    #[test]
    fn a_small_word_that_unpacks_to_gigabytes_is_refused() {
        let bomb = pack(&"a".repeat(MAX_TEXT + 1));
        assert!(bomb.len() < 24_000);
        assert_eq!(unpack(&bomb), Err(LinkError::TooLarge));
        assert_eq!(unpack(&pack(&"a".repeat(MAX_TEXT))).map(|text| text.len()), Ok(MAX_TEXT));
    }
}
