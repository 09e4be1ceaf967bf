//! The children of a node, and which of its applicators are worth applying (sections 4.3 and 4.4).
//!
//! An applicator is *useless* where nothing that applies it can be better than the best so far: it is given up for the
//! whole subtree. It is *useful* where nothing that gives it up can be better: it is applied at once. Both are seen from
//! the lower bounds of the two halves of the scope, so both hold in either direction, with suppression and without. As
//! Li and Li define it, an applicator is useful where no row may be suppressed and some row would be without it.

use super::applicator::Scope;
use super::bound::LowerBoundRules;
use super::enumerate::{ApplicatorStep, child_nodes, steps};
use super::groups::TupleGroups;
use super::keys::Grouper;
use super::queue::SchemeNode;
use super::search::Search;

/// All scopes but that of one column.
pub(super) fn without(scopes: &[Scope], column: usize) -> impl Iterator<Item = &Scope> {
    scopes.iter().enumerate().filter(move |(at, _)| *at != column).map(|(_, scope)| scope)
}

/// A step that leads to a child.
struct ChildStep {
    step: ApplicatorStep,
    bound: f64,
    /// How many groups are merged when the step's applicator is applied.
    merged: usize,
}

/// The children of a node; the node itself again, narrowed, where something must be applied or given up.
pub(super) fn expand(
    search: &Search<'_, '_, '_>,
    node: &SchemeNode,
    best: f64,
    grouper: &mut Grouper,
) -> Vec<SchemeNode> {
    let mut scopes = node.scopes.clone();
    let mut tried = Vec::new();
    for step in steps(&search.problem.applicators, &scopes, search.top_down) {
        if !search.branches_on(&node.scopes, step.0) {
            continue;
        }
        let Some((bound, merged)) = probe(search, node, &scopes, step, !search.top_down, best, grouper)
        else {
            continue;
        };
        if search.pruning.useless && search.hopeless(bound, best) {
            if !narrow(search, &mut scopes, step, search.top_down) {
                return Vec::new();
            }
            continue;
        }
        tried.push(ChildStep { step, bound, merged });
    }
    if search.pruning.useful && oblige(search, node, &mut scopes, &tried, best, grouper) {
        return vec![SchemeNode {
            scopes,
            seen: false,
            probed: false,
            owns: false,
            owes: false,
            ..node.clone()
        }];
    }
    if search.pruning.applicators {
        tried.sort_by_key(|tried| tried.merged);
        if search.top_down {
            tried.reverse();
        }
    }
    let order: Vec<ApplicatorStep> = tried.iter().map(|tried| tried.step).collect();
    let made = child_nodes(&search.problem.applicators, &scopes, &order, search.top_down);
    let child = |(number, scopes): (usize, Vec<Scope>)| SchemeNode {
        scopes,
        bound: node.bound.max(tried[number].bound),
        finer: node.finer.clone(),
        seen: false,
        probed: search.pruning.useless,
        owns: false,
        owes: false,
    };
    let again =
        |scopes| SchemeNode { scopes, seen: false, probed: false, owns: false, owes: false, ..node.clone() };
    let own = node.owes.then(|| search.own_scopes(&node.scopes)).map(again);
    let made = made.into_iter().map(child).chain(own);
    made.filter(|node| !search.hopeless(node.bound, best)).collect()
}

/// Applies or gives up an applicator; whether anything is left.
fn narrow(
    search: &Search<'_, '_, '_>,
    scopes: &mut [Scope],
    (column, applicator): ApplicatorStep,
    apply: bool,
) -> bool {
    let applicators = &search.problem.applicators[column];
    match apply {
        true => applicators.apply(&mut scopes[column], applicator),
        false => applicators.forbid(&mut scopes[column], applicator),
    }
}

/// The lower bound of the half of a scope that takes a step, and how many groups that merges; `None` where it is empty.
fn probe(
    search: &Search<'_, '_, '_>,
    node: &SchemeNode,
    scopes: &[Scope],
    step: ApplicatorStep,
    apply: bool,
    best: f64,
    grouper: &mut Grouper,
) -> Option<(f64, usize)> {
    let mut half = scopes.to_vec();
    if !narrow(search, &mut half, step, apply) {
        return None;
    }
    let looks = search.pruning.useless || (search.pruning.applicators && apply);
    if !looks || search.problem.stopped() {
        return Some((node.bound, 0));
    }
    let (fine, coarse) = search.ends(&half);
    let rolled: TupleGroups;
    let groups = match apply {
        true => {
            rolled = search.problem.roll_up(&node.finer, &fine, grouper);
            &rolled
        }
        false => &*node.finer,
    };
    let merged = node.finer.len() - groups.len();
    let bound = match search.pruning.useless && search.pruning.bounds && best.is_finite() {
        true => search.bound(groups, &fine, &coarse, grouper),
        false => node.bound,
    };
    Some((bound, merged))
}

/// Narrows scopes by the steps without which nothing better is left; whether there were any.
fn oblige(
    search: &Search<'_, '_, '_>,
    node: &SchemeNode,
    scopes: &mut [Scope],
    tried: &[ChildStep],
    best: f64,
    grouper: &mut Grouper,
) -> bool {
    let mut obliged = false;
    for ChildStep { step, .. } in tried {
        if search.problem.stopped() || !search.pruning.bounds || best.is_infinite() {
            return obliged;
        }
        let mut half = scopes.to_vec();
        let hopeless = !narrow(search, &mut half, *step, search.top_down) || {
            let (fine, coarse) = search.ends(&half);
            let rolled = search.problem.roll_up(&node.finer, &fine, grouper);
            let bound = search.problem.least(&rolled, &fine, &coarse, LowerBoundRules::ALL, grouper);
            match search.pruning.both_ends {
                true => search.hopeless(bound, best),
                false => bound == f64::INFINITY,
            }
        };
        if hopeless && narrow(search, scopes, *step, !search.top_down) {
            obliged = true;
        }
    }
    obliged
}
