//! Publishes the groups of a table larger than memory as they are found, part by part.

use super::finish_regions;
use super::publication::{Checked, Part, Parts, Publication, comparison};
use crate::observer::{Stage, Stretch};
use klimt_core::loss::{Original, PartitionGroups, Sums, Totals};
use klimt_core::partition::{CutNode, CutTree, Partitioning};
use klimt_core::parts::{PartSink, Way, Whole};
use klimt_core::recode::{FixedValues, Release, RowOrder, Rules, StatisticKind};
use klimt_core::region::Extents;
use klimt_core::requirement::WholeFacts;
use klimt_core::table::{Column, Role, Table};
use klimt_core::words::option;
use klimt_core::workload::TableWorkload;
use klimt_core::{Error, Result, registry};
use klimt_verify::claims::{ClaimedValues, ValueCounts, ValueSum};
use rayon::ThreadPool;

/// What is published, and how.
#[derive(Clone, Copy)]
pub struct Manner<'a> {
    /// Which intervals are published.
    pub extents: Extents,
    /// Which statistics stand beside them.
    pub statistics: &'a [StatisticKind],
    /// In which order rows stand.
    pub row_order: RowOrder,
    /// How much each dimension matters.
    pub weights: &'a [f64],
    /// What will be asked of the release, where that is known.
    pub workload: Option<&'a TableWorkload>,
}

impl<'a> Manner<'a> {
    /// A part of the table, as losses see it.
    fn original<'t>(&self, table: &'t Table) -> Original<'t>
    where
        'a: 't,
    {
        Original::new(table, self.weights).with_workload(self.workload)
    }
}

/// A release that grows with every part that is found.
pub struct Publisher<'a> {
    publication: Publication<'a>,
    manner: Manner<'a>,
    stage: &'a Stretch<'a>,
    /// What is to be said of the whole before anything is published.
    warn: &'a (dyn Fn(&Whole<'_>) + Sync),
    parts: Option<Parts<'a>>,
    /// The cuts, where a recoding function is saved.
    rules: Option<Rules<'a>>,
    /// The pool that it shares with what finds the groups.
    pool: Option<&'a ThreadPool>,
    sums: Sums<'static, 'a>,
    fixed: FixedValues,
    rows: u64,
    groups: u64,
    /// The streams of random numbers that have been used: one per group, or slice of one.
    streams: u64,
}

/// A release of all parts, checked.
pub struct Published<'a> {
    /// The file and what is known of it.
    pub checked: Checked,
    /// The cuts, where a recoding function is saved.
    pub rules: Option<Rules<'a>>,
    /// The losses that can be told without all rows at once.
    pub losses: Vec<(&'static str, f64)>,
    /// The groups whose values are fixed by statistics.
    pub fixed: FixedValues,
}

impl<'a> Publisher<'a> {
    /// Nothing as yet.
    pub fn new(
        publication: Publication<'a>,
        manner: Manner<'a>,
        stage: &'a Stretch<'a>,
        warn: &'a (dyn Fn(&Whole<'_>) + Sync),
        rules: Option<Rules<'a>>,
    ) -> Self {
        let frame = manner.original(publication.frame);
        let sums = Sums::new(registry::LOSSES.iter().map(|(_, loss)| *loss), &frame);
        Publisher {
            publication,
            manner,
            stage,
            warn,
            parts: None,
            rules,
            pool: None,
            sums,
            fixed: FixedValues::default(),
            rows: 0,
            groups: 0,
            streams: 0,
        }
    }

    /// The same, in a pool that it shares with what finds the groups; else it takes the global one.
    pub fn in_pool(self, pool: Option<&'a ThreadPool>) -> Self {
        Publisher { pool, ..self }
    }

    /// The pool that it shares with what finds the groups.
    pub(super) fn pool(&self) -> Option<&'a ThreadPool> {
        self.pool
    }

    /// Ends and checks the release when all parts have come.
    pub fn finish(self) -> Result<Published<'a>> {
        let parts = self.parts.ok_or_else(|| Error::internal("no part of the release was found"))?;
        let checked = parts.finish()?;
        if checked.findings.groups != self.groups || checked.findings.suppressed > 0 {
            return Err(Error::internal("groups of different parts of the release are published alike"));
        }
        let totals = Totals { rows: self.rows, suppressed: 0, groups: self.groups, k: self.publication.k };
        let losses = self.sums.finish(&totals);
        Ok(Published { checked, rules: self.rules, losses, fixed: self.fixed })
    }

    /// What the checker is told of the sensitive columns, in their order.
    fn told(&self, whole: &Whole<'_>) -> Result<Vec<ClaimedValues>> {
        let columns = whole.frame.columns().iter().enumerate();
        let sensitive = columns.filter(|(_, column)| column.role == Role::Sensitive);
        let told = sensitive.map(|(number, column)| {
            let requirements = self.publication.requirements.iter();
            let mut about = requirements.filter(|requirement| requirement.column() == Some(&column.name));
            let counts = whole.counts.iter().find(|(of, _)| *of == number);
            let (_, rows) = counts.ok_or_else(|| uncounted(column))?;
            let compared = about.any(|requirement| requirement.compares_with_whole());
            // Pairs of a person and a value need the number of each value.
            told(column, rows, compared || whole.frame.person().is_some())
        });
        told.collect()
    }

    fn write(&mut self, table: &Table, partitioning: &Partitioning, part: Part) -> Result<()> {
        let Manner { extents, statistics, row_order, .. } = self.manner;
        let release = Release::new(table, partitioning, extents, row_order, statistics);
        let is_whole = part == Part::Groups && table.rows() as u64 == self.rows;
        let release = if is_whole { release } else { release.after(self.streams) };
        self.streams += partitioning.groups() as u64;
        self.fixed.add(&release);
        let parts = self.parts.as_mut().ok_or_else(|| Error::internal("a part came before its whole"))?;
        parts.write(&release, self.stage, part)
    }
}

impl PartSink for Publisher<'_> {
    fn begin(&mut self, whole: &Whole<'_>) -> Result<()> {
        self.stage.rename(Stage::Partitioning);
        self.rows = whole.rows;
        (self.warn)(whole);
        self.parts = Some(self.publication.in_parts(
            whole.rows,
            self.told(whole)?,
            whole.people().map(|facts| facts.people),
        )?);
        Ok(())
    }

    fn part(&mut self, table: Table, mut partitioning: Partitioning, way: &Way) -> Result<()> {
        let table = &table;
        self.stage.rename(Stage::Writing);
        if let Some(tree) = &mut partitioning.tree {
            if let Some(rules) = &mut self.rules {
                rules.add(way, tree, &partitioning.regions)?;
            }
            *tree = way.plant(tree);
        }
        finish_regions(&mut partitioning, table, self.manner.extents);
        self.write(table, &partitioning, Part::Groups)?;
        self.groups += partitioning.groups() as u64;
        let groups = PartitionGroups { table, partitioning: &partitioning, extents: self.manner.extents };
        self.sums.add(&self.manner.original(table), &groups)
    }

    fn slice(&mut self, table: Table, mut slice: Partitioning, way: &Way, last: bool) -> Result<()> {
        let table = &table;
        self.stage.rename(Stage::Writing);
        if !self.manner.statistics.is_empty() {
            return Err(Error::resource(
                "the statistics of a group that is larger than memory cannot be told",
            )
            .with_help(format!(
                "grant more {}, or publish no {}",
                option("memory"),
                option("statistics")
            )));
        }
        let leaf = CutTree { nodes: vec![CutNode::Leaf { rows: 1 }], members: Vec::new() };
        if let Some(rules) = self.rules.as_mut().filter(|_| last) {
            rules.add(way, &leaf, &slice.regions)?;
        }
        if self.manner.extents == Extents::Region {
            let domains: Vec<_> = (0..table.dimensions()).map(|d| table.domain(d)).collect();
            slice.regions = way.plant(&leaf).regions(&domains, Some(&slice.regions));
        }
        self.write(table, &slice, if last { Part::LastSlice } else { Part::Slice })?;
        self.groups += u64::from(last);
        let groups = PartitionGroups { table, partitioning: &slice, extents: self.manner.extents };
        self.sums.add_slice(&self.manner.original(table), &groups, last)
    }
}

/// What the checker is told of a sensitive column: its values where groups are compared with them, and else their sum.
fn told(column: &Column, rows: &[u64], compared: bool) -> Result<ClaimedValues> {
    let (domain, _) = column.coded().ok_or_else(|| uncounted(column))?;
    let mut counts = ValueCounts::compared(&column.name, comparison(domain));
    let mut sum = ValueSum::new(&column.name, comparison(domain));
    let mut text = Vec::new();
    for (code, &rows) in (0u32..).zip(rows).filter(|(_, rows)| **rows > 0) {
        text.clear();
        domain.write_text(code, &mut text);
        match compared {
            true => counts.add(&text, rows)?,
            false => sum.add(&text, rows),
        }
    }
    Ok(if compared { ClaimedValues::Counts(counts) } else { ClaimedValues::Sum(sum) })
}

fn uncounted(column: &Column) -> Error {
    Error::internal(format!("the values of column {} were not counted", column.name))
}
