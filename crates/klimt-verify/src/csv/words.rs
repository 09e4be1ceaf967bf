//! Finds bytes eight at a time: a word holds eight bytes of the text, the first in its lowest bits.
//!
//! The fields of a release are short, mostly under ten bytes. A search that is made for long texts spends more
//! on getting started than on such a field.

const ONES: u64 = 0x0101_0101_0101_0101;
const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The high bit of every byte of `word` that is zero, and no other bit.
fn zeros(word: u64) -> u64 {
    !(((word & LOW) + LOW) | word | LOW)
}

/// The high bit of the first byte of `word` that is zero, and perhaps bits above it; zero when no byte is zero.
fn first_zero(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & HIGH
}

/// The number of bytes before the one whose high bit is the lowest bit of a mask.
fn bytes_before(mask: u64) -> usize {
    mask.trailing_zeros() as usize / 8
}

/// Where the first byte is that is one of three.
#[inline]
pub(super) fn find_any(wanted: [u8; 3], text: &[u8]) -> Option<usize> {
    let patterns = wanted.map(|byte| ONES * u64::from(byte));
    let (words, rest) = text.as_chunks::<8>();
    let mut at = 0;
    for word in words {
        let word = u64::from_le_bytes(*word);
        let found = patterns.map(|pattern| first_zero(word ^ pattern));
        let found = found[0] | found[1] | found[2];
        if found != 0 {
            return Some(at + bytes_before(found));
        }
        at += 8;
    }
    rest.iter().position(|byte| wanted.contains(byte)).map(|found| at + found)
}

/// How long the line is with which a text begins, and how many delimiters it holds; the whole text when there is
/// no line end.
#[inline]
pub(super) fn line(delimiter: u8, text: &[u8]) -> (usize, usize) {
    let (delimiter_word, end_word) = (ONES * u64::from(delimiter), ONES * u64::from(b'\n'));
    let (mut at, mut delimiters) = (0, 0);
    let (words, rest) = text.as_chunks::<8>();
    for word in words {
        let word = u64::from_le_bytes(*word);
        let (delimiter, end) = (zeros(word ^ delimiter_word), first_zero(word ^ end_word));
        if end != 0 {
            return (at + bytes_before(end), delimiters + count(delimiter & (end ^ (end - 1))));
        }
        delimiters += count(delimiter);
        at += 8;
    }
    let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    let more = rest[..end].iter().filter(|&&byte| byte == delimiter).count();
    (at + end, delimiters + more)
}

/// The number of bytes whose high bit is set in a mask that has no other bits.
fn count(mask: u64) -> usize {
    ((mask >> 7).wrapping_mul(ONES) >> 56) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_zero_bytes_are_found() {
        assert_eq!(zeros(0), HIGH);
        assert_eq!(zeros(0x0100_8000_FF7F_0001), 0x0080_0080_0000_8000);
        assert_eq!(bytes_before(first_zero(0x0100_8000_FF7F_0001)), 1);
        assert_eq!(first_zero(0x0102_80FF_FF7F_0101), 0);
    }

    proptest! {
        #[test]
        fn searches_agree_with_plain_loops(text in proptest::collection::vec(
            proptest::sample::select(vec![b',', b'\n', b'"', b'a', b'-', b'+', 0, 1, 0x80, 0x8A, 0xAC, 0xFF]), 0..60)) {
            prop_assert_eq!(find_any([b',', b'\n', b'"'], &text), text.iter().position(|b| b",\n\"".contains(b)));
            let length = text.iter().position(|&b| b == b'\n').unwrap_or(text.len());
            let delimiters = text[..length].iter().filter(|&&b| b == b',').count();
            prop_assert_eq!(line(b',', &text), (length, delimiters));
        }
    }
}
