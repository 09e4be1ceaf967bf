//! The lattice: one level per quasi-identifier, from exact values to everything, and the order of its vectors.
//!
//! A level maps every code to a node. Hierarchies give their own levels; where a column has none, ordered domains are
//! halved again and again so that the halves have about as many rows, and the values of a set go from common to rare into
//! ever larger parts. Published regions are the smallest over a group's rows, so levels only steer the grouping.

use super::problem::LocalProblem;
use crate::hierarchy::{Hierarchy, NodeId};
use crate::table::{Domain, Shape};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The most vectors that are gone through.
const VECTORS: usize = 8192;
/// About how often tuples are looked at where columns have no hierarchies.
const TUPLE_VISITS: usize = 200_000_000;

/// The levels of one dimension: the node of every code, from the code itself to the one node over everything.
pub(super) struct DimensionLevels {
    nodes: Vec<Vec<u32>>,
}

impl DimensionLevels {
    /// All levels of a domain whose codes have this many rows each.
    fn new(domain: &Domain, rows: &[u64]) -> Self {
        let exact: Vec<u32> = (0..domain.cardinality() as u32).collect();
        let between = match domain.shape() {
            Shape::Hierarchy(tree) => ancestors(tree, domain),
            Shape::Ordered => halves(exact.clone(), rows, domain.missing_code()),
            Shape::Set => {
                let mut order = exact.clone();
                order.sort_by_key(|&code| (Reverse(rows[code as usize]), code));
                halves(order, rows, None)
            }
        };
        let mut nodes = vec![exact];
        nodes.extend(between);
        nodes.push(vec![0; domain.cardinality()]);
        DimensionLevels { nodes }
    }

    /// The numbers of at most `most` levels (the first and the last are always there), thinned out evenly, without those
    /// that part the codes as the one before does.
    fn thinned(&self, most: usize) -> Vec<usize> {
        let between = self.nodes.len() - 2;
        let kept = between.min(most.saturating_sub(2));
        let mut numbers = vec![0];
        numbers.extend((1..=kept).map(|at| at * between / kept));
        numbers.push(between + 1);
        numbers.dedup_by(|a, b| self.nodes[*a] == self.nodes[*b]);
        numbers
    }

    /// The levels that have these numbers, which ascend.
    fn only(mut self, numbers: &[usize]) -> Self {
        DimensionLevels {
            nodes: numbers.iter().map(|&number| std::mem::take(&mut self.nodes[number])).collect(),
        }
    }

    /// How many levels there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The node of every code on a level.
    pub fn nodes(&self, level: usize) -> &[u32] {
        &self.nodes[level]
    }
}

/// The nodes of a hierarchy by depth, without the leaves and the root; a missing value is a node of its own.
fn ancestors(tree: &Hierarchy, domain: &Domain) -> Vec<Vec<u32>> {
    let mut above: Vec<NodeId> = (0..domain.value_count() as u32).map(|code| tree.leaf_node(code)).collect();
    let (mut levels, mut parts): (Vec<Vec<u32>>, usize) = (Vec::new(), above.len());
    // Level by level a step up; levels that part the values as the one below does say nothing.
    for depth in (1..tree.height()).rev() {
        for node in above.iter_mut().filter(|node| tree.depth(**node) > depth) {
            *node = tree.parent(*node).unwrap_or(*node);
        }
        let mut different = above.clone();
        different.dedup();
        if different.len() < parts {
            parts = different.len();
            let codes = above.iter().map(|node| node.0);
            levels.push(codes.chain(domain.missing_code().map(|_| tree.node_count())).collect());
        }
    }
    levels
}

/// Codes in an order, in parts that have about as many rows: half as many parts on every level. A missing value is a part
/// of its own.
fn halves(order: Vec<u32>, rows: &[u64], missing: Option<u32>) -> Vec<Vec<u32>> {
    let total: u64 = order.iter().map(|&code| rows[code as usize]).sum();
    let mut parts = (order.len().max(2) - 1).next_power_of_two() / 2;
    let mut levels = Vec::new();
    while parts > 1 {
        let (mut before, mut nodes) = (0, vec![0; order.len()]);
        for &code in &order {
            let here = rows[code as usize];
            let middle = u128::from(before) * 2 + u128::from(here);
            nodes[code as usize] = (middle * parts as u128 / (u128::from(total.max(1)) * 2)) as u32;
            before += here;
        }
        if let Some(missing) = missing {
            nodes[missing as usize] = parts as u32;
        }
        levels.push(nodes);
        parts /= 2;
    }
    levels
}

/// A vector of levels, and what a row pays for it on average.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Vector {
    pub cost: f64,
    pub levels: Vec<u8>,
}

impl Eq for Vector {}

impl PartialOrd for Vector {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Vector {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.cost.total_cmp(&other.cost).then_with(|| self.levels.cmp(&other.levels))
    }
}

/// The lattice of a table.
pub(super) struct Lattice {
    pub dimensions: Vec<DimensionLevels>,
    /// The vectors from cheap to expensive; the last one generalises everything.
    pub vectors: Vec<Vector>,
    /// Whether every vector of the lattice is among them.
    pub complete: bool,
}

impl Lattice {
    /// The lattice; nothing where that is stopped, which is asked a few times in a dimension.
    pub fn new(problem: &LocalProblem<'_>, stops: &dyn Fn() -> bool) -> Option<Self> {
        let mut occurrences: Vec<Vec<u64>> = Vec::new();
        let mut all: Vec<DimensionLevels> = Vec::new();
        for dimension in (0..problem.dimensions()).take_while(|_| !stops()) {
            occurrences.push(problem.occurrences(dimension));
            all.push(DimensionLevels::new(problem.table.domain(dimension), &occurrences[dimension]));
        }
        let dimensions = (all.len() == problem.dimensions()).then(|| fitting(problem, all))?;
        let each = dimensions.iter().zip(&occurrences).enumerate().take_while(|_| !stops());
        let costs: Vec<Vec<f64>> = each.map(|(d, (levels, rows))| costs(problem, d, levels, rows)).collect();
        let (vectors, complete) = (costs.len() == problem.dimensions()).then(|| vectors(&costs))?;
        Some(Lattice { dimensions, vectors, complete })
    }
}

/// As many levels for each dimension as the number of vectors allows. Levels that were made here are thinned out before
/// those of hierarchies, the more so the more tuples there are.
fn fitting(problem: &LocalProblem<'_>, all: Vec<DimensionLevels>) -> Vec<DimensionLevels> {
    let domain = |dimension: usize| problem.table.domain(dimension);
    let few = (TUPLE_VISITS / problem.tuples.len().max(1)).clamp(VECTORS / 32, VECTORS);
    let (mut own, mut given) = (32, 32);
    loop {
        let thinned = |(d, levels): (usize, &DimensionLevels)| {
            levels.thinned(if domain(d).hierarchy().is_some() { given } else { own })
        };
        let kept: Vec<Vec<usize>> = all.iter().enumerate().map(thinned).collect();
        let vectors = kept.iter().fold(1usize, |all, levels| all.saturating_mul(levels.len()));
        if vectors > few && own > 2 {
            own -= 1;
        } else if vectors > VECTORS && given > 2 {
            given -= 1;
        } else {
            return all.into_iter().zip(&kept).map(|(levels, numbers)| levels.only(numbers)).collect();
        }
    }
}

/// The average cost of a row's cell at each level of a dimension.
fn costs(problem: &LocalProblem<'_>, dimension: usize, levels: &DimensionLevels, rows: &[u64]) -> Vec<f64> {
    let total = rows.iter().sum::<u64>().max(1) as f64;
    let mut costs: Vec<f64> = Vec::with_capacity(levels.len());
    for level in 0..levels.len() {
        let nodes = levels.nodes(level);
        let count = nodes.iter().max().map_or(0, |&most| most as usize + 1);
        let (mut spans, mut here) = (vec![None; count], vec![0u64; count]);
        for (code, &node) in nodes.iter().enumerate().filter(|&(code, _)| rows[code] > 0) {
            let single = problem.single(dimension, code as u32);
            let span = &mut spans[node as usize];
            *span = Some(span.map_or(single, |span| problem.join(dimension, span, single)));
            here[node as usize] += rows[code];
        }
        let paid = spans
            .iter()
            .zip(&here)
            .filter_map(|(span, &rows)| span.map(|span| problem.cell(dimension, span) * rows as f64));
        // A step up never pays less, so that the order goes from fine to coarse.
        let least = costs.last().copied().unwrap_or(0.0);
        costs.push((paid.sum::<f64>() / total).max(least));
    }
    costs
}

/// The vectors from cheap to expensive, and whether they are all there are. Where there are too many, a path to the top
/// follows the cheapest.
fn vectors(costs: &[Vec<f64>]) -> (Vec<Vector>, bool) {
    let all = costs.iter().try_fold(1usize, |all, levels| all.checked_mul(levels.len()));
    let complete = all.is_some_and(|all| all <= VECTORS);
    let priced = |levels: Vec<u8>| {
        let cost = levels.iter().zip(costs).map(|(&level, costs)| costs[level as usize]).sum();
        Vector { cost, levels }
    };
    // Each vector is reached by one way only: from the one with its last raised dimension a level lower.
    let mut waiting = BinaryHeap::from([Reverse(priced(vec![0; costs.len()]))]);
    let mut vectors = Vec::new();
    while let Some(Reverse(vector)) = waiting.pop() {
        let last = vector.levels.iter().rposition(|&level| level > 0).unwrap_or(0);
        for dimension in last..costs.len() {
            if (vector.levels[dimension] as usize) + 1 < costs[dimension].len() {
                let mut levels = vector.levels.clone();
                levels[dimension] += 1;
                waiting.push(Reverse(priced(levels)));
            }
        }
        vectors.push(vector);
        if vectors.len() >= VECTORS && !complete {
            vectors.extend(path(costs).into_iter().map(priced));
            break;
        }
    }
    (vectors, complete)
}

/// From exact values to everything, a level of the dimension that pays least for it at a time.
fn path(costs: &[Vec<f64>]) -> Vec<Vec<u8>> {
    let mut levels = vec![0u8; costs.len()];
    let step = |levels: &[u8], d: usize| {
        costs[d].get(levels[d] as usize + 1).map(|next| next - costs[d][levels[d] as usize])
    };
    let mut path = Vec::new();
    loop {
        let steps = (0..costs.len()).filter_map(|d| step(&levels, d).map(|paid| (paid, d)));
        let Some((_, cheapest)) = steps.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))) else { break };
        levels[cheapest] += 1;
        path.push(levels.clone());
    }
    path
}
