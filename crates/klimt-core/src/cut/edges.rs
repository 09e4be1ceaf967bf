//! The boundaries of a part, in the dimensions whose published width is restricted.
//!
//! Where a release shows boundaries instead of the values that groups hold, a group may lie close together in wide
//! boundaries, so that a restriction of widths is about the places of cuts and not about rows.

use super::finder::Cut;
use crate::region::extent_of;
use crate::region::{Cell, Extents};
use crate::requirement::Checks;
use crate::table::{Domain, Table};

/// The codes between the boundaries of a part, in every restricted dimension.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartEdges {
    each: Vec<Edge>,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    dimension: usize,
    lo: u32,
    hi: u32,
}

impl PartEdges {
    /// The boundaries of the whole space.
    pub fn whole(requirements: &Checks, table: &Table) -> Self {
        let edge = |dimension: usize| {
            let hi = (table.domain(dimension).cardinality() as u32).saturating_sub(1);
            Edge { dimension, lo: 0, hi }
        };
        PartEdges { each: requirements.restricted_dimensions().map(edge).collect() }
    }

    /// The code after which a dimension is cut, where rows have codes up to `code` and from `next` on, so that both sides
    /// are as wide as the requirements ask for: the first from `code` on, as a value that no row has may be on either side.
    pub fn place(
        &self,
        requirements: &Checks,
        domain: &Domain,
        dimension: usize,
        (code, next): (u32, u32),
    ) -> Option<u32> {
        let Some(edge) = self.each.iter().find(|edge| edge.dimension == dimension) else { return Some(code) };
        let wide = |lo: u32, hi: u32| admits(requirements, domain, dimension, lo, hi);
        let place = (code..next).find(|&place| wide(edge.lo, place))?;
        wide(place + 1, edge.hi).then_some(place)
    }

    /// Whether the widths of a dimension are restricted.
    pub fn restrict(&self, dimension: usize) -> bool {
        self.each.iter().any(|edge| edge.dimension == dimension)
    }

    /// The boundaries on one side of a cut.
    pub fn beside(&self, cut: &Cut, left: bool) -> Self {
        match cut {
            Cut::Threshold { dimension, code, .. } => self.cut(*dimension, *code, left),
            _ => self.clone(),
        }
    }

    /// The boundaries on one side of a cut after a code.
    pub fn cut(&self, dimension: usize, code: u32, left: bool) -> Self {
        let mut side = self.clone();
        for edge in side.each.iter_mut().filter(|edge| edge.dimension == dimension) {
            match left {
                true => edge.hi = edge.hi.min(code),
                false => edge.lo = edge.lo.max(code + 1),
            }
        }
        side
    }
}

/// Whether what is published between two boundaries, given by the first and the last code between them, is as wide as the
/// requirements ask for.
pub(crate) fn admits(requirements: &Checks, domain: &Domain, dimension: usize, lo: u32, hi: u32) -> bool {
    requirements.admits(dimension, &extent_of(&Cell::Interval { lo, hi }, domain, Extents::Region))
}
