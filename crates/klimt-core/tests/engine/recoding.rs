//! Saved recoding functions: on their own table they give the release, on any other what contains its values.

use crate::common::{column, letters};
use klimt_core::algorithm::gensearch::GenSearch;
use klimt_core::algorithm::mondrian::Mondrian;
use klimt_core::algorithm::optimal::Optimal;
use klimt_core::job::{Budget, Job, Partitioner, Suppression, Unobserved};
use klimt_core::loss::{CertaintyPenalty, Discernibility, Loss, Original};
use klimt_core::partition::Partitioning;
use klimt_core::recode::{Manner, RecodingFunction, Release, RowOrder, Source};
use klimt_core::region::{Extents, set_members};
use klimt_core::requirement::{Checks, KAnonymity, Requirement};
use klimt_core::split::SplitCriterion;
use klimt_core::table::{ColumnSpec, Decimal, Domain, Role, Table};
use proptest::prelude::*;
use std::time::{Duration, Instant};

const ORDER: [&str; 7] = ["tiny", "small", "medium", "größer", "large", "huge", "giant"];
const LETTERS: &str = "abcdefgh";

/// A number in some spelling, a place in an order, a letter, a colour.
type Row = (u8, u8, u8, u8, u8);

fn number(value: u8, spelling: u8) -> String {
    let half = f64::from(value) / 2.0;
    match spelling % 4 {
        0 => half.to_string(),
        1 => format!("{half:.2}"),
        2 => format!("0{half:.1}"),
        _ => format!("{}e-1", u32::from(value) * 5),
    }
}

/// The texts of the columns; a value of 0 is missing.
fn texts(row: &Row) -> [String; 4] {
    let (value, spelling, place, letter, colour) = *row;
    let some = |at: u8, text: String| if at == 0 { String::new() } else { text };
    [
        some(value, number(value, spelling)),
        some(place, ORDER[place as usize % 7].to_string()),
        some(letter, LETTERS.chars().nth(letter as usize % 8).unwrap().to_string()),
        some(colour, format!("c{colour}")),
    ]
}

fn spec(at: usize) -> ColumnSpec {
    let mut spec = ColumnSpec::new(format!("q{at}"), Role::QuasiIdentifier);
    match at {
        0 => spec.type_spec = Some("decimal".parse().unwrap()),
        1 => spec.order = Some(ORDER.map(String::from).to_vec()),
        2 => spec.hierarchy = Some(letters()),
        _ => {}
    }
    spec
}

fn table(rows: &[[String; 4]], spec: impl Fn(usize) -> ColumnSpec, columns: &[usize]) -> Table {
    let columns = columns.iter().map(|&at| {
        let texts: Vec<&str> = rows.iter().map(|row| row[at].as_str()).collect();
        column(&spec(at), &texts)
    });
    Table::new(rows.len(), columns.collect()).unwrap()
}

/// The published row of every row, `None` of suppressed ones; in the order of the columns' names.
fn published(table: &Table, partitioning: &Partitioning, extents: Extents) -> Vec<Option<Vec<String>>> {
    let release = Release::new(table, partitioning, extents, RowOrder::Kept, &[]);
    let mut columns: Vec<usize> = (0..table.dimensions()).collect();
    columns.sort_by_key(|&d| table.dimension(d).name.clone());
    let text = |group: usize, dimension: &usize| {
        let mut out = Vec::new();
        release.write_group(group, Source::Generalised(*dimension), &mut out);
        String::from_utf8(out).unwrap()
    };
    let of = |group: u32| columns.iter().map(|dimension| text(group as usize, dimension)).collect();
    release.group_by_row().into_iter().map(|group| group.map(of)).collect()
}

fn place(text: &str) -> Option<Decimal> {
    text.parse().ok()
}

/// The ends of a published interval by some measure, and whether it is open below.
fn ends<T>(text: &str, measure: impl Fn(&str) -> Option<T>) -> Option<(bool, T, T)> {
    let inner = text.strip_prefix(['[', '('])?.strip_suffix(']')?;
    let (low, high) = inner.split_once("..")?;
    Some((text.starts_with('('), measure(low)?, measure(high)?))
}

fn within<T: PartialOrd>(text: &str, value: &str, measure: impl Fn(&str) -> Option<T>) -> bool {
    let at = measure(value).unwrap();
    match (ends(text, &measure), measure(text)) {
        (Some((open, low, high)), _) => at <= high && (if open { at > low } else { at >= low }),
        (None, Some(single)) => at == single,
        (None, None) => false,
    }
}

/// Whether a published text of a column contains a value, written from the definition.
fn contains(column: usize, text: &str, value: &str) -> bool {
    if text == "*" || text == value {
        return true;
    }
    let members = set_members(text).unwrap_or_default();
    match column {
        3 => members.iter().any(|member| member == value),
        _ if value.is_empty() => false,
        0 => within(text, value, place),
        1 => within(text, value, |text| ORDER.iter().position(|other| *other == text)),
        _ => {
            let tree = letters();
            let leaf = tree.leaf_code(value);
            let span = tree.node(text).map(|node| tree.span(node));
            leaf.zip(span).is_some_and(|(leaf, (low, high))| low <= leaf && leaf <= high)
        }
    }
}

/// A release of a table, and the function that was saved with it.
struct Made {
    release: Vec<Option<Vec<String>>>,
    function: RecodingFunction,
}

fn make(
    table: &Table,
    algorithm: usize,
    required: &[Box<dyn Requirement>],
    suppression: Suppression,
    extents: Extents,
) -> Option<Made> {
    let bound = Checks::new(required, table).ok()?;
    bound.feasible(table).ok()?;
    let weights = vec![1.0; table.dimensions()];
    let penalty = CertaintyPenalty.cost(&Original::new(table, &weights)).unwrap();
    let job = Job {
        table,
        requirements: &bound,
        split: &SplitCriterion::Median,
        loss: &Discernibility,
        suppression: if algorithm == 1 { suppression } else { Suppression::NONE },
        budget: Budget { until: Some(Instant::now() + Duration::from_millis(30)), ..Budget::default() },
        weights: &weights,
        keep_tree: true,
        observer: &Unobserved,
    };
    let partitioner: Box<dyn Partitioner> = match algorithm {
        0 => Box::new(Mondrian::default()),
        1 => Box::new(Optimal { start: Box::new(Mondrian::default()) }),
        _ => Box::new(GenSearch { max_size: Some(50), ..GenSearch::default() }),
    };
    let mut found = partitioner.partition(&job).unwrap();
    if algorithm != 1 {
        found.suppress(suppression, table, required, &*penalty).unwrap();
    }
    let suppressed = found.order.len() < table.rows();
    let (mut narrow, narrowed) = found.narrowed(table).unwrap();
    let compact = &narrow.regions;
    let tree = narrow.tree.as_ref().unwrap();
    let function = RecodingFunction::new(&narrowed.table, tree, compact, 1, extents, suppressed);
    let domains: Vec<&Domain> =
        (0..table.dimensions()).map(|dimension| narrowed.table.domain(dimension)).collect();
    if extents == Extents::Region {
        narrow.regions = tree.regions(&domains, Some(compact));
    }
    narrow.coalesce(&domains);
    let mut texts = published(&narrowed.table, &narrow, extents).into_iter();
    let mut release = vec![None; table.rows()];
    let mut rows = found.order.clone();
    rows.sort_unstable();
    rows.iter().for_each(|&row| release[row as usize] = texts.next().unwrap());
    let function = RecodingFunction::from_json(function.to_json().as_bytes(), "f.json").unwrap();
    assert_eq!(function.suppressed_rows(), suppressed, "whoever applies it to its own table is warned");
    Some(Made { release, function })
}

/// The rows that a function publishes of other rows, whose columns stand in another order.
fn applied(function: &RecodingFunction, rows: &[[String; 4]], manner: Manner) -> Vec<Vec<String>> {
    let spec = |at: usize| function.column_spec(&format!("q{at}")).unwrap();
    let table = table(rows, spec, &[2, 0, 3, 1]);
    let applied = function.apply(&table, manner).unwrap();
    let texts = published(&applied.table, &applied.partitioning, manner.extents);
    texts.into_iter().map(Option::unwrap).collect()
}

fn rows(values: std::ops::Range<u8>) -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec((values, 0u8..4, 0u8..14, 0u8..16, 0u8..6), 3..50)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn a_function_gives_its_release_and_contains_what_it_publishes(
        own in rows(0..20),
        known_only in any::<bool>(),
        others in rows(0..30),
        k in 1u64..5,
        algorithm in 0usize..3,
        share in prop::sample::select(vec![0.0, 0.1, 0.3]),
        compact in any::<bool>(),
    ) {
        let mut own: Vec<[String; 4]> = own.iter().map(texts).collect();
        if known_only {
            own.retain(|row| row.iter().all(|text| !text.is_empty()));
        }
        prop_assume!(own.len() >= 2);
        let mut others: Vec<[String; 4]> = others.iter().map(texts).collect();
        others.push(["3.75".into(), "giant".into(), "h".into(), "new".into()]);
        others.push(["-1000".into(), "tiny".into(), "zz".into(), String::new()]);
        let table = table(&own, spec, &[0, 1, 2, 3]);
        let required = vec![Box::new(KAnonymity::new(k).unwrap()) as Box<dyn Requirement>];
        let extents = if compact { Extents::Compact } else { Extents::Region };
        let suppression = Suppression::share(share).unwrap();
        let Some(made) = make(&table, algorithm, &required, suppression, extents) else { return Ok(()) };
        let suppressed = made.release.iter().any(Option::is_none);
        let again = applied(&made.function, &own, Manner { extents, apart: suppressed });
        for ((before, after), row) in made.release.iter().zip(&again).zip(&own) {
            if let Some(before) = before {
                prop_assert_eq!(before, after, "{:?} {}", row, made.function.to_json());
            }
        }
        for rows in [&own, &others] {
            for extents in [Extents::Compact, Extents::Region] {
                for apart in [false, true] {
                    let texts = applied(&made.function, rows, Manner { extents, apart });
                    for (row, texts) in rows.iter().zip(texts) {
                        for column in 0..4 {
                            prop_assert!(
                                contains(column, &texts[column], &row[column]),
                                "{} as {} {:?}", row[column], texts[column], extents
                            );
                        }
                    }
                }
            }
        }
        let stranger = applied(&made.function, &others, Manner { extents, apart: false });
        prop_assert_eq!(&stranger[others.len() - 2][3], "*", "an unseen category");
        prop_assert_eq!(&stranger[others.len() - 1][2], "*", "a value that is no leaf");
        prop_assert_eq!(&stranger[others.len() - 1][0], "*", "a value outside the range");
    }
}
