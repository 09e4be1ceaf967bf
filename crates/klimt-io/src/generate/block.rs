//! A block: some thousand rows of a generated table, column by column.

use super::{ColumnKind, GeneratedColumn};

/// The values of one column in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedValues {
    /// How a number stands for a value.
    pub kind: ColumnKind,
    /// One number per row.
    pub values: Vec<i64>,
    /// The texts of a column of [`ColumnKind::Text`].
    pub texts: Vec<String>,
}

impl GeneratedValues {
    /// Appends a text to a column of texts.
    pub fn push_text(&mut self, text: String) {
        self.values.push(self.texts.len() as i64);
        self.texts.push(text);
    }

    /// Appends the field of a row.
    fn write_field(&self, row: usize, delimiter: u8, out: &mut Vec<u8>) {
        let (value, mut digits) = (self.values[row], itoa::Buffer::new());
        match self.kind {
            ColumnKind::Integer => out.extend_from_slice(digits.format(value).as_bytes()),
            ColumnKind::Decimal { scale } => push_decimal(value, scale, &mut digits, out),
            ColumnKind::Label(words) => out.extend_from_slice(words[value as usize].as_bytes()),
            ColumnKind::Text => push_quoted(self.texts[value as usize].as_bytes(), delimiter, out),
        }
    }
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
            old.texts.clear();
        }
        let kept = self.columns.len();
        let empty = |kind| GeneratedValues { kind, values: Vec::new(), texts: Vec::new() };
        self.columns.extend(columns[kept..].iter().map(|new| empty(new.kind)));
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
    /// A decimal gets the fewest digits that are exact. Only texts are ever quoted, provided that the delimiter can be in
    /// no other field: it must be neither a letter, a digit, `-` nor `.`.
    pub fn write_csv(&self, delimiter: u8, out: &mut Vec<u8>) {
        for row in 0..self.rows() {
            for column in &self.columns {
                column.write_field(row, delimiter, out);
                out.push(delimiter);
            }
            if let Some(last) = out.last_mut() {
                *last = b'\n';
            }
        }
    }
}

/// Appends a text, in quotes where it holds the delimiter, a quote or a line end.
fn push_quoted(text: &[u8], delimiter: u8, out: &mut Vec<u8>) {
    if !text.iter().any(|&byte| byte == delimiter || matches!(byte, b'"' | b'\r' | b'\n')) {
        return out.extend_from_slice(text);
    }
    out.push(b'"');
    for &byte in text {
        out.extend_from_slice(if byte == b'"' { b"\"\"" } else { std::slice::from_ref(&byte) });
    }
    out.push(b'"');
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

    #[test]
    fn texts_are_quoted_where_they_must_be() {
        let kinds = [ColumnKind::Text, ColumnKind::Integer];
        let mut block = GeneratedBlock::default();
        block.reset(&kinds.map(|kind| GeneratedColumn { name: "a".to_string(), kind }));
        for (number, text) in ["plain", "", "a;b", "say \"no\"", "two\nlines", "a,b"].into_iter().enumerate()
        {
            block.columns[0].push_text(text.to_string());
            block.columns[1].values.push(number as i64);
        }
        let mut text = Vec::new();
        block.write_csv(b';', &mut text);
        let expected = "plain;0\n;1\n\"a;b\";2\n\"say \"\"no\"\"\";3\n\"two\nlines\";4\na,b;5\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
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
