//! Partitionings of the engine as they would be published: what they lose, and how they answer queries.

use crate::Result;
use klimt_core::loss::{Loss, Original, PartitionGroups, Totals, measure};
use klimt_core::partition::Partitioning;
use klimt_core::region::Extents;
use klimt_core::registry;
use klimt_core::table::Table;
use klimt_core::workload::{Errors, QueriedRelease, Workload};

/// The groups of a table as a reader of the release sees them.
#[derive(Clone, Debug)]
pub struct EngineRelease<'t> {
    /// The original.
    pub table: &'t Table,
    /// The groups; those that are published alike are one.
    pub groups: Partitioning,
    /// Which intervals are published.
    pub extents: Extents,
}

impl<'t> EngineRelease<'t> {
    /// The release of a partitioning. Boundaries of regions are published where the cuts were kept.
    pub fn new(table: &'t Table, mut groups: Partitioning, extents: Extents) -> Self {
        let domains = table.domains();
        if let (Extents::Region, Some(tree)) = (extents, &groups.tree) {
            groups.regions = tree.regions(&domains, Some(&groups.regions));
        }
        groups.coalesce(&domains);
        EngineRelease { table, groups, extents }
    }

    /// The groups as losses see them.
    pub fn groups(&self) -> PartitionGroups<'_> {
        PartitionGroups { table: self.table, partitioning: &self.groups, extents: self.extents }
    }

    /// The losses of these names; not a number where one does not apply.
    pub fn losses(&self, k: u64, names: &[&str]) -> Result<Vec<f64>> {
        let weights = vec![1.0; self.table.dimensions()];
        let rows = self.table.rows() as u64;
        let suppressed = rows - self.groups.order.len() as u64;
        let totals = Totals { rows, suppressed, groups: self.groups.groups() as u64, k };
        let wanted: Vec<&dyn Loss> = named(names);
        let original = Original::new(self.table, &weights);
        let found = measure(wanted.into_iter(), &original, &self.groups(), &totals)?;
        let loss = |name: &&str| found.iter().find(|(id, _)| id == name).map_or(f64::NAN, |(_, loss)| *loss);
        Ok(names.iter().map(loss).collect())
    }

    /// How far the answers to queries are off.
    pub fn errors(&self, queries: &Workload) -> Result<Errors> {
        let mut bound = queries.bind(self.table)?;
        bound.count(self.table);
        let answers = QueriedRelease::of(&self.groups()).answers(&bound, &bound);
        Ok(Errors::new(queries, &bound, &bound.exact(self.table), &answers))
    }
}

/// What a partitioning loses with the smallest regions.
pub fn loss_of(table: &Table, groups: Partitioning, k: u64, name: &str) -> Result<f64> {
    Ok(EngineRelease::new(table, groups, Extents::Compact).losses(k, &[name])?[0])
}

/// The losses of these names, in the order of the registry.
pub fn named(names: &[&str]) -> Vec<&'static dyn Loss> {
    let wanted = registry::LOSSES.iter().filter(|(entry, _)| names.contains(&entry.id));
    wanted.map(|(_, loss)| *loss).collect()
}

/// The conditional entropy of a label in bits, times the rows of a part.
pub fn entropy(table: &Table, groups: &Partitioning, label: usize) -> f64 {
    let Some((domain, codes)) = table.columns()[label].coded() else { return f64::NAN };
    let of_group = |group: usize| {
        let rows = groups.rows(group);
        let mut counts = vec![0u64; domain.cardinality()];
        rows.iter().for_each(|&row| counts[codes.get(row as usize) as usize] += 1);
        let all = rows.len() as f64;
        counts.iter().filter(|&&c| c > 0).map(|&c| -(c as f64) * (c as f64 / all).log2()).sum::<f64>()
    };
    (0..groups.groups()).map(of_group).sum()
}

/// The sum of squared distances of a target from the means of its groups.
pub fn squared_error(table: &Table, groups: &Partitioning, target: usize) -> f64 {
    let Some((domain, codes)) = table.columns()[target].coded() else { return f64::NAN };
    let unit = 10f64.powi(domain.scale() as i32);
    let of_group = |group: usize| {
        let value = |&row: &u32| domain.position(codes.get(row as usize)) as f64 / unit;
        let rows = groups.rows(group);
        let mean = rows.iter().map(value).sum::<f64>() / rows.len() as f64;
        rows.iter().map(|row| (value(row) - mean).powi(2)).sum::<f64>()
    };
    (0..groups.groups()).map(of_group).sum()
}
