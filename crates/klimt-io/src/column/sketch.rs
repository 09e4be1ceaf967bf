//! About how many different texts a column has, in little memory: used in messages about columns that do not fit.

/// Counts different texts by the rarest patterns among their hashes (Flajolet et al., HyperLogLog, 2007), within about
/// two in a hundred.
#[derive(Clone, Debug)]
pub struct Sketch {
    /// For every class of hashes, the most zeros before the first one, plus one.
    registers: Vec<u8>,
    /// The texts that were counted, and their bytes, for the mean length.
    texts: u64,
    bytes: u64,
}

/// The classes of hashes, as a power of two.
const BITS: u32 = 12;

impl Default for Sketch {
    fn default() -> Self {
        Sketch { registers: vec![0; 1 << BITS], texts: 0, bytes: 0 }
    }
}

impl Sketch {
    /// Counts a text.
    pub fn add(&mut self, text: &[u8]) {
        let mut hash = text.len() as u64;
        for word in text.chunks(8) {
            let mut bytes = [0; 8];
            bytes[..word.len()].copy_from_slice(word);
            hash = mix(hash ^ u64::from_le_bytes(bytes));
        }
        self.texts += 1;
        self.bytes += text.len() as u64;
        let rank = (hash << BITS | 1 << (BITS - 1)).leading_zeros() as u8 + 1;
        let register = &mut self.registers[(hash >> (64 - BITS)) as usize];
        *register = rank.max(*register);
    }

    /// Takes in what another one has counted.
    pub fn merge(&mut self, other: &Sketch) {
        for (mine, theirs) in self.registers.iter_mut().zip(&other.registers) {
            *mine = (*mine).max(*theirs);
        }
        self.texts += other.texts;
        self.bytes += other.bytes;
    }

    /// About how many different texts there are.
    pub fn estimate(&self) -> usize {
        let count = self.registers.len() as f64;
        let sum: f64 = self.registers.iter().map(|&rank| 0.5f64.powi(i32::from(rank))).sum();
        let raw = 0.7213 / (1.0 + 1.079 / count) * count * count / sum;
        let empty = self.registers.iter().filter(|&&rank| rank == 0).count();
        let few = raw <= 2.5 * count && empty > 0;
        (if few { count * (count / empty as f64).ln() } else { raw }) as usize
    }

    /// The mean length of the texts, rounded up.
    pub fn mean_length(&self) -> usize {
        self.bytes.div_ceil(self.texts.max(1)) as usize
    }
}

fn mix(mut hash: u64) -> u64 {
    for factor in [0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93] {
        hash = (hash ^ (hash >> 32)).wrapping_mul(factor);
    }
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_texts_are_counted_about() {
        for count in [0, 10, 3_000, 20_000, 700_000] {
            let (mut whole, mut half) = (Sketch::default(), Sketch::default());
            for text in 0..count {
                let sketch = if text % 3 == 0 { &mut half } else { &mut whole };
                (0..2).for_each(|_| sketch.add(format!("text {text}").as_bytes()));
            }
            whole.merge(&half);
            let off = whole.estimate() as f64 - f64::from(count);
            assert!(off.abs() <= 0.05 * f64::from(count), "{count}: {}", whole.estimate());
        }
        let mut sketch = Sketch::default();
        ["a", "bcd", "ef"].iter().for_each(|text| sketch.add(text.as_bytes()));
        assert_eq!(sketch.mean_length(), 2);
    }
}
