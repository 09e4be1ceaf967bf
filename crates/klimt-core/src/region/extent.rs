//! The codes that a published cell covers.

use super::{Cell, Extents};
use crate::table::{Domain, Extent, Shape};

/// The extent of what is published of a cell. An interval between region boundaries starts at the value before it,
/// which is where its open end is published.
pub fn extent_of(cell: &Cell<'_>, domain: &Domain, extents: Extents) -> Extent {
    let last = domain.cardinality() as u32 - 1;
    match *cell {
        Cell::Interval { lo, hi } => {
            let open = extents == Extents::Region && lo > 0 && !domain.is_single(lo, hi);
            Extent::Interval { lo: if open { lo - 1 } else { lo }, hi }
        }
        Cell::Node(node) => {
            let tree = domain.hierarchy().expect("a node belongs to a hierarchy");
            let (lo, hi) = tree.span(node);
            Extent::Interval { lo, hi: if node == tree.root() { last } else { hi } }
        }
        Cell::Set(members) => members_extent(domain, members.iter().copied()),
        Cell::Missing => Extent::Interval { lo: last, hi: last },
        Cell::All if matches!(domain.shape(), Shape::Set) => members_extent(domain, 0..=last),
        Cell::All => Extent::Interval { lo: 0, hi: last },
    }
}

fn members_extent(domain: &Domain, codes: impl IntoIterator<Item = u32>) -> Extent {
    let mut extent = Extent::no_members(domain.cardinality());
    codes.into_iter().for_each(|code| extent.add(code));
    extent
}
