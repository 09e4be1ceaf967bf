//! Visits to an invented hospital, with everything that an extract should not hold.

use super::hospital_words::{Words, words};
use super::random::Draws;
use super::{BLOCK_ROWS, ColumnKind, GeneratedBlock, GeneratedColumn, Generator, Language, Parameters};
use klimt_core::error::Result;

/// The name of the generator.
pub(super) const NAME: &str = "hospital";

/// The parameters it takes besides rows and seed.
pub(super) const PARAMETERS: &[&str] = &["language"];

/// Visits of patients, 1.5 each on average, some of them many more.
///
/// | column | values |
/// |---|---|
/// | mrn | eight digits, one number per patient |
/// | visit_id | ten digits, one number per row |
/// | insurance_no | a letter, eight digits and a check digit (Luhn), one per patient |
/// | patient_name, phone, email | of the patient; some have no phone or no address |
/// | sex | spelled in several ways |
/// | birth_date, admission | a date, and a date with a time |
/// | postcode | five digits, some with zeros in front |
/// | ward, icd10, diagnosis | a few common values, and rare ones |
/// | length_of_stay | days |
/// | charges | with cents |
/// | note | a sentence with the name and mostly a phone number |
///
/// Missing values are empty, `NA`, `n/a`, `unknown` or `-`. A patient's visits lie within one block. In German, dates are
/// written 31.01.1950 and charges 1234,50. Nobody in it exists, no number was ever given to anybody: phone numbers and
/// domains of mail addresses are those that are reserved for examples where there are such.
#[derive(Clone, Debug)]
pub struct Hospital {
    rows: u64,
    seed: u64,
    language: Language,
}

/// How many columns there are.
const COLUMNS: usize = 16;

/// The texts of a row.
type Visit = [String; COLUMNS];

/// What all visits of a patient share.
struct Patient {
    mrn: String,
    insurance: String,
    name: String,
    phone: String,
    email: String,
    woman: bool,
    /// Days since the year 0.
    born: i64,
    postcode: String,
}

impl Hospital {
    /// Checks the parameters; takes the language.
    pub fn new(parameters: &Parameters) -> Result<Self> {
        parameters.check(NAME, PARAMETERS).finish()?;
        let language = parameters.language.unwrap_or(Language::English);
        Ok(Hospital { rows: parameters.rows, seed: parameters.seed, language })
    }

    fn words(&self) -> &'static Words {
        words(self.language)
    }

    fn patient(&self, draws: &mut Draws, number: u64) -> Patient {
        let words = self.words();
        let woman = draws.below(100) < 53;
        let given = pick(draws, words.given[usize::from(!woman)]);
        let surname = words.surnames[common(draws, words.surnames.len())];
        let phone = match draws.below(20) {
            0 | 1 => missing(draws),
            _ => self.phone(draws),
        };
        let email = match draws.below(10) {
            0..3 => missing(draws),
            _ => format!(
                "{}.{}{}@example.{}",
                plain(given),
                plain(surname),
                number % 10_000,
                ["org", "com", "net"][draws.below(3) as usize]
            ),
        };
        Patient {
            mrn: (10_000_000 + scrambled(number, 76_543_211, 90_000_000)).to_string(),
            insurance: insurance(draws, scrambled(number, 56_789_123, 100_000_000)),
            name: if draws.below(10) == 0 {
                format!("{surname}, {given}")
            } else {
                format!("{given} {surname}")
            },
            phone,
            email,
            woman,
            born: day(1925, 1, 1) + draws.between(0, 36_000).max(draws.between(0, 20_000)),
            postcode: postcode(draws),
        }
    }

    fn phone(&self, draws: &mut Draws) -> String {
        let (area, line) = (draws.between(201, 989), draws.between(0, 9_999));
        match (self.language, draws.below(3)) {
            (Language::English, 0) => format!("+1 {area} 555 {line:04}"),
            (Language::English, 1) => format!("({area}) 555-{line:04}"),
            (Language::English, _) => format!("{area}-555-{line:04}"),
            (Language::German, 0) => format!("+49 {area} 55{line:05}"),
            (Language::German, 1) => format!("0{area}/55{line:05}"),
            (Language::German, _) => format!("0{area} 55{line:05}"),
        }
    }

    fn visit(&self, draws: &mut Draws, patient: &Patient, number: u64) -> Visit {
        let words = self.words();
        let (icd, disease) = words.diagnoses[common(draws, words.diagnoses.len())];
        let ward = words.wards[common(draws, words.wards.len())];
        let ward = match draws.below(40) {
            0 => ward.to_lowercase(),
            1 => format!("{ward} "),
            _ => ward.to_string(),
        };
        let spellings = words.sexes[usize::from(!patient.woman)];
        let sex = spellings[draws.below(64).saturating_sub(60) as usize % spellings.len()];
        let admitted = day(2022, 1, 1) + draws.between(0, 1_094);
        let stay = 1 + draws.between(0, 30).min(draws.between(0, 30)).min(draws.between(0, 30));
        let cents = stay * draws.between(38_000, 91_000) + draws.between(0, 99);
        let or_missing =
            |draws: &mut Draws, text: String| if draws.below(50) == 0 { missing(draws) } else { text };
        let sentence = words.sentences[draws.below(words.sentences.len() as u32) as usize];
        let note =
            sentence.replace("{n}", &patient.name).replace("{p}", &self.phone(draws)).replace("{d}", disease);
        [
            patient.mrn.clone(),
            (1_000_000_000 + scrambled(number, 3_141_592_657, 9_000_000_000)).to_string(),
            patient.insurance.clone(),
            patient.name.clone(),
            patient.phone.clone(),
            patient.email.clone(),
            or_missing(draws, sex.to_string()),
            or_missing(draws, self.date(patient.born)),
            format!("{}{:02}:{:02}", self.date(admitted) + " ", draws.below(24), draws.below(60)),
            or_missing(draws, patient.postcode.clone()),
            ward,
            icd.to_string(),
            disease.to_string(),
            stay.to_string(),
            or_missing(draws, self.money(cents)),
            if draws.below(8) == 0 { String::new() } else { note },
        ]
    }

    fn date(&self, day: i64) -> String {
        let (year, month, day) = civil(day);
        match self.language {
            Language::English => format!("{year:04}-{month:02}-{day:02}"),
            Language::German => format!("{day:02}.{month:02}.{year:04}"),
        }
    }

    fn money(&self, cents: i64) -> String {
        let point = match self.language {
            Language::English => '.',
            Language::German => ',',
        };
        format!("{}{point}{:02}", cents / 100, cents % 100)
    }
}

impl Generator for Hospital {
    fn columns(&self) -> Vec<GeneratedColumn> {
        let stay = COLUMNS - 3;
        let kind = |at: usize| if at == stay { ColumnKind::Integer } else { ColumnKind::Text };
        let column = |(at, name): (usize, &&str)| GeneratedColumn { name: name.to_string(), kind: kind(at) };
        self.words().columns.iter().enumerate().map(column).collect()
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn block(&self, index: u64, out: &mut GeneratedBlock) {
        let mut draws = Draws::of_block(NAME, self.seed, index);
        out.reset(&self.columns());
        let rows = self.rows_in_block(index);
        if rows == 0 {
            return;
        }
        let first = index * BLOCK_ROWS as u64;
        // The whole block is made, so that a shorter table is the start of a longer one.
        let mut visits: Vec<Visit> = Vec::with_capacity(BLOCK_ROWS);
        while visits.len() < BLOCK_ROWS {
            let patient = self.patient(&mut draws, first + visits.len() as u64);
            for _ in 0..visits_of_one(&mut draws).min(BLOCK_ROWS - visits.len()) {
                visits.push(self.visit(&mut draws, &patient, first + visits.len() as u64));
            }
        }
        for last in (1..visits.len()).rev() {
            visits.swap(last, draws.below(last as u32 + 1) as usize);
        }
        for visit in visits.into_iter().take(rows) {
            for (column, text) in out.columns.iter_mut().zip(visit) {
                match column.kind {
                    ColumnKind::Integer => column.values.push(text.parse().unwrap_or_default()),
                    _ => column.push_text(text),
                }
            }
        }
    }
}

/// How many visits a patient has: mostly one, 1.5 on average, at most 40.
fn visits_of_one(draws: &mut Draws) -> usize {
    let mut visits = 1;
    while visits < 40 && draws.below(100) < if visits == 1 { 25 } else { 50 } {
        visits += 1;
    }
    visits
}

/// A number that differs for every `number` below `span`, and shows none of their order. The factor shares no divisor with
/// the span.
fn scrambled(number: u64, factor: u64, span: u64) -> u64 {
    ((u128::from(number) * u128::from(factor) + 12_345) % u128::from(span)) as u64
}

/// A letter, eight digits, and the check digit of Luhn over them, where the letter counts as its place in the alphabet in
/// two digits.
fn insurance(draws: &mut Draws, number: u64) -> String {
    let letter = draws.below(26);
    let digits = format!("{:02}{number:08}", letter + 1);
    let doubled = |(at, digit): (usize, u8)| {
        let digit = u32::from(digit - b'0') << (at % 2);
        digit / 10 + digit % 10
    };
    let sum: u32 = digits.bytes().enumerate().map(doubled).sum();
    format!("{}{number:08}{}", char::from(b'A' + letter as u8), (10 - sum % 10) % 10)
}

/// A postcode of one of 400 places, of which the first have most people; a seventh of them begin with a zero.
fn postcode(draws: &mut Draws) -> String {
    let place = common(draws, 400) as u64;
    format!("{:05}", 1_067 + scrambled(place, 17, 70) * 1_400 + place / 70 * 7)
}

/// One of so many things, of which the first are common and the last are rare.
fn common(draws: &mut Draws, things: usize) -> usize {
    let mut drawn = || draws.below(things as u32);
    drawn().min(drawn()).min(drawn()) as usize
}

fn pick<'t>(draws: &mut Draws, texts: &[&'t str]) -> &'t str {
    texts[draws.below(texts.len() as u32) as usize]
}

/// One of the ways to write that there is no value.
fn missing(draws: &mut Draws) -> String {
    pick(draws, &["", "", "NA", "n/a", "unknown", "-"]).to_string()
}

/// A name in the letters of a mail address.
fn plain(name: &str) -> String {
    let letter = |letter: char| match letter {
        'ä' => "ae".to_string(),
        'ö' => "oe".to_string(),
        'ü' => "ue".to_string(),
        'ß' => "ss".to_string(),
        other => other.to_string(),
    };
    name.to_lowercase().chars().map(letter).collect()
}

/// The days from the first day of the year 0 to a date of the Gregorian calendar.
fn day(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 + 60
}

/// The year, month and day of such a number of days.
fn civil(days: i64) -> (i64, i64, i64) {
    let mut year = days / 366;
    while day(year + 1, 1, 1) <= days {
        year += 1;
    }
    let mut month = 1;
    while month < 12 && day(year, month + 1, 1) <= days {
        month += 1;
    }
    (year, month, days - day(year, month, 1) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::GeneratedValues;
    use std::collections::{BTreeMap, BTreeSet};

    fn table(language: Language, rows: u64) -> Vec<Vec<String>> {
        let hospital = Hospital { rows, seed: 1, language };
        let mut table = Vec::new();
        for index in 0..hospital.blocks() {
            let mut block = GeneratedBlock::default();
            hospital.block(index, &mut block);
            let text = |column: &GeneratedValues, row: usize| match column.kind {
                ColumnKind::Text => column.texts[row].clone(),
                _ => column.values[row].to_string(),
            };
            table.extend((0..block.rows()).map(|row| block.columns.iter().map(|c| text(c, row)).collect()));
        }
        table
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        for date in [(1900, 2, 28), (1900, 3, 1), (2000, 2, 29), (2024, 12, 31), (2025, 1, 1), (1925, 6, 15)]
        {
            assert_eq!(civil(day(date.0, date.1, date.2)), date);
        }
        assert_eq!(day(2000, 3, 1) - day(2000, 2, 28), 2);
        assert_eq!(day(1900, 3, 1) - day(1900, 2, 28), 1);
        assert_eq!(day(2025, 1, 1) - day(2024, 1, 1), 366);
    }

    #[test]
    fn patients_come_again_and_keep_their_numbers() {
        for language in [Language::English, Language::German] {
            let table = table(language, 20_000);
            let mut patients: BTreeMap<&str, Vec<&Vec<String>>> = BTreeMap::new();
            table.iter().for_each(|row| patients.entry(&row[0]).or_default().push(row));
            let mean = table.len() as f64 / patients.len() as f64;
            assert!((1.4..1.6).contains(&mean), "{mean}");
            assert!(patients.values().any(|visits| visits.len() > 7));
            for visits in patients.values() {
                let first = visits[0];
                assert!(visits.iter().all(|visit| visit[0] == first[0] && visit[2..6] == first[2..6]));
            }
            let distinct =
                |column: usize| table.iter().map(|row| &row[column]).collect::<BTreeSet<_>>().len();
            assert_eq!(distinct(1), table.len(), "a number per visit");
            assert_eq!(distinct(2), patients.len(), "an insurance number per patient");
            assert!(table.iter().all(|row| row[0].len() == 8 && row[1].len() == 10 && row[2].len() == 10));
        }
    }

    #[test]
    fn columns_have_what_makes_real_extracts_hard() {
        let table = table(Language::English, 20_000);
        let has = |column: usize, text: &str| table.iter().any(|row| row[column] == text);
        for missing in ["", "NA", "n/a", "unknown", "-"] {
            assert!(has(4, missing) && has(6, missing) && has(7, missing) && has(14, missing), "{missing}");
        }
        assert!(has(6, "F") && has(6, "f") && has(6, "female") && has(6, "F ") && has(10, "cardiology"));
        assert!(table.iter().any(|row| row[9].len() == 5 && row[9].starts_with('0')));
        let of = |icd: &str| table.iter().filter(|row| row[11] == icd).count();
        assert!(of("I10") > 1_000 && (1..60).contains(&of("G10")), "{} {}", of("I10"), of("G10"));
        let named = table.iter().filter(|row| row[15].contains(&row[3])).count();
        assert!(named > 15_000, "{named} notes hold the name");
    }

    #[test]
    fn check_digits_are_right() {
        let mut draws = Draws::of_block(NAME, 1, 0);
        for number in 0..200 {
            let text = insurance(&mut draws, scrambled(number, 56_789_123, 100_000_000));
            let digits = format!("{:02}{}", text.as_bytes()[0] - b'A' + 1, &text[1..]);
            let sum: u32 = digits
                .bytes()
                .rev()
                .enumerate()
                .map(|(at, digit)| (u32::from(digit - b'0'), at % 2 == 1))
                .map(|(digit, double)| if double { digit * 2 / 10 + digit * 2 % 10 } else { digit })
                .sum();
            assert_eq!(sum % 10, 0, "{text}");
        }
    }
}
