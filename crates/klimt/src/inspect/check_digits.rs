//! Check digits of numbers that are given to people: codes that pass one were not counted or measured.

/// A scheme of check digits.
type Scheme = (&'static str, fn(&str) -> bool);

/// The schemes, the most common first.
const SCHEMES: &[Scheme] = &[
    ("mod 97 of IBAN", is_iban),
    ("Luhn", |code| luhn(code, 1)),
    ("Luhn", |code| luhn(code, 10)),
    ("mod 10 of German insurance numbers", rest_by_ten),
    ("mod 11", |code| weighted_by_place(code, 1)),
    ("mod 11", |code| weighted_by_place(code, -1)),
    ("mod 11", weighted_by_seven),
    ("mod 97", mod_97),
    ("a letter mod 23", mod_23),
];

/// How many different codes are needed: fewer could pass by chance, as one in ten does.
const NEEDED: usize = 15;

/// The lengths of codes that are looked at.
const LENGTHS: std::ops::RangeInclusive<usize> = 8..=34;

/// The scheme that at least 19 in 20 codes pass, where all are of one form.
pub(super) fn scheme(codes: &[String]) -> Option<&'static str> {
    let plain: Vec<String> = codes.iter().map(|code| plain(code)).collect();
    let alike = plain.iter().all(|code| LENGTHS.contains(&code.len()) && code.is_ascii());
    if plain.len() < NEEDED || !alike {
        return None;
    }
    let digits = |code: &String| code.bytes().filter(u8::is_ascii_digit).count() * 2 >= code.len();
    if !plain.iter().all(digits) {
        return None;
    }
    let one_form = plain.iter().all(|code| form(code) == form(&plain[0]));
    let passed =
        |check: fn(&str) -> bool| plain.iter().filter(|code| check(code)).count() * 20 >= plain.len() * 19;
    let fits = |(at, (_, check)): &(usize, &Scheme)| (*at == 0 || one_form) && passed(*check);
    SCHEMES.iter().enumerate().find(fits).map(|(_, (name, _))| *name)
}

/// A code without what groups its characters.
fn plain(code: &str) -> String {
    code.chars()
        .filter(|letter| !matches!(letter, ' ' | '-' | '.' | '/'))
        .collect::<String>()
        .to_ascii_uppercase()
}

/// The code with `A` for every letter and `9` for every digit.
pub(super) fn form(code: &str) -> String {
    let place = |letter: char| match letter {
        letter if letter.is_alphabetic() => 'A',
        letter if letter.is_ascii_digit() => '9',
        other => other,
    };
    code.chars().map(place).collect()
}

/// The digits of a code of digits.
fn digits(code: &str) -> Option<Vec<u32>> {
    code.chars().map(|digit| digit.to_digit(10)).collect()
}

/// The digits of a code with numbers for its letters: 01 to 26 where `base` is 1, 10 to 35 where it is 10.
fn lettered(code: &str, base: u32) -> Option<Vec<u32>> {
    let written = |byte: u8| match byte {
        b'0'..=b'9' => Some(char::from(byte).to_string()),
        b'A'..=b'Z' => Some(format!("{:02}", u32::from(byte - b'A') + base)),
        _ => None,
    };
    digits(&code.bytes().map(written).collect::<Option<String>>()?)
}

/// The sum of the digits, every second of which is doubled, the last but one among them; the last is not counted.
fn doubled(digits: &[u32]) -> u32 {
    let value = |(at, &digit): (usize, &u32)| match at % 2 {
        0 => digit,
        _ => digit * 2 / 10 + digit * 2 % 10,
    };
    digits.iter().rev().enumerate().skip(1).map(value).sum()
}

/// That sum and the last digit are a multiple of ten.
fn luhn(code: &str, base: u32) -> bool {
    let digits = lettered(code, base).filter(|digits| digits.iter().any(|digit| *digit > 0));
    digits.is_some_and(|digits| (doubled(&digits) + digits[digits.len() - 1]).is_multiple_of(10))
}

/// The last digit is the rest of that sum by ten; letters are 01 to 26.
fn rest_by_ten(code: &str) -> bool {
    let digits = lettered(code, 1).filter(|digits| digits.iter().any(|digit| *digit > 0));
    digits.is_some_and(|digits| doubled(&digits) % 10 == digits[digits.len() - 1])
}

/// Digits weighted by their place from the right, and the check digit by 1 or -1, sum up to a multiple of 11: the number of
/// the NHS, and the Dutch BSN.
fn weighted_by_place(code: &str, last: i64) -> bool {
    let Some(digits) = digits(code).filter(|digits| (8..=13).contains(&digits.len())) else { return false };
    let weight = |at: usize| if at == 0 { last } else { at as i64 + 1 };
    let sum: i64 = digits.iter().rev().enumerate().map(|(at, &digit)| weight(at) * i64::from(digit)).sum();
    digits.iter().any(|digit| *digit > 0) && sum % 11 == 0
}

/// The same with weights 2 to 7 over and over.
fn weighted_by_seven(code: &str) -> bool {
    let Some(digits) = digits(code).filter(|digits| digits.len() <= 16) else { return false };
    let weight = |at: usize| if at == 0 { 1 } else { (at as u32 - 1) % 6 + 2 };
    let sum: u32 = digits.iter().rev().enumerate().map(|(at, &digit)| weight(at) * digit).sum();
    digits.iter().any(|digit| *digit > 0) && sum.is_multiple_of(11)
}

/// The last two digits are 97 less the rest of the others: the French NIR.
fn mod_97(code: &str) -> bool {
    let Some((number, key)) = code.len().checked_sub(2).map(|at| code.split_at(at)) else { return false };
    match (number.parse::<u64>(), key.parse::<u64>()) {
        (Ok(number), Ok(key)) if code.len() == 15 => 97 - number % 97 == key,
        _ => false,
    }
}

/// Eight digits and a letter that stands for their rest by 23: the Spanish DNI, and NIE with X, Y or Z in front.
fn mod_23(code: &str) -> bool {
    let code = match code.as_bytes() {
        [first @ b'X'..=b'Z', rest @ ..] => format!("{}{}", first - b'X', String::from_utf8_lossy(rest)),
        _ => code.to_string(),
    };
    let Some((number, letter)) = code.len().checked_sub(1).map(|at| code.split_at(at)) else { return false };
    let number = number.parse::<usize>().ok().filter(|_| code.len() == 9);
    number.is_some_and(|number| b"TRWAGMYFPDXBNJZSQVHLCKE"[number % 23] == letter.as_bytes()[0])
}

/// Whether a text is an international bank account number: a country, two check digits, up to 30 characters.
pub(super) fn is_iban(code: &str) -> bool {
    let code = plain(code);
    let bytes = code.as_bytes();
    let shaped = (15..=34).contains(&bytes.len())
        && bytes[..2].iter().all(u8::is_ascii_uppercase)
        && bytes[2..4].iter().all(u8::is_ascii_digit)
        && bytes.iter().all(u8::is_ascii_alphanumeric);
    shaped
        && lettered(&format!("{}{}", &code[4..], &code[..4]), 10)
            .is_some_and(|digits| digits.iter().fold(0, |rest, digit| (rest * 10 + digit) % 97) == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_numbers_pass_their_scheme() {
        for iban in ["DE89370400440532013000", "GB29 NWBK 6016 1331 9268 19", "FR1420041010050500013M02606"] {
            assert!(is_iban(iban), "{iban}");
        }
        assert!(!is_iban("DE89370400440532013001") && !is_iban("DE893704"));
        // A card number, a German insurance number (A123456780), an NHS number, a BSN, a NIR, a DNI and a NIE.
        assert!(luhn("4111111111111111", 1) && !luhn("4111111111111112", 1));
        assert!(rest_by_ten("A123456780") && !rest_by_ten("A123456781"));
        assert!(weighted_by_place("9434765919", 1) && !weighted_by_place("9434765918", 1));
        assert!(weighted_by_place("111222333", -1) && !weighted_by_place("111222334", -1));
        assert!(mod_97("255081416802538") && !mod_97("255081416802539"));
        assert!(mod_23("12345678Z") && mod_23("X1234567L") && !mod_23("12345678A"));
    }

    /// Codes of a length, every tenth of which has the check digit that makes it pass.
    fn codes(pass: bool) -> Vec<String> {
        let with = |number: u64| (0..10).map(move |digit| format!("{number}{digit}"));
        let passes = |code: &String| luhn(code, 1);
        (0..40u64)
            .map(|at| 1_234_567 + at * 86_413)
            .filter_map(|number| match pass {
                true => with(number).find(passes),
                false => with(number).nth((number % 10) as usize),
            })
            .collect()
    }

    #[test]
    fn columns_of_codes_pass_where_their_digits_check() {
        assert_eq!(scheme(&codes(true)), Some("Luhn"));
        assert_eq!(scheme(&codes(false)), None);
        assert_eq!(scheme(&codes(true)[..10]), None, "too few");
        let grouped: Vec<String> =
            codes(true).iter().map(|code| format!("{}-{}", &code[..4], &code[4..])).collect();
        assert_eq!(scheme(&grouped), Some("Luhn"));
        let mut two_forms = codes(true);
        two_forms.push("A1234567897".to_string());
        assert_eq!(scheme(&two_forms), None);
        let dates: Vec<String> = (1..29).map(|day| format!("2024-01-{day:02}")).collect();
        assert_eq!(scheme(&dates), None);
    }
}
