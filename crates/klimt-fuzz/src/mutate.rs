//! Deterministic mutations of inputs.

/// Pieces that parsers treat in their own way.
const PIECES: &[&[u8]] = &[
    b"\"",
    b"\"\"",
    b",",
    b";",
    b"\t",
    b"|",
    b"\n",
    b"\r\n",
    b"\r",
    b"{",
    b"}",
    b"[",
    b"]",
    b"(",
    b"..",
    b"*",
    b"\\",
    b"=",
    b"'",
    b"--",
    b"0",
    b"-1",
    b"1e400",
    b"9999999999999999999999999999999999999999",
    b"NaN",
    b"null",
    b"true",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\0",
    "é".as_bytes(),
    "🙂".as_bytes(),
    b"AND",
    b"BETWEEN",
    b"[[[[[[[[",
    b"{\"a\":",
    b"\xff\xff\xff\xff",
];

/// Makes inputs from others, always the same from the same seed.
pub struct Mutator {
    state: u64,
}

impl Mutator {
    /// A mutator with a seed.
    pub fn new(seed: u64) -> Self {
        Mutator { state: seed }
    }

    /// The next number below a limit, which is more than 0 (splitmix64).
    pub fn below(&mut self, limit: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ (word >> 31)) % limit as u64) as usize
    }

    /// An input made from one of the corpus, or from two.
    pub fn mutate(&mut self, corpus: &[Vec<u8>]) -> Vec<u8> {
        let mut input = corpus[self.below(corpus.len())].clone();
        for _ in 0..=self.below(6) {
            self.step(&mut input, corpus);
        }
        input
    }

    fn step(&mut self, input: &mut Vec<u8>, corpus: &[Vec<u8>]) {
        let at = self.below(input.len() + 1);
        let end = at + self.below((input.len() - at).min(16) + 1);
        match self.below(8) {
            0 => drop(input.drain(at..end)),
            1 => drop(input.splice(at..at, PIECES[self.below(PIECES.len())].iter().copied())),
            2 => drop(input.splice(at..end, PIECES[self.below(PIECES.len())].iter().copied())),
            3 if at < input.len() => input[at] ^= 1 << self.below(8),
            4 if at < input.len() => input[at] = self.below(256) as u8,
            5 => {
                let part = input[at..end].to_vec();
                let times = 1 + self.below(4);
                input.splice(at..at, part.repeat(times));
            }
            6 => {
                let other = &corpus[self.below(corpus.len())];
                let from = self.below(other.len() + 1);
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
            _ => input.truncate(at.max(input.len() / 2)),
        }
    }
}
