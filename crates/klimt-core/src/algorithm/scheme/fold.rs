//! Folding: the best generalization of one column, exactly, while the others stay as they are.
//!
//! The rows of a block of the column are a slab, and slabs share no group. So what a generalization costs is a sum over
//! the blocks, and the best one is found by a dynamic program over the tree of the family: of every node, the best
//! generalization of what lies under it. A cut is the node or the best of its children; segments are the least sum over
//! the places where the children can be parted; subsets go over the sets of children. With slabs of a scope, whose values
//! are lower bounds, the same program gives the least that the scope can cost whatever the column does.

use super::bound::SchemeCost;
use super::family::{ColumnFamily, Generalization, Mode};
use super::problem::{SchemePricing, SchemeProblem};
use super::slab::{Slab, priced};
use crate::statistics::Extent;
use crate::table::Shape;

/// The most children of a node of which every subset is looked at.
const SUBSETS: usize = 10;

/// The most blocks that are looked at in a column,
const BLOCKS: usize = 40_000;

/// and the most atoms in all of them.
const ATOMS: usize = 100_000_000;

/// The most children that are parted at every place; more are taken by the handful.
const PLACES: usize = 120;

/// The most handfuls, however few the groups are: each pair of them is a block with a width of its own.
const HANDFULS: usize = 2000;

/// How many groups may be added to slabs for one fold, about; more make handfuls fewer, though no fewer than [`PLACES`].
const WORK: usize = 200_000_000;

/// How many atoms are added between two looks at the clock.
const PATIENCE: usize = 64;

/// Folds a column.
pub(super) struct Fold<'p, 'a> {
    problem: &'p SchemeProblem<'a>,
    column: usize,
    /// The width of every block, in the order in which they are visited.
    widths: Vec<f64>,
    /// How the children of every node are taken together and in which order, where they are too many.
    handfuls: Vec<Option<Vec<Vec<usize>>>>,
}

/// The best generalization of a column.
#[derive(Clone, Debug)]
pub(super) struct FoldResult {
    pub priced: SchemeCost,
    pub part: Generalization,
}

/// Whether every generalization of a family is looked at.
pub(super) fn is_exact(family: &ColumnFamily) -> bool {
    let (mut blocks, mut atoms) = (0usize, 0usize);
    for node in family.nodes.iter().filter(|node| node.mergeable) {
        let many = node.children.len();
        let here = match family.mode {
            Mode::Levels | Mode::Cuts => 1,
            Mode::Segments => many.saturating_mul(many) / 2,
            Mode::Subsets if many <= SUBSETS => 1 << many,
            Mode::Subsets => return false,
        };
        blocks = blocks.saturating_add(here);
        atoms = atoms.saturating_add(here.saturating_mul(node.atoms.len()));
    }
    blocks <= BLOCKS && atoms <= ATOMS
}

impl<'p, 'a> Fold<'p, 'a> {
    /// A fold over every generalization of the column.
    pub fn exact(problem: &'p SchemeProblem<'a>, column: usize) -> Option<Self> {
        let handfuls = vec![None; problem.families[column].nodes.len()];
        Fold::new(problem, column, handfuls)
    }

    /// A fold over the generalizations that keep some things together: children that share a block of `current` stay
    /// neighbours, and where there are too many, neighbours are taken together: as few of them as a fold of this many
    /// groups has time and memory for. `random` gives a number below another.
    pub fn near(
        problem: &'p SchemeProblem<'a>,
        column: usize,
        current: &Generalization,
        groups: usize,
        random: &mut dyn FnMut(usize) -> usize,
    ) -> Option<Self> {
        let family = &problem.families[column];
        let most = (WORK / groups.max(1)).clamp(PLACES, HANDFULS);
        let handful = |node: &super::family::FamilyNode| {
            let many = node.children.len();
            let first = |child: &usize| current.0[family.nodes[*child].atoms.start as usize];
            match family.mode {
                Mode::Segments if many > PLACES => Some(taken(&node.children, first, most, random)),
                Mode::Subsets if many > SUBSETS => {
                    let mut ranks: Vec<usize> = (0..family.atoms()).collect();
                    (1..ranks.len()).rev().for_each(|at| ranks.swap(at, random(at + 1)));
                    let mut order: Vec<(usize, usize, usize)> = node
                        .children
                        .iter()
                        .map(|&child| (ranks[first(&child) as usize], random(1 << 30), child))
                        .collect();
                    order.sort_unstable();
                    let order: Vec<usize> = order.into_iter().map(|(_, _, child)| child).collect();
                    match many > most {
                        true => Some(taken(&order, first, most, random)),
                        false => Some(order.into_iter().map(|child| vec![child]).collect()),
                    }
                }
                _ => None,
            }
        };
        let handfuls = family.nodes.iter().map(handful).collect();
        Fold::new(problem, column, handfuls)
    }

    /// A fold, or nothing where the search is stopped before all widths are known.
    fn new(
        problem: &'p SchemeProblem<'a>,
        column: usize,
        handfuls: Vec<Option<Vec<Vec<usize>>>>,
    ) -> Option<Self> {
        let mut fold = Fold { problem, column, widths: Vec::new(), handfuls };
        let mut widths = Vec::new();
        if problem.pricing == SchemePricing::Shares {
            let mut measure = WidthRecorder::new(problem, column, &mut widths);
            // Nothing reaches a ceiling that is no number: every block is visited.
            fold.solve(&mut measure, 0.0, f64::NAN)?;
        }
        fold.widths = widths;
        Some(fold)
    }

    fn family(&self) -> &'p ColumnFamily {
        &self.problem.families[self.column]
    }

    /// The best generalization with the slabs' values, when a suppressed row costs the price. What costs as much as the
    /// ceiling is not looked into; where nothing costs less, the cost is infinite. Nothing where the search is stopped
    /// meanwhile.
    pub fn solve(&self, slab: &mut dyn Slab, price: f64, ceiling: f64) -> Option<FoldResult> {
        let family = self.family();
        let mut visit =
            Visit { fold: self, slab, price, ceiling, at: 0, atoms: Vec::new(), added: 0, stopped: false };
        if family.mode == Mode::Levels {
            let found = visit.levels();
            return visit.ended().then_some(found);
        }
        let mut best: Vec<SchemeCost> = Vec::with_capacity(family.nodes.len());
        let mut chosen: Vec<Vec<Vec<usize>>> = Vec::with_capacity(family.nodes.len());
        for (number, node) in family.nodes.iter().enumerate() {
            if visit.stopped {
                return None;
            }
            let (value, parts) = match node.children.len() {
                0 => {
                    let value = visit.block(&[number]);
                    visit.clear();
                    (value, Vec::new())
                }
                _ if !node.mergeable => {
                    let parts = node.children.iter().map(|&child| vec![child]).collect();
                    (sum(node.children.iter().map(|&child| best[child])), parts)
                }
                _ => visit.node(number, &best),
            };
            best.push(value);
            chosen.push(parts);
        }
        if !visit.ended() {
            return None;
        }
        let mut part = Generalization::finest(family.atoms());
        spell(family, &chosen, family.root(), &mut part);
        Some(FoldResult { priced: best[family.root()], part })
    }
}

/// Children in handfuls of neighbours, about as many as are granted: parted where their blocks are, and at a few places
/// more; where there are too many blocks, at some of these.
fn taken(
    children: &[usize],
    block: impl Fn(&usize) -> u32,
    most: usize,
    random: &mut dyn FnMut(usize) -> usize,
) -> Vec<Vec<usize>> {
    let parted = |at: usize| block(&children[at]) != block(&children[at - 1]);
    let blocks = 1 + (1..children.len()).filter(|&at| parted(at)).count();
    let too_many = blocks + PLACES > most;
    let mut handfuls: Vec<Vec<usize>> = Vec::new();
    for (at, child) in children.iter().enumerate() {
        let apart = at > 0
            && match too_many {
                true => parted(at) && random(blocks) < most,
                false => parted(at) || random(children.len()) < PLACES,
            };
        match handfuls.last_mut() {
            Some(last) if !apart => last.push(*child),
            _ => handfuls.push(vec![*child]),
        }
    }
    handfuls
}

/// Writes down the blocks that were chosen under a node.
fn spell(family: &ColumnFamily, chosen: &[Vec<Vec<usize>>], node: usize, part: &mut Generalization) {
    for block in &chosen[node] {
        match block[..] {
            [child] => spell(family, chosen, child, part),
            _ => {
                let atoms = || block.iter().flat_map(|&child| family.nodes[child].atoms.clone());
                let first = atoms().min().unwrap_or(0);
                atoms().for_each(|atom| part.0[atom as usize] = first);
            }
        }
    }
}

fn sum(values: impl Iterator<Item = SchemeCost>) -> SchemeCost {
    values.fold(SchemeCost { cost: 0.0, suppressed: 0 }, |a, b| SchemeCost {
        cost: a.cost + b.cost,
        suppressed: a.suppressed + b.suppressed,
    })
}

/// A walk over all blocks of a column, in an order that depends on nothing but the fold.
struct Visit<'v, 'p, 'a> {
    fold: &'v Fold<'p, 'a>,
    slab: &'v mut dyn Slab,
    price: f64,
    ceiling: f64,
    /// The next block.
    at: usize,
    /// The atoms in the slab.
    atoms: Vec<u32>,
    /// How many atoms were added since the clock was looked at.
    added: usize,
    /// Whether the search was stopped; values mean nothing from then on.
    stopped: bool,
}

impl Visit<'_, '_, '_> {
    /// Adds nodes to the slab; the value of the block that it then is.
    fn block(&mut self, nodes: &[usize]) -> SchemeCost {
        let family = self.fold.family();
        for &node in nodes {
            for atom in family.nodes[node].atoms.clone() {
                self.add(atom);
            }
        }
        self.value()
    }

    fn add(&mut self, atom: u32) {
        self.added += 1;
        if self.added >= PATIENCE {
            self.added = 0;
            self.stopped |= self.fold.problem.stopped();
        }
        if !self.stopped {
            self.slab.add(atom);
            self.atoms.push(atom);
        }
    }

    /// Whether it came to the end before the search was stopped: slabs look at the clock too, and then say nothing true.
    fn ended(&self) -> bool {
        !self.stopped && !self.fold.problem.stopped()
    }

    fn value(&mut self) -> SchemeCost {
        let width = self.fold.widths.get(self.at).copied().unwrap_or(0.0);
        self.at += 1;
        let (problem, column, atoms) = (self.fold.problem, self.fold.column, &self.atoms);
        priced(self.price, self.slab.value(width, &|| problem.extent(column, atoms)))
    }

    fn mark(&mut self) -> (usize, usize) {
        (self.slab.mark(), self.atoms.len())
    }

    fn back(&mut self, (slab, atoms): (usize, usize)) {
        self.slab.back(slab);
        self.atoms.truncate(atoms);
    }

    fn clear(&mut self) {
        self.slab.clear();
        self.atoms.clear();
    }

    /// From coarse to fine: on fine levels much is suppressed, and soon too much.
    fn levels(&mut self) -> FoldResult {
        let levels = &self.fold.family().levels;
        let nothing = SchemeCost { cost: f64::INFINITY, suppressed: 0 };
        let mut found = FoldResult { priced: nothing, part: levels[levels.len() - 1].clone() };
        for level in levels.iter().rev() {
            let mut value = SchemeCost { cost: 0.0, suppressed: 0 };
            let blocks = level.groups();
            let ceiling = if found.priced.cost < self.ceiling { found.priced.cost } else { self.ceiling };
            for (number, block) in blocks.iter().enumerate() {
                if value.cost >= ceiling {
                    self.at += blocks.len() - number;
                    break;
                }
                block.iter().for_each(|&atom| self.add(atom));
                value = sum([value, self.value()].into_iter());
                self.clear();
            }
            if value.cost < ceiling {
                found = FoldResult { priced: value, part: level.clone() };
            }
        }
        found
    }

    /// The best generalization of what lies under a node, and which children are together in it.
    fn node(&mut self, number: usize, best: &[SchemeCost]) -> (SchemeCost, Vec<Vec<usize>>) {
        let family = self.fold.family();
        let children = &family.nodes[number].children;
        match family.mode {
            Mode::Cuts | Mode::Levels => {
                let whole = self.block(children);
                self.clear();
                let apart = sum(children.iter().map(|&child| best[child]));
                match whole.cost < apart.cost {
                    true => (whole, vec![children.clone()]),
                    false => (apart, children.iter().map(|&child| vec![child]).collect()),
                }
            }
            Mode::Subsets if self.fold.handfuls[number].is_none() => self.subsets(children, best),
            _ => {
                let single: Vec<Vec<usize>>;
                let handfuls = match &self.fold.handfuls[number] {
                    Some(handfuls) => handfuls,
                    None => {
                        single = children.iter().map(|&child| vec![child]).collect();
                        &single
                    }
                };
                self.segments(handfuls, best)
            }
        }
    }

    fn segments(&mut self, handfuls: &[Vec<usize>], best: &[SchemeCost]) -> (SchemeCost, Vec<Vec<usize>>) {
        let many = handfuls.len();
        let nothing = SchemeCost { cost: f64::INFINITY, suppressed: 0 };
        let mut upto = vec![nothing; many + 1];
        let mut from = vec![0; many + 1];
        upto[0].cost = 0.0;
        for first in 0..many {
            if self.stopped {
                break;
            }
            if upto[first].cost >= self.ceiling {
                self.at += many - first;
                continue;
            }
            for last in first..many {
                let block = self.block(&handfuls[last]);
                let alone = match handfuls[last][..] {
                    [child] if first == last => Some(best[child]),
                    _ => None,
                };
                let value = alone.filter(|alone| alone.cost <= block.cost).unwrap_or(block);
                let value = sum([upto[first], value].into_iter());
                if value.cost < upto[last + 1].cost {
                    upto[last + 1] = value;
                    from[last + 1] = first;
                }
            }
            self.clear();
        }
        let mut parts = Vec::new();
        let mut end = many;
        while end > 0 {
            parts.push(handfuls[from[end]..end].concat());
            end = from[end];
        }
        parts.reverse();
        (upto[many], parts)
    }

    fn subsets(&mut self, children: &[usize], best: &[SchemeCost]) -> (SchemeCost, Vec<Vec<usize>>) {
        let many = children.len();
        let nothing = SchemeCost { cost: f64::INFINITY, suppressed: 0 };
        let mut values = vec![nothing; 1 << many];
        self.grow(children, 0, 0, &mut values);
        self.clear();
        for (at, &child) in children.iter().enumerate() {
            if best[child].cost <= values[1 << at].cost {
                values[1 << at] = best[child];
            }
        }
        let mut upto = vec![nothing; 1 << many];
        let mut with = vec![0usize; 1 << many];
        upto[0].cost = 0.0;
        for set in 1..1usize << many {
            let lowest = 1 << set.trailing_zeros();
            let rest = set ^ lowest;
            let mut others = rest;
            with[set] = set;
            loop {
                let block = others | lowest;
                let value = sum([values[block], upto[set ^ block]].into_iter());
                if value.cost < upto[set].cost {
                    upto[set] = value;
                    with[set] = block;
                }
                if others == 0 {
                    break;
                }
                others = (others - 1) & rest;
            }
        }
        let mut parts = Vec::new();
        let mut left = (1 << many) - 1;
        while left > 0 {
            let block = with[left];
            parts.push((0..many).filter(|at| block >> at & 1 == 1).map(|at| children[at]).collect());
            left ^= block;
        }
        (upto[(1 << many) - 1], parts)
    }

    /// The values of all sets that add later children to one.
    fn grow(&mut self, children: &[usize], set: usize, next: usize, values: &mut [SchemeCost]) {
        for at in next..children.len() {
            if self.stopped {
                return;
            }
            let mark = self.mark();
            values[set | 1 << at] = self.block(&children[at..=at]);
            self.grow(children, set | 1 << at, at + 1, values);
            self.back(mark);
        }
    }
}

/// Records the widths of the blocks that a fold visits.
struct WidthRecorder<'m, 'a> {
    problem: &'m SchemeProblem<'a>,
    column: usize,
    atoms: Vec<u32>,
    /// The codes of the atoms, where they say what is published of them.
    extent: Option<Extent>,
    widths: &'m mut Vec<f64>,
}

impl<'m, 'a> WidthRecorder<'m, 'a> {
    fn new(problem: &'m SchemeProblem<'a>, column: usize, widths: &'m mut Vec<f64>) -> Self {
        let domain = problem.job.table.domain(column);
        let extent = match domain.shape() {
            Shape::Set => Some(Extent::no_members(domain.cardinality())),
            Shape::Ordered => Some(Extent::NOTHING),
            Shape::Hierarchy(_) => None,
        };
        WidthRecorder { problem, column, atoms: Vec::new(), extent, widths }
    }

    fn extend(&mut self, atom: u32) {
        let codes = &self.problem.families[self.column].codes[atom as usize];
        if let Some(extent) = &mut self.extent {
            codes.iter().for_each(|&code| extent.add(code));
        }
    }

    fn extent(&self) -> Extent {
        match &self.extent {
            Some(Extent::Interval { lo, hi }) => self.problem.interval(self.column, *lo, *hi),
            Some(members) => members.clone(),
            None => self.problem.extent(self.column, &self.atoms),
        }
    }
}

impl Slab for WidthRecorder<'_, '_> {
    fn add(&mut self, atom: u32) {
        self.atoms.push(atom);
        self.extend(atom);
    }

    fn clear(&mut self) {
        self.atoms.clear();
        self.extent.iter_mut().for_each(Extent::clear);
    }

    fn mark(&mut self) -> usize {
        self.atoms.len()
    }

    fn back(&mut self, mark: usize) {
        self.atoms.truncate(mark);
        self.extent.iter_mut().for_each(Extent::clear);
        (0..mark).for_each(|at| self.extend(self.atoms[at]));
    }

    fn value(&mut self, _: f64, _: &dyn Fn() -> Extent) -> (f64, u64) {
        let width = self.problem.job.loss.spread(self.column, &self.extent()).unwrap_or(0.0);
        self.widths.push(width);
        (0.0, 0)
    }
}
