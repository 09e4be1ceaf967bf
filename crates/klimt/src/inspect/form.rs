//! Forms of texts that name a person: mail addresses, phone numbers, account numbers, addresses of devices, free text.

use super::check_digits::is_iban;
use klimt_core::table::{TypeSpec, ValueType};
use std::net::IpAddr;

/// A form, by what its values are called, which values have it, and how many different ones are needed.
type Form = (&'static str, fn(&str) -> bool, usize);

/// Forms that at least 8 of 10 different values must have.
const FORMS: &[Form] = &[
    ("mail addresses", is_mail, 3),
    ("UUIDs", is_uuid, 3),
    ("account numbers (IBAN)", is_iban, 3),
    ("addresses on the internet", is_url, 3),
    ("IP addresses", is_ip, 3),
    ("hardware addresses", is_hardware_address, 3),
    ("social security numbers (3-2-4 digits)", is_ssn, 5),
    ("phone numbers", is_phone, 5),
];

/// What the values are, where nearly all of them have one form.
pub(super) fn of_values(values: &[String]) -> Option<&'static str> {
    let has = |(_, is, needed): &&Form| {
        values.len() >= *needed
            && values.iter().filter(|value| is(value.trim())).count() * 10 >= values.len() * 8
    };
    FORMS.iter().find(has).map(|(name, ..)| *name)
}

/// What stands within the values, where at least one in twenty holds it.
pub(super) fn within_values(values: &[String]) -> Option<&'static str> {
    let holds = |value: &&String| {
        value.split([' ', '<', '>', ';', ',', '(', ')']).any(|word| is_mail(word.trim_end_matches('.')))
    };
    let holding = values.iter().filter(holds).count();
    (holding >= 3 && holding * 20 >= values.len()).then_some("mail addresses")
}

/// Whether the values are free text: long, and of several words.
pub(super) fn is_free_text(values: &[String]) -> bool {
    const LONG: usize = 40;
    const WORDS: usize = 5;
    let mean = |count: fn(&str) -> usize| {
        values.iter().map(|value| count(value)).sum::<usize>() / values.len().max(1)
    };
    values.len() >= 5
        && mean(|text| text.chars().count()) >= LONG
        && mean(|text| text.split_whitespace().count()) >= WORDS
}

/// Whether at least 19 of 20 values look like names of people: two to four words, each with one capital in front.
pub(super) fn are_names(values: &[String]) -> bool {
    const NEEDED: usize = 20;
    values.len() >= NEEDED && values.iter().filter(|value| is_name(value)).count() * 20 >= values.len() * 19
}

/// Whether nearly all values are dates or times.
pub(super) fn are_dates(values: &[String]) -> bool {
    let patterns =
        ["date:%d.%m.%Y", "date:%d/%m/%Y", "date:%m/%d/%Y", "date:%d-%m-%Y", "date:%Y%m%d", "date:%Y/%m/%d"];
    let written = patterns.iter().filter_map(|pattern| pattern.parse::<TypeSpec>().ok());
    let plain = [ValueType::Date, ValueType::Timestamp].into_iter().map(TypeSpec::from);
    let years = |text: &str| text.len() != 8 || matches!(text.get(..2), Some("19" | "20"));
    plain.chain(written).any(|spec| {
        // Only the day matters of a date with a time behind it.
        let day = |text: &'_ str| match spec.pattern {
            Some(_) => text.split([' ', 'T']).next().unwrap_or_default().to_string(),
            None => text.to_string(),
        };
        let fits = |value: &&String| {
            let text = day(value.trim());
            years(&text) && spec.position(&text).is_some()
        };
        !values.is_empty() && values.iter().filter(fits).count() * 20 >= values.len() * 19
    })
}

fn is_mail(text: &str) -> bool {
    let Some((before, domain)) = text.split_once('@') else { return false };
    let plain = |text: &str| !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c == '@');
    plain(before) && plain(domain) && domain.trim_matches('.').contains('.')
}

fn is_uuid(text: &str) -> bool {
    let text = text.trim_matches(['{', '}']);
    let parts: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    lengths == [8, 4, 4, 4, 12] && parts.iter().all(|part| part.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn is_url(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["http://", "https://", "ftp://", "www."].iter().any(|start| lower.starts_with(start))
}

fn is_ip(text: &str) -> bool {
    text.parse::<IpAddr>().is_ok()
}

fn is_hardware_address(text: &str) -> bool {
    let parts: Vec<&str> = text.split([':', '-']).collect();
    parts.len() == 6
        && parts.iter().all(|part| part.len() == 2 && part.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Groups of digits of these lengths, with what stands between them.
fn groups(text: &str) -> Vec<usize> {
    text.split(|c: char| !c.is_ascii_digit()).map(str::len).filter(|length| *length > 0).collect()
}

fn is_ssn(text: &str) -> bool {
    text.len() == 11 && groups(text) == [3, 2, 4] && text.bytes().all(|b| b.is_ascii_digit() || b == b'-')
}

/// A phone number: 7 to 15 digits after `+`; or 8 to 14 from a zero on, in groups or at least 9; or in groups of 3, 3 and 4.
/// Dates, decimals and postcodes with more digits behind are none.
fn is_phone(text: &str) -> bool {
    let may_stand = |c: char| c.is_ascii_digit() || matches!(c, '+' | '(' | ')' | '-' | '/' | ' ' | '.');
    if !text.chars().all(may_stand) || text.chars().skip(1).any(|c| c == '+') {
        return false;
    }
    let groups = groups(text);
    let digits: usize = groups.iter().sum();
    let first = text.trim_start_matches('(').chars().next();
    let like_date = groups.len() == 3 && groups.iter().all(|&length| length <= 4) && digits <= 8;
    let decimal = groups.len() == 2 && text.contains('.') && !text.contains(['-', '/', '(', ' ']);
    match first {
        Some('+') => (7..=15).contains(&digits) && !decimal,
        Some('0') if !like_date && !decimal && groups != [5, 4] => {
            (8..=14).contains(&digits) && (groups.len() > 1 || digits >= 9)
        }
        _ => matches!(groups[..], [3, 3, 4] | [1, 3, 3, 4]) && !text.contains('+'),
    }
}

fn is_name(text: &str) -> bool {
    let words: Vec<&str> = text.split([' ', ',', '-', '\'']).filter(|word| !word.is_empty()).collect();
    let is_capitalised = |word: &&str| {
        let word = word.trim_end_matches('.');
        let mut letters = word.chars();
        letters.next().is_some_and(char::is_uppercase) && letters.all(char::is_lowercase)
    };
    (2..=4).contains(&words.len()) && words.iter().all(is_capitalised)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(values: &[&str]) -> Option<&'static str> {
        of_values(&values.iter().map(|value| value.to_string()).collect::<Vec<_>>())
    }

    #[test]
    fn forms_of_identifiers_are_known() {
        assert_eq!(found(&["a@b.org", "x.y@mail.example.com", "Jo+1@c.de"]), Some("mail addresses"));
        let uuid = |last: u8| format!("123e4567-e89b-12d3-a456-4266141740{last:02x}");
        assert_eq!(found(&[&uuid(1), &uuid(2), &uuid(3)]), Some("UUIDs"));
        assert_eq!(
            found(&["DE89370400440532013000", "GB29NWBK60161331926819", "FR1420041010050500013M02606"]),
            Some("account numbers (IBAN)")
        );
        assert_eq!(
            found(&["https://a.org", "http://b.org/x", "www.c.org"]),
            Some("addresses on the internet")
        );
        assert_eq!(found(&["10.0.0.1", "192.168.2.17", "2001:db8::1"]), Some("IP addresses"));
        assert_eq!(
            found(&["00:1b:44:11:3a:b7", "00:1b:44:11:3a:b8", "aa-bb-cc-dd-ee-ff"]),
            Some("hardware addresses")
        );
        assert_eq!(
            found(&["123-45-6789", "234-56-7890", "345-67-8901", "456-78-9012", "567-89-0123"]),
            Some("social security numbers (3-2-4 digits)")
        );
        for phones in [
            ["+1 212 555 0143", "+49 351 1234567", "+41443334455", "+33 1 23 45 67 89", "+39 06 1234567"],
            ["(212) 555-0143", "212-555-0144", "212.555.0145", "1-212-555-0146", "212 555 0147"],
            ["0351/1234567", "0176 12345678", "(0351) 123456", "030 123456-78", "01761234567"],
        ] {
            assert_eq!(found(&phones), Some("phone numbers"), "{phones:?}");
        }
    }

    #[test]
    fn other_forms_are_not() {
        for values in [
            ["2024-01-31", "2024-02-01", "2024-02-02", "1999-12-31", "1950-06-15"],
            ["31.01.2024", "01.02.2024", "02.02.2024", "03.02.1950", "04.02.1951"],
            ["01/02/24", "01/03/24", "02/03/24", "05/06/23", "07/08/23"],
            ["01067", "01069", "02110", "53703", "99999"],
            ["01067-1234", "02110-4321", "53703-1111", "60601-2222", "94105-3333"],
            ["I10", "I50.1", "E11.9", "J18.9", "O80"],
            ["0.25", "0.5", "0.1234567890", "0.125", "0.3333333333"],
            ["1234.50", "99.95", "120.00", "15.25", "1000000.00"],
            ["120/80", "130/85", "110/70", "145/95", "125/82"],
            ["8:30", "09:15", "10:45", "23:59", "00:01"],
            ["Ward 1", "Ward 2", "Surgery", "ICU", "Cardiology"],
            ["200000001", "200000002", "350000000", "410000000", "120000000"],
        ] {
            assert_eq!(found(&values), None, "{values:?}");
        }
        assert_eq!(found(&["a@b.org", "c@d.org"]), None, "two values");
    }

    #[test]
    fn free_text_names_and_dates_are_told_apart() {
        let many = |text: &str| -> Vec<String> {
            (0..30).map(|at| format!("{text} {}", "Abcdefg".get(..at % 6 + 2).unwrap())).collect()
        };
        assert!(is_free_text(&many("The patient was seen at home and complains of pain in the")));
        assert!(!is_free_text(&many("Internal Medicine")));
        assert!(are_names(&many("Anna")) && !are_names(&many("in the clinic")));
        let texts = |values: &[&str]| values.iter().map(|value| value.to_string()).collect::<Vec<_>>();
        assert!(are_dates(&texts(&["31.01.2024 10:15", "01.02.2024 23:00"])));
        assert!(
            are_dates(&texts(&["2024-01-31", "2024-02-01"])) && are_dates(&texts(&["20240131", "19500615"]))
        );
        assert!(!are_dates(&texts(&["12345678", "10000000"])) && !are_dates(&texts(&["I10", "I50.1"])));
        let notes = texts(&["write to a@b.org", "seen (c@d.de)", "nothing", "x@y.com."]);
        assert_eq!(within_values(&notes), Some("mail addresses"));
        assert_eq!(within_values(&texts(&["seen at home", "nothing", "5 @ night"])), None);
    }
}
