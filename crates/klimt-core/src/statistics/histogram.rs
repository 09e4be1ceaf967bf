//! How often each code of a column occurs in a group.

/// How many rows have each code. Codes ascend; a count of zero stands for nothing, so that a histogram over known
/// codes can be filled by their places alone.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    codes: Vec<u32>,
    counts: Vec<u64>,
}

impl Histogram {
    /// No rows yet, with a place for each of these codes, which ascend.
    pub fn over(codes: Vec<u32>) -> Self {
        let counts = vec![0; codes.len()];
        Histogram { codes, counts }
    }

    /// The codes of rows, in any order, of a domain with `cardinality` codes.
    pub fn of_codes(codes: &[u32], cardinality: usize) -> Self {
        if codes.len() >= cardinality {
            let mut histogram = Histogram::over((0..cardinality as u32).collect());
            codes.iter().for_each(|&code| histogram.add_at(code as usize));
            return histogram;
        }
        let mut codes = codes.to_vec();
        codes.sort_unstable();
        Histogram::of_sorted(codes)
    }

    /// Counts rows with a code.
    pub fn add(&mut self, code: u32, rows: u64) {
        match self.codes.binary_search(&code) {
            Ok(place) => self.counts[place] += rows,
            Err(place) => {
                self.codes.insert(place, code);
                self.counts.insert(place, rows);
            }
        }
    }

    /// Counts one row for each of these codes, which ascend.
    pub fn add_sorted(&mut self, codes: &[u32]) {
        if codes.is_empty() {
            return;
        }
        let sorted = Histogram::of_sorted(codes.to_vec());
        match self.codes.is_empty() {
            true => *self = sorted,
            false => self.merge(&sorted),
        }
    }

    /// The codes of rows, ascending.
    fn of_sorted(mut codes: Vec<u32>) -> Self {
        let counts = codes.chunk_by(|a, b| a == b).map(|same| same.len() as u64).collect();
        codes.dedup();
        Histogram { codes, counts }
    }

    /// Counts one row whose code has this place among the codes that the histogram was made over.
    #[inline(always)]
    pub fn add_at(&mut self, place: usize) {
        self.counts[place] += 1;
    }

    /// Counts other rows instead: this many for each of the codes that the histogram was made over, in their order.
    #[inline]
    pub fn set(&mut self, rows: impl Iterator<Item = u64>) {
        self.counts.iter_mut().zip(rows).for_each(|(mine, rows)| *mine = rows);
    }

    /// Takes in another histogram.
    pub fn merge(&mut self, other: &Histogram) {
        if self.codes == other.codes {
            self.counts.iter_mut().zip(&other.counts).for_each(|(mine, theirs)| *mine += theirs);
            return;
        }
        let mine = std::mem::take(self);
        let most = mine.codes.len() + other.codes.len();
        (self.codes, self.counts) = (Vec::with_capacity(most), Vec::with_capacity(most));
        let mut theirs = other.iter().peekable();
        for (code, rows) in mine.codes.iter().copied().zip(mine.counts) {
            while let Some((code, rows)) = theirs.next_if(|&(other, _)| other < code) {
                self.push(code, rows);
            }
            let same = theirs.next_if(|&(other, _)| other == code).map_or(0, |(_, rows)| rows);
            self.push(code, rows + same);
        }
        theirs.for_each(|(code, rows)| self.push(code, rows));
        self.codes.shrink_to_fit();
        self.counts.shrink_to_fit();
    }

    fn push(&mut self, code: u32, rows: u64) {
        self.codes.push(code);
        self.counts.push(rows);
    }

    /// Forgets all rows and keeps the places.
    pub fn clear(&mut self) {
        self.counts.fill(0);
    }

    /// Every code that occurs, ascending, with its number of rows.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.codes.iter().copied().zip(self.counts.iter().copied()).filter(|&(_, rows)| rows > 0)
    }

    /// The numbers of rows, zeros included, in the order of the codes.
    #[inline]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// How many different codes occur.
    pub fn distinct(&self) -> u64 {
        self.counts.iter().filter(|&&rows| rows > 0).count() as u64
    }

    /// The number of rows with the commonest code; zero when there are no rows.
    pub fn commonest(&self) -> u64 {
        self.counts.iter().copied().max().unwrap_or(0)
    }
}

impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Histogram {}

impl FromIterator<(u32, u64)> for Histogram {
    /// From codes in any order; rows of the same code add up.
    fn from_iter<I: IntoIterator<Item = (u32, u64)>>(pairs: I) -> Self {
        let mut pairs: Vec<(u32, u64)> = pairs.into_iter().collect();
        pairs.sort_unstable();
        let mut histogram = Histogram::default();
        for (code, rows) in pairs {
            match histogram.codes.last() {
                Some(last) if *last == code => {
                    *histogram.counts.last_mut().expect("a count for each code") += rows;
                }
                _ => {
                    histogram.codes.push(code);
                    histogram.counts.push(rows);
                }
            }
        }
        histogram
    }
}
