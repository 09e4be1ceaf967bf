//! Random releases: what is counted is what was published, however it is spelled, ordered, cut and merged; and
//! what is not CSV is refused at the right place.

use klimt_io::csv::Dialect;
use klimt_verify::{
    Findings, Question, Tally,
    csv::{Fault, FaultKind, Layout, examine},
    smallest,
};
use proptest::{collection::vec, prelude::*, sample::select};
use std::collections::BTreeMap;

/// Rows and, for each sensitive column, how often its values occur, by tuple.
type Counts = BTreeMap<Vec<String>, (u64, Vec<BTreeMap<String, u64>>)>;

const VALUES: [&str; 16] = [
    "*",
    "",
    "a",
    "b",
    "[1..2]",
    "{a|b}",
    "1,5",
    "x;y",
    "say \"hi\"",
    "\"",
    "two\nlines",
    "\r",
    "\r\n",
    "é",
    "ab",
    " a",
];

/// A release, as it is written and as it is meant.
#[derive(Clone, Debug)]
struct Release {
    layout: Layout,
    records: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Release {
    fn tally(&self) -> Tally {
        let names = |columns: &[usize]| columns.iter().map(|column| format!("c{column}")).collect::<Vec<_>>();
        let tally = Tally::new(&names(self.layout.quasi_identifiers()), &names(self.layout.sensitive()));
        tally.with_suppressed_stars(true)
    }

    fn pick(columns: &[usize], row: &[String]) -> Vec<String> {
        columns.iter().map(|&column| row[column].clone()).collect()
    }

    fn counts(&self) -> Counts {
        let mut counts = Counts::new();
        for row in &self.rows {
            let sensitive = Release::pick(self.layout.sensitive(), row);
            let entry = counts.entry(Release::pick(self.layout.quasi_identifiers(), row));
            let (rows, histograms) = entry.or_insert_with(|| (0, vec![BTreeMap::new(); sensitive.len()]));
            *rows += 1;
            histograms
                .iter_mut()
                .zip(sensitive)
                .for_each(|(histogram, value)| *histogram.entry(value).or_insert(0) += 1);
        }
        counts
    }
}

/// The counts of a tally, and the number of rows that it takes for suppressed.
fn contents(tally: &Tally) -> (u64, Counts) {
    let width = tally.sensitive().len();
    let mut by_number = BTreeMap::new();
    for group in tally.groups() {
        let values: Vec<_> = group.values().map(str::to_string).collect();
        by_number.insert(group.number(), (values, group.rows(), vec![BTreeMap::new(); width]));
    }
    for (index, column) in tally.sensitive().iter().enumerate() {
        for cell in tally.cells(column) {
            let histograms = &mut by_number.get_mut(&cell.group).expect("a cell belongs to a group").2;
            histograms[index].insert(column.value(cell.value).to_string(), cell.rows);
        }
    }
    let counts =
        by_number.into_values().map(|(values, rows, histograms)| (values, (rows, histograms))).collect();
    (tally.suppressed(), counts)
}

/// The counts that a tally must have.
fn expected(mut counts: Counts, columns: usize) -> (u64, Counts) {
    let stars = vec!["*".to_string(); columns];
    let suppressed = if counts.len() > 1 { counts.remove(&stars).map_or(0, |(rows, _)| rows) } else { 0 };
    (suppressed, counts)
}

/// Spells a value: in quotes where it must be or `quoted` asks for it.
fn spell(value: &str, delimiter: char, quoted: bool) -> String {
    let must = value.contains([delimiter, '"', '\n', '\r']);
    if must || quoted { format!("\"{}\"", value.replace('"', "\"\"")) } else { value.to_string() }
}

fn layout() -> impl Strategy<Value = Layout> {
    let columns =
        (1..=5usize).prop_flat_map(|n| (Just((0..n).collect::<Vec<_>>()).prop_shuffle(), 0..=n, 0..=2usize));
    (columns, select(vec![b',', b';', b'\t', b'|'])).prop_map(|((order, split, sensitive), delimiter)| {
        let (quasi_identifiers, others) = order.split_at(split);
        let sensitive = others.iter().copied().take(sensitive).collect();
        let layout =
            Layout::new(order.len(), quasi_identifiers.to_vec(), Dialect { delimiter, header: false });
        layout.unwrap().with_sensitive(sensitive).unwrap()
    })
}

fn release() -> impl Strategy<Value = Release> {
    let row = |columns| vec(select(VALUES.to_vec()), columns);
    layout().prop_flat_map(move |layout| {
        let columns = layout.columns();
        // Few different rows, each several times with other values in the columns that are no quasi-identifiers.
        let pool = vec(row(columns), 1..6);
        let uses = vec((any::<prop::sample::Index>(), row(columns), 0..20u8, any::<bool>()), 0..60);
        (Just(layout), pool, uses, any::<bool>(), any::<bool>()).prop_map(
            |(layout, pool, uses, ordered, last_end)| written(layout, &pool, uses, ordered, last_end),
        )
    })
}

fn written(
    layout: Layout,
    pool: &[Vec<&str>],
    mut uses: Vec<(prop::sample::Index, Vec<&str>, u8, bool)>,
    ordered: bool,
    last_end: bool,
) -> Release {
    if ordered {
        uses.sort_by_key(|(index, ..)| index.index(pool.len()));
    }
    let delimiter = layout.dialect().delimiter as char;
    let (mut records, mut rows) = (Vec::new(), Vec::new());
    for (number, (index, others, spelling, crlf)) in uses.iter().enumerate() {
        let base = &pool[index.index(pool.len())];
        let value =
            |column| if layout.quasi_identifiers().contains(&column) { base[column] } else { others[column] };
        let row: Vec<_> = (0..layout.columns()).map(value).collect();
        let spelled =
            row.iter().enumerate().map(|(column, value)| spell(value, delimiter, *spelling == column as u8));
        let mut record = spelled.collect::<Vec<_>>().join(&delimiter.to_string());
        // A record without any text would be no record at the end of a file.
        if number + 1 < uses.len() || last_end || record.is_empty() {
            record.push_str(if *crlf { "\r\n" } else { "\n" });
        }
        records.push(record);
        rows.push(row.into_iter().map(str::to_string).collect());
    }
    Release { layout, records, rows }
}

/// The fields of every record, read byte by byte.
fn read_slowly(text: &[u8], delimiter: u8, columns: usize) -> Result<Vec<Vec<Vec<u8>>>, Fault> {
    let at_line =
        |at: usize, kind| Fault { kind, line: 1 + text[..at].iter().filter(|&&b| b == b'\n').count() as u64 };
    if let Err(error) = std::str::from_utf8(text) {
        return Err(at_line(error.valid_up_to(), FaultKind::InvalidUtf8));
    }
    let mut records = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let start = at;
        let mut record = vec![Vec::new()];
        loop {
            let field = record.last_mut().unwrap();
            let begin = at;
            let quoted = text.get(at) == Some(&b'"');
            if quoted {
                at += 1;
                loop {
                    match (text.get(at), text.get(at + 1)) {
                        (Some(b'"'), Some(b'"')) => at += 1,
                        (Some(b'"'), _) => break,
                        (None, _) => return Err(at_line(begin, FaultKind::UnclosedQuote)),
                        _ => {}
                    }
                    field.push(text[at]);
                    at += 1;
                }
                at += 1;
            }
            // What comes before a carriage return is looked at first: a quote later in the field wins.
            let mut carriage_return = None;
            loop {
                match (text.get(at), text.get(at + 1)) {
                    (None | Some(b'\n'), _) => break,
                    (Some(b'\r'), Some(b'\n')) => break,
                    (Some(&byte), _) if byte == delimiter => break,
                    (Some(b'\r'), _) if quoted => return Err(at_line(at, FaultKind::StrayCarriageReturn)),
                    (Some(_), _) if quoted => return Err(at_line(at, FaultKind::StrayQuote)),
                    (Some(b'"'), _) => return Err(at_line(at, FaultKind::StrayQuote)),
                    (Some(b'\r'), _) => carriage_return = carriage_return.or(Some(at)),
                    (Some(&byte), _) => field.push(byte),
                }
                at += 1;
            }
            if let Some(at) = carriage_return {
                return Err(at_line(at, FaultKind::StrayCarriageReturn));
            }
            if text.get(at) != Some(&delimiter) {
                at += if text.get(at) == Some(&b'\r') { 2 } else { 1 };
                break;
            }
            record.push(Vec::new());
            at += 1;
        }
        if record.len() != columns {
            return Err(at_line(start, FaultKind::FieldCount { found: record.len(), expected: columns }));
        }
        records.push(record);
    }
    Ok(records)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn chunks_counted_apart_are_counted_together(
        release in release(),
        cuts in vec(any::<bool>(), 60),
        owners in vec(0..3usize, 60),
        turn in 0..3usize,
    ) {
        let mut tallies = vec![release.tally(); 3];
        let mut chunk = String::new();
        for (index, record) in release.records.iter().enumerate() {
            chunk.push_str(record);
            if cuts[index] || index + 1 == release.records.len() {
                examine(&release.layout, chunk.as_bytes(), &mut tallies[owners[index]]).unwrap();
                chunk.clear();
            }
        }
        tallies.rotate_left(turn);
        let merged = tallies.into_iter().reduce(|a, b| a.merge(b).unwrap()).unwrap();
        prop_assert_eq!(merged.rows(), release.rows.len() as u64);
        let columns = release.layout.quasi_identifiers().len();
        prop_assert_eq!(contents(&merged), expected(release.counts(), columns));
    }

    #[test]
    fn rows_one_by_one_give_the_same(release in release()) {
        let (mut scanned, mut added) = (release.tally(), release.tally());
        examine(&release.layout, release.records.concat().as_bytes(), &mut scanned).unwrap();
        for row in &release.rows {
            let (values, sensitive) = (release.layout.quasi_identifiers(), release.layout.sensitive());
            let texts = |columns: &[usize]| -> Vec<&str> { columns.iter().map(|&c| row[c].as_str()).collect() };
            added.add(&texts(values), &texts(sensitive)).unwrap();
        }
        prop_assert_eq!(contents(&scanned), contents(&added));
        let question = Question { k: Some(3), original_rows: None };
        prop_assert_eq!(Findings::new(&scanned, &question), Findings::new(&added, &question));
        prop_assert_eq!(smallest(&scanned, 4, |_| true), smallest(&added, 4, |_| true));
    }

    #[test]
    fn merging_is_associative_and_commutative(release in release(), owners in vec(0..3usize, 60)) {
        let mut tallies = [release.tally(), release.tally(), release.tally()];
        for (record, &owner) in release.records.iter().zip(&owners) {
            examine(&release.layout, record.as_bytes(), &mut tallies[owner]).unwrap();
        }
        let [a, b, c] = tallies;
        let merge = |left: &Tally, right: &Tally| left.clone().merge(right.clone()).unwrap();
        let everything = |tally: &Tally| {
            let question = Question { k: Some(2), original_rows: Some(100) };
            let sizes: Vec<u64> = smallest(tally, 3, |_| true).iter().map(|group| group.rows).collect();
            (contents(tally), Findings::new(tally, &question).unwrap(), sizes)
        };
        let left = everything(&merge(&merge(&a, &b), &c));
        prop_assert_eq!(&left, &everything(&merge(&a, &merge(&b, &c))));
        prop_assert_eq!(&left, &everything(&merge(&merge(&c, &a), &b)));
        let empty = release.tally();
        prop_assert_eq!(everything(&a), everything(&merge(&empty, &a)));
        prop_assert_eq!(everything(&a), everything(&merge(&a, &empty)));
    }
}

/// Pieces of text that repeat whole records often enough for runs, and break them often enough for faults.
const PIECES: [&[u8]; 20] = [
    b"a,b,c\n",
    b"a,b,c\n",
    b"a,b,c\n",
    b"a,b,d\r\n",
    b"a,b,d\r\n",
    b"\"a\",b,c\n",
    b"\"a\",b,c\n",
    b"a,x,c\n",
    b"a,b,\"c\nd\"\n",
    b"a,b,c,d\n",
    b"a,b\n",
    b"a",
    b",",
    b"\n",
    b"\r",
    b"\"",
    b"\"\"",
    b"a,b,\"\"\"\"\n",
    "é".as_bytes(),
    b"\xFF",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]

    #[test]
    fn any_text_is_read_as_a_slow_reader_reads_it(
        pieces in vec((0..PIECES.len(), 0..4u8), 0..12),
        quasi_identifiers in select(vec![vec![0], vec![1], vec![2], vec![0, 1], vec![2, 0], vec![1, 0, 2], vec![]]),
        sensitive in any::<bool>(),
    ) {
        // Whole records are likelier than fragments of them.
        let piece = |&(index, odds): &(usize, u8)| if odds > 0 { PIECES[index % 11 % 9] } else { PIECES[index] };
        let text = pieces.iter().map(piece).collect::<Vec<_>>().concat();
        let sensitive = (0..3).filter(|c| sensitive && !quasi_identifiers.contains(c)).collect::<Vec<_>>();
        let layout = Layout::new(3, quasi_identifiers, Dialect::default()).unwrap().with_sensitive(sensitive).unwrap();
        let release = Release { layout, records: Vec::new(), rows: Vec::new() };
        let mut tally = release.tally();
        let scanned = examine(&release.layout, &text, &mut tally);
        match read_slowly(&text, b',', 3) {
            Err(fault) => prop_assert_eq!(scanned, Err(fault)),
            Ok(records) => {
                prop_assert_eq!(scanned, Ok(()));
                let text = |field: Vec<u8>| String::from_utf8(field).unwrap();
                let rows = records.into_iter().map(|record| record.into_iter().map(text).collect()).collect();
                let columns = release.layout.quasi_identifiers().len();
                let counts = Release { rows, ..release }.counts();
                prop_assert_eq!(contents(&tally), expected(counts, columns));
            }
        }
    }
}
