//! The rows of a store as a plan sees them, and the checks of sets of rows.

use crate::dictionary::StoreFrame;
use crate::page::{Extract, Page, for_each_page};
use crate::state::{Directory, SensitiveCounts};
use crate::vault::ValueSource;
use klimt_core::algorithm::rtree::LeafGrouping;
use klimt_core::partition::{CutNode, CutTree};
use klimt_core::parts::Whole;
use klimt_core::requirement::{Checks, Requirement};
use klimt_core::spill::{Block, BlockColumn};
use klimt_core::statistics::Collector;
use klimt_core::table::{Role, Table};
use klimt_core::{Error, Result};

/// Histograms have a place for every code of a column with at most this many.
const FEW_CODES: usize = 1 << 12;

/// The columns of a frame that have codes: all that requirements and cuts look at.
pub(crate) struct CodedColumns {
    /// The columns, without rows.
    pub table: Table,
    /// The number of each in the frame.
    numbers: Vec<usize>,
    /// The sensitive columns, by their place among these.
    pub sensitive: Vec<usize>,
}

impl CodedColumns {
    pub fn of(frame: &StoreFrame) -> Result<Self> {
        let columns = frame.table.columns();
        let numbers: Vec<usize> =
            (0..columns.len()).filter(|&number| columns[number].coded().is_some()).collect();
        let table = Table::new(0, numbers.iter().map(|&number| columns[number].clone()).collect())?;
        let is_sensitive = |place: &usize| table.columns()[*place].role == Role::Sensitive;
        let sensitive = (0..numbers.len()).filter(is_sensitive).collect();
        Ok(CodedColumns { table, numbers, sensitive })
    }

    /// The whole that requirements are bound to: `rows` rows with these counts.
    pub fn whole(&self, counts: &SensitiveCounts, frame: &StoreFrame, rows: u64) -> Whole<'_> {
        let place = |number: usize| self.numbers.iter().position(|&other| other == number);
        let counts = counts.whole(frame, rows).counts.into_iter();
        let counts = counts.filter_map(|(number, counts)| Some((place(number)?, counts))).collect();
        Whole { frame: &self.table, rows, counts }
    }

    /// The rows of a block of the frame, with these columns.
    fn extract(&self, block: &Block) -> Result<Block> {
        let mut out = Block::empty(&self.table);
        out.fill(block.rows(), |column, into| {
            let BlockColumn::Codes(codes) = &block.columns()[self.numbers[column]] else {
                return Err(Error::internal("a column has lost its codes"));
            };
            *into = BlockColumn::Codes(codes.clone());
            Ok(())
        })?;
        Ok(out)
    }
}

/// Requirements bound to a whole, ready to decide about sets of rows.
pub(crate) struct PeopleJudge<'c> {
    pub checks: Checks,
    collector: Collector<'c>,
}

impl<'c> PeopleJudge<'c> {
    pub fn new(requirements: &[Box<dyn Requirement>], whole: &Whole<'c>) -> Result<Self> {
        let checks = Checks::to(requirements, whole)?;
        let mut collector = Collector::of_rows(checks.needs(), whole.frame, whole.rows)?;
        collector.prepare_for_all(FEW_CODES);
        Ok(PeopleJudge { checks, collector })
    }

    /// Whether some rows of a block satisfy the requirements; where only sizes count, the block is not looked at.
    pub fn satisfied(&self, block: &Block, rows: &[u32]) -> bool {
        if (rows.len() as u64) < self.checks.minimum_size() {
            return false;
        }
        if self.checks.only_count() {
            return true;
        }
        let mut statistics = self.collector.empty();
        self.collector.add_rows(&mut statistics, block, rows);
        self.checks.satisfied(&statistics)
    }
}

/// The rows of a store in the order of its pages.
pub(crate) struct People {
    /// The unit of each row, ascending: a leaf, or a subtree that is not divided.
    pub units: Vec<u32>,
    /// The history of each row.
    pub marks: Vec<u32>,
    /// The columns that have codes; no rows where they are not needed.
    pub block: Block,
}

impl People {
    /// Reads the rows of a store, with their columns where these matter. Units are leaves, or the largest subtrees of which
    /// a cut leaves a side that violates the requirements.
    pub fn load(
        directory: &Directory,
        frame: &StoreFrame,
        coded: &CodedColumns,
        by: LeafGrouping,
        granular: &PeopleJudge<'_>,
        columns: bool,
        values: &dyn ValueSource,
    ) -> Result<Self> {
        let mut people = People { units: Vec::new(), marks: Vec::new(), block: Block::empty(&coded.table) };
        let extract = if columns { Extract::Columns } else { Extract::Outline };
        for_each_page(&directory.pages, extract, frame, values, |_, page| {
            let first = people.marks.len();
            people.marks.extend_from_slice(&page.rows.marks);
            if columns {
                people.block.append(&coded.extract(&page.rows.block)?);
            }
            let next = people.units.last().map_or(0, |last| last + 1);
            let sizes = units(&page, by, |rows: &[u32]| {
                let rows: Vec<u32> = rows.iter().map(|row| row + first as u32).collect();
                granular.satisfied(&people.block, &rows)
            });
            for (unit, rows) in (next..).zip(sizes) {
                people.units.extend(std::iter::repeat_n(unit, rows));
            }
            Ok(())
        })?;
        Ok(people)
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.marks.len()
    }
}

/// The sizes of the units of a page, in order.
fn units(page: &Page, by: LeafGrouping, satisfied: impl Fn(&[u32]) -> bool) -> Vec<usize> {
    let mut units = Vec::new();
    match by {
        LeafGrouping::LeafScan => units.extend(page.leaves().iter().map(|&rows| rows as usize)),
        LeafGrouping::Level => {
            divide(&page.tree, 0, 0, &satisfied, &mut units);
        }
    }
    units.retain(|&rows| rows > 0);
    units
}

/// Divides a subtree as far as both sides of a cut satisfy the requirements; returns how many rows it has.
fn divide(
    tree: &CutTree,
    at: usize,
    first: usize,
    satisfied: &impl Fn(&[u32]) -> bool,
    units: &mut Vec<usize>,
) -> usize {
    if let CutNode::Leaf { rows } = tree.nodes[at] {
        units.push(rows as usize);
        return rows as usize;
    }
    let before = units.len();
    let left = divide(tree, at + 1, first, satisfied, units);
    let right = divide(tree, at + tree.right(at), first + left, satisfied, units);
    let side = |first: usize, rows: usize| {
        rows == 0 || satisfied(&(first as u32..(first + rows) as u32).collect::<Vec<_>>())
    };
    if !side(first, left) || !side(first + left, right) {
        units.truncate(before);
        units.push(left + right);
    }
    left + right
}
