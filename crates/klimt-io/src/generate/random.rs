//! Random draws that depend on the generator, the seed and the block, and on nothing else.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The draws of one block.
pub(super) struct Draws {
    stream: ChaCha8Rng,
}

impl Draws {
    /// The draws of block `index`.
    ///
    /// The key is the seed followed by the generator's name, and the block is the cipher's stream number: two
    /// generators with one seed are unrelated, and so are two blocks of one table. The name has at most 24
    /// bytes.
    pub(super) fn of_block(name: &str, seed: u64, index: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..8 + name.len()].copy_from_slice(name.as_bytes());
        let mut stream = ChaCha8Rng::from_seed(key);
        stream.set_stream(index);
        Draws { stream }
    }

    /// 64 random bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.stream.next_u64()
    }

    /// An integer in `0..span`, each exactly equally likely; `span` is at least 1.
    ///
    /// A draw of 32 bits is scaled to the span. Where the 2^32 draws do not divide evenly, the few whose
    /// scaled fraction is below 2^32 mod `span` are thrown away.
    #[inline]
    pub(super) fn below(&mut self, span: u32) -> u32 {
        let mut scaled = u64::from(self.stream.next_u32()) * u64::from(span);
        if (scaled as u32) < span {
            let surplus = span.wrapping_neg() % span;
            while (scaled as u32) < surplus {
                scaled = u64::from(self.stream.next_u32()) * u64::from(span);
            }
        }
        (scaled >> 32) as u32
    }

    /// An integer in `low..=high`, each exactly equally likely; fewer than 2^32 of them.
    #[inline]
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + i64::from(self.below((high - low + 1) as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_name_and_block_all_count() {
        let first = |name, seed, index| Draws::of_block(name, seed, index).bits();
        let base = first("a", 1, 0);
        assert_eq!(base, first("a", 1, 0));
        assert_ne!(base, first("b", 1, 0));
        assert_ne!(base, first("a", 2, 0));
        assert_ne!(base, first("a", 1, 1));
        assert_ne!(base, first("a", 1, 1 << 63));
    }

    #[test]
    fn a_span_that_does_not_divide_the_draws_stays_even() {
        // Scaling four draws to three numbers without rejection would hit every third number twice as often.
        let span = 3 << 30;
        let mut draws = Draws::of_block("test", 5, 0);
        let mut rests = [0u32; 3];
        for _ in 0..30_000 {
            rests[(draws.below(span) % 3) as usize] += 1;
        }
        assert!(rests.iter().all(|&count| (9_600..10_400).contains(&count)), "{rests:?}");
    }

    #[test]
    fn both_ends_are_drawn() {
        let mut draws = Draws::of_block("test", 5, 0);
        let drawn: Vec<i64> = (0..200).map(|_| draws.between(-2, 2)).collect();
        assert_eq!(drawn.iter().min(), Some(&-2));
        assert_eq!(drawn.iter().max(), Some(&2));
        assert_eq!(draws.below(1), 0);
    }
}
