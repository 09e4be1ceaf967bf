//! Seeding: a good generalization to start from (section 4.4.1).
//!
//! A descent folds one column after the other, each the best for what the others are, until none gets better. It starts
//! from one group of everything and from the values as they are, and then from the best so far with some columns thrown
//! at random, as long as that pays. [`SeedSearch::draw`] is the seeding of the paper: the best of some generalizations that
//! are drawn at random.

use super::bound::SchemeCost;
use super::collected::StatisticsSlab;
use super::family::{ColumnFamily, Generalization, Mode};
use super::fold::{Fold, FoldResult, is_exact};
use super::groups::TupleGroups;
use super::keys::Grouper;
use super::problem::SchemeProblem;
use super::slab::SizeSlab;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::time::{Duration, Instant};

/// A generalization of every column and what it costs.
#[derive(Clone, Debug)]
pub(super) struct SchemeCandidate {
    pub priced: SchemeCost,
    pub parts: Vec<Generalization>,
}

/// How many throws are made at once; fixed, so that any number of threads finds the same.
const THROWS: usize = 8;

/// How many generalizations are drawn; the paper does not say.
const DRAWS: usize = 64;

/// Fewer generalizations than this, as a power of two, need no throws: the search looks at them all soon enough.
const FEW: f64 = 16.0;

/// How often a price is raised to keep within the rows that may be suppressed.
const RAISES: i32 = 8;

/// Descends from several starts.
pub(super) struct SeedSearch<'p, 'a> {
    problem: &'p SchemeProblem<'a>,
    /// The folds of the columns of which every generalization is looked at.
    folds: Vec<Option<Fold<'p, 'a>>>,
    /// The binary logarithm of the number of generalizations.
    bits: f64,
}

impl<'p, 'a> SeedSearch<'p, 'a> {
    pub fn new(problem: &'p SchemeProblem<'a>) -> Self {
        let fold = |(column, family)| is_exact(family).then(|| Fold::exact(problem, column)).flatten();
        SeedSearch {
            problem,
            folds: problem.families.iter().enumerate().map(fold).collect(),
            bits: problem.families.iter().map(ColumnFamily::bits).sum(),
        }
    }

    /// Whether there are so few generalizations that waiting for each other would cost threads more than it gains.
    pub fn few(&self) -> bool {
        self.bits < FEW
    }

    /// The exact fold of a column, where there is one.
    pub fn fold(&self, column: usize) -> Option<&Fold<'p, 'a>> {
        self.folds[column].as_ref()
    }

    /// The best generalization that descents find, before the time given is over.
    pub fn run(
        &self,
        seed: u64,
        until: Option<Instant>,
        told: &mut dyn FnMut(&SchemeCandidate),
    ) -> Option<SchemeCandidate> {
        let starts = [
            self.problem.families.iter().map(coarsest).collect::<Vec<_>>(),
            self.problem.families.iter().map(|family| Generalization::finest(family.atoms())).collect(),
        ];
        let order: Vec<usize> = (0..self.problem.dimensions()).collect();
        let first: Vec<Option<SchemeCandidate>> = self.problem.each(starts.len(), |number| {
            self.descend(starts[number].clone(), &order, &mut random(seed, number))
        });
        let mut best = better(None, first)?;
        told(&best);
        if self.few() {
            return Some(best);
        }
        let patience = 2 + (self.bits / 8.0) as usize;
        let (mut round, mut vain) = (0, 0);
        let over = || self.problem.stopped() || until.is_some_and(|until| Instant::now() >= until);
        while vain < patience && !over() {
            round += 1;
            let thrown: Vec<Option<SchemeCandidate>> =
                self.problem.each(THROWS, |throw| self.throw(&best, seed, round * THROWS + throw));
            let cost = best.priced.cost;
            if let Some(found) = better(Some(best.clone()), thrown) {
                best = found;
            }
            vain = if best.priced.cost < cost { 0 } else { vain + 1 };
            if vain == 0 {
                told(&best);
            }
        }
        Some(best)
    }

    /// The best of some generalizations that are drawn at random.
    pub fn draw(&self, seed: u64, told: &mut dyn FnMut(&SchemeCandidate)) -> Option<SchemeCandidate> {
        let drawn = self.problem.each(DRAWS, |number| {
            let mut rng = random(seed, number);
            let part = |family| scattered(family, &mut |many| below(&mut rng, many));
            let parts: Vec<Generalization> = self.problem.families.iter().map(part).collect();
            let groups = self.problem.roll_up_in_time(&parts, &mut Grouper::default())?;
            let priced = self.problem.priced(&groups, &parts);
            priced.cost.is_finite().then_some(SchemeCandidate { priced, parts })
        });
        let best = better(None, drawn);
        best.iter().for_each(told);
        best
    }

    /// A descent from the best so far, with some columns thrown at random; the others are folded first.
    fn throw(&self, best: &SchemeCandidate, seed: u64, number: usize) -> Option<SchemeCandidate> {
        let mut rng = random(seed, number + 2);
        let dimensions = self.problem.dimensions();
        let mut order: Vec<usize> = (0..dimensions).collect();
        (1..dimensions).rev().for_each(|at| order.swap(at, below(&mut rng, at + 1)));
        let thrown = 1 + below(&mut rng, 3.min(dimensions));
        let mut parts = best.parts.clone();
        for &column in &order[dimensions - thrown..] {
            parts[column] = scattered(&self.problem.families[column], &mut |many| below(&mut rng, many));
        }
        self.descend(parts, &order, &mut rng)
    }

    /// Folds columns in turn until none gets better.
    fn descend(
        &self,
        mut parts: Vec<Generalization>,
        order: &[usize],
        rng: &mut ChaCha8Rng,
    ) -> Option<SchemeCandidate> {
        let problem = self.problem;
        let mut grouper = Grouper::default();
        let groups = problem.roll_up_in_time(&parts, &mut grouper)?;
        let mut reached = problem.priced(&groups, &parts);
        drop(groups);
        let mut steady = 0;
        for &column in order.iter().cycle() {
            if steady == order.len() || problem.stopped() {
                break;
            }
            match self.folded(column, &parts, reached.cost, rng, &mut grouper) {
                Some(folded) => {
                    steady = 0;
                    reached = folded.priced;
                    parts[column] = folded.part;
                }
                None => steady += 1,
            }
        }
        reached.cost.is_finite().then_some(SchemeCandidate { priced: reached, parts })
    }

    /// The best generalization of a column where that costs less, within the rows that may be suppressed.
    fn folded(
        &self,
        column: usize,
        parts: &[Generalization],
        cost: f64,
        rng: &mut ChaCha8Rng,
        grouper: &mut Grouper,
    ) -> Option<FoldResult> {
        let margin = cost.abs() * 1e-12;
        let mut fine = parts.to_vec();
        fine[column] = Generalization::finest(self.problem.families[column].atoms());
        let groups = self.problem.roll_up_in_time(&fine, grouper)?;
        let near;
        let fold = match &self.folds[column] {
            Some(fold) => fold,
            None => {
                let mut random = |many: usize| below(rng, many);
                near = Fold::near(self.problem, column, &parts[column], groups.len(), &mut random)?;
                &near
            }
        };
        (0..RAISES).find_map(|raise| {
            let Some(found) = exactly(self.problem, fold, column, &groups, 4f64.powi(raise), cost, grouper)
            else {
                return Some(None);
            };
            let cheaper = found.priced.cost < cost - if cost.is_finite() { margin } else { 0.0 };
            let binds = found.priced.suppressed > self.problem.limit;
            match (binds, cheaper) {
                (false, true) => Some(Some(found)),
                (true, _) if self.problem.limit > 0 => None,
                _ => Some(None),
            }
        })?
    }
}

/// The best generalization of a column with the others as they are in the groups, which tell its atoms apart, when
/// suppressed rows cost this many times their price; its cost is at the price itself, and infinite where nothing costs less
/// than the ceiling or is allowed. Nothing where the search is stopped meanwhile.
pub(super) fn exactly(
    problem: &SchemeProblem<'_>,
    fold: &Fold<'_, '_>,
    column: usize,
    groups: &TupleGroups,
    dearer: f64,
    ceiling: f64,
    grouper: &mut Grouper,
) -> Option<FoldResult> {
    let (fine, price) = (&groups.parts, problem.price * dearer);
    // Dearer rows cost more than they do in the end.
    let ceiling = if dearer > 1.0 { f64::INFINITY } else { ceiling };
    let mut found = if problem.collects {
        fold.solve(&mut StatisticsSlab::new(problem, column, groups, fine, grouper), price, ceiling)?
    } else {
        fold.solve(&mut SizeSlab::new(problem, column, groups, fine, None, grouper), price, ceiling)?
    };
    let suppressed = found.priced.suppressed;
    if suppressed > 0 && dearer > 1.0 {
        found.priced.cost -= suppressed as f64 * problem.price * (dearer - 1.0);
    }
    if suppressed > problem.limit {
        found.priced.cost = f64::INFINITY;
    }
    Some(found)
}

/// The cheapest, the first of equals.
fn better(best: Option<SchemeCandidate>, found: Vec<Option<SchemeCandidate>>) -> Option<SchemeCandidate> {
    best.into_iter()
        .chain(found.into_iter().flatten())
        .reduce(|best, other| if other.priced.cost < best.priced.cost { other } else { best })
}

/// The generalization that merges all that may be merged.
pub(super) fn coarsest(family: &ColumnFamily) -> Generalization {
    match family.levels.last() {
        Some(level) => level.clone(),
        None => grouped(family, family.root(), &mut |_, many| vec![0; many]),
    }
}

/// A generalization at random.
fn scattered(family: &ColumnFamily, random: &mut dyn FnMut(usize) -> usize) -> Generalization {
    if !family.levels.is_empty() {
        return family.levels[random(family.levels.len())].clone();
    }
    let eighths = 1 + random(7);
    grouped(family, family.root(), &mut |mode, many| {
        let whole = random(8) < eighths;
        let mut blocks = vec![0; many];
        for child in 1..many {
            let joins = random(8) < eighths;
            blocks[child] = match mode {
                Mode::Cuts | Mode::Levels if whole => 0,
                Mode::Segments if joins => blocks[child - 1],
                Mode::Subsets if joins => blocks[random(child)],
                _ => child,
            };
        }
        blocks
    })
}

/// The generalization in which the children of every node are grouped as `blocks` says, and those alone in their block
/// are looked into in turn.
fn grouped(
    family: &ColumnFamily,
    node: usize,
    blocks: &mut dyn FnMut(Mode, usize) -> Vec<usize>,
) -> Generalization {
    let mut part = Generalization::finest(family.atoms());
    let mut pending = vec![node];
    while let Some(node) = pending.pop() {
        let children = &family.nodes[node].children;
        if children.is_empty() {
            continue;
        }
        let blocks: Vec<usize> = match family.nodes[node].mergeable {
            true => blocks(family.mode, children.len()),
            false => (0..children.len()).collect(),
        };
        // The members of each block, and the first of them.
        let mut members = vec![(0, 0); children.len()];
        for (at, &block) in blocks.iter().enumerate().rev() {
            members[block] = (members[block].0 + 1, at);
        }
        for (at, &child) in children.iter().enumerate() {
            let (many, first) = members[blocks[at]];
            if many == 1 {
                pending.push(child);
                continue;
            }
            let first = family.nodes[children[first]].atoms.start;
            family.nodes[child].atoms.clone().for_each(|atom| part.0[atom as usize] = first);
        }
    }
    part
}

fn random(seed: u64, number: usize) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number as u64);
    rng
}

/// A number below another; the bias of the remainder is of no consequence here.
fn below(rng: &mut ChaCha8Rng, many: usize) -> usize {
    (rng.next_u64() % many.max(1) as u64) as usize
}

/// The moment until which seeding may go on: a part of the time that is left, or all of it but a little.
pub(super) fn until(problem: &SchemeProblem<'_>, searches: bool) -> Option<Instant> {
    let until = problem.job.budget.until?;
    let left = until.saturating_duration_since(Instant::now());
    let kept = if searches { left / 2 } else { left / 20 };
    until.checked_sub(kept.max(Duration::from_millis(1)))
}
