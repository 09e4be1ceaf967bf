//! A block: some thousand rows of a generated table, column by column.

use super::{ColumnKind, GeneratedColumn};

/// The values of one column in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedValues {
    /// How a number stands for a value.
    pub kind: ColumnKind,
    /// One number per row.
    pub values: Vec<i64>,
}

/// Rows of a generated table, column by column; can be filled again without allocating.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GeneratedBlock {
    /// The columns, in the generator's order and all of one length.
    pub columns: Vec<GeneratedValues>,
}

impl GeneratedBlock {
    /// Rows in the block.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    /// Makes the block an empty one of these columns, and keeps the memory of columns that stay.
    pub fn reset(&mut self, columns: &[GeneratedColumn]) {
        self.columns.truncate(columns.len());
        for (old, new) in self.columns.iter_mut().zip(columns) {
            old.kind = new.kind;
            old.values.clear();
        }
        let kept = self.columns.len();
        self.columns
            .extend(columns[kept..].iter().map(|new| GeneratedValues { kind: new.kind, values: Vec::new() }));
    }

    /// Appends a row; there must be as many numbers as columns.
    pub fn push_row(&mut self, row: &[i64]) {
        debug_assert_eq!(row.len(), self.columns.len());
        for (column, &value) in self.columns.iter_mut().zip(row) {
            column.values.push(value);
        }
    }

    /// Appends the rows as CSV text, without a header and with a line feed after every row.
    ///
    /// A decimal gets the fewest digits that are exact. No field needs a quote, provided that the delimiter
    /// can be in none: it must be neither a letter, a digit, `-` nor `.`.
    pub fn write_csv(&self, delimiter: u8, out: &mut Vec<u8>) {
        let mut digits = itoa::Buffer::new();
        for row in 0..self.rows() {
            for column in &self.columns {
                let value = column.values[row];
                match column.kind {
                    ColumnKind::Integer => out.extend_from_slice(digits.format(value).as_bytes()),
                    ColumnKind::Decimal { scale } => push_decimal(value, scale, &mut digits, out),
                    ColumnKind::Label(words) => out.extend_from_slice(words[value as usize].as_bytes()),
                }
                out.push(delimiter);
            }
            if let Some(last) = out.last_mut() {
                *last = b'\n';
            }
        }
    }
}

/// Appends `mantissa` / 10^`scale` without an exponent, a trailing zero or a negative zero.
fn push_decimal(mantissa: i64, scale: u32, digits: &mut itoa::Buffer, out: &mut Vec<u8>) {
    let unit = 10u64.pow(scale);
    let magnitude = mantissa.unsigned_abs();
    if mantissa < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(digits.format(magnitude / unit).as_bytes());
    let mut rest = magnitude % unit;
    if rest > 0 {
        out.push(b'.');
    }
    let mut place = unit;
    while rest > 0 {
        place /= 10;
        out.push(b'0' + (rest / place) as u8);
        rest %= place;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decimal(mantissa: i64, scale: u32) -> String {
        let mut out = Vec::new();
        push_decimal(mantissa, scale, &mut itoa::Buffer::new(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn decimals_have_the_fewest_exact_digits() {
        let cases = [
            (0, 2, "0"),
            (7, 0, "7"),
            (-5, 2, "-0.05"),
            (50, 2, "0.5"),
            (-100, 2, "-1"),
            (12_345, 2, "123.45"),
            (1_000_100, 4, "100.01"),
            (i64::MIN, 18, "-9.223372036854775808"),
        ];
        for (mantissa, scale, text) in cases {
            assert_eq!(decimal(mantissa, scale), text);
        }
    }

    #[test]
    fn a_block_takes_the_shape_it_is_reset_to() {
        let column = |kind| GeneratedColumn { name: "a".to_string(), kind };
        let wide = [
            column(ColumnKind::Integer),
            column(ColumnKind::Integer),
            column(ColumnKind::Label(&["u", "v"])),
        ];
        let narrow = [column(ColumnKind::Decimal { scale: 1 })];
        let mut block = GeneratedBlock::default();
        let mut text = Vec::new();
        block.reset(&wide);
        block.push_row(&[-3, 4, 1]);
        block.push_row(&[5, 6, 0]);
        block.write_csv(b';', &mut text);
        block.reset(&narrow);
        assert_eq!(block.rows(), 0);
        block.push_row(&[25]);
        block.write_csv(b';', &mut text);
        block.reset(&wide);
        block.push_row(&[7, 8, 1]);
        block.write_csv(b';', &mut text);
        assert_eq!(text, b"-3;4;v\n5;6;u\n2.5\n7;8;v\n");
    }

    proptest! {
        #[test]
        fn a_decimal_reads_back_as_itself(mantissa: i64, scale in 0u32..=18) {
            let text = decimal(mantissa, scale);
            let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
            let joined: i128 = format!("{whole}{fraction}").parse().unwrap();
            prop_assert_eq!(joined * 10i128.pow(scale - fraction.len() as u32), i128::from(mantissa));
            prop_assert!(!fraction.ends_with('0'));
        }
    }
}
