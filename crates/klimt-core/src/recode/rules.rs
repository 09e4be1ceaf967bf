//! A recoding function that is written to disk while the parts of a table are found (LeFevre, DeWitt, section 2.2): only
//! the cuts above the parts are held, and of every dimension the codes at which it is cut.

use super::axis::{RecodedColumn, axis};
use super::function::{RecodingFunction, SavedRequirement};
use crate::partition::{CutNode, CutTree, Way};
use crate::region::{Extents, Regions};
use crate::spill::{SpillFile, SpillRange};
use crate::table::Table;
use crate::{Error, Result};
use std::io::Write;

/// Nodes are written to disk when they take this many bytes.
const BUFFER: usize = 1 << 18;

/// The cuts of a table, part by part, in the order of the whole tree.
pub struct Rules<'a> {
    frame: &'a Table,
    file: SpillFile,
    places: Vec<SpillRange>,
    buffer: Vec<u8>,
    /// How many nodes there are.
    nodes: u64,
    /// The cuts on the way to the last part.
    path: Vec<RuleStep>,
    /// How far the right child of each cut above the parts is, by its place.
    rights: Vec<(u64, u32)>,
    /// The codes after which each dimension is cut.
    cuts: Vec<CodeSet>,
}

/// A cut on the way, where it is, and the side that is being written.
struct RuleStep {
    cut: CutTree,
    node: u64,
    left: bool,
}

/// Codes, each once in the end.
#[derive(Default)]
struct CodeSet {
    codes: Vec<u32>,
    sorted: usize,
}

impl CodeSet {
    fn add(&mut self, code: u32) {
        self.codes.push(code);
        if self.codes.len() >= 2 * self.sorted + (1 << 12) {
            self.sort();
        }
    }

    fn sort(&mut self) {
        self.codes.sort_unstable();
        self.codes.dedup();
        self.sorted = self.codes.len();
    }
}

impl<'a> Rules<'a> {
    /// No rules yet, for a table with these columns.
    pub fn new(frame: &'a Table, file: SpillFile) -> Self {
        let cuts = (0..frame.dimensions()).map(|_| CodeSet::default()).collect();
        let (places, buffer, path, rights) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Rules { frame, file, places, buffer, nodes: 0, path, rights, cuts }
    }

    /// Adds the cuts of the next part, at the end of the way to it, with the smallest regions over its groups.
    pub fn add(&mut self, way: &Way, part: &CutTree, compact: &Regions) -> Result<()> {
        let cuts = way.cuts();
        let same = self
            .path
            .iter()
            .zip(cuts)
            .take_while(|(step, (cut, left))| step.cut == *cut && step.left == *left);
        let same = same.count();
        self.leave(same + 1)?;
        let mut next = same;
        if let Some(step) = self.path.get_mut(same) {
            step.left = false;
            self.rights.push((step.node, (self.nodes - step.node) as u32));
            next += 1;
        }
        for (cut, left) in &cuts[next..] {
            let node = self.nodes;
            self.push(cut, 0, 0)?;
            if !left {
                self.push_empty()?;
                self.rights.push((node, (self.nodes - node) as u32));
            }
            self.path.push(RuleStep { cut: cut.clone(), node, left: *left });
        }
        let mut group = 0;
        for at in 0..part.nodes.len() {
            let stars = match part.nodes[at] {
                CutNode::Leaf { rows: 1.. } => {
                    group += 1;
                    self.stars(compact, group - 1)
                }
                _ => 0,
            };
            self.push(part, at, stars)?;
        }
        Ok(())
    }

    /// The dimensions, as bits, in which rows with a value and rows without one are together.
    fn stars(&self, compact: &Regions, group: usize) -> u64 {
        let mixes = |&d: &usize| compact.mixes_missing(group, d, self.frame.domain(d));
        (0..self.frame.dimensions()).filter(mixes).fold(0, |stars, d| stars | 1 << d)
    }

    /// Ends the cuts of the path from this depth on: what lies right of them holds no rows.
    fn leave(&mut self, depth: usize) -> Result<()> {
        while self.path.len() > depth {
            if let Some(step) = self.path.pop().filter(|step| step.left) {
                self.rights.push((step.node, (self.nodes - step.node) as u32));
                self.push_empty()?;
            }
        }
        Ok(())
    }

    fn push_empty(&mut self) -> Result<()> {
        self.push(&CutTree { nodes: vec![CutNode::Leaf { rows: 0 }], members: Vec::new() }, 0, 0)
    }

    fn push(&mut self, tree: &CutTree, at: usize, stars: u64) -> Result<()> {
        let mut words = |tag: u8, words: &[u32]| {
            self.buffer.push(tag);
            words.iter().for_each(|word| self.buffer.extend_from_slice(&word.to_le_bytes()));
        };
        match tree.nodes[at] {
            CutNode::Leaf { rows } => words(0, &[rows.min(1), stars as u32, (stars >> 32) as u32]),
            CutNode::Threshold { dimension, code, shared, missing_left, right } => {
                let code = self.frame.domain(dimension as usize).cut_after(code);
                words(1, &[dimension, code, u32::from(shared) | u32::from(missing_left) << 1, right]);
                self.cuts[dimension as usize].add(code);
            }
            CutNode::Subset { dimension, first, len, shared, right } => {
                words(2, &[dimension, len, u32::from(shared), right]);
                words(3, &tree.members[first as usize..(first + len) as usize]);
            }
        }
        self.nodes += 1;
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        self.places.push(self.file.append(&self.buffer)?);
        self.buffer.clear();
        Ok(())
    }

    /// Writes the function as [`RecodingFunction`] is saved.
    pub fn write(
        mut self,
        k: u64,
        requirements: Vec<SavedRequirement>,
        extent: Extents,
        out: &mut dyn Write,
    ) -> Result<()> {
        self.leave(0)?;
        self.flush()?;
        self.rights.sort_unstable();
        let (mut columns, mut bounds) = (Vec::new(), Vec::new());
        for (dimension, cuts) in self.cuts.iter_mut().enumerate() {
            cuts.sort();
            let (axis, kept) = axis(self.frame.domain(dimension), &cuts.codes);
            columns.push(RecodedColumn { name: self.frame.dimension(dimension).name.clone(), axis });
            bounds.push(kept);
        }
        let head = RecodingFunction::without_cuts(k, requirements, extent, columns);
        let json = serde_json::to_string(&head).map_err(|_| Error::internal("a column cannot be saved"))?;
        let (before, after) =
            json.split_once(EMPTY).ok_or_else(|| Error::internal("no place for the cuts"))?;
        let failed = |error: std::io::Error| Error::io("the recoding function", "write it", &error);
        write!(out, "{before}\"tree\":{{\"nodes\":[").map_err(failed)?;
        let mut first = 0;
        self.each(|number, node, members, _| {
            let node = settle(node, first, &bounds);
            first += members.len() as u32;
            let comma = if number == 0 { "" } else { "," };
            write!(out, "{comma}{}", serde_json::to_string(&node)?)
        })?;
        write!(out, "],\"members\":[").map_err(failed)?;
        let mut comma = "";
        self.each(|_, _, members, _| {
            for member in members {
                write!(out, "{comma}{member}")?;
                comma = ",";
            }
            Ok(())
        })?;
        write!(out, "]}},\"starred\":[").map_err(failed)?;
        let mut comma = "";
        self.each(|number, _, _, stars| {
            for dimension in (0..64).filter(|dimension| stars >> dimension & 1 == 1) {
                write!(out, "{comma}[{number},{dimension}]")?;
                comma = ",";
            }
            Ok(())
        })?;
        write!(out, "]{after}").map_err(failed)
    }

    /// Reads all nodes back, in their order, with the members of a subset and the stars of a leaf.
    fn each(&self, mut f: impl FnMut(u64, CutNode, &[u32], u64) -> std::io::Result<()>) -> Result<()> {
        let (mut bytes, mut number, mut rights) = (Vec::new(), 0, self.rights.iter().peekable());
        for &place in &self.places {
            self.file.read(place, &mut bytes)?;
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                let (mut node, members, stars) = decode(&mut rest).ok_or_else(damaged)?;
                if let Some((_, far)) = rights.next_if(|(at, _)| *at == number)
                    && let CutNode::Threshold { right, .. } | CutNode::Subset { right, .. } = &mut node
                {
                    *right = *far;
                }
                f(number, node, &members, stars)
                    .map_err(|e| Error::io("the recoding function", "write it", &e))?;
                number += 1;
            }
        }
        Ok(())
    }
}

/// The text of a saved function without cuts, at the place of the cuts.
const EMPTY: &str = "\"tree\":{\"nodes\":[],\"members\":[]},\"starred\":[]";

fn damaged() -> Error {
    Error::internal("a spill file does not hold what was written to it")
}

fn decode(rest: &mut &[u8]) -> Option<(CutNode, Vec<u32>, u64)> {
    fn word(rest: &mut &[u8]) -> Option<u32> {
        let (bytes, left) = rest.split_first_chunk::<4>()?;
        *rest = left;
        Some(u32::from_le_bytes(*bytes))
    }
    fn tag(rest: &mut &[u8]) -> Option<u8> {
        let (&tag, left) = rest.split_first()?;
        *rest = left;
        Some(tag)
    }
    match tag(rest)? {
        0 => {
            let rows = word(rest)?;
            let stars = u64::from(word(rest)?) | u64::from(word(rest)?) << 32;
            Some((CutNode::Leaf { rows }, Vec::new(), stars))
        }
        1 => {
            let (dimension, code, flags, right) = (word(rest)?, word(rest)?, word(rest)?, word(rest)?);
            let (shared, missing_left) = (flags & 1 != 0, flags & 2 != 0);
            Some((CutNode::Threshold { dimension, code, shared, missing_left, right }, Vec::new(), 0))
        }
        _ => {
            let (dimension, len, shared, right) = (word(rest)?, word(rest)?, word(rest)? != 0, word(rest)?);
            tag(rest)?;
            let members = (0..len).map(|_| word(rest)).collect::<Option<_>>()?;
            Some((CutNode::Subset { dimension, first: 0, len, shared, right }, members, 0))
        }
    }
}

/// A node as it is saved: by the codes that are left of an ordered domain.
fn settle(node: CutNode, members_before: u32, bounds: &[Option<Vec<u32>>]) -> CutNode {
    match node {
        CutNode::Threshold { dimension, code, shared, missing_left, right } => {
            let code = match &bounds[dimension as usize] {
                Some(bounds) => bounds.partition_point(|&bound| bound < code) as u32,
                None => code,
            };
            CutNode::Threshold { dimension, code, shared, missing_left, right }
        }
        CutNode::Subset { dimension, len, shared, right, .. } => {
            CutNode::Subset { dimension, first: members_before, len, shared, right }
        }
        leaf => leaf,
    }
}
