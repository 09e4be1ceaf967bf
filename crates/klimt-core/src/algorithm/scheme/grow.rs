//! From a hierarchy to a family: the tree over the values that occur, without redundant nodes.

use super::Scheme;
use super::family::{ColumnFamily, FamilyNode, Generalization, Mode};
use crate::hierarchy::{Hierarchy, NodeId};
use crate::{Error, Result};
use hashbrown::HashMap;

/// The family of a scheme. `leaves` has the codes that occur of each leaf of the hierarchy, or of each value where there
/// is none; a missing value is merged with others last of all, but for sets, where it is a value like any other. Levels
/// below the first of `levels` are not published, those above the last are not reached.
pub(super) fn grow(
    scheme: Scheme,
    guide: Option<&Hierarchy>,
    leaves: Vec<Vec<u32>>,
    missing: Option<u32>,
    levels: (u32, u32),
) -> Result<ColumnFamily> {
    let mode = match scheme {
        Scheme::Bhs => Mode::Levels,
        Scheme::Ghs => Mode::Cuts,
        Scheme::Ops | Scheme::Gops => Mode::Segments,
        Scheme::Sps | Scheme::Gsps => Mode::Subsets,
    };
    if levels.0 > guide.map_or(0, Hierarchy::height) || levels.0 > levels.1 {
        return Err(Error::input("it has no such levels"));
    }
    let mut growing =
        FamilyBuilder { levels, leaves: &leaves, nodes: Vec::new(), codes: Vec::new(), tops: Vec::new() };
    let root = guide.and_then(|tree| growing.node(tree, tree.root()));
    let top = match guide {
        Some(_) if scheme.is_guided() => root.into_iter().collect(),
        Some(_) => growing.flatten(),
        None => {
            let atoms = leaves.iter().filter(|codes| !codes.is_empty());
            let atoms: Vec<usize> = atoms.map(|codes| growing.atom(codes.clone(), None)).collect();
            growing.join(atoms, true).into_iter().collect::<Vec<_>>()
        }
    };
    // Beside the children of the root, where more than one of them occurs and the root is there to have children.
    let occurs = |tree: &Hierarchy, child: &NodeId| {
        let (first, last) = tree.span(*child);
        (first..=last).any(|leaf| !leaves[leaf as usize].is_empty())
    };
    let branches = guide
        .filter(|_| scheme.is_guided())
        .is_none_or(|tree| tree.children(tree.root()).iter().filter(|child| occurs(tree, child)).count() > 1);
    growing.crown(top, missing, mode == Mode::Subsets && branches);
    if growing.nodes.is_empty() {
        return Err(Error::input("it has no values"));
    }
    let FamilyBuilder { nodes, codes, tops, .. } = growing;
    let by_level = match (mode, guide) {
        (Mode::Levels, Some(tree)) => by_level(tree, &tops, levels),
        _ => Vec::new(),
    };
    Ok(ColumnFamily { mode, nodes, levels: by_level, codes, tops })
}

struct FamilyBuilder<'a> {
    levels: (u32, u32),
    leaves: &'a [Vec<u32>],
    nodes: Vec<FamilyNode>,
    codes: Vec<Vec<u32>>,
    /// The hierarchy node of every atom; none for the missing value.
    tops: Vec<Option<NodeId>>,
}

impl FamilyBuilder<'_> {
    fn atom(&mut self, codes: Vec<u32>, top: Option<NodeId>) -> usize {
        let atom = self.codes.len() as u32;
        self.codes.push(codes);
        self.tops.push(top);
        self.nodes.push(FamilyNode { children: Vec::new(), atoms: atom..atom + 1, mergeable: false });
        self.nodes.len() - 1
    }

    /// A node over others; a single one stands for itself.
    fn join(&mut self, children: Vec<usize>, mergeable: bool) -> Option<usize> {
        if children.len() < 2 {
            return children.first().copied();
        }
        let (first, last) = (&self.nodes[children[0]], &self.nodes[children[children.len() - 1]]);
        let atoms = first.atoms.start..last.atoms.end;
        self.nodes.push(FamilyNode { children, atoms, mergeable });
        Some(self.nodes.len() - 1)
    }

    /// Adds the occurring values under a node of the hierarchy, however deep they are.
    fn node(&mut self, tree: &Hierarchy, root: NodeId) -> Option<usize> {
        // The nodes on the way down, each with its next child and what was found under those before.
        let mut way: Vec<(NodeId, usize, Vec<usize>)> = vec![(root, 0, Vec::new())];
        loop {
            let (node, next, found) = way.last_mut()?;
            let (node, level) = (*node, tree.height() - tree.depth(*node));
            let is_atom = tree.is_leaf(node) || level <= self.levels.0;
            if let Some(&child) = tree.children(node).get(*next).filter(|_| !is_atom) {
                *next += 1;
                way.push((child, 0, Vec::new()));
                continue;
            }
            let found = std::mem::take(found);
            let made = match is_atom {
                true => self.lowest(tree, node),
                false => self.join(found, level <= self.levels.1),
            };
            way.pop();
            match way.last_mut() {
                None => return made,
                Some((.., above)) => above.extend(made),
            }
        }
    }

    /// The atom of a node that is not looked into, where any of its values occur.
    fn lowest(&mut self, tree: &Hierarchy, node: NodeId) -> Option<usize> {
        let (first, last) = tree.span(node);
        let mut codes: Vec<u32> =
            (first..=last).flat_map(|leaf| self.leaves[leaf as usize].iter().copied()).collect();
        codes.sort_unstable();
        (!codes.is_empty()).then(|| self.atom(codes, Some(node)))
    }

    /// Forgets everything but the atoms, which become the children of one node.
    fn flatten(&mut self) -> Vec<usize> {
        self.nodes.retain(|node| node.children.is_empty());
        self.join((0..self.nodes.len()).collect(), true).into_iter().collect()
    }

    /// Makes the root the last node, and gives the missing value its place.
    fn crown(&mut self, mut top: Vec<usize>, missing: Option<u32>, beside: bool) {
        let Some(code) = missing else { return };
        let atom = self.atom(vec![code], None);
        let all = self.nodes[atom].atoms.end;
        match top.first().copied() {
            Some(root) if beside && !self.nodes[root].children.is_empty() => {
                let mut node = self.nodes.remove(root);
                node.children.push(atom - 1);
                node.atoms.end = all;
                self.nodes.push(node);
            }
            _ => {
                let mergeable = top
                    .first()
                    .is_none_or(|&root| self.nodes[root].mergeable || self.nodes[root].children.is_empty());
                top.push(atom);
                self.join(top, mergeable);
            }
        }
    }
}

/// The groupings by one level each, from fine to coarse, each once. A missing value is alone on all of them, and with all
/// others on one more above the highest.
fn by_level(tree: &Hierarchy, tops: &[Option<NodeId>], levels: (u32, u32)) -> Vec<Generalization> {
    let mut found: Vec<Generalization> = Vec::new();
    let mut add = |keys: Vec<Option<NodeId>>| {
        let mut firsts: HashMap<Option<NodeId>, u32> = HashMap::new();
        let first = |(at, key): (u32, &Option<NodeId>)| *firsts.entry(*key).or_insert(at);
        let grouping = Generalization((0..).zip(&keys).map(first).collect());
        if found.last() != Some(&grouping) {
            found.push(grouping);
        }
    };
    let mut above = tops.to_vec();
    for level in levels.0..=levels.1.min(tree.height()) {
        let depth = tree.height() - level;
        // Level by level a step up, as hierarchies may be deep.
        for at in above.iter_mut().flatten() {
            while tree.depth(*at) > depth {
                let Some(parent) = tree.parent(*at) else { break };
                *at = parent;
            }
        }
        add(above.clone());
    }
    if levels.1 >= tree.height() {
        add(vec![None; tops.len()]);
    }
    found
}
