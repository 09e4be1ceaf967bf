//! The one list of every figure and table of the papers.

use super::Context;
use super::claim::Claim;
use super::outcome::Outcome;
use crate::Result;

/// What measures a figure.
pub type Experiment = fn(&Context) -> Result<Outcome>;

/// A figure or a table of a paper.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// Its name: that of the system of the paper, and its number.
    pub name: &'static str,
    /// What it shows. How large everything is stands in the outcome, as it ran.
    pub title: &'static str,
    /// What the paper says about it; nothing about an illustration.
    pub claims: &'static [Claim],
    /// What measures it; an illustration has nothing to measure.
    pub run: Option<Experiment>,
    /// Why its claim cannot be decided here, where it cannot.
    pub undecidable: &'static str,
}

impl Figure {
    /// A figure of an experiment.
    pub const fn experiment(
        name: &'static str,
        title: &'static str,
        claims: &'static [Claim],
        run: Experiment,
    ) -> Self {
        Figure { name, title, claims, run: Some(run), undecidable: "" }
    }

    /// A figure of an experiment that klimt cannot make, beside which it shows something else.
    pub const fn undecidable(
        name: &'static str,
        title: &'static str,
        why: &'static str,
        run: Experiment,
    ) -> Self {
        Figure { name, title, claims: &[], run: Some(run), undecidable: why }
    }

    /// A figure that explains something.
    const fn illustration(name: &'static str, title: &'static str) -> Self {
        Figure { name, title, claims: &[], run: None, undecidable: "" }
    }

    /// The paper that it is from.
    pub fn paper(&self) -> &'static Paper {
        let found = PAPERS.iter().find(|paper| self.name.split('-').next() == Some(paper.system));
        found.unwrap_or(&PAPERS[0])
    }

    /// Where it stands in its paper: figures by number, then tables.
    fn place(&self) -> (bool, u32) {
        let number = self.name.rsplit('-').next().and_then(|number| number.parse().ok());
        (self.name.contains("-table-"), number.unwrap_or(0))
    }
}

/// A paper whose figures these are.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// The first part of the names of its figures.
    pub system: &'static str,
    /// Who wrote it, what it is called, and when.
    pub cited: &'static str,
    /// How many figures it has.
    #[cfg_attr(not(test), allow(dead_code))]
    pub figures: u32,
    /// How many numbered tables it has.
    #[cfg_attr(not(test), allow(dead_code))]
    pub tables: u32,
}

/// The papers, in the order of the list.
pub const PAPERS: [Paper; 5] = [
    Paper {
        system: "mondrian",
        cited: "LeFevre, DeWitt, Ramakrishnan: Multidimensional K-Anonymity (2005)",
        figures: 17,
        tables: 0,
    },
    Paper {
        system: "rothko",
        cited: "LeFevre, DeWitt: Scalable Anonymization Algorithms for Large Data Sets (2007)",
        figures: 28,
        tables: 0,
    },
    Paper {
        system: "rtree",
        cited: "Iwuchukwu, Naughton: K-Anonymization as Spatial Indexing (2007)",
        figures: 12,
        tables: 1,
    },
    Paper {
        system: "gensearch",
        cited: "Hore, Jammalamadaka, Mehrotra, D'Ascanio: Constrained Generalization for Data Anonymization (2011)",
        figures: 29,
        tables: 0,
    },
    Paper {
        system: "schemes",
        cited: "Li, Li: Towards Optimal k-Anonymization (2007)",
        figures: 13,
        tables: 0,
    },
];

/// The figures of experiments, family by family.
const EXPERIMENTS: [&[Figure]; 12] = [
    super::mondrian::FIGURES,
    super::plane::FIGURES,
    super::rothko_io::FIGURES,
    super::rothko_time::FIGURES,
    super::rothko_quality::FIGURES,
    super::rtree_time::FIGURES,
    super::rtree_quality::FIGURES,
    super::rtree_store::FIGURES,
    super::gensearch::FIGURES,
    super::gensearch_search::FIGURES,
    super::schemes::FIGURES,
    super::schemes_time::FIGURES,
];

/// Every figure, paper by paper.
pub fn figures() -> Vec<&'static Figure> {
    let mut all: Vec<&Figure> = EXPERIMENTS.iter().copied().flatten().chain(ILLUSTRATIONS).collect();
    let paper = |figure: &Figure| PAPERS.iter().position(|paper| paper.system == figure.paper().system);
    all.sort_by_key(|figure| (paper(figure), figure.place()));
    all
}

const fn shows(name: &'static str, title: &'static str) -> Figure {
    Figure::illustration(name, title)
}

/// The figures that explain something, or describe a machine.
const ILLUSTRATIONS: &[Figure] = &[
    shows("mondrian-1", "Tables that can be joined to find people"),
    shows("mondrian-2", "A single-dimensional anonymization"),
    shows("mondrian-3", "A multidimensional anonymization"),
    shows("mondrian-4", "Patients in the plane, with single-dimensional and multidimensional partitions"),
    shows("mondrian-5", "Points that no cut may divide"),
    shows("mondrian-6", "Relaxed partitioning of one attribute"),
    shows("mondrian-7", "The greedy algorithm"),
    shows("mondrian-8", "An anonymization with several summary statistics"),
    shows("mondrian-9", "The parameters of the generator (klimt generate uniform, skewed)"),
    shows("rothko-1", "A generalization hierarchy"),
    shows("rothko-2", "A tree of cuts that is a recoding function"),
    shows("rothko-3", "An example of Rothko-T"),
    shows("rothko-4", "An example of Rothko-S"),
    shows("rothko-5", "The notation of the analysis"),
    shows("rothko-6", "The machine of the experiments"),
    shows("rothko-7", "The generator of the experiments (klimt generate agrawal)"),
    shows("rtree-1", "A patient table, anonymized and indexed"),
    shows("rtree-2", "A buffer tree after 24 records"),
    shows("rtree-3", "A node that is split"),
    shows("rtree-4", "A tree for queries about zip codes"),
    shows("rtree-5", "The leaf scan algorithm"),
    shows("rtree-6", "Compaction of partitions"),
    shows("rtree-table-1", "The machine of the experiments"),
    shows("gensearch-1", "Partitions by grids, by hierarchies of cuts and by any rectangles"),
    shows("gensearch-2", "The finest partition of the space"),
    shows("gensearch-3", "A sequence of splits"),
    shows("gensearch-4", "The algorithm for the lower bound of DM"),
    shows("gensearch-5", "The lower bound in a picture"),
    shows("gensearch-6", "The algorithm that detects a legal split"),
    shows("gensearch-7", "The algorithm that detects a cut across a larger space"),
    shows("gensearch-8", "The algorithm that enumerates all partitions"),
    shows("gensearch-9", "The partition enumeration tree"),
    shows("gensearch-10", "Priorities of splits of categories"),
    shows("gensearch-11", "A split of a category that adds several nodes"),
    shows("gensearch-12", "The enumeration with categories"),
    shows("gensearch-13", "The prioritised search"),
    shows("gensearch-25", "The algorithm for all trees of n splits, for a proof"),
    shows("gensearch-26", "The same, written for an induction"),
    shows("gensearch-27", "Parent and child change places: orthogonal splits"),
    shows("gensearch-28", "Parent and child change places: parallel splits"),
    shows("gensearch-29", "The tree without conflicts is unique"),
    shows("schemes-1", "A hierarchy of work classes"),
    shows("schemes-2", "A partition of ages"),
    shows("schemes-3", "A taxonomy of the schemes"),
    shows("schemes-4", "Which scheme's space holds which"),
    shows("schemes-5", "The enumeration tree of partitions of four letters"),
    shows("schemes-6", "The enumeration for one attribute"),
    shows("schemes-7", "The enumeration of anonymizations"),
    shows("schemes-8", "The enumeration tree of two attributes"),
];
