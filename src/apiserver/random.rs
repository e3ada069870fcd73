/// Seeded randomness for names and uids (SplitMix64). Part of the state, so that a replay draws the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Random {
    state: u64,
}

/// The characters of generated names: no vowels, no digits that look like letters.
const NAME_ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

impl Random {
    /// The sequence of this seed.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; 0 when `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next_u64().checked_rem(bound).unwrap_or(0)
    }

    /// Five characters, as the API server appends to `generateName`.
    pub fn name_suffix(&mut self) -> String {
        safe_encode(self.next_u64(), 5)
    }

    /// A uid in the usual form.
    pub fn uid(&mut self) -> String {
        let (high, low) = (self.next_u64(), self.next_u64());
        let (a, b, c) = (high >> 32, (high >> 16) & 0xffff, high & 0x0fff);
        let (d, e) = ((low >> 48) & 0x3fff | 0x8000, low & 0xffff_ffff_ffff);
        format!("{a:08x}-{b:04x}-4{c:03x}-{d:04x}-{e:012x}")
    }
}

/// `length` characters of the name alphabet that stand for `bits`.
pub fn safe_encode(mut bits: u64, length: usize) -> String {
    let base = NAME_ALPHABET.len() as u64;
    (0..length)
        .map(|_| {
            let index = usize::try_from(bits % base).unwrap_or(0);
            bits /= base;
            NAME_ALPHABET.get(index).map_or('x', |b| char::from(*b))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_draws_the_same_names() {
        let draw = || {
            let mut random = Random::new(7);
            (random.name_suffix(), random.uid(), random.below(10))
        };
        assert_eq!(draw(), draw());
        let (suffix, uid, _) = draw();
        assert!(suffix.len() == 5 && suffix.bytes().all(|b| NAME_ALPHABET.contains(&b)), "{suffix}");
        assert_eq!(uid.split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
        assert_ne!(Random::new(1).uid(), Random::new(2).uid());
    }
}
