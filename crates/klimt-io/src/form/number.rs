//! Numbers with marks between thousands and before the fraction.

use super::DecimalMark;

/// Whether a character may stand between thousands whatever the decimal mark is: spaces, also those that do not break a
/// line, and apostrophes.
fn parts_thousands(character: char) -> bool {
    matches!(character, ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}' | '\'' | '\u{2019}')
}

/// Appends a number without marks between thousands, and with a point before its fraction. Returns whether the text is such
/// a number.
pub fn rewrite(text: &str, mark: DecimalMark, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    let is_number = write(text, mark, out).is_some();
    if !is_number {
        out.truncate(start);
    }
    is_number
}

fn write(text: &str, mark: DecimalMark, out: &mut Vec<u8>) -> Option<()> {
    let (decimal, other) = match mark {
        DecimalMark::Point => ('.', ','),
        DecimalMark::Comma => (',', '.'),
    };
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    out.extend_from_slice(&text.as_bytes()[..text.len() - unsigned.len()]);
    let (number, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at..])),
        None => (unsigned, None),
    };
    let (whole, fraction) = match number.split_once(decimal) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (number, None),
    };
    write_whole(whole, other, out)?;
    if let Some(fraction) = fraction {
        digits(fraction)?;
        out.push(b'.');
        out.extend_from_slice(fraction.as_bytes());
    }
    if let Some(exponent) = exponent {
        digits(exponent[1..].strip_prefix(['-', '+']).unwrap_or(&exponent[1..]))?;
        out.extend_from_slice(exponent.as_bytes());
    }
    Some(())
}

fn digits(text: &str) -> Option<()> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(())
}

/// Appends the digits of a whole number, in groups of three after the first one if they are in groups.
fn write_whole(text: &str, other: char, out: &mut Vec<u8>) -> Option<()> {
    let is_separator = |c: char| c == other || parts_thousands(c);
    let Some(separator) = text.chars().find(|&c| is_separator(c)) else {
        digits(text)?;
        out.extend_from_slice(text.as_bytes());
        return Some(());
    };
    for (at, group) in text.split(separator).enumerate() {
        digits(group)?;
        let fits = if at == 0 { group.len() <= 3 && !group.starts_with('0') } else { group.len() == 3 };
        if !fits {
            return None;
        }
        out.extend_from_slice(group.as_bytes());
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str, mark: DecimalMark) -> Option<String> {
        let mut out = b"x".to_vec();
        let is_number = rewrite(text, mark, &mut out);
        assert!(is_number || out == b"x");
        is_number.then(|| String::from_utf8(out[1..].to_vec()).unwrap())
    }

    #[test]
    fn marks_are_read_as_the_form_says() {
        for (text, point, comma) in [
            ("1234.56", Some("1234.56"), None),
            ("1234,56", None, Some("1234.56")),
            ("1,234.56", Some("1234.56"), None),
            ("1.234,56", None, Some("1234.56")),
            ("1,234", Some("1234"), Some("1.234")),
            ("1.234", Some("1.234"), Some("1234")),
            ("1 234,5", None, Some("1234.5")),
            ("1\u{202f}234\u{202f}567,5", None, Some("1234567.5")),
            ("1'234.5", Some("1234.5"), None),
            ("12’345", Some("12345"), Some("12345")),
            ("-1.000.000", None, Some("-1000000")),
            ("+5,0", None, Some("+5.0")),
            ("1,5E+03", None, Some("1.5E+03")),
            ("0.250", Some("0.250"), None),
            ("007", Some("007"), Some("007")),
            ("1.234.56", None, None),
            ("1 234.567,8", None, None),
            ("1,23,456", None, None),
            ("12 34", None, None),
            ("1,", None, None),
            (",5", None, None),
            ("", None, None),
            ("-", None, None),
            ("e5", None, None),
            ("1 234 x", None, None),
        ] {
            assert_eq!(read(text, DecimalMark::Point).as_deref(), point, "{text} with a point");
            assert_eq!(read(text, DecimalMark::Comma).as_deref(), comma, "{text} with a comma");
        }
    }

    proptest! {
        #[test]
        fn a_number_is_read_however_it_is_written(
            value in any::<i64>(),
            fraction in "([0-9]{1,6})?",
            separator in prop_oneof![Just(""), Just(" "), Just("'"), Just("\u{a0}"), Just("other")],
            comma in any::<bool>(),
        ) {
            let (mark, decimal, other) =
                if comma { (DecimalMark::Comma, ",", ".") } else { (DecimalMark::Point, ".", ",") };
            let separator = if separator == "other" { other } else { separator };
            let digits = value.unsigned_abs().to_string();
            let mut whole = String::new();
            for (at, digit) in digits.chars().enumerate() {
                if at > 0 && (digits.len() - at) % 3 == 0 {
                    whole.push_str(separator);
                }
                whole.push(digit);
            }
            let sign = if value < 0 { "-" } else { "" };
            let tail = |mark: &str| if fraction.is_empty() { String::new() } else { format!("{mark}{fraction}") };
            let written = format!("{sign}{whole}{}", tail(decimal));
            prop_assert_eq!(read(&written, mark), Some(format!("{sign}{digits}{}", tail("."))));
        }

        #[test]
        fn what_is_given_on_is_read_as_it_is(text in "[-+]?[0-9., 'eE]{0,12}", comma in any::<bool>()) {
            let mark = if comma { DecimalMark::Comma } else { DecimalMark::Point };
            if let Some(read_once) = read(&text, mark) {
                prop_assert_eq!(read(&read_once, DecimalMark::Point), Some(read_once));
            }
        }
    }
}
