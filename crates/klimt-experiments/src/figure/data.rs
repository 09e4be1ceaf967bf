//! Tables of the generators, made in memory.

use klimt_core::hierarchy::Hierarchy;
use klimt_core::hierarchy::build::{EqualWidth, Order, equal_width, order};
use klimt_core::table::{
    Codes, Column, ColumnData, ColumnSpec, Decimal, Distinct, Domain, Encoding, Role, Spelling, Table,
    ValueType,
};
use klimt_io::generate::{ColumnKind, GeneratedBlock, Parameters, build};
use std::sync::Arc;

/// What the values of a column are taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum As {
    /// Numbers are ordered, words are not.
    Plain,
    /// In the order in which the generator lists them.
    Ordered,
    /// The leaves of a hierarchy: words and few numbers under nodes with so many children at most.
    Tree(usize),
    /// The leaves of a hierarchy of whole numbers: intervals of five, ten, twenty and forty.
    Intervals,
}

/// A column that an experiment wants.
#[derive(Clone, Copy, Debug)]
pub struct Want<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it is to the release.
    pub role: Role,
    /// What its values are taken for.
    pub values: As,
}

impl<'a> Want<'a> {
    /// A quasi-identifier.
    pub fn quasi(name: &'a str, values: As) -> Self {
        Want { name, role: Role::QuasiIdentifier, values }
    }

    /// A column of another role.
    pub fn other(name: &'a str, role: Role) -> Self {
        Want { name, role, values: As::Plain }
    }
}

/// Quasi-identifiers that are all taken for the same.
pub fn quasi<'a>(names: &[&'a str], values: As) -> Vec<Want<'a>> {
    names.iter().map(|name| Want::quasi(name, values)).collect()
}

/// The nine attributes of the generator `agrawal`.
pub const AGRAWAL: [&str; 9] =
    ["salary", "commission", "age", "elevel", "car", "zipcode", "hvalue", "hyears", "loan"];

/// The eight attributes of the generator `sales`.
pub const SALES: [&str; 8] = ["zipcode", "date", "gender", "style", "price", "quantity", "cost", "shipment"];

/// The table of a generator, with the columns that are wanted.
pub fn generated(name: &str, parameters: &Parameters, wants: &[Want<'_>]) -> Result<Table, String> {
    let generator = build(name, parameters).map_err(|e| e.to_string())?;
    let made = generator.columns();
    let mut numbers: Vec<Vec<i64>> = vec![Vec::new(); wants.len()];
    let place = |want: &Want<'_>| {
        let found = made.iter().position(|column| column.name == want.name);
        found.ok_or_else(|| format!("the generator {name} makes no column {}", want.name))
    };
    let places = wants.iter().map(place).collect::<Result<Vec<usize>, String>>()?;
    let mut block = GeneratedBlock::default();
    for index in 0..generator.blocks() {
        generator.block(index, &mut block);
        for (numbers, &place) in numbers.iter_mut().zip(&places) {
            numbers.extend_from_slice(&block.columns[place].values);
        }
    }
    let columns = wants.iter().zip(&places).zip(numbers);
    let columns = columns.map(|((want, &place), numbers)| column(want, made[place].kind, &numbers));
    let columns = columns.collect::<Result<Vec<Column>, String>>()?;
    Table::new(generator.rows() as usize, columns).map_err(|e| e.to_string())
}

/// A column of numbers that stand for values; those of texts stay numbers.
pub fn column(want: &Want<'_>, kind: ColumnKind, numbers: &[i64]) -> Result<Column, String> {
    let mut spec = ColumnSpec::new(want.name, want.role);
    let mut distinct: Vec<i64> = match kind {
        ColumnKind::Label(words) => (0..words.len() as i64).collect(),
        _ => numbers.to_vec(),
    };
    distinct.sort_unstable();
    distinct.dedup();
    let text = |number: &i64| match kind {
        ColumnKind::Integer | ColumnKind::Text => number.to_string(),
        ColumnKind::Decimal { scale } => Decimal { units: i128::from(*number), scale }.spelt(),
        ColumnKind::Label(words) => words[*number as usize].to_string(),
    };
    let texts = || distinct.iter().map(text).collect::<Vec<String>>();
    match want.values {
        As::Plain => {}
        As::Ordered if kind == ColumnKind::Integer => {}
        As::Ordered => spec.order = Some(texts()),
        As::Tree(fan_out) => spec.hierarchy = Some(tree(texts(), fan_out)?),
        As::Intervals => spec.hierarchy = Some(intervals(texts())?),
    }
    let values = match kind {
        ColumnKind::Integer => Distinct::Integers(distinct.clone()),
        _ => Distinct::Texts(texts().iter().map(String::as_str).collect()),
    };
    let Encoding { domain, codes } = Encoding::of(&spec, values, false)
        .map_err(|unfit| format!("column {}: {:?}", want.name, unfit.reason))?;
    let code = |number: &i64| {
        let at = distinct.binary_search(number).unwrap_or(0);
        codes[at]
    };
    let codes = Codes::collect(domain.cardinality(), numbers.iter().map(code));
    let data = ColumnData::Coded { domain: Arc::new(domain), codes };
    Ok(Column { name: spec.name, role: spec.role, data })
}

fn tree(texts: Vec<String>, fan_out: usize) -> Result<Arc<Hierarchy>, String> {
    order(texts, &Order { fan_out }).map(Arc::new).map_err(|e| e.to_string())
}

/// Intervals of five, ten, twenty and forty whole numbers.
pub fn intervals(texts: Vec<String>) -> Result<Arc<Hierarchy>, String> {
    let widths = [5, 10, 20, 40].map(|units| Decimal { units, scale: 0 });
    equal_width(texts, &EqualWidth::new(widths)).map(Arc::new).map_err(|e| e.to_string())
}

/// The domain of the whole numbers from 0 on.
fn whole(values: usize) -> Domain {
    Domain::of_range(ValueType::Integer.into(), 0, values as u32, Spelling::WHOLE, false)
}

/// The same table of whole numbers, whose domains are all numbers from 0 on below a number, occurring or not.
pub fn with_all_values(table: &Table, values: u32) -> Result<Table, String> {
    let mut columns = table.columns().to_vec();
    for &number in table.quasi_identifiers() {
        let column = &mut columns[number];
        let Some((domain, codes)) = column.coded() else { continue };
        let value = |row: usize| domain.position(codes.get(row)) as u32;
        if (0..table.rows()).any(|row| value(row) >= values) {
            return Err(format!("column {} has values from {values} on", column.name));
        }
        let codes = Codes::collect(values as usize, (0..table.rows()).map(value));
        column.data = ColumnData::Coded { domain: Arc::new(whole(values as usize)), codes };
    }
    Table::new(table.rows(), columns).map_err(|e| e.to_string())
}

/// The table with ordered quasi-identifiers that only know the parts between some cuts, each after a code, per dimension:
/// what a search with a split set, and a greedy algorithm beside it, can tell apart.
pub fn coarsened(table: &Table, cuts: &[Vec<u32>]) -> Result<Table, String> {
    let mut columns = table.columns().to_vec();
    for (&number, cuts) in table.quasi_identifiers().iter().zip(cuts) {
        let column = &mut columns[number];
        let Some((_, codes)) = column.coded() else { continue };
        let part = |row: usize| cuts.partition_point(|&cut| cut < codes.get(row)) as u32;
        let codes = Codes::collect(cuts.len() + 1, (0..table.rows()).map(part));
        column.data = ColumnData::Coded { domain: Arc::new(whole(cuts.len() + 1)), codes };
    }
    Table::new(table.rows(), columns).map_err(|e| e.to_string())
}

/// Some rows of a table, with a key in the first column: the numbers of the rows.
pub fn keyed(table: &Table, rows: std::ops::Range<usize>) -> Result<Table, String> {
    let gather = |column: &Column| {
        let (domain, codes) = match &column.data {
            ColumnData::Coded { domain, codes } => (domain, codes),
            ColumnData::Texts(_) => return Err(format!("column {} has no codes", column.name)),
        };
        let codes = Codes::collect(domain.cardinality(), rows.clone().map(|row| codes.get(row)));
        let data = ColumnData::Coded { domain: Arc::clone(domain), codes };
        Ok(Column { name: column.name.clone(), role: column.role, data })
    };
    let numbers = Codes::collect(table.rows(), rows.clone().map(|row| row as u32));
    let data = ColumnData::Coded { domain: Arc::new(whole(table.rows())), codes: numbers };
    let mut columns = vec![Column { name: KEY.to_string(), role: Role::Insensitive, data }];
    for column in table.columns() {
        columns.push(gather(column)?);
    }
    Table::new(rows.len(), columns).map_err(|e| e.to_string())
}

/// The column that [`keyed`] adds.
pub const KEY: &str = "row";

#[cfg(test)]
mod tests {
    use super::*;
    use klimt_core::table::Shape;

    #[test]
    fn a_generated_table_has_the_values_of_its_text() {
        let wants = [
            Want::quasi("age", As::Intervals),
            Want::quasi("marital", As::Ordered),
            Want::quasi("race", As::Tree(2)),
            Want::other("income", Role::Target),
        ];
        let parameters = Parameters::new(500, 3);
        let table = generated("census", &parameters, &wants).unwrap();
        let mut text = Vec::new();
        let generator = build("census", &parameters).unwrap();
        klimt_io::generate::write_csv(&*generator, 1, b',', false, &mut text, &|_| ()).unwrap();
        for (row, line) in String::from_utf8(text).unwrap().lines().enumerate() {
            let fields: Vec<&str> = line.split(',').collect();
            let cell = |column: usize| {
                let mut out = Vec::new();
                table.columns()[column].write_text(row, &mut out);
                String::from_utf8(out).unwrap()
            };
            assert_eq!([cell(0), cell(1), cell(2), cell(3)], [fields[0], fields[3], fields[2], fields[8]]);
        }
        assert!(table.domain(0).hierarchy().is_some() && table.domain(2).hierarchy().is_some());
        assert!(matches!(table.domain(1).shape(), Shape::Ordered));
        assert!(generated("census", &parameters, &[Want::quasi("no", As::Plain)]).is_err());
    }

    #[test]
    fn decimals_keep_their_size() {
        let wants = [Want::quasi("age", As::Plain), Want::other("R7", Role::Target)];
        let table = generated("agrawal", &Parameters::new(50, 1), &wants).unwrap();
        let (domain, codes) = table.columns()[1].coded().unwrap();
        assert!(domain.is_measured() && domain.scale() == 2);
        assert_eq!(domain.text(codes.get(0)), "-12650.79");
    }

    #[test]
    fn a_coarsened_table_knows_the_parts_between_cuts() {
        let table = generated("uniform", &Parameters::new(300, 1), &quasi(&["X1", "X2"], As::Plain)).unwrap();
        let coarse = coarsened(&table, &[vec![1, 4], vec![]]).unwrap();
        assert_eq!((coarse.domain(0).cardinality(), coarse.domain(1).cardinality()), (3, 1));
        for row in 0..table.rows() {
            let part = match table.codes(0).get(row) {
                0..=1 => 0,
                2..=4 => 1,
                _ => 2,
            };
            assert_eq!((coarse.codes(0).get(row), coarse.codes(1).get(row)), (part, 0));
        }
    }

    #[test]
    fn values_that_do_not_occur_are_in_the_domain() {
        let parameters = Parameters { cardinality: Some(9), ..Parameters::new(5, 1) };
        let table = generated("uniform", &parameters, &quasi(&["X1"], As::Plain)).unwrap();
        let all = with_all_values(&table, 9).unwrap();
        assert!(table.domain(0).value_count() < 9);
        assert_eq!((all.domain(0).value_count(), all.rows()), (9, 5));
        let text = |table: &Table, row: usize| table.domain(0).text(table.codes(0).get(row));
        assert!((0..5).all(|row| text(&all, row) == text(&table, row)));
        assert!(with_all_values(&table, 1).is_err());
    }

    #[test]
    fn a_key_is_the_number_of_the_row() {
        let table = generated("uniform", &Parameters::new(10, 1), &quasi(&["X1"], As::Plain)).unwrap();
        let some = keyed(&table, 4..7).unwrap();
        let mut key = Vec::new();
        some.columns()[0].write_text(2, &mut key);
        assert_eq!((some.rows(), key, some.codes(0).get(0)), (3, b"6".to_vec(), table.codes(0).get(4)));
    }
}
