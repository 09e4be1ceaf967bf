//! Dense codes: one small integer per row, as narrow as the domain allows.

/// An integer that a code can be stored in.
pub trait Word: Copy + Ord + Default + Send + Sync + std::fmt::Debug + 'static {
    /// The largest code that fits.
    const MAX: u32;
    /// The word as a code.
    fn code(self) -> u32;
    /// The code as a word; the code must be at most [`Word::MAX`].
    fn from_code(code: u32) -> Self;
}

macro_rules! word {
    ($($t:ty),*) => {$(
        impl Word for $t {
            const MAX: u32 = <$t>::MAX as u32;
            #[inline(always)]
            fn code(self) -> u32 {
                self as u32
            }
            #[inline(always)]
            fn from_code(code: u32) -> Self {
                code as $t
            }
        }
    )*};
}
word!(u8, u16, u32);

/// The codes of one column, 8, 16 or 32 bits wide by the size of its domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Codes {
    /// At most 256 codes.
    U8(Vec<u8>),
    /// At most 65,536 codes.
    U16(Vec<u16>),
    /// More.
    U32(Vec<u32>),
}

impl Codes {
    /// The bytes that a code of a domain with `cardinality` codes takes.
    pub fn width(cardinality: usize) -> usize {
        match cardinality {
            0..=0x100 => 1,
            0x101..=0x1_0000 => 2,
            _ => 4,
        }
    }

    /// Zeroed codes for `rows` rows of a domain with `cardinality` codes.
    pub fn zeroed(cardinality: usize, rows: usize) -> Self {
        match Codes::width(cardinality) {
            1 => Codes::U8(vec![0; rows]),
            2 => Codes::U16(vec![0; rows]),
            _ => Codes::U32(vec![0; rows]),
        }
    }

    /// Collects codes of a domain with `cardinality` codes.
    pub fn collect(cardinality: usize, codes: impl Iterator<Item = u32>) -> Self {
        match Codes::width(cardinality) {
            1 => Codes::U8(codes.map(Word::from_code).collect()),
            2 => Codes::U16(codes.map(Word::from_code).collect()),
            _ => Codes::U32(codes.collect()),
        }
    }

    /// The code of a row.
    #[inline]
    pub fn get(&self, row: usize) -> u32 {
        match self {
            Codes::U8(codes) => codes[row].code(),
            Codes::U16(codes) => codes[row].code(),
            Codes::U32(codes) => codes[row],
        }
    }

    /// Calls `f` with the code of every row.
    #[inline]
    pub fn for_each(&self, mut f: impl FnMut(u32)) {
        match self {
            Codes::U8(codes) => codes.iter().for_each(|code| f(code.code())),
            Codes::U16(codes) => codes.iter().for_each(|code| f(code.code())),
            Codes::U32(codes) => codes.iter().for_each(|&code| f(code)),
        }
    }

    /// Appends the codes of some rows, in their order.
    pub fn gather(&self, rows: &[u32], out: &mut Vec<u32>) {
        match self {
            Codes::U8(codes) => out.extend(rows.iter().map(|&row| codes[row as usize].code())),
            Codes::U16(codes) => out.extend(rows.iter().map(|&row| codes[row as usize].code())),
            Codes::U32(codes) => out.extend(rows.iter().map(|&row| codes[row as usize])),
        }
    }

    /// Appends the codes of some rows of a column of the same domain, in their order.
    pub fn append_rows(&mut self, other: &Codes, rows: &[u32]) {
        match (self, other) {
            (Codes::U8(mine), Codes::U8(other)) => mine.extend(rows.iter().map(|&row| other[row as usize])),
            (Codes::U16(mine), Codes::U16(other)) => mine.extend(rows.iter().map(|&row| other[row as usize])),
            (Codes::U32(mine), Codes::U32(other)) => mine.extend(rows.iter().map(|&row| other[row as usize])),
            _ => unreachable!("codes of one domain have one width"),
        }
    }

    /// Appends all codes of a column of the same domain.
    pub fn append(&mut self, other: &Codes) {
        match (self, other) {
            (Codes::U8(mine), Codes::U8(other)) => mine.extend_from_slice(other),
            (Codes::U16(mine), Codes::U16(other)) => mine.extend_from_slice(other),
            (Codes::U32(mine), Codes::U32(other)) => mine.extend_from_slice(other),
            _ => unreachable!("codes of one domain have one width"),
        }
    }

    /// Makes room for this many more rows.
    pub fn reserve(&mut self, rows: usize) {
        match self {
            Codes::U8(codes) => codes.reserve_exact(rows),
            Codes::U16(codes) => codes.reserve_exact(rows),
            Codes::U32(codes) => codes.reserve_exact(rows),
        }
    }

    /// Forgets all rows and keeps the room for them.
    pub fn clear(&mut self) {
        match self {
            Codes::U8(codes) => codes.clear(),
            Codes::U16(codes) => codes.clear(),
            Codes::U32(codes) => codes.clear(),
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Codes::U8(codes) => codes.len(),
            Codes::U16(codes) => codes.len(),
            Codes::U32(codes) => codes.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
