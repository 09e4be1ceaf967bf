//! Applicators: the steps that generalise a column, and the sets of generalizations that some of them span.
//!
//! A generalization is the set of applicators that have been applied. A scheme determines what an applicator
//! needs: a level needs the one below, a node of a cut the nodes under it, a merger of two children that both are whole;
//! and any grouping of children is transitive. A [`Scope`] holds the generalizations in which some applicators must be
//! applied and some others must not be: a subtree of the enumeration.

use super::bits::SmallSet;
use super::family::{ColumnFamily, FamilyNode, Generalization, Mode};

/// A step that merges groups of values.
#[derive(Clone, Debug, Default)]
pub(super) struct Applicator {
    /// Pairs of atoms whose groups become one.
    links: Vec<(u32, u32)>,
    /// The applicators that must be applied too.
    needs: Vec<u32>,
    /// The applicators that need this one.
    needed_by: Vec<u32>,
}

/// All applicators of a column, those that need others after them.
#[derive(Clone, Debug)]
pub(super) struct Applicators {
    each: Vec<Applicator>,
    atoms: usize,
    siblings: Vec<Siblings>,
}

/// Children of a node of which any may be merged: an applicator for every pair, (0, 1), (0, 2), … (1, 2), … from `first`
/// on. In this order, groups are completed one after the other by their least members, as `Child_Partitions` of Fig. 6
/// wants it.
#[derive(Clone, Debug)]
struct Siblings {
    first: usize,
    many: usize,
}

impl Siblings {
    fn pair(&self, a: usize, b: usize) -> usize {
        let (a, b) = (a.min(b), a.max(b));
        self.first + a * (2 * self.many - a - 1) / 2 + b - a - 1
    }
}

/// The generalizations of a column that apply all of `must` and nothing but `may`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scope {
    pub must: SmallSet,
    pub may: SmallSet,
}

/// The most applicators of a column: beyond that, it has too many groupings to enumerate them one by one.
pub(super) const MOST_APPLICATORS: usize = 4096;

/// How many applicators a family has.
pub(super) fn applicators_of(family: &ColumnFamily) -> usize {
    let pairs = |node: &FamilyNode| match (family.mode, node.children.len()) {
        (_, many) if many < 2 || !node.mergeable => 0,
        (Mode::Segments, many) => many - 1,
        (Mode::Subsets, many) => many * (many - 1) / 2,
        _ => 1,
    };
    match family.mode {
        Mode::Levels => family.levels.len().saturating_sub(1),
        _ => family.nodes.iter().map(pairs).sum(),
    }
}

impl Applicators {
    pub fn of(family: &ColumnFamily) -> Self {
        let mut made = Applicators { each: Vec::new(), atoms: family.atoms(), siblings: Vec::new() };
        match family.mode {
            Mode::Levels => made.by_level(&family.levels),
            mode => made.by_node(family, mode),
        }
        for at in 0..made.each.len() {
            for needed in made.each[at].needs.clone() {
                made.each[needed as usize].needed_by.push(at as u32);
            }
        }
        made
    }

    fn by_level(&mut self, levels: &[Generalization]) {
        for (at, level) in levels.iter().skip(1).enumerate() {
            let links = (0..).zip(level.0.iter().copied()).filter(|(atom, first)| atom != first).collect();
            let needs = at.checked_sub(1).map(|below| below as u32).into_iter().collect();
            self.each.push(Applicator { links, needs, needed_by: Vec::new() });
        }
    }

    fn by_node(&mut self, family: &ColumnFamily, mode: Mode) {
        // The applicators that make a node whole; none where it can never be.
        let mut whole: Vec<Option<Vec<u32>>> = Vec::with_capacity(family.nodes.len());
        for node in &family.nodes {
            let start = self.each.len();
            let children = &node.children;
            let first = |child: usize| family.nodes[children[child]].atoms.start;
            let pairs: Vec<(usize, usize)> = match mode {
                _ if !node.mergeable => Vec::new(),
                Mode::Subsets => {
                    (0..children.len()).flat_map(|a| (a + 1..children.len()).map(move |b| (a, b))).collect()
                }
                _ => (1..children.len()).map(|b| (b - 1, b)).collect(),
            };
            if mode == Mode::Subsets && !pairs.is_empty() {
                self.siblings.push(Siblings { first: start, many: children.len() });
            }
            let needs_of = |pair: &[usize]| -> Option<Vec<u32>> {
                let parts: Option<Vec<&Vec<u32>>> =
                    pair.iter().map(|&child| whole[children[child]].as_ref()).collect();
                Some(parts?.into_iter().flatten().copied().collect())
            };
            if mode == Mode::Cuts && !pairs.is_empty() {
                let everything: Vec<usize> = (0..children.len()).collect();
                if let Some(needs) = needs_of(&everything) {
                    let links = pairs.iter().map(|&(a, b)| (first(a), first(b))).collect();
                    self.each.push(Applicator { links, needs, needed_by: Vec::new() });
                }
            } else {
                for (a, b) in pairs {
                    if let Some(needs) = needs_of(&[a, b]) {
                        let links = vec![(first(a), first(b))];
                        self.each.push(Applicator { links, needs, needed_by: Vec::new() });
                    }
                }
            }
            let made = (start as u32..self.each.len() as u32).collect();
            whole.push((children.is_empty() || node.mergeable).then_some(made));
        }
    }

    pub fn len(&self) -> usize {
        self.each.len()
    }

    /// Every generalization.
    pub fn scope(&self) -> Scope {
        Scope { must: SmallSet::none(self.len()), may: SmallSet::all(self.len()) }
    }

    /// The finest generalization of a scope, which is in it.
    pub fn finest(&self, scope: &Scope) -> Generalization {
        self.merged(&scope.must)
    }

    /// The coarsest generalization that a scope may reach; every one in it is finer.
    pub fn coarsest(&self, scope: &Scope) -> Generalization {
        self.merged(&scope.may)
    }

    /// Whether [`Applicators::coarsest`] is in the scope: groups linked by a third are in one group only if they may.
    pub fn holds_coarsest(&self, scope: &Scope) -> bool {
        self.siblings.iter().all(|siblings| {
            let blocks = self.blocks(siblings, &scope.may);
            (0..siblings.many).all(|a| {
                (a + 1..siblings.many).all(|b| blocks[a] != blocks[b] || scope.may.holds(siblings.pair(a, b)))
            })
        })
    }

    fn merged(&self, applied: &SmallSet) -> Generalization {
        let mut firsts: Vec<u32> = (0..self.atoms as u32).collect();
        for applicator in applied.iter() {
            for &(a, b) in &self.each[applicator].links {
                let (a, b) = (find(&firsts, a), find(&firsts, b));
                firsts[a.max(b) as usize] = a.min(b);
            }
        }
        for atom in 0..firsts.len() {
            firsts[atom] = firsts[firsts[atom] as usize];
        }
        Generalization(firsts)
    }

    /// The applicators that may come next, bottom-up: those that need nothing more.
    pub fn minimal(&self, scope: &Scope) -> Vec<usize> {
        let ready = |at: &usize| {
            !scope.must.holds(*at)
                && self.each[*at].needs.iter().all(|&needed| scope.must.holds(needed as usize))
        };
        scope.may.iter().filter(ready).collect()
    }

    /// The applicators that may be given up next, top-down: those that nothing else needs.
    pub fn maximal(&self, scope: &Scope) -> Vec<usize> {
        let free = |at: &usize| {
            !scope.must.holds(*at)
                && self.each[*at].needed_by.iter().all(|&other| !scope.may.holds(other as usize))
        };
        scope.may.iter().filter(free).collect()
    }

    /// Narrows a scope to the generalizations that apply something; whether there are any.
    pub fn apply(&self, scope: &mut Scope, applicator: usize) -> bool {
        self.require(scope, applicator) && self.settle(scope)
    }

    /// Narrows a scope to the generalizations that do not apply something; whether there are any.
    pub fn forbid(&self, scope: &mut Scope, applicator: usize) -> bool {
        self.exclude(scope, applicator) && self.settle(scope)
    }

    fn require(&self, scope: &mut Scope, applicator: usize) -> bool {
        if scope.must.holds(applicator) {
            return true;
        }
        if !scope.may.holds(applicator) {
            return false;
        }
        scope.must.insert(applicator);
        self.each[applicator].needs.iter().all(|&needed| self.require(scope, needed as usize))
    }

    fn exclude(&self, scope: &mut Scope, applicator: usize) -> bool {
        if !scope.may.holds(applicator) {
            return true;
        }
        if scope.must.holds(applicator) {
            return false;
        }
        scope.may.remove(applicator);
        self.each[applicator].needed_by.iter().all(|&other| self.exclude(scope, other as usize))
    }

    /// Draws the conclusions of transitivity: what is in one group is so pair by pair, and what must stay apart from one
    /// member must from all.
    fn settle(&self, scope: &mut Scope) -> bool {
        loop {
            let before = scope.clone();
            for siblings in &self.siblings {
                if !self.settle_siblings(siblings, scope) {
                    return false;
                }
            }
            if self.siblings.len() <= 1 || *scope == before {
                return true;
            }
        }
    }

    fn settle_siblings(&self, siblings: &Siblings, scope: &mut Scope) -> bool {
        let blocks = self.blocks(siblings, &scope.must);
        let many = siblings.many;
        // Whether two blocks must stay apart, by their first members.
        let mut apart = vec![false; many * many];
        for a in 0..many {
            for b in a + 1..many {
                let pair = siblings.pair(a, b);
                if blocks[a] == blocks[b] {
                    if !self.require(scope, pair) {
                        return false;
                    }
                } else if !scope.may.holds(pair) {
                    apart[blocks[a] * many + blocks[b]] = true;
                    apart[blocks[b] * many + blocks[a]] = true;
                }
            }
        }
        (0..many).all(|a| {
            (a + 1..many)
                .all(|b| !apart[blocks[a] * many + blocks[b]] || self.exclude(scope, siblings.pair(a, b)))
        })
    }

    /// The first sibling of the block of each, when the pairs in a set are merged.
    fn blocks(&self, siblings: &Siblings, applied: &SmallSet) -> Vec<usize> {
        let mut firsts: Vec<u32> = (0..siblings.many as u32).collect();
        for a in 0..siblings.many {
            for b in a + 1..siblings.many {
                if applied.holds(siblings.pair(a, b)) {
                    let (a, b) = (find(&firsts, a as u32), find(&firsts, b as u32));
                    firsts[a.max(b) as usize] = a.min(b);
                }
            }
        }
        (0..siblings.many as u32).map(|at| find(&firsts, at) as usize).collect()
    }
}

fn find(firsts: &[u32], mut at: u32) -> u32 {
    while firsts[at as usize] != at {
        at = firsts[at as usize];
    }
    at
}
