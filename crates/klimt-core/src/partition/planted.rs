//! From cuts to groups: the partitioning that a cut tree makes of a table.

use super::{Branch, CutNode, CutTree, Descent, Partitioning};
use crate::Result;
use crate::packed::{PackedKernel, PackedRows, Tuple, compact_regions, pack};
use crate::table::Table;

impl Partitioning {
    /// The partitioning that cuts make of all rows of a table: nothing is believed of the tree but where it cuts. Leaves
    /// that hold rows become groups, in order, and each leaf of the kept tree says how many it holds.
    ///
    /// Cuts whose sides share a code (relaxed partitioning) do not say which row goes where, so none may be in the tree.
    pub fn planted(table: &Table, tree: CutTree) -> Result<Partitioning> {
        struct Plant<'a>(&'a Table, CutTree);
        impl PackedKernel for Plant<'_> {
            type Output = Partitioning;
            fn run<T: Tuple>(self, mut packed: PackedRows<T>) -> Result<Partitioning> {
                let Plant(table, mut tree) = self;
                let descent = Descent::over(&tree, table);
                let ends = sow(&mut tree, &mut packed, &descent);
                let regions = compact_regions(&packed.rows, &ends, table);
                let (order, tree) = (packed.ids, Some(tree));
                Ok(Partitioning { order, ends, regions, tree, bound: None, strict: true })
            }
        }
        pack(table, (0..table.rows() as u32).collect(), Plant(table, tree))
    }
}

/// Moves the rows below the leaves that hold them, counts them there, and returns where the groups end.
fn sow<T: Tuple>(tree: &mut CutTree, packed: &mut PackedRows<T>, descent: &Descent) -> Vec<u32> {
    let mut away = packed.clone();
    let mut ends = Vec::new();
    let mut pending = vec![(0, 0..packed.rows.len())];
    while let Some((at, range)) = pending.pop() {
        let turn = &descent.turns()[at];
        let dimension = match turn {
            Branch::Leaf(_) => {
                tree.nodes[at] = CutNode::Leaf { rows: range.len() as u32 };
                if !range.is_empty() {
                    ends.push(range.end as u32);
                }
                continue;
            }
            Branch::Threshold { dimension, .. }
            | Branch::MissingLeft { dimension, .. }
            | Branch::Subset { dimension, .. } => *dimension,
        };
        let (mut left, mut right) = (range.start, 0);
        for row in range.clone() {
            let (tuple, id) = (packed.rows[row], packed.ids[row]);
            if turn.goes_right(tuple.code(dimension)) {
                (away.rows[right], away.ids[right]) = (tuple, id);
                right += 1;
            } else {
                (packed.rows[left], packed.ids[left]) = (tuple, id);
                left += 1;
            }
        }
        packed.rows[left..range.end].copy_from_slice(&away.rows[..right]);
        packed.ids[left..range.end].copy_from_slice(&away.ids[..right]);
        pending.push((at + tree.right(at), left..range.end));
        pending.push((at + 1, range.start..left));
    }
    ends
}
