//! The space and its splits: every dimension in cells, the finest pieces that the split set leaves.
//!
//! A box is what a node of a partition tree stands for. It is a run of words, those of each dimension one after the
//! other: the first and the last cell of an ordered dimension, the taxon of a hierarchy, a bit per cell of a set.

use crate::hierarchy::{Hierarchy, NodeId};
use crate::table::{Domain, Shape};

/// A split (Definition 1). Its number is its id: a lower one has a higher priority (Definition 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Split {
    pub dimension: usize,
    /// The cell after which an ordered dimension is cut, the taxon that is specialised, or the cell that is cut off a
    /// set.
    pub at: u32,
}

/// A node of a hierarchy in which every inner node can be specialised, and to at least two children.
#[derive(Clone, Debug)]
pub(super) struct Taxon {
    /// The first and the last of its cells.
    pub cells: (u32, u32),
    pub children: Vec<u32>,
    /// How many taxa there are from it downwards.
    pub size: u32,
    /// The split to its children, where it has any.
    pub split: Option<u32>,
}

/// How the cells of a dimension hang together.
#[derive(Clone, Debug)]
pub(super) enum CellShape {
    Ordered,
    /// The root comes first.
    Hierarchy(Vec<Taxon>),
    /// A bit per cell, in this number of words. The values that have no split of their own share the last cell.
    Set {
        words: usize,
    },
}

/// A dimension in cells.
#[derive(Clone, Debug)]
pub(super) struct CellAxis {
    pub shape: CellShape,
    /// The cell of each code.
    pub cell_of: Vec<u32>,
    /// The greatest code of each cell (of a set: the only one of a cell that can be cut off).
    pub last_code: Vec<u32>,
    /// Where its words start in a box.
    word: usize,
    /// The ids of its splits, in order: of a set, that of a cell; of an ordered dimension, that after a cell.
    splits: Vec<u32>,
}

/// The space with its split set.
#[derive(Clone, Debug)]
pub(super) struct SplitGrid {
    pub axes: Vec<CellAxis>,
    pub splits: Vec<Split>,
    /// The words of a box.
    pub words: usize,
    /// The ordered dimensions whose boundaries matter: boxes are not shrunk there to what rows take up.
    pub restricted: Vec<usize>,
}

impl SplitGrid {
    /// The space over domains, each cut after the given codes, which ascend.
    pub fn new(domains: &[&Domain], codes: &[Vec<u32>]) -> Self {
        let mut grid = SplitGrid { axes: Vec::new(), splits: Vec::new(), words: 0, restricted: Vec::new() };
        for (dimension, (domain, codes)) in domains.iter().zip(codes).enumerate() {
            let cardinality = domain.cardinality() as u32;
            let (mut axis, places) = match domain.shape() {
                Shape::Ordered => ordered(cardinality, codes),
                Shape::Set => set(cardinality, codes),
                Shape::Hierarchy(tree) => hierarchy(domain, tree, codes),
            };
            for at in places {
                axis.splits.push(grid.splits.len() as u32);
                if let CellShape::Hierarchy(taxa) = &mut axis.shape {
                    taxa[at as usize].split = Some(grid.splits.len() as u32);
                }
                grid.splits.push(Split { dimension, at });
            }
            axis.word = grid.words;
            grid.words += match axis.shape {
                CellShape::Ordered => 2,
                CellShape::Hierarchy(_) => 1,
                CellShape::Set { words } => words,
            };
            grid.axes.push(axis);
        }
        grid
    }

    /// The box of the whole space.
    pub fn whole(&self) -> Vec<u32> {
        let mut all = Vec::with_capacity(self.words);
        for axis in &self.axes {
            let cells = axis.last_code.len() as u32;
            match axis.shape {
                CellShape::Ordered => all.extend([0, cells - 1]),
                CellShape::Hierarchy(_) => all.push(0),
                CellShape::Set { words } => {
                    let start = all.len();
                    all.resize(start + words, 0);
                    (0..cells).for_each(|cell| all[start + cell as usize / 32] |= 1 << (cell % 32));
                }
            }
        }
        all
    }

    /// Whether a split cuts a box in parts.
    #[inline]
    pub fn crosses(&self, space: &[u32], split: u32) -> bool {
        let Split { dimension, at } = self.splits[split as usize];
        let axis = &self.axes[dimension];
        match axis.shape {
            CellShape::Ordered => space[axis.word] <= at && at < space[axis.word + 1],
            CellShape::Hierarchy(_) => space[axis.word] == at,
            CellShape::Set { words } => {
                let bits = &space[axis.word..axis.word + words];
                let mask = |word: usize| if word == at as usize / 32 { 1 << (at % 32) } else { 0u32 };
                bits[at as usize / 32] & mask(at as usize / 32) != 0
                    && bits.iter().enumerate().any(|(word, &bits)| bits & !mask(word) != 0)
            }
        }
    }

    /// The splits that are available in a box, by id, ascending.
    pub fn available(&self, space: &[u32]) -> Vec<u32> {
        let mut found = Vec::new();
        for axis in &self.axes {
            match &axis.shape {
                CellShape::Ordered => {
                    let (lo, hi) = (space[axis.word] as usize, space[axis.word + 1] as usize);
                    found.extend_from_slice(&axis.splits[lo..hi]);
                }
                CellShape::Hierarchy(taxa) => found.extend(taxa[space[axis.word] as usize].split),
                CellShape::Set { .. } => {
                    found.extend(axis.splits.iter().filter(|&&split| self.crosses(space, split)));
                }
            }
        }
        found
    }

    /// How many boxes there are inside of a box, itself included, at most.
    pub fn boxes_within(&self, space: &[u32]) -> f64 {
        let within = |axis: &CellAxis| match &axis.shape {
            CellShape::Ordered => {
                let cells = f64::from(space[axis.word + 1] - space[axis.word]) + 1.0;
                cells * (cells + 1.0) / 2.0
            }
            CellShape::Hierarchy(taxa) => f64::from(taxa[space[axis.word] as usize].size),
            CellShape::Set { words } => {
                let bits = &space[axis.word..axis.word + words];
                f64::from(bits.iter().map(|word| word.count_ones()).sum::<u32>()).exp2() - 1.0
            }
        };
        self.axes.iter().map(within).product()
    }

    /// In how many parts a split cuts a box that it crosses.
    pub fn part_count(&self, split: u32) -> usize {
        let Split { dimension, at } = self.splits[split as usize];
        match &self.axes[dimension].shape {
            CellShape::Hierarchy(taxa) => taxa[at as usize].children.len(),
            _ => 2,
        }
    }

    /// In which part of a split a cell of its dimension lies.
    pub fn part_of(&self, split: u32, cell: u32) -> usize {
        let Split { dimension, at } = self.splits[split as usize];
        match &self.axes[dimension].shape {
            CellShape::Ordered => usize::from(cell > at),
            CellShape::Set { .. } => usize::from(cell != at),
            CellShape::Hierarchy(taxa) => {
                let children = &taxa[at as usize].children;
                children.partition_point(|&child| taxa[child as usize].cells.1 < cell)
            }
        }
    }

    /// The parts of a box that a split crosses, empty or not.
    pub fn parts(&self, space: &[u32], split: u32) -> Vec<Vec<u32>> {
        let Split { dimension, at } = self.splits[split as usize];
        let axis = &self.axes[dimension];
        let mut parts = vec![space.to_vec(); self.part_count(split)];
        match &axis.shape {
            CellShape::Ordered => {
                parts[0][axis.word + 1] = at;
                parts[1][axis.word] = at + 1;
            }
            CellShape::Hierarchy(taxa) => {
                for (part, &child) in parts.iter_mut().zip(&taxa[at as usize].children) {
                    part[axis.word] = child;
                }
            }
            CellShape::Set { words } => {
                parts[0][axis.word..axis.word + words].fill(0);
                parts[0][axis.word + at as usize / 32] = 1 << (at % 32);
                parts[1][axis.word + at as usize / 32] &= !(1 << (at % 32));
            }
        }
        parts
    }

    /// The smallest box over what a hull holds, which is not empty, with the boundaries of the box around it where these
    /// matter.
    pub fn tight(&self, hull: &Hull, around: &[u32]) -> Vec<u32> {
        let mut space = hull.members.clone();
        for (axis, &(lo, hi)) in self.axes.iter().zip(&hull.ends) {
            match &axis.shape {
                CellShape::Ordered => (space[axis.word], space[axis.word + 1]) = (lo, hi),
                CellShape::Hierarchy(taxa) => space[axis.word] = lowest(taxa, lo, hi),
                CellShape::Set { .. } => {}
            }
        }
        for &dimension in &self.restricted {
            let word = self.axes[dimension].word;
            space[word..word + 2].copy_from_slice(&around[word..word + 2]);
        }
        space
    }

    /// The first and the last code of a box in an ordered dimension.
    pub fn ends(&self, space: &[u32], dimension: usize) -> (u32, u32) {
        let axis = &self.axes[dimension];
        let (lo, hi) = (space[axis.word] as usize, space[axis.word + 1] as usize);
        (lo.checked_sub(1).map_or(0, |before| axis.last_code[before] + 1), axis.last_code[hi])
    }

    /// A box up to a cell of an ordered dimension, or from it on.
    pub fn beside(&self, space: &[u32], dimension: usize, cell: u32, side: CellSide) -> Vec<u32> {
        let (mut part, word) = (space.to_vec(), self.axes[dimension].word);
        match side {
            CellSide::UpTo => part[word + 1] = cell,
            CellSide::From => part[word] = cell,
        }
        part
    }

    /// The hull of a tuple of cells.
    pub fn hull(&self, tuple: &[u32]) -> Hull {
        let ends = tuple.iter().map(|&cell| (cell, cell)).collect();
        let mut hull = Hull { ends, members: vec![0; self.words] };
        self.widen(&mut hull, tuple);
        hull
    }

    /// Takes a tuple of cells into a hull.
    pub fn widen(&self, hull: &mut Hull, tuple: &[u32]) {
        for ((axis, &cell), (lo, hi)) in self.axes.iter().zip(tuple).zip(&mut hull.ends) {
            (*lo, *hi) = ((*lo).min(cell), (*hi).max(cell));
            if let CellShape::Set { .. } = axis.shape {
                hull.members[axis.word + cell as usize / 32] |= 1 << (cell % 32);
            }
        }
    }

    /// Whether a box holds a tuple of cells.
    pub fn holds(&self, space: &[u32], tuple: &[u32]) -> bool {
        self.axes.iter().zip(tuple).all(|(axis, &cell)| match &axis.shape {
            CellShape::Ordered => (space[axis.word]..=space[axis.word + 1]).contains(&cell),
            CellShape::Hierarchy(taxa) => {
                let (lo, hi) = taxa[space[axis.word] as usize].cells;
                (lo..=hi).contains(&cell)
            }
            CellShape::Set { .. } => space[axis.word + cell as usize / 32] >> (cell % 32) & 1 == 1,
        })
    }

    /// The cells of a box in a dimension, ascending.
    pub fn cells(&self, space: &[u32], dimension: usize) -> Vec<u32> {
        let axis = &self.axes[dimension];
        match &axis.shape {
            CellShape::Ordered => (space[axis.word]..=space[axis.word + 1]).collect(),
            CellShape::Hierarchy(taxa) => {
                let (lo, hi) = taxa[space[axis.word] as usize].cells;
                (lo..=hi).collect()
            }
            CellShape::Set { .. } => {
                let bit = |&cell: &u32| space[axis.word + cell as usize / 32] >> (cell % 32) & 1 == 1;
                (0..axis.last_code.len() as u32).filter(bit).collect()
            }
        }
    }
}

/// The side of a cell that a part of a box is on; the cell is in it.
#[derive(Clone, Copy, Debug)]
pub(super) enum CellSide {
    UpTo,
    From,
}

/// The cells that tuples take in every dimension.
#[derive(Clone, Debug)]
pub(super) struct Hull {
    /// The least and the greatest.
    ends: Vec<(u32, u32)>,
    /// A bit for each, where the dimension is a set, in the words of a box.
    members: Vec<u32>,
}

impl Hull {
    /// Takes in what another holds.
    pub fn merge(&mut self, other: &Hull) {
        for ((lo, hi), other) in self.ends.iter_mut().zip(&other.ends) {
            (*lo, *hi) = ((*lo).min(other.0), (*hi).max(other.1));
        }
        self.members.iter_mut().zip(&other.members).for_each(|(mine, theirs)| *mine |= theirs);
    }
}

/// The lowest taxon over cells.
fn lowest(taxa: &[Taxon], lo: u32, hi: u32) -> u32 {
    let mut at = 0;
    loop {
        let holds = |&&child: &&u32| {
            let (first, last) = taxa[child as usize].cells;
            first <= lo && hi <= last
        };
        match taxa[at as usize].children.iter().find(holds) {
            Some(&child) => at = child,
            None => return at,
        }
    }
}

/// An axis, and where it can be cut.
type CuttableAxis = (CellAxis, Vec<u32>);

fn ordered(cardinality: u32, codes: &[u32]) -> CuttableAxis {
    let cell_of = (0..cardinality).map(|code| codes.partition_point(|&cut| cut < code) as u32).collect();
    let last_code: Vec<u32> = codes.iter().copied().chain([cardinality - 1]).collect();
    let axis = CellAxis { shape: CellShape::Ordered, cell_of, last_code, word: 0, splits: Vec::new() };
    (axis, (0..codes.len() as u32).collect())
}

fn set(cardinality: u32, codes: &[u32]) -> CuttableAxis {
    let cell = |code: u32| codes.binary_search(&code).unwrap_or(codes.len()) as u32;
    let mut last_code = codes.to_vec();
    last_code.extend((0..cardinality).rev().find(|code| codes.binary_search(code).is_err()));
    let shape = CellShape::Set { words: last_code.len().div_ceil(32) };
    let cell_of = (0..cardinality).map(cell).collect();
    (CellAxis { shape, cell_of, last_code, word: 0, splits: Vec::new() }, (0..codes.len() as u32).collect())
}

fn hierarchy(domain: &Domain, tree: &Hierarchy, codes: &[u32]) -> CuttableAxis {
    let mut taxonomy = Taxonomy { tree, allowed: codes, taxa: Vec::new(), last_code: Vec::new() };
    let children = match tree.children(tree.root()) {
        [] => vec![tree.root()],
        children => children.to_vec(),
    };
    taxonomy.grow(&children, domain.missing_code(), domain.cardinality() as u32 - 1);
    let Taxonomy { taxa, last_code, .. } = taxonomy;
    let cell_of = (0..domain.cardinality() as u32)
        .map(|code| last_code.partition_point(|&last| last < code) as u32)
        .collect();
    let inner = (0..taxa.len() as u32).filter(|&taxon| !taxa[taxon as usize].children.is_empty()).collect();
    (CellAxis { shape: CellShape::Hierarchy(taxa), cell_of, last_code, word: 0, splits: Vec::new() }, inner)
}

/// A hierarchy while its taxa are numbered in preorder and its cells from left to right.
struct Taxonomy<'a> {
    tree: &'a Hierarchy,
    allowed: &'a [u32],
    taxa: Vec<Taxon>,
    last_code: Vec<u32>,
}

impl Taxonomy<'_> {
    /// Adds the taxon over these children and the missing value, whose codes end at `last`.
    fn grow(&mut self, children: &[NodeId], missing: Option<u32>, last: u32) -> u32 {
        let (tree, mut children) = (self.tree, children);
        // A node with a single child says nothing; there may be very many, one below the other.
        while let ([only], None) = (children, missing) {
            match tree.children(*only) {
                [] => break,
                below => children = below,
            }
        }
        let parts = children.len() + usize::from(missing.is_some());
        let taxon = self.taxa.len() as u32;
        let first = self.last_code.len() as u32;
        self.taxa.push(Taxon { cells: (first, first), children: Vec::new(), size: 1, split: None });
        let mut ends = children.iter().map(|&child| tree.span(child).1).take(parts.saturating_sub(1));
        if parts > 1 && ends.all(|end| self.allowed.binary_search(&end).is_ok()) {
            let mut below: Vec<u32> = Vec::with_capacity(parts);
            for &child in children {
                below.push(self.grow(tree.children(child), None, tree.span(child).1));
            }
            below.extend(missing.map(|code| self.grow(&[], None, code)));
            self.taxa[taxon as usize].children = below;
        } else {
            self.last_code.push(last);
        }
        let size = self.taxa.len() as u32 - taxon;
        let grown = &mut self.taxa[taxon as usize];
        (grown.cells.1, grown.size) = (self.last_code.len() as u32 - 1, size);
        taxon
    }
}
