//! The mean of exact decimals, in digits.

/// The sum of some positions on an axis, in two words that do not overflow, and their number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mean {
    high: i128,
    low: i128,
    count: i128,
}

/// A position is `high · WORD + low`.
const WORD: i128 = 1_000_000_000_000_000_000;

/// A mean is written to its end where that is at most this many digits behind those of the numbers.
const EXACT: u32 = 20;

/// A mean without an end is written as the nearest floating-point number, as columnar files hold it, where its numbers are
/// below this; else with this many digits behind those of the numbers.
const PLAIN: u128 = 1 << 53;
const FURTHER: usize = 6;

impl Mean {
    /// Takes in a position, in units of `10^-scale`.
    pub fn add(&mut self, position: i128) {
        self.high += position.div_euclid(WORD);
        self.low += position.rem_euclid(WORD);
        self.count += 1;
    }

    /// Appends the mean: exactly where it ends, else rounded to the nearest, ties away from zero. Nothing where there are
    /// no numbers.
    pub fn write(self, scale: u32, out: &mut Vec<u8>) {
        if self.count == 0 {
            return;
        }
        let (whole, rest) = (self.high.div_euclid(self.count), self.high.rem_euclid(self.count));
        let low = rest * WORD + self.low;
        // The mean of numbers of 128 bits has 128 bits, though what it is put together from may have more.
        let units = whole.wrapping_mul(WORD).wrapping_add(low.div_euclid(self.count));
        let rest = low.rem_euclid(self.count);
        // Towards zero, so that digits behind the point have the sign of the whole.
        let (negative, mut units, mut rest) = match units < 0 {
            true if rest > 0 => (true, (units + 1).unsigned_abs(), self.count - rest),
            _ => (units < 0, units.unsigned_abs(), rest),
        };
        let mut digits = Vec::new();
        while rest > 0 && digits.len() < EXACT as usize {
            digits.push((rest * 10 / self.count) as u8);
            rest = rest * 10 % self.count;
        }
        let start = out.len();
        if rest > 0 && units < PLAIN {
            write_digits(negative, units, scale as usize, &digits, out);
            let nearest: Option<f64> =
                std::str::from_utf8(&out[start..]).ok().and_then(|text| text.parse().ok());
            if let Some(nearest) = nearest {
                out.truncate(start);
                out.extend_from_slice(nearest.to_string().as_bytes());
            }
            return;
        }
        if rest > 0 {
            round(&mut units, &mut digits, FURTHER);
        }
        write_digits(negative, units, scale as usize, &digits, out);
    }
}

/// Keeps some of the digits behind, rounded by the next one.
fn round(units: &mut u128, digits: &mut Vec<u8>, kept: usize) {
    let up = digits[kept] >= 5;
    digits.truncate(kept);
    let mut carry = up;
    for digit in digits.iter_mut().rev().take_while(|_| up) {
        if !carry {
            break;
        }
        (*digit, carry) = if *digit == 9 { (0, true) } else { (*digit + 1, false) };
    }
    *units += u128::from(carry);
}

fn write_digits(negative: bool, units: u128, scale: usize, further: &[u8], out: &mut Vec<u8>) {
    let text = format!("{units:0>width$}", width = scale + 1);
    let (whole, fraction) = text.split_at(text.len() - scale);
    let mut behind: Vec<u8> = fraction.bytes().chain(further.iter().map(|digit| b'0' + digit)).collect();
    while behind.last() == Some(&b'0') {
        behind.pop();
    }
    let zero = behind.is_empty() && whole.bytes().all(|byte| byte == b'0');
    if negative && !zero {
        out.push(b'-');
    }
    out.extend_from_slice(whole.as_bytes());
    if !behind.is_empty() {
        out.push(b'.');
        out.extend_from_slice(&behind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(positions: &[i128], scale: u32) -> String {
        let (mut mean, mut out) = (Mean::default(), Vec::new());
        positions.iter().for_each(|&position| mean.add(position));
        mean.write(scale, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn means_that_end_are_exact() {
        assert_eq!(mean(&[], 0), "");
        assert_eq!(mean(&[21, 22], 0), "21.5");
        assert_eq!(mean(&[-1, 0], 0), "-0.5");
        assert_eq!(mean(&[-3, -4, -4, -4], 0), "-3.75");
        assert_eq!(mean(&[-1, 1], 2), "0");
        assert_eq!(mean(&[9_007_199_254_740_993, 9_007_199_254_740_995], 0), "9007199254740994");
        assert_eq!(mean(&[9_007_199_254_740_993, 9_007_199_254_740_994], 0), "9007199254740993.5");
        assert_eq!(mean(&[150, 250], 2), "2");
        assert_eq!(mean(&[1, 2], 30), "0.0000000000000000000000000000015");
        assert_eq!(mean(&[i128::MAX, i128::MAX, i128::MAX - 3], 0), (i128::MAX - 1).to_string());
        assert_eq!(mean(&[i128::MIN, i128::MIN], 0), i128::MIN.to_string());
    }

    #[test]
    fn means_without_an_end_are_rounded() {
        assert_eq!(mean(&[0, 0, 1], 0), "0.3333333333333333");
        assert_eq!(mean(&[0, 1, 1], 0), "0.6666666666666666");
        assert_eq!(mean(&[-1, -1, 0], 0), "-0.6666666666666666");
        assert_eq!(mean(&[100, 100, 101], 0), "100.33333333333333");
        let third = 9_007_199_254_740_993;
        assert_eq!(mean(&[third, third, third + 1], 0), "9007199254740993.333333");
        assert_eq!(mean(&[999_999, 1_000_000, 1_000_000], 6), "0.9999996666666666");
    }
}
