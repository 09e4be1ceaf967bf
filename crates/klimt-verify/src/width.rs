//! The widths of published values, which a length restriction limits from below.

use crate::{Decimal, Tally, tally::ANY};
use hashbrown::{HashMap, HashSet};
use jiff::{
    Timestamp,
    civil::{Date, DateTime},
};
use klimt_core::{Error, Result};
use serde::{Serialize, Serializer};
use std::fmt;

/// The domain of a column, as far as the width of its published values depends on it.
#[derive(Clone, Debug, Default)]
pub enum Domain {
    /// Numbers, ISO dates (a width in days) and ISO timestamps (in seconds).
    #[default]
    Natural,
    /// An unordered set of categories. A width is a number of members.
    Set,
    /// Dates that are written after a pattern such as `%d.%m.%Y`; a width in days.
    Dates(String),
    /// Timestamps that are written after a pattern; a width in seconds.
    Timestamps(String),
    /// An imposed order: the rank of every value. A width is a difference of ranks.
    Order(HashMap<String, u64>),
    /// A hierarchy: the number of leaves under every label, 1 for a leaf. A width is a number of leaves.
    Hierarchy(HashMap<String, u64>),
}

impl Domain {
    /// The order in which the values are listed.
    pub fn order(values: impl IntoIterator<Item = String>) -> Self {
        Domain::Order(values.into_iter().zip(0..).collect())
    }

    /// Where a value lies, and on which axis; `None` when it has no place.
    fn position(&self, text: &str) -> Option<(Decimal, WidthScale)> {
        match self {
            Domain::Natural => natural(text),
            Domain::Dates(pattern) => Date::strptime(pattern, text).ok().map(days),
            Domain::Timestamps(pattern) => DateTime::strptime(pattern, text).ok().map(seconds),
            Domain::Order(ranks) => ranks.get(text).map(|&rank| (rank.into(), WidthScale::Number)),
            Domain::Set | Domain::Hierarchy(_) => None,
        }
    }
}

/// The scale of positions; a difference makes sense on one scale only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WidthScale {
    Number,
    Days,
    Seconds,
}

/// The width of a published value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Width {
    /// The length of an interval, the members of a set or the leaves of a hierarchy node.
    Exact(Decimal),
    /// The width of `*`, which stands for everything.
    Unlimited,
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Width::Exact(width) => width.fmt(f),
            Width::Unlimited => f.write_str("unlimited"),
        }
    }
}

impl Serialize for Width {
    /// A number, or the text `unlimited`. A fraction is written as the nearest floating-point number.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Width::Exact(width) => match width.to_integer() {
                Some(integer) => serializer.serialize_i64(integer),
                None => serializer.serialize_f64(width.to_f64()),
            },
            Width::Unlimited => serializer.collect_str(self),
        }
    }
}

/// The width of one published value; `None` when the domain does not tell.
///
/// An interval is as wide as its ends are apart, whether they belong to it or not; a single value has width 0, a
/// set the number of its members, a single category 1, a hierarchy label the number of its leaves. A missing value is
/// a single value, a category and a leaf of its own.
pub fn width(published: &str, domain: &Domain) -> Option<Width> {
    if published == ANY {
        return Some(Width::Unlimited);
    }
    let width = match domain {
        Domain::Hierarchy(leaves) => {
            Some(leaves.get(published).copied().or(published.is_empty().then_some(1))?.into())
        }
        Domain::Set => Some(match shape(published) {
            ValueShape::Set(members) => members_of(members)?.into(),
            _ => 1.into(),
        }),
        Domain::Order(ranks) => match shape(published) {
            ValueShape::Single(raw) if raw.is_empty() || ranks.contains_key(raw) => Some(0.into()),
            ValueShape::Interval(ends) => interval(ends, domain).or(ranks.get(published).map(|_| 0.into())),
            _ => ranks.get(published).map(|_| 0.into()),
        },
        _ => match shape(published) {
            ValueShape::Single(_) => Some(0.into()),
            ValueShape::Interval(ends) => interval(ends, domain),
            ValueShape::Set(members) => members_of(members).map(Decimal::from),
        },
    };
    width.map(Width::Exact)
}

/// The least width that a column has in any row; unlimited when there are no rows.
///
/// It is measured on the distinct published values, so it costs nothing per row.
pub fn least_width(tally: &Tally, column: &str, domain: &Domain) -> Result<Width> {
    let place = tally.quasi_identifiers().iter().position(|name| name == column).ok_or_else(|| {
        Error::input(format!("a length restriction on \"{column}\", which is not a quasi-identifier"))
            .with_help(format!("the quasi-identifiers are {}", tally.quasi_identifiers().join(", ")))
    })?;
    let values: HashSet<&str> = tally.tuples().filter_map(|group| group.values().nth(place)).collect();
    let categories = matches!(domain, Domain::Natural) && values.iter().any(|value| is_category(value));
    let domain = if categories { &Domain::Set } else { domain };
    let widths = values.iter().map(|value| width(value, domain)).collect::<Option<Vec<_>>>();
    let widths = widths.ok_or_else(|| {
        Error::input(format!("column \"{column}\" publishes values whose width is not known")).with_help(
            "give the order, the hierarchy or the date pattern of the column with which it was made",
        )
    })?;
    Ok(widths.into_iter().min().unwrap_or(Width::Unlimited))
}

/// Whether a published value is a set, or a single value that is neither a number nor a date.
fn is_category(published: &str) -> bool {
    match shape(published) {
        ValueShape::Set(_) => true,
        ValueShape::Single(raw) => !raw.is_empty() && published != ANY && natural(raw).is_none(),
        ValueShape::Interval(_) => false,
    }
}

/// How a published value is written.
enum ValueShape<'a> {
    /// A raw value; a backslash before one that looks like another shape is taken away.
    Single(&'a str),
    /// The text between the brackets of an interval.
    Interval(&'a str),
    /// The text between the braces of a set.
    Set(&'a str),
}

fn shape(published: &str) -> ValueShape<'_> {
    match published.strip_prefix('\\') {
        Some(raw) if is_form(raw.trim_start_matches('\\')) => ValueShape::Single(raw),
        _ => form(published).unwrap_or(ValueShape::Single(published)),
    }
}

fn is_form(text: &str) -> bool {
    text == ANY || form(text).is_some()
}

/// The interval or the set that a text is.
fn form(text: &str) -> Option<ValueShape<'_>> {
    if let Some(members) = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        return Some(ValueShape::Set(members));
    }
    let ends = text.strip_prefix(['[', '(']).and_then(|rest| rest.strip_suffix([']', ')']))?;
    ends.contains("..").then_some(ValueShape::Interval(ends))
}

/// The length of an interval `lo..hi`. Where backslashes say which dots and backslashes belong to an end, they decide. Else
/// the dots may be read in several ways, as in `0...5`: the least length counts, so that a width is never overstated.
fn interval(ends: &str, domain: &Domain) -> Option<Decimal> {
    let length = |low: &str, high: &str| {
        let ((lo, from), (hi, to)) = (domain.position(low)?, domain.position(high)?);
        let length = hi.checked_sub(lo)?;
        (from == to && length >= 0.into()).then_some(length)
    };
    if ends.contains('\\')
        && let Some(length) = marked_ends(ends).and_then(|[low, high]| length(&low, &high))
    {
        return Some(length);
    }
    let dots = (0..ends.len()).filter(|&at| ends.as_bytes()[at..].starts_with(b".."));
    dots.filter_map(|at| length(&ends[..at], &ends[at + 2..])).min()
}

/// The ends of an interval, divided at the first `..` without a backslash; one before a dot or a backslash is taken away.
fn marked_ends(ends: &str) -> Option<[String; 2]> {
    let (mut found, mut at_high) = ([String::new(), String::new()], false);
    let mut rest = ends.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('\\', Some(&marked @ ('.' | '\\'))) => {
                found[usize::from(at_high)].push(marked);
                rest.next();
            }
            ('.', Some('.')) if !at_high => {
                at_high = true;
                rest.next();
            }
            _ => found[usize::from(at_high)].push(c),
        }
    }
    at_high.then_some(found)
}

/// The number of members of a set; a backslash takes the meaning from the bar, the brace or the backslash after
/// it. `None` when a brace stands alone.
fn members_of(set: &str) -> Option<u64> {
    let (mut members, mut bytes) = (1, set.bytes());
    while let Some(byte) = bytes.next() {
        match byte {
            b'|' => members += 1,
            b'{' | b'}' => return None,
            b'\\' => {
                bytes.next().filter(|escaped| br"|\{}".contains(escaped))?;
            }
            _ => {}
        }
    }
    Some(members)
}

/// The place of a number, an ISO date or an ISO timestamp.
fn natural(text: &str) -> Option<(Decimal, WidthScale)> {
    if let Ok(number) = text.parse() {
        return Some((number, WidthScale::Number));
    }
    if text.len() == 10 {
        return text.parse::<Date>().ok().map(days);
    }
    match text.parse::<Timestamp>() {
        Ok(instant) => Some((Decimal::new(instant.as_nanosecond(), 9), WidthScale::Seconds)),
        Err(_) => text.parse::<DateTime>().ok().map(seconds),
    }
}

fn days(date: Date) -> (Decimal, WidthScale) {
    let days = date.duration_since(Date::constant(1970, 1, 1)).as_secs() / 86_400;
    (Decimal::new(days.into(), 0), WidthScale::Days)
}

fn seconds(time: DateTime) -> (Decimal, WidthScale) {
    let nanoseconds = time.duration_since(DateTime::constant(1970, 1, 1, 0, 0, 0, 0)).as_nanos();
    (Decimal::new(nanoseconds, 9), WidthScale::Seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn natural_width(published: &str) -> Option<String> {
        width(published, &Domain::Natural).map(|width| width.to_string())
    }

    #[test]
    fn intervals_are_as_wide_as_their_ends_are_apart() {
        let cases = [
            ("[25..28]", "3"),
            ("(25..28]", "3"),
            ("[25..28)", "3"),
            ("(-3..4)", "7"),
            ("[-5..-3]", "2"),
            ("[0.1..0.30]", "0.2"),
            ("[1e2..1.5e2]", "50"),
            ("[7..7]", "0"),
            ("[2024-02-28..2024-03-01]", "2"),
            ("[1969-12-31..1970-01-01]", "1"),
            ("[2024-01-01T00:00:00..2024-01-01T00:01:00.5]", "60.5"),
            ("[2024-01-01T00:00:00Z..2024-01-01T02:00:00+01:00]", "3600"),
        ];
        for (published, expected) in cases {
            assert_eq!(natural_width(published).as_deref(), Some(expected), "{published}");
        }
    }

    #[test]
    fn single_values_have_no_width_and_stars_every_width() {
        for single in ["25", "", "Private", "2024-01-01", "(see note)", "[25", "25]", "a..b", "{", "**"] {
            assert_eq!(natural_width(single).as_deref(), Some("0"), "{single}");
        }
        assert_eq!(natural_width("*").as_deref(), Some("unlimited"));
        assert!(Width::Exact(u64::MAX.into()) < Width::Unlimited);
    }

    #[test]
    fn an_ambiguous_interval_has_its_least_width() {
        assert_eq!(natural_width("[0...5]").as_deref(), Some("0.5"));
        assert_eq!(natural_width("[1...5]").as_deref(), Some("4"));
    }

    #[test]
    fn what_cannot_be_measured_is_not_guessed() {
        let unknown = [
            "[a..b]",
            "[28..25]",
            "[..]",
            "[1..2024-01-01]",
            "[2024-01-01..2024-01-01T00:00:00]",
            "[2023-02-29..2024-01-01]",
        ];
        for published in unknown {
            assert_eq!(natural_width(published), None, "{published}");
        }
    }

    #[test]
    fn sets_are_counted_by_their_members() {
        let cases = [
            ("{a|b|c}", Some("3")),
            (r"{a\|b|c}", Some("2")),
            (r"{a\\|b}", Some("2")),
            (r"{\{a\}|b\\\|}", Some("2")),
            ("{|a}", Some("2")),
            ("{é|ü}", Some("2")),
            (r"{a|b\}", None),
            (r"{a\x|b}", None),
            ("{a}{b}", None),
        ];
        for (published, expected) in cases {
            assert_eq!(natural_width(published).as_deref(), expected, "{published}");
        }
    }

    #[test]
    fn a_backslash_tells_raw_values_from_forms() {
        for single in [r"\[1..9]", r"\{a|b}", r"\(3..4]", r"\*", r"\\*", r"\\[1..9]", r"\x", r"\", "5."] {
            assert_eq!(natural_width(single).as_deref(), Some("0"), "{single}");
        }
        assert_eq!(natural_width(r"[5\...9]").as_deref(), Some("4"), "from 5. to 9");
        assert_eq!(natural_width("[-1...5]").as_deref(), Some("1.5"), "from -1 to .5");
        let order = Domain::order(["a..b", "[x..y]", r"c\.", "d"].map(String::from));
        let rank_width = |published| width(published, &order).map(|width| width.to_string());
        for (published, expected) in [
            (r"[a\.\.b..d]", Some("3")),
            (r"[c\\\...d]", Some("1")),
            (r"\[x..y]", Some("0")),
            (r"[a\.\.b..\[x\.\.y]]", None),
            ("[a..b..d]", Some("3")),
        ] {
            assert_eq!(rank_width(published).as_deref(), expected, "{published}");
        }
    }

    #[test]
    fn a_category_is_a_set_of_one() {
        let members = |published| width(published, &Domain::Set).map(|width| width.to_string());
        assert_eq!(members("a").as_deref(), Some("1"));
        assert_eq!(members("").as_deref(), Some("1"));
        assert_eq!(members("[1..2]").as_deref(), Some("1"));
        assert_eq!(members("{a|}").as_deref(), Some("2"));
        assert_eq!(members("*").as_deref(), Some("unlimited"));
    }

    #[test]
    fn ends_may_be_of_more_bytes_than_characters() {
        let order = Domain::order(["niedrig", "größer", "höchste"].map(String::from));
        assert_eq!(width("[größer..höchste]", &order).unwrap().to_string(), "1");
        assert_eq!(width("(niedrig..höchste]", &order).unwrap().to_string(), "2");
        assert_eq!(natural_width("[ü..é]"), None);
    }

    #[test]
    fn an_imposed_order_measures_ranks() {
        let order = Domain::order(["low", "mid", "a..b", "[odd..one]", "high"].map(String::from));
        let rank_width = |published| width(published, &order).map(|width| width.to_string());
        assert_eq!(rank_width("[low..high]").as_deref(), Some("4"));
        assert_eq!(rank_width("(mid..a..b]").as_deref(), Some("1"));
        assert_eq!(rank_width("[odd..one]").as_deref(), Some("0"));
        assert_eq!(rank_width("mid").as_deref(), Some("0"));
        assert_eq!(rank_width("").as_deref(), Some("0"));
        assert_eq!(rank_width("*").as_deref(), Some("unlimited"));
        assert_eq!((rank_width("none"), rank_width("[high..low]"), rank_width("[1..2]")), (None, None, None));
    }

    #[test]
    fn a_hierarchy_measures_leaves() {
        let leaves =
            [("Europe", 3), ("France", 1), ("[20..30]", 11)].map(|(label, n)| (label.to_string(), n));
        let hierarchy = Domain::Hierarchy(leaves.into_iter().collect());
        let leaf_width = |published| width(published, &hierarchy).map(|width| width.to_string());
        assert_eq!(leaf_width("Europe").as_deref(), Some("3"));
        assert_eq!(leaf_width("France").as_deref(), Some("1"));
        assert_eq!(leaf_width("[20..30]").as_deref(), Some("11"));
        assert_eq!(leaf_width("").as_deref(), Some("1"));
        assert_eq!(leaf_width("Asia"), None);
    }

    #[test]
    fn patterns_read_dates_as_they_are_written() {
        let dates = Domain::Dates("%d.%m.%Y".to_string());
        assert_eq!(width("[28.02.2024..01.03.2024]", &dates), Some(Width::Exact(2.into())));
        let times = Domain::Timestamps("%d.%m.%Y %H:%M".to_string());
        assert_eq!(width("[28.02.2024 10:00..28.02.2024 10:30]", &times), Some(Width::Exact(1800.into())));
    }

    #[test]
    fn the_least_width_of_a_column_counts() {
        let mut tally = Tally::new(&["age", "zip"], &[]);
        for row in [["[20..29]", "*"], ["[30..34]", "*"], ["*", "*"]] {
            tally.add(&row, &[]).unwrap();
        }
        let least = |column| least_width(&tally, column, &Domain::Natural);
        assert_eq!(least("age"), Ok(Width::Exact(4.into())));
        assert_eq!(least("zip"), Ok(Width::Unlimited));
        assert_eq!(least("sex").unwrap_err().kind(), klimt_core::ErrorKind::Input);
        let mut cities = Tally::new(&["city"], &[]);
        ["Bonn", "{Rom|Ulm}"].iter().for_each(|city| cities.add(&[*city], &[]).unwrap());
        assert_eq!(least_width(&cities, "city", &Domain::Natural), Ok(Width::Exact(1.into())));
        tally.add(&["[a..b]", "1"], &[]).unwrap();
        assert!(least_width(&tally, "age", &Domain::Natural).is_err());
    }
}
