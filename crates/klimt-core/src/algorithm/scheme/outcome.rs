//! Turns a generalization into groups, regions and a proof.

use super::family::Generalization;
use super::keys::Grouper;
use super::missing;
use super::problem::SchemeProblem;
use super::search::SearchResult;
use crate::Result;
use crate::distinct::gather;
use crate::partition::{self, CutNode, CutTree, LowerBound, Partitioning};
use crate::region::{Extents, Regions};
use crate::table::{Domain, Shape};

/// The partitioning that a generalization makes. The cuts of its tree lie between the blocks of every column.
pub(super) fn partitioning(
    problem: &SchemeProblem<'_>,
    reached: &SearchResult,
    family: partition::Family,
) -> Result<Partitioning> {
    let table = problem.job.table;
    let parts = &reached.best.parts;
    let options: Vec<Option<&Generalization>> = parts.iter().map(Some).collect();
    let (groups, many) = problem.regroup(&problem.base, &options, &mut Grouper::default());
    let merged = problem.base.merged(&groups, many);
    let axes: Vec<BlockOrder> =
        (0..parts.len()).map(|column| BlockOrder::new(problem, column, &parts[column])).collect();
    let mut places: Vec<(Vec<u32>, u32)> = (0..many as u32)
        .map(|group| {
            let tuple = merged.tuples[group as usize] as usize;
            let place = |(column, axis): (usize, &BlockOrder)| {
                axis.places[problem.tuples.atoms(column)[tuple] as usize]
            };
            (axes.iter().enumerate().map(place).collect(), group)
        })
        .collect();
    places.sort_unstable();
    let mut numbers = vec![0; many];
    (0..).zip(&places).for_each(|(number, (_, group))| numbers[*group as usize] = number);

    let of_row: Vec<u32> =
        problem.tuples.of_row.iter().map(|&tuple| numbers[groups[tuple as usize] as usize]).collect();
    let (order, ends) = gather(&of_row, many);
    let mut tree = CutTree::default();
    plant(&axes, &places, &merged.rows, 0, &mut tree);
    let mut found = Partitioning {
        order,
        ends: ends.into_iter().map(|end| end as u32).collect(),
        regions: Regions::new(parts.len()),
        tree: Some(tree),
        bound: Some(LowerBound {
            family,
            sum: reached.bound,
            suppresses: problem.limit > 0,
            extents: Extents::Region,
        }),
        strict: true,
    };
    found.regions = stars(problem, parts, &merged.tuples, &places, &found.compact(table));
    let suppressed: Vec<usize> =
        (0..many).filter(|&at| !problem.satisfied(&merged, places[at].1 as usize)).collect();
    let domains: Vec<&Domain> = (0..parts.len()).map(|column| table.domain(column)).collect();
    if !suppressed.is_empty() {
        found.drop_groups(&suppressed, &domains);
    }
    if axes.iter().any(|axis| axis.joined.is_some()) {
        missing::divide(problem, &mut found)?;
        // The search knows nothing of groups that are published as `*`, nor of those that are divided.
        found.bound = None;
    }
    Ok(found)
}

/// The smallest regions, but for blocks in which the missing value is with others: every group in such a block is published
/// as `*`, whether a value is missing in it or not.
fn stars(
    problem: &SchemeProblem<'_>,
    parts: &[Generalization],
    tuples: &[u32],
    places: &[(Vec<u32>, u32)],
    compact: &Regions,
) -> Regions {
    let starred = |(column, part): (usize, &Generalization)| {
        let domain = problem.job.table.domain(column);
        let missing = domain.missing_code().filter(|_| !matches!(domain.shape(), Shape::Set))?;
        let with = problem.families[column].codes.iter().position(|codes| codes[..] == [missing])?;
        let block = part.0[with];
        (part.0.iter().filter(|&&other| other == block).count() > 1).then_some(block)
    };
    let starred: Vec<Option<u32>> = parts.iter().enumerate().map(starred).collect();
    let mut regions = Regions::new(parts.len());
    for (number, (_, group)) in places.iter().enumerate() {
        let tuple = tuples[*group as usize] as usize;
        for (column, part) in parts.iter().enumerate() {
            let block = part.0[problem.tuples.atoms(column)[tuple] as usize];
            let domain = problem.job.table.domain(column);
            match starred[column] == Some(block) {
                true => regions.push_interval(0, domain.cardinality() as u32 - 1),
                false => regions.push_copy(compact, number, column, domain),
            }
        }
    }
    regions
}

/// The blocks of a column in the order in which a tree parts them.
struct BlockOrder {
    /// The place of the block of every atom.
    places: Vec<u32>,
    /// The place of the block of the missing value, where that goes with another.
    joined: Option<u32>,
    cuts: BlockCuts,
}

enum BlockCuts {
    /// The first and the last code of every block, and how many codes there are, without the missing value where it goes
    /// with another; what lies between two blocks is empty.
    Spans { spans: Vec<(u32, u32)>, codes: u32 },
    /// The codes of every block.
    Members(Vec<Vec<u32>>),
}

impl BlockOrder {
    fn new(problem: &SchemeProblem<'_>, column: usize, part: &Generalization) -> Self {
        let domain = problem.job.table.domain(column);
        let family = &problem.families[column];
        let mut blocks: Vec<(Vec<u32>, Vec<u32>)> = part
            .groups()
            .into_iter()
            .map(|atoms| {
                let mut codes: Vec<u32> =
                    atoms.iter().flat_map(|&atom| family.codes[atom as usize].iter().copied()).collect();
                codes.sort_unstable();
                (codes, atoms)
            })
            .collect();
        blocks.sort_unstable();
        let mut places = vec![0; part.0.len()];
        for (place, (_, atoms)) in (0..).zip(&blocks) {
            atoms.iter().for_each(|&atom| places[atom as usize] = place);
        }
        let joined = family.joined(domain);
        let place = |missing: u32| blocks.iter().position(|(codes, _)| codes.contains(&missing));
        let joined_place = joined.and_then(place).map(|place| place as u32);
        let cuts = match domain.shape() {
            Shape::Set => BlockCuts::Members(blocks.into_iter().map(|(codes, _)| codes).collect()),
            _ => BlockCuts::Spans {
                spans: blocks.iter().map(|(_, atoms)| family.span(domain, atoms)).collect(),
                codes: joined.unwrap_or(domain.cardinality() as u32),
            },
        };
        BlockOrder { places, joined: joined_place, cuts }
    }
}

/// A piece of a column: where it is cut from what comes after, and the groups in it.
struct BlockPiece<'g> {
    cut: Option<BlockCut<'g>>,
    groups: &'g [(Vec<u32>, u32)],
}

#[derive(Clone, Copy)]
enum BlockCut<'g> {
    After { code: u32, missing_left: bool },
    Members(&'g [u32]),
}

/// Appends the subtree over groups that share their places in the columns before.
fn plant(axes: &[BlockOrder], groups: &[(Vec<u32>, u32)], rows: &[u32], column: usize, tree: &mut CutTree) {
    let Some(axis) = axes.get(column).filter(|_| !groups.is_empty()) else {
        let rows = groups.iter().map(|(_, group)| rows[*group as usize]).sum();
        tree.nodes.push(CutNode::Leaf { rows });
        return;
    };
    for BlockPiece { cut, groups } in pieces(axis, groups, column) {
        let at = tree.nodes.len();
        let dimension = column as u32;
        match cut {
            None => {}
            Some(BlockCut::After { code, missing_left }) => {
                tree.nodes.push(CutNode::Threshold {
                    dimension,
                    code,
                    shared: false,
                    missing_left,
                    right: 0,
                });
            }
            Some(BlockCut::Members(members)) => {
                let (first, len) = (tree.members.len() as u32, members.len() as u32);
                tree.members.extend_from_slice(members);
                tree.nodes.push(CutNode::Subset { dimension, first, len, shared: false, right: 0 });
            }
        }
        plant(axes, groups, rows, column + 1, tree);
        if cut.is_some() {
            tree.close_left(at);
        }
    }
}

/// The pieces of a column from first to last: the blocks that hold groups, and what is empty between them.
fn pieces<'g>(axis: &'g BlockOrder, groups: &'g [(Vec<u32>, u32)], column: usize) -> Vec<BlockPiece<'g>> {
    let blocks = groups.chunk_by(|a, b| a.0[column] == b.0[column]);
    let mut pieces = Vec::new();
    let complete = match &axis.cuts {
        BlockCuts::Spans { spans, codes } => {
            let mut next = 0;
            for groups in blocks {
                let place = groups[0].0[column];
                let (lo, hi) = spans[place as usize];
                if lo > next {
                    pieces.push(BlockPiece {
                        cut: Some(BlockCut::After { code: lo - 1, missing_left: false }),
                        groups: &[],
                    });
                }
                let missing_left = axis.joined == Some(place);
                pieces.push(BlockPiece { cut: Some(BlockCut::After { code: hi, missing_left }), groups });
                next = hi + 1;
            }
            next == *codes
        }
        BlockCuts::Members(members) => {
            let piece = |groups: &'g [(Vec<u32>, u32)]| BlockPiece {
                cut: Some(BlockCut::Members(&members[groups[0].0[column] as usize])),
                groups,
            };
            pieces.extend(blocks.map(piece));
            pieces.len() == members.len()
        }
    };
    match pieces.last_mut() {
        Some(last) if complete => last.cut = None,
        _ => pieces.push(BlockPiece { cut: None, groups: &[] }),
    }
    pieces
}
