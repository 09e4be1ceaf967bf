//! The search for the best generalization: branch and bound over the enumeration tree, and at any time the best so far with
//! a lower bound on all others.
//!
//! A node is looked at twice (modified breadth-first search, section 4.4.2): first for its own generalization and its
//! bound, and again, when its turn comes once more, for its children, if it is still worth it.

use super::applicator::Scope;
use super::bound::LowerBoundRules;
use super::expand::{expand, without};
use super::family::Generalization;
use super::groups::TupleGroups;
use super::keys::Grouper;
use super::problem::SchemeProblem;
use super::queue::{SchemeNode, SchemeQueue};
use super::seed::{SchemeCandidate, SeedSearch, coarsest, exactly, until};
use super::slab::SizeSlab;
use super::{Direction, Pruning, SchemeSearch};
use crate::{Error, ErrorKind, Result};
use rayon::prelude::*;
use std::sync::Arc;

/// How many nodes are looked at side by side; fixed, so that any number of threads finds the same.
const BATCH: usize = 16;

/// Up to this many columns and below such a size of groups, bottom-up is the quicker way (Fig. 10).
const FEW_COLUMNS: usize = 4;
const LARGE_GROUPS: u64 = 10;

/// The result of the search.
pub(super) struct SearchResult {
    pub best: SchemeCandidate,
    /// No generalization costs less.
    pub bound: f64,
}

/// A search under way.
pub(super) struct Search<'s, 'p, 'a> {
    pub problem: &'p SchemeProblem<'a>,
    pub pruning: Pruning,
    pub top_down: bool,
    /// The column that is solved at every generalization of the others.
    folded: Option<usize>,
    seeding: &'s SeedSearch<'p, 'a>,
}

/// The result of looking at a node.
struct Look {
    bound: f64,
    found: Option<SchemeCandidate>,
    /// The groups under its finest generalization.
    groups: Arc<TupleGroups>,
    /// Whether nothing is left in its scope.
    closed: bool,
    /// See [`SchemeNode::owes`].
    owes: bool,
}

/// Runs the search. Fails where nothing satisfies the requirements; nothing where it is stopped before it has looked at
/// any generalization.
pub(super) fn run(settings: &SchemeSearch, problem: &SchemeProblem<'_>) -> Result<Option<SearchResult>> {
    let seeding = SeedSearch::new(problem);
    let tractable = problem.tractable;
    let mut told = |found: &SchemeCandidate| problem.job.observer.improved(found.priced.cost, 0.0);
    let mut best = match settings.pruning.seeding || !tractable {
        true if settings.pruning.descents || !tractable => {
            seeding.run(settings.seed, until(problem, tractable), &mut told)
        }
        true => seeding.draw(settings.seed, &mut told),
        false => None,
    };
    let search = Search {
        problem,
        pruning: settings.pruning,
        top_down: top_down(settings, problem),
        folded: fold_column(&seeding, problem).filter(|_| settings.pruning.fold),
        seeding: &seeding,
    };
    if best.is_none() && problem.is_late() {
        return Ok(None);
    }
    if best.is_none() {
        best = search.plain(problem.families.iter().map(coarsest).collect());
    }
    let mut bound = if problem.is_late() { 0.0 } else { search.least() };
    if tractable && !problem.is_late() {
        bound = search.walk(search.root(bound), &mut best);
    }
    let best = best.ok_or_else(|| {
        Error::new(ErrorKind::Unsatisfied, "no generalization of these schemes satisfies every requirement")
    })?;
    // A patient search is about what is left of the families.
    let bound = if problem.patient { 0.0 } else { bound.min(best.priced.cost) };
    problem.job.observer.improved(best.priced.cost, bound);
    Ok(Some(SearchResult { best, bound }))
}

fn top_down(settings: &SchemeSearch, problem: &SchemeProblem<'_>) -> bool {
    match settings.direction {
        Direction::BottomUp => false,
        Direction::TopDown => true,
        Direction::Auto => {
            problem.dimensions() > FEW_COLUMNS || problem.job.requirements.minimum_size() >= LARGE_GROUPS
        }
    }
}

/// The column with the most generalizations of those that can be solved exactly.
fn fold_column(seeding: &SeedSearch<'_, '_>, problem: &SchemeProblem<'_>) -> Option<usize> {
    let exact = (0..problem.dimensions()).filter(|&column| seeding.fold(column).is_some());
    exact
        .map(|column| (problem.families[column].bits(), column))
        .filter(|(bits, _)| *bits > 0.0)
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
        .map(|(_, column)| column)
}

impl Search<'_, '_, '_> {
    /// A generalization as it is.
    fn plain(&self, parts: Vec<Generalization>) -> Option<SchemeCandidate> {
        let groups = self.problem.roll_up(&self.problem.base, &parts, &mut Grouper::default());
        let priced = self.problem.priced(&groups, &parts);
        priced.cost.is_finite().then_some(SchemeCandidate { priced, parts })
    }

    fn root(&self, bound: f64) -> SchemeNode {
        let scopes: Vec<Scope> = self.problem.applicators.iter().map(|column| column.scope()).collect();
        let finer = Arc::new(self.problem.base.clone());
        SchemeNode { scopes, bound, finer, seen: false, probed: true, owns: false, owes: false }
    }

    /// The least that any generalization between two costs, as far as the search concludes.
    pub fn bound(
        &self,
        groups: &TupleGroups,
        fine: &[Generalization],
        coarse: &[Generalization],
        grouper: &mut Grouper,
    ) -> f64 {
        let both = self.pruning.both_ends;
        let rules = LowerBoundRules { coarsest: both || self.top_down, violating: both };
        self.problem.least(groups, fine, coarse, rules, grouper)
    }

    /// The least that any generalization costs.
    fn least(&self) -> f64 {
        let finer = &self.problem.base;
        let fine: Vec<Generalization> =
            self.problem.families.iter().map(|family| Generalization::finest(family.atoms())).collect();
        let coarse: Vec<Generalization> = self.problem.families.iter().map(coarsest).collect();
        let mut grouper = Grouper::default();
        let bound = self.bound(finer, &fine, &coarse, &mut grouper);
        bound.max(self.folded_bound(finer, &fine, &coarse, f64::INFINITY, &mut grouper))
    }

    /// Whether a bound leaves nothing to be found below the best so far.
    pub fn hopeless(&self, bound: f64, best: f64) -> bool {
        self.pruning.bounds && bound >= best - best.abs() * 1e-11 && bound.is_finite()
            || bound == f64::INFINITY
    }

    /// Whether the gap that is left is good enough to give up on a bound.
    fn enough(&self, bound: f64, best: f64) -> bool {
        let gap = self.problem.job.budget.gap;
        let rows = self.problem.job.table.rows() as u64;
        gap > 1.0 && bound >= self.problem.job.loss.lowered(best, gap, rows)
    }

    /// Looks at nodes until none is left or something runs out; what no generalization undercuts.
    fn walk(&self, root: SchemeNode, best: &mut Option<SchemeCandidate>) -> f64 {
        let mut queue = SchemeQueue::new(self.pruning.nodes, self.problem.job.budget.bytes);
        queue.push(root);
        let mut given_up = f64::INFINITY;
        let mut grouper = Grouper::default();
        loop {
            let cost = best.as_ref().map_or(f64::INFINITY, |best| best.priced.cost);
            let bound = queue.least().min(given_up);
            if self.problem.stopped() || self.enough(bound, cost) {
                return bound;
            }
            if cost.is_finite() {
                self.problem.job.observer.improved(cost, bound.min(cost));
            }
            let mut batch = Vec::new();
            while batch.len() < BATCH {
                let Some(node) = queue.pop() else { break };
                if self.hopeless(node.bound, cost) {
                    continue;
                }
                if self.enough(node.bound, cost) {
                    given_up = given_up.min(node.bound);
                    continue;
                }
                batch.push(node);
            }
            if batch.is_empty() {
                return queue.least().min(given_up);
            }
            let worked: Vec<(Option<SchemeCandidate>, Vec<SchemeNode>)> =
                if self.seeding.few() || self.problem.alone {
                    batch.into_iter().map(|node| self.work(node, cost, &mut grouper)).collect()
                } else {
                    let work = |grouper: &mut Grouper, node| self.work(node, cost, grouper);
                    batch.into_par_iter().map_init(Grouper::default, work).collect()
                };
            for (found, nodes) in worked {
                if let Some(found) = found
                    && best.as_ref().is_none_or(|best| found.priced.cost < best.priced.cost)
                {
                    *best = Some(found);
                }
                nodes.into_iter().for_each(|node| queue.push(node));
            }
            // What was broken off proves nothing of its nodes.
            if self.problem.stopped() {
                return bound;
            }
        }
    }

    /// Looks at a node for the first time, or makes its children; what was found, and what is to be looked at.
    fn work(
        &self,
        node: SchemeNode,
        best: f64,
        grouper: &mut Grouper,
    ) -> (Option<SchemeCandidate>, Vec<SchemeNode>) {
        if self.problem.is_late() {
            return (None, Vec::new());
        }
        if node.seen {
            return (None, expand(self, &node, best, grouper));
        }
        let look = self.look(&node, best, grouper);
        let best = look.found.as_ref().map_or(best, |found| best.min(found.priced.cost));
        if look.closed || self.hopeless(look.bound, best) {
            return (look.found, Vec::new());
        }
        let node = SchemeNode {
            bound: look.bound,
            finer: look.groups,
            seen: true,
            owns: true,
            owes: look.owes,
            ..node
        };
        match self.pruning.reconsider {
            true => (look.found, vec![node]),
            false => (look.found, expand(self, &node, best, grouper)),
        }
    }

    fn look(&self, node: &SchemeNode, best: f64, grouper: &mut Grouper) -> Look {
        let (fine, coarse) = self.ends(&node.scopes);
        let groups = match node.finer.parts == fine {
            true => node.finer.clone(),
            false => Arc::new(self.problem.roll_up(&node.finer, &fine, grouper)),
        };
        let folds = self.folds(&node.scopes);
        let decided = |column: usize| node.scopes[column].must == node.scopes[column].may;
        let only_own =
            (0..node.scopes.len()).all(|column| decided(column) || (folds && self.folded == Some(column)));
        let mut bound = node.bound;
        if self.pruning.bounds {
            if !node.probed {
                bound = bound.max(self.bound(&groups, &fine, &coarse, grouper));
            }
            if folds && !only_own && !self.hopeless(bound, best) {
                bound = bound.max(self.folded_bound(&groups, &fine, &coarse, best, grouper));
            }
        }
        if self.hopeless(bound, best) {
            return Look { bound, found: None, groups, closed: true, owes: false };
        }
        let own = if self.stands_for_coarsest(&node.scopes) { coarse } else { fine };
        let (found, owes) = self.own(&groups, own, folds, best, grouper);
        Look { bound, found, groups, closed: only_own && !owes, owes }
    }

    /// The finest and the coarsest generalizations of scopes.
    pub fn ends(&self, scopes: &[Scope]) -> (Vec<Generalization>, Vec<Generalization>) {
        let each = || self.problem.applicators.iter().zip(scopes);
        (
            each().map(|(column, scope)| column.finest(scope)).collect(),
            each().map(|(column, scope)| column.coarsest(scope)).collect(),
        )
    }

    /// Whether the folded column is still free.
    fn folds(&self, scopes: &[Scope]) -> bool {
        self.folded.is_some_and(|column| scopes[column] == self.problem.applicators[column].scope())
    }

    /// The scope of a node's own generalization: of all columns but the folded one, or of all where only that one is left.
    pub fn own_scopes(&self, scopes: &[Scope]) -> Vec<Scope> {
        let others =
            self.folded.is_some_and(|folded| without(scopes, folded).any(|scope| scope.must != scope.may));
        let top_down = self.stands_for_coarsest(scopes);
        let decided = |(column, scope): (usize, &Scope)| {
            let applied = if top_down { &scope.may } else { &scope.must };
            match others && self.folded == Some(column) {
                true => scope.clone(),
                false => Scope { must: applied.clone(), may: applied.clone() },
            }
        };
        scopes.iter().enumerate().map(decided).collect()
    }

    /// Whether a node stands for its coarsest generalization, or else for its finest.
    fn stands_for_coarsest(&self, scopes: &[Scope]) -> bool {
        let mut each = self.problem.applicators.iter().zip(scopes);
        self.top_down && each.all(|(column, scope)| column.holds_coarsest(scope))
    }

    /// The columns whose applicators are to be tried in a node: the folded one where nothing else is left.
    pub fn branches_on(&self, scopes: &[Scope], column: usize) -> bool {
        match self.folded {
            Some(folded) if folded == column => without(scopes, folded).all(|scope| scope.must == scope.may),
            _ => true,
        }
    }

    /// The least that anything between two generalizations of the other columns costs, whatever the folded one does, if it
    /// is less than the best so far.
    fn folded_bound(
        &self,
        groups: &TupleGroups,
        fine: &[Generalization],
        coarse: &[Generalization],
        best: f64,
        grouper: &mut Grouper,
    ) -> f64 {
        let Some((column, fold)) = self.folded.and_then(|column| Some((column, self.seeding.fold(column)?)))
        else {
            return 0.0;
        };
        let mut slab = SizeSlab::new(self.problem, column, groups, fine, Some(coarse), grouper);
        fold.solve(&mut slab, self.problem.price, best).map_or(0.0, |folded| folded.priced.cost.min(best))
    }

    /// The generalization that a node stands for with its price, where it is allowed and may be better; and whether there
    /// is more to try, because folding it suppressed too many rows.
    fn own(
        &self,
        groups: &TupleGroups,
        mut parts: Vec<Generalization>,
        folds: bool,
        best: f64,
        grouper: &mut Grouper,
    ) -> (Option<SchemeCandidate>, bool) {
        let folded =
            self.folded.filter(|_| folds).and_then(|column| Some((column, self.seeding.fold(column)?)));
        let Some((column, fold)) = folded else {
            let groups = self.problem.roll_up(groups, &parts, grouper);
            let priced = self.problem.priced(&groups, &parts);
            return (priced.cost.is_finite().then_some(SchemeCandidate { priced, parts }), false);
        };
        parts[column] = coarsest(&self.problem.families[column]);
        let coarse = parts.clone();
        parts[column] = Generalization::finest(self.problem.families[column].atoms());
        let groups = self.problem.roll_up(groups, &parts, grouper);
        if self.hopeless(self.bound(&groups, &parts, &coarse, grouper), best) {
            return (None, false);
        }
        // Where too many rows may be suppressed, it has to be known whether that is why nothing was found.
        let limited = (1..self.problem.job.table.rows() as u64).contains(&self.problem.limit);
        let ceiling = if limited { f64::INFINITY } else { best };
        let Some(folded) = exactly(self.problem, fold, column, &groups, 1.0, ceiling, grouper) else {
            return (None, true);
        };
        parts[column] = folded.part;
        match folded.priced.cost.is_finite() {
            true => (Some(SchemeCandidate { priced: folded.priced, parts }), false),
            false => (None, limited),
        }
    }
}
