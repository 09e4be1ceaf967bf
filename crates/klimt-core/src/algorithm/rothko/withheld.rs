//! Groups that may be published like groups of other parts.
//!
//! A cut between two leaves of a hierarchy can leave groups on both sides that are published as the same node, and so
//! are one group to the reader of the release. Those that can are kept back until all parts are done, and merged then.

use crate::Result;
use crate::partition::Partitioning;
use crate::partition::Way;
use crate::region::Cell;
use crate::spill::{Block, SpillFile, SpillRange, SpilledPart};
use crate::table::Table;

/// Rows are written when they take this many bytes.
const BUFFER: usize = 1 << 18;

/// The rows of groups that were kept back, group by group.
pub(super) struct WithheldGroups {
    file: Option<SpillFile>,
    waiting: Block,
    places: Vec<SpillRange>,
    sizes: Vec<u32>,
}

impl WithheldGroups {
    pub fn new(frame: &Table) -> Self {
        WithheldGroups { file: None, waiting: Block::empty(frame), places: Vec::new(), sizes: Vec::new() }
    }

    /// The number of rows.
    pub fn rows(&self) -> u64 {
        self.sizes.iter().map(|&size| u64::from(size)).sum()
    }

    /// Takes the groups that may be published like one beyond the cuts on the way to them. The groups of the part at the
    /// end of a way end at its row.
    pub fn take(
        &mut self,
        table: &Table,
        partitioning: &mut Partitioning,
        parts: &[(u32, &Way)],
        file: impl FnOnce() -> Result<SpillFile>,
    ) -> Result<()> {
        let mut taken = Vec::new();
        let mut part = 0;
        for group in 0..partitioning.groups() {
            while parts[part].0 < partitioning.ends[group] {
                part += 1;
            }
            if straddles(table, partitioning, group, parts[part].1) {
                taken.push(group);
            }
        }
        if taken.is_empty() {
            return Ok(());
        }
        if self.file.is_none() {
            self.file = Some(file()?);
        }
        for &group in &taken {
            let rows = partitioning.rows(group);
            self.sizes.push(rows.len() as u32);
            self.waiting.append_table(table, rows);
            if self.waiting.held_bytes() >= BUFFER {
                self.write()?;
            }
        }
        let domains = table.domains();
        partitioning.drop_groups(&taken, &domains);
        Ok(())
    }

    fn write(&mut self) -> Result<()> {
        if let Some(file) = &self.file {
            let mut bytes = Vec::new();
            self.waiting.encode(&mut bytes);
            self.places.push(file.append(&bytes)?);
            self.waiting.clear();
        }
        Ok(())
    }

    /// The rows that were kept back, and the size of each of their groups.
    pub fn load(mut self, frame: &Table) -> Result<(Block, Vec<u32>)> {
        self.write()?;
        let rows = self.rows();
        let mut block = Block::empty(frame);
        block.reserve(rows as usize);
        if let Some(file) = &self.file {
            SpilledPart::new(file, self.places, rows).append_to(&mut block)?;
        }
        Ok((block, self.sizes))
    }
}

/// Whether a cut on the way to a group goes through a node that is published of it.
fn straddles(table: &Table, partitioning: &Partitioning, group: usize, way: &Way) -> bool {
    way.thresholds().any(|(dimension, code)| {
        let domain = table.domain(dimension);
        let Some(tree) = domain.hierarchy() else { return false };
        match partitioning.regions.cell(group, dimension, domain) {
            Cell::Node(node) if node != tree.root() => {
                let (first, last) = tree.span(node);
                first <= code && code < last
            }
            Cell::Node(_) | Cell::All => true,
            _ => false,
        }
    })
}
