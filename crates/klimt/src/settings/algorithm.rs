//! The algorithms with what each can be told.

use super::{Settings, SplitSet, Start, Technique};
use klimt_core::algorithm::gensearch::Priority;
use klimt_core::algorithm::mondrian::{HierarchyCut, Model};
use klimt_core::algorithm::rtree::LeafGrouping;
use klimt_core::algorithm::scheme::{Direction, Scheme};
use klimt_core::registry::AlgorithmKind;

/// An algorithm with its options. [`AlgorithmKind`] converts into one with the usual options:
///
/// ```
/// use klimt::{Algorithm, AlgorithmKind};
///
/// let local: Algorithm = AlgorithmKind::Local.into();
/// assert_eq!(local.kind(), AlgorithmKind::Local);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Algorithm {
    /// Mondrian where the table fits in memory, Rothko-S where it does not.
    #[default]
    Auto,
    /// Greedy multidimensional partitioning of a table in memory.
    Mondrian {
        /// Whether equal rows stay in one group.
        partitioning: Model,
        /// Where a hierarchy may be cut.
        hierarchy_cut: HierarchyCut,
    },
    /// Mondrian for tables larger than memory, group for group: cuts from the frequency groups of all rows.
    RothkoT {
        /// Where a hierarchy may be cut.
        hierarchy_cut: HierarchyCut,
    },
    /// Mondrian for tables larger than memory: cuts from a sample, undone where they turn out wrong.
    RothkoS {
        /// Where a hierarchy may be cut.
        hierarchy_cut: HierarchyCut,
        /// The rows of a sample; as many as memory allows where nothing is said.
        sample: Option<u64>,
        /// The chance of making a cut that has to be undone; 0.05 where nothing is said.
        significance: Option<f64>,
    },
    /// The leaves of an R+-tree.
    RTree {
        /// The least rows of a leaf, where groups of k rows are made of whole leaves.
        base_k: Option<u64>,
        /// Which leaves become a group.
        by: Option<LeafGrouping>,
        /// Split a leaf when it has so many times the rows that a group needs.
        leaf_capacity: Option<u64>,
        /// Columns that are cut as long as they can be, before any other.
        prefer: Vec<String>,
    },
    /// The search for the partitioning of least loss, with a proof of how good it is.
    Optimal {
        /// The proven factor at which the search ends.
        gap: Option<f64>,
    },
    /// The search for the partitioning of least loss over a set of splits.
    GenSearch {
        /// Where columns may be cut.
        splits: Option<SplitSet>,
        /// Which partition is looked at next.
        priority: Option<Priority>,
        /// How many partitions may wait.
        queue: Option<usize>,
        /// Solve leaves with at most so many boxes for a better bound.
        lookahead: Option<usize>,
        /// What the search starts from.
        start: Option<Start>,
        /// The algorithm of the paper, without klimt's additions.
        as_published: bool,
        /// The proven factor at which the search ends.
        gap: Option<f64>,
    },
    /// The six generalization schemes: a value is published the same way in every row.
    Scheme {
        /// Which groupings of values are allowed in columns for which nothing else is said.
        scheme: Option<Scheme>,
        /// Where the search starts.
        direction: Option<Direction>,
        /// What the search does without, for experiments.
        without: Vec<Technique>,
        /// The proven factor at which the search ends.
        gap: Option<f64>,
    },
    /// Local recoding: dense regions stay exact, and regions may overlap.
    Local {},
}

impl Algorithm {
    /// Which algorithm it is.
    pub fn kind(&self) -> AlgorithmKind {
        match self {
            Algorithm::Auto => AlgorithmKind::Auto,
            Algorithm::Mondrian { .. } => AlgorithmKind::Mondrian,
            Algorithm::RothkoT { .. } => AlgorithmKind::RothkoT,
            Algorithm::RothkoS { .. } => AlgorithmKind::RothkoS,
            Algorithm::RTree { .. } => AlgorithmKind::RTree,
            Algorithm::Optimal { .. } => AlgorithmKind::Optimal,
            Algorithm::GenSearch { .. } => AlgorithmKind::GenSearch,
            Algorithm::Scheme { .. } => AlgorithmKind::Scheme,
            Algorithm::Local {} => AlgorithmKind::Local,
        }
    }

    /// Makes it the algorithm of a run. What the settings say of another algorithm is forgotten.
    pub(crate) fn apply(self, settings: &mut Settings) {
        settings.algorithm = Some(self.kind());
        settings.tree = Default::default();
        (settings.partitioning, settings.hierarchy_cut) = (None, None);
        (settings.memory.sample, settings.memory.significance) = (None, None);
        let search = &mut settings.search;
        (search.splits, search.priority, search.queue, search.lookahead) = (None, None, None, None);
        (search.start, search.as_published, search.gap) = (None, false, None);
        settings.schemes = Default::default();
        let usual = |cut: HierarchyCut| Some(cut).filter(|cut| *cut != HierarchyCut::default());
        match self {
            Algorithm::Auto | Algorithm::Local {} => {}
            Algorithm::Mondrian { partitioning, hierarchy_cut } => {
                settings.partitioning = Some(partitioning);
                settings.hierarchy_cut = usual(hierarchy_cut);
            }
            Algorithm::RothkoT { hierarchy_cut } => settings.hierarchy_cut = usual(hierarchy_cut),
            Algorithm::RothkoS { hierarchy_cut, sample, significance } => {
                settings.hierarchy_cut = usual(hierarchy_cut);
                (settings.memory.sample, settings.memory.significance) = (sample, significance);
            }
            Algorithm::RTree { base_k, by, leaf_capacity, prefer } => {
                settings.tree = super::TreeSettings { base_k, by, leaf_capacity, prefer };
            }
            Algorithm::Optimal { gap } => settings.search.gap = gap,
            Algorithm::GenSearch { splits, priority, queue, lookahead, start, as_published, gap } => {
                let search = &mut settings.search;
                (search.splits, search.priority, search.queue, search.lookahead) =
                    (splits, priority, queue, lookahead);
                (search.start, search.as_published, search.gap) = (start, as_published, gap);
            }
            Algorithm::Scheme { scheme, direction, without, gap } => {
                settings.schemes = super::SchemeSettings { default: scheme, direction, without };
                settings.search.gap = gap;
            }
        }
    }
}

impl From<AlgorithmKind> for Algorithm {
    fn from(kind: AlgorithmKind) -> Self {
        let hierarchy_cut = HierarchyCut::default();
        match kind {
            AlgorithmKind::Auto => Algorithm::Auto,
            AlgorithmKind::Mondrian => Algorithm::Mondrian { partitioning: Model::Strict, hierarchy_cut },
            AlgorithmKind::RothkoT => Algorithm::RothkoT { hierarchy_cut },
            AlgorithmKind::RothkoS => Algorithm::RothkoS { hierarchy_cut, sample: None, significance: None },
            AlgorithmKind::RTree => {
                Algorithm::RTree { base_k: None, by: None, leaf_capacity: None, prefer: Vec::new() }
            }
            AlgorithmKind::Optimal => Algorithm::Optimal { gap: None },
            AlgorithmKind::GenSearch => Algorithm::GenSearch {
                splits: None,
                priority: None,
                queue: None,
                lookahead: None,
                start: None,
                as_published: false,
                gap: None,
            },
            AlgorithmKind::Scheme => {
                Algorithm::Scheme { scheme: None, direction: None, without: Vec::new(), gap: None }
            }
            AlgorithmKind::Local => Algorithm::Local {},
        }
    }
}
