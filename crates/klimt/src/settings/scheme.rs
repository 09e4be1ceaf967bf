//! What a run asks of the generalization schemes.

use crate::suggest::did_you_mean;
use klimt_core::Choice;
use klimt_core::algorithm::scheme::{Direction, Pruning, Scheme};

/// What the search does to look at fewer generalizations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Technique {
    /// Leave out what a lower bound shows to be no better.
    Bounds,
    /// Leave out merges that lead to nothing better.
    Useless,
    /// Merge at once what must be merged to reach anything better.
    Useful,
    /// Start from a known generalization.
    Seeding,
    /// Look at a generalization again before its children are made.
    Reconsider,
    /// Take the generalization with the least lower bound next.
    Nodes,
    /// Merge first what merges the fewest groups.
    Applicators,
    /// Solve one column exactly at every generalization of the others.
    Fold,
    /// Find the first generalization by descents; without them it is the best of some drawn at random.
    Descents,
    /// Bounds that look at the finest and the coarsest generalization in either direction.
    BothEnds,
    /// All that klimt adds to the search of Li and Li: fold, descents and both-ends.
    Additions,
}

impl Choice for Technique {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Technique::Bounds, "bounds", "Leave out what a lower bound shows to be no better"),
        (Technique::Useless, "useless", "Leave out merges that lead to nothing better"),
        (Technique::Useful, "useful", "Merge at once what must be merged to reach anything better"),
        (Technique::Seeding, "seeding", "Start from a known generalization"),
        (Technique::Reconsider, "reconsider", "Look at a generalization again before its children are made"),
        (Technique::Nodes, "nodes", "Take the generalization with the least lower bound next"),
        (Technique::Applicators, "applicators", "Merge first what merges the fewest groups"),
        (Technique::Fold, "fold", "Solve one column exactly at every generalization of the others"),
        (
            Technique::Descents,
            "descents",
            "Find the first generalization by descents; without them it is the best of some drawn at random",
        ),
        (
            Technique::BothEnds,
            "both-ends",
            "Bounds that look at the finest and the coarsest generalization in either direction",
        ),
        (
            Technique::Additions,
            "additions",
            "All that klimt adds to the search of Li and Li: fold, descents and both-ends",
        ),
    ];
}

/// What klimt adds to the search of Li and Li.
const ADDITIONS: [Technique; 3] = [Technique::Fold, Technique::Descents, Technique::BothEnds];

/// What is asked of the generalization schemes for all columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SchemeSettings {
    /// The scheme of columns for which none is named.
    pub default: Option<Scheme>,
    /// Where the search starts.
    pub direction: Option<Direction>,
    /// What it does without.
    pub without: Vec<Technique>,
}

impl SchemeSettings {
    /// Where the search starts.
    pub fn direction(&self) -> Direction {
        self.direction.unwrap_or_default()
    }

    /// The techniques that the search uses.
    pub fn pruning(&self) -> Pruning {
        let added = self.without.contains(&Technique::Additions);
        let with =
            |technique| !(self.without.contains(&technique) || added && ADDITIONS.contains(&technique));
        Pruning {
            bounds: with(Technique::Bounds),
            useless: with(Technique::Useless),
            useful: with(Technique::Useful),
            seeding: with(Technique::Seeding),
            reconsider: with(Technique::Reconsider),
            nodes: with(Technique::Nodes),
            applicators: with(Technique::Applicators),
            fold: with(Technique::Fold),
            descents: with(Technique::Descents),
            both_ends: with(Technique::BothEnds),
        }
    }
}

/// The scheme of a name.
pub fn named(name: &str) -> std::result::Result<Scheme, String> {
    let names = || Scheme::ALL.iter().map(|(_, name, _)| *name);
    Scheme::named(name).ok_or_else(|| {
        format!("unknown scheme {name}{}; the schemes are {}", did_you_mean(name, names()), Scheme::names())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_schemes_are_told_with_the_nearest() {
        assert_eq!(named("GSPS"), Ok(Scheme::Gsps));
        assert!(named("gspss").unwrap_err().contains("did you mean gsps?"));
        assert!(named("zzz").unwrap_err().ends_with("the schemes are bhs, ghs, ops, gops, sps, gsps"));
    }

    #[test]
    fn every_technique_switches_off_its_own() {
        let off =
            |technique| SchemeSettings { without: vec![technique], ..SchemeSettings::default() }.pruning();
        let all = Pruning::default();
        assert_eq!(off(Technique::Bounds), Pruning { bounds: false, ..all });
        assert_eq!(off(Technique::Useless), Pruning { useless: false, ..all });
        assert_eq!(off(Technique::Useful), Pruning { useful: false, ..all });
        assert_eq!(off(Technique::Seeding), Pruning { seeding: false, ..all });
        assert_eq!(off(Technique::Reconsider), Pruning { reconsider: false, ..all });
        assert_eq!(off(Technique::Nodes), Pruning { nodes: false, ..all });
        assert_eq!(off(Technique::Applicators), Pruning { applicators: false, ..all });
        assert_eq!(off(Technique::Fold), Pruning { fold: false, ..all });
        assert_eq!(off(Technique::Descents), Pruning { descents: false, ..all });
        assert_eq!(off(Technique::BothEnds), Pruning { both_ends: false, ..all });
        assert_eq!(off(Technique::Additions), Pruning::AS_PUBLISHED);
    }
}
