//! Whole numbers in their shortest spelling, read and stored as numbers.

/// Stands for a missing value among 32-bit numbers.
pub const MISSING_32: i32 = i32::MIN;
/// Stands for a missing value among 64-bit numbers.
pub const MISSING_64: i64 = i64::MIN;

/// Whole numbers of a block, as narrow as they allow.
#[derive(Clone, Debug)]
pub enum Integers {
    /// All fit in 32 bits.
    Narrow(Vec<i32>),
    /// Some do not.
    Wide(Vec<i64>),
}

impl Default for Integers {
    fn default() -> Self {
        Integers::Narrow(Vec::new())
    }
}

impl Integers {
    /// Adds a number, or a missing value.
    #[inline]
    pub fn push(&mut self, value: Option<i64>) {
        match self {
            Integers::Narrow(values) => match value {
                None => values.push(MISSING_32),
                Some(value) => match i32::try_from(value) {
                    Ok(narrow) if narrow != MISSING_32 => values.push(narrow),
                    _ => {
                        self.widen();
                        self.push(Some(value));
                    }
                },
            },
            Integers::Wide(values) => values.push(value.unwrap_or(MISSING_64)),
        }
    }

    #[cold]
    fn widen(&mut self) {
        *self = Integers::Wide(self.iter().map(|value| value.unwrap_or(MISSING_64)).collect());
    }

    /// Every number, `None` for missing values.
    pub fn iter(&self) -> Box<dyn Iterator<Item = Option<i64>> + '_> {
        match self {
            Integers::Narrow(values) => {
                Box::new(values.iter().map(|&v| (v != MISSING_32).then_some(i64::from(v))))
            }
            Integers::Wide(values) => Box::new(values.iter().map(|&v| (v != MISSING_64).then_some(v))),
        }
    }

    /// Calls `f` with every number, `None` for missing values.
    #[inline(always)]
    pub fn for_each(&self, mut f: impl FnMut(Option<i64>)) {
        match self {
            Integers::Narrow(values) => {
                values.iter().for_each(|&v| f((v != MISSING_32).then_some(i64::from(v))));
            }
            Integers::Wide(values) => values.iter().for_each(|&v| f((v != MISSING_64).then_some(v))),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Integers::Narrow(values) => values.len(),
            Integers::Wide(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes that they take in memory.
    pub fn size(&self) -> usize {
        match self {
            Integers::Narrow(values) => size_of_val(&values[..]),
            Integers::Wide(values) => size_of_val(&values[..]),
        }
    }
}

/// Reads a whole number in its shortest spelling, the one that it would be written in again.
#[inline]
pub fn read(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > 18 || (digits[0] == b'0' && (digits.len() > 1 || negative)) {
        return None;
    }
    let mut value = 0i64;
    for &byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + i64::from(digit);
    }
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn reads_what_is_written(value in -999_999_999_999_999_999i64..=999_999_999_999_999_999) {
            prop_assert_eq!(read(value.to_string().as_bytes()), Some(value));
        }

        #[test]
        fn reads_nothing_that_would_be_written_otherwise(text in "[-+0-9. ]{0,6}") {
            if let Some(value) = read(text.as_bytes()) {
                prop_assert_eq!(value.to_string(), text);
            }
        }

        #[test]
        fn keeps_what_is_pushed(values in prop::collection::vec(prop::option::of(any::<i64>()), 0..50)) {
            let values: Vec<_> = values.into_iter().map(|v| v.filter(|&v| v != i64::MIN)).collect();
            let mut kept = Integers::default();
            values.iter().for_each(|&v| kept.push(v));
            prop_assert_eq!(kept.iter().collect::<Vec<_>>(), values);
        }
    }
}
