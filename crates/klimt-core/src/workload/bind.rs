//! Binds queries to the columns of a table.

use super::steering::SteeringQuery;
use super::{AdmittedValues, Aggregate, End, Function, Predicate, Query, Test, Workload};
use crate::table::{Decimal, Domain, Shape, Table};
use crate::words::column_option;
use crate::words::option;
use crate::{Error, Result};

/// The aggregate of a query, of a column by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableAggregate {
    /// How many rows there are.
    Count,
    /// A function of a column of numbers.
    Of(Function, usize),
}

/// A query whose columns are known.
#[derive(Clone, Debug)]
pub struct TableQuery {
    /// The aggregate of the query.
    pub asked: TableAggregate,
    /// The admitted values of each column with a predicate, by the number of the column, ascending.
    pub admitted: Vec<(usize, AdmittedValues)>,
    /// How much it matters.
    pub weight: f64,
}

/// A value of a query that its column does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownValue {
    /// The number of the query, from 0.
    pub query: usize,
    /// The column.
    pub column: String,
}

/// A workload whose columns are known.
#[derive(Clone, Debug)]
pub struct TableWorkload {
    /// The queries, in order.
    pub queries: Vec<TableQuery>,
    /// Values that queries ask for and no row can have.
    pub unknown: Vec<UnknownValue>,
    /// For each query about any dimension, the admitted values of each dimension and the weight of its
    /// answer.
    pub(crate) steering: Vec<SteeringQuery>,
    /// Whether the means of groups are published.
    pub(crate) means: bool,
    /// Whether the boundaries of regions are published, and not their smallest intervals.
    pub(crate) boundaries: bool,
}

impl Workload {
    /// Binds the queries to the columns of a table, which must be coded. Names that differ by case alone are found.
    pub fn bind(&self, table: &Table) -> Result<TableWorkload> {
        let mut unknown = Vec::new();
        let mut queries = Vec::with_capacity(self.queries.len());
        for (number, query) in self.queries.iter().enumerate() {
            queries.push(bind_query(query, number, table, &mut unknown)?);
        }
        let steering = queries.iter().map(|query| SteeringQuery::new(query, table)).collect();
        Ok(TableWorkload { queries, unknown, steering, means: false, boundaries: false })
    }
}

impl TableWorkload {
    /// The same, for a release that publishes the means of groups where a column has any.
    pub fn with_means(self, means: bool) -> Self {
        TableWorkload { means, ..self }
    }

    /// The same, for a release that publishes the boundaries of regions, which are open on the left.
    pub fn with_boundaries(self, boundaries: bool) -> Self {
        TableWorkload { boundaries, ..self }
    }

    /// The sum of the weights.
    pub fn weight(&self) -> f64 {
        self.queries.iter().map(|query| query.weight).sum()
    }
}

fn bind_query(
    query: &Query,
    number: usize,
    table: &Table,
    unknown: &mut Vec<UnknownValue>,
) -> Result<TableQuery> {
    let mut admitted: Vec<(usize, AdmittedValues)> = Vec::new();
    for predicate in &query.predicates {
        let (column, domain) = find(table, &predicate.column, number)?;
        let found = admit(predicate, domain, number, unknown)?;
        match admitted.iter_mut().find(|(other, _)| *other == column) {
            Some((_, before)) => *before = before.and(&found, domain),
            None => admitted.push((column, found)),
        }
    }
    admitted.sort_unstable_by_key(|(column, _)| *column);
    let asked = match &query.aggregate {
        Aggregate::Count => TableAggregate::Count,
        Aggregate::Of(function, name) => {
            let (column, domain) = find(table, name, number)?;
            if !is_number(domain) {
                return Err(Error::input(format!(
                    "query {}: {} of column {name}, which holds no numbers",
                    number + 1,
                    function.name()
                ))
                .with_help(format!(
                    "{} names the type of a column, such as {}",
                    option("type"),
                    column_option("type", "age", Some("integer"))
                )));
            }
            TableAggregate::Of(*function, column)
        }
    };
    Ok(TableQuery { asked, admitted, weight: query.weight })
}

/// Whether a domain is an axis of numbers, of which sums and averages make sense.
pub fn is_number(domain: &Domain) -> bool {
    use crate::table::ValueType::{Decimal, Integer};
    matches!(domain.shape(), Shape::Ordered)
        && domain.is_measured()
        && matches!(domain.value_type(), Integer | Decimal)
}

fn find<'a>(table: &'a Table, name: &str, number: usize) -> Result<(usize, &'a Domain)> {
    let columns = table.columns();
    let exact = columns.iter().position(|column| column.name == name);
    let alike = || {
        let mut found = (0..columns.len()).filter(|&at| columns[at].name.eq_ignore_ascii_case(name));
        found.next().filter(|_| found.next().is_none())
    };
    let at = exact.or_else(alike).ok_or_else(|| {
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        Error::input(format!("query {}: unknown column {name}", number + 1))
            .with_help(format!("the columns are {}", names.join(", ")))
    })?;
    let (domain, _) = columns[at]
        .coded()
        .ok_or_else(|| Error::input(format!("query {}: column {name} is only carried along", number + 1)))?;
    Ok((at, domain))
}

fn admit(
    predicate: &Predicate,
    domain: &Domain,
    number: usize,
    unknown: &mut Vec<UnknownValue>,
) -> Result<AdmittedValues> {
    let column = &predicate.column;
    let note = |unknown: &mut Vec<UnknownValue>| {
        unknown.push(UnknownValue { query: number, column: column.clone() })
    };
    let wrong = |what: &str| Error::input(format!("query {}, column {column}: {what}", number + 1));
    match (&predicate.test, domain.shape()) {
        (Test::Missing, Shape::Ordered) => Ok(AdmittedValues::axis(domain, Vec::new(), true)),
        (Test::Missing, _) => Ok(AdmittedValues::codes(domain, |code| Some(code) == domain.missing_code())),
        (Test::In(values), Shape::Ordered) => {
            let mut stretches = Vec::new();
            for value in values {
                match unit(domain, value) {
                    Some(AxisUnit { below, exact: true }) => stretches.push((below, below)),
                    _ => note(unknown),
                }
            }
            Ok(AdmittedValues::axis(domain, stretches, false))
        }
        (Test::In(values), _) => {
            let mut held = vec![false; domain.cardinality()];
            for value in values {
                let found = codes_named(domain, value);
                if found.is_empty() {
                    note(unknown);
                }
                found.into_iter().for_each(|code| held[code as usize] = true);
            }
            Ok(AdmittedValues::codes(domain, |code| held[code as usize]))
        }
        (Test::Range { from, to }, Shape::Ordered) => {
            let end = |end: &End| unit(domain, &end.text).ok_or_else(|| wrong("an end is no value of it"));
            let first = match from {
                None => i128::MIN / 4,
                Some(from) => end(from)?.first(from.included),
            };
            let last = match to {
                None => i128::MAX / 4,
                Some(to) => end(to)?.last(to.included),
            };
            Ok(AdmittedValues::axis(domain, vec![(first, last)], false))
        }
        (Test::Range { from, to }, _) => {
            let place = |text: &str| text.trim().parse::<Decimal>().ok();
            let ends = |end: &Option<End>| match end {
                None => Ok(None),
                Some(end) => place(&end.text).map(|at| Some((at, end.included))).ok_or_else(|| {
                    wrong("it has no order, and a range needs one").with_help(format!(
                        "list its values with IN, or give it an order with {}",
                        option("order")
                    ))
                }),
            };
            let (from, to) = (ends(from)?, ends(to)?);
            let within = |code: u32| {
                let Some(at) = place(&domain.text(code)) else { return false };
                from.is_none_or(|(from, included)| at > from || (included && at == from))
                    && to.is_none_or(|(to, included)| at < to || (included && at == to))
            };
            let is_value = |code: u32| Some(code) != domain.missing_code();
            Ok(AdmittedValues::codes(domain, |code| is_value(code) && within(code)))
        }
    }
}

/// The greatest unit of an axis that is not above a value, and whether it is the value.
struct AxisUnit {
    below: i128,
    exact: bool,
}

impl AxisUnit {
    fn first(&self, included: bool) -> i128 {
        if self.exact && included { self.below } else { self.below + 1 }
    }

    fn last(&self, included: bool) -> i128 {
        if self.exact && !included { self.below - 1 } else { self.below }
    }
}

/// Where a value lies on the axis of an ordered domain; `None` where it is no value of it.
fn unit(domain: &Domain, text: &str) -> Option<AxisUnit> {
    if !domain.is_measured() {
        return codes_named(domain, text)
            .first()
            .map(|&code| AxisUnit { below: i128::from(code), exact: true });
    }
    let text = text.trim();
    let number = || if is_number(domain) { text.parse().ok() } else { None };
    let at: Decimal = domain.type_spec().position(text).or_else(number)?;
    let scale = domain.scale();
    if at.scale <= scale {
        let below = at.rescaled(scale)?;
        return (below.abs() < i128::MAX / 8).then_some(AxisUnit { below, exact: true });
    }
    let factor = 10i128.checked_pow(at.scale - scale)?;
    Some(AxisUnit { below: at.units.div_euclid(factor), exact: at.units.rem_euclid(factor) == 0 })
}

/// The codes that a name stands for: of a value, of the leaves below a node, of a value that differs by case alone.
fn codes_named(domain: &Domain, name: &str) -> Vec<u32> {
    let values = || 0..domain.value_count() as u32;
    if let Some(code) = values().find(|&code| domain.text(code) == name) {
        return vec![code];
    }
    if let Some((tree, node)) = domain.hierarchy().and_then(|tree| Some((tree, tree.node(name)?))) {
        let (lo, hi) = tree.span(node);
        let whole = node == tree.root();
        return (lo..=hi).chain(domain.missing_code().filter(|_| whole)).collect();
    }
    let mut alike = values().filter(|&code| domain.text(code).eq_ignore_ascii_case(name));
    match (alike.next(), alike.next()) {
        (Some(code), None) => vec![code],
        _ => Vec::new(),
    }
}
