//! Keys of generalised tuples: several small dimensions are looked up at once.

use super::levels::Lattice;
use super::problem::LocalProblem;
use crate::distinct::mix;

/// The most codes that a few dimensions have together, and the most keys of all their levels.
const CODES: usize = 2048;
const KEYS: usize = 1 << 16;

/// Some dimensions as one, with a code for every combination of theirs.
pub(super) struct Joint {
    dimensions: Vec<VectorMember>,
    /// The key of every code, by combination of levels; empty until it is computed.
    keys: Vec<Vec<u64>>,
}

struct VectorMember {
    dimension: usize,
    cardinality: usize,
    levels: usize,
}

impl Joint {
    /// All dimensions of a problem, joined as far as that stays small.
    pub fn all(problem: &LocalProblem<'_>, lattice: &Lattice) -> Vec<Joint> {
        let mut joints: Vec<Joint> = Vec::new();
        for (dimension, levels) in lattice.dimensions.iter().enumerate() {
            let member = VectorMember {
                dimension,
                cardinality: problem.table.domain(dimension).cardinality(),
                levels: levels.len(),
            };
            let fits = |joint: &&mut Joint| {
                let codes = joint.codes() * member.cardinality;
                codes <= CODES && codes * joint.combinations() * member.levels <= KEYS
            };
            match joints.iter_mut().find(fits) {
                Some(joint) => joint.dimensions.push(member),
                None => joints.push(Joint { dimensions: vec![member], keys: Vec::new() }),
            }
        }
        joints.iter_mut().for_each(|joint| joint.keys = vec![Vec::new(); joint.combinations()]);
        joints
    }

    fn codes(&self) -> usize {
        self.dimensions.iter().map(|member| member.cardinality).product()
    }

    fn combinations(&self) -> usize {
        self.dimensions.iter().map(|member| member.levels).product()
    }

    /// The code of a tuple.
    pub fn code(&self, codes: &[u32]) -> u32 {
        let each = self.dimensions.iter();
        each.fold(0, |code, member| code * member.cardinality as u32 + codes[member.dimension])
    }

    /// Makes the keys of a vector; tells which they are, or `None` where the vector generalises everything here.
    pub fn prepare(&mut self, lattice: &Lattice, levels: &[u8]) -> Option<usize> {
        let each = self.dimensions.iter();
        let at = each.fold(0, |at, member| at * member.levels + levels[member.dimension] as usize);
        if at + 1 == self.keys.len() {
            return None;
        }
        if self.keys[at].is_empty() {
            self.keys[at] = self.dimensions.iter().fold(vec![0], |keys: Vec<u64>, member| {
                let nodes = lattice.dimensions[member.dimension].nodes(levels[member.dimension] as usize);
                let sums = |key: u64| {
                    nodes.iter().map(move |&node| key.wrapping_add(key_of(member.dimension, node)))
                };
                keys.into_iter().flat_map(sums).collect()
            });
        }
        Some(at)
    }

    /// The key of every code, once prepared.
    pub fn keys(&self, combination: usize) -> &[u64] {
        &self.keys[combination]
    }
}

/// A key for a node. The key of a generalised tuple is the sum of its nodes' keys: should two ever be the same, their rows
/// are thrown together, which costs more and breaks nothing.
fn key_of(dimension: usize, node: u32) -> u64 {
    mix(mix(u64::from(node) << 8 | dimension as u64).wrapping_add(1)).wrapping_mul(0xd6e8_feb8_6659_fd93)
}
