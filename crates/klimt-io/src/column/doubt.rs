//! Columns whose values make no sense together: numbers or dates among which stand a few texts.

use super::assemble::{NAMED_ROWS, RowLines, UnfitLocations};
use crate::form::{DateOrder, DecimalMark, ValueForm};
use crate::source::ReadReport;
use klimt_core::Error;
use klimt_core::table::{Codes, ColumnSpec, Domain, Guard, Shape, TypeSpec, UnfitReason, ValueType};

/// Texts that stand for a missing value, or for no number, wherever they are met. They say nothing of a person, so that
/// messages may name them; in capitals or not.
const MARKERS: &[&str] = &[
    "na",
    "n/a",
    "n.a.",
    "n.a",
    "#n/a",
    "<na>",
    "nan",
    "nat",
    "null",
    "(null)",
    "#null!",
    "nil",
    "none",
    "nd",
    "n.d.",
    "missing",
    "unknown",
    "unk",
    "undefined",
    "not available",
    "not applicable",
    "-",
    "--",
    "---",
    ".",
    "..",
    "...",
    "?",
    "??",
    "*",
    "\\n",
    "#value!",
    "#div/0!",
    "#num!",
    "#ref!",
    "inf",
    "+inf",
    "-inf",
    "infinity",
    "+infinity",
    "-infinity",
];

/// The longest of them has this many bytes.
const LONGEST_MARKER: usize = 16;

/// The text, where it is known to stand for a missing value or for no number.
pub fn marker(text: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(text).ok().filter(|text| text.trim().len() <= LONGEST_MARKER)?;
    MARKERS.iter().any(|marker| text.trim().eq_ignore_ascii_case(marker)).then_some(text)
}

/// Fewer stray rows than this are few in every table.
const FEW_ROWS: u64 = 3;
/// Otherwise a few are at most 1/n of them, for this n.
const FEW_SHARE: u64 = 10;

/// Whether values that are not of the type of all others are so few that the column should have that type: where all of
/// them are known markers, where they stand on at most 3 rows or a tenth of the rows and on less than half of them, or
/// where they are at most a tenth of the different values.
fn are_few(counts: &StrayCounts) -> bool {
    let StrayCounts { fitting, strays, stray_rows, rows } = *counts;
    fitting >= 2
        && (strays == 0
            || (stray_rows <= FEW_ROWS.max(rows / FEW_SHARE) && stray_rows * 2 < rows)
            || strays * FEW_SHARE <= fitting)
}

/// How the values of a column fit the type of most of them. Markers are not counted.
struct StrayCounts {
    /// The different values that fit.
    fitting: u64,
    /// The different values that do not.
    strays: u64,
    /// The rows of the latter.
    stray_rows: u64,
    /// The rows of both.
    rows: u64,
}

/// A few values of a column that are not of the type of all others.
#[derive(Clone, Debug)]
pub struct Doubt(UnfitLocations);

/// A doubt about a column that was read all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The column.
    pub column: String,
    /// The problem and its remedy.
    pub error: Error,
}

impl Doubt {
    /// Fails with the doubt, or notes it in the report, as the guard of the column says.
    pub fn settle(
        &self,
        spec: &ColumnSpec,
        path: &str,
        lines: &RowLines,
        problems: &mut Vec<Error>,
        report: &mut ReadReport,
    ) {
        let error = self.0.error(path, &spec.name, lines);
        match spec.guard {
            Guard::Off => {}
            Guard::Refuse => problems.push(error),
            Guard::Note => report.notes.push(Note { column: spec.name.clone(), error }),
        }
    }
}

/// Counts over the rows of a column that show whether its values make sense.
#[derive(Default)]
pub(crate) struct Suspicion {
    /// Whether the code of a value is of another type than most.
    strays: Vec<bool>,
    stray_type: Option<ValueType>,
    markers: Vec<bool>,
    missing: Option<u32>,
    rows: u64,
    missing_rows: u64,
    stray_rows: u64,
    marker_rows: u64,
    first_rows: Vec<usize>,
}

impl Suspicion {
    /// Of a column with a guard that became a set of texts, where these may be strays.
    pub fn of(spec: &ColumnSpec, domain: &Domain) -> Option<Self> {
        let guarded = spec.guard != Guard::Off && domain.value_type() == ValueType::Text;
        if !guarded || spec.type_spec.is_some() || !matches!(domain.shape(), Shape::Set) {
            return None;
        }
        let (value_type, strays) = best_type(domain)?;
        let is_marker = |code: usize| strays[code] && marker(domain.text(code as u32).as_bytes()).is_some();
        let markers = (0..strays.len()).map(is_marker).collect();
        let (missing, stray_type) = (domain.missing_code(), Some(value_type));
        Some(Suspicion { strays, stray_type, markers, missing, ..Suspicion::default() })
    }

    /// Of a column of numbers, days or instants that must not hold a few texts. Rows are [`Suspicion::FITS`] and so on.
    pub fn of_type(value_type: ValueType) -> Self {
        Suspicion {
            strays: vec![false, true, true],
            stray_type: Some(value_type),
            markers: vec![false, false, true],
            missing: Some(Self::MISSING),
            ..Suspicion::default()
        }
    }

    /// A row of a value that fits.
    pub const FITS: u32 = 0;
    /// A row of a value that does not.
    pub const STRAY: u32 = 1;
    /// A row of a value that does not, and is known to stand for a missing one.
    pub const MARKER: u32 = 2;
    /// A row without a value.
    pub const MISSING: u32 = 3;

    /// Looks at the code of the next row.
    pub fn add(&mut self, code: u32) {
        if Some(code) == self.missing {
            self.missing_rows += 1;
        } else if self.strays.get(code as usize) == Some(&true) {
            self.stray_rows += 1;
            self.marker_rows += u64::from(self.markers[code as usize]);
            if self.first_rows.len() < NAMED_ROWS {
                self.first_rows.push(self.rows as usize);
            }
        }
        self.rows += 1;
    }

    /// The doubt about the column, when all rows have been counted.
    pub fn finish(self, domain: &Domain) -> Option<Doubt> {
        let strays = self.strays.iter().filter(|stray| **stray).count();
        let marker = |code: usize| self.markers[code].then(|| domain.text(code as u32));
        let markers = (0..self.markers.len()).filter_map(marker).collect();
        let fitting = domain.value_count() - strays;
        self.strays_among(fitting as u64, strays, markers).map(Doubt)
    }

    /// The strays among this many different values that fit, where they are few.
    pub fn strays_among(self, fitting: u64, strays: usize, markers: Vec<String>) -> Option<UnfitLocations> {
        let value_type = self.stray_type?;
        let counts = StrayCounts {
            fitting,
            strays: strays.saturating_sub(markers.len()) as u64,
            stray_rows: self.stray_rows - self.marker_rows,
            rows: self.rows - self.missing_rows - self.marker_rows,
        };
        are_few(&counts).then_some(UnfitLocations {
            reason: UnfitReason::Stray(value_type),
            values: strays,
            rows: self.stray_rows as usize,
            first_rows: self.first_rows,
            markers,
        })
    }
}

/// The type with an order that most values of a domain have, however they are written, and which do not; `None` where no
/// value has one, or all have.
fn best_type(domain: &Domain) -> Option<(ValueType, Vec<bool>)> {
    let mut text = Vec::new();
    let mut unfit = |fits: &dyn Fn(&[u8]) -> bool| -> Vec<bool> {
        let mut is_unfit = |code: u32| {
            text.clear();
            domain.write_text(code, &mut text);
            !fits(&text)
        };
        (0..domain.value_count() as u32).map(&mut is_unfit).collect()
    };
    let types = [ValueType::Decimal, ValueType::Date, ValueType::Timestamp].map(|value_type| {
        let spec = TypeSpec::from(value_type);
        let fits = |text: &[u8]| std::str::from_utf8(text).is_ok_and(|text| spec.position(text).is_some());
        (value_type, unfit(&fits))
    });
    let numbers = [DecimalMark::Comma, DecimalMark::Point].map(|mark| {
        (ValueType::Decimal, unfit(&|text| ValueForm::Number(mark).rewrite(text, false, &mut Vec::new())))
    });
    let dates = DateOrder::ALL.map(|order| {
        (ValueType::Date, unfit(&|text| ValueForm::Date(order).rewrite(text, false, &mut Vec::new())))
    });
    let strays = |unfit: &[bool]| unfit.iter().filter(|unfit| **unfit).count();
    let all = types.into_iter().chain(numbers).chain(dates);
    let (value_type, found) = all.min_by_key(|(_, unfit)| strays(unfit))?;
    (strays(&found) > 0 && strays(&found) < found.len()).then_some((value_type, found))
}

/// Doubts a column of which all codes are at hand.
pub(crate) fn doubt(spec: &ColumnSpec, domain: &Domain, codes: &Codes) -> Option<Doubt> {
    let mut suspicion = Suspicion::of(spec, domain)?;
    (0..codes.len()).for_each(|row| suspicion.add(codes.get(row)));
    suspicion.finish(domain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use klimt_core::table::{Distinct, Encoding, Role};

    fn doubted(texts: &[&str], spec: &ColumnSpec) -> Option<Doubt> {
        let mut different: Vec<&str> = texts.iter().copied().filter(|text| !text.is_empty()).collect();
        different.sort_unstable();
        different.dedup();
        let distinct = Distinct::Texts(different.iter().copied().collect());
        let encoding = Encoding::of(spec, distinct, texts.contains(&"")).unwrap();
        let code = |text: &&str| match different.binary_search(text) {
            Ok(number) => encoding.codes[number],
            Err(_) => encoding.domain.value_count() as u32,
        };
        let codes = Codes::U32(texts.iter().map(code).collect());
        doubt(spec, &encoding.domain, &codes)
    }

    fn guarded() -> ColumnSpec {
        ColumnSpec { guard: Guard::Refuse, ..ColumnSpec::new("x", Role::QuasiIdentifier) }
    }

    fn strays(texts: &[&str]) -> Option<(usize, usize, Vec<usize>)> {
        let Doubt(located) = doubted(texts, &guarded())?;
        Some((located.values, located.rows, located.first_rows))
    }

    #[test]
    fn a_few_texts_among_numbers_or_dates_are_strays() {
        assert_eq!(strays(&["1", "2", "n/a", "3.5", "1"]), Some((1, 1, vec![2])));
        assert_eq!(strays(&["2024-01-31", "x", "2024-02-01"]), Some((1, 1, vec![1])));
        // Markers are strays however many rows have them, others only where they are few.
        assert_eq!(strays(&["NA", "NA", "NA", "NA", "NA", "1", "2"]), Some((1, 5, vec![0, 1, 2, 3, 4])));
        assert_eq!(strays(&["x", "y", "x", "y", "1", "2", "1"]), None);
        let mut ages: Vec<String> = (0..20).map(|age| age.to_string()).collect();
        ages.extend(std::iter::repeat_n("secret".to_string(), 30));
        let ages: Vec<&str> = ages.iter().map(String::as_str).collect();
        assert_eq!(strays(&ages).map(|found| (found.0, found.1)), Some((1, 30)));
        for not in [&["a", "b", "n/a"][..], &["1", "2"], &["true", "false", "?"], &["1", "n/a"], &["", "x"]] {
            assert_eq!(strays(not), None, "{not:?}");
        }
    }

    #[test]
    fn messages_name_markers_and_no_other_values() {
        let Some(doubt) = doubted(&["1", "N/A", "3", "4", "Zoe"], &guarded()) else { panic!() };
        let error = doubt.0.error("t.csv", "x", &RowLines::after(1));
        assert_eq!(
            error.message(),
            "t.csv: column x: 2 values on 2 rows are not numbers, as all others are: lines 2, 5"
        );
        let help = error.help(klimt_core::Words::Flags).join("\n");
        assert!(
            help.contains("--missing N/A") && help.contains("--type x=text") && !help.contains("Zoe"),
            "{help}"
        );
    }
}
