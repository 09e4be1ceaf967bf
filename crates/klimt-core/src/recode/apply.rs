//! A recoding function on other data: every row goes to the leaf that its values lead to.
//!
//! With region extents a group is published as the boundaries of its leaf, with compact ones as the smallest intervals over
//! its rows. A value outside of the function's values is published as `*`.

use super::axis::ValuePosition;
use super::function::{BoxSide, LeafBox, RecodingFunction};
use crate::partition::{CutNode, Descent, Partitioning};
use crate::region::{Cell, Extents, Regions};
use crate::table::{Codes, Column, ColumnData, Domain, Role, Shape, Table};
use crate::{Error, Result};

/// A table recoded by a function, ready to be released.
#[derive(Debug)]
pub struct RecodedTable {
    /// The table, with its quasi-identifiers by the domains that they are published in.
    pub table: Table,
    /// Its rows by region.
    pub partitioning: Partitioning,
    /// Cells that hold a value outside the function's domain; they are published as `*`.
    pub outside: usize,
}

/// How a function is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manner {
    /// Which intervals are published.
    pub extents: Extents,
    /// Whether rows outside the smallest region over the published rows of their leaf are kept apart from those inside, so
    /// that they can be suppressed as rows like them were before. It makes a difference only where rows were suppressed.
    pub apart: bool,
}

/// How a cell of other data relates to the function's domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CellMatch {
    /// Its value is in the domain.
    Inside,
    /// It has no value.
    Missing,
    /// Its value is not in the domain.
    Outside,
}

/// The values that the rows of a group share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RowKey {
    leaf: u32,
    beside: bool,
    places: Vec<CellMatch>,
}

/// A column of other data by the function's domain.
struct MatchedColumn {
    domain: Domain,
    /// Where each row lies; nowhere where its value is missing or outside.
    found: Vec<Option<ValuePosition>>,
    places: Vec<CellMatch>,
}

impl MatchedColumn {
    /// The code of a row in the function's domain; that of the missing value where it has none.
    fn code(&self, row: usize) -> u32 {
        self.found[row].map_or(self.domain.value_count() as u32, |found| found.code)
    }
}

impl RecodingFunction {
    /// Recodes a table that has every column of the function as a quasi-identifier.
    pub fn apply(&self, table: &Table, manner: Manner) -> Result<RecodedTable> {
        let placed = (0..self.columns.len()).map(|column| self.place(table, column));
        let placed: Vec<MatchedColumn> = placed.collect::<Result<_>>()?;
        let column = |dimension: usize| {
            let name = &table.dimension(dimension).name;
            let found = self.columns.iter().position(|column| column.name == *name);
            found.ok_or_else(|| Error::input(format!("the recoding function has no column {name}")))
        };
        let columns: Vec<usize> = (0..table.dimensions()).map(column).collect::<Result<_>>()?;
        // Behind the values of the function's own domains stands whatever has no value there.
        let codes = |dimension: usize| {
            let values = placed[dimension].domain.value_count();
            (values + 1, Some(values as u32))
        };
        let descent = Descent::new(&self.tree, codes);
        let mut rows: Vec<(RowKey, u32)> =
            (0..table.rows()).map(|row| (self.key(&placed, &descent, row, manner), row as u32)).collect();
        rows.sort_unstable();
        let (mut order, mut ends, mut keys): (Vec<u32>, Vec<u32>, Vec<RowKey>) = Default::default();
        for group in rows.chunk_by(|a, b| a.0 == b.0) {
            order.extend(group.iter().map(|(_, row)| row));
            ends.push(order.len() as u32);
            keys.push(group[0].0.clone());
        }
        let outside =
            placed.iter().flat_map(|column| &column.places).filter(|place| **place == CellMatch::Outside);
        let outside = outside.count();
        let table = self.published_table(table, &placed, manner.extents)?;
        let mut partitioning = Partitioning {
            order,
            ends,
            regions: Regions::new(columns.len()),
            tree: None,
            bound: None,
            strict: false,
        };
        partitioning.regions = match manner.extents {
            Extents::Region => self.boundaries(&placed, &columns, &keys),
            Extents::Compact => self.smallest(&table, &columns, &partitioning.compact(&table), &keys),
        };
        Ok(RecodedTable { table, partitioning, outside })
    }

    fn place(&self, table: &Table, column: usize) -> Result<MatchedColumn> {
        let column = &self.columns[column];
        let dimension = (0..table.dimensions()).find(|&d| table.dimension(d).name == column.name);
        let dimension = dimension.ok_or_else(|| {
            Error::input(format!("the data has no column {}, which is recoded", column.name))
        })?;
        let (domain, own, codes) = (column.domain()?, table.domain(dimension), table.codes(dimension));
        let each = (0..own.value_count() as u32).map(|code| column.find(&domain, &own.text(code)));
        let each: Vec<Option<ValuePosition>> = each.collect();
        let code = |row| codes.get(row);
        let found = (0..table.rows()).map(|row| each.get(code(row) as usize).copied().flatten());
        let mut found: Vec<Option<ValuePosition>> = found.collect();
        // The missing value of a set that has one is a member like any other.
        if let (Shape::Set, true, Some(missing)) =
            (domain.shape(), column.axis.knows_missing(), own.missing_code())
        {
            let member = ValuePosition { code: domain.value_count() as u32, exact: true };
            (0..table.rows()).filter(|&row| code(row) == missing).for_each(|row| found[row] = Some(member));
        }
        let place = |row: usize| match found[row] {
            Some(_) => CellMatch::Inside,
            None if Some(code(row)) == own.missing_code() => CellMatch::Missing,
            None => CellMatch::Outside,
        };
        let places = (0..table.rows()).map(place).collect();
        Ok(MatchedColumn { domain, found, places })
    }

    fn key(&self, placed: &[MatchedColumn], descent: &Descent, row: usize, manner: Manner) -> RowKey {
        let leaf = descent.node(|dimension| placed[dimension].code(row)) as u32;
        let place = |(dimension, column): (usize, &MatchedColumn)| match column.places[row] {
            CellMatch::Missing if self.is_starred(leaf, dimension) => CellMatch::Inside,
            place => place,
        };
        let places: Vec<CellMatch> = placed.iter().enumerate().map(place).collect();
        let held = || match self.boxes.binary_search_by_key(&leaf, |leaf| leaf.leaf) {
            Ok(at) => self.boxes[at].holds(placed, row),
            Err(_) => false,
        };
        let beside = manner.apart && manner.extents == Extents::Compact && !self.boxes.is_empty() && !held();
        RowKey { leaf, beside, places }
    }

    fn is_starred(&self, leaf: u32, dimension: usize) -> bool {
        self.starred.binary_search(&(leaf, dimension as u32)).is_ok()
    }

    /// The table by the domains that are published: those of the function, but for the smallest intervals of numbers, days
    /// and instants, whose ends are values of the table.
    fn published_table(&self, table: &Table, placed: &[MatchedColumn], extents: Extents) -> Result<Table> {
        let columns = table.columns().iter().map(|column| {
            let found = self.columns.iter().position(|recoded| recoded.name == column.name);
            let Some(dimension) = found.filter(|_| column.role == Role::QuasiIdentifier) else {
                return column.clone();
            };
            if extents == Extents::Compact && self.columns[dimension].axis.is_measured() {
                return column.clone();
            }
            let domain = placed[dimension].domain.clone();
            let codes = (0..table.rows()).map(|row| placed[dimension].code(row));
            let codes = Codes::collect(domain.cardinality(), codes);
            let data = ColumnData::Coded { domain: domain.into(), codes };
            Column { name: column.name.clone(), role: column.role, data }
        });
        Ok(Table::new(table.rows(), columns.collect())?.with_dimensions_of(table))
    }

    /// The region of every group by the boundaries of its leaf, and `*` where its rows have no place in the leaf.
    /// `columns` has the function's column of every dimension of the table.
    fn boundaries(&self, placed: &[MatchedColumn], columns: &[usize], keys: &[RowKey]) -> Regions {
        let domains: Vec<&Domain> = placed.iter().map(|column| &column.domain).collect();
        let mut every = self.tree.clone();
        let mut number = vec![0; every.nodes.len()];
        let mut leaves = 0;
        for (at, node) in every.nodes.iter_mut().enumerate() {
            if let CutNode::Leaf { rows } = node {
                (*rows, number[at]) = (1, leaves);
                leaves += 1;
            }
        }
        let by_leaf = every.regions(&domains, None);
        let mut regions = Regions::new(domains.len());
        for key in keys {
            let region = number[key.leaf as usize];
            for &column in columns {
                let (domain, known) = (domains[column], self.columns[column].axis.knows_missing());
                let all = match key.places[column] {
                    CellMatch::Outside => {
                        regions.push_anything();
                        continue;
                    }
                    CellMatch::Inside => self.is_starred(key.leaf, column),
                    CellMatch::Missing => !(known && by_leaf.holds_missing(region, column, domain)),
                };
                match domain.shape() {
                    Shape::Set if all => regions.push_anything(),
                    Shape::Set => push_members(&by_leaf, region, column, domain, known, &mut regions),
                    _ if all => regions.push_interval(0, domain.cardinality() as u32 - 1),
                    _ => regions.push_copy(&by_leaf, region, column, domain),
                }
            }
        }
        regions
    }

    /// The smallest region over every group, and `*` where its rows have values outside the function's domain.
    fn smallest(&self, table: &Table, columns: &[usize], compact: &Regions, keys: &[RowKey]) -> Regions {
        let mut regions = Regions::new(columns.len());
        for (group, key) in keys.iter().enumerate() {
            for (dimension, &column) in columns.iter().enumerate() {
                let domain = table.domain(dimension);
                let known = self.columns[column].axis.knows_missing();
                match key.places[column] {
                    CellMatch::Outside => regions.push_anything(),
                    CellMatch::Missing if !known => regions.push_anything(),
                    CellMatch::Inside if self.is_starred(key.leaf, column) => match domain.shape() {
                        Shape::Hierarchy(_) => regions.push_interval(0, domain.cardinality() as u32 - 1),
                        _ => regions.push_anything(),
                    },
                    _ if matches!(domain.shape(), Shape::Set) => {
                        push_members(compact, group, dimension, domain, known, &mut regions);
                    }
                    _ => regions.push_copy(compact, group, dimension, domain),
                }
            }
        }
        regions
    }
}

/// Adds the members of a set; `*` where these are all that the function knows. The missing value of a set that never had
/// one only stands for values outside, and is left out.
fn push_members(
    other: &Regions,
    region: usize,
    dimension: usize,
    domain: &Domain,
    knows_missing: bool,
    regions: &mut Regions,
) {
    let Cell::Set(members) = other.cell(region, dimension, domain) else { return regions.push_anything() };
    let dropped = domain.missing_code().filter(|_| !knows_missing);
    let members: Vec<u32> = members.iter().copied().filter(|&code| Some(code) != dropped).collect();
    let all = domain.cardinality() - usize::from(dropped.is_some());
    match members.len() == all && all > 1 {
        true => regions.push_anything(),
        false => regions.push_set(members.into_iter()),
    }
}

impl LeafBox {
    /// Whether a row lies inside.
    fn holds(&self, placed: &[MatchedColumn], row: usize) -> bool {
        self.sides.iter().zip(placed).all(|(side, column)| match (side, column.found[row]) {
            (BoxSide::All, _) => true,
            (BoxSide::Missing, None) => column.places[row] == CellMatch::Missing,
            (BoxSide::Ends(lo, hi), Some(found)) => {
                found.code <= *hi && (found.code > *lo || (found.code == *lo && found.exact))
            }
            (BoxSide::Members(members), Some(found)) => members.contains(&found.code),
            (BoxSide::Members(members), None) => {
                column.places[row] == CellMatch::Missing && members.contains(&column.code(row))
            }
            (BoxSide::Missing, Some(_)) | (BoxSide::Ends(..), None) => false,
        })
    }
}
